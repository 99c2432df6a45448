/// Reads a small JSON document from the user (RFC 8259). Documents that are nested more deeply than
/// ours are rejected.
package struct JSONReader {
  package indirect enum Value {
    case object([String: Value])
    case array([Value])
    case string(String)
    /// Numbers, true, false and null, as written.
    case other(String)

    /// The member of an object.
    package subscript(key: String) -> Value? {
      if case .object(let members) = self { members[key] } else { nil }
    }

    /// The elements of an array.
    package var elements: [Value]? { if case .array(let elements) = self { elements } else { nil } }

    package var text: String? { if case .string(let text) = self { text } else { nil } }
  }

  private let bytes: [UInt8]
  /// The current position; in an invalid document, where reading had to stop.
  private(set) var offset = 0
  private static let deepest = 16

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the value of the whole document, or nil if it is invalid.
  package mutating func document() -> Value? {
    guard let value = value(depth: 0) else { return nil }
    skipBlanks()
    return offset == bytes.count ? value : nil
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { offset += 1 }
  }

  /// Consumes a sign if it is next.
  private mutating func consume(_ sign: Character) -> Bool {
    skipBlanks()
    guard next == sign.asciiValue else { return false }
    offset += 1
    return true
  }

  private mutating func value(depth: Int) -> Value? {
    guard depth < Self.deepest else { return nil }
    skipBlanks()
    switch next {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map { .string($0) }
    default:
      let start = offset
      while let byte = next,
        0x30...0x39 ~= byte || 0x61...0x7a ~= byte || [0x2b, 0x2d, 0x2e, 0x45].contains(byte)
      { offset += 1 }
      guard offset > start else { return nil }
      return .other(String(decoding: bytes[start..<offset], as: UTF8.self))
    }
  }

  private mutating func object(depth: Int) -> Value? {
    offset += 1
    var members: [String: Value] = [:]
    if consume("}") { return .object(members) }
    repeat {
      skipBlanks()
      guard let key = string(), consume(":"), let value = value(depth: depth + 1) else {
        return nil
      }
      members[key] = value
    } while consume(",")
    return consume("}") ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> Value? {
    offset += 1
    var elements: [Value] = []
    if consume("]") { return .array(elements) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      elements.append(value)
    } while consume(",")
    return consume("]") ? .array(elements) : nil
  }

  private mutating func string() -> String? {
    guard next == UInt8(ascii: "\"") else { return nil }
    offset += 1
    var units: [UInt8] = []
    while let byte = next {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = escape() else { return nil }
        units += Array(escaped.utf8)
      case 0..<0x20: return nil
      default: units.append(byte)
      }
    }
    return nil
  }

  private mutating func escape() -> String? {
    guard let sign = next else { return nil }
    offset += 1
    switch sign {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return String(decoding: [sign], as: UTF8.self)
    case UInt8(ascii: "u"):
      guard let first = unit() else { return nil }
      var units = [first]
      if first >> 10 == 0x36, next == UInt8(ascii: "\\") {
        offset += 2
        guard let second = unit() else { return nil }
        units.append(second)
      }
      return String(decoding: units, as: UTF16.self)
    default: return nil
    }
  }

  private mutating func unit() -> UInt16? {
    guard offset + 4 <= bytes.count else { return nil }
    defer { offset += 4 }
    return UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
  }
}
