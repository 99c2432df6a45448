import Bluetooth
package import Bytes

// One value as text and as JSON: digits, words, dates. All values are written by `DecodedWriter`,
// which knows the format.

/// Writes what was decoded, as text or as JSON.
package struct DecodedWriter: ~Copyable {
  /// What was decoded.
  package let decoded: Decoded
  /// The definition that was used.
  let definition: Definition
  /// The definition's words.
  let words: Words
  /// Whether it writes JSON instead of text.
  var isJSON: Bool
  /// Whether secrets are written.
  let showsKeys: Bool
  /// Whether text has all bytes of a field, and all turns of a repeated one.
  package var isWhole = false

  /// Creates a writer; nil if nothing was decoded.
  package init?(_ decoded: Decoded, isJSON: Bool, showsKeys: Bool = false) {
    guard let definition = decoded.definition else { return nil }
    self.decoded = decoded
    self.definition = definition
    words = definition.words
    self.isJSON = isJSON
    self.showsKeys = showsKeys
  }

  /// Returns the definition's field of an entry; nil for a tail.
  func field(of entry: DecodedField) -> Field? { definition.field(of: entry) }

  /// Returns whether an entry's value must not be written.
  func isHidden(_ entry: DecodedField) -> Bool { !showsKeys && definition.isSecret(entry) }

  /// Writes an entry's value, without its unit; groups are not written here.
  func value(_ entry: DecodedField, _ value: RawSpan, into output: inout Output) {
    if isHidden(entry) {
      quoted(&output) { $0.text("<hidden>") }
      return
    }
    if entry.word >= 0 {
      word(Int(entry.word), into: &output)
      return
    }
    let bytes = value.part(entry.bytes)
    switch entry.form {
    case .integer: integer(entry, into: &output)
    case .double: double(Double(bitPattern: UInt64(UInt(bitPattern: entry.raw))), entry, &output)
    case .decimal:
      let number = decimal(entry)
      output.decimalNumber(number, decimals: isJSON ? nil : max(0, -number.exponent))
    case .noNumber:
      quoted(&output) { $0.text(NumberWord(rawValue: entry.raw)?.word ?? "reserved") }
    case .dateTime: quoted(&output) { dateTime(entry, bytes, into: &$0) }
    case .utf8:
      if let field = field(of: entry), field.codeCount > 0 {
        text(expanded(bytes, field).bytes, into: &output)
      } else {
        text(bytes, into: &output)
      }
    case .utf16: text(Self.utf8(bytes, field(of: entry)).bytes, into: &output)
    case .uuid: quoted(&output) { uuid(entry, bytes, into: &$0) }
    case .address: quoted(&output) { address(entry, bytes, into: &$0) }
    case .checksumOK: quoted(&output) { $0.text("ok") }
    case .checksumBad: quoted(&output) { $0.text("bad") }
    case .bytes, .tail: quoted(&output) { hex(bytes, into: &$0) }
    case .structure:
      var data = StructuredData(field(of: entry)?.kind == .cbor ? .cbor : .json, isJSON: isJSON)
      // The decoder has checked it.
      try? data.write(bytes, into: &output)
    case .group: break
    }
  }

  /// Writes bytes; in text, long ones are shortened to their beginning and their number.
  private func hex(_ bytes: RawSpan, into output: inout Output) {
    let isCut = !isJSON && !isWhole && bytes.byteCount > Self.mostBytes
    let shown = isCut ? Self.shownBytes : bytes.byteCount
    output.hex(bytes.part(Slice(start: 0, count: shown)), separator: isJSON ? nil : 0x20)
    guard isCut else { return }
    output.text(" … (")
    output.decimal(bytes.byteCount)
    output.text(" bytes)")
  }

  /// Text shortens more bytes than `mostBytes` to the first `shownBytes`.
  private static var mostBytes: Int { 32 }
  private static var shownBytes: Int { 20 }

  /// Writes something that JSON puts in quotes.
  private func quoted(_ output: inout Output, _ write: (inout Output) -> Void) {
    if isJSON { output.byte(0x22) }
    write(&output)
    if isJSON { output.byte(0x22) }
  }

  private func text(_ bytes: RawSpan, into output: inout Output) {
    output.byte(0x22)
    if isJSON {
      output.jsonEscaped(bytes)
    } else {
      // Many devices send the zero that terminates a C string; text leaves it out.
      var count = bytes.byteCount
      while count > 0, bytes.byte(at: count - 1) == 0 { count -= 1 }
      output.printable(bytes.part(Slice(start: 0, count: count)), isQuoted: true)
    }
    output.byte(0x22)
  }

  /// Writes a word; text replaces its `_` by spaces.
  func word(_ place: Int, into output: inout Output) {
    let bytes = words.bytes(place)
    guard !isJSON else {
      output.jsonString(bytes)
      return
    }
    output.spaced(bytes)
  }

  // MARK: Numbers

  /// Writes the number of a code, whether or not it has a word.
  func number(_ entry: DecodedField, into output: inout Output) {
    if field(of: entry)?.flags.contains(.flag) ?? false {
      output.decimal(entry.raw)
    } else {
      integer(entry, into: &output)
    }
  }

  private func integer(_ entry: DecodedField, into output: inout Output) {
    guard let field = field(of: entry) else { return }
    if field.flags.contains(.flag) {
      output.text(entry.raw == 0 ? "false" : "true")
    } else if field.assigned >= 0 {
      quoted(&output) { assigned(entry.raw, field, into: &$0) }
    } else if field.flags.contains(.hex) {
      quoted(&output) {
        $0.hexadecimal(UInt64(bitPattern: Int64(entry.raw)), digits: digits(field))
      }
    } else if field.tick > 0, let moment = CalendarTime(entry.raw, field) {
      quoted(&output) { self.moment(moment, into: &$0) }
    } else if field.scaling >= 0 {
      scaled(raw(entry, field), definition.scalings[field.scaling], into: &output)
    } else {
      output.string(raw(entry, field))
    }
  }

  /// Returns the raw number, without a sign if the type has none.
  private func raw(_ entry: DecodedField, _ field: Field) -> Int128 {
    field.kind == .unsigned && field.width == 8
      ? Int128(UInt64(bitPattern: Int64(entry.raw))) : Int128(entry.raw)
  }

  /// Returns the number of hexadecimal digits of a field's numbers.
  private func digits(_ field: Field) -> Int {
    field.kind == .bits ? (field.bitCount + 3) / 4 : 2 * field.width
  }

  private func scaled(_ raw: Int128, _ scaling: Scaling, into output: inout Output) {
    switch scaling.apply(raw) {
    case .decimal(let number):
      output.decimalNumber(number, decimals: isJSON ? nil : scaling.decimals)
    case .double(let number):
      fraction(number, decimals: isJSON ? nil : scaling.decimals, into: &output)
    }
  }

  /// Returns a decimal with its scale applied: the digits are multiplied, the power of ten is kept.
  private func decimal(_ entry: DecodedField) -> DecimalNumber {
    let number = DecimalNumber(Int128(entry.raw), exponent: Int(entry.exponent))
    guard let field = field(of: entry), field.scaling >= 0,
      case .decimal(let scaled) = definition.scalings[field.scaling].apply(Int128(entry.raw))
    else { return number }
    return DecimalNumber(scaled.mantissa, exponent: scaled.exponent + number.exponent)
  }

  /// Writes a floating-point number; one of four bytes has as few digits as distinguish it from
  /// others of four.
  private func double(_ number: Double, _ entry: DecodedField, _ output: inout Output) {
    if !isJSON, let field = field(of: entry), field.scaling >= 0 {
      fraction(number, decimals: definition.scalings[field.scaling].decimals, into: &output)
      return
    }
    var text = entry.bytes.count == 4 ? String(Float(number)) : String(number)
    if text.hasSuffix(".0") { text.removeLast(2) }
    output.string(text)
  }

  private func fraction(_ number: Double, decimals: Int?, into output: inout Output) {
    guard number.isFinite else {
      quoted(&output) { $0.text("+inf") }
      return
    }
    guard let decimals, let power = DecimalNumber.powerOfTen(decimals),
      abs(number) * Double(power) < 1e18
    else {
      output.string(String(number))
      return
    }
    let digits = Int128((number * Double(power)).rounded())
    output.decimalNumber(DecimalNumber(digits, exponent: -decimals), decimals: decimals)
  }

  /// Writes an assigned number, and in text its name.
  private func assigned(_ number: Int, _ field: Field, into output: inout Output) {
    output.hexadecimal(UInt64(bitPattern: Int64(number)), digits: digits(field))
    guard !isJSON, let short = UInt16(exactly: number) else { return }
    let name: AssignedName?
    switch AssignedSet(rawValue: field.assigned) {
    case .company: name = CompanyID(rawValue: short).name
    case .uuid: name = BluetoothUUID(short).name ?? BluetoothUUID(short).registrant
    case .appearance: name = Appearance(rawValue: short).name
    default: name = UInt8(exactly: number).map { ATTErrorCode(rawValue: $0).name }
    }
    self.name(name, into: &output)
  }

  /// Writes an assigned name after a space, if there is one.
  private func name(_ name: AssignedName?, into output: inout Output) {
    guard let name else { return }
    output.byte(0x20)
    output.name(name)
  }

  // MARK: Times

  /// Returns whether a number of a field that counts from a day is a time in the years 0 to 9999.
  func isMoment(_ raw: Int, _ field: Field) -> Bool { CalendarTime(raw, field) != nil }

  /// A number that counts from a certain day.
  struct CalendarTime {
    var days: Int64
    /// Milliseconds of the day; nil if the number counts days.
    var milliseconds: Int64?
    var hasFraction: Bool

    init?(_ raw: Int, _ field: Field) {
      let perDay = 86_400_000
      let (total, overflow) = raw.multipliedReportingOverflow(by: field.tick)
      guard !overflow else { return nil }
      let (days, rest) = CivilDate.floorDivide(Int64(total), Int64(perDay))
      self.days = days + Int64(field.epoch)
      // The years 0 to 9999.
      guard self.days >= -719_528, self.days < 2_932_897 else { return nil }
      milliseconds = field.tick % perDay == 0 ? nil : rest
      hasFraction = field.tick % 1000 != 0
    }
  }

  private func moment(_ moment: CalendarTime, into output: inout Output) {
    output.date(CivilDate(days: moment.days))
    guard let time = moment.milliseconds else { return }
    output.byte(isJSON ? 0x54 : 0x20)
    clock(time / 3_600_000, time / 60_000 % 60, time / 1000 % 60, into: &output)
    if moment.hasFraction {
      output.byte(0x2e)
      output.decimal(UInt(time % 1000), digits: 3)
    }
    if isJSON { output.byte(0x5a) }
  }

  private func clock(_ hour: Int64, _ minute: Int64, _ second: Int64, into output: inout Output) {
    output.decimal(UInt(hour), digits: 2)
    output.byte(0x3a)
    output.decimal(UInt(minute), digits: 2)
    output.byte(0x3a)
    output.decimal(UInt(second), digits: 2)
  }

  /// Writes a date: year (2 bytes), month, day, hours, minutes, seconds; 0 in any of the first
  /// three means unknown.
  private func dateTime(_ entry: DecodedField, _ bytes: RawSpan, into output: inout Output) {
    let isBig = field(of: entry)?.flags.contains(.bigEndian) ?? false
    let year = ValueDecoder.load(bytes, 0, 2, bigEndian: isBig)
    for (number, digits) in [
      (year, 4), (UInt64(bytes.byte(at: 2)), 2), (UInt64(bytes.byte(at: 3)), 2),
    ] {
      if digits == 2 { output.byte(0x2d) }
      if number == 0 {
        for _ in 0..<digits { output.byte(0x3f) }
      } else {
        output.decimal(UInt(number), digits: digits)
      }
    }
    output.byte(isJSON ? 0x54 : 0x20)
    clock(
      Int64(bytes.byte(at: 4)), Int64(bytes.byte(at: 5)), Int64(bytes.byte(at: 6)), into: &output)
  }

  // MARK: Identifiers and text

  private func uuid(_ entry: DecodedField, _ bytes: RawSpan, into output: inout Output) {
    let count = bytes.byteCount
    let isBig = field(of: entry)?.flags.contains(.bigEndian) ?? false
    guard count == 16 else {
      let number = ValueDecoder.load(bytes, 0, count, bigEndian: isBig)
      output.hexDigits(number, 2 * count)
      guard !isJSON, let short = UInt16(exactly: number) else { return }
      name(BluetoothUUID(short).name ?? BluetoothUUID(short).registrant, into: &output)
      return
    }
    let halves = [0, 8].map { ValueDecoder.load(bytes, $0, 8, bigEndian: isBig) }
    output.uuid(BluetoothUUID(high: halves[isBig ? 0 : 1], low: halves[isBig ? 1 : 0]))
  }

  private func address(_ entry: DecodedField, _ bytes: RawSpan, into output: inout Output) {
    let isBig = field(of: entry)?.flags.contains(.bigEndian) ?? false
    output.address(DeviceAddress(value: ValueDecoder.load(bytes, 0, 6, bigEndian: isBig)))
  }

  /// Returns a text in which single bytes represent others; a text that is too long is cut.
  func expanded(_ bytes: RawSpan, _ field: Field) -> [UInt8] {
    var text: [UInt8] = []
    _ = definition.expand(bytes, field) { part in
      if text.count + part.byteCount <= ValueDecoder.mostText { text.append(part) }
    }
    return text
  }

  /// Returns UTF-16 as UTF-8; an unpaired surrogate becomes U+FFFD.
  private static func utf8(_ bytes: RawSpan, _ field: Field?) -> [UInt8] {
    let isBig = field?.flags.contains(.bigEndian) ?? false
    var units: [UInt16] = []
    var offset = 0
    while offset + 1 < bytes.byteCount {
      units.append(
        UInt16(truncatingIfNeeded: ValueDecoder.load(bytes, offset, 2, bigEndian: isBig)))
      offset += 2
    }
    return [UInt8](String(decoding: units, as: UTF16.self).utf8)
  }
}

