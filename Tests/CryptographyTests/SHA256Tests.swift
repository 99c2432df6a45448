import Bytes
import Testing

@testable import Cryptography

@Suite struct SHA256Tests {
  /// FIPS 180-2, appendix B: "abc" gives ba7816bf 8f01cfea …, a million "a" give cdc76e5c 9914fb92
  /// ….
  @Test func vectors() {
    let short = SHA256()
    short.add([UInt8]("abc".utf8).bytes)
    #expect(short.prefix() == 0xba78_16bf_8f01_cfea)
    let long = SHA256()
    for _ in 0..<1000 { long.add([UInt8](repeating: 0x61, count: 1000).bytes) }
    #expect(long.prefix() == 0xcdc7_6e5c_9914_fb92)
    // The empty message gives e3b0c442 98fc1c14 ….
    #expect(SHA256().prefix() == 0xe3b0_c442_98fc_1c14)
    // The same digest as it appears in policies of web pages.
    #expect(SHA256().base64() == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
  }
}
