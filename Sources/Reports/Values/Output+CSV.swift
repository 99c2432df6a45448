import Bluetooth
package import Bytes

// The cells of CSV tables, as programs and spreadsheets read them.

extension Output {
  /// Appends a cell of a CSV table: in quotes if necessary (RFC 4180, 2), and after an apostrophe
  /// if a spreadsheet would evaluate it.
  ///
  /// - Parameter isText: whether it is a text that must stay one; if a spreadsheet would read it as
  ///   a number or a date, it has an apostrophe, too.
  package mutating func cell(_ bytes: RawSpan, isText: Bool = false) {
    let isGuarded = bytes.isFormula || isText && bytes.isConverted
    var needsQuotes = false
    for index in 0..<bytes.byteCount {
      let byte = bytes.byte(at: index)
      if byte == 0x22 || byte == 0x2c || byte < 0x20 { needsQuotes = true }
    }
    guard needsQuotes else {
      if isGuarded { byte(0x27) }
      raw(bytes)
      return
    }
    byte(0x22)
    if isGuarded { byte(0x27) }
    for index in 0..<bytes.byteCount {
      let byte = bytes.byte(at: index)
      if byte == 0x22 { self.byte(0x22) }
      self.byte(byte)
    }
    byte(0x22)
  }

  /// Appends this buffer's text to another one, as a CSV cell.
  package func copyCell(into other: inout Output, isText: Bool = false) {
    other.cell(bytes, isText: isText)
  }

  /// Appends bytes as a cell that no spreadsheet reads as a number: `06 48`, and a single one as
  /// `0x06`.
  mutating func cell(hex bytes: RawSpan) {
    if bytes.byteCount == 1 { text("0x") }
    hex(bytes, separator: 0x20)
  }

  /// Appends a UUID as a cell that no spreadsheet reads as another number: `0x00e1` and `0x27e5`,
  /// but `2a37`.
  mutating func cell(_ uuid: BluetoothUUID) {
    let start = count
    self.uuid(uuid)
    let digits = bytes.part(Slice(start: start, count: count - start)).array
    guard digits.bytes.readsAsOtherNumber else { return }
    shorten(to: start)
    text("0x")
    raw(digits.bytes)
  }
}

extension RawSpan {
  /// Whether a spreadsheet would evaluate a text: it begins like a formula, and is not a number.
  fileprivate var isFormula: Bool {
    guard byteCount > 0 else { return false }
    switch byte(at: 0) {
    case 0x3d, 0x40, 0x09, 0x0d: return true
    case 0x2b, 0x2d: return !isDecimal(from: 1)
    default: return false
    }
  }

  /// Returns whether the rest are digits, with at most one point between them.
  private func isDecimal(from start: Int) -> Bool {
    var points = 0
    for index in start..<byteCount {
      switch byte(at: index) {
      case 0x30...0x39: continue
      case 0x2e where index > start && index + 1 < byteCount: points += 1
      default: return false
      }
    }
    return byteCount > start && points < 2
  }

  /// Whether hexadecimal digits read as a decimal number that is written differently: `0048`,
  /// `27e5`.
  fileprivate var readsAsOtherNumber: Bool {
    var letters = 0
    for index in 0..<byteCount {
      switch byte(at: index) {
      case 0x30...0x39: continue
      case 0x65 where index > 0 && index + 1 < byteCount: letters += 1
      default: return false
      }
    }
    return byteCount > 1 && (letters == 1 || letters == 0 && byte(at: 0) == 0x30)
  }

  /// Longer texts are neither numbers, of which the largest has 309 digits, nor dates.
  private static var longestConverted: Int { 400 }

  /// Whether a spreadsheet, or pandas, reads a text as something else: as a number (`0048`,
  /// `1E5`, `5 %`), a date or time (`1-2`, `3 Mar`, `12:30`), a truth value or as missing. Also
  /// whether it begins with an apostrophe, so that one in front of a cell is always the guard.
  fileprivate var isConverted: Bool {
    guard 1...Self.longestConverted ~= byteCount else { return false }
    if byte(at: 0) == 0x27 { return true }
    guard hasDigits else { return isValueWord }
    var offset = 0
    while offset < byteCount {
      switch byte(at: offset) {
      // Digits, signs, points and blanks, and what separates the parts of dates and times.
      case 0x20, 0x23...0x25, 0x28...0x3a: break
      // The signs of pounds, yen and euros.
      case 0xc2 where offset + 1 < byteCount && [0xa3, 0xa5].contains(byte(at: offset + 1)):
        offset += 1
      case 0xe2
      where offset + 2 < byteCount && byte(at: offset + 1) == 0x82 && byte(at: offset + 2) == 0xac:
        offset += 2
      case 0x41...0x5a, 0x61...0x7a:
        let start = offset
        while offset < byteCount, 0x61...0x7a ~= byte(at: offset) | 0x20 { offset += 1 }
        guard part(Slice(start: start, count: offset - start)).isPartOfDate else { return false }
        continue
      default: return false
      }
      offset += 1
    }
    return true
  }

  private var hasDigits: Bool {
    for index in 0..<byteCount where 0x30...0x39 ~= byte(at: index) { return true }
    return false
  }

  /// Whether letters appear in numbers and dates: those of an exponent, the name of a month or its
  /// beginning, of a half of the day or a time zone.
  private var isPartOfDate: Bool {
    let word = String(decoding: array, as: UTF8.self).lowercased()
    let months = [
      "january", "february", "march", "april", "may", "june", "july", "august", "september",
      "october", "november", "december",
    ]
    return ["e", "t", "z", "a", "p", "am", "pm"].contains(word)
      || word.count > 2 && months.contains { $0.hasPrefix(word) }
  }

  /// Whether the text stands for a value: true, false, or none.
  private var isValueWord: Bool {
    let words = [
      "true", "false", "na", "n/a", "#n/a", "nan", "-nan", "null", "none", "<na>", "inf", "-inf",
      "infinity", "-infinity",
    ]
    return words.contains(String(decoding: array, as: UTF8.self).lowercased())
  }
}
