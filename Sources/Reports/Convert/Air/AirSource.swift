package import Bluetooth
import Bytes
package import Captures
import Dissectors
import Sessions

/// A capture with its packets from sniffers in another form; its other packets stay as they are.
///
/// A second pass follows the connections, so that what only other packets reveal can be written:
/// which side sent a packet, whether its CRC is right, and what is encrypted.
package struct AirSource: CaptureSource, ~Copyable {
  /// What packets from the air become.
  package enum Form: Sendable {
    /// Packets of link type 256.
    case pseudoHeader(decrypts: Bool)
    /// HCI, as the central's host would have seen it.
    ///
    /// - Parameter hasComments: whether what is not in the capture has a comment.
    case host(hasComments: Bool)
  }

  private var base: any CaptureSource & ~Copyable
  private let form: Form
  private var following: AirFollowing
  /// The bytes of the current record.
  private var bytes = Output()

  /// Creates a source of the records of `base`.
  ///
  /// - Parameter bonds: the keys to decrypt with.
  package init(_ base: consuming some CaptureSource & ~Copyable, _ form: Form, bonds: [Bond]) {
    following = AirFollowing(form, base.summary, bonds)
    self.base = consume base
    self.form = form
  }

  package var summary: CaptureSummary {
    var summary =
      switch base {
      case let base: base.summary
      }
    guard !summary.sniffers.isEmpty else { return summary }
    switch form {
    case .pseudoHeader: summary.sniffers = [.pseudoHeader]
    case .host: (summary.sniffers, summary.holdsHCI) = ([], true)
    }
    return summary
  }

  package var isReady: Bool {
    if following.observer.host?.hasMore == true { return true }
    return switch base {
    case let base: base.isReady
    }
  }

  package var failures: [CaptureFailure] {
    switch base {
    case let base: base.failures
    }
  }

  /// What was done with the packets so far.
  package var report: AirReport { following.report }

  package mutating func wait(milliseconds: Int32) -> Bool { base.wait(milliseconds: milliseconds) }

  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    try Self.next(&base, form, &following, &bytes)
  }

  /// Returns the next record. What it borrows is the base's, or in `bytes` or `following`.
  @_lifetime(&base, &following, &bytes)
  private static func next(
    _ base: inout any CaptureSource & ~Copyable, _ form: Form, _ following: inout AirFollowing,
    _ bytes: inout Output
  ) throws(CaptureFailure) -> CaptureRecord? {
    if let packet = following.observer.host?.next() {
      return following.record(packet, bytes.bytes)
    }
    while let record = try base.next() {
      guard record.framing.isFromAir else {
        return following.passOn(record, &bytes)
      }
      following.follow(record, &bytes)
      guard let seen = following.observer.latest else {
        following.leaveOut(record)
        continue
      }
      switch form {
      case .pseudoHeader(let decrypts):
        bytes.clear()
        following.write(seen, record, decrypts: decrypts, into: &bytes)
        let missing = record.originalLength - record.bytes.byteCount
        return record.asAir(.pseudoHeader, bytes.bytes, missing: missing)
          .dropping(following.takeDrops())
      case .host:
        following.writeData(seen, record, &bytes)
        if let packet = following.observer.host?.next() {
          return following.record(packet, bytes.bytes)
        }
      }
    }
    return nil
  }
}

/// The state of an `AirSource` apart from its records.
private struct AirFollowing: ~Copyable {
  /// The properties of the record that packets are made from.
  private struct Origin {
    var number = 0
    var time: Timestamp?
    var adapter = AdapterIndex(0)
    var section = 0
    var file = 0
    var fileOffset: Int64 = 0
  }

  private var pass: Pass
  var observer: AirObserver
  var report: AirReport
  /// Whether packets with HCI are followed, too: they may have keys.
  private let followsHCI: Bool
  /// The number of the first controller that packets from sniffers are written as.
  private let firstAdapter: UInt16
  /// Records lost before the next one that is returned.
  private var drops: UInt64 = 0
  /// The number of the latest record, if records are counted anew.
  private var number = 0
  private var origin = Origin()
  /// The comment of a packet that is not in the capture, as an option.
  private var comment: [UInt8] = []

  init(_ form: AirSource.Form, _ summary: CaptureSummary, _ bonds: [Bond]) {
    followsHCI = !summary.sniffers.isEmpty
    firstAdapter = summary.holdsHCI ? 16 : 0
    pass = Pass(bonds: bonds)
    report = AirReport(form)
    switch form {
    case .pseudoHeader: observer = AirObserver(nil)
    case .host(let hasComments): observer = AirObserver(HostEvents(hasComments: hasComments))
    }
  }

