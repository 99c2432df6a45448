// Conclusions from the values of successful and failed pairings in captures, compared with the
// output of the generator and of the kernel's test programs: passkeys, digits and keys.

import Bluetooth
import Bytes
import Captures
import Cryptography
import Foundation
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// A pairing, with its values in the order of the packets.
private struct Exchange {
  let initiator: Direction
  let peer: PairingAddress?
  var method: PairingMethod?
  var request: PairingCommand?
  var response: PairingCommand?
  /// By direction.
  var confirms: [[PairingValue]] = [[], []]
  var randoms: [[PairingValue]] = [[], []]
  var keys: [P256PublicKey?] = [nil, nil]
  /// The sender of Pairing Failed.
  var failedBy: Direction?
  /// The key of LE Enable Encryption.
  var encryptionKey: PairingValue?

  /// The sides as directions: the initiator, then the responder.
  var sides: [Int] { [Int(initiator.rawValue), Int(initiator.reversed.rawValue)] }

  mutating func add(_ pdu: SMPPDU, _ bytes: [UInt8], _ direction: Direction) {
    let side = Int(direction.rawValue)
    let value = PairingValue(bytes.bytes.dropping(1))
    switch pdu {
    case .pairing: response = PairingCommand(bytes.bytes)
    case .confirm: if let value { confirms[side].append(value) }
    case .random: if let value { randoms[side].append(value) }
    case .publicKey: keys[side] = P256PublicKey(bytes.bytes.dropping(1))
    case .failed: failedBy = direction
    default: break
    }
  }

  /// Describes the results that can be computed.
  func facts(near passkey: UInt32) -> String {
    guard let method else { return "no method" }
    let facts =
      method.isSecureConnections
      ? secureConnections(method)
      : legacy(method.hasPasskey ? passkey - min(passkey, 20)...passkey + 20 : 0...0)
    return ([method.key.description] + facts).joined(separator: ", ")
  }

  /// Searches for both sides' passkeys, and for the local address instead of taking it from the
  /// capture.
  private func legacy(_ passkeys: ClosedRange<UInt32>) -> [String] {
    guard let request, let response else { return ["no features"] }
    let search = PasskeySearch(
      request: request, response: response, initiator: initiator == .sent ? nil : peer,
      responder: initiator == .sent ? peer : nil)
    var facts: [String] = []
    var found: PasskeySearch.Finding?
    for (side, name) in zip(sides, ["initiator", "responder"]) {
      guard let confirm = confirms[side].first, let random = randoms[side].first else { continue }
      found = search?.search(
        PasskeySearch.Opening(confirm: confirm, random: random),
        in: passkeys)
      facts.append("\(name) \(found?.passkey.description ?? "unknown")")
      if let found {
        let own = initiator == .sent ? found.inputs.initiator : found.inputs.responder
        facts.append("at \(String(own.address.value, radix: 16))\(own.isRandom ? " random" : "")")
        if !found.deviations.isEmpty { facts.append("\(found.deviations)") }
      }
    }
    if let encryptionKey, let found, let first = randoms[sides[0]].first,
      let second = randoms[sides[1]].first
    {
      let key = LegacyPairing.s1(
        temporaryKey: PairingValue(found.passkey), responderRandom: second, initiatorRandom: first)
      facts.append(key == encryptionKey ? "its key encrypts" : "another key encrypts")
    }
    return facts
  }

  private func secureConnections(_ method: PairingMethod) -> [String] {
    guard let first = keys[sides[0]], let second = keys[sides[1]] else { return ["no keys"] }
    guard first.isOnCurve, second.isOnCurve else { return ["not on the curve"] }
    if method.hasPasskey { return rounds(first.x, second.x) }
    let commitment = SecureConnectionsCommitment.single(
      second.x, first.x, confirm: confirms[sides[1]].first, random: randoms[sides[1]].first)
    var facts = ["\(commitment)"]
    if let initiator = randoms[sides[0]].first, let responder = randoms[sides[1]].first {
      facts.append(
        SecureConnections.g2(
          initiatorKey: first.x, responderKey: second.x, initiatorRandom: initiator,
          responderRandom: responder
        ).description)
    }
    return facts
  }

