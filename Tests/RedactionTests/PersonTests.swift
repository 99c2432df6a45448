import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Redaction

@Suite("Personal details, advertising data, and what stays") struct PersonTests {
  /// Records a Read By Type of an attribute with a UUID of two bytes, and its response.
  private func read(_ uuid: String, _ value: [UInt8], in traffic: inout Traffic) {
    traffic.sent("08 01 00 ff ff \(uuid)")
    traffic.acl(l2cap([9, UInt8(2 + value.count), 3, 0] + value), .received)
  }

  @Test(
    "names, addresses and places of people get pseudonyms of the same shape, in all places",
    arguments: [
      ("8a 2a", "Annabell"), ("90 2a", "Lovelace"), ("87 2a", "ann@ex.org"), ("b5 2a", "Ward 17b"),
      ("b6 2a", "example.org/ann"), ("b7 2a", "Cookie: ann"), ("b9 2a", "call ann"),
      ("2e 2b", "call 5551234"),
    ]) func texts(_ uuid: String, _ text: String) throws
  {
    let value = Array(text.utf8)
    let result = try redacted {
      $0.connect()
      read(uuid, value, in: &$0)
      $0.acl(l2cap([0x1b, 0x0e, 0, 1] + value), .received)
    }
    let pseudonym = Array(result.after[2].suffix(value.count))
    #expect(!result.contains(value))
    #expect(Array(result.after[3].suffix(value.count)) == pseudonym)
    for (before, after) in zip(value, pseudonym) {
      #expect(kind(before) == kind(after), "\(text), \(String(decoding: pseudonym, as: UTF8.self))")
    }
    #expect(result.lines[0].hasSuffix("1 personal detail"), "\(result.lines)")
    #expect(result.lines[1].contains("personal text, in #4"), "\(result.lines)")
  }