  /// Returns a record without a packet from the air.
  @_lifetime(copy record)
  mutating func passOn(
    _ record: consuming CaptureRecord, _ output: inout Output
  ) -> CaptureRecord {
    if followsHCI {
      output.clear()
      pass.process(record, &observer, &output)
    }
    guard observer.host != nil else { return record.dropping(takeDrops()) }
    number += 1
    return record.with(number: number).dropping(takeDrops())
  }

  /// Follows a packet from the air, and keeps what was decrypted.
  mutating func follow(_ record: borrowing CaptureRecord, _ output: inout Output) {
    output.clear()
    pass.process(record, &observer, &output)
    guard let found = observer.latest else { return }
    if found.isDewhitened {
      observer.complete(pass.dewhitenedPacket, pass)
    } else {
      observer.complete(record.bytes, pass)
    }
    if let seen = observer.latest { report.count(seen, opens: observer.opens) }
  }

  /// Writes the latest packet as one of link type 256.
  func write(
    _ seen: AirObservation, _ record: borrowing CaptureRecord, decrypts: Bool,
    into output: inout Output
  ) {
    let form = PseudoHeaderForm(decrypts: decrypts)
    if seen.isDewhitened {
      form.write(seen, record, pass.dewhitenedPacket, observer.plain, into: &output)
    } else {
      form.write(seen, record, record.bytes, observer.plain, into: &output)
    }
  }

  /// Counts a record that is not a packet.
  mutating func leaveOut(_ record: borrowing CaptureRecord) {
    report.messages += 1
    drops.add(clamped: record.drops)
  }

  mutating func takeDrops() -> UInt64 {
    defer { drops = 0 }
    return drops
  }

  /// Writes the data of a packet for the host.
  mutating func writeData(
    _ seen: AirObservation, _ record: borrowing CaptureRecord, _ output: inout Output
  ) {
    drops.add(clamped: record.drops)
    origin = Origin(
      number: record.number, time: record.time,
      adapter: AdapterIndex(record.adapter.value &+ firstAdapter), section: record.section,
      file: record.file, fileOffset: record.fileOffset)
    if let data = observer.data, let direction = seen.direction {
      if seen.payload == .decrypted {
        let plain = observer.plain
        Self.write(data, direction, plain.bytes, &observer.host, &output)
      } else {
        let start = Int(seen.packet.pdu.start) + seen.head
        let payload = Slice(start: start, count: max(0, seen.packet.pdu.end - start))
        if seen.isDewhitened {
          Self.write(
            data, direction, pass.dewhitenedPacket.part(payload), &observer.host, &output)
        } else {
          Self.write(data, direction, record.bytes.part(payload), &observer.host, &output)
        }
      }
    }
    report.made = observer.host?.made ?? 0
  }

  // A separate function, so that the payload is borrowed while the events change.
  private static func write(
    _ data: AirObserver.Data, _ direction: Direction, _ payload: RawSpan,
    _ host: inout HostEvents?, _ output: inout Output
  ) {
    host?.writeData(
      data.connection, isStart: data.isStart, from: direction, payload, into: &output)
  }

  /// Returns a packet for the host as a record.
  @_lifetime(copy bytes, &self)
  mutating func record(_ packet: HostEvents.Packet, _ bytes: RawSpan) -> CaptureRecord {
    number += 1
    let part = bytes.part(packet.slice)
    let record = CaptureRecord(
      number: number, time: origin.time, direction: packet.direction, adapter: origin.adapter,
      framing: .h4, originalLength: part.byteCount, drops: takeDrops(),
      fileOffset: origin.fileOffset, bytes: part
    ).with(section: origin.section).with(file: origin.file, number: number, original: nil)
    guard packet.isMade, observer.host?.hasComments == true else { return record }
    writeComment()
    return record.with(RecordOptions(comment.bytes, isBigEndian: false))
  }

  /// Writes the option: code (2 bytes), length (2), text, padding to four bytes.
  private mutating func writeComment() {
    let text = "not recorded: made by gattscope from packet #\(origin.number) of the sniffer"
    comment.removeAll(keepingCapacity: true)
    comment += [1, 0, UInt8(clamping: text.utf8.count), 0]
    comment += Array(text.utf8)
    while comment.count % 4 > 0 { comment.append(0) }
  }
}
