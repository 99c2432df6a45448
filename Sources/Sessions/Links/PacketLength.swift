/// The most bytes in a packet of the Link Layer, and the most time for it.
package struct PacketLength: Equatable, Sendable {
  package var octets: UInt16
  /// In microseconds.
  package var time: UInt16

  /// The length of every link at its beginning.
  package static let initial = PacketLength(octets: 27, time: 328)

  package init(octets: UInt16, time: UInt16) { (self.octets, self.time) = (octets, time) }

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

/// How long packets of the Link Layer take on the air, in microseconds (Core, Vol 6, Part B, 2.1,
/// 2.2 and 4.1.1).
package enum AirTime {
  /// The pause between two packets (T_IFS).
  package static let pause = 150
  /// The codes of PHYs: those of HCI, and LE Coded with two symbols for each bit.
  package static let (le2M, leCoded, leCodedS2): (UInt8, UInt8, UInt8) = (2, 3, 4)

  /// Returns how long a packet takes: preamble (1 byte; on LE 2M 2), access address (4), header
  /// (2), data, MIC (4) on an encrypted link unless the packet is empty, CRC (3). On LE Coded the
  /// preamble takes 80 µs, access address, coding indicator and their end 296 µs, and the rest
  /// eight or two symbols for each bit, with three bits at its end.
  package static func packet(of octets: Int, onPHY phy: UInt8, isEncrypted: Bool) -> Int {
    let rest = octets + (isEncrypted && octets > 0 ? 9 : 5)
    return switch phy {
    case le2M: (rest + 6) * 4
    case leCoded: 376 + rest * 64 + 24
    case leCodedS2: 376 + rest * 16 + 6
    default: (rest + 5) * 8
    }
  }

  /// Returns how long a packet and the empty one that acknowledges it take, with the pause after
  /// each.
  ///
  /// - Parameter answer: the PHY of the empty packet.
  package static func exchange(
    of octets: Int, onPHY phy: UInt8, answer: UInt8, isEncrypted: Bool
  ) -> Int {
    packet(of: octets, onPHY: phy, isEncrypted: isEncrypted)
      + packet(of: 0, onPHY: answer, isEncrypted: false) + 2 * pause
  }
}
