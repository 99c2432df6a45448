/// How long packets take (Core, Vol 6, Part B, 2.1, 2.2 and 4.1).
package enum AirTime {
  /// The time between two packets of an event, in microseconds (T_IFS).
  package static let interFrameSpace = 150

  /// Returns the duration of a packet in microseconds.
  ///
  /// - Parameters:
  ///   - length: the length of payload and MIC as sent.
  ///   - phy: the PHY, numbered as in HCI; nil: LE 1M.
  ///   - codingIndicator: on the Coded PHY: 0 S=8, 1 S=2.
  ///   - cteInfo: the CTEInfo byte, if the PDU has one. Its lowest five bits count 8 µs.
  package static func microseconds(
    length: Int, phy: UInt8?, codingIndicator: UInt8? = nil, cteInfo: UInt8? = nil
  ) -> Int {
    let bytes = length + (cteInfo == nil ? 0 : 1)
    let tone = Int((cteInfo ?? 0) & 0x1f) * 8
    // Preamble, access address, header and CRC have 10 bytes, on LE 2M 11.
    return switch (phy, codingIndicator) {
    case (2, _): 44 + 4 * bytes + tone
    case (3, 1): 462 + 16 * bytes + tone
    case (3, _): 720 + 64 * bytes + tone
    default: 80 + 8 * bytes + tone
    }
  }
}

extension AirPacket {
  /// The duration of the packet in microseconds: with the MIC, even if the sniffer cut it off.
  package func duration(_ pdu: LinkPDU) -> Int {
    AirTime.microseconds(
      length: Int(pdu.length) + (header.isDecrypted && pdu.length > 0 ? 4 : 0), phy: header.phy,
      codingIndicator: codingIndicator, cteInfo: pdu.cteInfo)
  }

  /// The duration of an advertising packet in microseconds.
  package func duration(_ pdu: AdvertisingPDU) -> Int {
    AirTime.microseconds(
      length: Int(pdu.length), phy: header.phy, codingIndicator: codingIndicator)
  }
}
