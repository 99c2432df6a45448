/// A channel that carries bytes without the structure of attributes, named as its server offers it.
/// Values are sent over it as they are written to attributes.
package enum SerialChannel: Hashable, Sendable {
  /// An RFCOMM server channel: 1 to 30 (RFCOMM, 5.4).
  case rfcomm(UInt8)
  /// A credit-based channel of this protocol, whose values are SDUs.
  case creditBased(PSM)

  /// A number that is different for each channel of a server.
  package var number: UInt32 {
    switch self {
    case .rfcomm(let server): UInt32(server)
    case .creditBased(let psm): Self.creditBasedBit | UInt32(psm.rawValue)
    }
  }

  private static let creditBasedBit: UInt32 = 1 << 16

  /// Creates the channel with this number.
  package init(number: UInt32) {
    self =
      number & Self.creditBasedBit == 0
      ? .rfcomm(UInt8(truncatingIfNeeded: number))
      : .creditBased(PSM(rawValue: UInt16(truncatingIfNeeded: number)))
  }
}
