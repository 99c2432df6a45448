// Parameters shared by many rows, so that they look the same everywhere.

import Bluetooth

extension Parameter {
  /// The address of a BR/EDR device.
  static let deviceAddress = Self("BD_ADDR", .address(isRandom: false), "", is: .device)
  /// The kind of address that the Controller uses.
  static let ownAddressType = u8("Own_Address_Type", .code(.ownAddressType))
  /// The type of the peer's address.
  static let peerAddressType = u8("Peer_Address_Type", .code(.addressType), line: "")
  /// The peer's address.
  static let peerAddress = address("Peer_Address", line: "")
  /// The type of an identity address.
  static let identityAddressType = u8("Peer_Identity_Address_Type", .code(.addressType), line: "")
  static let identityAddress = address("Peer_Identity_Address", line: "")
  /// The type of an advertiser's address.
  static let advertiserAddressType = u8("Advertiser_Address_Type", .code(.addressType), line: "")
  /// An advertiser's address.
  static let advertiserAddress = address("Advertiser_Address", line: "")
  /// Why a link or procedure ended.
  static let reason = u8("Reason", .code(.status), line: "")
  /// The reason that the Host gives for ending a link; its codes read as if the peer had ended it.
  static let reasonGiven = u8("Reason", .code(.status), line: "reason given:")
  /// Rand, which with EDIV identifies an LTK of LE legacy pairing; zero identifies no such key.
  static let randomNumber = bytes("Random_Number", 8, .secret, line: "Rand")
  /// EDIV.
  static let encryptedDiversifier = u16("Encrypted_Diversifier", .diversifier, line: "EDIV")
  /// The handle of an advertising set.
  static let advertisingHandle = u8("Advertising_Handle", .identifier, line: "set")
  /// The handle of a periodic advertising train.
  static let syncHandle = u16("Sync_Handle", .handle)
  /// The same, if it identifies what the packet concerns.
  static let aboutSync = u16("Sync_Handle", .handle, line: "sync")
  static let advertisingSID = u8("Advertising_SID", line: "SID")
  static let connectionInterval = u16("Connection_Interval", .scaled(.interval), line: "interval")
  /// The latency of the peripheral, in connection events.
  static let peripheralLatency = u16("Peripheral_Latency", line: "latency")
  /// The requested latency, in connection events.
  static let maxLatency = u16("Max_Latency", line: "latency")
  /// The time without packets after which a link is lost.
  static let supervisionTimeout = u16("Supervision_Timeout", .scaled(.timeout), line: "timeout")
  /// The Class of Device: service classes, major and minor device class.
  static let classOfDevice = u24("Class_Of_Device", .assigned(.deviceClass), line: "class")
  /// The page scan repetition mode of a responding device.
  static let pageScanRepetition = u8("Page_Scan_Repetition_Mode", .code(.pageScanRepetition))
  /// The received signal strength; 127 if not available.
  static let rssi = i8("RSSI", .scaled(.signal), line: "RSSI")
  /// The transmit power; 127 if not available.
  static let txPower = i8("TX_Power", .scaled(.dBmOrNone), line: "TX power")
  /// Reserved bytes.
  static func reserved(_ count: Int) -> Self { bytes("Reserved", count) }

  /// The parameters requested by Create Connection, Connection Update and related commands.
  static let wantedConnection: [Parameter] = [
    u16("Connection_Interval_Min", .scaled(.interval), line: "interval"),
    u16("Connection_Interval_Max", .scaled(.interval), line: "-"),
    maxLatency, supervisionTimeout,
    u16("Min_CE_Length", .scaled(.slots)), u16("Max_CE_Length", .scaled(.slots)),
  ]
  /// The parameters of a subrate request.
  static let wantedSubrate: [Parameter] = [
    u16("Subrate_Min", line: "subrate"), u16("Subrate_Max", line: "-"),
    maxLatency, u16("Continuation_Number", line: "continuation"), supervisionTimeout,
  ]
  /// The parameters of a connection rate request.
  static let wantedRate: [Parameter] =
    [
      u16("Connection_Interval_Min", .scaled(.finerInterval), line: "interval"),
      u16("Connection_Interval_Max", .scaled(.finerInterval), line: "-"),
    ] + wantedSubrate + [
      u16("Min_CE_Length", .scaled(.finerInterval)), u16("Max_CE_Length", .scaled(.finerInterval)),
    ]
}
