// The headers that sniffers write before a Link Layer packet, by link type. All numbers are
// little-endian.

import Bluetooth
import Bytes

/// How the bytes after a sniffer's header begin.
enum AirContents {
  case packet
  /// The sniffer's report about itself.
  case message
  /// Not a header that is known, with the number that tells so and its offset.
  case unknown(Int, at: Int)
}

extension AirHeader {
  /// Reads the header of a format, up to the access address.
  @_lifetime(cursor: copy cursor)
  mutating func read(
    _ format: SnifferFormat, _ bytes: RawSpan, parsing cursor: inout Cursor
  ) throws(ParseError) -> AirContents {
    switch format {
    case .linkLayer: return .packet
    case .pseudoHeader:
      try readPseudoHeader(&cursor)
      return .packet
    case .nordic: return try readNordic(bytes, &cursor)
    case .ppi: return try readPPI(bytes, &cursor)
    }
  }

  // MARK: Link type 256

  /// Reads the pseudo header: RF channel (1 byte), signal (1), noise (1), access address offenses
  /// (1), reference access address (4), flags (2) (LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR).
  @_lifetime(cursor: copy cursor)
  private mutating func readPseudoHeader(_ cursor: inout Cursor) throws(ParseError) {
    let channel = try cursor.u8()
    self.channel = channel < 40 ? channel : nil
    isRFOrder = true
    let signal = Int8(bitPattern: try cursor.u8())
    let noise = Int8(bitPattern: try cursor.u8())
    _ = try cursor.take(5)
    let flags = try cursor.u16()
    isWhitened = flags & 0x0001 == 0
    // Writers that do not measure it state 0 dBm.
    if flags & 0x0002 != 0, signal != 0 { rssi = signal }
    if flags & 0x0004 != 0 { self.noise = noise }
    isDecrypted = flags & 0x0008 != 0
    isEncrypted = isDecrypted
    kind = Kind(rawValue: UInt8(flags >> 7 & 7)) ?? .unknown
    // Some writers say that a CRC is right, but not that it was checked.
    if flags & 0x0c00 != 0 { crc = flags & 0x0800 != 0 ? .right : .wrong }
    switch kind {
    case .auxiliaryAdvertising: auxiliaryKind = UInt8(flags >> 12 & 3)
    case .dataFromCentral, .streamFromCentral: direction = .sent
    case .dataFromPeripheral, .streamFromPeripheral: direction = .received
    case .unknown, .broadcastStream, .reserved: break
    }
    if kind != .auxiliaryAdvertising, flags & 0x1000 != 0 {
      mic = flags & 0x2000 != 0 ? .right : .wrong
    }
    phy = Self.phy(UInt8(flags >> 14))
  }

  /// Returns the number in HCI of a PHY counted from 0; nil for reserved values.
  private static func phy(_ number: UInt8) -> UInt8? { number < 3 ? number + 1 : nil }

  // MARK: Link types 272 and 157

  /// Reads the header of an nRF Sniffer, in one of three forms. Version 0: 0xbe, 0xef, message (1
  /// byte), packet counter (2), unused (2), payload length (1). Version 1: board (1), header length
  /// (1), payload length (1), version (1), packet counter (2), message (1), length of what follows
  /// (1). Versions 2 and 3: board (1), payload length (2), then the same.
  ///
  /// Then, in all versions: flags (1), channel index (1), RSSI without its sign (1), event counter
  /// (2), time (4) (LINKTYPE_NORDIC_BLE).
  @_lifetime(cursor: copy cursor)
  private mutating func readNordic(
    _ bytes: RawSpan, _ cursor: inout Cursor
  ) throws(ParseError) -> AirContents {
    let start = cursor.offset
    let isOldest = Self.isOldestNordic(bytes)
    let fixed = try cursor.take(7)
    func byte(_ offset: Int) -> UInt8 { bytes.byte(at: Int(fixed.start) + offset) }
    if !isOldest {
      version = byte(3)
      guard 1...3 ~= version else { return .unknown(Int(version), at: start + 3) }
      board = byte(0)
    }
    counter = bytes.littleEndianU16(at: start + (isOldest ? 3 : 4))
    let id = byte(isOldest ? 2 : 6)
    message = id
    guard id == 6 || version == 3 && id == 2 || version == 2 && id == 0 else { return .message }
    let length = Int(try cursor.u8())
    let packet = isOldest ? start + 17 : start + 7 + length
    guard packet >= start + 17 else { return .unknown(length, at: start + 7) }
    if id == 0, !Self.isPacket(bytes, at: packet) { return .message }
    let flags = try cursor.u8()
    crc = flags & 1 != 0 ? .right : .wrong
    phy = Self.phy(flags >> 4 & 7)
    let index = try cursor.u8()
    channel = index < 40 ? index : nil
    let magnitude = try cursor.u8()
    rssi = magnitude < 128 ? -Int8(magnitude) : nil
    eventCounter = try cursor.u16()
    let time = try cursor.u32()
    if version == 3 { clock = time } else { delay = time }
    _ = try cursor.take(packet - cursor.offset)
    readNordicFlags(flags, accessAddress: bytes.littleEndianU32(at: packet))
    return .packet
  }

