// Codes of isochronous channels, direct tests and Channel Sounding.
// Sources: Core, Vol 4, Part E, 7.7.65 and 7.8; checked against BlueZ's monitor and bumble.

extension CodeSet {
  /// Packing of isochronous streams.
  static func packingName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Sequential"
    case 1: "Interleaved"
    default: nil
    }
  }

  /// Framing of isochronous data.
  static func framingName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Unframed"
    case 1: "Framed, segmentable"
    case 2: "Framed, unsegmented"
    default: nil
    }
  }

  /// The direction of an ISO data path.
  static func dataPathDirectionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Host to Controller"
    case 1: "Controller to Host"
    default: nil
    }
  }

  /// Directions of an ISO data path, by their bits.
  static func dataPathDirectionsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Host to Controller"
    case 1: "Controller to Host"
    default: nil
    }
  }

  /// The destination of isochronous or synchronous data.
  static func dataPathName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "HCI"
    case 0xff: "Disabled"
    default: nil
    }
  }

  /// Payload_Type of an ISO test.
  static func isoPayloadTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Zero length"
    case 1: "Variable length"
    case 2: "Maximum length"
    default: nil
    }
  }

  /// Packet_Payload of a transmitter test.
  static func testPayloadName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "PRBS9"
    case 1: "11110000"
    case 2: "10101010"
    case 3: "PRBS15"
    case 4: "11111111"
    case 5: "00000000"
    case 6: "00001111"
    case 7: "01010101"
    default: nil
    }
  }

  /// Modulation_Index of a receiver test.
  static func modulationIndexName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Standard"
    case 1: "Stable"
    default: nil
    }
  }

  /// A role in Channel Sounding.
  static func csRoleName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Initiator"
    case 1: "Reflector"
    default: nil
    }
  }

  /// Roles in Channel Sounding, by their bits.
  static func csRolesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Initiator"
    case 1: "Reflector"
    default: nil
    }
  }

  /// Optional modes of Channel Sounding.
  static func csModesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Mode 3"
    default: nil
    }
  }

  /// The PHY of CS_SYNC packets.
  static func csSyncPHYName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "LE 1M"
    case 2: "LE 2M"
    case 3: "LE 2M 2BT"
    default: nil
    }
  }

  /// Optional PHYs of CS_SYNC packets.
  static func csSyncPHYsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "LE 2M"
    case 2: "LE 2M 2BT"
    default: nil
    }
  }

  /// A mode of Channel Sounding steps.
  static func csModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Mode 1"
    case 2: "Mode 2"
    case 3: "Mode 3"
    case 0xff: "None"
    default: nil
    }
  }

  /// The kind of round trip time measurement.
  static func csRTTTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Access address only"
    case 1: "Sounding sequence, 32 bits"
    case 2: "Sounding sequence, 96 bits"
    case 3: "Random sequence, 32 bits"
    case 4: "Random sequence, 64 bits"
    case 5: "Random sequence, 96 bits"
    case 6: "Random sequence, 128 bits"
    default: nil
    }
  }

  /// The output signal-to-noise ratio of CS_SYNC packets.
  static func csSNRName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "18 dB"
    case 1: "21 dB"
    case 2: "24 dB"
    case 3: "27 dB"
    case 4: "30 dB"
    case 0xff: "Not controlled"
    default: nil
    }
  }

  /// The channel selection algorithm of Channel Sounding.
  static func csChannelSelectionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Algorithm #3b"
    case 1: "Algorithm #3c"
    default: nil
    }
  }

  /// The shape of Channel Selection Algorithm #3c.
  static func csShapeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Hat"
    case 1: "X"
    default: nil
    }
  }

  /// The change to a Channel Sounding configuration.
  static func csConfigActionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Removed"
    case 1: "Created"
    default: nil
    }
  }

  /// The devices to which a Channel Sounding configuration is written.
  static func csCreateContextName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Local only"
    case 1: "Local and remote"
    default: nil
    }
  }

  /// The progress of a Channel Sounding procedure or subevent.
  static func csDoneStatusName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Complete"
    case 1: "Partial"
    case 0xf: "Aborted"
    default: nil
    }
  }
}
