package import Bluetooth
package import Bytes

/// The common extended advertising payload: byte 0: length of the extended header (bits 0–5),
/// AdvMode (6–7); if the length is not 0: flags (1 byte), and those of the following fields whose
/// bits are set: AdvA (6), TargetA (6), CTEInfo (1), ADI (2), AuxPtr (3), SyncInfo (18), TxPower
/// (1); ACAD up to the header's end; data up to the PDU's end (Core, Vol 6, Part B, 2.3.4).
package struct ExtendedHeader: Sendable {
  /// 0 neither, 1 connectable, 2 scannable.
  package let mode: UInt8
  package private(set) var advertiser: DeviceAddress?
  package private(set) var target: DeviceAddress?
  /// The constant tone extension: time in units of 8 µs (bits 0–4), type (6–7).
  package private(set) var cteInfo: UInt8?
  /// AdvDataInfo: data ID (bits 0–11), set ID (12–15).
  package private(set) var dataInfo: UInt16?
  package private(set) var auxiliary: AuxiliaryPointer?
  package private(set) var sync: SyncInfo?
  /// In dBm; nil: not stated.
  package private(set) var txPower: Int8?
  /// Additional data of the controller: AD structures.
  package private(set) var acad: Slice = .empty
  package private(set) var data: Slice = .empty
  /// Whether a field extends past the end of the header. Those before it are set.
  package private(set) var isCut = false

  /// Reads a payload; nil if it is empty.
  package init?(_ bytes: RawSpan, _ payload: Slice) {
    var cursor = Cursor(bytes, payload)
    guard let first = try? cursor.u8() else { return nil }
    mode = first >> 6
    let fields = cursor.takeUpTo(Int(first & 0x3f))
    isCut = Int(fields.count) < Int(first & 0x3f)
    data = cursor.rest()
    guard !fields.isEmpty else { return }
    var header = Cursor(bytes, fields)
    do throws(ParseError) {
      try read(&header)
    } catch {
      isCut = true
    }
  }

  @_lifetime(cursor: copy cursor)
  private mutating func read(_ cursor: inout Cursor) throws(ParseError) {
    let flags = try cursor.u8()
    if flags & 0x01 != 0 { advertiser = try DeviceAddress(parsing: &cursor) }
    if flags & 0x02 != 0 { target = try DeviceAddress(parsing: &cursor) }
    if flags & 0x04 != 0 { cteInfo = try cursor.u8() }
    if flags & 0x08 != 0 { dataInfo = try cursor.u16() }
    if flags & 0x10 != 0 { auxiliary = try AuxiliaryPointer(parsing: &cursor) }
    if flags & 0x20 != 0 { sync = try SyncInfo(parsing: &cursor) }
    if flags & 0x40 != 0 { txPower = Int8(bitPattern: try cursor.u8()) }
    acad = cursor.rest()
  }

  package var isConnectable: Bool { mode == 1 }
  package var isScannable: Bool { mode == 2 }

  /// The Advertising SID.
  package var sid: UInt8? { dataInfo.map { UInt8($0 >> 12) } }

  /// The Advertising DID.
  package var did: UInt16? { dataInfo.map { $0 & 0xfff } }

  /// Whether another packet with more of the advertisement follows.
  package var continues: Bool { auxiliary?.isUsed ?? false }
}

/// AuxPtr: byte 0: channel index (bits 0–5), clock accuracy (6), units of the offset (7); bytes
/// 1–2: offset (bits 0–12), PHY (13–15) (Core, Vol 6, Part B, 2.3.4.5).
package struct AuxiliaryPointer: Sendable, Equatable {
  /// The index of the secondary channel.
  package let channel: UInt8
  /// Whether the clock is accurate to 50 ppm, not to 500 ppm.
  package let isAccurate: Bool
  /// The unit of the offset in microseconds: the packet begins within one unit after `offset`.
  package let unit: UInt16
  /// The time from the beginning of this packet to that of the other, in microseconds.
  package let offset: UInt32
  /// The PHY, numbered as in HCI.
  package let phy: UInt8
  /// Whether there is such a packet: the offset is not 0.
  package var isUsed: Bool { offset > 0 }

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    let flags = try cursor.u8()
    let word = try cursor.u16()
    channel = flags & 0x3f
    isAccurate = flags & 0x40 != 0
    unit = flags & 0x80 != 0 ? 300 : 30
    offset = UInt32(word & 0x1fff) * UInt32(unit)
    phy = UInt8(word >> 13) + 1
  }
}

/// SyncInfo: offset (bits 0–12), its units (13), adjustment (14); interval (2 bytes); channel map
/// (37 bits), sleep clock accuracy (3); access address (4); CRCInit (3); event counter (2) (Core,
/// Vol 6, Part B, 2.3.4.6).
package struct SyncInfo: Sendable, Equatable {
  /// The time from the beginning of this packet to that of the next AUX_SYNC_IND, in microseconds;
  /// 0: it cannot be stated.
  package let offset: UInt32
  /// The unit of the offset in microseconds.
  package let unit: UInt16
  /// The interval of the train in units of 1.25 ms.
  package let interval: UInt16
  package let channelMap: UInt64
  /// The accuracy of the sleep clock: 0 500 ppm to 7 20 ppm.
  package let clockAccuracy: UInt8
  package let accessAddress: UInt32
  package let crcInit: UInt32
  package let eventCounter: UInt16

  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    let word = try cursor.u16()
    unit = word & 0x2000 != 0 ? 300 : 30
    // The adjustment is 2.4576 s.
    offset = UInt32(word & 0x1fff) * UInt32(unit) + (word & 0x4000 != 0 ? 2_457_600 : 0)
    interval = try cursor.u16()
    let map = try cursor.unsigned(width: 5)
    channelMap = map & ChannelSelection.allChannels
    clockAccuracy = UInt8(map >> 37)
    accessAddress = try cursor.u32()
    crcInit = UInt32(try cursor.unsigned(width: 3))
    eventCounter = try cursor.u16()
  }
}

