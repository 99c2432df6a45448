import Bytes

/// A value that contains its own structure, as JSON (RFC 8259) or CBOR (RFC 8949).
///
/// It is read as often as it is written, since most are written once. Depth, number of elements and
/// length of the text are limited, so that reading takes time proportional to the bytes.
struct StructuredData {
  /// Why a value is not shown as what it should be.
  enum Failure: Error {
    /// It is not of the format; it exceeds a limit.
    case invalid, limit
  }

  enum Format { case json, cbor }

  /// The most levels of maps and lists, and the most elements of all of them.
  static let deepest = 16
  static let mostElements = 1024

  let format: Format
  /// Whether JSON is written instead of text.
  let isJSON: Bool
  private var position = 0
  private var elements = 0

  init(_ format: Format, isJSON: Bool) { (self.format, self.isJSON) = (format, isJSON) }

  /// Returns why bytes are not one value; nil if they are one.
  static func failure(_ bytes: RawSpan, _ format: Format) -> Failure? {
    var unused = Output()
    var data = StructuredData(format, isJSON: true)
    do throws(Failure) {
      try data.write(bytes, into: &unused)
      return nil
    } catch {
      return error
    }
  }

  /// Writes a value. As text, a map is `off 0, len 12` and a list `[1, 2]`.
  mutating func write(_ bytes: RawSpan, into output: inout Output) throws(Failure) {
    switch format {
    case .json:
      blank(bytes)
      try json(bytes, 0, into: &output)
      blank(bytes)
    case .cbor: try cbor(bytes, 0, into: &output)
    }
    guard position == bytes.byteCount else { throw .invalid }
  }

  // MARK: Both formats

  private mutating func element(_ depth: Int) throws(Failure) {
    elements += 1
    guard elements <= Self.mostElements, depth <= Self.deepest else { throw .limit }
  }

  private func separate(_ place: Int, into output: inout Output) {
    guard place > 0 else { return }
    output.text(isJSON ? "," : ", ")
  }

  /// Writes what is before and after the elements of a map; text has none around the outermost.
  private func brace(_ byte: UInt8, _ depth: Int, into output: inout Output) {
    if isJSON || depth > 0 { output.byte(byte) }
  }

  private func string(_ bytes: RawSpan, into output: inout Output) {
    output.byte(0x22)
    if isJSON { output.jsonEscaped(bytes) } else { output.printable(bytes, isQuoted: true) }
    output.byte(0x22)
  }

  private func key(_ bytes: RawSpan, into output: inout Output) {
    if isJSON {
      string(bytes, into: &output)
      output.byte(0x3a)
    } else {
      output.printable(bytes)
      output.byte(0x20)
    }
  }

  // MARK: JSON

  private mutating func blank(_ bytes: RawSpan) {
    while position < bytes.byteCount {
      switch bytes.byte(at: position) {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      default: return
      }
    }
  }

  private mutating func json(
    _ bytes: RawSpan, _ depth: Int, into output: inout Output
  ) throws(Failure) {
    try element(depth)
    guard position < bytes.byteCount else { throw .invalid }
    switch bytes.byte(at: position) {
    case 0x7b: try members(bytes, depth, isMap: true, into: &output)
    case 0x5b: try members(bytes, depth, isMap: false, into: &output)
    case 0x22:
      let text = try jsonString(bytes)
      string(text.bytes, into: &output)
    case 0x74: try word("true", bytes, into: &output)
    case 0x66: try word("false", bytes, into: &output)
    case 0x6e: try word("null", bytes, into: &output)
    default: try number(bytes, into: &output)
    }
  }

  private mutating func members(
    _ bytes: RawSpan, _ depth: Int, isMap: Bool, into output: inout Output
  ) throws(Failure) {
    position += 1
    let close: UInt8 = isMap ? 0x7d : 0x5d
    if isMap { brace(0x7b, depth, into: &output) } else { output.byte(0x5b) }
    var place = 0
    blank(bytes)
    if isMap, bytes.byte(at: position) == close, !isJSON, depth == 0 { output.text("{}") }
    while bytes.byte(at: position) != close {
      guard position < bytes.byteCount else { throw .invalid }
      if place > 0 {
        guard bytes.byte(at: position) == 0x2c else { throw .invalid }
        position += 1
        blank(bytes)
      }
      separate(place, into: &output)
      if isMap {
        let name = try jsonString(bytes)
        key(name.bytes, into: &output)
        blank(bytes)
        guard bytes.byte(at: position) == 0x3a else { throw .invalid }
        position += 1
        blank(bytes)
      }
      try json(bytes, depth + 1, into: &output)
      blank(bytes)
      place += 1
    }
    position += 1
    if isMap { brace(close, depth, into: &output) } else { output.byte(close) }
  }

