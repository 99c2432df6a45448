/// What a decoded field holds. It determines the key of its value in JSON, which therefore has one
/// type.
enum FieldContent {
  /// A quantity or a count.
  case number
  /// A code, with its word if it has one: every number of the field is a code.
  case numberedWord
  /// An identifier in hexadecimal, with its word if it has one.
  case code
  /// A special value instead of a quantity, or the result of a checksum.
  case word
  case flag
  /// A text, time, address or UUID.
  case text
  /// Bytes.
  case hex
  /// JSON or CBOR.
  case structure

  /// The beginning of the field's object, up to its value.
  var key: StaticString {
    switch self {
    case .number, .numberedWord: "{\"number\":"
    case .code: "{\"code\":"
    case .word: "{\"word\":"
    case .flag: "{\"flag\":"
    case .text: "{\"text\":"
    case .hex: "{\"hex\":"
    case .structure: "{\"json\":"
    }
  }
}

extension DecodedWriter {
  /// Returns what an entry that is not a group holds.
  func content(of entry: DecodedField) -> FieldContent {
    switch entry.form {
    case .integer: integerContent(of: entry)
    case .double, .decimal: entry.word >= 0 ? .word : .number
    case .noNumber, .checksumOK, .checksumBad: .word
    case .dateTime, .utf8, .utf16, .uuid, .address: .text
    case .bytes, .tail, .group: .hex
    case .structure: .structure
    }
  }

  private func integerContent(of entry: DecodedField) -> FieldContent {
    guard let field = field(of: entry) else { return .number }
    if field.assigned >= 0 || field.flags.contains(.hex) { return .code }
    if field.isPlainCode { return .numberedWord }
    if entry.word >= 0 { return .word }
    if field.flags.contains(.flag) { return .flag }
    return field.tick > 0 && isMoment(entry.raw, field) ? .text : .number
  }
}

extension Field {
  /// Whether each number of the field is a code, and none is a quantity.
  fileprivate var isPlainCode: Bool {
    !flags.isDisjoint(with: [.isCode, .isOpenCode]) && scaling < 0 && unit < 0 && tick == 0
  }
}
