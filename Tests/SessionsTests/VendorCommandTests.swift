// Vendors' commands and events, which have names only if the controller's manufacturer is known.

import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

/// The names are those of BlueZ's monitor, of Zephyr's hci_vs.h and of Linux' drivers.
@Suite("Names of vendors' commands") struct VendorCommandTests {
  /// Returns the row's name for the last record of this traffic.
  private func last(_ write: (inout Traffic) -> Void) -> String? {
    var traffic = Traffic()
    write(&traffic)
    var names = RowNames()
    traffic.report(to: &names)
    return names.last
  }

  /// The return parameters of Read Local Version Information.
  private func version(_ manufacturer: Int) -> [UInt8] {
    [0, 11, 0, 0, 11, UInt8(manufacturer & 0xff), UInt8(manufacturer >> 8), 0, 0]
  }

  static let commands: [(manufacturer: Int, opcode: Int, name: String?)] = [
    (2, 0xfc05, "Intel Read Version"), (2, 0xfe0b, "Intel PPAG Enable"), (2, 0xfc03, nil),
    (15, 0xfc01, "Broadcom Write BD ADDR"), (15, 0xfc4c, "Broadcom Write RAM"),
    (15, 0xfc05, nil), (29, 0xfc17, "Qualcomm Host Log"), (29, 0xfc4c, nil),
    (0x59, 0xfc0a, "Zephyr Read Key Hierarchy Roots"), (0x5f1, 0xfc05, "Zephyr Reset"),
    // The names of another manufacturer's commands are unknown.
    (10, 0xfc05, nil), (93, 0xfc01, nil),
    // Android's opcodes are fixed, whoever made the controller.
    (2, 0xfd53, "Android LE Get Vendor Capabilities"),
  ]

  @Test("By the manufacturer that the controller reports", arguments: commands)
  func byVersion(_ manufacturer: Int, _ opcode: Int, _ name: String?) {
    #expect(
      last { traffic in
        traffic.complete(0x1001, version(manufacturer))
        traffic.command(opcode, [])
      } == name)
  }

  @Test("Without a manufacturer no name, and none of another controller's")
  func unknown() {
    #expect(last { $0.command(0xfc05, []) } == nil)
    // A refusal reports no manufacturer.
    #expect(
      last { traffic in
        traffic.complete(0x1001, [0x0c])
        traffic.command(0xfc05, [])
      } == nil)
    #expect(
      last { traffic in
        traffic.complete(0x1001, version(2))
        traffic.adapter = 1
        traffic.command(0xfc05, [])
      } == nil)
  }

  @Test("A controller that is replaced, or that reports another manufacturer")
  func replaced() {
    #expect(
      last { traffic in
        // Index Info: address, manufacturer.
        traffic.note(10, hex("77 55 44 33 22 11 02 00"))
        traffic.command(0xfc05, [])
      } == "Intel Read Version")
    #expect(
      last { traffic in
        traffic.note(10, hex("77 55 44 33 22 11 02 00"))
        // New Index: type, bus, address, name.
        traffic.note(0, hex("00 01 00 00 00 00 00 00 68 63 69 30 00 00 00 00"))
        traffic.command(0xfc05, [])
      } == nil)
    #expect(
      last { traffic in
        traffic.complete(0x1001, version(2))
        traffic.complete(0x1001, version(10))
        traffic.command(0xfc05, [])
      } == nil)
  }

  @Test("Events by their first byte")
  func events() {
    func event(_ manufacturer: Int, _ bytes: [UInt8]) -> String? {
      last { traffic in
        traffic.complete(0x1001, version(manufacturer))
        traffic.event(0xff, bytes)
      }
    }
    #expect(event(2, [0x06, 0, 0, 0, 0]) == "Intel Secure Send Commands Result")
    #expect(event(15, [0xb4, 0]) == "Broadcom LM Diag")
    #expect(event(0x5f1, [0x04]) == "Zephyr Scan Request Received")
    let others: [(Int, [UInt8])] = [(2, []), (2, [0x07]), (15, [0x06]), (29, [0x06])]
    for (manufacturer, bytes) in others {
      #expect(event(manufacturer, bytes) == "Vendor Specific")
    }
  }
}