/// What ACAD and advertising data state about other access addresses.
package enum TrainData {
  /// Returns the BIGInfo in the AD structures at `slice`.
  package static func bigInfo(_ bytes: RawSpan, _ slice: Slice) -> BIGInfo? {
    find(.bigInfo, bytes, slice).flatMap { BIGInfo(bytes, $0) }
  }

  /// Returns the timing of responses in the AD structures at `slice`.
  package static func responses(_ bytes: RawSpan, _ slice: Slice) -> ResponseTiming? {
    find(.responseTiming, bytes, slice).flatMap { ResponseTiming(bytes, $0) }
  }

  private static func find(_ type: ADType, _ bytes: RawSpan, _ slice: Slice) -> Slice? {
    var structures = ADStructures(bytes, slice)
    while let structure = structures.next() {
      if structure.type == type { return structure.data }
    }
    return nil
  }
}

/// BIGInfo: the parameters of broadcast streams (Core, Vol 6, Part B, 4.4.6.11). `ADFields` lists
/// all of its fields.
package struct BIGInfo: Sendable, Equatable {
  /// The interval of the streams in units of 1.25 ms.
  package let interval: UInt16
  package let streams: UInt8
  package let subevents: UInt8
  /// In microseconds.
  package let subInterval: UInt32
  package let spacing: UInt32
  package let maxPDU: UInt8
  package let seedAccessAddress: UInt32
  package let sduInterval: UInt32
  package let maxSDU: UInt16
  package let baseCRCInit: UInt16
  package let channelMap: UInt64
  /// The PHY, numbered as in HCI.
  package let phy: UInt8
  package let payloadCount: UInt64
  package let isFramed: Bool
  package let isEncrypted: Bool

  /// The number of bytes without GIV and GSKD.
  private static let size = 33

  /// Reads the data of the structure.
  package init?(_ bytes: RawSpan, _ data: Slice) {
    guard Int(data.count) >= Self.size else { return nil }
    let block = bytes.part(data)
    interval = UInt16(block.bits(at: 15, count: 12))
    streams = UInt8(block.bits(at: 27, count: 5))
    subevents = UInt8(block.bits(at: 32, count: 5))
    subInterval = UInt32(block.bits(at: 40, count: 20))
    spacing = UInt32(block.bits(at: 64, count: 20))
    maxPDU = UInt8(block.bits(at: 88, count: 8))
    seedAccessAddress = UInt32(block.bits(at: 104, count: 32))
    sduInterval = UInt32(block.bits(at: 136, count: 20))
    maxSDU = UInt16(block.bits(at: 156, count: 12))
    baseCRCInit = UInt16(block.bits(at: 168, count: 16))
    channelMap = block.bits(at: 184, count: 37)
    phy = UInt8(block.bits(at: 221, count: 3)) + 1
    payloadCount = block.bits(at: 224, count: 39)
    isFramed = block.bits(at: 263, count: 1) == 1
    isEncrypted = Int(data.count) > Self.size
  }

  /// Returns the access address of a stream, from 1 on; 0: of the control subevents (Core, Vol 6,
  /// Part B, 2.1.2).
  package func accessAddress(ofStream number: UInt8) -> UInt32 {
    let diversifier = (35 * UInt32(number) + 42) % 128
    func bit(_ position: UInt32) -> UInt32 { diversifier >> position & 1 }
    var word: UInt32 = bit(0) == 1 ? 0xfc00_0000 : 0
    word |= bit(1) << 25 | bit(6) << 24 | bit(1) << 23
    word |= bit(5) << 21 | bit(4) << 20 | bit(3) << 18 | bit(2) << 17
    return seedAccessAddress ^ word
  }

  /// Returns the CRCInit of a stream, from 1 on; 0: of the control subevents.
  package func crcInit(ofStream number: UInt8) -> UInt32 {
    UInt32(baseCRCInit) << 8 | UInt32(number)
  }
}

/// Periodic advertising with responses: access address of the responses (4 bytes), subevents (1),
/// their interval (1), delay (1) and spacing of the response slots (1).
package struct ResponseTiming: Sendable, Equatable {
  package let accessAddress: UInt32
  package let subevents: UInt8
  /// In units of 1.25 ms.
  package let subeventInterval: UInt8
  package let slotDelay: UInt8
  /// In units of 0.125 ms.
  package let slotSpacing: UInt8

  /// Reads the data of the structure.
  package init?(_ bytes: RawSpan, _ data: Slice) {
    guard data.count >= 8 else { return nil }
    let start = Int(data.start)
    accessAddress = bytes.littleEndianU32(at: start)
    subevents = bytes.byte(at: start + 4)
    subeventInterval = bytes.byte(at: start + 5)
    slotDelay = bytes.byte(at: start + 6)
    slotSpacing = bytes.byte(at: start + 7)
  }
}
