package import Bytes

/// The pseudo header of a packet in link type 256 (tcpdump.org,
/// LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR).
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 1 | channel, in the order of frequencies |
/// | 1 | 1 | signal in dBm, if flag 0x0002 is set |
/// | 2 | 1 | noise in dBm, if 0x0004 is set |
/// | 3 | 1 | offences of the access address, if 0x0020 is set |
/// | 4 | 4 | reference access address, if 0x0010 is set |
/// | 8 | 2 | flags |
///
/// A packet in another form becomes one of link type 256 so:
///
///     bytes.clear()
///     bytes.air(header, accessAddress: 0x50655c67, pdu: pdu, crc: 0x1a2b3c)
///     writer.write(record.asAir(.pseudoHeader, bytes.bytes))
package struct PseudoHeader: Equatable, Sendable {
  package struct Flags: OptionSet, Sendable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let dewhitened = Flags(rawValue: 0x0001)
    fileprivate static let signal = Flags(rawValue: 0x0002)
    fileprivate static let noise = Flags(rawValue: 0x0004)
    package static let decrypted = Flags(rawValue: 0x0008)
    package static let reference = Flags(rawValue: 0x0010)
    package static let offences = Flags(rawValue: 0x0020)
    package static let aliased = Flags(rawValue: 0x0040)
    package static let crcChecked = Flags(rawValue: 0x0400)
    package static let crcRight = Flags(rawValue: 0x0800)
    /// Only for other kinds than auxiliary advertising, as is `micRight`.
    package static let micChecked = Flags(rawValue: 0x1000)
    package static let micRight = Flags(rawValue: 0x2000)

    /// The kind of packet: 0 advertising, or data of unknown direction; 1 auxiliary advertising; 2
    /// data of the central, 3 of the peripheral; 4 and 5 connected isochronous; 6 broadcast.
    package static func kind(_ kind: UInt8) -> Flags { Flags(rawValue: UInt16(kind & 7) << 7) }

    /// The kind of auxiliary advertising: 0 AUX_ADV_IND, 1 AUX_CHAIN_IND, 2 AUX_SYNC_IND, 3
    /// AUX_SCAN_RSP.
    package static func auxiliaryKind(_ kind: UInt8) -> Flags {
      Flags(rawValue: UInt16(kind & 3) << 12)
    }

    /// The PHY, numbered as in HCI: 1 LE 1M, 2 LE 2M, 3 LE Coded.
    package static func phy(_ phy: UInt8) -> Flags { Flags(rawValue: UInt16(phy &- 1) << 14) }
  }

  /// The channel in the order of frequencies: 0 is index 37, 12 is 38, 39 is 39.
  package var channel: UInt8
  /// What readers take for an unknown channel: there is no such one.
  package static let unknownChannel: UInt8 = 0xff
  /// In dBm; nil: unknown.
  package var signal: Int8?
  package var noise: Int8?
  /// The access address that was expected.
  package var reference: UInt32?
  /// The bits in which the access address differs from it.
  package var offences: UInt8 = 0
  /// The flags; those for the fields above follow from them.
  package var flags: Flags

  package init(
    channel: UInt8, signal: Int8? = nil, noise: Int8? = nil, reference: UInt32? = nil, flags: Flags
  ) {
    self.channel = channel
    self.signal = signal
    self.noise = noise
    self.reference = reference
    self.flags = flags
  }

  /// Returns the position in the order of frequencies of a channel index.
  package static func position(ofChannel index: UInt8) -> UInt8 {
    switch index {
    case 37: 0
    case 38: 12
    case 0...10: index + 1
    case 11...36: index + 2
    default: index
    }
  }
}

extension Output {
  /// Appends the pseudo header, after which the access address follows.
  package mutating func pseudoHeader(_ header: PseudoHeader) {
    var flags = header.flags
    if header.signal != nil { flags.insert(.signal) }
    if header.noise != nil { flags.insert(.noise) }
    if header.reference != nil { flags.insert(.reference) }
    byte(header.channel)
    byte(UInt8(bitPattern: header.signal ?? 0))
    byte(UInt8(bitPattern: header.noise ?? 0))
    byte(header.offences)
    littleEndian(header.reference ?? 0)
    littleEndian(flags.rawValue)
  }

  /// Appends a packet of link type 256.
  ///
  /// - Parameters:
  ///   - codingIndicator: On the Coded PHY: 0 S=8, 1 S=2. It is written exactly if it is not nil.
  ///   - pdu: The PDU with its header, with the MIC if it is encrypted.
  ///   - crc: Its 3 bytes least significant first.
  package mutating func air(
    _ header: PseudoHeader, accessAddress: UInt32, codingIndicator: UInt8? = nil, pdu: RawSpan,
    crc: UInt32
  ) {
    pseudoHeader(header)
    littleEndian(accessAddress)
    if let codingIndicator { byte(codingIndicator) }
    raw(pdu)
    self.crc(crc)
  }

  /// Appends a CRC, its 3 bytes least significant first.
  package mutating func crc(_ crc: UInt32) {
    byte(UInt8(truncatingIfNeeded: crc))
    byte(UInt8(truncatingIfNeeded: crc >> 8))
    byte(UInt8(truncatingIfNeeded: crc >> 16))
  }
}
