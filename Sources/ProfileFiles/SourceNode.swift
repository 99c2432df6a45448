import Bluetooth
import Bytes

/// A piece of YAML with its line: the only form of YAML that the rest of this module sees.
///
/// Scalars are kept as written: YAML 1.1's meaning of `on`, `1e10` or `0123` is never used.
struct SourceNode: Sendable {
  enum Content {
    case scalar(String)
    case list([SourceNode])
    case mapping([(key: SourceNode, value: SourceNode)])
  }

  private let source: Source
  private let row: Int

  fileprivate init(_ source: Source, _ row: Int) {
    self.source = source
    self.row = row
  }

  var content: Content {
    switch source.table.rows[row].kind {
    case .scalar: return .scalar(source.table.rows[row].text)
    case .list: return .list(parts)
    case .mapping:
      let parts = parts
      return .mapping(
        stride(from: 0, to: parts.count, by: 2).map { (key: parts[$0], value: parts[$0 + 1]) })
    }
  }

  /// The nodes in a list; the keys and values of a mapping, alternately.
  private var parts: [SourceNode] {
    var parts: [SourceNode] = []
    var next = row + 1
    while next < source.table.rows[row].end {
      parts.append(SourceNode(source, next))
      next = Int(source.table.rows[next].end)
    }
    return parts
  }

  /// Its line, from 1.
  var line: Int { Int(source.table.rows[row].line) }

  /// The file that contains it.
  var file: String { source.table.file }

  /// Whether its text may be a secret, so that errors do not show it.
  fileprivate var isSecret: Bool { source.table.names != nil }

  /// The maximum size of a file.
  static let mostBytes = 256 << 10
  /// The deepest nesting of mappings and lists.
  static let deepest = 40
  /// The most values of a file, and the most bytes of their text; an alias counts as what it
  /// repeats.
  fileprivate static let mostNodes = 1 << 17
  fileprivate static let mostText = 1 << 20
  /// The most bytes of a key.
  fileprivate static let mostKey = 64

  /// Returns an error about this piece.
  func error(_ message: String, key: String? = nil) -> ProfileError {
    source.table.error(row, message, key: key)
  }

