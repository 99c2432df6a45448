import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// Returns pairing features as a side sends them.
private func features(
  _ opcode: UInt8, io: Int = 3, oob: UInt8 = 0, mitm: Bool = true, sc: Bool = true
) -> [UInt8] {
  [opcode, UInt8(io), oob, (mitm ? 0x04 : 0) | (sc ? 0x08 : 0) | 0x01, 16, 1, 1]
}

private func parsed(_ bytes: [UInt8]) -> SMP.PairingFeatures? {
  var cursor = Cursor(bytes.bytes)
  guard case .pairing(let pdu)? = try? SMPPDU(parsing: &cursor) else { return nil }
  return pdu
}

private func method(_ request: [UInt8], _ response: [UInt8]) -> String? {
  guard let initiator = parsed(request), let responder = parsed(response),
    let method = PairingMethod(initiator: initiator, responder: responder)
  else { return nil }
  return "\(method.association) \(method.key)"
}

@Suite struct PairingMethodTests {
  /// Rows are the responder's, columns the initiator's IO capabilities, each in the order
  /// DisplayOnly, DisplayYesNo, KeyboardOnly, NoInputNoOutput, KeyboardDisplay. `-` Just Works, `=`
  /// numeric comparison, `i` the initiator shows a passkey, `r` the responder does, `2` both enter
  /// it. From bumble's smp.py, Session.PAIRING_METHODS, which follows Core, Vol 3, Part H, table
  /// 2.8.
  @Test(arguments: [
    (false, ["--r-r", "--r-r", "ii2-i", "-----", "iir-i"]),
    (true, ["--r-r", "-=r-=", "ii2-i", "-----", "i=r-="]),
  ])
  func capabilities(_ isSC: Bool, _ table: [String]) {
    let words: [Character: String] = [
      "-": "justWorks \(isSC ? "sc_just_works" : "legacy_just_works")",
      "=": "numericComparison sc_numeric_comparison",
      "i": "initiatorShowsPasskey \(isSC ? "sc_passkey" : "legacy_passkey")",
      "r": "responderShowsPasskey \(isSC ? "sc_passkey" : "legacy_passkey")",
      "2": "passkeyTypedTwice \(isSC ? "sc_passkey" : "legacy_passkey")",
    ]
    for (responder, row) in table.enumerated() {
      for (initiator, sign) in row.enumerated() {
        let found = method(
          features(1, io: initiator, sc: isSC), features(2, io: responder, sc: isSC))
        #expect(found == words[sign], "initiator \(initiator), responder \(responder)")
      }
    }
  }

  @Test func bothMustSupportSecureConnections() {
    #expect(
      method(features(1, io: 1, sc: true), features(2, io: 1, sc: false))
        == "justWorks legacy_just_works")
  }

  /// Tables 2.6 and 2.7.
  @Test func outOfBandAndMITM() {
    func found(_ oob: (UInt8, UInt8), mitm: (Bool, Bool), sc: Bool) -> String? {
      method(
        features(1, io: 2, oob: oob.0, mitm: mitm.0, sc: sc),
        features(2, io: 0, oob: oob.1, mitm: mitm.1, sc: sc))
    }
    #expect(found((1, 1), mitm: (false, false), sc: false) == "outOfBand legacy_oob")
    #expect(found((1, 0), mitm: (true, true), sc: false) == "responderShowsPasskey legacy_passkey")
    #expect(found((1, 0), mitm: (true, true), sc: true) == "outOfBand sc_oob")
    #expect(found((0, 1), mitm: (false, false), sc: true) == "outOfBand sc_oob")
    #expect(found((0, 0), mitm: (false, false), sc: true) == "justWorks sc_just_works")
    #expect(found((0, 0), mitm: (false, true), sc: true) == "responderShowsPasskey sc_passkey")
    #expect(found((0, 0), mitm: (true, false), sc: false) == "responderShowsPasskey legacy_passkey")
  }

  @Test func unknownCapabilities() {
    #expect(method(features(1, io: 5), features(2, io: 1)) == nil)
    #expect(method(features(1, io: 1), features(2, io: 0xff)) == nil)
    // If neither side requests protection, the capabilities do not matter.
    #expect(
      method(features(1, io: 5, mitm: false), features(2, io: 1, mitm: false))
        == "justWorks sc_just_works")
  }
}

extension Traffic {
  /// Appends a Security Manager PDU.
  fileprivate mutating func smp(
    _ pdu: [UInt8], _ direction: Direction = .sent, cid: Int = 6, on handle: Int = 0x40
  ) {
    let whole = little(pdu.count) + little(cid) + pdu
    add([2] + little(handle) + little(whole.count) + whole, direction)
  }

