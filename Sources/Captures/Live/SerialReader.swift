import Bluetooth
import Bytes

/// Reads the monitor's records from a serial line, as BlueZ and Zephyr send them (see `SerialFrame`).
///
/// Bytes that belong to no record are skipped, and a note stands in their place: a line is joined in the
/// middle of a record, and bytes get lost on it. Where they go on and on, that is told once, with what is
/// probably wrong. The protocol knows one adapter, 0.
package struct SerialReader: CaptureSource, ~Copyable {
  private var input: InputBuffer
  private var number = 0
  private var clock = SerialClock()
  private var lost = SerialDrops()
  /// Records that were lost before the next one.
  private var drops = 0
  /// Bytes that were skipped since the last record or note, and where they began.
  private var skipped = 0
  private var skippedFrom: Int64 = 0
  /// All bytes that were skipped, and in how many places.
  private var allSkipped = 0
  private var skippedPlaces = 0
  /// The record whose beginning the line ended with: "9 of 15 bytes"; nil where it ended with a whole one.
  private var rest: String?
  /// Records that are not notes of this reader's.
  private var records = 0
  /// Whether it was said what is probably wrong.
  private var hasAdvised = false
  /// Where a whole frame begins behind what is looked at, once one was found at the line's end.
  private var frameBehind: Int64 = -1
  /// Whether the last note's bytes go on with what is read next.
  private var isNoteOpen = false
  /// Whether the last bytes that were read were a record.
  private var isInStep = false
  /// A note's bytes, while it is lent.
  private var note: [UInt8] = []

  /// So many bytes that belong to no record are told while reading goes on, the first time: fewer where
  /// there was no record before them, since the line has hardly been joined within one that is so long.
  private var mostSkipped: Int { records == 0 ? 256 : 4096 }
  /// What is probably wrong where a line is full of them.
  private static let advice =
    "another speed (tty:DEVICE@SPEED), or a console on this UART; Zephyr's firmware needs "
    + "CONFIG_BT_DEBUG_MONITOR_UART"

  /// Reads records from where `input` stands.
  package init(_ input: consuming InputBuffer) { self.input = input }

  /// What is known of the source; at the end, what the device lost.
  package var summary: CaptureSummary {
    var summary = CaptureSummary(
      format: .monitorSerial, datalink: BtsnoopDatalink.linuxMonitor.rawValue,
      datalinkName: BtsnoopDatalink.linuxMonitor.name ?? "", timeDecimals: 4)
    if let remark = lost.remark { summary.remarks.append(remark) }
    if let rest {
      summary.remarks.append(
        "what came last is not complete: \(rest) of a record are there")
    }
    if allSkipped > 0 {
      let places = skippedPlaces == 1 ? "in 1 place" : "in \(skippedPlaces) places"
      summary.remarks.append(
        Self.words(allSkipped) + ", " + places + (records == 0 ? ": \(Self.advice)" : ""))
    }
    return summary
  }

  /// Whether a whole further record or the end is in the buffer.
  package var isReady: Bool {
    if input.isAtEnd { return true }
    guard isInStep, let frame = SerialFrame(input.bytes) else { return false }
    return frame.opcode != SerialFrame.nothing && input.count >= frame.byteCount
  }

  /// The next record, or nil at the end of the line.
  ///
  /// - Throws: `.inaccessible` where the system cannot read on.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    var found: (frame: SerialFrame, extensions: SerialExtensions)?
    while found == nil {
      if skipped >= mostSkipped, !hasAdvised { return noteOnSkipped(goesOn: true) }
      guard try input.fill(SerialFrame.headerBytes) else {
        // In step, it is a record's beginning.
        if isInStep {
          leaveRest("\(SerialFrame.headerBytes) bytes of the header")
        } else {
          skip(input.count)
        }
        break
      }
      guard let frame = SerialFrame(input.bytes) else {
        skip(1)
        continue
      }
      if !isInStep || frame.byteCount > SerialFrame.believedBytes {
        let isThere = try input.fill(frame.neededToAgree)
        guard isThere ? frame.agrees(input.bytes) : isInStep else {
          skip(1)
          continue
        }
      }
      guard try input.fill(frame.byteCount) else {
        if isCut(frame) {
          leaveRest("\(frame.byteCount) bytes")
          break
        }
        skip(1)
        continue
      }
      guard let extensions = frame.extensions(input.bytes) else {
        skip(1)
        continue
      }
      found = (frame, extensions)
      if skipped > 0 { break }
      drops.add(clamped: extensions.dropCount)
      lost.add(extensions)
      isInStep = true
      if frame.opcode == SerialFrame.nothing {
        _ = input.take(frame.byteCount)
        found = nil
      }
    }
    if skipped > 0 { return noteOnSkipped(goesOn: false) }
    guard let (frame, extensions) = found else { return nil }
    return record(frame, extensions)
  }

  private mutating func skip(_ count: Int) {
    guard count > 0 else { return }
    if skipped == 0 {
      skippedFrom = input.offset
      if !isNoteOpen { skippedPlaces += 1 }
    }
    _ = input.take(count)
    skipped += count
    allSkipped += count
    isInStep = false
  }

  /// "12 bytes belong to no record and were skipped".
  private static func words(_ count: Int) -> String {
    count == 1
      ? "1 byte belongs to no record and was skipped"
      : "\(count) bytes belong to no record and were skipped"
  }

  /// Whether the line's last bytes begin this frame, whose end did not come: an interruption or a hang-up
  /// cut it. Where a frame lies behind, this one's length is false; one that was found is behind all bytes up
  /// to it.
  private mutating func isCut(_ frame: SerialFrame) -> Bool {
    guard input.count < frame.neededToAgree ? isInStep : frame.agrees(input.bytes) else {
      return false
    }
    if frameBehind > input.offset { return false }
    guard let start = nextFrame() else { return true }
    frameBehind = input.offset + Int64(start)
    return false
  }

  /// Where the first whole frame begins behind the first byte that is there.
  private func nextFrame() -> Int? {
    for start in 1..<max(1, input.count) {
      let rest = input.bytes.dropping(start)
      if let frame = SerialFrame(rest), frame.byteCount <= rest.byteCount, frame.agrees(rest),
        frame.extensions(rest) != nil
      {
        return start
      }
    }
    return nil
  }

  /// Leaves the beginning of a record, whose end did not come.
  ///
  /// - Parameter whole: what all of it is: "15 bytes".
  private mutating func leaveRest(_ whole: String) {
    if input.count > 0 { rest = "\(input.count) of \(whole)" }
    _ = input.take(input.count)
  }

  /// A note in the place of bytes that belong to no record. Whether they were a record, and how many, nobody
  /// knows: none is counted as lost.
  ///
  /// - Parameter goesOn: whether what follows may be more of them, not a frame or the end.
  @_lifetime(&self)
  private mutating func noteOnSkipped(goesOn: Bool) -> CaptureRecord {
    var words = Self.words(skipped)
    if goesOn {
      hasAdvised = true
      words += ", and it goes on: \(Self.advice)"
    }
    note = [UInt8](words.utf8)
    number += 1
    isNoteOpen = goesOn
    // Else the line is in step now: the frame that follows is known to be one.
    isInStep = !goesOn
    skipped = 0
    let (number, offset) = (number, skippedFrom)
    return .note(
      number: number, time: .now, fileOffset: offset, text: note.bytes)
  }

  /// The record of the frame that the buffer begins with.
  @_lifetime(&self)
  private mutating func record(
    _ frame: SerialFrame, _ extensions: SerialExtensions
  ) -> CaptureRecord {
    number += 1
    records += 1
    isNoteOpen = false
    let now = Timestamp.now
    let time = extensions.ticks.map { ticks in
      clock.time(ticks, now: now, moment: MonotonicClock.nanoseconds)
    }
    let known = MonitorOpcode(rawValue: frame.opcode)
    let isOfNoAdapter =
      switch known {
      case .systemNote, .userLog, .controlOpen, .controlClose, .controlCommand, .controlEvent: true
      default: false
      }
    let (number, fileOffset, drops) = (number, input.offset, drops)
    self.drops = 0
    let bytes = input.take(frame.byteCount).dropping(frame.bodyStart)
    return CaptureRecord(
      number: number, time: time ?? now, direction: known?.direction,
      adapter: isOfNoAdapter ? nil : 0, framing: .monitor(opcode: frame.opcode),
      originalLength: bytes.byteCount, drops: UInt64(drops), fileOffset: fileOffset, bytes: bytes)
  }
}