  /// What the piece is, for errors: "a list".
  var kind: String {
    switch content {
    case .scalar(let text):
      text.isEmpty
        ? "nothing" : isSecret ? "another text" : "`\(String(text.unicodeScalars.prefix(40)))`"
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
      throw failure("is \(encoding) text; expected UTF-8; save it as that in an editor")
    }
    if let zero = bytes.firstIndex(of: 0) {
      throw failure("a zero byte is not text", line: 1 + bytes[..<zero].count { $0 == 0x0a })
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw failure("is not UTF-8 text")
    }
    guard let events = YAMLEvents(bytes) else { throw failure("does not fit into memory") }
    var reader = SourceReader(events: events, SourceTable(file: file, names: names))
    do {
      return SourceNode(Source(try reader.document()), 0)
    } catch let error as ProfileError {
      throw error
    } catch let error as YAMLEvents.Failure {
      if let line = tabbedLine(text, error.mark.line) {
        throw failure(
          "is not YAML: a tab precedes the text of the line, where only blanks are allowed",
          line: line
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

/// The nodes of a file, in the order of the text: those inside another one follow it.
///
/// They are rows, because a file may be made to have many. None of them holds the keys that lead to
/// it: these are looked up for an error.
private struct SourceTable: Sendable {
  enum Kind { case scalar, list, mapping }

  struct Row {
    var kind = Kind.scalar
    /// Whether it is the key of a mapping; its value is the next row.
    var isKey: Bool
    /// The number of lists and mappings around it.
    var depth: UInt8
    var line: Int32
    /// The list or mapping that contains it.
    var parent: Int32
    /// The row after the last one inside it.
    var end: Int32
    /// The text of a scalar.
    var text = ""
  }

  let file: String
  /// For a file of secrets: the keys that errors may show.
  let names: Set<String>?
  var rows: [Row] = []

  /// The most characters of an error, which may quote what the file contains.
  private static let mostMessage = 1000

  /// Returns whether errors may show the key of a mapping.
  func isShown(_ name: String) -> Bool { names?.contains(name) ?? true }

  /// Returns an error about a row, with the keys that lead to it.
  func error(_ row: Int, _ message: String, key: String? = nil) -> ProfileError {
    var keys = key.map { [$0] } ?? []
    var row = row
    let line = Int(rows[row].line)
    while row > 0 {
      let parent = Int(rows[row].parent)
      if rows[parent].kind == .mapping, !rows[row].isKey, isShown(rows[row - 1].text) {
        keys.append(rows[row - 1].text)
      }
      row = parent
    }
    let shown = message.unicodeScalars.prefix(Self.mostMessage)
    let rest = shown.endIndex < message.endIndex ? " …" : ""
    return ProfileError(
      file: file, line: line, key: keys.reversed().joined(separator: "."),
      message: String(shown) + rest)
  }
}

/// Holds the table, so that a node is small.
private final class Source: Sendable {
  let table: SourceTable

  init(_ table: SourceTable) { self.table = table }
}

/// Makes rows of YAML events.
private struct SourceReader: ~Copyable {
  private var events: YAMLEvents
  private var table: SourceTable
  /// The rows with an anchor. A row is added once it is complete, so it cannot contain itself.
  private var anchored: [String: Int] = [:]
  /// The number of bytes of all scalars.
  private var textBytes = 0

  init(events: consuming YAMLEvents, _ table: SourceTable) {
    self.events = events
    self.table = table
  }

  /// Reads the only document of the text.
  mutating func document() throws -> SourceTable {
    let first = try events.next()
    if case .textEnd = first {
      throw ProfileError(file: table.file, line: 0, key: "", message: "is empty")
    }
    try node(first, in: 0, depth: 0)
    _ = try events.next()
    guard case .textEnd = try events.next() else {
      throw table.error(0, "expected one document, found another after `---`")
    }
    return table
  }

  /// Reads the node that begins with an event.
  private mutating func node(
    _ event: YAMLEvents.Event, in parent: Int, depth: Int, isKey: Bool = false
  ) throws {
    let place = table.rows.count
    let line = Int32(clamping: events.mark.line)
    try add(
      SourceTable.Row(
        isKey: isKey, depth: UInt8(clamping: depth), line: line,
        parent: Int32(parent), end: Int32(place + 1)))
    guard !events.hasTag else {
      throw table.error(place, "tags such as !!str are not allowed")
    }
    let anchor = events.anchor
    switch event {
    case .scalar(let text):
      table.rows[place].text = text
      try count(text, at: place)
    case .listStart:
      table.rows[place].kind = .list
      try list(place, depth: depth)
    case .mappingStart:
      table.rows[place].kind = .mapping
      try mapping(place, depth: depth)
    case .alias:
      try `repeat`(anchor ?? "", at: place)
      return
    case .listEnd, .mappingEnd, .documentEnd, .textEnd:
      throw table.error(place, "expected a value")
    }
    table.rows[place].end = Int32(table.rows.count)
    if let anchor { anchored[anchor] = place }
  }

  private mutating func list(_ place: Int, depth: Int) throws {
    while true {
      let event = try events.next()
      if case .listEnd = event { return }
      try node(event, in: place, depth: depth + 1)
    }
  }

  private mutating func mapping(_ place: Int, depth: Int) throws {
    var lines: [String: Int32] = [:]
    while true {
      let event = try events.next()
      if case .mappingEnd = event { return }
      let key = table.rows.count
      try node(event, in: place, depth: depth + 1, isKey: true)
      let row = table.rows[key]
      guard row.kind == .scalar else {
        throw table.error(key, "expected a key, found a \(row.kind)")
      }
      if let first = lines.updateValue(row.line, forKey: row.text) {
        let other = first == row.line ? "" : ": line \(first) also defines it"
        let subject = table.isShown(row.text) ? "the key `\(row.text)`" : "a key"
        throw ProfileError(
          file: table.file, line: Int(row.line), key: "",
          message: "\(subject) is defined twice\(other)")
      }
      try node(try events.next(), in: place, depth: depth + 1)
    }
  }

  /// Replaces the row of an alias by what it repeats. Its lines stay those of the anchor, where its
  /// text is.
  private mutating func `repeat`(_ anchor: String, at place: Int) throws(ProfileError) {
    guard let first = anchored[anchor] else {
      let name = table.isShown(anchor) ? " `*\(anchor)`" : ""
      throw table.error(place, "the alias\(name) has no complete anchor before it")
    }
    let alias = table.rows[place]
    let shift = Int32(place - first)
    let depth = Int(alias.depth) - Int(table.rows[first].depth)
    table.rows.removeLast()
    for source in first..<Int(table.rows[first].end) {
      var row = table.rows[source]
      row.depth = UInt8(clamping: Int(row.depth) + depth)
      row.end += shift
      row.parent = source == first ? alias.parent : row.parent + shift
      if source == first { row.isKey = alias.isKey }
      try add(row)
      try count(row.text, at: table.rows.count - 1)
    }
  }

  private mutating func add(_ row: SourceTable.Row) throws(ProfileError) {
    table.rows.append(row)
    let place = table.rows.count - 1
    guard row.depth <= SourceNode.deepest else {
      throw table.error(place, "mappings and lists nest deeper than \(SourceNode.deepest)")
    }
    guard place < SourceNode.mostNodes else {
      throw table.error(
        place,
        "the file has more than \(SourceNode.mostNodes) values; those that an alias repeats count each time"
      )
    }
  }

  private mutating func count(_ text: String, at place: Int) throws(ProfileError) {
    let count = text.utf8.count
    guard !table.rows[place].isKey || count <= SourceNode.mostKey else {
      throw table.error(place, "a key has at most \(SourceNode.mostKey) bytes, not \(count)")
    }
    textBytes += count
    guard textBytes <= SourceNode.mostText else {
      throw table.error(
        place,
        "the file has more than \(SourceNode.mostText) bytes of text; what an alias repeats counts each time"
      )
    }
  }
}

// Reads what keys require from what is written, with errors that show what was expected.

extension SourceNode {
  /// Returns the text of a scalar.
  func text(_ expected: String = "a text") throws(ProfileError) -> String {
    guard case .scalar(let text) = content else {
      throw error("expected \(expected), found \(kind)")
    }
    return text
  }

  /// Returns the text of a scalar that is shown as part of a line. Users share profiles: control
  /// characters in them, and characters that change the direction of a line, would reach the
  /// terminal.
  func line(_ expected: String = "a text") throws(ProfileError) -> String {
    let text = try text(expected)
    guard !text.unicodeScalars.contains(where: { isUnprintable($0.value) }) else {
      throw error("expected \(expected) without control or invisible characters or line ends")
    }
    guard text.utf8.count <= Self.mostLine else {
      throw error(
        "expected \(expected) of \(Self.mostLine) bytes at most, found \(text.utf8.count)")
    }
    return text
  }

  /// The maximum length of a text that is shown as part of a line, in bytes.
  private static let mostLine = 512

  /// Returns the elements of a list.
  func list(_ expected: String) throws(ProfileError) -> [SourceNode] {
    guard case .list(let list) = content else { throw error("expected \(expected), found \(kind)") }
    return list
  }

  /// Returns the elements of a list that is searched often.
  func shortList(_ expected: String) throws(ProfileError) -> [SourceNode] {
    let list = try list(expected)
    guard list.count <= Self.mostElements else {
      throw error("expected \(expected), at most \(Self.mostElements), found \(list.count)")
    }
    return list
  }

  /// The most elements of such a list.
  private static let mostElements = 64

  /// Returns the pairs of a mapping.
  func pairs(_ expected: String) throws(ProfileError) -> [(key: SourceNode, value: SourceNode)] {
    guard case .mapping(let pairs) = content else {
      throw error("expected \(expected), found \(kind)")
    }
    return pairs
  }

  /// Returns a snake_case name.
  func name() throws(ProfileError) -> String {
    let text = try text("a name")
    guard Self.isName(text) else {
      throw error("expected a name of a to z, digits and _, found \(kind)")
    }
    return text
  }

  /// Returns whether a text is a name: first a letter or `_`, then also digits.
  static func isName(_ text: String) -> Bool {
    let isLetter = { (byte: UInt8) in byte >= 0x61 && byte <= 0x7a || byte == 0x5f }
    guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 64 else { return false }
    return text.utf8.allSatisfy { isLetter($0) || $0 >= 0x30 && $0 <= 0x39 }
  }

  /// Returns `true` or `false`.
  func flag() throws(ProfileError) -> Bool {
    switch try text("true or false") {
    case "true": return true
    case "false": return false
    default: throw error("expected true or false, found \(kind)")
    }
  }

  /// Returns a whole number; a number above the largest `Int` is returned as the negative one with
  /// the same bits.
  func number(_ expected: String = "a number") throws(ProfileError) -> Int {
    let text = try text(expected)
    guard let number = Self.number(text) else {
      if text.count > 1, text.hasPrefix("0"), text.allSatisfy(\.isNumber) {
        throw error(
          "expected \(expected), found \(kind); write it without the leading 0, or as 0x…")
      }
      throw error("expected \(expected), found \(kind)")
    }
    return number
  }

  /// Returns a whole number within bounds.
  func number(in bounds: ClosedRange<Int>) throws(ProfileError) -> Int {
    let expected = "a number from \(bounds.lowerBound) to \(bounds.upperBound)"
    let number = try number(expected)
    guard bounds.contains(number) else { throw error("expected \(expected), found \(kind)") }
    return number
  }

  /// Reads `12`, `-3`, `0x1f`, `0b101`; nil for anything else.
  static func number(_ text: String) -> Int? {
    let isNegative = text.hasPrefix("-")
    let digits = isNegative ? text.dropFirst() : text[...]
    let magnitude: UInt64?
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      magnitude = digits.dropFirst(2).first == "+" ? nil : UInt64(digits.dropFirst(2), radix: 16)
    } else if digits.hasPrefix("0b") {
      magnitude = digits.dropFirst(2).first == "+" ? nil : UInt64(digits.dropFirst(2), radix: 2)
    } else {
      guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        digits.count == 1 || !digits.hasPrefix("0")
      else { return nil }
      magnitude = UInt64(digits)
    }
    guard let magnitude else { return nil }
    guard isNegative else { return Int(bitPattern: UInt(magnitude)) }
    guard magnitude <= 1 << 63 else { return nil }
    return 0 &- Int(bitPattern: UInt(magnitude))
  }

  /// The most bytes of a range: two numbers of 64 bits in binary.
  private static let mostRange = 160

  /// Returns a number or a range of them: `3`, `"0x80-0xff"`.
  func range() throws(ProfileError) -> ClosedRange<Int> {
    let text = try text("a number or a range")
    guard text.utf8.count <= Self.mostRange else {
      throw error("expected a number or a range such as 0x80-0xff, found \(kind)")
    }
    if let number = Self.number(text) { return number...number }
    var index = text.index(text.startIndex, offsetBy: 1, limitedBy: text.endIndex) ?? text.endIndex
    while index < text.endIndex {
      if text[index] == "-", let low = Self.number(String(text[..<index])),
        let high = Self.number(String(text[text.index(after: index)...])), low <= high
      {
        return low...high
      }
      index = text.index(after: index)
    }
    throw error("expected a number or a range such as 0x80-0xff, found \(kind)")
  }

  /// Returns two numbers, the first not above the second.
  func bounds() throws(ProfileError) -> ClosedRange<Int> {
    let expected = "a list of two numbers, the smaller first"
    let list = try list(expected)
    guard list.count == 2 else { throw error("expected \(expected)") }
    let (low, high) = (try list[0].number(), try list[1].number())
    guard low <= high else { throw error("expected \(expected)") }
    return low...high
  }

  /// Returns bytes written as hexadecimal digits, with or without spaces.
  func bytes() throws(ProfileError) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in try pattern(allowsAny: false) { bytes.append(byte ?? 0) }
    return bytes
  }

  /// Returns the bytes that end something, which are searched for.
  func ending() throws(ProfileError) -> [UInt8] {
    let bytes = try bytes()
    guard 1...Self.mostElements ~= bytes.count else {
      throw error("expected 1 to \(Self.mostElements) bytes, found \(bytes.count)")
    }
    return bytes
  }

  /// Returns bytes written as hexadecimal digits, in which `??` can mean any byte.
  func pattern(allowsAny: Bool) throws(ProfileError) -> [UInt8?] {
    let text = try text("bytes")
    let digits = text.utf8.filter { $0 != 0x20 && $0 != 0x0a }
    var pattern: [UInt8?] = []
    var index = 0
    while index + 1 < digits.count {
      let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
      if allowsAny, pair == "??" {
        pattern.append(nil)
      } else if let byte = UInt8(pair, radix: 16), !pair.hasPrefix("+") {
        pattern.append(byte)
      } else {
        break
      }
      index += 2
    }
    guard index == digits.count else {
      throw error("expected bytes in hexadecimal such as \"a5 06\", found \(kind)")
    }
    return pattern
  }

  func uuid() throws(ProfileError) -> BluetoothUUID {
    let text = try text("a UUID")
    guard let uuid = BluetoothUUID(text: text) else {
      throw error("expected a UUID such as \"2a37\", or all 128 bits with dashes, found \(kind)")
    }
    return uuid
  }

  /// Returns the value of one of several words.
  func choice<Value>(_ choices: [(String, Value)]) throws(ProfileError) -> Value {
    let names = choices.map(\.0)
    let text = try text("one of \(names.joined(separator: ", "))")
    if let choice = choices.first(where: { $0.0 == text }) { return choice.1 }
    let hint = Suggestion.nearest(text, names).map { "; did you mean `\($0)`?" } ?? ""
    throw error("expected one of \(names.joined(separator: ", ")), found \(kind)\(hint)")
  }
}

/// Guesses what was meant.
enum Suggestion {
  /// The most words of about the right length that are compared.
  private static let mostCompared = 256

  /// Returns the nearest word, if one is near enough.
  static func nearest(_ text: String, _ words: [String]) -> String? {
    guard text.utf8.count <= 40 else { return nil }
    let near = words.lazy.filter { abs($0.utf8.count - text.utf8.count) <= 3 }
    let distances = near.prefix(mostCompared).map {
      (word: $0, distance: distance([UInt8](text.utf8), [UInt8]($0.utf8)))
    }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, min(3, text.utf8.count / 3)) ? best.word : nil
  }

  /// Returns how many letters must be changed, removed, inserted, or swapped with the next one.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var before: [Int] = []
    var row = Array(0...right.count)
    for (i, byte) in left.enumerated() {
      var next = [i + 1]
      for (j, other) in right.enumerated() {
        var best = min(next[j] + 1, row[j + 1] + 1, row[j] + (byte == other ? 0 : 1))
        if i > 0, j > 0, byte == right[j - 1], left[i - 1] == other {
          best = min(best, before[j - 1] + 1)
        }
        next.append(best)
      }
      (before, row) = (row, next)
    }
    return row[right.count]
  }
}

/// A mapping whose keys are read one after the other; keys that were never read are errors.
final class KeyedNode {
  let node: SourceNode
  private let pairs: [(key: SourceNode, value: SourceNode)]
  private var known: [String] = []

