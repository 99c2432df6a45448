// What swift-argument-parser uses of FoundationEssentials. In the release it is compiled with this
// module instead of Swift's own, of which the linker would keep 5 MB: the records of types and
// conformances keep nearly everything that they name.
//
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// An error that describes itself; none does.
public protocol LocalizedError: Error {
  var errorDescription: String? { get }
}

/// The bytes of a text.
public struct Data {
  fileprivate let text: String
}

extension String {
  public enum Encoding {
    case utf8
  }

  public init?(data: Data, encoding: Encoding) { self = data.text }
}

/// Writes JSON as Foundation does when it is asked for sorted keys and lines to read, which is what
/// swift-argument-parser asks for.
public final class JSONEncoder {
  public struct OutputFormatting {
    public static var prettyPrinted: Self { Self() }
    public static var sortedKeys: Self { Self() }

    public mutating func insert(_ other: Self) {}
  }

  public var outputFormatting = OutputFormatting()

  public init() {}

  public func encode(_ value: some Encodable) throws -> Data {
    let node = Node()
    try node.write(value)
    var text = ""
    node.print(into: &text, indent: "\n")
    return Data(text: text)
  }
}

/// A value in JSON that is being made.
private final class Node {
  private var content = Content.null

  private enum Content {
    case null
    /// A number, a truth value or a text in quotes, as printed.
    case scalar(String)
    case array([Node])
    case object([String: Node])
  }

  var count: Int {
    if case .array(let elements) = content { elements.count } else { 0 }
  }

  func write(_ value: some Encodable) throws {
    switch value {
    case let value as String: content = .scalar(Self.quoted(value))
    case let value as Bool: content = .scalar(value ? "true" : "false")
    case let value as any BinaryInteger & Encodable: content = .scalar("\(value)")
    case let value as any BinaryFloatingPoint & Encodable: content = .scalar("\(value)")
    default: try value.encode(to: NodeEncoder(node: self))
    }
  }

  func beginObject() {
    if case .object = content { return }
    content = .object([:])
  }

  func beginArray() {
    if case .array = content { return }
    content = .array([])
  }

  func member(_ key: String) -> Node {
    let node = Node()
    if case .object(var members) = content {
      content = .null
      members[key] = node
      content = .object(members)
    }
    return node
  }

  func element() -> Node {
    let node = Node()
    if case .array(var elements) = content {
      content = .null
      elements.append(node)
      content = .array(elements)
    }
    return node
  }

  /// - Parameter indent: The end of a line and the spaces before this value's own.
  func print(into text: inout String, indent: String) {
    switch content {
    case .null: text += "null"
    case .scalar(let scalar): text += scalar
    case .array(let elements):
      Self.print(elements, "[", "]", into: &text, indent) { element, text in
        element.print(into: &text, indent: indent + "  ")
      }
    case .object(let members):
      Self.print(members.sorted { $0.key < $1.key }, "{", "}", into: &text, indent) {
        member, text in
        text += "\(Self.quoted(member.key)) : "
        member.value.print(into: &text, indent: indent + "  ")
      }
    }
  }

  private static func print<Part>(
    _ parts: [Part], _ start: String, _ end: String, into text: inout String, _ indent: String,
    _ write: (Part, inout String) -> Void
  ) {
    text += start
    for (index, part) in parts.enumerated() {
      text += (index == 0 ? "" : ",") + indent + "  "
      write(part, &text)
    }
    text += (parts.isEmpty ? "\n" : "") + indent + end
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\", "/": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\u{0}"..."\u{1f}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

private struct NodeEncoder: Encoder {
  let node: Node

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginObject()
    return KeyedEncodingContainer(Members<Key>(node: node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return Elements(node: node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: Node

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { _ = node.member(key.stringValue) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    try node.member(key.stringValue).write(value)
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    NodeEncoder(node: node.member(key.stringValue)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    NodeEncoder(node: node.member(key.stringValue)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { NodeEncoder(node: node.member("super")) }

  func superEncoder(forKey key: Key) -> any Encoder {
    NodeEncoder(node: node.member(key.stringValue))
  }
}

private struct Elements: UnkeyedEncodingContainer {
  let node: Node

  var codingPath: [any CodingKey] { [] }
  var count: Int { node.count }

  func encodeNil() { _ = node.element() }

  func encode(_ value: some Encodable) throws { try node.element().write(value) }

  func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    NodeEncoder(node: node.element()).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    NodeEncoder(node: node.element()).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { NodeEncoder(node: node.element()) }
}

private struct Single: SingleValueEncodingContainer {
  let node: Node

  var codingPath: [any CodingKey] { [] }

  func encodeNil() {}

  func encode(_ value: some Encodable) throws { try node.write(value) }
}