  /// Appends a Confirm (3), Random (4), Public Key (12) or DHKey Check (13).
  fileprivate mutating func value(_ opcode: UInt8, _ direction: Direction = .sent) {
    smp([opcode] + [UInt8](repeating: opcode, count: opcode == 12 ? 64 : 16), direction)
  }

  /// Appends a Pairing Request and Response.
  fileprivate mutating func pair(
    io: (Int, Int) = (3, 3), mitm: Bool = false, sc: Bool = true, from side: Direction = .sent
  ) {
    smp(features(1, io: io.0, mitm: mitm, sc: sc), side)
    clock += 4
    smp(features(2, io: io.1, mitm: mitm, sc: sc), side.reversed)
  }
}

@Suite struct PairingStateTests {
  /// Over BR/EDR, keys are distributed on a link that is already encrypted, without authentication.
  /// An unexpected value may be anything.
  @Test func overBREDR() {
    let results = run { traffic in
      traffic.smp(features(1), cid: 7)
      traffic.smp(features(2), .received, cid: 7)
      traffic.smp([3] + [UInt8](repeating: 1, count: 16), cid: 7)
      traffic.pair()
    }
    #expect(
      results.packets.map { $0.answer.pairing?.isOverBREDR } == [true, true, true, false, false])
    #expect(
      results.packets.map { $0.answer.pairing?.method == nil } == [true, true, true, true, false])
    #expect(results[2].answers == "answers 1 after 1 ms")
    #expect(shown(results) == "-----")
  }

  /// Returns whether each packet's values may be shown: `+` or `-`, or `.` without a known pairing.
  private func shown(_ results: Recording) -> String {
    results.packets.map { $0.answer.pairing.map { $0.showsValues ? "+" : "-" } ?? "." }.joined()
  }

  @Test(arguments: [Direction.sent, .received])
  func justWorks(_ side: Direction) {
    let results = run { traffic in
      traffic.pair(from: side)
      traffic.value(12, side)
      traffic.value(12, side.reversed)
      traffic.value(3, side.reversed)
      traffic.value(4, side)
      traffic.value(4, side.reversed)
      traffic.value(13, side)
    }
    #expect(shown(results) == "---+++++")
    #expect(results[2].answers == "answers 1 after 5 ms")
    #expect(results.packets.dropFirst(2).allSatisfy { $0.answers == nil })
    #expect(results[5].answer.pairing?.method?.key.description == "sc_just_works")
    #expect(results[5].answer.pairing?.initiator == Side(sent: side))
    #expect(results[5].answer.pairing?.round == nil)
  }

  @Test func legacyJustWorks() {
    let results = run { traffic in
      traffic.pair(sc: false)
      for opcode: UInt8 in [3, 4] {
        traffic.value(opcode)
        traffic.value(opcode, .received)
      }
    }
    #expect(shown(results) == "-+++++")
  }

  @Test func aPasskeysRounds() {
    let results = run { traffic in
      traffic.pair(io: (2, 0), mitm: true)
      traffic.value(12)
      traffic.value(12, .received)
      for _ in 1...20 {
        for opcode: UInt8 in [3, 4] {
          traffic.value(opcode)
          traffic.value(opcode, .received)
        }
      }
      traffic.value(13)
    }
    #expect(!shown(results).contains("+"))
    let rounds = results.packets.map { Int($0.answer.pairing?.round ?? 0) }
    var expected = [0, 0, 0, 0]
    for round in 1...20 { expected += [round, round, round, round] }
    expected.append(0)
    #expect(rounds == expected)
  }

  /// Values that do not fit the known pairing may belong to a pairing with a passkey.
  @Test func whatDoesNotFit() {
    // Without its start, or with half of it.
    #expect(shown(run { $0.value(4) }) == ".")
    #expect(
      shown(
        run { traffic in
          traffic.smp(features(2, mitm: false), .received)
          traffic.value(4)
        }) == "..")
    #expect(
      shown(
        run { traffic in
          traffic.smp(features(1, mitm: false))
          traffic.value(3)
        }) == "--")
    // A second round, and missing public keys.
    #expect(
      shown(
        run { traffic in
          traffic.pair(sc: false)
          for opcode: UInt8 in [3, 4, 3, 4] { traffic.value(opcode) }
        }) == "-+++--")
    #expect(
      shown(
        run { traffic in
          traffic.pair()
          traffic.value(4)
        }) == "---")
    // A response from the requesting side, and a second response.
    #expect(
      shown(
        run { traffic in
          traffic.smp(features(1, mitm: false, sc: false))
          traffic.smp(features(2, mitm: false, sc: false))
          traffic.value(4)
        }) == "-..")
    #expect(
      shown(
        run { traffic in
          traffic.pair(sc: false)
          traffic.smp(features(2, mitm: false, sc: false), .received)
          traffic.value(4)
        }) == "-+..")
    // A response that is too short.
    #expect(
      shown(
        run { traffic in
          traffic.pair(sc: false)
          traffic.smp([2, 3, 0])
          traffic.value(4)
        }) == "-+..")
  }

  @Test func whatEndsAPairing() {
    let results = run { traffic in
      traffic.connect()
      traffic.pair(sc: false)
      traffic.smp([5, 8], .received)
      traffic.value(4)
      traffic.pair(sc: false)
      traffic.disconnect()
      traffic.connect()
      traffic.value(4)
      traffic.pair(sc: false)
      traffic.add([4, 0x0f, 4, 0, 1, 0, 0], .received, drops: 3)
      traffic.value(4)
    }
    #expect(shown(results) == ".-++.-+...-+..")
  }

  @Test func linksDoNotMix() {
    let results = run { traffic in
      traffic.connect(0x40)
      traffic.connect(0x41)
      traffic.pair(sc: false)
      traffic.smp([4] + [UInt8](repeating: 1, count: 16), on: 0x41)
      traffic.smp([4] + [UInt8](repeating: 1, count: 16), on: 0x40)
    }
    #expect(shown(results) == "..-+.+")
  }
}

