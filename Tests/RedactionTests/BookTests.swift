import Bluetooth
import Bytes
import Cryptography
import Testing

@testable import Redaction

@Suite struct AddressBookTests {
  private static func address(_ text: String) throws -> DeviceAddress {
    try #require(DeviceAddress(text: text))
  }

  /// A static address stays static, a non-resolvable one non-resolvable; a public one becomes one
  /// that no vendor has.
  @Test func kinds() throws {
    let resting = try Self.address("F1:23:45:67:89:AB")
    let passing = try Self.address("12:23:45:67:89:AB")
    let given = try Self.address("00:1B:DC:07:32:EF")
    var book = AddressBook()
    book.learn(resting, isRandom: true)
    book.learn(passing, isRandom: true)
    book.learn(given, isRandom: false)
    book.close([], .fixed())
    #expect(AddressKind(book[resting], .random) == .randomStatic)
    #expect(AddressKind(book[passing], .random) == .randomNonresolvable)
    #expect(book[given].value >> 40 & 0b11 == 0b10, "locally administered, individual")
    for address in [resting, passing, given] {
      #expect(book[address] != address)
      #expect(book[address] == book[address])
    }
    #expect(Set([resting, passing, given].map { book[$0] }).count == 3)
  }

  @Test func nobody() {
    var book = AddressBook()
    let all = DeviceAddress(value: .max)
    book.learn(.zero, isRandom: nil)
    book.learn(all, isRandom: nil)
    book.close([], .fixed())
    #expect(book[.zero] == .zero)
    #expect(book[all] == all)
    #expect(book.addresses.isEmpty)
  }

  /// The address of the sample data of ah (Core, Vol 3, Part H, Appendix D.7): 708194 and 0dfbaa.
  @Test func resolvable() throws {
    let key = hex("9b 7d 39 0a a6 10 10 34 05 ad c8 57 a3 34 02 ec")
    let read = IdentityResolvingKey(key.bytes)
    let original = try #require(read)
    var keys = KeyBook(.fixed())
    keys.learn(key)
    let other = keys[key]
    let made = IdentityResolvingKey(other.bytes)
    let pseudonym = try #require(made)
    let resolvable = try Self.address("70:81:94:0D:FB:AA")
    try #require(original.resolves(resolvable))
    var book = AddressBook()
    book.learn(resolvable, isRandom: true)
    book.close([ResolvingKey(original: original, pseudonym: pseudonym)], .fixed())
    #expect(pseudonym.resolves(book[resolvable]))
    #expect(!original.resolves(book[resolvable]))
  }

  private func hex(_ text: String) -> [UInt8] {
    text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
  }
}

@Suite struct PasskeyBookTests {
  /// Passkeys differ in the same round as before, and stay passkeys.
  @Test(
    arguments: [(0, 1), (123_456, 123_460), (417, 999_999), (524_288, 0)] as [(UInt32, UInt32)])
  func parting(_ one: UInt32, _ other: UInt32) throws {
    var book = PasskeyBook(.fixed())
    book.learn(one)
    book.learn(other)
    book.close()
    let first = book[try #require(SixDigits(one))].number
    let second = book[try #require(SixDigits(other))].number
    #expect((first ^ second).trailingZeroBitCount == (one ^ other).trailingZeroBitCount)
    #expect(first != one && second != other)
  }

  /// The bits of all rounds equal the whole pseudonym.
  @Test func rounds() throws {
    var book = PasskeyBook(.fixed(7))
    book.learn(654_321)
    book.close()
    var bits: UInt32 = 0
    for round in 0..<20 {
      let bit = UInt8(654_321 >> UInt32(round) & 1)
      bits |= UInt32(book.bit(bit, after: 654_321, round: round)) << UInt32(round)
    }
    #expect(bits == book[try #require(SixDigits(654_321))].number)
  }

  @Test func digits() throws {
    var book = PasskeyBook(.fixed())
    book.derive(try #require(SixDigits(180_625)), try #require(SixDigits(7)))
    #expect(book.digits(180_625) == 7)
    #expect(book.digits(0) == 0)
    #expect(SixDigits.all.contains(book.digits(180_626)))
  }
}

@Suite struct KeyBookTests {
  private static let key: [UInt8] = (1...16).map { $0 }

  @Test func length() {
    let keys = KeyBook(.fixed())
    #expect(keys[Self.key].count == 16)
    #expect(keys[Self.key] != Self.key)
    #expect(keys[Self.key] == KeyBook(.fixed())[Self.key])
    #expect(keys[Self.key] != KeyBook(.fixed(2))[Self.key], "another run has other pseudonyms")
    let short = Array(Self.key.prefix(7)) + [UInt8](repeating: 0, count: 9)
    #expect(keys[short].suffix(9).allSatisfy { $0 == 0 }, "a key of 7 bytes")
    #expect(keys[short][6] != 0 || keys[short][5] != 0)
    let none = [UInt8](repeating: 0, count: 16)
    #expect(keys[none] == none)
  }

  @Test func publicKeys() throws {
    var keys = KeyBook(.fixed())
    #expect(keys[P256PublicKey.debug] == .debug, "it is public")
    let number = P256Coordinate(high: 1, low: 2)
    let one = try #require(P256KeyPair(privateKey: number)).publicKey
    let other = try #require(P256KeyPair(privateKey: P256Coordinate(high: 3, low: 4))).publicKey
    keys.learn(one)
    #expect(keys[one].isOnCurve && keys[one] != one)
    #expect(keys[one.negative] == keys[one].negative)
    #expect(keys.dhKey(one, other) == keys.dhKey(other, one))
    #expect(keys.dhKey(one, .debug) == P256PublicKey.debugDHKey(keys[one], .debug))
    let invalid = P256PublicKey(x: one.x, y: other.y)
    try #require(!invalid.isOnCurve)
    #expect(!keys[invalid].isOnCurve)
  }
}
