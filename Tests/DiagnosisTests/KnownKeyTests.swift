// The keys of a capture, and those of files beside it.

import Bluetooth
import Captures
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Sessions
import Testing

@Suite("Keys and bonds") struct KnownKeyTests {
  /// Returns 16 equal bytes.
  private static func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }
  private static let peer = DeviceAddress(value: 0xc011_2233_4455)

  /// Returns the known keys: kind, side, first byte, packet.
  private static func known(_ evidence: Evidence) -> [String] {
    evidence.keys.keys.map { key in
      "\(key.kind.words) \(key.side.words) \(key.bytes.first.map { String($0, radix: 16) } ?? "-") #\(key.packet)"
    }
  }

  @Test("the Security Manager, HCI and the resolving list provide keys; zeros are not keys")
  func keys() {
    let evidence = evidence {
      $0.connect()
      $0.pairLegacy()
      $0.startEncryption(key: 0x10)
      $0.encrypted()
      let value = { (byte: String) in
        [String](repeating: byte, count: 16).joined(separator: " ")
      }
      $0.smp("06 \(value("21"))", .received)
      $0.smp("07 34 12 01 02 03 04 05 06 07 08", .received)
      $0.smp("06 \(value("22"))", .sent)
      $0.smp("08 \(value("23"))", .received)
      $0.smp("0a \(value("24"))", .sent)
      $0.smp("0a \(value("00"))", .received)
      $0.command(
        0x2027,
        [1] + little(0xc0ff_ee12_3456, width: 6) + Self.key(0x31) + Self.key(0x32))
      $0.command(0x2017, Self.key(0x33) + Self.key(0x00))
      $0.event(0x18, little(0xc011_2233_4455, width: 6) + Self.key(0x34) + [5])
      $0.meta(0x09, [0] + Self.key(0x35) + Self.key(0x35))
    }
    #expect(
      Self.known(evidence) == [
        "long term key the peer 21 #11", "long term key this host 22 #13",
        "identity resolving key the peer 23 #14", "signature key this host 24 #15",
        "identity resolving key the peer 31 #17", "identity resolving key this host 32 #17",
        "key given to LE Encrypt the peer 33 #18", "link key the peer 34 #19",
        "Diffie-Hellman key the peer 35 #20", "short term key the peer 10 #8",
      ])
    #expect(evidence.keys.keys.first?.ediv == 0x1234)
    #expect(evidence.keys.keys.first?.rand == 0x0807_0605_0403_0201)
  }

  @Test("only the keys of selected connections' peers stay") func chosen() {
    let evidence = evidence {
      for (peer, key) in [(0xc011_2233_4455, UInt8(0x11)), (0xc0ff_ee12_3456, 0x22)] {
        $0.bond(key: key, peer: peer)
      }
    }
    for (id, key) in [(1, "11"), (2, "22")] {
      var one = evidence
      one.keepKeys(of: evidence.connections.filter { $0.id == id })
      #expect(one.keys.keys.map { $0.bytes.first.map { String($0, radix: 16) } } == [key], "\(id)")
    }
  }

  @Test("the management interface provides keys, one or several in a record") func management()
    throws
  {
    guard let evidence = try evidence(ofCapture: "management.btsnoop") else { return }
    let kinds = evidence.keys.keys.filter { $0.source == .management }.map(\.kind)
    #expect(
      kinds == [
        .link, .longTerm, .longTerm, .identityResolving, .identityResolving, .longTerm,
        .signature, .link,
      ])
    #expect(evidence.keys.keys.filter { $0.kind == .longTerm }.allSatisfy { $0.size == 16 })
  }

  @Test("no key is in a line unless keys are requested, and without keys there is no line")
  func hidden() {
    var evidence = evidence { $0.bond(key: 0x5a) }
    #expect(evidence.lines(of: "keys_known") == [])
    evidence.listsKeys = true
    let found = evidence.findings(of: "keys_known")
    let details = found.flatMap(\.details)
    #expect(details.count == 1)
    #expect(
      details.allSatisfy { $0.text.text.hasPrefix("<hidden>") && !$0.text.text.contains("5a5a") })
    #expect(details.allSatisfy { $0.revealed?.text.hasPrefix("5a5a5a") ?? false })
    for finding in found {
      #expect(!"\(finding.what)\(finding.why)\(finding.headline)".contains("5a5a"))
    }
  }

  @Test(
    "one line for each key, whoever has it and wherever it is; omitted keys of zeros are reported"
  )
  func listed() {
    var evidence = evidence {
      $0.connect()
      $0.pairSecurely()
      $0.smp([0x0a] + Self.key(0x24), .received)
      $0.smp([0x0a] + Self.key(0x24), .sent)
      $0.smp([0x0a] + Self.key(0x00), .received)
      $0.smp([0x08] + Self.key(0x24), .received)
    }
    evidence.listsKeys = true
    let zeros = evidence.keys.zeros
    let found = evidence.finding("keys_known")
    let first = zeros.first.map { $0 - 2 } ?? 0
    #expect(zeros == [first + 2])
    #expect(
      found?.details.compactMap(\.revealed?.text) == [
        "24242424242424242424242424242424, signature key of C0:11:22:33:44:55 and that this host gave C0:11:22:33:44:55, given in #\(first) and #\(first + 1)",
        "24242424242424242424242424242424, identity resolving key of C0:11:22:33:44:55, given in #\(first + 3)",
      ])
    #expect(found?.what.text == "2 keys are known")
    #expect(
      found.whyText.hasPrefix(
        "The key given in #\(first + 2) is omitted: it is all zeros. Bytes are"))
    #expect(found?.isAppendix == true)
    let packets = found?.evidence.ranges.map(\.lowerBound) ?? []
    #expect(packets == packets.sorted())
  }

  @Test("a capture's keys of zeros are named, and its evidence is in order") func zeros() throws {
    guard var evidence = try evidence(ofCapture: "generated/pair_sc_passkey.btsnoop", beside: true)
    else { return }
    evidence.listsKeys = true
    let found = evidence.finding("keys_known")
    #expect(found?.line == "3 keys are known #173 #176 #179")
    #expect(
      found.whyText.hasPrefix("The keys given in #178 and #181 are omitted: they are all zeros."))
  }

  @Test("the number of keys is limited, however many a capture has") func bounded() {
    let evidence = evidence {
      for number in 0..<1000 {
        $0.event(
          0x18, little(0xc011_2233_4455, width: 6) + little(number + 1, width: 16) + [5])
        $0.command(0x2017, little(number + 1, width: 16) + Self.key(0))
      }
    }
    #expect(evidence.keys.keys.count <= 256)
    #expect(evidence.keys.isFull)
  }

  // MARK: Files

  private static func bond(key: UInt8) -> Bond {
    var bond = Bond(peer, .random, file: "band/info")
    bond.longTermKeys = [Bond.LongTermKey(Self.key(key))]
    return bond
  }

  @Test("a key from the file is marked as such, and so is a different one")
  func file() {
    for (byte, words) in [
      (UInt8(0x11), "It is the key of \"band/info\"."),
      (0x12, "\"band/info\" has a different key for the device."),
    ] {
      let evidence = evidence(bonds: [Self.bond(key: byte)]) {
        $0.connect()
        $0.startEncryption()
        $0.encrypted(status: 0x06, enabled: 0)
      }
      let why = evidence.findings().first?.why.text ?? ""
      #expect(why.contains(words))
    }
  }

  @Test("a file's bond is sufficient to know that the central has lost it") func lostByCentral() {
    for isKnown in [true, false] {
      let evidence = evidence(bonds: isKnown ? [Self.bond(key: 0x11)] : []) {
        $0.connect()
        $0.smp("01 03 00 01 10 01 01", .sent)
        $0.smp("05 05", .received)
        $0.command(0x0c03)
        $0.disconnect()
      }
      #expect(
        evidence.lines(of: "enc_key_missing_central").count == (isKnown ? 1 : 0))
    }
  }

  @Test(
    "so is a key of the kernel, unless a program deleted it; only the side with the key can keep it"
  )
  func kernelsKey() {
    for (isDeleted, isHost, expected) in [
      (false, true, 1), (true, true, 0), (false, false, 0),
    ] {
      let found = evidence {
        $0.addControl(
          0x0013,
          [1, 0] + little(0xc011_2233_4455, width: 6) + [2, 0, 0, 16] + little(0x1234)
            + little(7, width: 8) + Self.key(0x11))
        $0.connect(role: 1)
        $0.disconnect()
        if isDeleted {
          $0.addControl(0x001b, little(0xc011_2233_4455, width: 6) + [2, 1])
        }
        $0.connect(role: isHost ? 1 : 0)
        $0.smp("01 03 00 01 10 01 01", isHost ? .received : .sent)
        $0.smp("05 05", isHost ? .sent : .received)
        $0.command(0x0c03)
        $0.disconnect()
      }
      #expect(
        found.lines(of: "enc_key_missing_central").count == expected,
        "\(isDeleted), \(isHost)")
    }
  }

  // MARK: Bonds and private addresses

  @Test(
    "a stored key with an unresolved private address is reported; not with a static one, or pairing on the link",
    arguments: [(0x4011_2233_4455, false), (0xc011_2233_4455, false), (0x4011_2233_4455, true)])
  func unresolved(_ address: Int, _ isPaired: Bool) {
    let evidence = evidence {
      $0.connect(peer: address)
      if isPaired { $0.pairSecurely() }
      $0.startEncryption()
      $0.encrypted()
      $0.received("0b 64")
    }
    #expect(
      evidence.lines(of: "bond_address_unresolved").count
        == (address == 0x4011_2233_4455 && !isPaired ? 1 : 0))
  }

  @Test("a device under two private addresses is one device; under one there is nothing to report")
  func rotated() throws {
    guard
      let reconnected = try evidence(
        ofCapture: "generated/bond_privacy_reconnect.btsnoop", beside: true)
    else { return }
    #expect(reconnected.packets(of: "privacy_rotated") == ["#39 #60 #79"])
    guard let other = try evidence(ofCapture: "android-phone.btsnoop") else { return }
    #expect(other.lines(of: "privacy_rotated") == [])
  }

  @Test("a file's identity resolving key resolves a private address") func resolved() throws {
    // The sample data of ah: Core, Vol 3, Part H, D.7: key ec0234a3 57c8ad05 341010a6 0a397d9b,
    // prand 708194, hash 0dfbaa.
    var bond = Bond(Self.peer, .random, file: "band/info")
    bond.name = Array("Band".utf8)
    bond.identityResolvingKey = hex("9b 7d 39 0a a6 10 10 34 05 ad c8 57 a3 34 02 ec")
    let evidence = evidence(bonds: [bond]) {
      $0.connect(peer: 0x7081_940d_fbaa)
      $0.disconnect()
    }
    #expect(evidence.connections.first?.connection.identity?.address == Self.peer)
    #expect(evidence.connections.first?.name == Array("Band".utf8))
  }
}
