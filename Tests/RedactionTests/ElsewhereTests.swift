import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Redaction

@Suite("Secrets, addresses and names in other places") struct ElsewhereTests {
  private static let key: [UInt8] = (0xa1...0xb0).map { $0 }
  private static let peer: [UInt8] = little(Traffic.peer, width: 6)
  private static let name = Array("Anna's band".utf8)

  @Test(
    "advertising data in two commands: a name and an address that cross both",
    arguments: [(0x2037, [1, 1], [2, 1]), (0x2038, [1, 1], [2, 1]), (0x203f, [1], [2])]
      as [(Int, [UInt8], [UInt8])]) func commands(_ opcode: Int, _ first: [UInt8], _ last: [UInt8])
    throws
  {
    let data = [12, 9] + Self.name + [9, 0xff, 0x59, 0] + Self.peer
    let result = try redacted {
      $0.connect()
      let middle = [0] + first.dropFirst()
      let parts = [(data[..<7], first), (data[7..<20], middle), (data[20...], last)]
      for (part, operation) in parts {
        $0.command(opcode, [3] + operation + [UInt8(part.count)] + part)
      }
    }
    let head = 4 + 1 + first.count + 1
    let joined = Array(result.after[1...].flatMap { $0.dropFirst(head) })
    #expect(joined.prefix(2) == [12, 9])
    #expect(joined[13..<17] == [9, 0xff, 0x59, 0])
    #expect(Array(joined.suffix(6)) == Array(result.after[0][9..<15]))
    #expect(joined.firstRange(of: Array("Anna".utf8)) == nil)
    #expect(joined.firstRange(of: Array("band".utf8)) == nil)
    #expect(result.books.names.listed == [Self.name])
  }

  @Test("reports without the last one: an address that crosses two of them") func openChain()
    throws
  {
    let data = [12, 9] + Self.name + [9, 0xff, 0x59, 0] + Self.peer
    func report(_ part: [UInt8]) -> [UInt8] {
      [1] + little(1 << 5) + [1] + Self.peer + [1, 1, 0, 127, 0xc8] + little(0) + [0]
        + little(0, width: 6) + [UInt8(part.count)] + part
    }
    let result = try redacted {
      $0.meta(0x0d, report(Array(data[..<7])))
      $0.meta(0x0d, report(Array(data[7..<20])))
      $0.meta(0x0d, report(Array(data[20...])))
    }
    let parts = [result.after[0].suffix(7), result.after[1].suffix(13), result.after[2].suffix(3)]
    let joined = Array(parts.joined())
    #expect(joined.firstRange(of: Array("band".utf8)) == nil)
    #expect(Array(joined.suffix(6)) == Array(result.after[0][8..<14]))
    #expect(result.books.names.listed.contains(Self.name))
  }

  /// Returns bytes in which what is known was replaced.
  private func replaced(_ bytes: [UInt8], _ learn: (inout Books) -> Void) -> [UInt8] {
    var (books, bytes) = (Books(RedactionOptions()), bytes)
    learn(&books)
    books.addresses.close([], .fixed())
    let uses = ByteUses(payload: bytes.count)
    _ = BookSearch(books).replace(in: &bytes, sparing: uses)
    return bytes
  }

  @Test(
    "names in other forms",
    arguments: [
      Array("anna's band".utf8), Array("ANNA'S BAND".utf8), Array("dnab s'annA".utf8),
      "Anna's band".utf16.flatMap { [UInt8($0), 0] },
      "Anna's band".utf16.flatMap { [0, UInt8($0)] },
    ] as [[UInt8]]) func forms(_ form: [UInt8])
  {
    let result = replaced([1, 2, 3] + form + [4, 5, 6]) { $0.names.learn(Self.name) }
    #expect(result.prefix(3) == [1, 2, 3] && result.suffix(3) == [4, 5, 6])
    let content = Array(result.dropFirst(3).dropLast(3))
    #expect(content.count == form.count && content.firstRange(of: Array("nna".utf8)) == nil)
    // The form of a pseudonym is that of the name: zeros and letters stay where they were.
    #expect(zip(content, form).allSatisfy { ($0 == 0) == ($1 == 0) })
    #expect(content.filter { $0 != 0 } != form.filter { $0 != 0 })
    #expect(replaced(form) { _ in } == form)
  }