  /// Creates a reader for the mapping `node`.
  init(_ node: SourceNode, _ expected: String) throws(ProfileError) {
    self.node = node
    pairs = try node.pairs(expected)
  }

  private init(_ node: SourceNode, _ pairs: [(key: SourceNode, value: SourceNode)]) {
    (self.node, self.pairs) = (node, pairs)
  }

  /// Returns a reader of the same mapping without some of its keys.
  func without(_ names: Set<String>) -> KeyedNode {
    KeyedNode(
      node,
      pairs.filter { pair in
        if case .scalar(let name) = pair.key.content { !names.contains(name) } else { true }
      })
  }

  /// Returns a reader of the keys of another mapping, and of the keys of this one that neither it
  /// nor `removed` has.
  func overridden(
    by other: SourceNode, without removed: (KeyedNode) -> Set<String>
  ) throws(ProfileError) -> KeyedNode {
    let own = try KeyedNode(other, "a mapping of the frame's parts")
    var names = removed(own)
    for (key, _) in own.pairs { names.insert(try key.text()) }
    return KeyedNode(other, without(names).pairs + own.pairs)
  }

  /// Returns the value of a key; nil if it is absent.
  func node(_ key: String) -> SourceNode? {
    known.append(key)
    return pairs.first { pair in
      if case .scalar(key) = pair.key.content { true } else { false }
    }?.value
  }

