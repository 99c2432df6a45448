// Codes of isochronous channels, direct tests and Channel Sounding.
// Sources: Core, Vol 4, Part E, 7.7.65 and 7.8; checked against BlueZ's monitor and bumble.

extension CodeSet {
  /// Packing of isochronous streams.
  package static let packing = CodeSet("Sequential | Interleaved")

  /// Framing of isochronous data.
  package static let framing = CodeSet("Unframed | Framed, segmentable | Framed, unsegmented")

  /// The direction of an ISO data path.
  package static let dataPathDirection = CodeSet("Host to Controller | Controller to Host")

  /// Directions of an ISO data path, by their bits.
  package static let dataPathDirections = CodeSet("Host to Controller | Controller to Host")

  /// The destination of isochronous or synchronous data.
  package static let dataPath = CodeSet("HCI | @ff Disabled")

  /// Payload_Type of an ISO test.
  package static let isoPayloadType = CodeSet("Zero length | Variable length | Maximum length")

  /// Packet_Payload of a transmitter test.
  package static let testPayload = CodeSet(
    "PRBS9 | 11110000 | 10101010 | PRBS15 | 11111111 | 00000000 | 00001111 | 01010101")

  /// Modulation_Index of a receiver test.
  package static let modulationIndex = CodeSet("Standard | Stable")

  /// A role in Channel Sounding.
  package static let csRole = CodeSet("Initiator | Reflector")

  /// Roles in Channel Sounding, by their bits.
  package static let csRoles = CodeSet("Initiator | Reflector")

  /// Optional modes of Channel Sounding.
  package static let csModes = CodeSet("Mode 3")

  /// The PHY of CS_SYNC packets.
  package static let csSyncPHY = CodeSet("@1 LE 1M | LE 2M | LE 2M 2BT")

  /// Optional PHYs of CS_SYNC packets.
  package static let csSyncPHYs = CodeSet("@1 LE 2M | LE 2M 2BT")

  /// A mode of Channel Sounding steps.
  package static let csMode = CodeSet("@1 Mode 1 | Mode 2 | Mode 3 | @ff None")

  /// The kind of round trip time measurement.
  package static let csRTTType = CodeSet(
    """
    Access address only
    Sounding sequence, 32 bits
    Sounding sequence, 96 bits
    Random sequence, 32 bits
    Random sequence, 64 bits
    Random sequence, 96 bits
    Random sequence, 128 bits
    """)

  /// The output signal-to-noise ratio of CS_SYNC packets.
  package static let csSNR = CodeSet("18 dB | 21 dB | 24 dB | 27 dB | 30 dB | @ff Not controlled")

  /// The channel selection algorithm of Channel Sounding.
  package static let csChannelSelection = CodeSet("Algorithm #3b | Algorithm #3c")

  /// The shape of Channel Selection Algorithm #3c.
  package static let csShape = CodeSet("Hat | X")

  /// The change to a Channel Sounding configuration.
  package static let csConfigAction = CodeSet("Removed | Created")

  /// The devices to which a Channel Sounding configuration is written.
  package static let csCreateContext = CodeSet("Local only | Local and remote")

  /// The progress of a Channel Sounding procedure or subevent.
  package static let csDoneStatus = CodeSet("Complete | Partial | @f Aborted")
}
