package import Dissectors

/// The most bytes in a packet of the Link Layer, and the most time for it.
package struct PacketLength: Equatable, Sendable {
  package var octets: UInt16
  /// In microseconds.
  package var time: UInt16

  /// The length of every link at its beginning.
  package static let initial = PacketLength(octets: 27, time: 328)

  package init(octets: UInt16, time: UInt16) { (self.octets, self.time) = (octets, time) }

  /// Returns what both of two lengths allow.
  func limited(to other: Self) -> Self {
    Self(octets: min(octets, other.octets), time: min(time, other.time))
  }

  /// Returns how many bytes a packet can have on a PHY: the time also has to hold everything around
  /// them, but is never less than 27 bytes take. On LE Coded, with eight symbols for each bit
  /// (Core, Vol 6, Part B, 4.5.10).
  package func effective(onPHY phy: UInt8) -> UInt16 {
    let time = Int(time)
    let room =
      switch phy {
      case 2: time / 4 - 15
      case 3: (time - 400) / 64 - 9
      default: time / 8 - 14
      }
    return min(octets, UInt16(clamping: max(room, 27)))
  }
}

extension AirTime {
  /// The code of LE 2M, as in HCI, of LE Coded, and of LE Coded with two symbols for each bit.
  package static let (le2M, leCoded, leCodedS2): (UInt8, UInt8, UInt8) = (2, 3, 4)

  /// Returns how long a packet takes in microseconds, with the MIC on an encrypted link unless the
  /// packet is empty.
  package static func packet(of octets: Int, onPHY phy: UInt8, isEncrypted: Bool) -> Int {
    microseconds(
      length: octets + (isEncrypted && octets > 0 ? 4 : 0),
      phy: phy == leCodedS2 ? leCoded : phy, codingIndicator: phy == leCodedS2 ? 1 : 0)
  }

  /// Returns how long a packet and the empty one that acknowledges it take, with the pause after
  /// each.
  ///
  /// - Parameter answer: the PHY of the empty packet.
  package static func exchange(
    of octets: Int, onPHY phy: UInt8, answer: UInt8, isEncrypted: Bool
  ) -> Int {
    packet(of: octets, onPHY: phy, isEncrypted: isEncrypted)
      + packet(of: 0, onPHY: answer, isEncrypted: false) + 2 * interFrameSpace
  }
}
