import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Cryptography

/// The values of Core, Vol 6, Part C, 1, and packets encrypted by `ReferenceCCM`.
@Suite struct LinkCipherTests {
  static let start = EncryptionStart(
    centralDiversifier: 0xacbd_cedf_e0f1_0213, peripheralDiversifier: 0x0213_2435_4657_6879,
    centralVector: 0xbadc_ab24, peripheralVector: 0xdeaf_babe)
  static let key = "4c683841 39f574d8 36bcf34e 9dfb01bf"

  /// A PDU of the sample data: the first byte of its header, its encrypted and its plain payload.
  struct Vector {
    let header: UInt8
    let direction: Direction
    let counter: UInt64
    let encrypted: String
    let plain: String
  }

  static let vectors = [
    // LL_START_ENC_RSP of both sides.
    Vector(
      header: 0x0f, direction: .sent, counter: 0, encrypted: "9f cda7f448", plain: "06"),
    Vector(
      header: 0x07, direction: .received, counter: 0, encrypted: "a3 4c13a415", plain: "06"),
    Vector(
      header: 0x0e, direction: .sent, counter: 1,
      encrypted: "7a70d66415226df26b17839a060405596bd6564f796b5b9ce6ff32 f75a6d33",
      plain: "1700636465666768696a6b6c6d6e6f707131323334353637383930"),
    Vector(
      header: 0x06, direction: .received, counter: 1,
      encrypted: "f38881e7bd94c9c369b9a66846dd4786aa8c39ce540d0dae3adcdf 89b96088",
      plain: "170037363534333231304142434445464748494a4b4c4d4e4f5051"),
  ]

  @Test func sessionKey() throws {
    let sessionKey = Self.start.sessionKey(try value(Self.key))
    #expect(sessionKey == (try value("99ad1b52 26a37e3e 058e3b8e 27c2c666")))
    let cipher = LinkCipher(longTermKey: try value(Self.key), Self.start)
    #expect(cipher == LinkCipher(sessionKey: sessionKey, Self.start))
  }

  @Test(arguments: vectors) func sampleData(_ vector: Vector) throws {
    let cipher = LinkCipher(longTermKey: try value(Self.key), Self.start)
    var buffer = BlockBuffer(count: LinkCipher.largestPayload)
    let encrypted = hex(vector.encrypted)
    // NESN, SN and MD differ when a PDU is sent again.
    for flags: UInt8 in [0, 0x04, 0x08, 0x10, 0x1c] {
      let isRight = cipher.decrypt(
        encrypted.bytes, header: vector.header ^ flags, direction: vector.direction,
        counter: vector.counter, into: &buffer)
      #expect(isRight)
      #expect(buffer.bytes(count: encrypted.count - 4).array == hex(vector.plain))
    }
    let first = cipher.firstByte(
      of: encrypted.bytes, direction: vector.direction, counter: vector.counter)
    #expect(first == hex(vector.plain)[0])
    let count = cipher.encrypt(
      hex(vector.plain).bytes, header: vector.header, direction: vector.direction,
      counter: vector.counter, into: &buffer)
    #expect(buffer.bytes(count: count).array == encrypted)
  }

  /// The nonces of the sample data, and the other implementation.
  @Test func otherImplementation() throws {
    let other = ReferenceCCM(
      key: hex(Self.key), diversifier: hex("1302f1e0dfcebdac 7968574635241302"),
      vector: hex("24abdcba bebaafde"))
    #expect(other.nonce(fromCentral: true, counter: 0) == hex("000000008024abdcbabebaafde"))
    #expect(other.nonce(fromCentral: false, counter: 0) == hex("000000000024abdcbabebaafde"))
    #expect(other.nonce(fromCentral: true, counter: 1) == hex("010000008024abdcbabebaafde"))
    for vector in Self.vectors {
      let encrypted = other.encrypt(
        hex(vector.plain), header: vector.header, fromCentral: vector.direction == .sent,
        counter: vector.counter)
      #expect(encrypted == hex(vector.encrypted))
    }
    // FIPS 197, appendix C.1.
    let block = ReferenceAES(key: hex("000102030405060708090a0b0c0d0e0f"))
      .encrypt(hex("00112233445566778899aabbccddeeff"))
    #expect(block == hex("69c4e0d86a7b0430d8cdb78070b4c55a"))
  }

