import Bluetooth
import Bytes
import Captures
import Cryptography
import Histories
import Foundation
import MadeTraffic
import Testing

@testable import Redaction

@Suite struct RecordTests {
  private static let key: [UInt8] = (0xa1...0xb0).map { $0 }
  private static let peer: [UInt8] = little(Traffic.peer, width: 6)

  @Test("a key in three fragments is replaced in all of them") func fragments() throws {
    let result = try redacted {
      $0.connect()
      $0.split(l2cap([0x08] + Self.key, cid: 6), [7, 9])
    }
    let joined = result.after[1...].flatMap { $0.dropFirst(5) }
    #expect(joined.prefix(5) == [17, 0, 6, 0, 8])
    let replacement = Array(joined.dropFirst(5))
    #expect(replacement.count == 16)
    // The three fragments' parts of it, separately; pseudonyms share at most a byte by chance.
    for part in [0..<2, 2..<11, 11..<16] {
      let alike = part.count { replacement[$0] == Self.key[$0] }
      #expect(alike < 2, "\(part): \(replacement)")
    }
  }

  @Test("nothing remains of a key whose end is not in the capture") func openFragment() throws {
    let result = try redacted {
      $0.connect()
      $0.acl(Array(l2cap([0x08] + Self.key, cid: 6).prefix(17)), .received)
    }
    #expect(result.after[1].prefix(10) == result.before[1].prefix(10))
    #expect(result.after[1].dropFirst(10).allSatisfy { $0 == 0 })
  }

  @Test("nothing remains of a controller's debug log except its header") func controllerLog() throws
  {
    let log = [2, 0xdc, 0x2e] + little(20) + [0x55] + Self.key + [1, 2, 3]
    let result = try redacted { $0.add(log, .received) }
    #expect(result.after[0] == log.prefix(5) + [UInt8](repeating: 0, count: 20))
    #expect(result.lines.first == "replaced: 1 packet of a controller's debug log")
  }

  @Test("the same key has the same pseudonym in SMP, HCI and the management interface")
  func sameKey() throws {
    let result = try redacted {
      $0.connect()
      $0.smp([0x06] + Self.key, .received)
      $0.command(0x2019, little(0x40) + little(0, width: 8) + little(0) + Self.key)
    }
    let replacement = result.after[1].suffix(16)
    #expect(Array(replacement) != Self.key)
    #expect(result.after[2].suffix(16) == replacement)
    #expect(!contain(result.after, Self.key))
  }

