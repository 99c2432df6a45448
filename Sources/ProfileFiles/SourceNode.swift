import Yams

/// A piece of YAML with its line: the only thing that the rest of this module sees of YAML, and this the
/// only file that sees the library.
///
/// Scalars stay as they are written. What YAML 1.1 would make of `on`, `1e10` or `0123` is never asked.
struct SourceNode: Sendable {
  /// What it is.
  enum Content: Sendable {
    case scalar(String)
    case list([SourceNode])
    case mapping([(key: SourceNode, value: SourceNode)])
  }

  /// What it is.
  var content: Content
  /// Its line, from 1.
  var line: Int
  /// The keys that lead to it.
  var path: String

  /// The file that it is in.
  let file: String

  /// No file is larger.
  static let mostBytes = 256 << 10
  /// No mapping or list stands deeper.
  static let deepest = 40

  /// An error about this piece.
  func error(_ message: String, key: String? = nil) -> ProfileError {
    let keys = [path, key ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
    return ProfileError(file: file, line: line, key: keys, message: message)
  }

  /// What the piece is, for errors: "a list".
  var kind: String {
    switch content {
    case .scalar(let text): text.isEmpty ? "nothing" : "`\(text.prefix(40))`"
    case .list: "a list"
    case .mapping: "a mapping"
    }
  }

  /// Reads a file.
  static func read(_ bytes: [UInt8], file: String) throws(ProfileError) -> SourceNode {
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
      throw failure("a zero byte is no text", line: 1 + bytes[..<zero].count { $0 == 0x0a })
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw failure("is not UTF-8 text")
    }
    if let line = lineTooDeep(bytes) {
      throw failure("mappings and lists nest deeper than \(deepest)", line: line)
    }
    do {
      // Resolving scalars would cost most of the time, and be thrown away. The parser owns the anchors.
      let parser = try Parser(yaml: text, resolver: .basic)
      defer { withExtendedLifetime(parser) {} }
      guard let root = try parser.singleRoot() else { throw failure("is empty") }
      return try convert(root, file: file, path: "", line: 1, depth: 0)
    } catch let error as ProfileError {
      throw error
    } catch let error as YamlError {
      throw describe(error, text, failure)
    } catch {
      throw failure("is not YAML")
    }
  }

  /// UTF-16 or UTF-32, where a file begins with U+FEFF or a letter in that encoding; nil elsewhere.
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

  /// The line in which brackets nest, or indented dashes stand in a row, deeper than any profile's: the
  /// library calls itself for each of them.
  private static func lineTooDeep(_ bytes: [UInt8]) -> Int? {
    var (line, brackets, dashes) = (1, 0, 0)
    for byte in bytes {
      switch byte {
      case 0x0a: (line, dashes) = (line + 1, 0)
      case 0x5b, 0x7b: brackets += 1
      case 0x5d, 0x7d: brackets = max(0, brackets - 1)
      case 0x2d, 0x3f, 0x3a: dashes += 1
      case 0x20: break
      default: dashes = 0
      }
      if brackets > 8 * deepest || dashes > 2 * deepest { return line }
    }
    return nil
  }

  private static func describe(
    _ error: YamlError, _ text: String, _ failure: (String, Int) -> ProfileError
  ) -> ProfileError {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      if let line = tabbedLine(text, mark.line) {
        failure(
          "is not YAML: a tab stands before the text of the line, where only blanks may", line)
      } else {
        failure("is not YAML: \(problem)", mark.line)
      }
    case .duplicatedKeysInMapping(let duplicates, let context):
      twice(duplicates.first ?? "", text, context.mark, failure)
    default: failure("is not YAML", 0)
    }
  }

  /// The line that begins with a tab: one in which the library failed, or the one before, of which it may
  /// have read the end; nil where there is none.
  private static func tabbedLine(_ text: String, _ line: Int) -> Int? {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    return [line, line - 1].first { number in
      lines.indices.contains(number - 1)
        && lines[number - 1].prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }
  }

  /// Says that a mapping has a key twice. The library tells where the first one stands; the second is the next
  /// one in the same column. Of one between braces only the first is found.
  private static func twice(
    _ key: String, _ text: String, _ first: Mark, _ failure: (String, Int) -> ProfileError
  ) -> ProfileError {
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    let indentation = first.column - 1
    for number in lines.indices.dropFirst(first.line) {
      let line = lines[number]
      let content = line.drop { $0 == " " }
      guard !content.isEmpty, !content.hasPrefix("#") else { continue }
      let depth = line.count - content.count
      if depth < indentation { break }
      guard depth == indentation else { continue }
      let isKey = [key, "\"\(key)\"", "'\(key)'"].contains { written in
        content.hasPrefix(written)
          && content.dropFirst(written.count).drop { $0 == " " }.hasPrefix(":")
      }
      if isKey {
        return failure(
          "the key `\(key)` is there twice: line \(first.line) has it too", number + 1)
      }
    }
    return failure("the key `\(key)` is there twice", first.line)
  }

  private static func convert(
    _ node: Node, file: String, path: String, line: Int, depth: Int
  ) throws(ProfileError) -> SourceNode {
    let line = node.mark?.line ?? line
    var piece = SourceNode(content: .scalar(""), line: line, path: path, file: file)
    guard depth <= deepest else {
      throw piece.error("mappings and lists nest deeper than \(deepest)")
    }
    guard node.anchor == nil else { throw piece.error("anchors and aliases are not allowed") }
    switch node {
    case .scalar(let scalar): piece.content = .scalar(scalar.string)
    case .sequence(let sequence):
      var list: [SourceNode] = []
      for element in sequence {
        list.append(try convert(element, file: file, path: path, line: line, depth: depth + 1))
      }
      piece.content = .list(list)
    case .mapping(let mapping):
      var pairs: [(key: SourceNode, value: SourceNode)] = []
      for (key, value) in mapping {
        let key = try convert(key, file: file, path: path, line: line, depth: depth + 1)
        guard case .scalar(let name) = key.content else {
          throw key.error("expected a key, found \(key.kind)")
        }
        let inner = path.isEmpty ? name : "\(path).\(name)"
        pairs.append(
          (key, try convert(value, file: file, path: inner, line: key.line, depth: depth + 1)))
      }
      piece.content = .mapping(pairs)
    case .alias: throw piece.error("anchors and aliases are not allowed")
    }
    return piece
  }
}
