// The fields of AD structures, visited one by one like HCI parameters: by rows if every field has a
// fixed position, otherwise by hand.

package import Bluetooth
package import Bytes

/// The visiting of the fields of AD structures with the layout `.fields`.
package enum ADFields {
  /// The rows' fields in one array, with the range of each type.
  private struct Table: Sendable {
    let fields: Immortal<ParameterField>
    var ranges = [Range<Int>](repeating: 0..<0, count: 256)

    init(_ rows: [(type: UInt8, parameters: [Parameter])]) {
      var fields: [ParameterField] = []
      for row in rows {
        let start = fields.count
        for parameter in row.parameters { parameter.append(to: &fields) }
        ranges[Int(row.type)] = start..<fields.count
      }
      self.fields = Immortal(fields)
    }
  }

  private static let table = Table(adRows)

  /// Visits the fields of the structure whose data is the part `slice` of `bytes`.
  ///
  /// - Returns: The bytes that belong to no field.
  /// - Throws: If a field extends past the end. The fields before it have been visited.
  @discardableResult
  package static func walk<Visitor: FieldVisitor & ~Copyable>(
    _ type: ADType, _ bytes: RawSpan, _ slice: Slice, _ visitor: inout Visitor
  ) throws(ParseError) -> Slice {
    switch type {
    case .connectionIntervalRange: return try intervalRange(bytes, slice, &visitor)
    case .indoorPositioning: return try indoorPosition(bytes, slice, &visitor)
    case .leSupportedFeatures: return features(bytes, slice, &visitor)
    case .meshBeacon: return try meshBeacon(bytes, slice, &visitor)
    case .meshProvisioning: return try meshProvisioning(bytes, slice, &visitor)
    case .bigInfo: return try bigInfo(bytes, slice, &visitor)
    case .advertisingIntervalLong:
      var cursor = Cursor(bytes, slice)
      try number(
        "Advertising_Interval", line: "advertising interval", width: slice.count == 3 ? 3 : 4,
        .scaled(.slots), &cursor, &visitor)
      return cursor.rest()
    default:
      var fields = FieldWalk(bytes, slice)
      try fields.walk(table.fields.span, table.ranges[Int(type.rawValue)], &visitor)
      return fields.rest()
    }
  }

  /// Returns whether `walk` visits fields of this type.
  package static func hasFields(_ type: ADType) -> Bool {
    switch type {
    case .connectionIntervalRange, .indoorPositioning, .leSupportedFeatures, .meshBeacon,
      .meshProvisioning, .bigInfo, .advertisingIntervalLong:
      true
    default: !table.ranges[Int(type.rawValue)].isEmpty
    }
  }

  /// Returns the problem with the structure whose data is the part `slice` of `bytes`.
  package static func problem(_ type: ADType, _ bytes: RawSpan, _ slice: Slice) -> Problem? {
    let count = Int(slice.count)
    switch type.misfit(count: count) {
    case .missing(let expected):
      return Problem(.tooShort, at: Int(slice.start), expected, count)
    case .leftOver(let left): return Problem(.leftOver, at: slice.end - left, left)
    case nil: break
    }
    // Only for these types does the length depend on the content.
    switch type {
    case .indoorPositioning, .transportDiscoveryData, .meshBeacon, .meshProvisioning:
      var silent = SilentVisitor()
      do throws(ParseError) {
        let rest = try walk(type, bytes, slice, &silent)
        return rest.isEmpty ? nil : Problem(.leftOver, at: Int(rest.start), Int(rest.count))
      } catch {
        return Problem(error)
      }
    default: return nil
    }
  }

  // MARK: By hand

  @_lifetime(cursor: copy cursor)
  private static func number<Visitor: FieldVisitor & ~Copyable>(
    _ name: StaticString, line: StaticString? = nil, width: Int, isSigned: Bool = false,
    _ form: Parameter.Form, _ cursor: inout Cursor, _ visitor: inout Visitor
  ) throws(ParseError) {
    let slice = Slice(start: cursor.offset, count: width)
    var value = Int64(bitPattern: try cursor.unsigned(width: width))
    if isSigned {
      let shift = 64 - 8 * Int64(width)
      value = (value << shift) >> shift
    }
    visit(name, line, value, width: width, form, cursor.bytes(slice), at: slice, &visitor)
  }

  @_lifetime(cursor: copy cursor)
  private static func taken<Visitor: FieldVisitor & ~Copyable>(
    _ name: StaticString, line: StaticString? = nil, _ count: Int, _ cursor: inout Cursor,
    _ visitor: inout Visitor
  ) throws(ParseError) {
    let slice = try cursor.take(count)
    visitor.field(name, line: line, .bytes(.unknown), cursor.bytes(slice), at: slice)
  }

  /// Visits a number that comes from all or part of a field's bytes.
  private static func visit<Visitor: FieldVisitor & ~Copyable>(
    _ name: StaticString, _ line: StaticString?, _ value: Int64, width: Int,
    _ form: Parameter.Form, _ bytes: RawSpan, at slice: Slice, _ visitor: inout Visitor
  ) {
    if Visitor.wantsLineOnly, line == nil { return }
    visitor.field(
      name, line: line, .number(value, width: width, form), bytes, at: slice)
  }

  /// Visits the minimum and maximum interval that the advertiser prefers (2 bytes each), 0xffff for
  /// no limit.
  private static func intervalRange<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ slice: Slice, _ visitor: inout Visitor
  ) throws(ParseError) -> Slice {
    var cursor = Cursor(bytes, slice)
    let start = Int(slice.start)
    let hasLeast = bytes.littleEndianU16(at: start) != 0xffff
    let hasMost = bytes.littleEndianU16(at: start + 2) != 0xffff
    try number(
      "Connection_Interval_Min",
      line: hasMost ? "prefers interval" : "prefers interval of at least", width: 2,
      .scaled(.intervalOrAny), &cursor, &visitor)
    try number(
      "Connection_Interval_Max", line: hasLeast && hasMost ? "-" : "prefers interval of at most",
      width: 2,
      .scaled(.intervalOrAny), &cursor, &visitor)
    return cursor.rest()
  }

  /// Visits the configuration (1 byte), whose bits select what follows: latitude and longitude (4
  /// each) or local north and east (2 each, decimetres), TX power (1), altitude (2), floor number
  /// (1), uncertainty (1). Core Specification Supplement, Part A, 1.14 [mem]. The order is that of
  /// tshark 4.0, which also reads fields whose bits are not set.
  private static func indoorPosition<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ slice: Slice, _ visitor: inout Visitor
  ) throws(ParseError) -> Slice {
    var cursor = Cursor(bytes, slice)
    let flags = cursor.peek(cursor.offset)
    try number(
      "Configuration", line: "indoor position:", width: 1, .flags(.indoorPosition), &cursor,
      &visitor)
    if flags & 0x03 == 0x01 {
      try number("Latitude", width: 4, isSigned: true, .plain, &cursor, &visitor)
      try number("Longitude", width: 4, isSigned: true, .plain, &cursor, &visitor)
    } else if flags & 0x03 == 0x03 {
      let form = Parameter.Form.scaled(.decimeters)
      try number(
        "Local_North", line: "north", width: 2, isSigned: true, form, &cursor, &visitor)
      try number("Local_East", line: "east", width: 2, isSigned: true, form, &cursor, &visitor)
    }
    if flags & 0x04 != 0 {
      try number(
        "TX_Power", line: "sent at", width: 1, isSigned: true, .scaled(.dBm), &cursor, &visitor)
    }
    if flags & 0x08 != 0 {
      try number(
        "Altitude", line: "altitude", width: 2, isSigned: true, .scaled(.decimeters), &cursor,
        &visitor)
    }
    if flags & 0x10 != 0 {
      // 20 is the ground floor or an unknown one (253 to 255: without a number).
      try number("Floor_Number", line: "floor code", width: 1, .plain, &cursor, &visitor)
    }
    if flags & 0x20 != 0 { try number("Uncertainty", width: 1, .hex, &cursor, &visitor) }
    return cursor.rest()
  }

  /// Visits the link layer's features (Core, Vol 6, Part B, 4.6). Trailing zero bytes may be
  /// omitted.
  private static func features<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ slice: Slice, _ visitor: inout Visitor
  ) -> Slice {
    var cursor = Cursor(bytes, slice)
    let known = cursor.takeUpTo(8)
    var value: UInt64 = 0
    for index in 0..<Int(known.count) {
      value |= UInt64(bytes.byte(at: Int(known.start) + index)) << UInt64(8 * index)
    }
    // With the width of all eight bytes, so that the line counts the features instead of naming
    // them.
    visit(
      "LE_Features", "supports", Int64(bitPattern: value), width: 8, .flags(.leFeatures),
      bytes.part(known), at: known, &visitor)
    let further = cursor.rest()
    if !further.isEmpty {
      visitor.field(
        "Further_Features", line: nil, .bytes(.unknown), bytes.part(further), at: further)
    }
    return cursor.rest()
  }

  /// Visits the beacon type (1 byte), then, by type (Mesh Protocol, 3.10; big-endian): device UUID
  /// (16), OOB information (2), optionally URI hash (4); flags (1), network ID (8), IV index (4),
  /// authentication value (8); random (13), obfuscated data (5), authentication tag (8).
  private static func meshBeacon<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ slice: Slice, _ visitor: inout Visitor
  ) throws(ParseError) -> Slice {
    var cursor = Cursor(bytes, slice)
    let type = cursor.peek(cursor.offset)
    try number("Beacon_Type", line: "mesh beacon", width: 1, .code(.meshBeacon), &cursor, &visitor)
    switch type {
    case 0:
      try taken("Device_UUID", line: "device", 16, &cursor, &visitor)
      try taken("OOB_Information", 2, &cursor, &visitor)
      if cursor.remaining >= 4 { try taken("URI_Hash", 4, &cursor, &visitor) }
    case 1:
      try number("Flags", width: 1, .hex, &cursor, &visitor)
      try taken("Network_ID", line: "network", 8, &cursor, &visitor)
      try taken("IV_Index", line: "IV index", 4, &cursor, &visitor)
      try taken("Authentication_Value", 8, &cursor, &visitor)
    case 2:
      try taken("Random", 13, &cursor, &visitor)
      try taken("Obfuscated_Data", 5, &cursor, &visitor)
      try taken("Authentication_Tag", 8, &cursor, &visitor)
    default: try taken("Data", cursor.remaining, &cursor, &visitor)
    }
    return cursor.rest()
  }

  /// Visits PB-ADV (Mesh Protocol, 5.2.1 and 5.3; big-endian): link ID (4 bytes), transaction
  /// number (1), and a generic provisioning PDU, whose first byte has its kind in bits 0–1 and a
  /// number in bits 2–7. A start continues with total length (2), frame check sequence (1) and the
  /// provisioning PDU, of which other segments follow if the number is not 0; a continuation with
  /// its part of the PDU; an opcode of the bearer with a device UUID (16) or a reason (1).
  private static func meshProvisioning<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ slice: Slice, _ visitor: inout Visitor
  ) throws(ParseError) -> Slice {
    var cursor = Cursor(bytes, slice)
    try taken("Link_ID", line: "mesh provisioning link", 4, &cursor, &visitor)
    try number("Transaction_Number", line: "transaction", width: 1, .plain, &cursor, &visitor)
    let control = try cursor.take(1)
    let byte = bytes.byte(at: Int(control.start))
    func part(
      _ name: StaticString, _ line: StaticString?, _ value: UInt8, _ form: Parameter.Form,
      to visitor: inout Visitor
    ) {
      visit(name, line, Int64(value), width: 1, form, bytes.part(control), at: control, &visitor)
    }
    let isOfBearer = byte & 3 == 3
    part(
      "Generic_Provisioning", isOfBearer ? nil : "", byte & 3, .code(.genericProvisioning),
      to: &visitor)
    switch byte & 3 {
    case 0:
      part("Last_Segment", byte >> 2 == 0 ? nil : "segments 0 to", byte >> 2, .plain, to: &visitor)
      let length = try cursor.take(2)
      let total = bytes.littleEndianU16(at: Int(length.start)).byteSwapped
      visit(
        "Total_Length", nil, Int64(total), width: 2, .plain, bytes.part(length), at: length,
        &visitor)
      try number("FCS", width: 1, .hex, &cursor, &visitor)
      try number(
        "PDU_Type", line: "", width: 1, .code(.meshProvisioning), &cursor, &visitor)
      if !cursor.isAtEnd { try taken("Parameters", cursor.remaining, &cursor, &visitor) }
    case 2:
      part("Segment", "segment", byte >> 2, .plain, to: &visitor)
      try taken("Data", cursor.remaining, &cursor, &visitor)
    case 3:
      part("Bearer_Opcode", "", byte >> 2, .code(.meshBearer), to: &visitor)
      switch byte >> 2 {
      case 0: try taken("Device_UUID", line: "device", 16, &cursor, &visitor)
      case 2:
        try number("Reason", line: "", width: 1, .code(.meshLinkClosed), &cursor, &visitor)
      default: break
      }
    default: break
    }
    return cursor.rest()
  }

  /// Visits 33 bytes of bit fields, least significant first, and, if the BIG is encrypted, GIV (8
  /// bytes) and GSKD (16). Core, Vol 6, Part B, 4.4.6.11.
  private static func bigInfo<Visitor: FieldVisitor & ~Copyable>(
    _ bytes: RawSpan, _ slice: Slice, _ visitor: inout Visitor
  ) throws(ParseError) -> Slice {
    var cursor = Cursor(bytes, slice)
    let packed = try cursor.take(33)
    let block = bytes.part(packed)
    var position = 0
    func field(
      _ name: StaticString, _ line: StaticString? = nil, _ bits: Int, times factor: Int64 = 1,
      _ form: Parameter.Form = .plain, width: Int = 4, to visitor: inout Visitor
    ) {
      let first = position / 8
      let last = (position + bits - 1) / 8
      let value = Int64(bitPattern: block.bits(at: position, count: bits)) * factor
      position += bits
      let slice = Slice(start: Int(packed.start) + first, count: last - first + 1)
      visit(name, line, value, width: width, form, bytes.part(slice), at: slice, &visitor)
    }
    // The offset is in units of 30 or 300 µs, as given by the bit after it.
    let unit: Int64 = block.bits(at: 14, count: 1) == 0 ? 30 : 300
    field("BIG_Offset", nil, 14, times: unit, .scaled(.microseconds), to: &visitor)
    position += 1
    field("ISO_Interval", "BIG interval", 12, .scaled(.interval), to: &visitor)
    field("Num_BIS", "streams", 5, to: &visitor)
    field("NSE", nil, 5, to: &visitor)
    field("BN", nil, 3, to: &visitor)
    field("Sub_Interval", nil, 20, .scaled(.microseconds), to: &visitor)
    field("PTO", nil, 4, to: &visitor)
    field("BIS_Spacing", nil, 20, .scaled(.microseconds), to: &visitor)
    field("IRC", nil, 4, to: &visitor)
    field("Max_PDU", nil, 8, to: &visitor)
    position += 8
    field("Seed_Access_Address", nil, 32, .hex, to: &visitor)
    field("SDU_Interval", nil, 20, .scaled(.microseconds), to: &visitor)
    field("Max_SDU", nil, 12, to: &visitor)
    field("Base_CRC_Init", nil, 16, .hex, width: 2, to: &visitor)
    field("Channel_Map", nil, 37, .hex, width: 5, to: &visitor)
    field("PHY", "PHY", 3, .code(.bigPHY), width: 1, to: &visitor)
    field("BIS_Payload_Count", nil, 39, to: &visitor)
    field("Framing", nil, 1, .code(.framing), width: 1, to: &visitor)
    guard !cursor.isAtEnd else { return cursor.rest() }
    try taken("GIV", 8, &cursor, &visitor)
    try taken("GSKD", 16, &cursor, &visitor)
    return cursor.rest()
  }
}

extension RawSpan {
  /// Returns `count` bits (up to 57) from bit `position` on, least significant of each byte first.
  func bits(at position: Int, count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<(position % 8 + count + 7) / 8 {
      value |= UInt64(byte(at: position / 8 + index)) << UInt64(8 * index)
    }
    return value >> UInt64(position % 8) & (1 << UInt64(count) - 1)
  }
}