  private func kind(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): "digit"
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): "capital"
    case UInt8(ascii: "a")...UInt8(ascii: "z"): "letter"
    default: "\(byte)"
    }
  }

  @Test(
    "dates of birth, places and emergency IDs become zeros; flags about following fields stay",
    arguments: [
      ("85 2a", "c3 07 05 11", 0), ("ae 2a", "11 22 33 44", 0), ("af 2a", "11 22 33 44", 0),
      ("b0 2a", "11 22", 0), ("b1 2a", "11 22", 0), ("b3 2a", "11 22", 0),
      ("67 2a", "04 00 11 22 33 44 55 66 77 88", 2), ("69 2a", "01 00 11 22", 2),
      ("2d 2b", "11 22 33 44 55 66", 0),
    ]) func numbers(_ uuid: String, _ text: String, _ kept: Int) throws
  {
    let value = hex(text)
    let result = try redacted {
      $0.connect()
      read(uuid, value, in: &$0)
    }
    let after = result.after[2].suffix(value.count)
    let expected = Array(value.prefix(kept)) + [UInt8](repeating: 0, count: value.count - kept)
    #expect(Array(after) == expected)
    #expect(result.lines[0].hasSuffix("1 personal detail"), "\(result.lines)")
  }

  /// Registered User: segmentation header, flags and user index precede the name in the first
  /// segment, the header alone in the others (User Data Service).
  @Test(
    "the name of a registered user gets a pseudonym in every segment",
    arguments: [
      ([1, 1, 2], "Lovelace"), ([6], "Annabell"),
    ]) func user(_ head: [UInt8], _ text: String) throws
  {
    let value = Array(text.utf8)
    let result = try redacted {
      $0.connect()
      read("37 2b", head + value, in: &$0)
    }
    #expect(!result.contains(value))
    #expect(Array(result.after[2].suffix(value.count + head.count).prefix(head.count)) == head)
  }

  @Test(
    "an address that is only in a System ID is searched for elsewhere",
    arguments: [
      // As in the characteristic, as EUI-64 is written, with the inverted bit, with zeros.
      "55 44 33 fe ff 22 14 90", "90 14 22 ff fe 33 44 55", "55 44 33 fe ff 22 14 92",
      "92 14 22 ff fe 33 44 55", "55 44 33 00 00 22 14 90",
    ]) func systemID(text: String) throws
  {
    let address = hex("90 14 22 33 44 55")
    let result = try redacted {
      $0.connect()
      read("23 2a", hex(text), in: &$0)
      $0.acl(l2cap([0x1b, 0x0e, 0, 1] + address), .received)
      $0.acl(l2cap([0x1b, 0x0e, 0, 1] + address.reversed()), .received)
    }
    #expect(!result.contains(address) && !result.contains(address.reversed()))
    #expect(result.after[3].suffix(6) == result.after[4].suffix(6).reversed()[...])
    let found = Array(result.after[2].suffix(8))
    #expect(found[3..<5] == hex(text)[3..<5])
    let pseudonym = Array(result.after[3].suffix(6))
    let halves = Array(found[..<3]) + Array(found[5...])
    var turned = pseudonym
    turned[0] ^= 2
    let isTurned = hex(text).contains(0x92)
    let isReversed = found[3] == 0xff
    let expected = isTurned ? turned : pseudonym
    #expect(halves == (isReversed ? expected : expected.reversed()), "\(found), \(pseudonym)")
  }

  /// Flags, Battery Service data, manufacturer data, a URI, an appearance.
  private static let data =
    "02 01 06 04 16 0f 18 5a 07 ff 4c 00 50 41 54 31 05 24 17 61 62 63 03 19 41 03"

  private func advertised(
    _ values: RedactionOptions.Values, _ build: (inout Traffic) -> Void
  ) throws -> Redacted {
    var options = RedactionOptions()
    options.values = values
    return try redacted(options, build)
  }

  @Test("advertising data of makers and services is removed if requested, and otherwise counted")
  func advertisements() throws {
    func build(_ traffic: inout Traffic) { traffic.advertise(data: Self.data) }
    let none = try advertised(.none, build)
    let all = try advertised(.all, build)
    let battery = try advertised(.types([BluetoothUUID(0x180f)]), build)
    let other = try advertised(.types([BluetoothUUID(0x2a37)]), build)
    let whole = hex(Self.data)
    #expect(none.contains(whole))
    #expect(
      none.lines.contains {
        $0.hasPrefix("not redacted: 3 fields with manufacturer, service or other data")
      }, "\(none.lines)")
    #expect(
      all.contains(
        hex("02 01 06 04 16 0f 18 00 07 ff 4c 00 00 00 00 00 05 24 00 00 00 00 03 19 41 03")))
    #expect(all.lines[0].contains("3 fields of advertisements"), "\(all.lines)")
    #expect(!all.lines.contains { $0.hasPrefix("stay") }, "\(all.lines)")
    var changed = whole
    changed[7] = 0
    #expect(battery.contains(changed))
    #expect(!battery.lines.contains { $0.hasPrefix("no value") }, "\(battery.lines)")
    #expect(other.contains(whole))
    #expect(other.lines.contains { $0.hasPrefix("no value of 2a37") }, "\(other.lines)")
  }

  @Test("the same for the host's advertisements, and for a service whose data is all zeros")
  func ownAdvertisements() throws {
    // LE Set Advertising Data: length, 31 bytes.
    let result = try advertised(.types([BluetoothUUID(0x180f)])) {
      $0.command(0x2008, hex("05 04 16 0f 18 5a") + [UInt8](repeating: 0, count: 26))
      $0.advertise(data: "04 16 0f 18 00")
    }
    #expect(result.contains(hex("05 04 16 0f 18 00")) && !result.contains(hex("0f 18 5a")))
    #expect(result.lines[0].contains("1 field of an advertisement"), "\(result.lines)")
    #expect(!result.lines.contains { $0.hasPrefix("no value") }, "\(result.lines)")
  }

  @Test("the number of attribute values that stay is reported, and of how many types")
  func staying() throws {
    let result = try redacted {
      $0.connect()
      read("19 2a", [50], in: &$0)
      read("19 2a", [51], in: &$0)
      read("37 2a", [0, 60], in: &$0)
      // Of an attribute of unknown type; a declaration, a name and a key do not count.
      $0.acl(l2cap([0x1b, 0x0e, 0, 1]), .received)
      read("01 2a", [0, 0], in: &$0)
      read("00 2a", Array("Anna".utf8), in: &$0)
      read("88 2b", [UInt8](1...24), in: &$0)
    }
    #expect(
      result.lines.contains(
        "not redacted: 4 attribute values of 2 types (1 of attributes of unknown type); --redact-values all replaces them with zeros"
      ), "\(result.lines)")
    let one = try redacted {
      $0.connect()
      $0.acl(l2cap([0x1b, 0x0e, 0, 1]), .received)
    }
    #expect(
      one.lines.contains(
        "not redacted: 1 attribute value (of attributes of unknown type); --redact-values all replaces it with zeros"
      ), "\(one.lines)")
  }
}
