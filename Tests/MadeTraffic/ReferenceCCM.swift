// The encryption of the Link Layer, written from the standards without a library: what the program
// decrypts is encrypted by a second implementation.

/// A session key that encrypts the packets of one connection, from one encryption start to the next
/// (Core, Vol 6, Part B, 5.1.3, and Part E).
package struct ReferenceCCM: Sendable {
  private let cipher: ReferenceAES
  /// IV_C and IV_P in the order of the link, 8 bytes.
  private let vector: [UInt8]

  /// Creates a cipher from a session key, 16 bytes, most significant first, and IV_C and IV_P in
  /// the order of the link, 8 bytes.
  package init(sessionKey: [UInt8], vector: [UInt8]) {
    precondition(vector.count == 8)
    cipher = ReferenceAES(key: sessionKey)
    self.vector = vector
  }

  /// Creates the cipher of a key and of the values in LL_ENC_REQ and LL_ENC_RSP.
  ///
  /// - Parameters:
  ///   - key: the LTK or STK, 16 bytes, most significant first.
  ///   - diversifier: SKD_C and SKD_P in the order of the link, 16 bytes.
  ///   - vector: IV_C and IV_P in the order of the link, 8 bytes.
  package init(key: [UInt8], diversifier: [UInt8], vector: [UInt8]) {
    self.init(
      sessionKey: ReferenceAES(key: key).encrypt(diversifier.reversed()), vector: vector)
  }

  /// Returns the encrypted payload of a data PDU, followed by its MIC.
  ///
  /// - Parameters:
  ///   - header: the first byte of the PDU's header, of which NESN, SN and MD are not protected.
  ///   - counter: the packet counter of the side that sends it.
  package func encrypt(
    _ payload: [UInt8], header: UInt8, fromCentral: Bool, counter: UInt64
  ) -> [UInt8] {
    let nonce = nonce(fromCentral: fromCentral, counter: counter)
    return encrypt(payload, nonce: nonce, additional: header & 0xe3)
  }

  /// The packet counter, 39 bits, least significant byte first; the direction (1 bit); the vector
  /// (Core, Vol 6, Part E, 2.1).
  package func nonce(fromCentral: Bool, counter: UInt64) -> [UInt8] {
    let bits = counter & (1 << 39 - 1) | (fromCentral ? 1 << 39 : 0)
    return (0..<5).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) } + vector
  }

  /// Returns the encrypted message, followed by the MIC (RFC 3610, 2.2 and 2.3).
  package func encrypt(_ message: [UInt8], nonce: [UInt8], additional: UInt8) -> [UInt8] {
    let mask = cipher.encrypt(counterBlock(nonce, 0))
    let code = code(of: message, nonce: nonce, additional: additional)
    return crypt(message, nonce: nonce) + zip(code, mask).prefix(4).map { $0 ^ $1 }
  }

  /// Returns the message, or nil if the MIC after it is wrong.
  package func decrypt(_ encrypted: [UInt8], nonce: [UInt8], additional: UInt8) -> [UInt8]? {
    guard encrypted.count >= 4 else { return nil }
    let message = crypt(Array(encrypted.dropLast(4)), nonce: nonce)
    let again = encrypt(message, nonce: nonce, additional: additional)
    return again == encrypted ? message : nil
  }

  /// The CBC-MAC of the first block, the additional data and the message, each padded with zeros
  /// to whole blocks.
  private func code(of message: [UInt8], nonce: [UInt8], additional: UInt8) -> [UInt8] {
    let first = [0x49] + nonce + [UInt8(message.count >> 8), UInt8(message.count & 0xff)]
    let second = [0, 1, additional] + [UInt8](repeating: 0, count: 13)
    let padding = [UInt8](repeating: 0, count: (16 - message.count % 16) % 16)
    let blocks = first + second + message + padding
    var state = [UInt8](repeating: 0, count: 16)
    for start in stride(from: 0, to: blocks.count, by: 16) {
      for index in 0..<16 { state[index] ^= blocks[start + index] }
      state = cipher.encrypt(state)
    }
    return state
  }

  /// Encrypts or decrypts a message without its MIC.
  private func crypt(_ message: [UInt8], nonce: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for start in stride(from: 0, to: message.count, by: 16) {
      let stream = cipher.encrypt(counterBlock(nonce, start / 16 + 1))
      result += zip(message[start...], stream).map { $0 ^ $1 }
    }
    return result
  }

  private func counterBlock(_ nonce: [UInt8], _ number: Int) -> [UInt8] {
    [0x01] + nonce + [UInt8(number >> 8), UInt8(number & 0xff)]
  }
}

/// AES with a 128-bit key, byte by byte (FIPS 197).
package struct ReferenceAES: Sendable {
  private let rounds: [[UInt8]]

  /// Expands a key of 16 bytes, most significant first.
  package init(key: [UInt8]) {
    precondition(key.count == 16)
    var words = stride(from: 0, to: 16, by: 4).map { Array(key[$0..<$0 + 4]) }
    var constant: UInt8 = 1
    for index in 4..<44 {
      var word = words[index - 1]
      if index % 4 == 0 {
        word = [word[1], word[2], word[3], word[0]].map { Self.substitution[Int($0)] }
        word[0] ^= constant
        constant = Self.doubled(constant)
      }
      words.append(zip(words[index - 4], word).map { $0 ^ $1 })
    }
    rounds = (0..<11).map { round in words[4 * round..<4 * round + 4].flatMap { $0 } }
  }

  /// Encrypts a block of 16 bytes, most significant first.
  package func encrypt(_ block: [UInt8]) -> [UInt8] {
    precondition(block.count == 16)
    var state = block
    add(0, to: &state)
    for round in 1...10 {
      // SubBytes and ShiftRows: row r of column c comes from column c + r.
      let old = state
      for index in 0..<16 {
        state[index] = Self.substitution[Int(old[(index + 4 * (index % 4)) % 16])]
      }
      if round < 10 { mixColumns(&state) }
      add(round, to: &state)
    }
    return state
  }

  private func add(_ round: Int, to state: inout [UInt8]) {
    for index in 0..<16 { state[index] ^= rounds[round][index] }
  }

  private func mixColumns(_ state: inout [UInt8]) {
    for start in stride(from: 0, to: 16, by: 4) {
      let column = Array(state[start..<start + 4])
      let sum = column[0] ^ column[1] ^ column[2] ^ column[3]
      for row in 0..<4 {
        state[start + row] = column[row] ^ sum ^ Self.doubled(column[row] ^ column[(row + 1) % 4])
      }
    }
  }

  /// Multiplies by x in the field of 256 elements.
  private static func doubled(_ value: UInt8) -> UInt8 { value << 1 ^ (value >> 7) * 0x1b }

  /// The S-box: the inverse in the field, and an affine transformation of it.
  private static let substitution: [UInt8] = {
    // All powers of 3 and, in the opposite order, their inverses.
    var powers: [UInt8] = [1]
    for _ in 1..<255 {
      let last = powers[powers.count - 1]
      powers.append(last ^ doubled(last))
    }
    var box = [UInt8](repeating: 0x63, count: 256)
    for (exponent, power) in powers.enumerated() {
      let inverse = UInt16(powers[(255 - exponent) % 255])
      let twice = inverse << 8 | inverse
      let sum = (0..<5).reduce(UInt16(0)) { $0 ^ twice >> (8 - UInt16($1)) }
      box[Int(power)] = UInt8(truncatingIfNeeded: sum) ^ 0x63
    }
    return box
  }()
}
