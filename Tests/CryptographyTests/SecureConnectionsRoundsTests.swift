import Bytes
import Testing

@testable import Cryptography

/// The public keys of Core, Vol 2, Part G, 7.1.2.1.
@Suite struct SecureConnectionsRoundsTests {
  private typealias Rounds = SecureConnectionsRounds

  /// Two devices entering passkeys, until the responder finds a bit that differs.
  private struct Entry {
    let initiatorKey: P256Coordinate
    let responderKey: P256Coordinate
    var rounds: [SecureConnectionsRounds.Values] = []

    init() throws {
      initiatorKey = try coordinate(Sample.debugX)
      responderKey = try coordinate(Sample.otherX)
    }

    init(_ initiator: UInt32, _ responder: UInt32) throws {
      try self.init()
      for round in 0..<20 {
        let bits = (UInt8(initiator >> round & 1), UInt8(responder >> round & 1))
        var values = SecureConnectionsRounds.Values()
        let random = PairingValue(number: UInt128(1000 + round))
        values.initiatorRandom = random
        values.initiatorConfirm = SecureConnections.f4(
          initiatorKey, responderKey, random: random, z: 0x80 | bits.0)
        let other = PairingValue(number: UInt128(2000 + round))
        values.responderConfirm = SecureConnections.f4(
          responderKey, initiatorKey, random: other, z: 0x80 | bits.1)
        let agree = bits.0 == bits.1
        if agree { values.responderRandom = other }
        rounds.append(values)
        if !agree { break }
      }
    }

    func analysed(refusedBy side: PairingSide? = nil) -> SecureConnectionsRounds {
      SecureConnectionsRounds(
        initiatorKey: initiatorKey, responderKey: responderKey, rounds, refusedBy: side)
    }
  }

  @Test func theSamePasskey() throws {
    let rounds = try Entry(799_308, 799_308).analysed()
    #expect(rounds.rounds.count == 20)
    #expect(rounds.parting == nil)
    #expect(rounds.agreed.passkey?.number == 799_308)
    #expect(rounds.bits(of: .responder) == rounds.agreed)
    #expect(rounds.agreed.candidates == 1)
  }

  /// 799308 ends with the bits 01100, 799309 with 01101, 799324 with 11100.
  @Test(arguments: [(799_309, 1, 0), (799_324, 5, 0xc), (799_308 ^ 1 << 19, 20, 0x4_324c)])
  func differentPasskeys(_ typed: UInt32, _ round: Int, _ alike: UInt32) throws {
    let rounds = try Entry(typed, 799_308).analysed(refusedBy: .responder)
    let parting = try #require(rounds.parting)
    #expect(parting.round == round)
    #expect(parting.isDeduced)
    #expect(parting.initiatorBit == UInt8(typed >> (round - 1) & 1))
    #expect(parting.responderBit == UInt8(799_308 >> (round - 1) & 1))
    #expect(rounds.rounds.last?.responder == .hidden)
    #expect(rounds.agreed.count == round - 1)
    #expect(rounds.agreed.number == alike)
    let (initiator, responder) = (rounds.bits(of: .initiator), rounds.bits(of: .responder))
    #expect(initiator.count == round && responder.count == round)
    #expect(responder.fit(try digits(799_308)))
    #expect(!initiator.fit(try digits(799_308)))
    #expect(initiator.fit(try digits(typed)))
  }

  /// Without a failure the capture may simply have ended there, so nothing is concluded.
  @Test func noRefusal() throws {
    let rounds = try Entry(799_309, 799_308).analysed()
    #expect(rounds.parting == nil)
    #expect(rounds.rounds.first?.initiator == .opens(bit: 1))
    #expect(rounds.agreed.count == 0)
    #expect(rounds.agreed.candidates == 1_000_000)
  }

  /// The responder reveals a different bit than it accepted; both bits are known, not deduced.
  @Test func bothBitsAreShown() throws {
    var entry = try Entry(5, 5)
    entry.rounds.removeLast(16)
    let random = PairingValue(number: 7)
    entry.rounds[3].responderRandom = random
    entry.rounds[3].responderConfirm = SecureConnections.f4(
      entry.responderKey, entry.initiatorKey, random: random, z: 0x81)
    let parting = try #require(entry.analysed(refusedBy: .initiator).parting)
    #expect(parting.round == 4)
    #expect(parting.initiatorBit == 0)
    #expect(!parting.isDeduced)
  }

  /// The initiator refuses its own bit: the sides do not differ.
  @Test func refusedWithoutReason() throws {
    var entry = try Entry(5, 5)
    entry.rounds.removeLast(17)
    let rounds = entry.analysed(refusedBy: .initiator)
    #expect(rounds.parting == nil)
    #expect(rounds.agreed.count == 3)
    #expect(rounds.agreed.number == 5)
  }

