import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Cryptography

/// A pairing by passkey entry between two devices, recorded by a sniffer
/// (bsniffhub-lp-passkey-123456.pcap), and others made by `ReferenceCCM`.
@Suite struct TemporaryKeySearchTests {
  private static let start = EncryptionStart(
    centralDiversifier: 0xc36b_4056_6d80_2642, peripheralDiversifier: 0xa4ec_99fc_da72_853c,
    centralVector: 0xf7d9_0fa8, peripheralVector: 0x2091_647e)
  private static let initiatorRandom = "0e6192d16a8631bf807602043a7eaf87"
  private static let responderRandom = "3bc73b71b0c5a4280ee88c627bbb1112"
  private static let key = "0d2044a672a3f23ee63b765232f6f2e5"

  /// LL_START_ENC_RSP of both sides, Encryption Information, Central Identification.
  private static let pdus = [
    TemporaryKeySearch.PDU(header: 0x03, direction: .sent, counter: 0, payload: hex("e97dbc2f0d")),
    TemporaryKeySearch.PDU(
      header: 0x0b, direction: .received, counter: 0, payload: hex("a52f5d17b5")),
    TemporaryKeySearch.PDU(
      header: 0x06, direction: .received, counter: 1,
      payload: hex("389ba76537a26362a8a31f396ee4c1b3f7aa98e4c30d50f5f8")),
    TemporaryKeySearch.PDU(
      header: 0x0a, direction: .received, counter: 2,
      payload: hex("b2f1b4184481c71ac5e12af8d565cfc0101d86")),
  ]

  private static func search(
    _ first: TemporaryKeySearch.PDU, _ second: TemporaryKeySearch.PDU?, keySize: Int = 16
  ) throws -> TemporaryKeySearch {
    let random = hex(initiatorRandom)
    let other = hex(responderRandom)
    let values = (PairingValue(random.bytes), PairingValue(other.bytes))
    return TemporaryKeySearch(
      initiatorRandom: try #require(values.0), responderRandom: try #require(values.1),
      keySize: keySize, start, first: first, second: second)
  }

  /// With LL_START_ENC_RSP, whose plain text is known, or with data.
  @Test(arguments: [(0, 1), (1, 0), (2, 3), (0, nil), (2, nil)] as [(Int, Int?)])
  func passkey(_ first: Int, _ second: Int?) throws {
    var search = try Self.search(Self.pdus[first], second.map { Self.pdus[$0] })
    let found = search.search()
    #expect(found?.passkey.number == 123_456)
    #expect(found?.shortTermKey == (try value(Self.key)))
    #expect(found?.isConfirmed == (second != nil))
    #expect(search.isFinished)
    #expect(search.search() == nil)
  }

  @Test func steps() throws {
    var search = try Self.search(Self.pdus[0], Self.pdus[1])
    #expect(search.search(atMost: 123_456) == nil)
    #expect(!search.isFinished)
    #expect(search.search(atMost: 0) == nil)
    #expect(search.search(atMost: -1) == nil)
    #expect(search.search(atMost: 1)?.passkey.number == 123_456)
    #expect(search.isFinished)
  }

  /// A second PDU with another counter does not hide the key, but all temporary keys are tried.
  @Test func secondPDUDoesNotFit() throws {
    let other = TemporaryKeySearch.PDU(
      header: 0x06, direction: .received, counter: 7, payload: Self.pdus[2].payload)
    var search = try Self.search(Self.pdus[0], other)
    #expect(search.search(atMost: 200_000) == nil)
    let found = search.search()
    #expect(found?.passkey.number == 123_456)
    #expect(found?.isConfirmed == false)
  }

  /// The STK is shortened before it is used.
  @Test func shortKey() throws {
    let whole = LegacyPairing.s1(
      temporaryKey: PairingValue(try digits(417)),
      responderRandom: PairingValue(number: UInt128(5)),
      initiatorRandom: PairingValue(number: UInt128(6)))
    let short = PairingValue(number: whole.number & (1 << 56 - 1))
    let made = ReferenceCCM(
      key: short.littleEndian.reversed(), diversifier: hex("1302f1e0dfcebdac7968574635241302"),
      vector: hex("24abdcbabebaafde"))
    let first = TemporaryKeySearch.PDU(
      header: 3, direction: .sent, counter: 0,
      payload: made.encrypt([6], header: 3, fromCentral: true, counter: 0))
    func search(keySize: Int) -> TemporaryKeySearch.Finding? {
      var search = TemporaryKeySearch(
        initiatorRandom: PairingValue(number: 6), responderRandom: PairingValue(number: 5),
        keySize: keySize, LinkCipherTests.start, first: first, second: nil)
      return search.search(atMost: 1000)
    }
    #expect(search(keySize: 7)?.passkey.number == 417)
    #expect(search(keySize: 7)?.shortTermKey == short)
    #expect(search(keySize: 16) == nil)
  }

  @Test func noneFits() throws {
    // The wrong side.
    let wrong = TemporaryKeySearch.PDU(
      header: 0x03, direction: .received, counter: 0, payload: Self.pdus[0].payload)
    var search = try Self.search(wrong, nil)
    #expect(search.search() == nil)
    #expect(search.isFinished)
  }

  @Test func knownOpcodes() {
    #expect(Self.pdus.map(\.opcode) == [6, 6, nil, nil])
    let later = TemporaryKeySearch.PDU(
      header: 3, direction: .sent, counter: 1, payload: hex("e97dbc2f0d"))
    #expect(later.opcode == nil, "LL_PAUSE_ENC_RSP is as long")
    let data = TemporaryKeySearch.PDU(
      header: 2, direction: .sent, counter: 0, payload: hex("e97dbc2f0d"))
    #expect(data.opcode == nil)
  }
}
