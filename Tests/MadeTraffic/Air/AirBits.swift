// What a radio does with a packet: CRC, whitening, channels and lengths. Written from the
// specification alone, so that the program is checked by a second implementation.

package enum AirBits {
  /// The access address of advertising, and the initial value of its CRC (Core, Vol 6, Part B,
  /// 2.1.2 and 3.1.1).
  package static let advertisingAddress: UInt32 = 0x8e89_bed6
  package static let advertisingCRC: UInt32 = 0x55_5555

  /// Returns the CRC of a PDU, its 3 bytes in the order of the link (Core, Vol 6, Part B, 3.1.1).
  ///
  /// The register is kept in reverse: the position that the specification calls 0 is bit 23.
  package static func crc(_ pdu: [UInt8], initial: UInt32) -> [UInt8] {
    var register: UInt32 = 0
    for bit in 0..<24 where initial >> bit & 1 == 1 { register |= 1 << (23 - bit) }
    for byte in pdu {
      for bit in 0..<8 {
        let feedback = register & 1 ^ UInt32(byte >> bit & 1)
        register >>= 1
        // x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x + 1
        if feedback == 1 { register ^= 0xda_6000 }
      }
    }
    return (0..<3).map { UInt8(truncatingIfNeeded: register >> (8 * $0)) }
  }

  /// Whitens PDU and CRC, or removes whitening: x⁷ + x⁴ + 1 (Core, Vol 6, Part B, 3.2).
  package static func whiten(_ bytes: [UInt8], channel: UInt8) -> [UInt8] {
    var positions = [1] + (0..<6).map { Int(channel >> (5 - $0) & 1) }
    return bytes.map { byte in
      var mask: UInt8 = 0
      for bit in 0..<8 {
        let last = positions[6]
        mask |= UInt8(last) << bit
        positions = [last] + positions[0..<6]
        positions[4] ^= last
      }
      return byte ^ mask
    }
  }

  /// The time that a packet takes in microseconds; `length` is the length in the PDU's header
  /// (Core, Vol 6, Part B, 2.1 and 2.2). Coded packets are S=8.
  package static func microseconds(length: Int, phy: UInt8) -> Int {
    switch phy {
    case 2: 44 + 4 * length
    case 3: 720 + 64 * length
    default: 80 + 8 * length
    }
  }

  /// Returns the channel of a connection event by Channel Selection Algorithm #1 (Core, Vol 6, Part
  /// B, 4.5.8.2).
  package static func channel1(event: Int, hop: Int, map: UInt64) -> UInt8 {
    let unmapped = hop * (event + 1) % 37
    let used = usedChannels(map)
    return used.contains(unmapped) ? UInt8(unmapped) : UInt8(used[unmapped % used.count])
  }

  /// Returns the channel of a connection event by Channel Selection Algorithm #2 (Core, Vol 6, Part
  /// B, 4.5.8.3).
  package static func channel2(event: Int, accessAddress: UInt32, map: UInt64) -> UInt8 {
    let identifier = UInt16(truncatingIfNeeded: accessAddress >> 16 ^ accessAddress)
    var value = UInt16(truncatingIfNeeded: event) ^ identifier
    for _ in 0..<3 {
      var permuted: UInt16 = 0
      for bit in 0..<16 where value >> bit & 1 == 1 { permuted |= 1 << (bit ^ 7) }
      value = permuted &* 17 &+ identifier
    }
    value ^= identifier
    let used = usedChannels(map)
    let unmapped = Int(value % 37)
    if used.contains(unmapped) { return UInt8(unmapped) }
    return UInt8(used[(used.count * Int(value)) >> 16])
  }

  private static func usedChannels(_ map: UInt64) -> [Int] {
    let used = (0..<37).filter { map >> $0 & 1 == 1 }
    precondition(!used.isEmpty, "a channel map without channels")
    return used
  }

  /// Returns the position of a channel in the order of frequencies, from 2402 MHz.
  package static func position(ofChannel index: UInt8) -> UInt8 {
    switch index {
    case 37: 0
    case 38: 12
    case 39: 39
    default: index < 11 ? index + 1 : index + 2
    }
  }
}

/// Random numbers that are the same for the same seed on every machine.
package struct SeededRandom: Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// Returns the next number: a counter, mixed by shifts and multiplications.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// Returns whether something happens that happens `perMille` of 1000 times.
  package mutating func happens(perMille: Int) -> Bool {
    perMille > 0 && next() % 1000 < UInt64(perMille)
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
  }
}