@Suite struct ControlCommandTests {
  private static func add(
    _ traffic: inout Traffic, _ code: Int, _ parameters: [UInt8], isEvent: Bool = false,
    cookie: Int = 1
  ) {
    traffic.add(
      little(cookie, width: 4) + little(code) + parameters, nil,
      framing: .monitor(opcode: isEvent ? 17 : 16))
  }

  private static func answer(
    _ traffic: inout Traffic, _ opcode: Int, status: UInt8 = 3, isComplete: Bool = true,
    cookie: Int = 1
  ) {
    add(
      &traffic, isComplete ? 1 : 2, little(opcode) + [status], isEvent: true, cookie: cookie)
  }

  @Test func completeAndStatus() {
    let results = run { traffic in
      Self.add(&traffic, 5, [1])
      traffic.clock += 4
      Self.answer(&traffic, 5)
      Self.add(&traffic, 0x18, [3])
      Self.answer(&traffic, 0x18, isComplete: false)
      Self.answer(&traffic, 0x18)
    }
    #expect(
      results.packets.map(\.answers) == [
        nil, "answers 1 after 5 ms", nil, "answers 3 after 1 ms", nil,
      ])
  }

  /// The kernel responds when it is done, on the command's socket and adapter.
  @Test func severalAtOnce() {
    let results = run { traffic in
      Self.add(&traffic, 5, [1])
      Self.add(&traffic, 5, [1], cookie: 2)
      Self.add(&traffic, 7, [1])
      traffic.adapter = 1
      Self.add(&traffic, 5, [1])
      Self.answer(&traffic, 5)
      traffic.adapter = 0
      Self.answer(&traffic, 7)
      Self.answer(&traffic, 5, cookie: 2)
      Self.answer(&traffic, 5, cookie: 3)
      Self.answer(&traffic, 5)
    }
    #expect(results.packets[4...].map { $0.answer.request?.packet } == [4, 3, 2, nil, 1])
  }

  @Test func whatIsForgotten() {
    let results = run { traffic in
      Self.add(&traffic, 5, [1])
      Self.add(&traffic, 5, [1], cookie: 2)
      traffic.note(15, [2, 0, 0, 0])
      Self.answer(&traffic, 5, cookie: 2)
      Self.answer(&traffic, 5)
      Self.add(&traffic, 5, [1])
      traffic.add([4, 0x0f, 4, 0, 1, 0, 0], .received, drops: 1)
      Self.answer(&traffic, 5)
    }
    #expect(
      results.packets.map { $0.answer.request?.packet } == [nil, nil, nil, nil, 1, nil, nil, nil])
  }

  @Test func bounded() {
    var limits = Limits()
    limits.controlCommands = 2
    let results = run(limits: limits) { traffic in
      for opcode in 5...7 { Self.add(&traffic, opcode, [1]) }
      for opcode in 5...7 { Self.answer(&traffic, opcode) }
    }
    #expect(results.packets.map { $0.answer.request?.packet } == [nil, nil, nil, nil, 2, 3])
    #expect(entries("waiting", of: results.memory.controlCommands) == 0)
  }
}
