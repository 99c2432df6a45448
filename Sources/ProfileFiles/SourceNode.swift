/// A piece of YAML with its line: the only form of YAML that the rest of this module sees.
///
/// Scalars are kept as written: YAML 1.1's meaning of `on`, `1e10` or `0123` is never used.
struct SourceNode: Sendable {
  enum Content: Sendable {
    case scalar(String)
    case list([SourceNode])
    case mapping([(key: SourceNode, value: SourceNode)])
  }

  var content: Content
  /// Its line, from 1.
  var line: Int
  /// The keys that lead to it.
  var path: String

  /// The file that contains it.
  let file: String
  /// Whether its text may be a secret, so that errors do not show it.
  var isSecret = false

  /// The maximum size of a file.
  static let mostBytes = 256 << 10
  /// The deepest nesting of mappings and lists.
  static let deepest = 40
  /// The most values in a file, including those that aliases repeat. A file without aliases has
  /// fewer.
  static let mostNodes = 1 << 18

  /// Returns an error about this piece.
  func error(_ message: String, key: String? = nil) -> ProfileError {
    let keys = [path, key ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
    return ProfileError(file: file, line: line, key: keys, message: message)
  }

  /// What the piece is, for errors: "a list".
  var kind: String {
    switch content {
    case .scalar(let text):
      text.isEmpty ? "nothing" : isSecret ? "another text" : "`\(text.prefix(40))`"
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }

  /// Reads a file.
  ///
  /// - Parameter names: the keys that a file of secrets may have, the only text of it that errors
  ///   show; nil for other files.
  static func read(
    _ bytes: [UInt8], file: String, secretBut names: Set<String>? = nil
  ) throws(ProfileError) -> SourceNode {
    func failure(_ message: String, line: Int = 0) -> ProfileError {
      ProfileError(file: file, line: line, key: "", message: message)
    }
    guard bytes.count <= mostBytes else { throw failure("is larger than 256 KB") }
    // Some editors begin each UTF-8 text with U+FEFF.
    let bytes = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes
    if let encoding = wideEncoding(bytes) {
      throw failure("is \(encoding) text; expected UTF-8, as which an editor can save it")
    }
    if let zero = bytes.firstIndex(of: 0) {
      throw failure("a zero byte is not text", line: 1 + bytes[..<zero].count { $0 == 0x0a })
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw failure("is not UTF-8 text")
    }
    guard let events = YAMLEvents(bytes) else { throw failure("does not fit into memory") }
    var reader = SourceReader(events: events, file: file, names: names)
    do {
      return try reader.document()
    } catch let error as ProfileError {
      throw error
    } catch let error as YAMLEvents.Failure {
      if let line = tabbedLine(text, error.mark.line) {
        throw failure(
          "is not YAML: a tab precedes the text of the line, where only blanks may", line: line
        )
      }
      throw failure("is not YAML: \(error.problem)", line: error.mark.line)
    } catch {
      throw failure("is not YAML")
    }
  }

  /// Returns UTF-16 or UTF-32 if a file begins with U+FEFF or a letter in that encoding; otherwise
  /// nil.
  private static func wideEncoding(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 2 else { return nil }
    let first = bytes.prefix(4)
    if first.elementsEqual([0xff, 0xfe, 0, 0]) || first.elementsEqual([0, 0, 0xfe, 0xff])
      || first.count == 4 && first.count(where: { $0 == 0 }) == 3
        && (first[0] != 0 || first[3] != 0)
    {
      return "UTF-32"
    }
    let isMarked = [bytes[0], bytes[1]].sorted() == [0xfe, 0xff]
    return isMarked || (bytes[0] == 0) != (bytes[1] == 0) ? "UTF-16" : nil
  }

  /// Returns the line that begins with a tab: the one in which the library failed, or the one
  /// before, whose end it may have read. Returns nil if neither begins with a tab.
  private static func tabbedLine(_ text: String, _ line: Int) -> Int? {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    return [line, line - 1].first { number in
      lines.indices.contains(number - 1)
        && lines[number - 1].prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }
  }
}

/// Builds nodes from YAML events.
private struct SourceReader: ~Copyable {
  var events: YAMLEvents
  let file: String
  /// For a file of secrets: the keys that errors may show.
  let names: Set<String>?
  /// The nodes with an anchor. A node is added once it is complete, so it cannot contain itself.
  private var anchored: [String: SourceNode] = [:]
  /// The number of nodes, including those that aliases repeat.
  private var count = 0

  init(events: consuming YAMLEvents, file: String, names: Set<String>?) {
    self.events = events
    self.file = file
    self.names = names
  }

  /// Reads the only document of the text.
  mutating func document() throws -> SourceNode {
    let first = try events.next()
    if case .textEnd = first {
      throw ProfileError(file: file, line: 0, key: "", message: "is empty")
    }
    let root = try node(first, path: "", depth: 0)
    _ = try events.next()
    guard case .textEnd = try events.next() else {
      throw root.error("expected one document, found another after `---`")
    }
    return root
  }

  /// Reads the node that begins with an event.
  private mutating func node(
    _ event: YAMLEvents.Event, path: String, depth: Int
  ) throws -> SourceNode {
    var piece = SourceNode(
      content: .scalar(""), line: events.mark.line, path: path, file: file,
      isSecret: names != nil)
    guard depth <= SourceNode.deepest else {
      throw piece.error("mappings and lists nest deeper than \(SourceNode.deepest)")
    }
    try account(for: piece)
    guard !events.hasTag else { throw piece.error("tags such as !!str are not allowed") }
    let anchor = events.anchor
    switch event {
    case .scalar(let text): piece.content = .scalar(text)
    case .listStart: piece.content = .list(try list(path: path, depth: depth))
    case .mappingStart: piece.content = .mapping(try mapping(piece, depth: depth))
    case .alias: return try repeated(anchor ?? "", at: piece, depth: depth)
    case .listEnd, .mappingEnd, .documentEnd, .textEnd:
      throw piece.error("expected a value")
    }
    if let anchor { anchored[anchor] = piece }
    return piece
  }

  private mutating func list(path: String, depth: Int) throws -> [SourceNode] {
    var list: [SourceNode] = []
    while true {
      let event = try events.next()
      if case .listEnd = event { return list }
      list.append(try node(event, path: path, depth: depth + 1))
    }
  }

  private mutating func mapping(
    _ mapping: SourceNode, depth: Int
  ) throws -> [(key: SourceNode, value: SourceNode)] {
    var pairs: [(key: SourceNode, value: SourceNode)] = []
    var lines: [String: Int] = [:]
    while true {
      let event = try events.next()
      if case .mappingEnd = event { return pairs }
      let key = try node(event, path: mapping.path, depth: depth + 1)
      guard case .scalar(let name) = key.content else {
        throw key.error("expected a key, found \(key.kind)")
      }
      if let first = lines.updateValue(key.line, forKey: name) {
        let other = first == key.line ? "" : ": line \(first) has it too"
        let subject = isShown(name) ? "the key `\(name)`" : "a key"
        throw ProfileError(
          file: file, line: key.line, key: "", message: "\(subject) is there twice\(other)")
      }
      let path = path(name, in: mapping.path)
      pairs.append((key, try node(try events.next(), path: path, depth: depth + 1)))
    }
  }

  /// Returns whether errors may show the key of a mapping.
  private func isShown(_ name: String) -> Bool { names?.contains(name) ?? true }

  /// Returns the keys that lead to the value of the key `name`.
  private func path(_ name: String, in path: String) -> String {
    guard isShown(name) else { return path }
    return path.isEmpty ? name : "\(path).\(name)"
  }

  /// Returns the node that an alias repeats, with the keys that lead to the alias. Its lines stay
  /// those of the anchor, where its text is.
  private mutating func repeated(
    _ anchor: String, at alias: SourceNode, depth: Int
  ) throws(ProfileError) -> SourceNode {
    guard let node = anchored[anchor] else {
      let name = isShown(anchor) ? " `*\(anchor)`" : ""
      throw alias.error("the alias\(name) has no complete anchor before it")
    }
    return try copy(node, path: alias.path, depth: depth)
  }

  private mutating func copy(
    _ node: SourceNode, path: String, depth: Int
  ) throws(ProfileError) -> SourceNode {
    var piece = node
    piece.path = path
    guard depth <= SourceNode.deepest else {
      throw piece.error("mappings and lists nest deeper than \(SourceNode.deepest)")
    }
    try account(for: piece)
    switch node.content {
    case .scalar: break
    case .list(let list):
      var copies: [SourceNode] = []
      for element in list { copies.append(try copy(element, path: path, depth: depth + 1)) }
      piece.content = .list(copies)
    case .mapping(let pairs):
      var copies: [(key: SourceNode, value: SourceNode)] = []
      for (key, value) in pairs {
        guard case .scalar(let name) = key.content else { continue }
        let inner = self.path(name, in: path)
        copies.append(
          (
            try copy(key, path: path, depth: depth + 1),
            try copy(value, path: inner, depth: depth + 1)
          ))
      }
      piece.content = .mapping(copies)
    }
    return piece
  }

  private mutating func account(for piece: SourceNode) throws(ProfileError) {
    count += 1
    guard count <= SourceNode.mostNodes else {
      throw piece.error("aliases make more than \(SourceNode.mostNodes) values of the file")
    }
  }
}
