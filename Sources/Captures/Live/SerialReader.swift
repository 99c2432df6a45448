import Bluetooth
import Bytes

/// A reader of monitor records from a serial line, as sent by BlueZ and Zephyr (see `SerialFrame`).
///
/// Bytes that belong to no record are skipped and replaced by a note: reading may start in the
/// middle of a record, and bytes get lost on the line. If such bytes keep coming, that is reported
/// once, with the probable cause. The protocol has only adapter 0.
package struct SerialReader: CaptureSource, ~Copyable {
  private var input: InputBuffer
  private var number = 0
  private var clock = SerialClock()
  private var lost = SerialDrops()
  /// The number of records lost before the next one.
  private var drops = 0
  /// The number of bytes skipped since the last record or note, and their offset.
  private var skipped = 0
  private var skippedFrom: Int64 = 0
  /// The number of all skipped bytes, and of the places where they were.
  private var allSkipped = 0
  private var skippedPlaces = 0
  /// How much of a record was there when the line ended: "9 of 15 bytes"; nil if none was cut.
  private var rest: String?
  /// The number of records that are not this reader's notes.
  private var records = 0
  /// Whether the probable cause was already reported.
  private var hasAdvised = false
  /// The offset of a whole frame after the current position, once one was found at the line's end.
  private var frameBehind: Int64 = -1
  /// Whether the last note's bytes continue with what is read next.
  private var isNoteOpen = false
  /// Whether the last bytes read were a record.
  private var isInStep = false
  /// The bytes of the note that is lent out.
  private var note: [UInt8] = []

  /// The number of skipped bytes after which they are reported while reading continues, the first
  /// time. The limit is lower before the first record, since reading hardly ever starts within such
  /// a long one.
  private var mostSkipped: Int { records == 0 ? 256 : 4096 }
  /// The probable cause if the line carries nothing else.
  private static let advice =
    "another speed (tty:DEVICE@SPEED), or a console on this UART; Zephyr's firmware needs "
    + "CONFIG_BT_DEBUG_MONITOR_UART"

  /// Reads records from the current position of `input`.
  package init(_ input: consuming InputBuffer) { self.input = input }

  /// The properties of the source; at the end, with the device's losses.
  package var summary: CaptureSummary {
    var summary = CaptureSummary(
      format: .monitorSerial, datalink: BtsnoopDatalink.linuxMonitor.rawValue,
      datalinkName: BtsnoopDatalink.linuxMonitor.name ?? "", timeDecimals: 4)
    if let remark = lost.remark { summary.remarks.append(remark) }
    if let rest {
      summary.remarks.append(
        "the last record is incomplete: only \(rest) are present")
    }
    if allSkipped > 0 {
      let places = skippedPlaces == 1 ? "in 1 place" : "in \(skippedPlaces) places"
      summary.remarks.append(
        Self.words(allSkipped) + ", " + places + (records == 0 ? ": \(Self.advice)" : ""))
    }
    return summary
  }

  /// Whether the buffer holds a whole further record or the end.
  package var isReady: Bool {
    if input.isAtEnd { return true }
    guard isInStep, let frame = SerialFrame(input.bytes) else { return false }
    return frame.opcode != SerialFrame.nothing && input.count >= frame.byteCount
  }

  /// Returns the next record, or nil at the end of the line.
  ///
  /// - Throws: `.inaccessible` if the system cannot read any further.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    var found: (frame: SerialFrame, extensions: SerialExtensions)?
    while found == nil {
      if skipped >= mostSkipped, !hasAdvised { return noteOnSkipped(goesOn: true) }
      guard try input.fill(SerialFrame.headerBytes) else {
        // In step, the bytes are the beginning of a record.
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

  /// Returns "12 bytes belong to no record and were skipped".
  private static func words(_ count: Int) -> String {
    count == 1
      ? "1 byte belongs to no record and was skipped"
      : "\(count) bytes belong to no record and were skipped"
  }

  /// Returns whether the line's last bytes begin this frame, whose end was cut off by an
  /// interruption or a hang-up. If a whole frame follows, this one's length is wrong. The
  /// offset of such a frame is kept in `frameBehind`, since it follows all bytes up to there.
  private mutating func isCut(_ frame: SerialFrame) -> Bool {
    guard input.count < frame.neededToAgree ? isInStep : frame.agrees(input.bytes) else {
      return false
    }
    if frameBehind > input.offset { return false }
    guard let start = nextFrame() else { return true }
    frameBehind = input.offset + Int64(start)
    return false
  }

  /// Returns the offset of the first whole frame after the first byte in the buffer.
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

  /// Drops the beginning of a record whose end did not come.
  ///
  /// - Parameter whole: The size of the whole record, such as "15 bytes".
  private mutating func leaveRest(_ whole: String) {
    if input.count > 0 { rest = "\(input.count) of \(whole)" }
    _ = input.take(input.count)
  }

  /// Returns a note that replaces bytes belonging to no record. Whether they were records is
  /// unknown, so none are counted as lost.
  ///
  /// - Parameter goesOn: Whether more such bytes may follow, rather than a frame or the end.
  @_lifetime(&self)
  private mutating func noteOnSkipped(goesOn: Bool) -> CaptureRecord {
    var words = Self.words(skipped)
    if goesOn {
      hasAdvised = true
      words += " so far: \(Self.advice)"
    }
    note = [UInt8](words.utf8)
    number += 1
    isNoteOpen = goesOn
    // Otherwise the line is in step now: a frame is known to follow.
    isInStep = !goesOn
    skipped = 0
    let (number, offset) = (number, skippedFrom)
    return .note(
      number: number, time: .now, fileOffset: offset, text: note.bytes)
  }

  /// Returns the record of the frame at the start of the buffer.
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
      adapter: isOfNoAdapter ? .unknown : 0, framing: .monitor(opcode: frame.opcode),
      originalLength: bytes.byteCount, drops: UInt64(drops), fileOffset: fileOffset, bytes: bytes)
  }
}
