// The Link Layer control PDUs (Core, Vol 6, Part B, 2.4.2) and those of broadcast streams (2.6.3).
// Fields of Channel Sounding and of PDUs since Core 6.2 have not been seen on the air, and most are
// not described [mem].

import Bluetooth

/// A control PDU, with what the procedures say about it.
struct LinkControlRow: Sendable {
  let row: ParameterRow
  let sender: LinkOpcode.Sender
  /// The opcodes of the PDUs that may answer it, apart from LL_UNKNOWN_RSP and LL_REJECT_EXT_IND.
  let answers: [UInt8]
  let traits: LinkOpcode.Traits

  fileprivate static func pdu(
    _ opcode: UInt16, _ name: StaticString, by sender: LinkOpcode.Sender = .either,
    answers: [UInt8] = [], is traits: LinkOpcode.Traits = [],
    about subjects: ParameterRow.Subjects = [], _ parameters: [Parameter] = []
  ) -> Self {
    Self(
      row: .event(opcode, name, about: subjects, parameters), sender: sender, answers: answers,
      traits: traits)
  }
}

extension Parameter {
  fileprivate static let windowSize = u8("Window_Size", .scaled(.interval))
  fileprivate static let windowOffset = u16("Window_Offset", .scaled(.interval))
  fileprivate static let instant = u16("Instant", line: "at event")
  fileprivate static let errorCode = u8("Error_Code", .code(.status), line: "")
  fileprivate static let features = u64("LE_Features", .flags(.leFeatures), line: "")
  fileprivate static let eventCount = u16("Conn_Event_Count")
  fileprivate static let requestedConnection: [Parameter] = [
    u16("Connection_Interval_Min", .scaled(.interval), line: "interval"),
    u16("Connection_Interval_Max", .scaled(.interval), line: "-"),
    maxLatency, supervisionTimeout, u8("Preferred_Periodicity", .scaled(.interval)),
    u16("Reference_Conn_Event_Count"), u16("Offset_0", .scaled(.intervalOrAny)),
    u16("Offset_1", .scaled(.intervalOrAny)), u16("Offset_2", .scaled(.intervalOrAny)),
    u16("Offset_3", .scaled(.intervalOrAny)), u16("Offset_4", .scaled(.intervalOrAny)),
    u16("Offset_5", .scaled(.intervalOrAny)),
  ]
  fileprivate static let lengths: [Parameter] = [
    u16("Max_RX_Octets", .scaled(.octets), line: "rx"),
    u16("Max_RX_Time", .scaled(.microseconds), line: "in"),
    u16("Max_TX_Octets", .scaled(.octets), line: "tx"),
    u16("Max_TX_Time", .scaled(.microseconds), line: "in"),
  ]
  fileprivate static let wantedPHYs: [Parameter] = [
    u8("TX_PHYs", .flags(.phys), line: "tx"), u8("RX_PHYs", .flags(.phys), line: "rx"),
  ]
  fileprivate static let clockAccuracy = u8("Clock_Accuracy", .code(.clockAccuracy), line: "")
  fileprivate static let streamOffsets: [Parameter] = [
    u24("CIS_Offset_Min", .scaled(.microseconds)), u24("CIS_Offset_Max", .scaled(.microseconds)),
    eventCount,
  ]
  fileprivate static let stream: [Parameter] = [
    u8("CIG_ID", line: "CIG"), u8("CIS_ID", line: "CIS"),
  ]
  fileprivate static let powerDelta = i8("Delta", .scaled(.dB), line: "change")
  fileprivate static let powerPHY = u8("PHY", .flags(.powerPHYs), line: "")
  fileprivate static let powerLimits = u8("Limits", .flags(.powerLimits), line: "")
  fileprivate static let powerIfManaged = i8("TX_Power", .scaled(.dBmIfManaged), line: "TX power")
  fileprivate static let subrateContinuation = u16("Continuation_Number", line: "continuation")
  fileprivate static let syncTransferIndication: [Parameter] =
    [u16("ID", .hex)] + syncInfo + [
      u16("Conn_Event_Count"), u16("Last_Periodic_Event_Counter"),
      packed(
        1,
        [
          bits("Advertising_SID", 4, line: "SID"),
          bits("Advertiser_Address_Type", 1, .code(.addressType), line: ""),
          bits("Clock_Accuracy", 3, .code(.clockAccuracy)),
        ]),
      u8("PHY", .flags(.phys)), advertiserAddress, u16("Sync_Conn_Event_Count"),
    ]
  fileprivate static let soundingTermination: [Parameter] = [
    u8("Config_ID", .identifier, line: "config"), u16("Procedure_Count", line: "count"), errorCode,
  ]
  fileprivate static let soundingSecurity: [Parameter] = [
    secret("IV", 8), secret("IN", 4), secret("PV", 8),
  ]
  fileprivate static let featurePage: [Parameter] = [
    u8("Max_Page"), u8("Page", line: "page"), bytes("LE_Feature_Page", 24, .harmless),
  ]
  /// Numbers of Channel Sounding that are not described.
  fileprivate static func sounding(_ count: Int) -> [Parameter] {
    [bytes("Contents", count, .harmless)]
  }
}