  /// Both implementations agree on packets with random keys and nonces, of every length.
  @Test func randomPackets() {
    var generator = RandomNumbers(state: 0x5eed)
    var buffer = BlockBuffer(count: LinkCipher.largestPayload)
    for index in 0..<256 {
      let packet = RandomPacket(length: index % 252, &generator)
      let encrypted = packet.encrypted
      let isRight = packet.cipher.decrypt(
        encrypted.bytes, header: packet.header, direction: packet.direction,
        counter: packet.counter, into: &buffer)
      #expect(isRight, "packet \(index)")
      #expect(
        buffer.bytes(count: packet.payload.count).array == packet.payload, "packet \(index)")
      let first = packet.cipher.firstByte(
        of: encrypted.bytes, direction: packet.direction, counter: packet.counter)
      #expect(first == packet.payload.first, "packet \(index)")
      let count = packet.cipher.encrypt(
        packet.payload.bytes, header: packet.header, direction: packet.direction,
        counter: packet.counter, into: &buffer)
      #expect(buffer.bytes(count: count).array == encrypted, "packet \(index)")
    }
  }

  /// Everything that the MIC covers.
  @Test func anyChangeIsFound() throws {
    let cipher = LinkCipher(longTermKey: try value(Self.key), Self.start)
    var buffer = BlockBuffer(count: LinkCipher.largestPayload)
    let vector = Self.vectors[2]
    let encrypted = hex(vector.encrypted)
    func isRight(
      _ payload: [UInt8]? = nil, header: UInt8 = 0x0e, direction: Direction = .sent,
      counter: UInt64 = 1
    ) -> Bool {
      let payload = payload ?? encrypted
      return cipher.decrypt(
        payload.bytes, header: header, direction: direction, counter: counter,
        into: &buffer)
    }
    #expect(isRight())
    for bit in 0..<8 * encrypted.count {
      var changed = encrypted
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!isRight(changed), "bit \(bit)")
    }
    for flag: UInt8 in [0x01, 0x02, 0x20, 0x40, 0x80] { #expect(!isRight(header: 0x0e ^ flag)) }
    #expect(!isRight(direction: .received))
    for bit in 0..<39 { #expect(!isRight(counter: 1 ^ 1 << UInt64(bit)), "bit \(bit)") }
    #expect(isRight(counter: 1 | 1 << 39), "the counter has 39 bits")
    for count in 0..<encrypted.count { #expect(!isRight(Array(encrypted.prefix(count)))) }
    #expect(!isRight(encrypted + [0]))
  }

  /// Lengths that no PDU has, and a buffer that is too short.
  @Test func lengths() throws {
    let cipher = LinkCipher(longTermKey: try value(Self.key), Self.start)
    let long = [UInt8](repeating: 7, count: 300)
    var buffer = BlockBuffer(count: 1000)
    for count in [0, 1, 3, 256, 300] {
      let payload = Array(long.prefix(count))
      let isRight = cipher.decrypt(
        payload.bytes, header: 2, direction: .sent, counter: 0, into: &buffer)
      #expect(!isRight)
    }
    let payloads = (Array(long.prefix(252)), Array(long.prefix(13)))
    let tooLong = cipher.encrypt(
      payloads.0.bytes, header: 2, direction: .sent, counter: 0, into: &buffer)
    #expect(tooLong == 0)
    var short = BlockBuffer(count: 16)
    let noRoom = cipher.encrypt(
      payloads.1.bytes, header: 2, direction: .sent, counter: 0, into: &short)
    #expect(noRoom == 0)
    let vector = Self.vectors[2]
    let isRight = cipher.decrypt(
      hex(vector.encrypted).bytes, header: vector.header, direction: .sent, counter: 1,
      into: &short)
    #expect(!isRight)
    let code = [UInt8](repeating: 0, count: 4)
    let first = cipher.firstByte(of: code.bytes, direction: .sent, counter: 0)
    #expect(first == nil)
  }

  /// More keys in turn than stay expanded.
  @Test func manyKeys() {
    var generator = RandomNumbers(state: 1)
    var buffer = BlockBuffer(count: LinkCipher.largestPayload)
    let packets = (0..<200).map { _ in RandomPacket(length: 27, &generator) }
    for _ in 0..<2 {
      for packet in packets {
        let isRight = packet.cipher.decrypt(
          packet.encrypted.bytes, header: packet.header, direction: packet.direction,
          counter: packet.counter, into: &buffer)
        #expect(isRight)
      }
    }
  }
}

/// A packet with random contents, key and nonce.
private struct RandomPacket {
  let payload: [UInt8]
  let header: UInt8
  let direction: Direction
  let counter: UInt64
  let cipher: LinkCipher
  let encrypted: [UInt8]

  init(length: Int, _ generator: inout RandomNumbers) {
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
    payload = bytes(length)
    header = .random(in: 0...255, using: &generator)
    direction = Bool.random(using: &generator) ? .sent : .received
    counter = .random(in: 0..<1 << 39, using: &generator)
    let (key, vector) = (bytes(16), bytes(8))
    cipher = LinkCipher(
      sessionKey: PairingValue(mostSignificantFirst: key),
      EncryptionStart(
        centralDiversifier: 0, peripheralDiversifier: 0, centralVector: Self.number(vector[..<4]),
        peripheralVector: Self.number(vector[4...])))
    encrypted = ReferenceCCM(sessionKey: key, vector: vector).encrypt(
      payload, header: header, fromCentral: direction == .sent, counter: counter)
  }

  /// Least significant byte first.
  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// Numbers that are the same in every run (SplitMix64).
private struct RandomNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