extension Definition {
  /// Calls `visit` with the parts of a text in which single bytes represent others, and returns its
  /// length.
  func expand(_ bytes: RawSpan, _ field: Field, _ visit: (RawSpan) -> Void) -> Int {
    let words = words
    let codes = tables.codes[field.firstCode..<field.firstCode + field.codeCount]
    var length = 0
    for index in 0..<bytes.byteCount {
      let byte = bytes.byte(at: index)
      if let code = codes.first(where: { $0.contains(Int(byte)) }) {
        let word = words.bytes(code.word)
        length += word.byteCount
        visit(word)
      } else {
        length += 1
        visit(bytes.part(Slice(start: index, count: 1)))
      }
    }
    return length
  }
}

extension Output {
  /// Appends a number of up to 128 bits.
  mutating func string(_ number: Int128) {
    if let small = Int(exactly: number) {
      decimal(small)
    } else {
      string(String(number))
    }
  }

  /// Appends a name that is made for programs as words: `state_request` and `state.request` become
  /// `state request`.
  package mutating func title(_ name: RawSpan) {
    for index in 0..<name.byteCount {
      let isBlank =
        switch name.byte(at: index) {
        case 0x5f: true
        case 0x2e: name.isLetter(at: index - 1) && name.isLetter(at: index + 1)
        default: false
        }
      byte(isBlank ? 0x20 : name.byte(at: index))
    }
  }

  /// Appends a profile's word, with spaces instead of its underscores.
  package mutating func spaced(_ word: RawSpan) {
    for index in 0..<word.byteCount {
      let byte = word.byte(at: index)
      self.byte(byte == 0x5f ? 0x20 : byte)
    }
  }
}

extension RawSpan {
  fileprivate func isLetter(at index: Int) -> Bool {
    index >= 0 && index < byteCount && 0x61...0x7a ~= byte(at: index) | 0x20
  }
}
