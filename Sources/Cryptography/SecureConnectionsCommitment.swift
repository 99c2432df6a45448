/// What a confirm value of LE Secure Connections and the random value that opens it come to.
package enum SecureConnectionsCommitment: Hashable, Sendable {
  /// The confirm value or the random value is missing: nothing can be computed.
  case hidden
  /// f4 gives the confirm value, with this bit of the passkey; 0 where there is no passkey.
  case opens(bit: UInt8)
  /// f4 gives it if it is computed in a way that the specification does not want.
  case deviates(bit: UInt8, CommitmentDeviation)
  /// f4 does not give it: it was computed over something else.
  case closed

  /// The bit, where it is known.
  package var bit: UInt8? {
    switch self {
    case .opens(let bit), .deviates(let bit, _): bit
    case .hidden, .closed: nil
    }
  }

  /// A commitment of a round of passkey entry, whose bit is unknown (Core, Vol 3, Part H, 2.3.5.6.3): X
  /// of the sender's public key and of the other's, the confirm value and the random value.
  ///
  /// - Parameter likely: the bit to try first.
  package static func passkeyBit(
    _ own: P256Coordinate, _ other: P256Coordinate, confirm: PairingValue?, random: PairingValue?,
    likely: UInt8 = 0
  ) -> Self {
    open(own, other, confirm, random, bits: likely == 0 ? [0, 1] : [1, 0]) { 0x80 | $0 }
  }

  /// The responder's one commitment in Just Works and numeric comparison (Core, Vol 3, Part H,
  /// 2.3.5.6.2): X of its public key and of the initiator's, the confirm value and the random value.
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

/// A way in which a device computes f4 otherwise than the specification wants, so that no peer accepts
/// its confirm value.
package enum CommitmentDeviation: UInt8, CaseIterable, Sendable {
  /// The public keys have changed places.
  case keysExchanged
  /// Their X coordinates have their bytes in the wrong order.
  case keysReversed
  /// The random value has its bytes in the wrong order.
  case randomReversed
  /// A passkey's bit has not 0x80 before it.
  case bareBit
  /// The confirm value has its bytes in the wrong order.
  case resultReversed

  /// As a program names it.
  package var key: StaticString {
    switch self {
    case .keysExchanged: "public_keys_exchanged"
    case .keysReversed: "public_keys_reversed"
    case .randomReversed: "random_reversed"
    case .bareBit: "bare_bit"
    case .resultReversed: "result_reversed"
    }
  }

  /// As a person reads it, after "f4 was computed with".
  package var words: StaticString {
    switch self {
    case .keysExchanged: "the two public keys exchanged"
    case .keysReversed: "the public keys in the wrong byte order"
    case .randomReversed: "the random value in the wrong byte order"
    case .bareBit: "the passkey's bit without 0x80"
    case .resultReversed: "its result in the wrong byte order"
    }
  }

  /// f4 computed in this way.
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
