// The keys that are tried for decrypting connections on the air.

import Bluetooth
import Bytes
import Captures
import Cryptography
import Testing

@testable import Sessions

@Suite("Keys to try on the air") struct LinkKeysTests {
  private static let ascending = (0..<16).map { UInt8($0) }
  private static let central = AirParty(
    address: DeviceAddress(value: 0xc011_2233_4455), type: .random)
  private static let peripheral = AirParty(
    address: DeviceAddress(value: 0xc0ff_ee12_3456), type: .random)

  private static func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

  private static func bond(
    _ address: DeviceAddress = .zero, _ change: (inout Bond) -> Void
  ) -> Bond {
    var bond = Bond(address, .random, file: "keys")
    change(&bond)
    return bond
  }

  /// Returns the candidates for an encryption start with an EDIV.
  private static func candidates(_ bonds: [Bond], ediv: UInt16 = 0) -> [CandidateKey] {
    LinkKeys(bonds).candidates(
      AirPairing(), central, peripheral, ediv: ediv, rand: 0,
      KnownKeys(bonds, SharedLimits(Limits())))
  }

  private static func value(_ bytes: [UInt8]) -> PairingValue? { PairingValue(bytes.bytes) }

  @Test("both byte orders of a key are tried, the written one first") func orders() {
    let bonds = [Self.bond { $0.longTermKeys = [Bond.LongTermKey(Self.ascending)] }]
    let found = Self.candidates(bonds)
    #expect(found.map(\.key) == [Self.ascending, Self.ascending.reversed()].map(Self.value))
    #expect(found.map(\.isReversed) == [false, true])
    #expect(found.allSatisfy { $0.source == .supplied && !$0.isSessionKey })
    #expect(LinkKeys(bonds).count == 1)
  }

  @Test("the key that EDIV identifies comes first, then those of the two devices")
  func likeliestFirst() {
    func ltk(_ byte: UInt8, ediv: UInt16) -> Bond.LongTermKey {
      var key = Bond.LongTermKey(Self.key(byte))
      key.ediv = ediv
      return key
    }
    let bonds = [
      Self.bond { $0.longTermKeys = [ltk(1, ediv: 1)] },
      Self.bond(Self.peripheral.address) { $0.longTermKeys = [ltk(2, ediv: 2)] },
      Self.bond { $0.longTermKeys = [ltk(3, ediv: 3)] },
      Self.bond { $0.sniffer.shortTerm = [Self.key(4)] },
    ]
    let found = Self.candidates(bonds, ediv: 3)
    #expect(found.map(\.key) == [3, 4, 2, 1].map { Self.value(Self.key($0)) })
    #expect(LinkKeys(bonds).count == 4)
  }

  @Test("of a short key, the bytes that count are tried in both orders") func short() {
    var key = Bond.LongTermKey(
      Array(Self.ascending.prefix(7)) + [UInt8](repeating: 0, count: 9))
    key.size = 7
    let found = Self.candidates([Self.bond { $0.longTermKeys = [key] }]).map(\.key)
    #expect(found.first == Self.value(key.bytes))
    #expect(found.contains(PairingValue(number: 0x00_0102_0304_0506)))
  }

  @Test("a BR/EDR key gives the LTKs of both conversion functions") func linkKey() {
    let found = Self.candidates([Self.bond { $0.linkKey = Self.key(5) }]).map(\.key)
    let link = PairingValue(number: UInt128(0x0505_0505_0505_0505) << 64 | 0x0505_0505_0505_0505)
    #expect(
      found
        == [true, false].map { PairingValue.longTermKey(ofLinkKey: link, usesH7: $0) })
  }

  @Test("session keys are marked; passkeys and private keys are kept for pairings")
  func others() {
    let bond = Self.bond {
      $0.sniffer.session = [Self.key(6)]
      $0.sniffer.passkeys = [42]
      $0.sniffer.temporary = [Self.ascending]
      $0.sniffer.privateKeys = [Self.ascending + Self.ascending]
    }
    let keys = LinkKeys([bond])
    #expect(Self.candidates([bond]).allSatisfy { $0.isSessionKey })
    #expect(keys.count == 4)
    #expect(
      keys.temporary == [
        Self.value(Self.ascending), Self.value(Self.ascending.reversed()), PairingValue(number: 42),
      ])
    #expect(keys.privateKeys.count == 2)
  }

  @Test("keys of any device name and identify none") func anyDevice() {
    var bond = Self.bond { $0.longTermKeys = [Bond.LongTermKey(Self.ascending)] }
    bond.name = Array("Band".utf8)
    bond.identityResolvingKey = Self.key(7)
    let memory = Memory(bonds: [bond])
    #expect(memory.keys.keys.allSatisfy { $0.address == nil && $0.type == nil })
    #expect(memory.identities.isEmpty)
    #expect(memory.names.find(.zero, .random) == nil)
  }
}
