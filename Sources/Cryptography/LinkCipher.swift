package import Bluetooth
package import Bytes
import CLibcrypto

/// The random values of LL_ENC_REQ and LL_ENC_RSP that an encryption start depends on, each as a
/// number, least significant byte first on the link (Core, Vol 6, Part B, 2.4.2.4 and 2.4.2.5).
package struct EncryptionStart: Hashable, Sendable {
  /// SKD_C, the central's part of the session key diversifier.
  package let centralDiversifier: UInt64
  /// SKD_P, the peripheral's part.
  package let peripheralDiversifier: UInt64
  /// IV_C, the central's part of the initialization vector.
  package let centralVector: UInt32
  /// IV_P, the peripheral's part.
  package let peripheralVector: UInt32

  package init(
    centralDiversifier: UInt64, peripheralDiversifier: UInt64, centralVector: UInt32,
    peripheralVector: UInt32
  ) {
    self.centralDiversifier = centralDiversifier
    self.peripheralDiversifier = peripheralDiversifier
    self.centralVector = centralVector
    self.peripheralVector = peripheralVector
  }

  /// SKD: the central's part is the least significant one (Core, Vol 6, Part B, 5.1.3.1).
  var diversifier: UInt128 { UInt128(peripheralDiversifier) << 64 | UInt128(centralDiversifier) }

  /// The 8 bytes of IV in the order of the link, the first one as the most significant.
  var vector: UInt64 {
    UInt64(centralVector.byteSwapped) << 32 | UInt64(peripheralVector.byteSwapped)
  }

  /// Returns the session key: the diversifier, encrypted with the LTK or STK.
  package func sessionKey(_ longTermKey: PairingValue) -> PairingValue {
    PairingValue(number: AES128(longTermKey).encrypt(diversifier))
  }
}