  /// Returns whether the header is that of version 0, which begins with bytes that are a board and
  /// a length in later ones.
  private static func isOldestNordic(_ bytes: RawSpan) -> Bool {
    guard bytes.byte(at: 0) == 0xbe, bytes.byte(at: 1) == 0xef else { return false }
    let isLater =
      2...3 ~= bytes.byte(at: 3) && Int(bytes.littleEndianU16(at: 1)) + 7 == bytes.byteCount
    return !isLater
  }

  /// Reads the flags whose meaning depends on the kind of packet.
  private mutating func readNordicFlags(_ flags: UInt8, accessAddress: UInt32) {
    let isAdvertising =
      version == 3 ? message == 2 : accessAddress == AirPacket.advertising
    if isAdvertising {
      guard let channel, channel < 37 else { return }
      kind = .auxiliaryAdvertising
      if version == 3 { auxiliaryKind = flags >> 1 & 3 }
    } else {
      kind = flags & 2 != 0 ? .dataFromCentral : .dataFromPeripheral
      direction = flags & 2 != 0 ? .sent : .received
      isEncrypted = flags & 4 != 0
      // Without a key the sniffer cannot check the MIC, and says neither.
      if isEncrypted, flags & 8 != 0 { mic = .right }
    }
  }

  /// Returns whether the bytes from `offset` on are exactly one packet on an uncoded PHY.
  private static func isPacket(_ bytes: RawSpan, at offset: Int) -> Bool {
    offset + 9 + Int(bytes.byte(at: offset + 5)) == bytes.byteCount
  }

  // MARK: Link type 192

  /// The link types within PPI that are Link Layer packets: what old and new tools write.
  private static let linkTypesInPPI: [UInt32] = [147, 251]

  /// Reads PPI's header: version (1 byte), flags (1), length of all headers (2), link type (4);
  /// then fields: type (2), length (2), data. Of these only Ubertooth's is read.
  @_lifetime(cursor: copy cursor)
  private mutating func readPPI(
    _ bytes: RawSpan, _ cursor: inout Cursor
  ) throws(ParseError) -> AirContents {
    let start = cursor.offset
    _ = try cursor.u8()
    // Fields begin at multiples of 4 bytes.
    let isAligned = try cursor.u8() & 1 != 0
    let length = Int(try cursor.u16())
    let linkType = try cursor.u32()
    guard Self.linkTypesInPPI.contains(linkType) else {
      return .unknown(Int(linkType), at: start + 4)
    }
    guard length >= 8 else { return .unknown(length, at: start + 2) }
    var fields = Cursor(bytes, Slice(start: start + 8, count: length - 8))
    while let type = try? fields.u16(), let size = try? fields.u16() {
      let field = fields.takeUpTo(Int(size))
      if type == 30006 { readUbertooth(bytes, field) }
      if isAligned { _ = fields.takeUpTo(-Int(size) & 3) }
    }
    _ = try cursor.take(length - 8)
    return .packet
  }

  /// Reads Ubertooth's field: version (1 byte), frequency (2, MHz), the clock's highest byte (1),
  /// clock (4, 100 ns), the highest, lowest and average signal (3, dBm), how many were measured
  /// (1).
  private mutating func readUbertooth(_ bytes: RawSpan, _ field: Slice) {
    guard field.count >= 12 else { return }
    let start = Int(field.start)
    let frequency = Int(bytes.littleEndianU16(at: start + 1)) - 2402
    if 0...78 ~= frequency, frequency % 2 == 0 { channel = UInt8(frequency / 2) }
    isRFOrder = true
    clock = bytes.littleEndianU32(at: start + 4)
    clockUnit = 100
    let highest = Int8(bitPattern: bytes.byte(at: start + 8))
    let average = Int8(bitPattern: bytes.byte(at: start + 10))
    guard bytes.byte(at: start + 11) > 0, highest < 0 else { return }
    rssi = average < 0 ? average : highest
  }
}

extension RawSpan {
  /// Returns the four bytes at `offset`, least significant first. Bytes outside the span count as
  /// 0.
  func littleEndianU32(at offset: Int) -> UInt32 {
    UInt32(littleEndianU16(at: offset)) | UInt32(littleEndianU16(at: offset + 2)) << 16
  }
}