  @Test(
    "addresses that are almost known",
    arguments: [
      (0xbc7e_8baa_5f0f, false, 0xbe7e_8baa_5f0e, true),
      (0xd004_b09a_269e, false, 0xd204_b09a_269f, true),
      (0xa803_2ab6_bff2, false, 0xa803_2ab6_bff0, true),
      (0xd7b1_8e2f_3348, true, 0x17b1_8e2f_3348, true),
      (0xa803_2ab6_bff2, false, 0xa803_2ab6_bfe1, true),
      // Another device of the manufacturer, and one that resembles a private address by chance.
      (0xa803_2ab6_bff2, false, 0xa803_2ab6_bf72, false),
      (0xa803_2ab6_bff2, false, 0xa803_2ab6_c001, false),
      (0x57b1_8e2f_3348, true, 0x57b1_8e2f_3349, false),
    ] as [(UInt64, Bool, UInt64, Bool)]) func relatives(
      _ known: UInt64, _ isRandom: Bool, _ other: UInt64, _ isFound: Bool
    )
  {
    for bytes in [little(Int(other), width: 6), little(Int(other), width: 6).reversed()] {
      let whole = [9, 9] + bytes + [9, 9]
      let result = replaced(whole) {
        $0.addresses.learn(DeviceAddress(value: known), isRandom: isRandom)
      }
      #expect((result != whole) == isFound)
      #expect(result.prefix(2) == [9, 9] && result.suffix(2) == [9, 9])
      if isFound { #expect(!result.contains(bytes[2]) || result[3..<7] != whole[3..<7]) }
      #expect(replaced(whole) { _ in } == whole)
    }
  }

  @Test("vendors' commands with addresses and keys") func vendors() throws {
    let own: [UInt8] = [1, 2, 3, 4, 5, 0xc6]
    let other: [UInt8] = (0x31...0x40).map { $0 }
    var options = RedactionOptions()
    options.keepsVendors = true
    let result = try redacted(options) {
      $0.command(0xfc06, own)
      $0.complete(0xfc0a, [0] + Self.key + other)
      $0.complete(0xfc09, [0, 1] + Self.peer + other)
      $0.command(0xfc01, Self.peer)
      $0.command(0xfc22, [0xfe, 6] + own)
      // Batch scan results: full, one record.
      $0.complete(
        0xfd56,
        [0, 4, 2, 1] + Self.peer + [1, 0, 0xc8, 0, 0, 13, 12, 9] + Self.name + [0])
      $0.command(0xfc77, [1, 2] + own + [3])
      $0.command(0xfc78, [1, 2, 3, 4])
      $0.event(0xff, [0xee, 1, 2, 3])
    }
    for gone in [own, Self.peer, Self.key, other, Self.name] { #expect(!result.contains(gone)) }
    let pseudonym = result.after[0].suffix(6)
    #expect(result.after[6].dropLast().suffix(6) == pseudonym, "found elsewhere")
    #expect(result.after[7...] == result.before[7...])
    #expect(
      result.lines.contains(
        "kept by --keep-vendor: 3 vendor commands and events, redacted only where they contain known addresses or keys"
      ),
      "\(result.lines)")
  }

  @Test("after the end of names and of advertising data") func ends() throws {
    let field = Self.name + [0] + Array("Bert's phone".utf8)
    let result = try redacted {
      $0.complete(0x0c14, [0] + field + [UInt8](repeating: 0, count: 248 - field.count))
      // LE Set Advertising Data: 31 bytes, of which 3 count.
      $0.command(0x2008, [3, 2, 1, 6] + field + [UInt8](repeating: 0, count: 28 - field.count))
      $0.advertise(data: "2 1 6 0 42 65 72 74")
    }
    for gone in ["Anna", "Bert", "phone"] { #expect(!result.contains(Array(gone.utf8)), "\(gone)") }
    #expect(result.after[1].prefix(8) == result.before[1].prefix(8))
    #expect(result.lines[0].contains("3 parts that belong to no known field"), "\(result.lines)")
  }

  @Test("the sender of notes, unknown data, and LMP") func notes() throws {
    let result = try redacted {
      $0.note(13, [6, 5] + Array("anna\0".utf8) + Array("went\0".utf8))
      $0.note(11, Self.key)
      $0.note(15, [1, 0, 0, 0] + Self.key)
      $0.note(77, Self.key)
      $0.add([0x17] + Self.key, nil, framing: .packetLogger(type: 0x0a))
      $0.add(
        [1, 0, 0, 0, 2] + Array("annad\0/lib/anna\0\0anna\0anna went".utf8), nil,
        framing: .packetLogger(type: 0xf7))
      $0.add([0x30] + Self.key, nil)
    }
    #expect(!result.contains(Array("anna".utf8)) && !result.contains(Array(Self.key[..<4])))
    #expect(result.after[4][0] == 0x17 && result.after[6][0] == 0x30)
    let line = result.lines[0]
    #expect(line.contains("4 unexplained parts of records"), "\(line)")
  }

  @Test(
    "parameters of unknown Security Manager opcodes, and bytes after its PDUs")
  func securityManager() throws {
    let result = try redacted {
      $0.connect()
      $0.smp([0x31] + Self.key, .received)
      $0.smp([0x05, 8] + Self.key, .received)
    }
    #expect(!result.contains(Array(Self.key[..<4])))
    #expect(result.after[2].prefix(11) == result.before[2].prefix(11))
  }

  @Test("names among several values, with and without their lengths") func several() throws {
    let name = Self.name
    let result = try redacted {
      $0.connect()
      $0.sent("08 01 00 ff ff 03 28")
      // Declarations of 2a00 and 2a01: their values are at 0x0003 and 0x0005.
      $0.acl(
        l2cap([9, 7, 2, 0, 0x02, 3, 0, 0x00, 0x2a, 4, 0, 0x02, 5, 0, 0x01, 0x2a]), .received)
      $0.sent("20 05 00 03 00")
      $0.acl(l2cap([0x21, 2, 0, 0x40, 0x03, UInt8(name.count), 0] + name), .received)
      $0.sent("0e 05 00 03 00")
      $0.acl(l2cap([0x0f, 0x40, 0x03] + Array("Bert's band".utf8)), .received)
    }
    #expect(!contain(result.after, name) && !contain(result.after, Array("Bert".utf8)))
    #expect(result.after[4].prefix(16) == result.before[4].prefix(16), "lengths and appearance")
    #expect(result.books.names.listed == [name])
  }

  @Test("joined files are reported by name") func files() throws {
    let result = try redacted {
      $0.connect()
      $0.file = 1
      $0.acl(l2cap([0x1b, 0x0e, 0] + Self.peer), .received)
    }
    let lines = result.report.lines(["one.log", "two.log"])
    #expect(
      lines.contains(
        "found in other data and replaced: 1 address, in #2 (two.log)"), "\(lines)")
    #expect(result.lines.contains { $0.hasSuffix("1 address, in #2") })
  }

  @Test("if the books are full, data in advertisements is removed, too") func fullOfAdvertisers()
    throws
  {
    // Data of a service with an address that is not looked for.
    let data: [UInt8] = [0x09, 0x16, 0x0d, 0x18, 1, 2, 3, 9, 5, 6]
    func build(_ traffic: inout Traffic) {
      traffic.connect()
      traffic.connect(0x41, peer: 0xc011_2233_4499)
      traffic.meta(0x02, [1, 0, 1, 6, 5, 4, 3, 2, 0xc1, UInt8(data.count)] + data + [0xc0])
    }
    var options = RedactionOptions()
    #expect(try redacted(options, build).contains(Array(data[4...])))
    options.limits.addresses = 1
    #expect(try !redacted(options, build).contains(Array(data[4...])))
  }

  @Test(
    "if the books are full, data that may hold the rest is removed, which is reported",
    arguments: [false, true]) func full(limitsBytes: Bool) throws
  {
    let value = [9, 9] + Self.key
    func build(_ traffic: inout Traffic) {
      traffic.connect()
      traffic.connect(0x41, peer: 0xc011_2233_4499)
      traffic.smp([0x06] + [UInt8](0x51...0x60), .received)
      traffic.smp([0x06] + Self.key, .received)
      traffic.acl(l2cap([0x1b, 0x0e, 0] + value), .received)
    }
    var options = RedactionOptions()
    #expect(try redacted(options, build).lines.allSatisfy { !$0.contains("beyond the first") })
    options.limits.addresses = 1
    if limitsBytes { options.limits.bytes = 16 } else { options.limits.secrets = 1 }
    let result = try redacted(options, build)
    #expect(!result.contains(Array(Self.key[..<4])))
    #expect(result.after[4].suffix(value.count).allSatisfy { $0 == 0 })
    for kind in ["addresses", "secrets"] {
      #expect(
        result.lines.contains {
          $0.hasPrefix(
            "not searched for in other data: 1 sighting of \(kind) beyond the first 1; therefore all"
          )
        }, "\(result.lines)")
    }
  }
}
