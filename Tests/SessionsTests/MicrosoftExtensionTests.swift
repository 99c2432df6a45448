// Microsoft's HCI extension, whose opcode and prefix are only known from the capture.

import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

/// An extension is recognised only from the capture's facts about its controller.
@Suite struct MicrosoftExtensionTests {
  /// Returns the row's name for the last record of this traffic.
  private func last(_ write: (inout Traffic) -> Void) -> String? {
    var traffic = Traffic()
    write(&traffic)
    var names = RowNames()
    traffic.report(to: &names)
    return names.last
  }

  /// LE Monitor Advertisement for a pattern of AD type 3 (AOSP's test vector).
  private let monitor = hex("01 1e fc 0e 03 10 05 04 aa 01 01 06 03 00 80 81 82 83")
  /// The return parameters of Read Supported Features: 02 87 80 (AOSP's test vector).
  private let features = hex("00 00 7f 00 00 00 00 00 00 00 02 87 80")
  /// LE Monitor Device after that prefix.
  private let device = hex("04 ff 0c 87 80 02 01 55 44 33 22 11 c0 05 01")

  @Test func aControllerOfAMakerThatIsNotKnown() {
    #expect(last { $0.add(monitor, .sent) } == nil)
    #expect(last { $0.add(device, .received) } == "Vendor Specific")
  }

  @Test func byIndexInfo() {
    #expect(
      last { traffic in
        traffic.note(10, hex("77 55 44 33 22 11 02 00"))
        traffic.add(monitor, .sent)
      } == "Microsoft Extension")
  }

  @Test func byVersionInformation() {
    #expect(
      last { traffic in
        traffic.complete(0x1001, hex("00 0b 00 00 0b 02 00 11 22"))
        traffic.add(monitor, .sent)
      } == "Microsoft Extension")
    // Broadcom's 0xfc1e is another command.
    #expect(
      last { traffic in
        traffic.complete(0x1001, hex("00 0b 00 00 0b 0f 00 11 22"))
        traffic.add(monitor, .sent)
      } == nil)
    // Another controller's manufacturer does not apply to this one.
    #expect(
      last { traffic in
        traffic.complete(0x1001, hex("00 0b 00 00 0b 02 00 11 22"))
        traffic.adapter = 1
        traffic.add(monitor, .sent)
      } == nil)
  }

  @Test func eventsByThePrefix() {
    func learnt(_ returned: [UInt8], _ event: [UInt8]) -> String? {
      last { traffic in
        traffic.complete(0x1001, hex("00 0b 00 00 0b 02 00 11 22"))
        traffic.complete(0xfc1e, returned)
        traffic.add(event, .received)
      }
    }
    #expect(learnt(features, device) == "Microsoft Extension Event")
    // A refusal, truncated prefixes, another prefix's event, and an event of another kind.
    for returned in [[1] + features.dropFirst(), features.dropLast(), Array(features.prefix(10))] {
      #expect(learnt(Array(returned), device) == "Vendor Specific")
    }
    #expect(learnt(features, hex("04 ff 04 87 81 02 01")) == "Vendor Specific")
    #expect(learnt(features, hex("04 ff 03 87 80 07")) == "Vendor Specific")
    #expect(learnt(features, hex("04 ff 02 87 80")) == "Vendor Specific")
  }

  /// Extensions are known of no more controllers than the limit.
  @Test func isBounded() {
    var limits = Limits()
    limits.adapters = 2
    let results = run(limits: limits) { traffic in
      for adapter: AdapterIndex in [0, 1, 2, 3, 4] {
        traffic.adapter = adapter
        traffic.complete(0x1001, hex("00 0b 00 00 0b 02 00 11 22"))
      }
    }
    for adapter: AdapterIndex in [0, 1, 2, 3, 4] {
      let (microsoft, vendor) = results.memory.adapters.vendors(of: adapter)
      let isKnown = adapter == 0 || adapter == 1
      #expect((microsoft != nil) == isKnown && (vendor != nil) == isKnown, "\(adapter)")
    }
  }
}

/// A report that collects the names of the rows that describe packets.
struct RowNames: PacketReport {
  private(set) var last: String?

  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    last = packet.dissection.parameters?.row.map { $0.name.description }
  }

  func finish(_ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output) {}
}
