// A capture in memory: records that take a line each to write, and the source that returns them.

package import Bluetooth
import Bytes
package import Captures

/// Converts hexadecimal text, "02 40 00", to bytes.
package func hex(_ text: String) -> [UInt8] {
  text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
}

/// Returns the bytes of a number in transmission order.
package func little(_ value: Int, width: Int = 2) -> [UInt8] {
  (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// A record that a source will return.
package struct StoredRecord {
  package var bytes: [UInt8]
  package var direction: Direction?
  package var adapter: AdapterIndex
  package var framing: CaptureRecord.Framing
  package var time: Timestamp?
  package var originalLength: Int
  package var drops: UInt64 = 0
  /// Its number, if it differs from the position.
  package var number: Int?
  /// The file that it is from.
  package var file = 0
  /// The record of an earlier file that it repeats.
  package var original: Int?

  package init(
    bytes: [UInt8], direction: Direction?, adapter: AdapterIndex, framing: CaptureRecord.Framing,
    time: Timestamp?, originalLength: Int, drops: UInt64 = 0, number: Int? = nil, file: Int = 0,
    original: Int? = nil
  ) {
    self.bytes = bytes
    self.direction = direction
    self.adapter = adapter
    self.framing = framing
    self.time = time
    self.originalLength = originalLength
    self.drops = drops
    self.number = number
    self.file = file
    self.original = original
  }
}

/// Records under construction, a millisecond apart, in H4 form on adapter 0.
package struct Traffic {
  /// The position of ACL data in its PDU.
  package enum Boundary: Int {
    case start = 0, more, flushable
  }

  package private(set) var records: [StoredRecord] = []
  /// The time of the next record, in milliseconds since 1970.
  package var clock = 1_700_000_000_000
  /// The adapter of the records that follow.
  package var adapter: AdapterIndex = 0
  /// The file of the records that follow.
  package var file = 0

  /// The number of records left out, which have numbers too.
  package var leftOut = 0

  /// Creates an empty capture.
  package init() {}

  /// The number of the next record.
  package var next: Int { records.count + leftOut + 1 }

  package mutating func add(
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

  /// Repeats the records `numbers` in another file.
  package mutating func again(_ numbers: ClosedRange<Int>) {
    for number in numbers {
      var record = records[number - 1]
      (record.number, record.file, record.original) = (next, file, number)
      records.append(record)
    }
  }

  /// Inserts an event with the number 0 at the start; the other records keep their numbers.
  package mutating func beginWithAnEvent() {
    for index in records.indices where records[index].number == nil {
      records[index].number = index + 1
    }
    records.insert(
      StoredRecord(
        bytes: [4, 0xff, 1, 0], direction: .received, adapter: .unknown, framing: .h4,
        time: records.first?.time, originalLength: 4, number: 0), at: 0)
  }

  /// Appends a record without a time.
  package mutating func addWithoutTime(_ bytes: [UInt8], _ direction: Direction?) {
    add(bytes, direction)
    records[records.count - 1].time = nil
  }

  // MARK: Commands and events

  package mutating func command(_ opcode: Int, _ parameters: [UInt8] = []) {
    add([1] + little(opcode) + [UInt8(parameters.count)] + parameters, .sent)
  }

  package mutating func event(_ code: UInt8, _ parameters: [UInt8] = [], kept: Int? = nil) {
    add([4, code, UInt8(parameters.count)] + parameters, .received, kept: kept)
  }

  /// Appends an LE Meta event.
  package mutating func meta(_ subevent: UInt8, _ parameters: [UInt8]) {
    event(0x3e, [subevent] + parameters)
  }

  /// Appends a Command Complete.
  package mutating func complete(_ opcode: Int, _ returned: [UInt8] = [0]) {
    event(0x0e, [1] + little(opcode) + returned)
  }

  /// Appends a command and its Command Complete.
  package mutating func perform(
    _ opcode: Int, _ parameters: [UInt8] = [], returns: [UInt8] = [0]
  ) {
    command(opcode, parameters)
    complete(opcode, returns)
  }

  /// Appends a Command Status.
  package mutating func status(_ opcode: Int, _ status: UInt8 = 0) {
    event(0x0f, [status, 1] + little(opcode))
  }

  /// Appends a command and its Command Status.
  package mutating func begin(_ opcode: Int, _ parameters: [UInt8] = [], status code: UInt8 = 0) {
    command(opcode, parameters)
    status(opcode, code)
  }

  /// Appends a message of the Linux monitor.
  package mutating func note(_ opcode: UInt16, _ bytes: [UInt8] = []) {
    add(bytes, nil, framing: .monitor(opcode: opcode))
  }

  // MARK: Links

  /// Appends an LE Connection Complete: interval 24, latency 0, timeout 72.
  package mutating func connect(
    _ handle: Int = 0x40, peer: Int = 0xc011_2233_4455, type: UInt8 = 1, role: UInt8 = 0,
    status: UInt8 = 0, timeout: Int = 72
  ) {
    meta(
      0x01,
      [status] + little(handle) + [role, type] + little(peer, width: 6)
        + hex("18 00 00 00") + little(timeout) + [0])
  }

  /// Appends a connection, and a notification, which proves that the peer heard it.
  package mutating func establish() {
    connect()
    received("1b 03 00 01")
  }

  package mutating func disconnect(_ handle: Int = 0x40, reason: UInt8 = 0x13, status: UInt8 = 0) {
    event(0x05, [status] + little(handle) + [reason])
  }

  /// Appends a Disconnect command and its Command Status.
  package mutating func askToDisconnect(_ handle: Int = 0x40, status code: UInt8 = 0) {
    begin(0x0406, little(handle) + [0x13], status: code)
  }

  /// Appends a Disconnect command, its Command Status and its Disconnection Complete.
  package mutating func endLink() {
    askToDisconnect()
    disconnect(reason: 0x16)
  }

  // MARK: Data

  /// Appends ACL data as given; `claimed` is the length in its header.
  package mutating func acl(
    _ payload: [UInt8], _ direction: Direction, _ boundary: Boundary = .start,
    handle: Int = 0x40, claimed: Int? = nil, kept: Int? = nil
  ) {
    let header = little(handle | boundary.rawValue << 12) + little(claimed ?? payload.count)
    add([2] + header + payload, direction, kept: kept.map { $0 + 5 })
  }

  /// Appends an ATT PDU in one packet.
  package mutating func att(_ text: String, _ direction: Direction, handle: Int = 0x40) {
    acl(l2cap(hex(text)), direction, handle: handle)
  }

  /// Appends an ATT PDU that the captured host sent.
  package mutating func sent(_ text: String, handle: Int = 0x40) {
    att(text, .sent, handle: handle)
  }

  /// Appends an ATT PDU that the captured host received.
  package mutating func received(_ text: String, handle: Int = 0x40) {
    att(text, .received, handle: handle)
  }

  /// Appends an L2CAP PDU in fragments of these sizes; the rest is the last fragment.
  package mutating func split(
    _ pdu: [UInt8], _ sizes: [Int], _ direction: Direction = .received, handle: Int = 0x40
  ) {
    var left = pdu[...]
    for (index, size) in (sizes + [pdu.count]).enumerated() where index == 0 || !left.isEmpty {
      acl(Array(left.prefix(size)), direction, index == 0 ? .start : .more, handle: handle)
      left = left.dropFirst(size)
    }
  }
}

/// Returns an L2CAP PDU with `payload` on `cid`.
package func l2cap(_ payload: [UInt8], cid: Int = 4) -> [UInt8] {
  little(payload.count) + little(cid) + payload
}

/// Returns an L2CAP PDU with a notification of a `count`-byte value: 0, 1, 2 and so on.
package func notification(_ count: Int, handle: Int = 0x0e) -> [UInt8] {
  l2cap([0x1b] + little(handle) + (0..<count).map { UInt8(truncatingIfNeeded: $0) })
}

/// A source of stored records; each one is valid until the next is requested.
package struct MemorySource: CaptureSource, ~Copyable {
  private let records: [StoredRecord]
  private let failure: CaptureFailure?
  private var position = 0
  private var current: [UInt8] = []

  /// - Parameter failure: an error to throw after the last record instead of ending.
  package init(_ traffic: Traffic, failure: CaptureFailure? = nil) {
    self.init(traffic.records, failure: failure)
  }

  /// - Parameter failure: an error to throw after the last record instead of ending.
  package init(_ records: [StoredRecord], failure: CaptureFailure? = nil) {
    self.records = records
    self.failure = failure
  }

  package var summary: CaptureSummary {
    CaptureSummary(
      format: .btsnoop, datalink: 1002, datalinkName: "HCI UART (H4)", timeDecimals: 6)
  }

  package var isReady: Bool { true }

  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
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