  private func rounds(_ first: P256Coordinate, _ second: P256Coordinate) -> [String] {
    func value(_ values: [[PairingValue]], _ side: Int, _ round: Int) -> PairingValue? {
      values[sides[side]].dropFirst(round).first
    }
    let count = max(confirms[0].count, confirms[1].count)
    let values = (0..<count).map { round in
      var values = SecureConnectionsRounds.Values()
      values.initiatorConfirm = value(confirms, 0, round)
      values.responderConfirm = value(confirms, 1, round)
      values.initiatorRandom = value(randoms, 0, round)
      values.responderRandom = value(randoms, 1, round)
      return values
    }
    let rounds = SecureConnectionsRounds(
      initiatorKey: first, responderKey: second, values,
      refusedBy: failedBy.map { $0 == initiator ? .initiator : .responder })
    var facts = [
      "\(rounds.rounds.count) rounds, \(rounds.agreed.count) agree on \(rounds.agreed.number)"
    ]
    if let parting = rounds.parting {
      facts.append(
        "parted in round \(parting.round): \(parting.initiatorBit), \(parting.responderBit)"
          + (parting.isDeduced ? " deduced" : ""))
    }
    return facts
  }
}

/// Collects the pairings of a capture.
private struct Exchanges: PacketReport {
  var isSatisfied: Bool { false }
  private(set) var all: [Exchange] = []
  private var open: [Int: Int] = [:]

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    guard let link = packet.answer.link else { return }
    let connection = memory.links.connection(link)
    if case .command(let command) = packet.dissection.content, command.opcode == 0x2019,
      let index = open[connection.id]
    {
      let parameters = packet.bytes.part(packet.dissection.body)
      all[index].encryptionKey = all[index].encryptionKey ?? PairingValue(parameters.dropping(12))
    }
    guard let pdu = packet.dissection.smp, let direction = packet.record.direction else { return }
    let pduBytes = packet.bytes.part(packet.dissection.body).array
    if case .pairing(let features) = pdu, features.opcode == .pairingRequest {
      let peer = connection.peer.flatMap { address in
        connection.peerType.flatMap { PairingAddress(address, $0) }
      }
      var exchange = Exchange(initiator: direction, peer: peer)
      exchange.request = PairingCommand(pduBytes.bytes)
      open[connection.id] = all.count
      all.append(exchange)
    } else if let index = open[connection.id] {
      all[index].add(pdu, pduBytes, direction)
    }
    if let index = open[connection.id], let method = packet.answer.pairing?.method {
      all[index].method = method
    }
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {}
}

/// Returns the results of a capture's pairings.
private func pairings(_ file: URL, near passkey: UInt32) throws -> [String] {
  var source = try CaptureReader(path: file.path(percentEncoded: false))
  var exchanges = Exchanges()
  var output = Output()
  var pass = Pass()
  try pass.run(&source, &exchanges, into: &output)
  return exchanges.all.map { $0.facts(near: passkey) }
}

@Suite struct PairingValuesTests {
  /// From captures/README.md: the gadget showed 923800, and the user entered 923801; the other
  /// passkey is entered correctly.
  @Test(arguments: [
    ("pairing-fails", "legacy_passkey, initiator 923801, at c0ffeec0ffee random"),
    ("write-refused", "sc_passkey, 20 rounds, 20 agree on 353169"),
  ])
  func own(_ name: String, _ expected: String) throws {
    let found = try pairings(
      project.appending(path: "captures/\(name).btsnoop"), near: 923_800)
    #expect(found == [expected])
  }

