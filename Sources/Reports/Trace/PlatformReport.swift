package import Bytes
package import Captures
package import Dissectors
package import Platforms
package import Sessions

/// Looks for what shows the platform of the captured host, in the first packets.
///
/// Android asks its controller for what its own commands can do when Bluetooth is switched on, and
/// uses them for each scan with filters. Linux's monitor shows that the host is Linux, whose kernel
/// may send the first of them as well.
package struct PlatformReport: PacketReport, ~Copyable {
  /// The platform, and the packet that shows it; 0: the capture's format.
  package private(set) var found: (platform: Platform, packet: Int)?
  private var records = 0

  private static let mostRecords = 20_000
  /// Android's vendor-specific commands (Android, "HCI requirements").
  private static let androids: ClosedRange<UInt16> = 0xfd53...0xfd5f

  /// Looks at a capture with this summary.
  package init(_ summary: CaptureSummary) {
    if summary.format == .packetLogger { found = (.corebluetooth, 0) }
  }

  package var isSatisfied: Bool { found != nil || records >= Self.mostRecords }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    records += 1
    if case .monitor = record.framing {
      records = Self.mostRecords
      return
    }
    guard found == nil, case .command(let command) = dissection.content,
      Self.androids.contains(command.opcode)
    else { return }
    found = (.android, record.number)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}
