// Encrypted connections from the air, against what was really sent; a second implementation
// encrypts it.

import Bluetooth
import Bytes
import Captures
import Cryptography
import MadeTraffic
import Testing

@testable import Sessions

private let seeds: ClosedRange<UInt64> = 1...4
private let otherKey: [UInt8] = (0x70..<0x80).map { $0 }

/// Returns a connection that is opened so that the capture has all of it.
private func opened(seed: UInt64, hearing opcodes: Set<UInt8> = [3, 4, 5]) -> AirTraffic {
  var air = AirTraffic(seed: seed)
  air.hears = { packet in
    packet.isAdvertising || opcodes.contains(packet.opcode ?? 0xff) ? .heard : nil
  }
  air.advertise(2)
  air.connect(heard: true)
  air.exchangeFeatures()
  return air
}

extension AirTraffic {
  /// Exchanges data in both directions.
  fileprivate mutating func talk(_ rounds: Int) {
    for index in 0..<rounds {
      queue(notification(index % 40, handle: index + 1), index % 3 == 0 ? .sent : .received)
      if index % 2 == 0 { flush() }
      run(events: index % 3)
    }
    flush()
  }
}

/// Checks every encrypted packet that was heard: it is decrypted with its counter, its side is
/// right, and what is missing before it is counted.
private func expectDecrypted(_ air: AirTraffic, _ found: Following, of link: Int? = nil) {
  let numbers = air.pduNumbers
  var heard: Set<[Int]> = []
  var next = [UInt64](repeating: 0, count: 2)
  for (index, packet) in air.sent.enumerated() {
    guard let side = packet.side, let counter = packet.counter, packet.hearing == .heard,
      let record = packet.record, link == nil || packet.link == link
    else { continue }
    let place = Int(side.rawValue)
    let seen = found[record]
    #expect(seen.direction == side, "\(record)")
    guard heard.insert([packet.link ?? 0, place, numbers[index]]).inserted else {
      #expect(seen.fact.isResent, "\(record)")
      continue
    }
    #expect(seen.fact.encryption == .decrypted && !seen.fact.isResent, "\(record)")
    #expect(seen.fact.packetCounter == counter, "\(record)")
    // A new encryption begins with 0 again.
    if counter < next[place] { next[place] = 0 }
    if counter > 0 { #expect(seen.fact.missedBefore == counter - next[place], "\(record)") }
    next[place] = counter + 1
    let isSuffix = seen.isJoined && seen.bytes.suffix(packet.payload.count) == packet.payload[...]
    #expect(seen.bytes == packet.payload || isSuffix, "\(record)")
  }
}

@Suite("Decryption from the air") struct AirDecryptionTests {
  @Test(
    "with its key, everything is read, across losses and holes", arguments: forms.indices, seeds)
  func everything(form: Int, seed: UInt64) {
    var air = opened(seed: seed)
    (air.radio.refused, air.radio.lost) = (40, 20)
    (air.radio.missed, air.radio.damaged) = (80, 20)
    air.encrypt(madeKey, ediv: 7, rand: 9, queued: seed % 2 == 0)
    air.talk(30)
    // A hole in which more PDUs are lost than a short search finds.
    let wasDeaf = air.isDeaf
    air.isDeaf = true
    for _ in 0..<8 { air.queue(notification(240), .received) }
    air.flush()
    air.talk(50)
    air.isDeaf = wasDeaf
    air.talk(30)
    let found = follow(air, forms[form].form, keys: [otherKey, madeKey])
    expectDecrypted(air, found)
    #expect(found.link.periods.count == 1)
    #expect(found.link.periods.first?.keySource == .supplied)
    #expect(found.link.periods.first?.undecrypted == 0)
  }

  @Test("after a pause, another key encrypts", arguments: seeds) func pauses(seed: UInt64) {
    var air = opened(seed: seed, hearing: [3, 4, 5, 0x0a, 0x0b])
    air.radio.missed = 60
    air.encrypt(madeKey)
    air.talk(20)
    air.encryptAgain(otherKey)
    air.talk(20)
    for form in [AirForm(.nordic3), AirForm(.pseudoHeader), AirForm(.linkLayer)] {
      let found = follow(air, form, keys: [madeKey, otherKey])
      expectDecrypted(air, found)
      #expect(found.link.periods.count == 2)
    }
    // With one of the keys, the other part stays unread.
    let half = follow(air, keys: [madeKey])
    #expect(half.link.periods.map(\.keySource) == [.supplied, nil])
    #expect(half.link.periods.last?.reason == .keysDoNotFit)
  }

  @Test("what the sniffer decrypted is read as it is", arguments: seeds) func firmware(seed: UInt64)
  {
    var air = opened(seed: seed)
    air.radio.missed = 30
    air.encrypt(madeKey)
    air.talk(20)
    for layout in [AirForm.Layout.pseudoHeader, .nordic2, .nordic3] {
      var form = AirForm(layout)
      form.isDecrypted = true
      let found = follow(air, form, keys: [madeKey])
      for (record, packet) in air.right where packet.counter != nil {
        let fact = found[record].fact
        #expect(fact.isResent || fact.encryption == .byFirmware, "\(layout), \(record)")
        #expect(fact.crc != .wrong)
      }
      #expect(found.link.periods.map(\.keySource) == [.sniffer])
      #expect(found.link.periods.first?.undecrypted == 0)
    }
  }

  @Test("a file that was decrypted before it was saved is read as it is") func before() {
    var air = opened(seed: 3)
    air.encrypt(madeKey)
    air.talk(20)
    var form = AirForm(.pseudoHeader)
    (form.isDecrypted, form.hasCRC) = (true, false)
    var records = air.records(form)
    for index in records.indices {
      // Neither "decrypted" nor a MIC is stated.
      records[index].bytes[8] &= ~0x08
      records[index].bytes[9] &= ~0x30
    }
    let found = follow(records)
    for (record, packet) in air.right where packet.counter != nil {
      #expect(found[record].fact.encryption == .before || found[record].fact.isResent)
    }
  }

  // MARK: Keys

  @Test("Just Works: temporary key 0", arguments: seeds) func justWorks(seed: UInt64) {
    var air = opened(seed: seed)
    let key = air.pair(.justWorks, [UInt8](repeating: 0, count: 16))
    air.radio.missed = 50
    air.encrypt(key)
    air.talk(20)
    let found = follow(air)
    expectDecrypted(air, found)
    #expect(found.link.periods.map(\.keySource) == [.pairing])
  }

  @Test("a distributed key encrypts later connections", arguments: seeds)
  func distributed(seed: UInt64) {
    var air = opened(seed: seed)
    let key = air.pair(.justWorks, [UInt8](repeating: 0, count: 16))
    air.encrypt(key)
    air.distribute(otherKey, ediv: 0x1234, rand: 0x99)
    air.disconnect()
    air.settings.accessAddress ^= 0x0102_0304
    air.advertise()
    air.connect(heard: true)
    air.radio.missed = 50
    air.encrypt(otherKey, ediv: 0x1234, rand: 0x99)
    air.talk(20)
    let found = follow(air, AirForm(.pseudoHeader))
    expectDecrypted(air, found)
    #expect(found.air.all.map { $0.periods.map(\.keySource) } == [[.pairing], [.distributed]])
  }

  /// A passkey is searched for once: by the confirm values, or by the first encrypted PDU.
  @Test("a passkey is found", arguments: [true, false]) func passkey(hasConfirm: Bool) {
    var air = opened(seed: 5)
    // Small, so that a search without optimisation is short.
    let temporaryKey = [UInt8](repeating: 0, count: 14) + [0x01, 0x2c]
    if !hasConfirm {
      // Neither confirm value: 4 bytes of L2CAP, and the code 3.
      air.hears = { $0.payload.count == 21 && $0.payload[4] == 3 ? .missed : nil }
    }
    let key = air.pair(.passkey, temporaryKey)
    air.encrypt(key)
    air.talk(10)
    let found = follow(air)
    expectDecrypted(air, found)
    #expect(found.link.periods.map(\.keySource) == [.search])
  }

  @Test("out-of-band data is needed, and is enough") func outOfBand() {
    var air = opened(seed: 6)
    let key = air.pair(.outOfBand, otherKey)
    air.encrypt(key)
    air.talk(10)
    let without = follow(air)
    #expect(without.link.periods.map(\.reason) == [.outOfBand])
    for isReversed in [false, true] {
      var bond = Bond(.zero, .random, file: "keys")
      bond.sniffer.temporary = [isReversed ? otherKey : otherKey.reversed()]
      let found = follow(air.records(AirForm(.nordic3)), bonds: [bond])
      expectDecrypted(air, found)
    }
  }

  @Test("Secure Connections needs a private key", arguments: [true, false])
  func secureConnections(isDebug: Bool) throws {
    var air = opened(seed: 7)
    let secrets = [[UInt8](1...32), [UInt8](2...33)]
    let pairs = secrets.compactMap { bytes in
      P256Coordinate(bytes.bytes).flatMap { P256KeyPair(privateKey: $0) }
    }
    try #require(pairs.count == 2)
    let privateKey = pairs[0]
    let peer = pairs[1]
    let responder = isDebug ? P256PublicKey.debug : peer.publicKey
    let dhKey = try #require(privateKey.dhKey(with: responder))
    air.send(l2cap([1, 3, 0, 9, 16, 0, 0], cid: 6), .sent)
    air.send(l2cap([2, 3, 0, 9, 16, 0, 0], cid: 6), .received)
    air.send(l2cap([12] + privateKey.publicKey.littleEndian, cid: 6), .sent)
    air.send(l2cap([12] + responder.littleEndian, cid: 6), .received)
    let randoms = [[UInt8](0..<16), [UInt8](16..<32)]
    let numbers = randoms.compactMap { PairingValue($0.bytes) }
    air.send(l2cap([3] + [UInt8](repeating: 9, count: 16), cid: 6), .received)
    air.send(l2cap([4] + randoms[0], cid: 6), .sent)
    air.send(l2cap([4] + randoms[1], cid: 6), .received)
    func address(_ value: Int) throws -> PairingAddress {
      let party = AirParty(address: DeviceAddress(value: UInt64(value)), type: .random)
      return try #require(party.pairingAddress)
    }
    let keys = SecureConnections.f5(
      dhKey: dhKey, initiatorRandom: numbers[0],
      responderRandom: numbers[1],
      initiator: try address(air.settings.central), responder: try address(air.settings.peripheral))
    air.encrypt(keys.longTermKey.littleEndian.reversed())
    air.talk(10)
    let found = follow(air)
    if isDebug {
      expectDecrypted(air, found)
      #expect(found.link.periods.map(\.keySource) == [.debugKey])
      return
    }
    #expect(found.link.periods.map(\.reason) == [.secureConnections])
    var bond = Bond(.zero, .random, file: "keys")
    bond.sniffer.privateKeys = [secrets[1]]
    let given = follow(air.records(AirForm(.nordic3)), bonds: [bond])
    expectDecrypted(air, given)
  }

  // MARK: Why not

  @Test("the reason is stated") func reasons() {
    func reason(
      keys: [[UInt8]] = [], missing opcode: UInt8? = nil, deaf: Bool = false
    ) -> UndecryptedReason? {
      var air = opened(seed: 8)
      air.hears = { $0.opcode != nil && $0.opcode == opcode ? .missed : nil }
      air.encrypt(madeKey, ediv: 5, rand: 6)
      air.talk(10)
      let found = follow(air, keys: keys)
      #expect(found.link.periods.last?.decrypted == 0)
      #expect(found.link.periods.last?.undecrypted ?? 0 > 8)
      return found.link.periods.last?.reason
    }
    #expect(reason() == .earlierBond)
    #expect(reason(keys: [otherKey]) == .keysDoNotFit)
    #expect(reason(keys: [madeKey], missing: 3) == .requestMissing)
    #expect(reason(keys: [madeKey], missing: 4) == .responseMissing)
  }

  @Test("encryption that began before the capture is recognised", arguments: seeds)
  func beganBefore(seed: UInt64) {
    var air = AirTraffic(seed: seed)
    air.advertise(2)
    air.isDeaf = true
    air.connect()
    air.encrypt(madeKey)
    air.isDeaf = false
    air.talk(30)
    let found = follow(air, keys: [madeKey])
    #expect(found.link.periods.map(\.reason) == [.beganBefore])
    // A random PDU looks plain now and then.
    let unread = found.packets.count { $0.fact.encryption == .unread }
    let encrypted = air.right.count { $0.packet.counter != nil }
    #expect(unread * 10 >= encrypted * 9, "\(unread) of \(encrypted)")
  }

  @Test("a key that no longer fits is given up") func lostKey() {
    var air = opened(seed: 9)
    air.encrypt(madeKey)
    air.talk(10)
    // The next start is missed as a whole, with the pause before it.
    air.isDeaf = true
    air.encryptAgain(otherKey)
    air.isDeaf = false
    air.talk(20)
    let found = follow(air, keys: [madeKey, otherKey])
    #expect(found.link.periods.map(\.reason) == [.lostCounter])
    #expect(found.link.periods.first?.decrypted ?? 0 > 8)
  }

  @Test("a peripheral without the key goes on in the clear") func refused() {
    var air = opened(seed: 10)
    air.encrypt(madeKey, has: false)
    air.talk(10)
    let found = follow(air, keys: [madeKey])
    for (record, packet) in air.right where packet.side != nil {
      #expect(found[record].fact.encryption == .clear)
    }
    #expect(found.connections.first?.isEncrypted != true)
  }
}
