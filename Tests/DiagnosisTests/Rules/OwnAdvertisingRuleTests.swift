// What this host advertises, and under which addresses.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("This host's advertising") struct OwnAdvertisingRuleTests {
  private static let data = "adv_data_malformed"
  private static let address = "adv_random_address"

  /// Sets legacy advertising data, or scan response data.
  private func setting(_ text: String, _ opcode: Int = 0x2008, kept: Int? = nil) -> Finding? {
    let evidence = evidence {
      let bytes = hex(text)
      let padding = [UInt8](repeating: 0, count: 31 - bytes.count)
      let parameters = [UInt8(bytes.count)] + bytes + padding
      $0.add([1] + little(opcode) + [32] + parameters, .sent, kept: kept)
      $0.complete(opcode)
    }
    return evidence.finding(Self.data)
  }

  @Test("Flags without their type") func withoutType() {
    let found = setting("01 06")
    #expect(found?.packets == "#1")
    #expect(found?.certainty == .likely)
    #expect(setting("02 01 06") == nil)
    // Lists that are complete and empty, and Flags further on.
    #expect(setting("01 07") == nil)
    #expect(setting("01 06 02 01 06") == nil)
    #expect(setting("") == nil)
  }

  @Test("wrong lengths, and bytes after an early end") func lengths() {
    #expect(
      setting("02 01 06 05 09 41")?.why.text
        == "The structure at byte 3 claims 5 bytes, but only 2 follow.")
    #expect(
      setting("03 0a 01 02", 0x2009)?.line == "This host's scan response data is malformed #1")
    #expect(setting("03 0a 01 02").whyText.hasPrefix("The structure Tx Power Level has 2 bytes"))
    #expect(setting("02 01 06 00 41").whyText.contains("ends the data early, but 1 byte"))
    #expect(setting("02 01 06 00 00") == nil)
    #expect(setting("02 01 06 05 09 41 42 43 44", kept: 10) == nil, "the recorder cut it")
  }

  @Test("extended data: complete data is examined, fragments are not") func extended() {
    func capture(operation: UInt8) -> [String] {
      let evidence = evidence {
        $0.perform(0x2037, [0, operation, 1, 4] + hex("05 09 41 42"))
      }
      return evidence.packets(of: Self.data)
    }
    #expect(capture(operation: 3) == ["#1"])
    #expect(capture(operation: 1) == [])
  }

  @Test("a random address whose upper bits are 10") func impossible() {
    func capture(_ address: Int) -> [String] {
      let evidence = evidence {
        $0.perform(0x2005, little(address, width: 6))
      }
      return evidence.lines(of: Self.address)
    }
    #expect(
      capture(0x9a11_2233_4455) == [
        "This host uses 9A:11:22:33:44:55, which is not a random address of any kind #1"
      ])
    for address in [0xda11_2233_4455, 0x5a11_2233_4455, 0x1a11_2233_4455] {
      #expect(capture(address) == [])
    }
  }

  @Test("connectable advertising under a non-resolvable address: a note unless it replaces another")
  func unsuitable() {
    func capture(
      before: Int? = nil, address: Int = 0x0c7f_c008_6548, properties: UInt8 = 0x13,
      type: UInt8 = 1, between: Int? = nil
    ) -> Finding? {
      let evidence = evidence {
        $0.perform(
          0x2036,
          [0, properties, 0] + hex("a0 00 00 f0 00 00 07") + [type] + hex("00 00 00 00 00 00 00")
            + hex("00 7f 01 00 01 00 00"), returns: [0, 0])
        for address in [before, address].compactMap(\.self) {
          $0.perform(0x2035, [0] + little(address, width: 6))
        }
        if let between {
          $0.perform(between, between == 0x203c ? [0] : [])
        }
        $0.perform(0x2039, [1, 1, 0, 0, 0, 0])
      }
      return evidence.finding(Self.address)
    }
    let found = capture()
    #expect(
      found?.line == "This host is connectable under a non-resolvable private address #1 #3 #5")
    #expect(found?.severity == .note)
    let replaced = capture(before: 0xeda1_a2a3_a4ab)
    #expect(replaced?.severity == .warning)
    #expect(replaced?.evidence == [1, 3, 5, 7])
    #expect(replaced.whyText.contains("had the address ED:A1:A2:A3:A4:AB before (#3)"))
    #expect(capture(address: 0xcc7f_c008_6548) == nil)
    #expect(capture(address: 0x4c7f_c008_6548) == nil)
    #expect(capture(properties: 0x10) == nil, "not connectable")
    #expect(capture(type: 0) == nil, "the public address")
    #expect(capture(between: 0x0c03) == nil, "a reset")
    #expect(capture(between: 0x203c) == nil, "the set was removed")
  }

  @Test("memory is limited, however many addresses and data are set") func bounded() {
    let evidence = evidence {
      for index in 0..<100 {
        $0.perform(0x2005, little(0x9a11_2233_4400 + index, width: 6))
        $0.perform(0x2037, [UInt8(index), 3, 1, 2, UInt8(index + 2), 9])
      }
    }
    let faults = evidence.adapters.first?.sets.faults
    #expect(faults?.addresses.count == 8)
    #expect(faults?.data.count == 8)
  }
}
