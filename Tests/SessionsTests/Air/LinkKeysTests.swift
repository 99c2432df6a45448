// The keys that are tried for decrypting connections on the air.

import Bluetooth
import Bytes
import Captures
import Cryptography
import Foundation
import MadeTraffic
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

/// How many PDUs of encrypted connections were decrypted.
private struct Decryption: PacketReport, ~Copyable {
  var decrypted = 0
  var undecrypted = 0
  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {}

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    for period in memory.air.all.flatMap(\.periods) {
      decrypted += period.decrypted
      undecrypted += period.undecrypted
    }
  }
}

@Suite("Keys that decrypt what a sniffer recorded") struct DecryptingKeysTests {
  /// Most significant byte first.
  private static let key = (0..<16).map { UInt8(0x30 + $0) }

  /// Returns whether everything, or nothing, was decrypted; nil: some of it.
  private static func decrypts(_ air: AirTraffic, _ bonds: [Bond]) -> Bool? {
    var source = MemorySource(air.records(AirForm(.nordic3)))
    var decryption = Decryption()
    var pass = Pass(bonds: bonds)
    var output = Output()
    try? pass.run(&source, &decryption, into: &output)
    if decryption.decrypted > 5, decryption.undecrypted == 0 { return true }
    return decryption.decrypted == 0 && decryption.undecrypted > 5 ? false : nil
  }

  /// Returns a connection that is encrypted with a key of an earlier pairing, most significant byte
  /// first.
  private static func connection(_ key: [UInt8], ediv: Int = 0) -> AirTraffic {
    var air = AirTraffic(seed: 5)
    air.advertise()
    air.connect()
    air.encrypt(key, ediv: ediv, rand: 9)
    for index in 0..<5 {
      air.send([7, 0, 4, 0, 0x1b, 0x10, 0] + [UInt8](repeating: UInt8(index), count: 4), .received)
    }
    air.disconnect()
    return air
  }

  private static func bond(_ change: (inout Bond) -> Void) -> [Bond] {
    var bond = Bond(.zero, .public, file: "keys")
    change(&bond)
    return [bond]
  }

  @Test("a long term key in either byte order; no other key") func longTermKeys() {
    let air = Self.connection(Self.key, ediv: 7)
    for key in [Self.key, Self.key.reversed()] {
      #expect(
        Self.decrypts(air, Self.bond { $0.longTermKeys = [Bond.LongTermKey(key)] }) == true)
      #expect(Self.decrypts(air, Self.bond { $0.sniffer.shortTerm = [key] }) == true)
    }
    #expect(Self.decrypts(air, []) == false)
    let other = Self.key.map { $0 ^ 1 }
    #expect(Self.decrypts(air, Self.bond { $0.longTermKeys = [Bond.LongTermKey(other)] }) == false)
  }

  @Test("a short key of which all bytes were written, in either byte order", arguments: [7, 15])
  func shortKeys(size: Int) {
    let zeros = [UInt8](repeating: 0, count: 16 - size)
    let air = Self.connection(zeros + Self.key.suffix(size))
    for key in [Array(Self.key.reversed()), Self.key] {
      let bonds = Self.bond {
        var key = Bond.LongTermKey(key)
        key.size = UInt8(size)
        $0.longTermKeys = [key]
      }
      #expect(Self.decrypts(air, bonds) == true)
    }
    // Only the bytes that count, in the other order than the file says.
    let bonds = Self.bond {
      var key = Bond.LongTermKey(Self.key.suffix(size) + zeros)
      key.size = UInt8(size)
      $0.longTermKeys = [key]
    }
    #expect(Self.decrypts(air, bonds) == true)
  }

  @Test("a BR/EDR key, by either function", arguments: [false, true])
  func linkKeys(usesH7: Bool) throws {
    let found = PairingValue(Self.key.bytes)
    let link = try #require(found)
    let key = PairingValue.longTermKey(ofLinkKey: link, usesH7: usesH7).littleEndian
    let air = Self.connection(key.reversed())
    #expect(Self.decrypts(air, Self.bond { $0.linkKey = Self.key }) == true)
    #expect(Self.decrypts(air, Self.bond { $0.linkKey = Self.key.reversed() }) == true)
  }

  @Test("the log of a host, the central or the peripheral", arguments: [UInt8(0), 1])
  func hostsLog(role: UInt8) {
    var host = Traffic()
    host.connect(role: role)
    if role == 0 {
      host.startEncryption(key: 0x5c, ediv: 0x1234, rand: 9)
    } else {
      host.requestKey(key: 0x5c, ediv: 0x1234, rand: 9)
    }
    host.encrypted()
    for _ in 0..<5 {
      host.sent("0a 10 00")
      host.received("0b 64")
    }
    host.disconnect()
    var air = AirTraffic(seed: 6)
    air.carry(host.records)
    #expect(Self.decrypts(air, []) == false)
    var collection = KeyCollection(file: "host", [])
    host.report(to: &collection)
    #expect(Self.decrypts(air, collection.bonds) == true)
  }

  /// One side uses the debug key pair.
  private static let debugPairing = otherCaptures.appending(
    path: "air/bsniffhub-sc-numericcomparison-380717.pcap")

  @Test(
    "the key that Secure Connections gave, from a pairing with the debug key",
    .enabled(
      if: FileManager.default.fileExists(atPath: debugPairing.path), "no ../shared/captures"))
  func debugKey() throws {
    var source = try CaptureReader(path: Self.debugPairing.path)
    var collection = KeyCollection(file: "other", [])
    var pass = Pass()
    var output = Output()
    try pass.run(&source, &collection, into: &output)
    let key = hex("10 47 e6 f9 fb f0 5a 2b fb 85 0e 0f 45 b0 0f 92")
    #expect(
      collection.bonds.flatMap(\.longTermKeys).map(\.bytes) == [Array(key.reversed())])
  }
}
