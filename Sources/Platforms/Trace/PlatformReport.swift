import Bytes
package import Captures
import Dissectors
import Sessions

/// Looks for what shows the platform of the captured host, in the first packets.
///
/// Android asks its controller for what its own commands can do when Bluetooth is switched on, and
/// uses them for each scan with filters. Linux's monitor shows that the host is Linux, whose kernel
/// may send the first of them as well.
package struct PlatformReport: PacketReport, ~Copyable {
  /// The platform, if anything shows it, and the packet that does; nil: only the capture's format
  /// suggests it.
  package var shown: (platform: Platform, packet: Int?)? {
    found.map { (.android, $0) } ?? (isPacketLoggers ? (.corebluetooth, nil) : nil)
  }
  private var found: Int?
  /// Whether the format is that of Apple's PacketLogger, which others write as well.
  private let isPacketLoggers: Bool
  private var records = 0

  private static let mostRecords = 20_000

  /// Looks at a capture with this summary.
  package init(_ summary: CaptureSummary) {
    isPacketLoggers = summary.format == .packetLogger
  }

  var isSatisfied: Bool { found != nil || records >= Self.mostRecords }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    records += 1
    if case .monitor = packet.record.framing {
      records = Self.mostRecords
      return
    }
    guard found == nil, case .command(let command) = packet.dissection.content,
      packet.record.isOfAndroid(command.opcode)
    else { return }
    found = packet.record.number
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}
