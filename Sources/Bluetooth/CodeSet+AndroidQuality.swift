// Codes of the commands and events that Android requires for audio, quality reports and tracking.
// Source: Android, "HCI requirements"; checked against AOSP's packet definitions and Wireshark.

extension CodeSet {
  /// A2DP codecs that a Controller can process instead of the Host, by their bits.
  static func androidCodecsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "SBC"
    case 1: "AAC"
    case 2: "aptX"
    case 3: "aptX HD"
    case 4: "LDAC"
    case 5: "Opus"
    default: nil
    }
  }

  /// Sampling rates, by their bits.
  static func androidSamplingRatesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "44.1 kHz"
    case 1: "48 kHz"
    case 2: "88.2 kHz"
    case 3: "96 kHz"
    default: nil
    }
  }

  /// Sample sizes, by their bits.
  static func androidSampleBitsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "16 bits"
    case 1: "24 bits"
    case 2: "32 bits"
    default: nil
    }
  }

  /// Numbers of audio channels, by their bits.
  static func androidChannelModesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Mono"
    case 1: "Stereo"
    default: nil
    }
  }

  /// Subcommands of Android's A2DP offload.
  static func androidAudioOffloadName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Start (legacy)"
    case 2: "Stop (legacy)"
    case 3: "Start"
    case 4: "Stop"
    default: nil
    }
  }

  /// The direction of offloaded audio.
  static func androidDataPathName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Output"
    case 1: "Input"
    default: nil
    }
  }

  /// Subcommands of Android's dynamic audio buffer.
  static func androidAudioBufferName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Get Buffer Time Capability"
    case 2: "Set Buffer Time"
    default: nil
    }
  }

  /// Quality events that a Controller should report, by their bits.
  static func androidQualityEventsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Quality monitoring"
    case 1: "Approaching LSTO"
    case 2: "A2DP audio choppy"
    case 3: "(e)SCO voice choppy"
    case 4: "Root inflammation"
    case 5: "Energy monitoring"
    case 6: "LE Audio choppy"
    case 7: "Connect fail"
    case 8: "Advanced RF statistics, triggered"
    case 9: "Advanced RF statistics, periodic"
    case 10: "Controller health, triggered"
    case 11: "Controller health, periodic"
    case 15: "Vendor's quality events"
    case 0x10: "LMP/LL message trace"
    case 0x11: "Multi-link and coexistence trace"
    case 0x12: "Controller debug information"
    case 0x1f: "Vendor's trace"
    default: nil
    }
  }

  /// The subject of a Bluetooth quality report.
  static func androidQualityReportName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Quality monitoring"
    case 2: "Approaching LSTO"
    case 3: "A2DP audio choppy"
    case 4: "(e)SCO voice choppy"
    case 5: "Root inflammation"
    case 6: "Energy monitoring"
    case 7: "LE Audio choppy"
    case 8: "Connect fail"
    case 9: "Advanced RF statistics, triggered"
    case 10: "Advanced RF statistics, periodic"
    case 11: "Controller health, triggered"
    case 12: "Controller health, periodic"
    case 0x11: "LMP/LL message trace"
    case 0x12: "Multi-link and coexistence trace"
    case 0x13: "Controller debug information"
    default: nil
    }
  }

  /// The type of the baseband packets that a quality report counts.
  static func androidPacketTypeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "ID"
    case 2: "NULL"
    case 3: "POLL"
    case 4: "FHS"
    case 5: "HV1"
    case 6: "HV2"
    case 7: "HV3"
    case 8: "DV"
    case 9: "EV3"
    case 10: "EV4"
    case 11: "EV5"
    case 12: "2-EV3"
    case 13: "2-EV5"
    case 14: "3-EV3"
    case 15: "3-EV5"
    case 0x10: "DM1"
    case 0x11: "DH1"
    case 0x12: "DM3"
    case 0x13: "DH3"
    case 0x14: "DM5"
    case 0x15: "DH5"
    case 0x16: "AUX1"
    case 0x17: "2-DH1"
    case 0x18: "2-DH3"
    case 0x19: "2-DH5"
    case 0x1a: "3-DH1"
    case 0x1b: "3-DH3"
    case 0x1c: "3-DH5"
    case 0x51: "ISO"
    case 0x52: "LE 1M"
    case 0x53: "LE 2M"
    case 0x54: "LE Coded S=2"
    case 0x55: "LE Coded S=8"
    default: nil
    }
  }

  /// Why an advertising instance stopped.
  static func androidStateChangeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Connection received"
    default: nil
    }
  }

  /// The state of a tracked advertiser.
  static func androidAdvertiserStateName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Found"
    case 1: "Lost"
    default: nil
    }
  }

  /// Whether an event contains an advertisement.
  static func androidAdvertiserInfoName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Present"
    case 1: "Absent"
    default: nil
    }
  }
}