/// The encryption of a connection's data from one encryption start to the next: AES-CCM with a MIC
/// of 4 bytes (Core, Vol 6, Part E).
///
/// Implemented with the block cipher: one PDU of 27 bytes takes half as long as with the library's
/// CCM, which has to be given the lengths, nonce and MIC in a call each. libcrypto keeps the key
/// expanded, so only the numbers are stored.
package struct LinkCipher: Hashable, Sendable {
  /// The length of the MIC in bytes.
  package static let codeSize = 4
  /// The largest length of a payload with its MIC: the length field is one byte.
  package static let largestPayload = 255

  private let number: UInt128
  private let vector: UInt64

  /// Creates the cipher of a session key.
  package init(sessionKey: PairingValue, _ start: EncryptionStart) {
    number = sessionKey.number
    vector = start.vector
  }

  /// Creates the cipher of an LTK or STK, shortened to the agreed key size.
  package init(longTermKey: PairingValue, _ start: EncryptionStart) {
    self.init(sessionKey: start.sessionKey(longTermKey), start)
  }

  private var key: clibcrypto_block { clibcrypto_block(number) }

  /// Decrypts the payload of a data or control PDU, and returns whether the MIC after it is right.
  /// If it is, the buffer then begins with the payload, which is 4 bytes shorter.
  ///
  /// - Parameters:
  ///   - header: the first byte of the PDU's header, of which NESN, SN and MD are not protected.
  ///   - direction: `.sent` if the central sent it.
  ///   - counter: the packet counter, of which the lower 39 bits are used.
  ///   - buffer: at least as long as the payload.
  package func decrypt(
    _ payload: RawSpan, header: UInt8, direction: Direction, counter: UInt64,
    into buffer: inout BlockBuffer
  ) -> Bool {
    let count = payload.byteCount - Self.codeSize
    guard count >= 0, payload.byteCount <= Self.largestPayload, count <= buffer.count else {
      return false
    }
    let nonce = Nonce(vector, direction, counter)
    let code = crypt(payload, count, nonce, header: header, isPlain: false, into: &buffer)
    return code == payload.bigEndianU32(at: count)
  }

  /// Encrypts a payload, and returns the number of bytes with which the buffer then begins: the
  /// payload and its MIC, or 0 if the payload is too long. The parameters are those of `decrypt`.
  package func encrypt(
    _ payload: RawSpan, header: UInt8, direction: Direction, counter: UInt64,
    into buffer: inout BlockBuffer
  ) -> Int {
    let (count, size) = (payload.byteCount, BlockBuffer.blockSize)
    let whole = count + Self.codeSize
    guard whole <= Self.largestPayload, whole <= buffer.count else { return 0 }
    let nonce = Nonce(vector, direction, counter)
    let code = crypt(payload, count, nonce, header: header, isPlain: true, into: &buffer)
    // The MIC may begin in one block and end in the next.
    let (block, used) = (count / size, count % size)
    let bits = UInt128(code) << 96
    buffer[block] = (used > 0 ? buffer[block] : 0) | bits >> UInt128(8 * used)
    if used + Self.codeSize > size { buffer[block + 1] = bits << UInt128(8 * (size - used)) }
    return whole
  }

  /// Returns the first byte of a payload, decrypted without regard to its MIC, or nil if there is
  /// none. This takes one block, and so rejects most keys if the byte is known.
  package func firstByte(
    of payload: RawSpan, direction: Direction, counter: UInt64
  ) -> UInt8? {
    guard payload.byteCount > Self.codeSize else { return nil }
    let stream = clibcrypto_aes_kept(key, Nonce(vector, direction, counter).stream(1))
    return payload.byte(at: 0) ^ UInt8(truncatingIfNeeded: stream.high >> 56)
  }

  /// Encrypts or decrypts `count` bytes into the buffer, and returns their MIC.
  private func crypt(
    _ input: RawSpan, _ count: Int, _ nonce: Nonce, header: UInt8, isPlain: Bool,
    into buffer: inout BlockBuffer
  ) -> UInt32 {
    let key = key
    var stream = clibcrypto_aes_four(
      key,
      clibcrypto_blocks(
        first: nonce.first(count), second: nonce.stream(0), third: nonce.stream(1),
        fourth: nonce.stream(2)))
    let mask = stream.second.high
    // The length of what is authenticated only (2 bytes), and those bytes: the header without NESN,
    // SN and MD.
    stream.first.high ^= 1 << 48 | UInt64(header & 0xe3) << 40
    var code = clibcrypto_aes_kept(key, stream.first)
    for index in 0..<(count + BlockBuffer.blockSize - 1) / BlockBuffer.blockSize {
      let offset = index * BlockBuffer.blockSize
      let next: clibcrypto_block
      switch index % 4 {
      case 0: next = stream.third
      case 1: next = stream.fourth
      case 2:
        let number = index + 1
        stream = clibcrypto_aes_four(
          key,
          clibcrypto_blocks(
            first: nonce.stream(number), second: nonce.stream(number + 1),
            third: nonce.stream(number + 2), fourth: nonce.stream(number + 3)))
        next = stream.first
      default: next = stream.second
      }
      let length = min(BlockBuffer.blockSize, count - offset)
      let block = input.bigEndianU128(at: offset, count: length)
      let unused = UInt128(8 * (BlockBuffer.blockSize - length))
      let result = (block ^ UInt128(next)) & ~0 << unused
      buffer[index] = result
      code = clibcrypto_aes_kept(key, code ^ clibcrypto_block(isPlain ? block : result))
    }
    return UInt32(truncatingIfNeeded: (code.high ^ mask) >> 32)
  }

  /// The nonce of a packet: the packet counter, 39 bits, least significant byte first; whether the
  /// central sent the packet, 1 bit; IV, 8 bytes (Core, Vol 6, Part E, 2.1). As in a block: after
  /// its first byte, and before the last two.
  private struct Nonce {
    let high: UInt64
    let low: UInt64

    init(_ vector: UInt64, _ direction: Direction, _ counter: UInt64) {
      let number = counter & (1 << 39 - 1) | (direction == .sent ? 1 << 39 : 0)
      high = number.byteSwapped >> 8 | vector >> 48
      low = vector << 16
    }

    /// The block with which the MIC begins: flags (1 byte), nonce (13), the payload's length (2).
    func first(_ count: Int) -> clibcrypto_block {
      clibcrypto_block(high: 0x49 << 56 | high, low: low | UInt64(count))
    }

    /// The block that yields the MIC's mask if the number is 0, else a block of the key stream.
    func stream(_ number: Int) -> clibcrypto_block {
      clibcrypto_block(high: 0x01 << 56 | high, low: low | UInt64(number))
    }
  }
}

extension clibcrypto_block {
  fileprivate static func ^ (left: Self, right: Self) -> Self {
    Self(high: left.high ^ right.high, low: left.low ^ right.low)
  }
}