/// The control PDUs of connections, by opcode without a gap.
let linkControlRows0: [LinkControlRow] = [
  .pdu(
    0x00, "LL_CONNECTION_UPDATE_IND", by: .central, is: .instant,
    [
      .windowSize, .windowOffset, .connectionInterval, .peripheralLatency, .supervisionTimeout,
      .instant,
    ]),
  .pdu(
    0x01, "LL_CHANNEL_MAP_IND", by: .central, is: .instant,
    [.bytes("Channel_Map", 5, .harmless, line: "channel map"), .instant]),
  .pdu(0x02, "LL_TERMINATE_IND", [.errorCode]),
  .pdu(
    0x03, "LL_ENC_REQ", by: .central, answers: [0x04, 0x0d], is: .neverEncrypted, about: .security,
    [.randomNumber, .encryptedDiversifier, .secret("SKD_C", 8), .secret("IV_C", 4)]),
  .pdu(
    0x04, "LL_ENC_RSP", by: .peripheral, is: .neverEncrypted, about: .security,
    [.secret("SKD_P", 8), .secret("IV_P", 4)]),
  .pdu(
    0x05, "LL_START_ENC_REQ", by: .peripheral, answers: [0x06], is: .neverEncrypted,
    about: .security),
  .pdu(0x06, "LL_START_ENC_RSP", about: .security),
  .pdu(0x07, "LL_UNKNOWN_RSP", [.u8("Unknown_Type", .linkOpcode, line: "")]),
  .pdu(0x08, "LL_FEATURE_REQ", by: .central, answers: [0x09], [.features]),
  .pdu(0x09, "LL_FEATURE_RSP", [.features]),
  .pdu(0x0a, "LL_PAUSE_ENC_REQ", by: .central, answers: [0x0b], about: .security),
  .pdu(0x0b, "LL_PAUSE_ENC_RSP", about: .security),
  .pdu(
    0x0c, "LL_VERSION_IND", answers: [0x0c],
    [
      .u8("Version", .code(.coreVersion), line: "version"),
      .u16("Company_Identifier", .assigned(.company), line: "company"), .u16("Subversion", .hex),
    ]),
  .pdu(0x0d, "LL_REJECT_IND", [.errorCode]),
  .pdu(0x0e, "LL_PERIPHERAL_FEATURE_REQ", by: .peripheral, answers: [0x09], [.features]),
  .pdu(
    0x0f, "LL_CONNECTION_PARAM_REQ", answers: [0x00, 0x10], Parameter.requestedConnection),
  .pdu(0x10, "LL_CONNECTION_PARAM_RSP", Parameter.requestedConnection),
  .pdu(
    0x11, "LL_REJECT_EXT_IND",
    [.u8("Reject_Opcode", .linkOpcode, line: ""), .errorCode]),
  .pdu(0x12, "LL_PING_REQ", answers: [0x13]),
  .pdu(0x13, "LL_PING_RSP"),
  .pdu(0x14, "LL_LENGTH_REQ", answers: [0x15], Parameter.lengths),
  .pdu(0x15, "LL_LENGTH_RSP", Parameter.lengths),
  .pdu(0x16, "LL_PHY_REQ", answers: [0x17, 0x18], Parameter.wantedPHYs),
  .pdu(0x17, "LL_PHY_RSP", answers: [0x18], Parameter.wantedPHYs),
  .pdu(
    0x18, "LL_PHY_UPDATE_IND", by: .central, is: .instant,
    [
      .u8("PHY_C_To_P", .code(.phyUpdate), line: "C to P"),
      .u8("PHY_P_To_C", .code(.phyUpdate), line: "P to C"), .instant,
    ]),
  .pdu(
    0x19, "LL_MIN_USED_CHANNELS_IND", by: .peripheral,
    [.u8("PHYs", .flags(.phys)), .u8("Min_Used_Channels", line: "channels")]),
  .pdu(
    0x1a, "LL_CTE_REQ", answers: [0x1b],
    [
      .packed(
        1, [.bits("Min_CTE_Length", 5), .unused(1), .bits("CTE_Type", 2, .code(.cteType))])
    ]),
  .pdu(0x1b, "LL_CTE_RSP"),
  .pdu(0x1c, "LL_PERIODIC_SYNC_IND", Parameter.syncTransferIndication),
  .pdu(0x1d, "LL_CLOCK_ACCURACY_REQ", answers: [0x1e], [.clockAccuracy]),
  .pdu(0x1e, "LL_CLOCK_ACCURACY_RSP", [.clockAccuracy]),
  .pdu(
    0x1f, "LL_CIS_REQ", by: .central, answers: [0x20],
    Parameter.stream + [
      .u8("PHY_C_To_P", .flags(.phys)), .u8("PHY_P_To_C", .flags(.phys)),
      .packed(
        2, [.bits("Max_SDU_C_To_P", 12), .unused(3), .bits("Framing", 1, .code(.framing))]),
      .packed(2, [.bits("Max_SDU_P_To_C", 12), .unused(4)]),
      .packed(3, [.bits("SDU_Interval_C_To_P", 20, .scaled(.microseconds)), .unused(4)]),
      .packed(3, [.bits("SDU_Interval_P_To_C", 20, .scaled(.microseconds)), .unused(4)]),
      .u16("Max_PDU_C_To_P"), .u16("Max_PDU_P_To_C"), .u8("NSE"),
      .u24("Sub_Interval", .scaled(.microseconds)),
      .packed(1, [.bits("BN_C_To_P", 4), .bits("BN_P_To_C", 4)]), .u8("FT_C_To_P"),
      .u8("FT_P_To_C"), .u16("ISO_Interval", .scaled(.interval), line: "interval"),
    ] + Parameter.streamOffsets),
]

