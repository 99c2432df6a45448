// The forms in which sniffers record packets, and files of them.

package import Bluetooth
import Bytes
import Captures

/// The form of a sniffer's records.
package struct AirForm: Sendable {
  package enum Layout: Sendable, CaseIterable {
    /// Link type 251.
    case linkLayer
    /// Link type 256.
    case pseudoHeader
    /// Link type 272 with the protocol versions 0 (as link type 157 has it), 1, 2 and 3.
    case nordic0, nordic1, nordic2, nordic3
    /// Link type 192.
    case ppi

    package var linkType: UInt32 {
      switch self {
      case .linkLayer: 251
      case .pseudoHeader: 256
      case .nordic0, .nordic1, .nordic2, .nordic3: 272
      case .ppi: 192
      }
    }

    package var format: SnifferFormat {
      switch self {
      case .linkLayer: .linkLayer
      case .pseudoHeader: .pseudoHeader
      case .nordic0, .nordic1, .nordic2, .nordic3: .nordic
      case .ppi: .ppi
      }
    }
  }

  package var layout: Layout
  package var adapter: AdapterIndex = 0
  /// In 256: whether the channel is its index, instead of its position.
  package var hasChannelIndex = false
  /// In 256: whether the kind of data packets is stated, and with it who sent them.
  package var hasKind = true
  /// Whether the CRC is kept; otherwise its bytes are zeros, and it is said to be right.
  package var hasCRC = true
  /// In 256: whether the bits are as on the air.
  package var isWhitened = false
  /// Whether the sniffer has decrypted the packets: they are plain, without MIC. Only 256 and 272
  /// can state this.
  package var isDecrypted = false
  /// In 272: packets, by their position in `AirTraffic.sent`, whose direction is stated wrongly.
  package var wrongDirections: Set<Int> = []
  /// In PPI: the link type of the packets.
  package var innerLinkType: UInt32 = 251

  package init(_ layout: Layout) { self.layout = layout }

  /// Returns the bytes of a record.
  ///
  /// - Parameters:
  ///   - index: the packet's position in `AirTraffic.sent`.
  ///   - previous: the packet before it that has a record.
  func record(_ packet: AirTransmission, _ index: Int, after previous: AirTransmission?) -> [UInt8]
  {
    let isPlain = isDecrypted && packet.counter != nil
    let pdu = isPlain ? packet.plain : packet.pdu
    var checked = pdu + (hasCRC ? packet.crc : [0, 0, 0])
    // One bit is wrong, in the last byte of the PDU.
    if packet.hearing == .damaged { checked[pdu.count - 1] ^= 0x10 }
    let isRight = packet.hearing == .heard
    if isWhitened { checked = AirBits.whiten(checked, channel: packet.channel) }
    let all =
      little(Int(packet.accessAddress), width: 4) + (packet.phy == 3 ? [0] : []) + checked
    switch layout {
    case .linkLayer: return all
    case .pseudoHeader: return pseudoHeader(packet, isRight, isPlain) + all
    case .ppi: return ppi(packet) + all
    case .nordic0, .nordic1, .nordic2, .nordic3:
      return nordic(packet, index, previous, isRight, isPlain, all)
    }
  }

  private func pseudoHeader(
    _ packet: AirTransmission, _ isRight: Bool, _ isPlain: Bool
  ) -> [UInt8] {
    var flags = 0x0402 | (isWhitened ? 0 : 1) | Int(packet.phy - 1) << 14
    if isRight { flags |= 0x0800 }
    if isPlain { flags |= 0x3008 }
    if let side = packet.side, hasKind { flags |= (side == .sent ? 2 : 3) << 7 }
    let channel =
      hasChannelIndex ? packet.channel : AirBits.position(ofChannel: packet.channel)
    return [channel, UInt8(bitPattern: packet.rssi), 0x80, 0] + little(0, width: 4) + little(flags)
  }

  /// Version, flags and length, the link type; the field 30006 of 12 bytes: version, frequency, the
  /// clock's bits from 32 on, the clock in 100 ns, signals (highest, lowest, mean), their number.
  private func ppi(_ packet: AirTransmission) -> [UInt8] {
    let rssi = UInt8(bitPattern: packet.rssi)
    let clock = Int(packet.time * 10 % 3_276_800_000)
    return [0, 0] + little(24) + little(Int(innerLinkType), width: 4) + little(30_006) + little(12)
      + [0] + little(2402 + 2 * Int(AirBits.position(ofChannel: packet.channel))) + [0]
      + little(clock, width: 4) + [rssi, rssi, rssi, 1]
  }

  private func nordic(
    _ packet: AirTransmission, _ index: Int, _ previous: AirTransmission?, _ isRight: Bool,
    _ isPlain: Bool, _ all: [UInt8]
  ) -> [UInt8] {
    let count = 10 + all.count
    let number = little(packet.record ?? 0)
    let isAdvertising = layout == .nordic3 && packet.isAdvertising
    let identifier: UInt8 = isAdvertising ? 2 : 6
    let front: [UInt8] =
      switch layout {
      case .nordic0: [0xbe, 0xef, identifier] + number + [0, 0, UInt8(clamping: count - 1)]
      case .nordic1: [0x13, 6, UInt8(clamping: count), 1] + number + [identifier, 10]
      default:
        [0x13] + little(count) + [layout == .nordic2 ? 2 : 3] + number + [identifier, 10]
      }
    var flags: UInt8 = (isRight ? 1 : 0) | (packet.phy - 1) << 4
    if let side = packet.side {
      if (side == .sent) != wrongDirections.contains(index) { flags |= 2 }
      if packet.counter != nil { flags |= isPlain ? 12 : 4 }
    }
    let start = UInt32(truncatingIfNeeded: packet.time)
    let gap = UInt32(truncatingIfNeeded: max(0, packet.time - (previous?.end ?? packet.time)))
    return front + [flags, packet.channel, UInt8(clamping: -Int(packet.rssi))]
      + little(packet.snifferEvent) + little(Int(layout == .nordic3 ? start : gap), width: 4) + all
  }
}

extension AirTraffic {
  /// Returns the sniffer's records.
  package func records(_ form: AirForm) -> [StoredRecord] {
    var records: [StoredRecord] = []
    var previous: AirTransmission?
    for (index, packet) in sent.enumerated() where packet.record != nil {
      let bytes = form.record(packet, index, after: previous)
      records.append(
        StoredRecord(
          bytes: bytes, direction: nil, adapter: form.adapter, framing: .air(form.layout.format),
          time: Timestamp(microseconds: packet.time), originalLength: bytes.count))
      previous = packet
    }
    return records
  }

  /// Returns the sniffer's records as a pcap file.
  package func pcap(_ form: AirForm) -> [UInt8] {
    var file =
      little(0xa1b2_c3d4, width: 4) + little(2) + little(4) + little(0, width: 8)
      + little(262_144, width: 4) + little(Int(form.layout.linkType), width: 4)
    for record in records(form) {
      let time = record.time ?? Timestamp(seconds: 0, nanoseconds: 0)
      file += little(Int(time.seconds), width: 4) + little(Int(time.nanoseconds / 1000), width: 4)
      file += little(record.bytes.count, width: 4) + little(record.bytes.count, width: 4)
      file += record.bytes
    }
    return file
  }
}
