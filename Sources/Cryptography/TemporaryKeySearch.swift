package import Bluetooth
package import Bytes

/// A search for the temporary key of LE legacy pairing without a confirm value: each passkey yields
/// an STK (Core, Vol 3, Part H, 2.3.5.5), the STK a session key, and that must decrypt the first
/// encrypted PDU. `PasskeySearch` is as fast and needs no encrypted PDU, but a confirm value.
///
/// Each passkey expands three keys and encrypts three blocks, which takes a quarter of a second for
/// a million.
package struct TemporaryKeySearch: Sendable {
  /// A key that decrypts the first PDU.
  package struct Finding: Hashable, Sendable {
    /// The passkey; 0 is also the temporary key of Just Works.
    package let passkey: SixDigits
    /// The STK, shortened to the agreed key size.
    package let shortTermKey: PairingValue
    /// Whether the key decrypts a second PDU too. A wrong one that decrypts only the first is found
    /// in one of 4000 searches.
    package let isConfirmed: Bool
  }

  /// The inputs of the STK.
  private let randoms: (initiator: PairingValue, responder: PairingValue)
  private let keySize: Int
  private let start: EncryptionStart
  private let first: PDU
  private let second: PDU?
  private var buffer = BlockBuffer(count: LinkCipher.largestPayload)
  private var next: UInt32 = 0
  /// A key that fits only the first PDU.
  private var unconfirmed: Finding?

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - initiatorRandom: Mrand, the central's Pairing Random.
  ///   - responderRandom: Srand, the peripheral's.
  ///   - keySize: the agreed key size in bytes.
  ///   - first: the first encrypted PDU, with its exact counter.
  ///   - second: another PDU, if there is one, to confirm the result.
  package init(
    initiatorRandom: PairingValue, responderRandom: PairingValue,
    keySize: Int = PairingValue.size, _ start: EncryptionStart, first: PDU,
    second: PDU?
  ) {
    randoms = (initiatorRandom, responderRandom)
    self.keySize = keySize
    self.start = start
    self.first = first
    self.second = second
  }

  /// Whether all temporary keys were tried, or the right one was found.
  package var isFinished: Bool { next > SixDigits.all.upperBound }

  /// Tries up to `count` more temporary keys. Returns the one that fits if it is found among them;
  /// when all were tried, the one that only fits the first PDU, if there is one.
  package mutating func search(
    atMost count: Int = Int(SixDigits.all.upperBound) + 1
  ) -> Finding? {
    for _ in 0..<max(0, count) {
      guard let passkey = SixDigits(next) else { break }
      next += 1
      guard let finding = attempt(passkey) else { continue }
      if finding.isConfirmed || second == nil {
        next = SixDigits.all.upperBound + 1
        return finding
      }
      unconfirmed = unconfirmed ?? finding
    }
    return isFinished ? unconfirmed : nil
  }

  private mutating func attempt(_ passkey: SixDigits) -> Finding? {
    let key = LegacyPairing.s1(
      temporaryKey: PairingValue(passkey), responderRandom: randoms.responder,
      initiatorRandom: randoms.initiator
    ).shortened(to: keySize)
    let cipher = LinkCipher(longTermKey: key, start)
    guard first.fits(cipher, &buffer) else { return nil }
    return Finding(
      passkey: passkey, shortTermKey: key, isConfirmed: second?.fits(cipher, &buffer) ?? false)
  }
}

extension TemporaryKeySearch {
  /// An encrypted PDU on which keys are tried.
  package struct PDU: Hashable, Sendable {
    /// The first byte of its header.
    package let header: UInt8
    /// `.sent` if the central sent it.
    package let direction: Direction
    /// The packet counter of its side.
    package let counter: UInt64
    /// The encrypted payload with its MIC.
    package let payload: [UInt8]

    package init(header: UInt8, direction: Direction, counter: UInt64, payload: [UInt8]) {
      self.header = header
      self.direction = direction
      self.counter = counter
      self.payload = payload
    }

    /// The first byte of the plain payload if it is known: a control PDU of one byte that is the
    /// first encrypted one of its side can only be LL_START_ENC_RSP (Core, Vol 6, Part B, 5.1.3.1).
    package var opcode: UInt8? {
      counter == 0 && header & 3 == 3 && payload.count == LinkCipher.codeSize + 1 ? 0x06 : nil
    }

    /// Returns whether a cipher yields the right MIC.
    package func fits(_ cipher: LinkCipher, _ buffer: inout BlockBuffer) -> Bool {
      if let opcode {
        let first = cipher.firstByte(of: payload.bytes, direction: direction, counter: counter)
        guard first == opcode else { return false }
      }
      return cipher.decrypt(
        payload.bytes, header: header, direction: direction, counter: counter, into: &buffer)
    }
  }
}
