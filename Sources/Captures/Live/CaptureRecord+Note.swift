import Bluetooth
import Bytes

extension CaptureRecord {
  /// The beginning of a note where a source was reopened. It also appears in written files.
  static let gapWords: StaticString = "what happened here is not known"

  /// Whether it is such a note: earlier state may no longer hold after it, and the clock may jump.
  package var isGapNote: Bool {
    guard framing == .monitor(opcode: MonitorOpcode.systemNote.rawValue) else { return false }
    return bytes.starts(with: Self.gapWords)
  }

  /// Creates a record of the program's own that marks an event of the source, as a System Note of
  /// the Linux monitor.
  @_lifetime(copy text)
  static func note(
    number: Int, time: Timestamp?, fileOffset: Int64, text: RawSpan
  ) -> CaptureRecord {
    CaptureRecord(
      number: number, time: time, direction: nil, adapter: .unknown,
      framing: .monitor(opcode: MonitorOpcode.systemNote.rawValue),
      originalLength: text.byteCount, drops: 0, fileOffset: fileOffset, bytes: text)
  }
}
