import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Redaction

/// Returns bytes in the form of `Traffic.advertise`.
private func text(_ bytes: [UInt8]) -> String {
  bytes.map { String($0, radix: 16) }.joined(separator: " ")
}

/// Returns an AD structure.
private func structure(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
  [UInt8(data.count + 1), type] + data
}

@Suite("Headers stay unchanged") struct StructureTests {
  @Test("a name with the bytes of headers changes none of them, and is replaced in values")
  func names() throws {
    let value = Array("1234567".utf8)
    var traffic = Traffic()
    traffic.connect()
    traffic.acl(l2cap([0x1b, 0x0e, 0] + value), .received)
    traffic.command(0x0406, little(0x40) + [0x13])
    // Handle, length, L2CAP length, channel; opcode, length and parameters of Disconnect.
    let names = [
      Array(traffic.records[1].bytes[1..<8]), Array(traffic.records[2].bytes[1..<7]),
    ]
    for name in names {
      let result = try redacted {
        $0.advertise(data: text(structure(9, name)))
        $0.connect()
        $0.acl(l2cap([0x1b, 0x0e, 0] + value), .received)
        $0.command(0x0406, little(0x40) + [0x13])
        $0.split(l2cap([0x1b, 0x0e, 0] + value), [1, 2, 3])
        $0.acl(l2cap([0x1b, 0x0e, 0] + name), .received)
      }
      #expect(result.books.names.listed == [name])
      #expect(result.after[2..<4] == result.before[2..<4])
      for index in 4..<8 {
        #expect(result.after[index].prefix(5) == result.before[index].prefix(5))
      }
      #expect(result.after[8].dropLast(name.count) == result.before[8].dropLast(name.count))
      #expect(result.after[8].suffix(name.count) != result.before[8].suffix(name.count))
    }
  }

  @Test("if an address begins in a header, its rest is replaced, so that it does not remain")
  func straddling() throws {
    // Opcode, handle, and the first three bytes of the value.
    let address: [UInt8] = [0x1b, 0x0e, 0x11, 0x71, 0x72, 0xc3]
    let result = try redacted {
      $0.connect()
      $0.connect(0x41, peer: Int(address.littleEndianNumber))
      $0.acl(l2cap(address + [9]), .received)
      $0.split(l2cap(address + [9]), [6])
    }
    for (index, kept) in [(2, 12), (3, 11), (4, 5)] {
      #expect(result.after[index].prefix(kept) == result.before[index].prefix(kept))
      #expect(result.after[index].last == result.before[index].last || index > 2)
    }
    #expect(!result.contains(address))
    let joined = result.after[3].dropFirst(5) + result.after[4].dropFirst(5)
    #expect(Array(joined).firstRange(of: address) == nil)
  }

  @Test("an address that only headers contain stays there, and that is reported") func reported()
    throws
  {
    var traffic = Traffic()
    traffic.connect()
    traffic.command(0x0406, little(0x40) + [0x13])
    let address = Array(traffic.records[1].bytes[1..<7])
    let result = try redacted {
      $0.connect(0x41, peer: Int(address.littleEndianNumber))
      $0.command(0x0406, little(0x40) + [0x13])
    }
    #expect(result.after[1] == result.before[1])
    #expect(
      result.lines.contains(
        "not replaced, because headers contain the same bytes: 1 address, in #2"),
      "\(result.lines)")
  }

  @Test("a UUID with an address in it is replaced everywhere, one that is a registered name stays")
  func identifiers() throws {
    let uuid: [UInt8] = (0x61...0x70).map { $0 }
    func build(_ traffic: inout Traffic) {
      traffic.connect()
      traffic.sent("10 01 00 ff ff 00 28")
      traffic.acl(l2cap([0x11, 20, 1, 0, 9, 0] + uuid), .received)
      traffic.advertise(data: text(structure(7, uuid)))
    }
    let named = try redacted {
      $0.advertise(data: text(structure(9, uuid)))
      build(&$0)
    }
    #expect(named.after[3] == named.before[3])
    #expect(named.after[4].dropLast().suffix(16) == uuid)
    let addressed = try redacted {
      $0.connect(0x41, peer: Int(Array(uuid[10...]).littleEndianNumber))
      build(&$0)
    }
    #expect(!addressed.contains(Array(uuid[10...])))
    #expect(addressed.after[3].suffix(16) == addressed.after[4].dropLast().suffix(16))
  }

  @Test("overlapping occurrences do not remain either, even if a byte stays by chance")
  func overlapping() {
    let both: [UInt8] = [0x11, 0x12, 0x13, 0x14, 0x15, 0xc6, 0x17, 0x18, 0x19, 0x1a, 0xc1]
    // One of sixty-four pseudonyms ends with the byte that both addresses have.
    for seed in 1...600 as ClosedRange<UInt64> {
      var options = RedactionOptions()
      options.source = .fixed(seed)
      var books = Books(options)
      for part in [both[..<6], both[5...]] {
        let address = DeviceAddress(value: Array(part).littleEndianNumber)
        books.addresses.learn(address, isRandom: true)
      }
      books.addresses.close([], options.source)
      var bytes = both
      let outcomes = BookSearch(books).replace(in: &bytes, sparing: ByteUses(payload: bytes.count))
      #expect(outcomes.allSatisfy { $0.isReplaced })
      #expect(bytes.firstRange(of: both[..<6]) == nil && bytes.firstRange(of: both[5...]) == nil)
    }
  }

  @Test(
    "the longest of many values with the same beginning is found, in as many steps as its length")
  func beginningAlike() {
    let head = Array("abcabcabc".utf8)
    var patterns: [SearchPatterns.Pattern] = []
    for number in 0..<20_000 {
      patterns.append(
        SearchPatterns.Pattern(
          kind: .name, bytes: head + Array("\(number)".utf8), replacement: [UInt8(number & 0xff)]))
    }
    let all = SearchPatterns(patterns)
    let longest = all.longest(in: (head + Array("19999x".utf8)).bytes, at: 0)
    #expect(longest?.bytes == head + Array("19999".utf8))
    let shorter = all.longest(in: (head + Array("7x".utf8)).bytes, at: 0)
    #expect(shorter?.bytes == head + Array("7".utf8))
    #expect(all.longest(in: head.bytes, at: 0) == nil)
    // A hundred thousand places where each of them might begin: testing them one by one would take
    // too long.
    let text = [UInt8](repeating: 0, count: 100_000).indices.map { head[$0 % 3] }
    var found = 0
    for offset in text.indices where all.longest(in: text.bytes, at: offset) != nil { found += 1 }
    #expect(found == 0)
  }
}
