import Bluetooth
import Bytes
import Testing

@testable import Cryptography

@Suite struct CryptographyTests {
  /// FIPS 197, appendix C.1.
  @Test func block() throws {
    let cipher = try #require(AES128(key: hex("000102030405060708090a0b0c0d0e0f")))
    let (plain, encrypted): (UInt128, UInt128) = (
      0x0011_2233_4455_6677_8899_aabb_ccdd_eeff, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a
    )
    #expect(cipher.encrypt(plain) == encrypted)
    #expect(cipher.decrypt(encrypted) == plain)
    let same = AES128(PairingValue(number: 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f))
    #expect(same.encrypt(plain) == encrypted)
    #expect(AES128(key: [1, 2, 3]) == nil)
  }

  /// RFC 4493, section 4: messages of 0, 16, 40 and 64 bytes.
  @Test(arguments: [
    (0, "bb1d6929e95937287fa37d129b756746"), (16, "070a16b46b4d4144f79bdd9dd04a287c"),
    (40, "dfa66747de9ae63030ca32611497c827"), (64, "51f0bebf7e3b9d92fc49741779363cfe"),
  ])
  func messageAuthenticationCode(_ count: Int, _ code: String) throws {
    let cipher = try #require(AES128(key: hex("2b7e151628aed2a6abf7158809cf4f3c")))
    let message = hex(
      "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
    #expect(cipher.authenticationCode(of: Array(message.prefix(count))) == hex(code))
  }

  /// Sample data for ah: Core, Vol 3, Part H, D.7.
  @Test func randomAddressHash() throws {
    let wire = [UInt8](hex("ec0234a357c8ad05341010a60a397d9b").reversed())
    let made = IdentityResolvingKey(wire.bytes)
    let key = try #require(made)
    #expect(key.hash(0x708194) == 0x0dfbaa)
    #expect(key.resolves(DeviceAddress(value: 0x7081_940d_fbaa)))
    #expect(!key.resolves(DeviceAddress(value: 0x7081_940d_fbab)))
    #expect(!key.resolves(DeviceAddress(value: 0xf081_940d_fbaa)), "static address")
  }

  /// More keys in turn than stay expanded, each with its own four addresses and those of another.
  @Test func addressesOfManyKeys() throws {
    let keys = (1...70).compactMap { IdentityResolvingKey([UInt8](repeating: $0, count: 16).bytes) }
    try #require(keys.count == 70)
    func addresses(of key: IdentityResolvingKey) -> SIMD4<UInt64> {
      SIMD4((0..<4).map { UInt64(0x40_0000 + $0) << 24 | UInt64(key.hash(UInt32(0x40_0000 + $0))) })
    }
    for _ in 0..<2 {
      for (place, key) in keys.enumerated() {
        var some = addresses(of: key)
        #expect(all(key.resolves(some, place: place)))
        some[2] = addresses(of: keys[(place + 1) % 70])[2]
        let found = key.resolves(some, place: place)
        #expect(found == SIMDMask([true, true, false, true]))
        #expect(!key.resolves(DeviceAddress(value: some[2])))
      }
    }
  }

  @Test func noKey() {
    for bytes: [UInt8] in [[UInt8](repeating: 0, count: 16), [1, 2, 3]] {
      let key = IdentityResolvingKey(bytes.bytes)
      #expect(key == nil)
    }
  }

  /// Core, Vol 3, Part G, Appendix B: the sample database and its hash.
  @Test func databaseHash() {
    let message = hex(
      """
      010000280018 020003280a0300002a 040003280205000 12a 060000280118 0700032820080005 2a 09000229
      0a0003280a0b00292b 0c000328020d002a2b 0e0000280818 0f0002281400160 00f18 10000328a21100182a
      12000229 130000290000 140001280f18 15000328021600192a
      """.filter { $0 != "\n" })
    let hash = DatabaseHash.hash(of: message)
    #expect(hash == hex("f1ca2d48ecf58bac8a8830bbb9fba990"))
    #expect(DatabaseHash.matches(hash.reversed(), hash))
    #expect(DatabaseHash.matches(hash, hash), "some servers send the hash in this order")
    #expect(!DatabaseHash.matches(Array(hash.dropLast()), hash))
  }
}