  /// With missing records, one side's bits are enough if the other side continued.
  @Test func gaps() throws {
    var entry = try Entry(799_308, 799_308)
    entry.rounds[1].initiatorConfirm = nil
    entry.rounds[2].responderRandom = nil
    #expect(entry.analysed().agreed.passkey?.number == 799_308)
    entry.rounds[2].initiatorRandom = nil
    let rounds = entry.analysed()
    #expect(rounds.agreed.count == 2)
    #expect(rounds.bits(of: .initiator).candidates == 250_000)
    #expect(rounds.rounds[2].initiator == .hidden)
    #expect(rounds.rounds[19].initiator == .opens(bit: 1))
    entry.rounds[19].responderRandom = nil
    entry.rounds[19].initiatorConfirm = nil
    #expect(entry.analysed().rounds[19].initiator == .hidden)
  }

  /// 20 bits can hold more than six digits; a 21st round is not counted.
  @Test func noPasskey() throws {
    var entry = try Entry(0xf_ffff, 0xf_ffff)
    entry.rounds.append(entry.rounds[0])
    let rounds = entry.analysed()
    #expect(rounds.rounds.count == 20)
    #expect(rounds.agreed.number == 0xf_ffff)
    #expect(rounds.agreed.passkey == nil)
    #expect(rounds.agreed.candidates == 0)
    #expect(try Entry().analysed(refusedBy: .responder).rounds.isEmpty)
  }

  /// Values of bumble's f4: for bit 0, for bit 1, and for bit 1 computed wrongly.
  @Test(arguments: [
    ("d2e64d777f3a364e2e4fd46c3141392e", SecureConnectionsCommitment.opens(bit: 0)),
    ("e877cd55d274e336d5fb2976647450d2", .opens(bit: 1)),
    ("912a7957c927880e8d74d2b80343f1e3", .deviates(bit: 1, .keysExchanged)),
    ("1acd3253ef41ad90c1f8d8fea48cb598", .deviates(bit: 1, .keysReversed)),
    ("0bd656e161d271792b5cf56b79b1cf83", .deviates(bit: 1, .randomReversed)),
    ("de838858e187b69876670c3d2db6dc9a", .deviates(bit: 1, .bareBit)),
    ("d250746476 29fbd536e374d255cd77e8", .deviates(bit: 1, .resultReversed)),
    ("2615d60b89841810125ed444c6555d92", .deviates(bit: 0, .bareBit)),
    ("00000000000000000000000000000000", .closed),
  ])
  func commitments(_ confirm: String, _ expected: SecureConnectionsCommitment) throws {
    let entry = try Entry()
    let random = try value(Sample.random1)
    let commitment = SecureConnectionsCommitment.passkeyBit(
      entry.initiatorKey, entry.responderKey, confirm: try value(confirm), random: random)
    #expect(commitment == expected)
    let bit: UInt8? =
      switch expected {
      case .opens(let bit), .deviates(let bit, _): bit
      default: nil
      }
    #expect(commitment.bit == bit)
  }

  /// A side that computes f4 wrongly is refused for either bit, so the other's bit is not deduced.
  @Test func wrongFunction() throws {
    var entry = try Entry(1, 0)
    entry.rounds[0].initiatorConfirm = SecureConnections.f4(
      entry.responderKey, entry.initiatorKey, random: PairingValue(number: 1000), z: 0x81)
    let rounds = entry.analysed(refusedBy: .responder)
    #expect(rounds.parting == nil)
    #expect(rounds.agreed.count == 0)
    #expect(rounds.rounds[0].initiator == .deviates(bit: 1, .keysExchanged))
  }

  /// The only commitment of Just Works and numeric comparison, computed with bumble's f4.
  @Test func single() throws {
    let entry = try Entry()
    let confirm = try value("2615d60b89841810125ed444c6555d92")
    let random = try value(Sample.random1)
    typealias Commitment = SecureConnectionsCommitment
    let (own, other) = (entry.initiatorKey, entry.responderKey)
    #expect(Commitment.single(own, other, confirm: confirm, random: random) == .opens(bit: 0))
    #expect(
      Commitment.single(other, own, confirm: confirm, random: random)
        == .deviates(bit: 0, .keysExchanged))
    #expect(Commitment.single(own, other, confirm: confirm, random: .zero) == .closed)
    #expect(Commitment.single(own, other, confirm: nil, random: random) == .hidden)
    #expect(Commitment.single(own, other, confirm: confirm, random: nil) == .hidden)
    #expect(Commitment.hidden.bit == nil)
  }

  @Test func names() {
    let all = CommitmentDeviation.allCases
    #expect(Set(all.map(\.key.description)).count == all.count)
    #expect(Set(all.map(\.words.description)).count == all.count)
  }
}
