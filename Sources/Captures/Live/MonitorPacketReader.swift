import Bluetooth
import Bytes

/// A reader of the packets sent by a client of `btmon --server`: opcode, adapter and length (2
/// bytes each, least significant byte first), then the opcode's data (BlueZ, monitor/control.c).
///
/// The protocol has no timestamps, so records get their time of arrival. It has no markers either:
/// whatever is sent is read as packets.
package struct MonitorPacketReader: CaptureSource, ~Copyable {
  /// The properties that all such streams share.
  static let summary = CaptureSummary(
    format: .monitorServer, datalink: BtsnoopDatalink.linuxMonitor.rawValue,
    datalinkName: BtsnoopDatalink.linuxMonitor.name ?? "", timeDecimals: 6)
  package var summary: CaptureSummary { Self.summary }
  private var input: InputBuffer
  private var number = 0
  private var isFinished = false

  private static let headerBytes = 6

  /// Reads packets from the current position of `input`.
  package init(_ input: consuming InputBuffer) { self.input = input }

  /// Whether the buffer holds a whole further record or the end.
  package var isReady: Bool {
    isFinished || input.count >= Self.headerBytes && input.count >= recordBytes
  }

  /// The number of bytes in the record at the start of the buffer.
  private var recordBytes: Int { Self.headerBytes + Int(input.bytes.littleEndianU16(at: 4)) }

  /// Returns the next record, or nil at the end of the stream.
  ///
  /// - Throws: `.damaged` if the stream ends within a record; `.inaccessible` if it cannot be read.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    guard !isFinished else { return nil }
    // Applies to every exit from here but the last.
    isFinished = true
    guard try input.fill(Self.headerBytes) else {
      if input.count == 0 { return nil }
      throw damage("\(input.count) of \(Self.headerBytes) bytes of its header")
    }
    let count = recordBytes
    guard try input.fill(count) else {
      let header = Self.headerBytes
      throw damage("\(input.count - header) of \(count - header) bytes")
    }
    isFinished = false
    number += 1
    let (number, fileOffset) = (number, input.offset)
    let record = input.take(count)
    let opcode = record.littleEndianU16(at: 0)
    let adapter = AdapterIndex(record.littleEndianU16(at: 2))
    let bytes = record.dropping(Self.headerBytes)
    return CaptureRecord(
      number: number, time: .now, direction: MonitorOpcode(rawValue: opcode)?.direction,
      adapter: adapter, framing: .monitor(opcode: opcode),
      originalLength: bytes.byteCount, drops: 0, fileOffset: fileOffset, bytes: bytes)
  }

  private func damage(_ what: String) -> CaptureFailure {
    CaptureFailure(
      .damaged,
      "record \(number + 1) at byte \(input.offset): only \(what) are present; the stream ends early"
    )
  }
}
