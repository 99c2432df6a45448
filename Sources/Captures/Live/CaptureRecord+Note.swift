import Bluetooth
import Bytes

extension CaptureRecord {
  /// What a note begins with that stands where a source was opened again; files have it, too.
  static let gapWords: StaticString = "what happened here is not known"

  /// Whether it is such a note: what was known before it may not hold behind it, nor the clock go on.
  package var isGapNote: Bool {
    guard framing == .monitor(opcode: MonitorOpcode.systemNote.rawValue) else { return false }
    return bytes.starts(with: Self.gapWords)
  }

  /// A record of the program's own, which stands where something happened to the source: a System Note of the
  /// Linux monitor's.
  @_lifetime(copy text)
  static func note(
    number: Int, time: Timestamp?, fileOffset: Int64, text: RawSpan
  ) -> CaptureRecord {
    CaptureRecord(
      number: number, time: time, direction: nil, adapter: nil,
      framing: .monitor(opcode: MonitorOpcode.systemNote.rawValue),
      originalLength: text.byteCount, drops: 0, fileOffset: fileOffset, bytes: text)
  }
}
