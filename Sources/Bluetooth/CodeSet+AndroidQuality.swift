// Codes of the commands and events that Android requires for audio, quality reports and tracking.
// Source: Android, "HCI requirements"; checked against AOSP's packet definitions and Wireshark.

extension CodeSet {
  /// A2DP codecs that a Controller can process instead of the Host, by their bits.
  package static let androidCodecs = CodeSet("SBC | AAC | aptX | aptX HD | LDAC | Opus")

  /// Sampling rates, by their bits.
  package static let androidSamplingRates = CodeSet("44.1 kHz | 48 kHz | 88.2 kHz | 96 kHz")

  /// Sample sizes, by their bits.
  package static let androidSampleBits = CodeSet("16 bits | 24 bits | 32 bits")

  /// Numbers of audio channels, by their bits.
  package static let androidChannelModes = CodeSet("Mono | Stereo")

  /// Subcommands of Android's A2DP offload.
  package static let androidAudioOffload = CodeSet(
    "@1 Start (legacy) | Stop (legacy) | Start | Stop")

  /// The direction of offloaded audio.
  package static let androidDataPath = CodeSet("Output | Input")

  /// Subcommands of Android's dynamic audio buffer.
  package static let androidAudioBuffer = CodeSet("@1 Get Buffer Time Capability | Set Buffer Time")

  /// Quality events that a Controller should report, by their bits.
  package static let androidQualityEvents = CodeSet(
    """
    Quality monitoring
    Approaching LSTO
    A2DP audio choppy
    (e)SCO voice choppy
    Root inflammation
    Energy monitoring
    LE Audio choppy
    Connect fail
    Advanced RF statistics, triggered
    Advanced RF statistics, periodic
    Controller health, triggered
    Controller health, periodic
    @f Vendor's quality events
    LMP/LL message trace
    Multi-link and coexistence trace
    Controller debug information
    @1f Vendor's trace
    """)

  /// The subject of a Bluetooth quality report.
  package static let androidQualityReport = CodeSet(
    """
    @1 Quality monitoring
    Approaching LSTO
    A2DP audio choppy
    (e)SCO voice choppy
    Root inflammation
    Energy monitoring
    LE Audio choppy
    Connect fail
    Advanced RF statistics, triggered
    Advanced RF statistics, periodic
    Controller health, triggered
    Controller health, periodic
    @11 LMP/LL message trace
    Multi-link and coexistence trace
    Controller debug information
    """)

  /// The type of the baseband packets that a quality report counts.
  package static let androidPacketType = CodeSet(
    """
    @1 ID
    NULL
    POLL
    FHS
    HV1
    HV2
    HV3
    DV
    EV3
    EV4
    EV5
    2-EV3
    2-EV5
    3-EV3
    3-EV5
    DM1
    DH1
    DM3
    DH3
    DM5
    DH5
    AUX1
    2-DH1
    2-DH3
    2-DH5
    3-DH1
    3-DH3
    3-DH5
    @51 ISO
    LE 1M
    LE 2M
    LE Coded S=2
    LE Coded S=8
    """)

  /// Why an advertising instance stopped.
  package static let androidStateChange = CodeSet("Connection received")

  /// The state of a tracked advertiser.
  package static let androidAdvertiserState = CodeSet("Found | Lost")

  /// Whether an event contains an advertisement.
  package static let androidAdvertiserInfo = CodeSet("Present | Absent")
}