  private mutating func word(
    _ word: StaticString, _ bytes: RawSpan, into output: inout Output
  ) throws(Failure) {
    let expected = word.bytes
    let slice = Slice(start: position, count: expected.byteCount)
    guard bytes.part(slice).isEqual(to: expected) else { throw .invalid }
    position += expected.byteCount
    output.text(word)
  }

  /// Copies a number, whose digits may be more than any type holds.
  private mutating func number(_ bytes: RawSpan, into output: inout Output) throws(Failure) {
    let start = position
    func digits(_ position: inout Int) throws(Failure) {
      let first = position
      while 0x30...0x39 ~= bytes.byte(at: position) { position += 1 }
      guard position > first else { throw .invalid }
    }
    if bytes.byte(at: position) == 0x2d { position += 1 }
    let first = position
    try digits(&position)
    guard bytes.byte(at: first) != 0x30 || position == first + 1 else { throw .invalid }
    if bytes.byte(at: position) == 0x2e {
      position += 1
      try digits(&position)
    }
    if bytes.byte(at: position) | 0x20 == 0x65 {
      position += 1
      let sign = bytes.byte(at: position)
      if sign == 0x2b || sign == 0x2d { position += 1 }
      try digits(&position)
    }
    output.raw(bytes.part(Slice(start: start, count: position - start)))
  }

  /// Reads a string; a surrogate without the other becomes U+FFFD.
  private mutating func jsonString(_ bytes: RawSpan) throws(Failure) -> [UInt8] {
    guard bytes.byte(at: position) == 0x22 else { throw .invalid }
    position += 1
    var text: [UInt8] = []
    while position < bytes.byteCount {
      let byte = bytes.byte(at: position)
      position += 1
      switch byte {
      case 0x22:
        guard text.bytes.isUTF8 else { throw .invalid }
        return text
      case 0..<0x20: throw .invalid
      case 0x5c: try escape(bytes, &text)
      default: text.append(byte)
      }
    }
    throw .invalid
  }

  private mutating func escape(_ bytes: RawSpan, _ text: inout [UInt8]) throws(Failure) {
    let code = bytes.byte(at: position)
    position += 1
    switch code {
    case 0x22, 0x5c, 0x2f: text.append(code)
    case 0x62: text.append(0x08)
    case 0x66: text.append(0x0c)
    case 0x6e: text.append(0x0a)
    case 0x72: text.append(0x0d)
    case 0x74: text.append(0x09)
    case 0x75:
      var number = UInt32(try unit(bytes))
      if 0xd800...0xdbff ~= number, bytes.byte(at: position) == 0x5c,
        bytes.byte(at: position + 1) == 0x75
      {
        let before = position
        position += 2
        let low = UInt32(try unit(bytes))
        if 0xdc00...0xdfff ~= low {
          number = 0x1_0000 + (number - 0xd800) << 10 + low - 0xdc00
        } else {
          position = before
        }
      }
      text += [UInt8](String(Unicode.Scalar(number).map(Character.init) ?? "\u{fffd}").utf8)
    default: throw .invalid
    }
  }

  private mutating func unit(_ bytes: RawSpan) throws(Failure) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let digit: UInt8 =
        switch bytes.byte(at: position) {
        case let byte where 0x30...0x39 ~= byte: byte - 0x30
        case let byte where 0x41...0x46 ~= byte & 0xdf: byte & 0xdf - 0x41 + 10
        default: throw .invalid
        }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: CBOR

  /// The argument of an item: its number, and whether its end is marked instead.
  private mutating func head(
    _ bytes: RawSpan
  ) throws(Failure) -> (type: UInt8, information: UInt8, argument: UInt64, isOpen: Bool) {
    guard position < bytes.byteCount else { throw .invalid }
    let first = bytes.byte(at: position)
    position += 1
    let (type, information) = (first >> 5, first & 0x1f)
    switch information {
    case 0..<24: return (type, information, UInt64(information), false)
    case 24...27:
      let width = 1 << Int(information - 24)
      guard width <= bytes.byteCount - position else { throw .invalid }
      let argument = ValueDecoder.load(bytes, position, width, bigEndian: true)
      position += width
      return (type, information, argument, false)
    case 31 where type >= 2 && type <= 5: return (type, information, 0, true)
    default: throw .invalid
    }
  }

  /// Returns whether the mark that ends an open item comes, and takes it.
  private mutating func takeBreak(_ bytes: RawSpan) -> Bool {
    guard position < bytes.byteCount, bytes.byte(at: position) == 0xff else { return false }
    position += 1
    return true
  }