  @Test("an address is found in a vendor's value: both byte orders, two fragments, text, EUI-64")
  func elsewhere() throws {
    let other = Array(Self.peer.reversed())
    let text = Array("id=C0:11:22:33:44:55, c01122334455".utf8)
    let extended = Array(Self.peer[..<3]) + [0xfe, 0xff] + Array(Self.peer[3...])
    let result = try redacted {
      $0.connect()
      $0.acl(l2cap([0x1b, 0x0e, 0] + Self.peer), .received)
      $0.acl(l2cap([0x1b, 0x0e, 0] + other), .received)
      // Seventeen bytes before it: the first fragment, of 27, ends within it.
      $0.split(
        l2cap([0x1b, 0x0e, 0] + [UInt8](repeating: 9, count: 17) + Self.peer + [9]), [27])
      $0.acl(l2cap([0x1b, 0x0e, 0] + text), .received)
      $0.acl(l2cap([0x1b, 0x0e, 0] + extended), .received)
    }
    let pseudonym = Array(result.after[0][9..<15])
    #expect(pseudonym != Self.peer)
    #expect(result.after[1].suffix(6) == pseudonym)
    #expect(Array(result.after[2].suffix(6)) == pseudonym.reversed())
    let joined = result.after[3].dropFirst(5) + result.after[4].dropFirst(5)
    #expect(Array(joined.suffix(7)) == pseudonym + [9])
    let digits = pseudonym.reversed().map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    #expect(
      String(decoding: result.after[5].suffix(text.count), as: UTF8.self)
        == "id=\(digits.joined(separator: ":").uppercased()), \(digits.joined())")
    #expect(
      Array(result.after[6].suffix(8))
        == Array(pseudonym[..<3]) + [0xfe, 0xff] + Array(pseudonym[3...]))
    #expect(
      result.lines[1]
        == "found in other data and replaced: 6 addresses, in #2, #3, #5, #6, #7")
  }

  @Test("an address in an SDU of an enhanced bearer, in two frames, one of them in fragments")
  func sdu() throws {
    let before: [UInt8] = [0x1b, 0x0e, 0] + (1...24).map { $0 }
    let behind: [UInt8] = (1...27).map { $0 }
    let value = before + Self.peer + behind
    let result = try redacted {
      $0.connect()
      $0.openBearers()
      $0.first(value.count, Array(value.prefix(30)), .received, cid: 0x40)
      $0.split(l2cap(Array(value.dropFirst(30)), cid: 0x40), [27])
    }
    let pseudonym = Array(result.after[0][9..<15])
    let parts = [
      result.after[3].suffix(30), result.after[4].dropFirst(9), result.after[5].dropFirst(5),
    ]
    let joined = Array(parts.joined())
    #expect(joined == before + pseudonym + behind)
    for index in 1..<result.after.count {
      #expect(result.after[index].prefix(5) == result.before[index].prefix(5))
    }
  }

  @Test("names: advertised, shortened, read, and in another value") func names() throws {
    let name = Array("Anna's band".utf8)
    func structure(_ type: UInt8, _ name: [UInt8]) -> String {
      ([UInt8(name.count + 1), type] + name).map { String($0, radix: 16) }.joined(separator: " ")
    }
    func build(_ traffic: inout Traffic) {
      traffic.advertise(data: structure(9, name))
      traffic.advertise(event: 4, data: structure(8, Array(name.prefix(6))))
      traffic.connect()
      traffic.sent("08 01 00 ff ff 00 2a")
      traffic.acl(l2cap([9, UInt8(2 + name.count), 3, 0] + name), .received)
      traffic.acl(l2cap([0x1b, 0x0e, 0, 1] + name), .received)
    }
    let result = try redacted(RedactionOptions(), build)
    #expect(!contain(result.after, Array("Anna".utf8)))
    let pseudonym = result.after[4].suffix(name.count)
    #expect(result.after[5].suffix(name.count) == pseudonym)
    #expect(result.after[0].dropLast().suffix(name.count) == pseudonym)
    #expect(result.after[1].dropLast().suffix(6) == pseudonym.prefix(6))
    var keeping = RedactionOptions()
    keeping.keepsNames = true
    let kept = try redacted(keeping, build)
    #expect(kept.after[5] == kept.before[5])
  }

  @Test("values become zeros, all or those of a type; the attributes' layout stays")
  func values() throws {
    func build(_ traffic: inout Traffic) {
      traffic.connectToHeartRate()
      traffic.ask("12 11 00 01 00", "13")
      traffic.received("1b 10 00 06 48")
      traffic.ask("0a 13 00", "0b 02")
    }
    var options = RedactionOptions()
    options.values = .all
    let all = try redacted(options, build)
    #expect(all.after[1..<8] == all.before[1..<8], "discovery")
    #expect(all.after[7] == all.before[7], "the configuration")
    #expect(all.after[9].suffix(2) == [0, 0])
    #expect(all.after[11].suffix(1) == [0])
    options.values = .types([BluetoothUUID(0x2a38)])
    let one = try redacted(options, build)
    #expect(one.after[9] == one.before[9])
    #expect(one.after[11].suffix(1) == [0])
    #expect(one.lines[0].contains("1 attribute value"))
  }

  @Test("of programs' texts only what explain reads remains") func texts() throws {
    let text = "Requesting agent authentication for C0:11:22:33:44:55\0"
    let result = try redacted {
      $0.connect()
      $0.note(12, Array("Linux version 6.1 on anna".utf8))
      $0.note(13, [6, 5] + Array("blue\0".utf8) + Array(text.utf8))
    }
    #expect(String(decoding: result.after[1], as: UTF8.self) == "***** ******* *** ** ****")
    let kept = String(decoding: result.after[2].dropFirst(7), as: UTF8.self)
    #expect(kept.hasPrefix("Requesting agent authentication for "))
    #expect(!kept.contains("C0:11:22"))
  }

  @Test("a serial number: digits for digits, letters for letters, also in a message")
  func serialNumber() throws {
    let serial = Array("SN-0042-7a19".utf8)
    let result = try redacted {
      $0.connect()
      $0.sent("08 01 00 ff ff 25 2a")
      $0.acl(l2cap([9, UInt8(2 + serial.count), 3, 0] + serial), .received)
      $0.acl(l2cap([0x1b, 0x0e, 0, 1] + serial), .received)
    }
    let pseudonym = result.after[2].suffix(serial.count)
    let text = String(decoding: pseudonym, as: UTF8.self)
    #expect(text.wholeMatch(of: /[A-Z][A-Z]-[0-9]{4}-[0-9][a-z][0-9]{2}/) != nil, "\(text)")
    #expect(Array(pseudonym) != serial)
    #expect(result.after[3].suffix(serial.count) == pseudonym)
    #expect(result.lines.contains("replaced: 1 address, 1 serial number"), "\(result.lines)")
    #expect(
      result.lines.contains { $0.contains("1 serial number or personal text, in #4") },
      "\(result.lines)")
  }

  /// C0:11:22:33:44:55 is the peer of `connect`.
  @Test(
    "a System ID holds the pseudonym of its address, in its form",
    arguments: [
      "55 44 33 fe ff 22 11 c0", "c0 11 22 ff fe 33 44 55", "55 44 33 00 00 22 11 c0",
      "c2 11 22 ff fe 33 44 55", "55 44 33 fe ff 22 11 c2",
    ])
  func systemID(text: String) throws {
    let system = hex(text)
    let result = try redacted {
      $0.connect()
      $0.sent("08 01 00 ff ff 23 2a")
      $0.acl(l2cap([9, 10, 3, 0] + system), .received)
      $0.acl(l2cap([0x1b, 0x0e, 0, 1] + system), .received)
    }
    let found = Array(result.after[2].suffix(8))
    // Event, length, subevent, status, handle, role, type, address.
    let peer = Array(result.after[0][9..<15])
    let turned = peer.dropLast() + [peer[5] ^ 2]
    let halves = Array(found[..<3] + found[5...])
    let forms = [Array(peer), peer.reversed(), Array(turned), turned.reversed()]
    #expect(forms.contains(halves), "\(found), the peer is \(peer)")
    #expect(found[3..<5] == system[3..<5])
    #expect(found != system)
    #expect(Array(result.after[3].suffix(8)) == found)
  }

  @Test("a System ID of an unknown device gets a pseudonym, too") func otherSystemID()
    throws
  {
    for text in ["1c 0f 31 00 00 ec 9c 21", "01 02 03 04 05 06 07 08"] {
      let result = try redacted {
        $0.connect()
        $0.sent("08 01 00 ff ff 23 2a")
        $0.acl(l2cap([9, 10, 3, 0] + hex(text)), .received)
      }
      let found = Array(result.after[2].suffix(8))
      #expect(Set(found).intersection(hex(text).filter { $0 != 0 }).count < 4, "\(found)")
      #expect(result.lines.contains("replaced: 1 address, 1 System ID"), "\(result.lines)")
    }
  }

  @Test("a set's identifier resolves with the pseudonym of the set's key") func setIdentifier()
    throws
  {
    let read = IdentityResolvingKey(Self.key.bytes)
    let key = try #require(read)
    let random: UInt32 = 0x71_2345
    let identifier = little(Int(random) << 24 | Int(key.hash(random)), width: 6)
    let hex = identifier.map { String($0, radix: 16) }.joined(separator: " ")
    let result = try redacted {
      $0.advertise(data: "7 2e \(hex)")
      $0.connect()
      $0.sent("08 01 00 ff ff 84 2b")
      $0.acl(l2cap([9, 19, 3, 0, 1] + Self.key), .received)
    }
    #expect(!contain(result.after, identifier) && !contain(result.after, Self.key))
    let made = Array(result.after[3].suffix(16))
    let pseudonym = IdentityResolvingKey(made.bytes)
    let other = try #require(pseudonym)
    let remade = Array(result.after[0].dropLast().suffix(6)).littleEndianNumber
    #expect(other.resolves(DeviceAddress(value: remade)))
  }

  @Test("truncated names and advertising data are replaced as far as they are recorded")
  func cutShort() throws {
    let name = Array("Anna's band".utf8)
    let result = try redacted {
      // Remote Name Request Complete: status, address, name of 248 bytes; LE Advertising Report,
      // whose data claims 31 bytes.
      $0.event(0x07, [0] + Self.peer + name)
      $0.meta(0x02, [1, 0, 1] + Self.peer + [31, UInt8(name.count + 1), 9] + name)
    }
    #expect(!contain(result.after, Array("Anna".utf8)))
    #expect(result.after[0].suffix(name.count) == result.after[1].suffix(name.count))
  }

  @Test(
    "no value remains of an ATT PDU whose end is not in the capture, nor of a lone continuation")
  func openValue() throws {
    let value = Array("PATIENT 4711 ".utf8) + [UInt8](repeating: 0x55, count: 30)
    let result = try redacted {
      $0.connect()
      $0.acl(Array(l2cap([0x1b, 0x0e, 0] + value, cid: 4).prefix(27)), .received)
      $0.acl(l2cap([0x1b, 0x0e, 0, 1]), .received)
      $0.split(l2cap([0x1b, 0x0e, 0] + value, cid: 4), [27])
    }
    #expect(!contain([result.after[1]], Array("PATIENT".utf8)))
    #expect(result.after[1].prefix(12) == result.before[1].prefix(12), "its type stays")
    let whole = result.after[3...].flatMap { $0.dropFirst(5) }
    // A piece was lost before, so the second one may belong to another PDU.
    let kept = Array(value.prefix(20)) + [UInt8](repeating: 0, count: value.count - 20)
    #expect(Array(whole.suffix(value.count)) == kept, "the first piece of a complete one stays")
  }

  @Test("a Broadcast Code in two parts, and keys among several values") func parts() throws {
    let code: [UInt8] = (0xc1...0xd0).map { $0 }
    let set = [4, 1] + code
    let result = try redacted {
      $0.connect()
      $0.sent("08 01 00 ff ff 03 28")
      // Declarations of 2bc7 and 2b88: their values are at 0x0003 and 0x0005.
      $0.acl(
        l2cap([9, 7, 2, 0, 0x08, 3, 0, 0xc7, 0x2b, 4, 0, 0x02, 5, 0, 0x88, 0x2b]), .received)
      $0.acl(l2cap([0x16, 3, 0, 0, 0] + set[..<9]), .sent)
      $0.acl(l2cap([0x17, 3, 0, 0, 0] + set[..<9]), .received)
      $0.acl(l2cap([0x16, 3, 0, 9, 0] + set[9...]), .sent)
      $0.acl(l2cap([0x17, 3, 0, 9, 0] + set[9...]), .received)
      $0.acl(l2cap([0x0e, 3, 0, 5, 0]), .sent)
      $0.acl(l2cap([0x0f, 7] + Self.key + [UInt8](0xe1...0xe8)), .received)
    }
    #expect(
      !contain(result.after, Array(code.suffix(8))) && !contain(result.after, Array(code[7...])))
    #expect(!contain(result.after, Self.key) && !contain(result.after, Array(Self.key.suffix(8))))
  }

  @Test("types without any values are named") func missingValues() throws {
    var options = RedactionOptions()
    let type = try #require(BluetoothUUID(text: "ffff"))
    options.values = .types([type])
    let lines = try redacted(options) { $0.connect() }.lines
    #expect(lines.contains("no value of ffff was found to remove"), "\(lines)")
  }

  @Test("advertising data in two reports: a name and an address that cross both") func chains()
    throws
  {
    let data = [12, 9] + Array("Anna's band".utf8) + [9, 0xff, 0x59, 0] + Self.peer
    func report(_ part: [UInt8], _ status: UInt8) -> [UInt8] {
      [1] + little(Int(status) << 5) + [1] + Self.peer + [1, 1, 0, 127, 0xc8] + little(0) + [0]
        + little(0, width: 6) + [UInt8(part.count)] + part
    }
    let result = try redacted {
      $0.meta(0x0d, report(Array(data[..<7]), 1))
      $0.meta(0x0d, report(Array(data[7..<20]), 1))
      $0.meta(0x0d, report(Array(data[20...]), 0))
    }
    let parts = [result.after[0].suffix(7), result.after[1].suffix(13), result.after[2].suffix(3)]
    let joined = Array(parts.joined())
    #expect(joined.prefix(2) == [12, 9])
    #expect(joined[13..<17] == [9, 0xff, 0x59, 0])
    #expect(joined.firstRange(of: Array("Anna".utf8)) == nil)
    #expect(Array(joined.suffix(6)) == Array(result.after[0][8..<14]))
  }

  @Test("a record that another file also has is replaced in the same way") func again() throws {
    let result = try redacted {
      $0.connect()
      $0.smp([0x06] + Self.key, .received)
      $0.again(1...2)
    }
    #expect(result.after[2] == result.after[0])
    #expect(result.after[3] == result.after[1])
    #expect(!contain(result.after, Self.key))
  }

  @Test("records that a file got after the first pass are omitted") func grown() throws {
    var traffic = Traffic()
    traffic.connect()
    let plan = try plan(RedactionOptions()) { MemorySource(traffic) }
    traffic.smp([0x06] + Self.key, .received)
    #expect(
      try records { RedactedSource(MemorySource(traffic), plan.redaction) }.count == 1)
  }
}
