package import Bluetooth
package import Bytes

/// What a sniffer recorded beside a Link Layer packet. All of it is the sniffer's claim; nil or
/// `.none` where its format has no room for it.
///
/// `AirHeader+Formats.swift` reads it.
package struct AirHeader: Sendable {
  /// The sniffer's verdict on a check.
  package enum Verdict: UInt8, Sendable { case none, right, wrong }

  /// What kind of packet the header claims: the values of link type 256.
  package enum Kind: UInt8, Sendable {
    /// Advertising, or data of unknown direction.
    case unknown
    case auxiliaryAdvertising
    case dataFromCentral, dataFromPeripheral
    case streamFromCentral, streamFromPeripheral
    case broadcastStream
    case reserved
  }

  // Ordered without gaps, since a header is set up for every packet.

  /// The sniffer's clock at the start of the packet, in units of `clockUnit`. It starts again from
  /// 0 at `clockPeriod`.
  package var clock: UInt32?
  /// The PHY, numbered as in HCI: 1 LE 1M, 2 LE 2M, 3 LE Coded.
  package var phy: UInt8?
  /// The time since the end of the packet before, in microseconds.
  package var delay: UInt32?
  package var kind = Kind.unknown
  /// The unit of `clock` in nanoseconds.
  package var clockUnit: UInt16 = 1000
  /// The connection event, as the sniffer counts it.
  package var eventCounter: UInt16?
  package var crc = Verdict.none
  /// The sniffer's own count of its packets.
  package var counter: UInt16?
  package var mic = Verdict.none
  /// The channel as recorded: an index, or a position in RF order (`isRFOrder`).
  package var channel: UInt8?
  /// In dBm.
  package var rssi: Int8?
  package var noise: Int8?
  /// The kind of auxiliary advertising: 0 AUX_ADV_IND, 1 AUX_CHAIN_IND, 2 AUX_SYNC_IND, 3
  /// AUX_SCAN_RSP; nil: not stated.
  package var auxiliaryKind: UInt8?
  /// The kind of message (link type 272). 2 and 6 contain packets; the others are the sniffer's
  /// reports about itself.
  package var message: UInt8?
  /// Sent: from the central.
  package var direction: Direction?
  /// Whether the format counts channels in RF order; some of its writers do not.
  package var isRFOrder = false
  /// Whether the sniffer says that the packet was encrypted on the air.
  package var isEncrypted = false
  /// Whether the sniffer has decrypted it: the payload is plain, and the MIC is cut off.
  package var isDecrypted = false
  /// Whether the bits are still whitened, as on the air (`Whitening`).
  package var isWhitened = false
  /// The version of the sniffer's protocol (link type 272: 0 to 3).
  package var version: UInt8 = 0
  package var board: UInt8 = 0

  /// The number of units of `clock` after which it starts again from 0.
  package var clockPeriod: UInt64 { clockUnit == 100 ? 3_276_800_000 : 1 << 32 }

  /// Returns the PHY that a field of PHYs as bits names, numbered as in HCI; nil: none or several.
  package static func phy(ofBits bits: UInt8) -> UInt8? {
    switch bits {
    case 1: 1
    case 2: 2
    case 4: 3
    default: nil
    }
  }

  package init() {}
}

/// A Link Layer packet as a sniffer recorded it: access address (4 bytes), on the Coded PHY a
/// coding indicator (1), the PDU, CRC (3) (Core, Vol 6, Part B, 2.1).
package struct AirPacket: Sendable {
  package var header: AirHeader
  /// 0 if the record ends before it, or if it contains no packet.
  package var accessAddress: UInt32
  /// The PDU with its header, in the record's bytes, as far as they exist. If the packet is
  /// whitened: all bytes after the access address and the coding indicator.
  package var pdu: Slice
  /// The CRC as recorded, its 3 bytes least significant first; nil if the record lacks it.
  package var crc: UInt32?
  /// On the Coded PHY: 0 S=8, 1 S=2.
  package var codingIndicator: UInt8?

  package init(
    header: AirHeader, accessAddress: UInt32 = 0, codingIndicator: UInt8? = nil,
    pdu: Slice = .empty, crc: UInt32? = nil
  ) {
    self.header = header
    self.accessAddress = accessAddress
    self.codingIndicator = codingIndicator
    self.pdu = pdu
    self.crc = crc
  }

  /// The access address of advertising.
  package static let advertising: UInt32 = 0x8E89_BED6

  package var isAdvertising: Bool { accessAddress == Self.advertising }
}
