import Bytes

@testable import Decoders

/// The JSON of decoded fields with bare values in place of the objects: most tests are about
/// values, and `FieldContentTests` about the objects' keys.
struct PlainFields {
  private indirect enum Tree {
    case scalar(String)
    case list([Tree])
    case object([(key: String, value: Tree)])
  }

  /// What is left, as code units: a quote and what combines with it are one character.
  private var rest: ArraySlice<UInt8>

  /// Returns the fields with bare values: `{"rate":{"number":72,"unit":"bpm"}}` becomes
  /// `{"rate":72}`. A word replaces its number.
  static func of(_ json: String) -> String {
    var reader = PlainFields(rest: [UInt8](json.utf8)[...])
    return fields(reader.tree())
  }

  private static func fields(_ tree: Tree) -> String {
    guard case .object(let members) = tree else { return "no fields" }
    return "{\(members.map { "\($0.key):\(value($0.value))" }.joined(separator: ","))}"
  }

  private static func value(_ tree: Tree) -> String {
    guard case .object(let members) = tree else { return "no object" }
    if case ("\"json\"", .scalar(let text))? = members.first { return unquoted(text) }
    for key in ["word", "number", "code", "flag", "text", "hex"] {
      if case .scalar(let value)? = members.first(where: { $0.key == "\"\(key)\"" })?.value {
        return value
      }
    }
    switch members.first {
    case ("\"list\"", .list(let items))?: return "[\(items.map(value).joined(separator: ","))]"
    case ("\"fields\"", let group)?: return fields(group)
    default: return "no value"
    }
  }

  /// Returns what a JSON string stands for.
  private static func unquoted(_ string: String) -> String {
    var text: [UInt8] = []
    var isEscaped = false
    for byte in string.utf8.dropFirst().dropLast() {
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      if !isEscaped { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func tree() -> Tree {
    switch rest.first {
    case UInt8(ascii: "{"):
      var members: [(key: String, value: Tree)] = []
      while next() != "}" {
        // An empty object.
        guard rest.first != UInt8(ascii: "}") else { continue }
        let key = scalar()
        _ = next()
        members.append((key, tree()))
      }
      return .object(members)
    case UInt8(ascii: "["):
      var items: [Tree] = []
      while next() != "]" {
        guard rest.first != UInt8(ascii: "]") else { continue }
        items.append(tree())
      }
      return .list(items)
    default: return .scalar(scalar())
    }
  }

  /// Removes and returns the next character; a closing one at the end.
  private mutating func next() -> Character {
    Character(Unicode.Scalar(rest.popFirst() ?? UInt8(ascii: "}")))
  }

  /// Reads a string or another scalar.
  private mutating func scalar() -> String {
    var read: [UInt8] = []
    var isQuoted = false
    while let byte = rest.first, isQuoted || !",:]}".utf8.contains(byte) {
      read.append(rest.removeFirst())
      if byte == UInt8(ascii: "\\") {
        if let escaped = rest.popFirst() { read.append(escaped) }
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      }
    }
    return String(decoding: read, as: UTF8.self)
  }
}

extension DecodedWriter {
  /// Returns the fields in JSON with bare values.
  func plainFields(_ value: RawSpan) -> String {
    var output = Output()
    fields(value, into: &output)
    return PlainFields.of(String(decoding: output.bytes.array, as: UTF8.self))
  }
}
