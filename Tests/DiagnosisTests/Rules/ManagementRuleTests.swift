// Findings from the Linux kernel's management interface, without HCI packets.

import Bluetooth
import Captures
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Rules about the management interface") struct ManagementRuleTests {
  /// Records Pair Device for the peer of `connect`, IO capability NoInputNoOutput.
  private func pairDevice(_ traffic: inout Traffic) {
    traffic.management(event: false, 0x19, [3])
  }

  /// Records Command Complete (1) or Command Status (2) of a management command.
  private func answer(
    _ traffic: inout Traffic, _ opcode: Int, _ status: UInt8, _ returned: [UInt8] = [],
    event: Int = 1
  ) {
    traffic.add(
      little(2, width: 4) + little(event) + little(opcode) + [status] + returned, nil,
      framing: .monitor(opcode: 17))
  }

  private static let device = little(0xc011_2233_4455, width: 6) + [2]

  @Test("Authentication Failed after Pair Device, in the event and in the response: once")
  func pairing() throws {
    let evidence = evidence {
      pairDevice(&$0)
      $0.management(event: true, 0x11, [5])
      answer(&$0, 0x19, 5, Self.device)
    }
    let finding = try #require(evidence.finding("mgmt_pairing_failed"))
    #expect(finding.packets == "#1 #2 #3")
    #expect(finding.severity == .error)
    #expect(finding.peers.map(\.value) == [0xc011_2233_4455])
  }

  @Test("one event per socket is one failure; a second Pair Device is another") func twice() {
    let evidence = evidence { traffic in
      for _ in 0..<2 {
        pairDevice(&traffic)
        traffic.management(event: true, 0x11, [5])
        traffic.management(event: true, 0x11, [5])
      }
    }
    #expect(evidence.packets(of: "mgmt_pairing_failed") == ["#1 #2 #4 #5"])
  }

  @Test("Connect Failed names the device and the status") func connecting() {
    let evidence = evidence { $0.management(event: true, 0x0d, [4]) }
    #expect(evidence.packets(of: "mgmt_connect_failed") == ["#1"])
    #expect(rules(in: evidence) == ["mgmt_connect_failed", "capture_management_only"])
    #expect(
      evidence.lacks.map(\.text) == [
        "management interface only, no HCI packets"
      ])
  }

  @Test("with HCI packets these report devices; a successful pairing is not a failure")
  func silent() {
    let withHCI = evidence {
      $0.connect()
      pairDevice(&$0)
      $0.management(event: true, 0x11, [5])
      $0.management(event: true, 0x0d, [4])
    }
    #expect(rules(in: withHCI).filter { $0.hasPrefix("mgmt_") } == [])
    #expect(withHCI.lines(of: "capture_management_only") == [])
    let works = evidence {
      pairDevice(&$0)
      answer(&$0, 0x19, 0, Self.device)
    }
    #expect(rules(in: works) == ["capture_management_only"])
  }

  @Test("a refused command is a note, unless it is about a device") func commands() {
    let evidence = evidence {
      $0.addControl(0x23, [6])
      $0.add(
        little(1, width: 4) + little(2) + little(0x23) + [0x0a], nil,
        framing: .monitor(opcode: 17))
      $0.addControl(0x14, Self.device)
      $0.add(
        little(1, width: 4) + little(1) + little(0x14) + [2] + Self.device, nil,
        framing: .monitor(opcode: 17))
    }
    #expect(evidence.packets(of: "mgmt_command_refused") == ["#1 #2"])
    #expect(evidence.finding("mgmt_command_refused")?.severity == .note)
  }

  @Test(
    "how to fix a refused command follows from its status and the command",
    arguments: [
      (0x2f, 0x0b, "This setting can be changed only while the controller is off: "),
      (0x06, 0x0b, "Compare the command with the settings in force: "),
      (0x24, 0x0b, "Nothing to do: no discovery is running."),
      (0x23, 0x0a, "A discovery is already running: "),
      (0x05, 0x0a, "Wait until the current operation ends, "),
      (0xfff, 0x01, "This kernel does not support the command: "),
      (0x4d, 0x0d, "Compare the command's parameters with "),
      (0x05, 0x14, "Run the program as root, "),
      // A status that leaves the cause open.
      (0x05, 0x03, "Check whether the program "),
    ])
  func remedies(_ opcode: Int, _ status: UInt8, _ remedy: String) throws {
    let evidence = evidence {
      $0.addControl(opcode, [6])
      answer(&$0, opcode, status, event: 2)
    }
    let finding = try #require(evidence.finding("mgmt_command_refused"))
    #expect(finding.remedy?.text.hasPrefix(remedy) == true, "\(finding.remedy?.text ?? "none")")
  }

  @Test("records cut anywhere, and more failures than the limit") func hostile() {
    for (isEvent, code) in [(false, 0x19), (true, 0x11), (true, 0x0d), (true, 1), (true, 2)] {
      let record = little(2, width: 4) + little(code) + Self.device + [5]
      for count in 0...record.count {
        let evidence = evidence {
          $0.add(
            Array(record.prefix(count)), nil, framing: .monitor(opcode: isEvent ? 17 : 16))
        }
        _ = evidence.findings()
        #expect(evidence.management.failures.count <= 1)
      }
    }
    let many = evidence { traffic in
      for peer in 0..<100 { traffic.management(event: true, 0x0d, peer: peer, [4]) }
    }
    #expect(many.management.failures.count == 32)
    #expect(
      many.finding("mgmt_connect_failed")?.note?.text
        == "Only the first 32 failures that the kernel reports are analysed; 68 later ones are not counted here."
    )
  }

  @Test("the verdict without a connection depends on the other contents") func verdicts() throws {
    let cases: [(String, (inout Traffic) -> Void)] = [
      (
        "No connection in this capture; gattscope devices lists the advertisers", { $0.advertise() }
      ),
      (
        "No connection and no advertisement in this capture",
        {
          $0.perform(0x0c03)
        }
      ),
      (
        "No HCI packet in this capture; the kernel reports no failed connection or pairing",
        { $0.addControl(0x23, [6]) }
      ),
    ]
    for (verdict, build) in cases {
      let lines = try page(build)
      #expect(lines.contains(verdict))
    }
  }
}
