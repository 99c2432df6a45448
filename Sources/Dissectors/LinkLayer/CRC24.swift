import Bytes

/// The CRC of Link Layer packets: 24 bits, over the PDU as on the air (Core, Vol 6, Part B, 3.1.1).
/// x²⁴ + x¹⁰ + x⁹ + x⁶ + x⁴ + x³ + x + 1.
package enum CRC24 {
  /// The initial value for the access address of advertising.
  package static let advertising: UInt32 = 0x555555

  /// The polynomial, its bits in the order in which they are sent.
  private static let polynomial: UInt32 = 0xda6000

  /// The effect of one byte.
  private static let table = Immortal<UInt32>(
    (0..<256).map { byte in
      (0..<8).reduce(UInt32(byte)) { state, _ in
        state & 1 == 0 ? state >> 1 : state >> 1 ^ polynomial
      }
    })

  /// Returns the CRC of a PDU as recorded, its bytes least significant first.
  ///
  /// - Parameter initial: CRCInit, as LLData and SyncInfo state it.
  package static func compute(init initial: UInt32, _ pdu: RawSpan) -> UInt32 {
    let table = table.span
    var state = reversed(initial)
    for offset in 0..<pdu.byteCount {
      state = table[Int((state ^ UInt32(pdu.byte(at: offset))) & 0xff)] ^ state >> 8
    }
    return state
  }

  /// Returns the CRCInit with which a PDU has this CRC: the computation backwards.
  package static func initial(of pdu: RawSpan, crc: UInt32) -> UInt32 {
    var state = crc & 0xff_ffff
    for offset in (0..<pdu.byteCount).reversed() {
      let byte = pdu.byte(at: offset)
      for bit in (0..<8).reversed() {
        let isOdd = state >> 23
        if isOdd != 0 { state ^= polynomial }
        state = (state << 1 | (isOdd ^ UInt32(byte >> bit & 1))) & 0xff_ffff
      }
    }
    return reversed(state)
  }

  /// Returns the 24 bits in reverse order.
  private static func reversed(_ value: UInt32) -> UInt32 {
    var value = value << 8
    value = value >> 1 & 0x5555_5555 | (value & 0x5555_5555) << 1
    value = value >> 2 & 0x3333_3333 | (value & 0x3333_3333) << 2
    value = value >> 4 & 0x0f0f_0f0f | (value & 0x0f0f_0f0f) << 4
    return value.byteSwapped
  }
}