let linkControlRows1: [LinkControlRow] = [
  .pdu(0x20, "LL_CIS_RSP", by: .peripheral, answers: [0x21], Parameter.streamOffsets),
  .pdu(
    0x21, "LL_CIS_IND", by: .central,
    [
      .u32("Access_Address", .hex, line: "access address"),
      .u24("CIS_Offset", .scaled(.microseconds)), .u24("CIG_Sync_Delay", .scaled(.microseconds)),
      .u24("CIS_Sync_Delay", .scaled(.microseconds)), .eventCount,
    ]),
  .pdu(0x22, "LL_CIS_TERMINATE_IND", Parameter.stream + [.errorCode]),
  .pdu(
    0x23, "LL_POWER_CONTROL_REQ", answers: [0x24], [.powerPHY, .powerDelta, .powerIfManaged]),
  .pdu(
    0x24, "LL_POWER_CONTROL_RSP",
    [.powerLimits, .powerDelta, .powerIfManaged, .u8("APR", .scaled(.dBOrNone))]),
  .pdu(0x25, "LL_POWER_CHANGE_IND", [.powerPHY, .powerLimits, .powerDelta, .powerIfManaged]),
  .pdu(
    0x26, "LL_SUBRATE_REQ", by: .peripheral, answers: [0x27], Parameter.wantedSubrate),
  .pdu(
    0x27, "LL_SUBRATE_IND", by: .central, is: .instant,
    [
      .u16("Subrate_Factor", line: "subrate"), .u16("Subrate_Base_Event", line: "from event"),
      .peripheralLatency, .subrateContinuation, .supervisionTimeout,
    ]),
  .pdu(
    0x28, "LL_CHANNEL_REPORTING_IND", by: .central,
    [
      .u8("Enable", .code(.onOff), line: ""), .u8("Min_Spacing", .scaled(.fifthsOfSecond)),
      .u8("Max_Delay", .scaled(.fifthsOfSecond)),
    ]),
  .pdu(
    0x29, "LL_CHANNEL_STATUS_IND", by: .peripheral,
    [.bytes("Channel_Classification", 10, .harmless)]),
  .pdu(
    0x2a, "LL_PERIODIC_SYNC_WR_IND",
    Parameter.syncTransferIndication + [
      .u32("Response_Access_Address", .hex), .u8("Num_Subevents"),
      .u8("Subevent_Interval", .scaled(.interval)),
      .u8("Response_Slot_Delay", .scaled(.interval)),
      .u8("Response_Slot_Spacing", .scaled(.finerInterval)),
    ]),
  .pdu(0x2b, "LL_FEATURE_EXT_REQ", answers: [0x2c], Parameter.featurePage),
  .pdu(0x2c, "LL_FEATURE_EXT_RSP", Parameter.featurePage),
  .pdu(0x2d, "LL_CS_SEC_RSP", about: .security, Parameter.soundingSecurity),
  .pdu(0x2e, "LL_CS_CAPABILITIES_REQ", answers: [0x2f], Parameter.sounding(25)),
  .pdu(0x2f, "LL_CS_CAPABILITIES_RSP", Parameter.sounding(25)),
  .pdu(0x30, "LL_CS_CONFIG_REQ", answers: [0x31], Parameter.sounding(27)),
  .pdu(0x31, "LL_CS_CONFIG_RSP", Parameter.sounding(1)),
  .pdu(0x32, "LL_CS_REQ", answers: [0x33, 0x34], Parameter.sounding(28)),
  .pdu(0x33, "LL_CS_RSP", answers: [0x34], Parameter.sounding(21)),
  .pdu(0x34, "LL_CS_IND", Parameter.sounding(18)),
  .pdu(0x35, "LL_CS_TERMINATE_REQ", answers: [0x3a], Parameter.soundingTermination),
  .pdu(0x36, "LL_CS_FAE_REQ", answers: [0x37]),
  .pdu(0x37, "LL_CS_FAE_RSP", [.bytes("FAE_Table", 72, .harmless)]),
  .pdu(
    0x38, "LL_CS_CHANNEL_MAP_IND", is: .instant,
    [.bytes("CS_Channel_Map", 10, .harmless), .instant]),
  .pdu(0x39, "LL_CS_SEC_REQ", answers: [0x2d], about: .security, Parameter.soundingSecurity),
  .pdu(0x3a, "LL_CS_TERMINATE_RSP", Parameter.soundingTermination),
  .pdu(
    0x3b, "LL_FRAME_SPACE_REQ", answers: [0x3c],
    [
      .u16("Frame_Space_Min", .scaled(.microseconds), line: ""),
      .u16("Frame_Space_Max", .scaled(.microseconds), line: "-"),
      .u8("PHYs", .flags(.phys), line: ""),
      .u16("Spacing_Types", .flags(.spacingTypes), line: ""),
    ]),
  .pdu(
    0x3c, "LL_FRAME_SPACE_RSP",
    [
      .u16("Frame_Space", .scaled(.microseconds), line: ""), .u8("PHYs", .flags(.phys), line: ""),
      .u16("Spacing_Types", .flags(.spacingTypes), line: ""),
    ]),
  .pdu(0x3d, "LL_OTA_UTP_IND", [.rest("Contents", .harmless)]),
  .pdu(0x3e, "LL_CONNECTION_RATE_REQ", answers: [0x3f], [.rest("Contents", .harmless)]),
  .pdu(
    0x3f, "LL_CONNECTION_RATE_IND", by: .central, is: .instant,
    [
      .u16("Window_Offset", .scaled(.finerInterval)),
      .u16("Connection_Interval", .scaled(.finerInterval), line: "interval"), .instant,
      .u16("Subrate_Factor", line: "subrate"), .peripheralLatency, .subrateContinuation,
      .supervisionTimeout,
    ]),
]

/// The control PDUs of broadcast streams, by opcode.
let broadcastControlRows: [ParameterRow] = [
  .event(
    0x00, "BIG_CHANNEL_MAP_IND",
    [.bytes("Channel_Map", 5, .harmless, line: "channel map"), .instant]),
  .event(0x01, "BIG_TERMINATE_IND", [.errorCode, .instant]),
]
