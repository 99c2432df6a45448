// Parameters that many rows share, so that they read alike wherever they stand.

import Bluetooth

extension HCIParameter {
  /// The address of a BR/EDR device.
  static let deviceAddress = address("BD_ADDR", line: "")
  /// Which of its addresses the Controller uses.
  static let ownAddressType = u8("Own_Address_Type", .code(.ownAddressType))
  /// The type of the peer's address.
  static let peerAddressType = u8("Peer_Address_Type", .code(.addressType), line: "")
  /// The peer's address.
  static let peerAddress = address("Peer_Address", line: "")
  /// The type of an identity address.
  static let identityAddressType = u8("Peer_Identity_Address_Type", .code(.addressType), line: "")
  /// An identity address.
  static let identityAddress = address("Peer_Identity_Address", line: "")
  /// The type of an advertiser's address.
  static let advertiserAddressType = u8("Advertiser_Address_Type", .code(.addressType), line: "")
  /// An advertiser's address.
  static let advertiserAddress = address("Advertiser_Address", line: "")
  /// Why something ended.
  static let reason = u8("Reason", .code(.status), line: "")
  /// Why the Host asks for something to end: a code that reads as if the peer had done it.
  static let reasonGiven = u8("Reason", .code(.status), line: "reason given:")
  /// Rand: with EDIV it names a long term key of LE legacy pairing; zeros name no such key.
  static let randomNumber = bytes("Random_Number", 8, line: "Rand")
  /// EDIV.
  static let encryptedDiversifier = u16("Encrypted_Diversifier", .hex, line: "EDIV")
  /// The handle of an advertising set.
  static let advertisingHandle = u8("Advertising_Handle", line: "set")
  /// The handle of a periodic advertising train.
  static let syncHandle = u16("Sync_Handle", .handle)
  /// The same where it says what the packet is about.
  static let aboutSync = u16("Sync_Handle", .handle, line: "sync")
  /// The set identifier that an advertiser gives.
  static let advertisingSID = u8("Advertising_SID", line: "SID")
  /// A link's interval.
  static let connectionInterval = u16("Connection_Interval", .scaled(.interval), line: "interval")
  /// The latency of the peripheral, in connection events.
  static let peripheralLatency = u16("Peripheral_Latency", line: "latency")
  /// The latency that is asked for, in connection events.
  static let maxLatency = u16("Max_Latency", line: "latency")
  /// When silence ends a link.
  static let supervisionTimeout = u16("Supervision_Timeout", .scaled(.timeout), line: "timeout")
  /// The class of a device: service classes, major and minor device class.
  static let classOfDevice = u24("Class_Of_Device", .assigned(.deviceClass), line: "class")
  /// What a scan of inquiry or page answers with.
  static let pageScanRepetition = u8("Page_Scan_Repetition_Mode", .code(.pageScanRepetition))
  /// A received signal strength; 127 is not available.
  static let rssi = i8("RSSI", .scaled(.dBmOrNone), line: "RSSI")
  /// A transmit power; 127 is not available.
  static let txPower = i8("TX_Power", .scaled(.dBmOrNone), line: "TX power")
  /// A byte or two that mean nothing.
  static func reserved(_ count: Int) -> Self { bytes("Reserved", count) }

  /// What Create Connection, Connection Update and their kin ask for.
  static let wantedConnection: [HCIParameter] = [
    u16("Connection_Interval_Min", .scaled(.interval), line: "interval"),
    u16("Connection_Interval_Max", .scaled(.interval), line: "-"),
    maxLatency, supervisionTimeout,
    u16("Min_CE_Length", .scaled(.slots)), u16("Max_CE_Length", .scaled(.slots)),
  ]
  /// What a subrating asks for.
  static let wantedSubrate: [HCIParameter] = [
    u16("Subrate_Min", line: "subrate"), u16("Subrate_Max", line: "-"),
    maxLatency, u16("Continuation_Number", line: "continuation"), supervisionTimeout,
  ]
  /// What a connection rate asks for.
  static let wantedRate: [HCIParameter] =
    [
      u16("Connection_Interval_Min", .scaled(.finerInterval), line: "interval"),
      u16("Connection_Interval_Max", .scaled(.finerInterval), line: "-"),
    ] + wantedSubrate + [
      u16("Min_CE_Length", .scaled(.finerInterval)), u16("Max_CE_Length", .scaled(.finerInterval)),
    ]
}
