import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Testing

@testable import Redaction

@Suite("Bytes that belong to no field known to be harmless") struct UnclaimedTests {
  private static let secret: [UInt8] = (0xd1...0xe0).map { $0 }
  private static let name = Array("PATIENT-NAME".utf8)

  /// Returns whether one of the records contains five bytes of the secret.
  private func isLeft(_ records: [[UInt8]]) -> Bool {
    (0...Self.secret.count - 5).contains { contain(records, Array(Self.secret[$0..<$0 + 5])) }
  }

  @Test("addresses, random numbers and public keys whose end is not in the record")
  func cut()
    throws
  {
    let secret = Self.secret
    let result = try redacted {
      // LE Connection Complete, LE Advertising Report, Link Key Request, LE Create Connection.
      $0.add([4, 0x3e, 19, 1, 0, 0x40, 0, 0, 1] + secret.prefix(5), .received)
      $0.add([4, 0x3e, 12, 2, 1, 0, 1] + secret.prefix(5), .received)
      $0.add([4, 0x17, 6] + secret.prefix(5), .received)
      $0.add([1, 0x0d, 0x20, 25, 0x60, 0, 0x60, 0, 0, 1] + secret.prefix(5), .sent)
      // LE Long Term Key Request, LE Read Local P-256 Public Key Complete.
      $0.add([4, 0x3e, 13, 5, 0x40, 0] + secret.prefix(6), .received)
      $0.add([4, 0x3e, 66, 8, 0] + secret, .received)
    }
    #expect(!isLeft(result.after))
    for (before, after) in zip(result.before, result.after) {
      // The address begins after the third byte in the shortest one.
      #expect(after.prefix(3) == before.prefix(3))
    }
  }

  @Test("bytes after the ends of packets, of their parameters and of PDUs") func behind()
    throws
  {
    let secret = Self.secret
    let result = try redacted {
      $0.connect()
      $0.add([4, 0x05, 4, 0, 0x41, 0, 0x13] + secret, .received)
      $0.event(0x05, [0, 0x41, 0, 0x13] + secret)
      $0.command(0x0406, little(0x41) + [0x13] + secret)
      $0.complete(0x0c03, [0] + secret)
      $0.acl(l2cap([0x1b, 0x0e, 0, 7]) + secret, .received)
      $0.add([2, 0x40, 0x20, 8, 0] + l2cap([0x1b, 0x0e, 0, 7]) + secret, .received)
      $0.acl(l2cap([0x12, 1, 2, 0, 0, 0] + secret, cid: 5), .received)
      $0.add([3, 0x41, 0, 1, 7] + secret, .received)
      $0.note(2, secret)
    }
    #expect(!isLeft(result.after))
    #expect(result.after[5].dropLast(16) == result.before[5].dropLast(16))
    #expect(result.lines[0].contains("8 parts that belong to no known field"), "\(result.lines)")
  }

