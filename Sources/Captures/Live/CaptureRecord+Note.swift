import Bluetooth
import Bytes

extension CaptureRecord {
  /// A record of the program's own, which stands where something happened to the source: a System Note of the
  /// Linux monitor's.
  @_lifetime(copy text)
  static func note(
    number: Int, time: Timestamp?, drops: UInt64 = 0, fileOffset: Int64, text: RawSpan
  ) -> CaptureRecord {
    CaptureRecord(
      number: number, time: time, direction: nil, adapter: nil,
      framing: .monitor(opcode: MonitorOpcode.systemNote.rawValue),
      originalLength: text.byteCount, drops: drops, fileOffset: fileOffset, bytes: text)
  }
}
