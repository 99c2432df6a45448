package import Bluetooth
package import Bytes
import Captures
package import Decoders
import Dissectors
package import Meanings
package import Sessions

/// Writes fields as text, one in a line, indented under their packet, with the offsets of their
/// bytes on the left, for `show -v`. With `-x` the bytes are between the two, also as characters.
///
/// For a page, a line has the parts of a field, separated by tabs: the place of its bytes (`3-4`),
/// its depth, its key and, unless others are in it, its value.
package struct VerboseSink: FieldSink, ~Copyable {
  package var output = Output()
  package let showsKeys: Bool
  /// A page shows what a packet answers, and when, above its fields.
  package var writesAnswers: Bool { !isData }
  package var hidesAdvertising = false
  package var advertiser = KnownAdvertiser()
  package var writesStructures = false
  private let glyphs: Glyphs
  /// Whether lines are for a page.
  private let isData: Bool
  private var keys: KeyCache
  private var depth = 0
  /// The position of the next field's bytes.
  private var place: Slice?
  /// The bytes that offsets refer to, and the secrets in them; nil if bytes are not shown.
  private var bytes: [UInt8]?
  private var secrets = Secrets.none
  /// The bytes of the current line for which there was no room.
  private var left: Slice?
  /// Margins of fields in packets, since they are the same in most packets: each has a place of
  /// `bytesPerMargin` bytes; `marginOwners` has the fields, and the bytes of their margins.
  private var margins = [UInt8](repeating: 0, count: marginPlaces * bytesPerMargin)
  private var marginOwners = [(start: Int32, count: Int32, bytes: Int)](
    repeating: (0, 0, 0), count: marginPlaces)
  private static let marginPlaces = 128
  private static let bytesPerMargin = 24
  /// The last connection, the position where its lines begin, and a copy of them.
  private var lastConnection: ConnectionState?
  private var connectionStart = 0
  private var connectionLines = Output()

  /// The width of the offsets: two of five digits and a dash.
  private static let offsetColumns = 11
  /// The number of bytes beside a line.
  private static let bytesPerLine = 8

  /// Decodes advertised values.
  private var reading: ValueReading?
  /// What the last decoded value was, its sender, and its lines: devices advertise the same again
  /// and again.
  private var lastValue: (kind: Subject.Kind, uuid: BluetoothUUID, depth: Int)?
  private var lastSender = KnownAdvertiser()
  private var lastData: [UInt8] = []
  private var lastLines = Output()

  package init(
    showsKeys: Bool, glyphs: Glyphs = .utf8, profiles: SuppliedProfiles? = nil,
    isData: Bool = false
  ) {
    self.showsKeys = showsKeys
    self.glyphs = glyphs
    self.isData = isData
    keys = KeyCache(isJSON: false, end: isData ? "\t" : ": ")
    reading = ValueReading(profiles, showsKeys: showsKeys)
  }

  package mutating func decoded(_ kind: Subject.Kind, _ uuid: BluetoothUUID, _ data: RawSpan)
    -> Bool
  {
    let isAlone = bytes == nil && place == nil
    if isAlone, let lastValue, lastValue == (kind, uuid, depth), lastSender == advertiser,
      lastData.bytes.isEqual(to: data)
    {
      lastLines.copy(into: &output)
      return true
    }
    // Moved out, since it writes to this sink.
    guard var reading = reading.take() else { return false }
    let start = output.count
    let isRead = reading.read(kind, uuid, data, of: advertiser)
    if isRead { reading.meaning.writeLines(data, to: &self) }
    self.reading = consume reading
    guard isRead else { return false }
    lastValue = isAlone ? (kind, uuid, depth) : nil
    lastSender = advertiser
    lastData = data.array
    lastLines.clear()
    output.copy(Slice(start: start, count: output.count - start), into: &lastLines)
    return true
  }

  /// Discards the previous packet.
  package mutating func clear() {
    output.clear()
    depth = 0
    place = nil
    left = nil
  }

  /// Appends the capture's comments on a packet, its fields, and what its value means.
  ///
  /// - Parameter reading: what was read of the packet's value.
  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, _ reading: borrowing ValueReading
  ) {
    var position = 0
    while let comment = packet.record.options.nextComment(&position) { string("comment", comment) }
    if packet.answer.fragment.hasJoinedBytes {
      if isData { output.text("joined") }
      remark(
        packet.isDecrypted && !packet.answer.fragment.isJoined
          ? "offsets count from the first byte of the decrypted PDU"
          : "offsets count from the first byte of the joined PDU")
    }
    Details.packet(packet, memory, to: &self)
    if reading.isOfPDU, let value = packet.soleValue {
      reading.meaning.writeLines(packet.bytes.part(value), to: &self)
    }
  }

  /// Appends the value of an ATT PDU and what it means, with which `packet` ends.
  package mutating func value(
    _ slice: Slice, of bytes: RawSpan, _ reading: borrowing ValueReading
  ) {
    depth += 1
    at(Int(slice.start), Int(slice.count))
    self.bytes("value", bytes.part(slice))
    depth -= 1
    if reading.isOfPDU { reading.meaning.writeLines(bytes.part(slice), to: &self) }
  }

  /// Shows bytes beside the fields; offsets refer to `bytes`.
  mutating func show(_ bytes: RawSpan, hiding secrets: Secrets) {
    var kept = self.bytes.take() ?? []
    kept.removeAll(keepingCapacity: true)
    kept.append(bytes)
    self.bytes = kept
    self.secrets = secrets
  }

  package static var writesAll: Bool { true }

  package mutating func repeats(_ connection: ConnectionState) -> Bool {
    connectionStart = output.count
    // Beside bytes, the lines have another margin.
    guard bytes == nil, connection == lastConnection else { return false }
    connectionLines.copy(into: &output)
    return true
  }

  package mutating func remember(_ connection: ConnectionState) {
    lastConnection = bytes == nil ? connection : nil
    connectionLines.clear()
    let written = Slice(start: connectionStart, count: output.count - connectionStart)
    output.copy(written, into: &connectionLines)
  }

  package mutating func at(_ offset: Int, _ count: Int) {
    place = count > 0 ? Slice(start: offset, count: count) : nil
  }

  // MARK: Lines

  /// Appends the left margin of a line: the offsets, and beside a field its bytes.
  private mutating func margin(_ place: Slice?, showsBytes: Bool = true) {
    let start = output.count
    var columns = Self.offsetColumns
    if let place {
      let first = Int(place.start)
      let last = place.end - 1
      columns -= Self.digits(first) + (last > first ? 1 + Self.digits(last) : 0)
      output.spaces(max(0, columns))
      output.decimal(first)
      if last > first {
        output.text(glyphs.to)
        output.decimal(last)
      }
    } else {
      output.spaces(columns)
    }
    output.spaces(2)
    guard let bytes else { return }
    // The dash has one column, but several bytes.
    let end = start + (output.count - start)
    let room = 4 * Self.bytesPerLine + 3
    let shown = showsBytes ? place.map { min($0.count, Int32(Self.bytesPerLine)) } ?? 0 : 0
    if let place, shown > 0 {
      for offset in Int(place.start)..<Int(place.start) + Int(shown) {
        if offset >= bytes.count {
          output.text("   ")
        } else if secrets.contains(offset) {
          output.text(".. ")
        } else {
          output.hex(bytes[offset])
          output.byte(0x20)
        }
      }
      output.spaces(3 * (Self.bytesPerLine - Int(shown)) + 1)
      for offset in Int(place.start)..<min(Int(place.start) + Int(shown), bytes.count) {
        output.byte(secrets.contains(offset) ? 0x2e : bytes[offset].inDump)
      }
      if place.count > shown {
        left = Slice(
          start: Int(place.start) + Int(shown), count: Int(place.count) - Int(shown))
      }
    }
    output.spaces(room - (output.count - end))
  }

  private static func digits(_ number: Int) -> Int {
    var (digits, rest) = (1, number / 10)
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    return digits
  }

  private mutating func indent(showsBytes: Bool = true) {
    if isData { return place(place.take()) }
    if place == nil, bytes == nil {
      output.spaces(Self.offsetColumns + 2 + 2 * depth)
      return
    }
    if bytes == nil, let place { knownMargin(place) } else { margin(place, showsBytes: showsBytes) }
    place = nil
    output.spaces(2 * depth)
  }

  /// Appends the place of a field's bytes and its depth.
  private mutating func place(_ place: Slice?) {
    if let place {
      output.decimal(Int(place.start))
      if place.count > 1 {
        output.byte(0x2d)
        output.decimal(place.end - 1)
      }
    }
    output.byte(0x09)
    output.decimal(depth)
    output.byte(0x09)
  }

  private static func copy(_ margins: [UInt8], _ slice: Slice, into output: inout Output) {
    output.raw(margins.bytes.part(slice))
  }

  /// Appends the margin of a field beside which no bytes are shown.
  private mutating func knownMargin(_ place: Slice) {
    let known = Int(truncatingIfNeeded: place.start &+ place.count &* 37) & (Self.marginPlaces - 1)
    let first = known * Self.bytesPerMargin
    let owner = marginOwners[known]
    if owner.count == place.count, owner.start == place.start {
      return Self.copy(margins, Slice(start: first, count: owner.bytes), into: &output)
    }
    let start = output.count
    margin(place)
    let count = output.count - start
    guard count <= Self.bytesPerMargin else { return }
    for index in 0..<count { margins[first + index] = output.bytes.byte(at: start + index) }
    marginOwners[known] = (place.start, place.count, count)
  }

  private mutating func line(_ key: StaticString) {
    indent()
    keys.write(key, into: &output)
  }

  /// Appends a field's line.
  @inline(__always)
  private mutating func line(_ key: StaticString, _ write: (inout Output) -> Void) {
    line(key)
    write(&output)
    endLine()
  }

  /// Ends a line; the bytes for which there was no room follow in lines of their own.
  private mutating func endLine() {
    output.byte(0x0a)
    while let more = left.take() {
      margin(more)
      while output.count > 0, output.bytes.byte(at: output.count - 1) == 0x20 {
        output.shorten(to: output.count - 1)
      }
      output.byte(0x0a)
    }
  }

  /// Appends a line that is not a field.
  package mutating func remark(_ text: StaticString) {
    indent()
    if isData { output.byte(0x09) }
    output.text(text)
    output.byte(0x0a)
  }

  // MARK: Fields

  package mutating func begin(_ key: StaticString) {
    indent(showsBytes: false)
    output.text(key)
    output.byte(0x0a)
    depth += 1
  }

  /// Begins an object that a profile names.
  mutating func begin(_ key: RawSpan) {
    indent(showsBytes: false)
    output.raw(key)
    output.byte(0x0a)
    depth += 1
  }

  /// Appends a line for a profile's field: its name, and the words for its value.
  mutating func line(_ key: RawSpan, _ write: (inout Output) -> Void) {
    indent()
    output.raw(key)
    output.text(isData ? "\t" : ": ")
    write(&output)
    endLine()
  }

  package mutating func end() { depth -= 1 }

  package mutating func beginStructures(of name: StaticString) { begin("fields") }

  package mutating func beginList(_ key: StaticString) { begin(key) }

  package mutating func endList() { depth -= 1 }

  package mutating func beginItem() {
    indent(showsBytes: false)
    output.text("-\n")
    depth += 1
  }

  package mutating func endItem() { depth -= 1 }

  package mutating func sixDigits(_ key: StaticString, _ value: Int) {
    line(key) { $0.decimal(UInt(clamping: value), digits: 6) }
  }

  package mutating func number(_ key: StaticString, _ value: Int) {
    line(key) { $0.decimal(value) }
  }

  package mutating func fixed(_ key: StaticString, _ value: Int, decimals: Int) {
    line(key) { $0.fixed(value, decimals: decimals) }
  }

  package mutating func quantity(_ key: StaticString, _ value: Int, _ scale: Scale) {
    line(key) { $0.quantity(value, scale) }
  }

  package mutating func identifier(_ key: StaticString, _ value: UInt64, digits: Int) {
    line(key) { $0.hexadecimal(value, digits: digits) }
  }

  package mutating func code(
    _ key: StaticString, _ value: UInt64, digits: Int, _ name: AssignedName?
  ) {
    line(key) { $0.named(name, value, digits: digits) }
  }

  package mutating func error(_ key: StaticString, _ error: ATTErrorCode, _ name: [UInt8]?) {
    line(key) { $0.error(error, name) }
  }

  package mutating func errorName(_ error: ATTErrorCode, of subject: ErrorSubject?) -> [UInt8]? {
    reading?.profiles.errorName(error, of: subject)
  }

  package mutating func code(
    _ key: StaticString, _ value: UInt64, digits: Int, assigned: AssignedName?
  ) {
    line(key) { $0.assigned(assigned, value, digits: digits) }
  }

  package mutating func flags(_ key: StaticString, _ value: UInt64, digits: Int, _ set: CodeSet) {
    line(key)
    output.hexadecimal(value, digits: digits)
    if output.names(value, set, opening: " (") { output.byte(0x29) }
    endLine()
  }

  package mutating func bytes(_ key: StaticString, _ bytes: RawSpan) {
    line(key)
    if bytes.byteCount == 0 { output.text("(empty)") }
    output.hex(bytes, separator: 0x20)
    endLine()
  }

  package mutating func string(_ key: StaticString, _ bytes: RawSpan) {
    line(key)
    output.quoted(bytes)
    endLine()
  }

  package mutating func string(_ key: StaticString, _ start: AssignedName?, _ rest: RawSpan) {
    line(key)
    output.quoted(start, rest)
    endLine()
  }

  package mutating func word(_ key: StaticString, _ word: StaticString) {
    line(key)
    write(word)
    endLine()
  }

  package mutating func name(_ key: StaticString, _ name: AssignedName) {
    line(key) { $0.name(name) }
  }

  package mutating func flag(_ key: StaticString, _ value: Bool) {
    line(key) { $0.text(value ? "yes" : "no") }
  }

  package mutating func address(_ key: StaticString, _ address: DeviceAddress) {
    line(key) { $0.address(address) }
  }

  package mutating func uuid(_ key: StaticString, _ uuid: BluetoothUUID) {
    line(key) { $0.uuid(uuid) }
  }

  package mutating func namedUUID(_ uuid: BluetoothUUID, as use: BluetoothUUID.AttributeUse?) {
    line("uuid") { $0.namedUUID(uuid, as: use, isAsSent: true) }
  }

  package mutating func hidden(_ key: StaticString, _ count: Int) {
    line(key)
    output.text("<hidden>, ")
    output.count(count, "byte", "bytes")
    endLine()
  }

  package mutating func element(handle: UInt16) {
    indent()
    if isData { output.byte(0x09) }
    output.handle(handle)
    endLine()
  }

  package mutating func uuids(_ key: StaticString, _ list: RawSpan, width: Int) {
    line(key)
    if list.byteCount < width { output.text("none") }
    output.uuids(list, width: width, areAsSent: true)
    endLine()
  }

  package mutating func packets(_ key: StaticString, _ packets: ArraySlice<Int>) {
    line(key)
    for index in packets.indices {
      output.text(index > packets.startIndex ? " #" : "#")
      output.decimal(packets[index])
    }
    endLine()
  }

  package mutating func words(
    _ key: StaticString, bits: Int, of count: Int, _ word: (Int) -> StaticString
  ) {
    line(key)
    var isFirst = true
    for bit in 0..<count where bits >> bit & 1 == 1 {
      if !isFirst { output.byte(0x20) }
      isFirst = false
      write(word(bit))
    }
    if isFirst { output.text("none") }
    endLine()
  }

  /// Appends a word of this program, on a page without underscores.
  private mutating func write(_ word: StaticString) {
    if isData { output.spaced(word.bytes) } else { output.text(word) }
  }
}