  private mutating func cbor(
    _ bytes: RawSpan, _ depth: Int, into output: inout Output
  ) throws(Failure) {
    try element(depth)
    let head = try head(bytes)
    switch head.type {
    case 0: output.string(Int128(head.argument))
    case 1: output.string(-1 - Int128(head.argument))
    case 2, 3:
      let content = try content(bytes, head)
      if head.type == 3 {
        guard content.bytes.isUTF8 else { throw .invalid }
        string(content.bytes, into: &output)
      } else {
        octets(content.bytes, into: &output)
      }
    case 4, 5:
      let isMap = head.type == 5
      if isMap { brace(0x7b, depth, into: &output) } else { output.byte(0x5b) }
      var place: UInt64 = 0
      if isMap, !isJSON, depth == 0, !head.isOpen, head.argument == 0 { output.text("{}") }
      while head.isOpen || place < head.argument {
        if head.isOpen, takeBreak(bytes) { break }
        separate(place > 0 ? 1 : 0, into: &output)
        if isMap { try mapKey(bytes, depth + 1, into: &output) }
        try cbor(bytes, depth + 1, into: &output)
        place += 1
      }
      if isMap { brace(0x7d, depth, into: &output) } else { output.byte(0x5d) }
    // A tag states what its content is for.
    case 6: try cbor(bytes, depth + 1, into: &output)
    default: try simple(head.information, head.argument, into: &output)
    }
  }

  /// Reads a string, which may come in pieces.
  private mutating func content(
    _ bytes: RawSpan, _ head: (type: UInt8, information: UInt8, argument: UInt64, isOpen: Bool)
  ) throws(Failure) -> [UInt8] {
    guard head.isOpen else {
      guard head.argument <= UInt64(bytes.byteCount - position) else { throw .invalid }
      let slice = Slice(start: position, count: Int(head.argument))
      position = slice.end
      return bytes.part(slice).array
    }
    var whole: [UInt8] = []
    while !takeBreak(bytes) {
      let piece = try self.head(bytes)
      guard piece.type == head.type, !piece.isOpen,
        piece.argument <= UInt64(bytes.byteCount - position)
      else { throw .invalid }
      let slice = Slice(start: position, count: Int(piece.argument))
      position = slice.end
      whole.append(bytes.part(slice))
    }
    return whole
  }

  /// Writes bytes; text shortens many to their number.
  private func octets(_ bytes: RawSpan, into output: inout Output) {
    if isJSON { output.byte(0x22) }
    let isCut = !isJSON && bytes.byteCount > Self.mostOctets
    let shown = isCut ? Self.shownOctets : bytes.byteCount
    output.hex(bytes.part(Slice(start: 0, count: shown)), separator: isJSON ? nil : 0x20)
    if isJSON { output.byte(0x22) }
    guard isCut else { return }
    output.text(" … (")
    output.decimal(bytes.byteCount)
    output.text(" bytes)")
  }

  /// Text shortens more bytes than `mostOctets` to the first `shownOctets`.
  private static let mostOctets = 16
  private static let shownOctets = 8

  /// Writes the key of a map, which in JSON is always a string.
  private mutating func mapKey(
    _ bytes: RawSpan, _ depth: Int, into output: inout Output
  ) throws(Failure) {
    let start = position
    let head = try head(bytes)
    if head.type == 3 {
      let name = try content(bytes, head)
      guard name.bytes.isUTF8 else { throw .invalid }
      key(name.bytes, into: &output)
      return
    }
    position = start
    var other = StructuredData(.cbor, isJSON: false)
    (other.position, other.elements) = (position, elements)
    var words = Output()
    try other.cbor(bytes, depth, into: &words)
    (position, elements) = (other.position, other.elements)
    key(words.bytes, into: &output)
  }

  private func simple(
    _ information: UInt8, _ argument: UInt64, into output: inout Output
  ) throws(Failure) {
    switch information {
    case 20: output.text("false")
    case 21: output.text("true")
    case 22, 23: output.text("null")
    case 25: floating(Double(Float16(bitPattern: UInt16(argument))), into: &output)
    case 26: floating(Double(Float(bitPattern: UInt32(argument))), into: &output)
    case 27: floating(Double(bitPattern: argument), into: &output)
    default: output.string(Int128(argument))
    }
  }

  private func floating(_ number: Double, into output: inout Output) {
    guard number.isFinite else {
      if isJSON { output.byte(0x22) }
      output.text(number.isNaN ? "nan" : number < 0 ? "-inf" : "+inf")
      if isJSON { output.byte(0x22) }
      return
    }
    var text = String(number)
    if text.hasSuffix(".0") { text.removeLast(2) }
    output.string(text)
  }
}