  @Test("parameters of unassigned opcodes and of vendors; these may be kept and are counted")
  func undefined() throws {
    let secret = Self.secret
    func build(_ traffic: inout Traffic) {
      traffic.connect()
      traffic.perform(0x20f1, secret, returns: [0] + secret)
      traffic.event(0x91, secret)
      traffic.meta(0xf1, secret)
      traffic.note(16, little(1, width: 4) + little(0xf1) + secret)
      traffic.note(17, little(1, width: 4) + little(1) + little(0xf1) + [0] + secret)
      traffic.acl(l2cap([0x7c] + secret), .received)
      traffic.acl(l2cap([0x31] + secret, cid: 6), .received)
      traffic.acl(l2cap([0x21, 1, 16, 0] + secret, cid: 5), .received)
    }
    let result = try redacted(RedactionOptions(), build)
    #expect(!isLeft(result.after))
    #expect(result.after[2].prefix(7) == result.before[2].prefix(7), "the status")
    func vendors(_ traffic: inout Traffic) {
      traffic.perform(0xfc77, secret, returns: [0] + secret)
      traffic.event(0xff, secret)
    }
    let removed = try redacted(RedactionOptions(), vendors)
    #expect(!isLeft(removed.after))
    #expect(removed.after[1].prefix(7) == removed.before[1].prefix(7))
    #expect(
      removed.lines[0] == "replaced: 3 unknown parts of vendors' commands and events",
      "\(removed.lines)")
    #expect(!removed.lines.contains { $0.contains("--keep-vendor") })
    for values in [RedactionOptions.Values.none, .all] {
      var options = RedactionOptions()
      options.keepsVendors = true
      options.values = values
      let kept = try redacted(options, vendors)
      #expect(kept.after == kept.before)
      #expect(
        kept.lines.contains(
          "kept by --keep-vendor: 3 vendor commands and events, redacted only where they contain known addresses or keys"
        ), "\(kept.lines)")
    }
  }

  @Test("an Android event that is shorter or longer than its layout", arguments: -8...8)
  func misfitting(delta: Int) throws {
    // LE Advertisement Tracking: filter, state, information, address, its type, power, signal,
    // time, advertising data with a name, scan response.
    let address: [UInt8] = [0xd1, 0xe2, 0xf3, 0xa4, 0xb5, 0xc6]
    let data = [UInt8(Self.name.count + 1), 9] + Self.name
    let whole: [UInt8] =
      [0x56, 3, 1, 0] + address + [1, 7, 0xc0, 0, 0, UInt8(data.count)] + data + [0]
    let event =
      delta < 0 ? Array(whole.dropLast(-delta)) : whole + [UInt8](repeating: 0x5a, count: delta)
    for keepsVendors in [false, true] {
      var options = RedactionOptions()
      options.keepsVendors = keepsVendors
      let result = try redacted(options) { $0.event(0xff, event) }
      #expect(!result.contains(address) && !result.contains(Array("PATIE".utf8)), "\(result.after)")
      #expect(result.after[0].prefix(7) == result.before[0].prefix(7), "code, filter, state")
      #expect(result.books.addresses.contains(DeviceAddress(value: address.littleEndianNumber)))
      #expect(result.lines[0].contains("1 address, 1 name"), "\(result.lines)")
      // What follows the layout is the vendor's.
      let rest = result.after[0].suffix(max(0, delta))
      #expect(rest.allSatisfy { $0 == (keepsVendors ? 0x5a : 0) })
    }
  }

  @Test("vendors' commands with addresses that are longer or shorter than known")
  func misfittingCommands() throws {
    let address: [UInt8] = [0xd1, 0xe2, 0xf3, 0xa4, 0xb5, 0xc6]
    for opcode in [0xfc01, 0xfc06, 0xfc31] {
      for parameters in [address + [1, 2, 3], Array(address.prefix(5))] {
        for keepsVendors in [false, true] {
          var options = RedactionOptions()
          options.keepsVendors = keepsVendors
          let result = try redacted(options) { $0.command(opcode, parameters) }
          #expect(!result.contains(Array(address.prefix(4))))
          #expect(result.contains([1, 2, 3]) == (keepsVendors && parameters.count > 6))
        }
      }
    }
  }

  @Test("patterns of advertisement monitors, and structures longer than their types")
  func advertising() throws {
    let pattern = Self.name + [UInt8](repeating: 0, count: 31 - Self.name.count)
    let secret = Self.secret
    let result = try redacted {
      // Add Advertisement Patterns Monitor: one pattern of type 9.
      $0.note(16, little(1, width: 4) + little(0x52) + [1, 9, 0, UInt8(Self.name.count)] + pattern)
      let long = [UInt8(secret.count + 3), 1, 6, 0] + secret
      $0.command(0x2008, [UInt8(long.count)] + long + [UInt8](repeating: 0, count: 31 - long.count))
    }
    #expect(!contain(result.after, Array("PATIENT".utf8)))
    #expect(!isLeft(result.after))
    #expect(result.after[1].prefix(9) == result.before[1].prefix(9))
  }

  @Test(
    "data from a controller for its maker", arguments: [0x2edc, 0x05fe, 0x05ff, 0xfc6f])
  func logs(word: Int) throws {
    let secret = Self.secret
    let log = little(word) + little(secret.count + 4) + [16, 0, 6, 0] + secret
    let result = try redacted {
      $0.add([2] + log, .received)
      $0.add([2] + log, .sent)
    }
    #expect(result.after[0].prefix(5) == result.before[0].prefix(5))
    #expect(result.after[0].dropFirst(5).allSatisfy { $0 == 0 })
    #expect(
      result.lines[0].contains("1 packet of a controller's debug log"), "\(result.lines)")
    #expect(result.books.keys.known.count <= 1, "nothing is learnt from it")
  }

  @Test("a fragment that was joined with another PDU's") func joined() throws {
    let secret = Self.secret
    let value = [UInt8](repeating: 0x61, count: 20)
    let result = try redacted {
      $0.connect()
      // A notification that lacks four bytes; then the end of a PDU with a key.
      $0.acl(Array((little(27) + [4, 0, 0x1b, 0x10, 0] + value)), .received)
      $0.acl(secret, .received, .more)
      // The same, but the key is exactly as long as the missing part.
      $0.acl(Array((little(39) + [4, 0, 0x1b, 0x10, 0] + value)), .received)
      $0.acl(secret, .received, .more)
    }
    #expect(!isLeft(result.after))
    #expect(result.after[1] == result.before[1], "the first part is its own")
    #expect(result.lines.contains { $0.hasPrefix("replaced with zeros: ") }, "\(result.lines)")
  }

  @Test("what stays is counted: data of other protocols, and audio") func counted() throws {
    let result = try redacted {
      $0.connect()
      $0.acl(l2cap(Self.secret, cid: 0x3a), .received)
      $0.add([3, 0x41, 0, 16] + Self.secret, .received)
    }
    #expect(
      result.lines.contains(
        "not redacted: the data of 1 packet of other protocols, 1 packet of audio or other isochronous data; --redact-values all replaces them with zeros"
      ), "\(result.lines)")
  }
}