  /// The values are arbitrary text, so nothing can be concluded; the last pairings are refused at
  /// once.
  @Test func words() throws {
    let found = try pairings(
      project.appending(path: "captures/pairing-all-keys.btsnoop"), near: 0)
    #expect(
      found.prefix(5) == [
        "legacy_passkey, initiator unknown, responder unknown",
        "legacy_oob, initiator unknown, responder unknown",
        "sc_numeric_comparison, not on the curve", "sc_passkey, not on the curve",
        "sc_oob, not on the curve",
      ])
    #expect(found.dropFirst(5).allSatisfy { $0 == "no method" })
  }

  private static let isThere = FileManager.default.fileExists(atPath: otherCaptures.path)

  /// From the generator's truth.json: 799308 is shown, and failing pairings enter another passkey.
  /// `own` replaces the address of the captured side, which the search has found.
  @Test(
    .enabled(if: isThere, "no ../shared/captures"),
    arguments: [
      (
        "pair_legacy_justworks",
        "legacy_just_works, initiator 000000, at own, responder 000000, at own"
      ),
      (
        "pair_legacy_passkey",
        "legacy_passkey, initiator 799308, at own, responder 799308, at own"
      ),
      ("pair_sc_justworks", "sc_just_works, opens(bit: 0), 180625"),
      ("pair_sc_numeric", "sc_numeric_comparison, opens(bit: 0), 180625"),
      ("pair_sc_passkey", "sc_passkey, 20 rounds, 20 agree on 799308"),
      ("pairfail_legacy_passkey_confirm", "legacy_passkey, initiator 799309, at own"),
      ("pairfail_sc_numeric_rejected", "sc_numeric_comparison, opens(bit: 0), 180625"),
      (
        "pairfail_sc_passkey_confirm",
        "sc_passkey, 1 rounds, 0 agree on 0, parted in round 1: 1, 0 deduced"
      ),
    ])
  func generated(_ name: String, _ expected: String) throws {
    for (side, own) in [("", "c0ffeec0ffee random"), (".peripheral", "f1f1f1f1f1f1 random")] {
      let found = try pairings(
        otherCaptures.appending(path: "generated/\(name)\(side).btsnoop"), near: 799_308)
      var expected = expected.replacing("own", with: own)
      // The central's host passes the key to its controller.
      if side.isEmpty, name.hasPrefix("pair_legacy") { expected += ", its key encrypts" }
      #expect(found == [expected], "\(name)\(side)")
    }
  }

  /// The output of the kernel's test programs, from the files beside the capture. One capture has
  /// both sides' traffic.
  @Test(
    .enabled(if: isThere, "no ../shared/captures"),
    arguments: [
      (
        "pair-clean.pcap", 977_347,
        [
          "sc_just_works, opens(bit: 0), 424871", "sc_numeric_comparison, opens(bit: 0), 728046",
          "sc_passkey, 20 rounds, 20 agree on 732463",
          "legacy_just_works, initiator 000000, responder 000000",
          "legacy_passkey, initiator 977347, responder 977347",
        ]
      ),
      (
        "pair-gatt-coc-612.btsnoop", 221_299,
        [
          "sc_just_works, opens(bit: 0), 546769", "sc_numeric_comparison, opens(bit: 0), 137849",
          // These two were cancelled without a mismatched confirm value. The first passkey is
          // 562297, which ends with the bits 001.
          "sc_passkey, 3 rounds, 3 agree on 1", "sc_passkey, 0 rounds, 0 agree on 0",
          "legacy_just_works, initiator 000000, responder 000000",
          "legacy_passkey, initiator 221299, responder 221299",
        ]
      ),
    ])
  func kernel(_ name: String, _ passkey: UInt32, _ expected: [String]) throws {
    let found = try pairings(otherCaptures.appending(path: "kernel/\(name)"), near: passkey)
    let central = expected.map { expected in
      guard expected.hasPrefix("legacy") else { return expected }
      return expected.replacing(/(initiator|responder) [0-9]+/) { "\($0.output.0), at aa01000000" }
        + ", its key encrypts"
    }
    let peripheral = expected.map { expected in
      expected.replacing(/(initiator|responder) [0-9]+/) { "\($0.output.0), at aa01010001" }
    }
    #expect(found.sorted() == (central + peripheral).sorted())
  }
}
