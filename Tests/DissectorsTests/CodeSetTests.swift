import Bytes
import Testing

@testable import Bluetooth

@Suite("Code sets")
struct CodeSetTests {
  /// Returns the names of the codes from 0 to 9.
  private func names(_ set: CodeSet) -> [String?] {
    (0...9).map { set.name(of: $0)?.description }
  }

  @Test("Names have the codes from 0, in one line or one per line")
  func consecutive() {
    let expected = ["Off", "On, connectable", "3 slots"] + [String?](repeating: nil, count: 7)
    #expect(names(CodeSet("Off | On, connectable | 3 slots")) == expected)
    #expect(names(CodeSet("Off\nOn, connectable\n3 slots")) == expected)
    #expect(names(CodeSet("")).allSatisfy { $0 == nil })
  }

  @Test("@ sets a code in hexadecimal; an empty line leaves one out")
  func gaps() {
    let set = CodeSet("@1 One\nTwo\n\nFour\n@7 Seven | Eight | @fe Random")
    #expect(names(set) == [nil, "One", "Two", nil, "Four", nil, nil, "Seven", "Eight", nil])
    #expect(set.name(of: 0xfe)?.description == "Random")
    #expect(set.name(of: 0xff) == nil)
    #expect(set.name(of: .max) == nil)
  }

  @Test("A set can be the later part of another one")
  func laterPart() {
    let set = CodeSet(CodeSet("A | B | C | @6 D"), from: 2)
    #expect(names(set) == ["C", nil, nil, nil, "D", nil, nil, nil, nil, nil])
    #expect(set.name(of: .max) == nil)
    #expect(CodeSet.leFeatures1.name(of: 0) == CodeSet.leFeatures.name(of: 64))
  }

  @Test(
    "Codes have the names of the specification",
    arguments: [
      (CodeSet.role, 1, "Peripheral"), (.addressType, 0xfe, "Random, unresolved"),
      (.status, 0x3d, "Connection Terminated due to MIC Failure"), (.status, 0x2b, nil),
      (.psm, 0x0027, "EATT"), (.authReq, 1, nil), (.authReq, 3, "SC"),
      (.leFeatures, 63, "LL Extended Feature Set"), (.pairingIOCapability, 4, "KeyboardDisplay"),
      (.ioCapability, 4, nil), (.androidVersion, 0x0037, "0.55"),
    ] as [(CodeSet, UInt64, String?)])
  func known(set: CodeSet, code: UInt64, name: String?) {
    #expect(set.name(of: code)?.description == name)
  }
}
