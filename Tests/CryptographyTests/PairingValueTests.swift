import Bluetooth
import Bytes
import Testing

@testable import Cryptography

@Suite struct PairingValueTests {
  /// The least significant byte is transmitted first.
  @Test func order() throws {
    let value = try value("000102030405060708090a0b0c0d0e0f")
    #expect(value.number == 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f)
    #expect(value.reversed.number == 0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100)
    let number = try coordinate(Sample.dhKey)
    #expect(number.high == 0xec02_34a3_57c8_ad05_3410_10a6_0a39_7d9b)
    #expect(number.low == 0x9979_6b13_b4f8_66f1_868d_34f3_73bf_a698)
    #expect(number.reversed.reversed == number)
    #expect(number.reversed.high == 0x98a6_bf73_f334_8d86_f166_f8b4_136b_7999)
  }

  /// Only the exact number of bytes is accepted.
  @Test(arguments: 0...70) func sizes(_ count: Int) {
    let bytes = [UInt8](repeating: 0xff, count: count)
    let value = PairingValue(bytes.bytes)
    #expect((value != nil) == (count == 16))
    let command = PairingCommand(bytes.bytes)
    #expect((command != nil) == (count == 7))
    let coordinate = P256Coordinate(bytes.bytes)
    #expect((coordinate != nil) == (count == 32))
    let key = P256PublicKey(bytes.bytes)
    #expect((key != nil) == (count == 64))
  }

  /// Pairing Request as transmitted: KeyboardOnly, no OOB data, AuthReq 0x0d.
  @Test func whatASideCanDo() throws {
    let bytes = hex("01 02 00 0d 10 07 07")
    let made = PairingCommand(bytes.bytes)
    let command = try #require(made)
    #expect(command.number == 0x0707_100d_0002_01)
    #expect(command.capabilities == 0x0d_0002)
  }

  @Test func sixDigits() {
    #expect(SixDigits(417)?.description == "000417")
    #expect(SixDigits(0)?.description == "000000")
    #expect(SixDigits(999_999)?.description == "999999")
    #expect(SixDigits(1_000_000) == nil)
    #expect(SixDigits(lastOf: .max).description == "967295")
    #expect(SixDigits(0xf_423f).map { PairingValue($0) } == PairingValue(number: 999_999))
  }

  /// An identity address is never the address of the link.
  @Test(arguments: [(0, false), (1, true), (2, nil), (3, nil), (4, nil), (0xff, nil)])
  func addressTypes(_ type: UInt8, _ isRandom: Bool?) {
    let address = PairingAddress(DeviceAddress(value: 1), AddressType(rawValue: type))
    #expect(address?.isRandom == isRandom)
  }

  /// A 7-byte key keeps its 7 least significant bytes (Core, Vol 3, Part H, 2.3.4).
  @Test func shortened() throws {
    let key = try value("ffeeddccbbaa99887766554433221100")
    #expect(key.shortened(to: 7).number == 0x66_5544_3322_1100)
    #expect(key.shortened(to: 0) == .zero)
    #expect(key.shortened(to: 15).number == 0xee_ddcc_bbaa_9988_7766_5544_3322_1100)
    for size in [16, 17, 255, -1, Int.max] { #expect(key.shortened(to: size) == key) }
  }
}
