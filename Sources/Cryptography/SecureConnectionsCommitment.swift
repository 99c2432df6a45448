/// The result of checking a confirm value of LE Secure Connections against the random value that
/// opens it.
package enum SecureConnectionsCommitment: Hashable, Sendable {
  /// The confirm value or the random value is missing, so nothing can be computed.
  case hidden
  /// f4 yields the confirm value with this passkey bit, which is 0 if there is no passkey.
  case opens(bit: UInt8)
  /// f4 yields it only with this deviation from the specification.
  case deviates(bit: UInt8, CommitmentDeviation)
  /// f4 does not yield it, so it was computed from other data.
  case closed

  /// The bit, if known.
  package var bit: UInt8? {
    switch self {
    case .opens(let bit), .deviates(let bit, _): bit
    case .hidden, .closed: nil
    }
  }

  /// Checks a commitment in a round of passkey entry, whose bit is unknown (Core, Vol 3, Part H,
  /// 2.3.5.6.3), with X of the sender's and the other's public key.
  ///
  /// - Parameter likely: The bit to try first.
  package static func passkeyBit(
    _ own: P256Coordinate, _ other: P256Coordinate, confirm: PairingValue?, random: PairingValue?,
    likely: UInt8 = 0
  ) -> Self {
    open(own, other, confirm, random, bits: likely == 0 ? [0, 1] : [1, 0]) { 0x80 | $0 }
  }

  /// Checks the responder's single commitment in Just Works and numeric comparison (Core, Vol 3,
  /// Part H, 2.3.5.6.2), with X of its own and the initiator's public key.
  package static func single(
    _ own: P256Coordinate, _ other: P256Coordinate, confirm: PairingValue?, random: PairingValue?
  ) -> Self {
    open(own, other, confirm, random, bits: [0]) { $0 }
  }

  private static func open(
    _ own: P256Coordinate, _ other: P256Coordinate, _ confirm: PairingValue?,
    _ random: PairingValue?, bits: [UInt8], z: (UInt8) -> UInt8
  ) -> Self {
    guard let confirm, let random else { return .hidden }
    var values = SecureConnections.ConfirmValues(own, other, random: random)
    for bit in bits where values.f4(z: z(bit)) == confirm { return .opens(bit: bit) }
    for deviation in CommitmentDeviation.allCases {
      for bit in bits
      where deviation.f4(own, other, random: random, bit: bit, z: z(bit)) == confirm {
        return .deviates(bit: bit, deviation)
      }
    }
    return .closed
  }
}

/// A deviation in a device's computation of f4, so that no peer accepts its confirm value.
package enum CommitmentDeviation: UInt8, CaseIterable, Sendable {
  /// The public keys are exchanged.
  case keysExchanged
  /// The bytes of their X coordinates are in the wrong order.
  case keysReversed
  /// The bytes of the random value are in the wrong order.
  case randomReversed
  /// A passkey bit is not combined with 0x80.
  case bareBit
  /// The bytes of the confirm value are in the wrong order.
  case resultReversed

  /// The name for programs.
  package var key: StaticString {
    switch self {
    case .keysExchanged: "public_keys_exchanged"
    case .keysReversed: "public_keys_reversed"
    case .randomReversed: "random_reversed"
    case .bareBit: "bare_bit"
    case .resultReversed: "result_reversed"
    }
  }

  /// The words for people, after "f4 was computed with".
  package var words: StaticString {
    switch self {
    case .keysExchanged: "the two public keys exchanged"
    case .keysReversed: "the public keys in the wrong byte order"
    case .randomReversed: "the random value in the wrong byte order"
    case .bareBit: "the passkey's bit without 0x80"
    case .resultReversed: "its result in the wrong byte order"
    }
  }

  /// Computes f4 with this deviation.
  package func f4(
    _ own: P256Coordinate, _ other: P256Coordinate, random: PairingValue, bit: UInt8, z: UInt8
  ) -> PairingValue {
    let f4 = SecureConnections.f4
    return switch self {
    case .keysExchanged: f4(other, own, random, z)
    case .keysReversed: f4(own.reversed, other.reversed, random, z)
    case .randomReversed: f4(own, other, random.reversed, z)
    case .bareBit: f4(own, other, random, bit)
    case .resultReversed: f4(own, other, random, z).reversed
    }
  }
}