  /// Returns whether the key is present, without marking it as read.
  func has(_ key: String) -> Bool {
    pairs.contains { pair in
      if case .scalar(key) = pair.key.content { true } else { false }
    }
  }

  /// Returns the value of a required key.
  func required(_ key: String) throws(ProfileError) -> SourceNode {
    guard let value = node(key) else {
      throw node.error("the key `\(key)` is missing" + nearMiss(key))
    }
    return value
  }

  /// Returns the key that may be meant for a missing one, for errors: `; is \`nam\` meant?`.
  func nearMiss(_ key: String) -> String {
    let names = pairs.compactMap { pair in
      if case .scalar(let name) = pair.key.content { name } else { nil }
    }
    return Suggestion.nearest(key, names).map { "; is `\($0)` meant for it?" } ?? ""
  }

  /// Fails for keys that were never read.
  func finish() throws(ProfileError) {
    for (key, _) in pairs {
      guard case .scalar(let name) = key.content, !known.contains(name) else { continue }
      let hint =
        Suggestion.nearest(name, known).map { "did you mean `\($0)`?" }
        ?? "the keys here are \(Set(known).sorted().joined(separator: ", "))"
      // A key that is near a known one is not a secret.
      let isShown = !node.isSecret || Suggestion.nearest(name, known) != nil
      throw key.error("unknown key\(isShown ? " `\(name)`" : ""); \(hint)")
    }
  }
}
