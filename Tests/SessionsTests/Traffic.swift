// A capture in memory: records written one line each, and the source that hands them out.

import Bluetooth
import Bytes
@testable import Captures

/// The bytes of "02 40 00".
func hex(_ text: String) -> [UInt8] {
  text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
}

/// A number in the order in which its bytes cross the link.
func little(_ value: Int, width: Int = 2) -> [UInt8] {
  (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// A record that waits to be handed out.
struct StoredRecord {
  var bytes: [UInt8]
  var direction: Direction?
  var adapter: UInt16?
  var framing: CaptureRecord.Framing
  var time: Timestamp?
  var originalLength: Int
  var drops: UInt64 = 0
  /// Its number, where it is not the position.
  var number: Int?
  /// Which file it is from.
  var file = 0
  /// The record that it is the same as, in a file before.
  var original: Int?
}

/// Records under construction: each a millisecond after the one before, on adapter 0, H4.
struct Traffic {
  /// Where ACL data stands in its PDU.
  enum Boundary: Int {
    case start = 0, more, flushable
  }

  private(set) var records: [StoredRecord] = []
  /// Milliseconds since 1970 of the next record.
  var clock = 1_700_000_000_000
  /// The adapter of the records that follow.
  var adapter: UInt16? = 0
  /// The file of the records that follow.
  var file = 0

  /// How many records were left out that have numbers too.
  var leftOut = 0

  /// The number of the record that comes next.
  var next: Int { records.count + leftOut + 1 }

  /// A record of any kind.
  mutating func add(
    _ bytes: [UInt8], _ direction: Direction?, framing: CaptureRecord.Framing = .h4,
    kept: Int? = nil, drops: UInt64 = 0
  ) {
    records.append(
      StoredRecord(
        bytes: Array(bytes.prefix(kept ?? bytes.count)), direction: direction, adapter: adapter,
        framing: framing, time: Timestamp(microseconds: Int64(clock) * 1000),
        originalLength: bytes.count, drops: drops, number: next, file: file))
    clock += 1
  }

  /// The records `numbers` as another file has them, too.
  mutating func again(_ numbers: ClosedRange<Int>) {
    for number in numbers {
      var record = records[number - 1]
      (record.number, record.file, record.original) = (next, file, number)
      records.append(record)
    }
  }

  /// A record whose time is not known.
  mutating func addWithoutTime(_ bytes: [UInt8], _ direction: Direction?) {
    add(bytes, direction)
    records[records.count - 1].time = nil
  }

  // MARK: Commands and events

  /// A command.
  mutating func command(_ opcode: Int, _ parameters: [UInt8] = []) {
    add([1] + little(opcode) + [UInt8(parameters.count)] + parameters, .sent)
  }

  /// An event.
  mutating func event(_ code: UInt8, _ parameters: [UInt8] = [], kept: Int? = nil) {
    add([4, code, UInt8(parameters.count)] + parameters, .received, kept: kept)
  }

  /// An LE Meta event.
  mutating func meta(_ subevent: UInt8, _ parameters: [UInt8]) {
    event(0x3e, [subevent] + parameters)
  }

  /// Command Complete.
  mutating func complete(_ opcode: Int, _ returned: [UInt8] = [0]) {
    event(0x0e, [1] + little(opcode) + returned)
  }

  /// Command Status.
  mutating func status(_ opcode: Int, _ status: UInt8 = 0) {
    event(0x0f, [status, 1] + little(opcode))
  }

  /// A note of the Linux monitor.
  mutating func note(_ opcode: UInt16, _ bytes: [UInt8] = []) {
    add(bytes, nil, framing: .monitor(opcode: opcode))
  }

  // MARK: Links

  /// LE Connection Complete: interval 24, latency 0, timeout 72.
  mutating func connect(
    _ handle: Int = 0x40, peer: Int = 0xc011_2233_4455, type: UInt8 = 1, role: UInt8 = 0,
    status: UInt8 = 0
  ) {
    meta(
      0x01,
      [status] + little(handle) + [role, type] + little(peer, width: 6)
        + hex("18 00 00 00 48 00 00"))
  }

  /// Disconnection Complete.
  mutating func disconnect(_ handle: Int = 0x40, reason: UInt8 = 0x13, status: UInt8 = 0) {
    event(0x05, [status] + little(handle) + [reason])
  }

  /// The Disconnect command and its Command Status.
  mutating func askToDisconnect(_ handle: Int = 0x40, status code: UInt8 = 0) {
    command(0x0406, little(handle) + [0x13])
    status(0x0406, code)
  }

  // MARK: Data

  /// ACL data as it is; `claimed` is what the header says of its length.
  mutating func acl(
    _ payload: [UInt8], _ direction: Direction, _ boundary: Boundary = .start,
    handle: Int = 0x40, claimed: Int? = nil, kept: Int? = nil
  ) {
    let header = little(handle | boundary.rawValue << 12) + little(claimed ?? payload.count)
    add([2] + header + payload, direction, kept: kept.map { $0 + 5 })
  }

  /// An ATT PDU in one packet.
  mutating func att(_ text: String, _ direction: Direction, handle: Int = 0x40) {
    acl(l2cap(hex(text)), direction, handle: handle)
  }

  /// An ATT PDU that the captured host sent.
  mutating func sent(_ text: String, handle: Int = 0x40) { att(text, .sent, handle: handle) }

  /// An ATT PDU that the captured host received.
  mutating func received(_ text: String, handle: Int = 0x40) {
    att(text, .received, handle: handle)
  }

  /// An L2CAP PDU in pieces of these sizes; what is left makes the last piece.
  mutating func split(
    _ pdu: [UInt8], _ sizes: [Int], _ direction: Direction = .received, handle: Int = 0x40
  ) {
    var left = pdu[...]
    for (index, size) in (sizes + [pdu.count]).enumerated() where index == 0 || !left.isEmpty {
      acl(Array(left.prefix(size)), direction, index == 0 ? .start : .more, handle: handle)
      left = left.dropFirst(size)
    }
  }
}

/// An L2CAP PDU on `cid` around `payload`.
func l2cap(_ payload: [UInt8], cid: Int = 4) -> [UInt8] {
  little(payload.count) + little(cid) + payload
}

/// An L2CAP PDU with a notification of `count` bytes of value: 0, 1, 2 and so on.
func notification(_ count: Int, handle: Int = 0x0e) -> [UInt8] {
  l2cap([0x1b] + little(handle) + (0..<count).map { UInt8(truncatingIfNeeded: $0) })
}

/// Hands out stored records; each is lent until the next one is asked for.
struct MemorySource: CaptureSource, ~Copyable {
  private let records: [StoredRecord]
  private let failure: CaptureFailure?
  private var position = 0
  private var current: [UInt8] = []

  /// - Parameter failure: thrown after the last record instead of the end.
  init(_ traffic: Traffic, failure: CaptureFailure? = nil) {
    self.init(traffic.records, failure: failure)
  }

  /// - Parameter failure: thrown after the last record instead of the end.
  init(_ records: [StoredRecord], failure: CaptureFailure? = nil) {
    self.records = records
    self.failure = failure
  }

  var summary: CaptureSummary {
    CaptureSummary(
      format: .btsnoop, datalink: 1002, datalinkName: "HCI UART (H4)", timeDecimals: 6)
  }

  var isReady: Bool { true }

  @_lifetime(&self)
  mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    guard position < records.count else {
      if let failure { throw failure }
      return nil
    }
    let stored = records[position]
    position += 1
    current = stored.bytes
    return CaptureRecord(
      number: stored.number ?? position, time: stored.time, direction: stored.direction,
      adapter: stored.adapter,
      framing: stored.framing, originalLength: stored.originalLength, drops: stored.drops,
      fileOffset: 0, bytes: current.bytes
    ).with(file: stored.file, number: stored.number ?? position, original: stored.original)
  }
}
