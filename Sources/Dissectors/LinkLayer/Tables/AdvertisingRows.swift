// The PDUs on advertising channels, from their header on (Core, Vol 6, Part B, 2.3).

import Bluetooth

extension Parameter {
  fileprivate static let txAdd = bits("Tx_Add", 1, .code(.headerAddressType))
  fileprivate static let rxAdd = bits("Rx_Add", 1, .code(.headerAddressType))
  fileprivate static let chSel = bits("Ch_Sel", 1, .code(.channelSelection))
  fileprivate static let length = u8("Length", .scaled(.octets))

  // The header's first byte, with the bits that mean something in a PDU.
  fileprivate static let toAll: [Parameter] = [
    advertisingHeader([unused(6), txAdd, unused(1)]), length,
  ]
  fileprivate static let toOne: [Parameter] = [
    advertisingHeader([unused(6), txAdd, rxAdd]), length,
  ]
  fileprivate static let connectableToAll: [Parameter] = [
    advertisingHeader([unused(5), chSel, txAdd, unused(1)]), length,
  ]
  fileprivate static let connectableToOne: [Parameter] = [
    advertisingHeader([unused(5), chSel, txAdd, rxAdd]), length,
  ]

  /// LLData (2.3.3.1).
  fileprivate static let linkData: [Parameter] = [
    u32("Access_Address", .hex), u24("CRC_Init", .hex),
    u8("Window_Size", .scaled(.interval)), u16("Window_Offset", .scaled(.interval)),
    connectionInterval, peripheralLatency, supervisionTimeout,
    bytes("Channel_Map", 5, .harmless),
    packed(1, [bits("Hop_Increment", 5), bits("Clock_Accuracy", 3, .code(.clockAccuracy))]),
  ]

  /// SyncInfo (2.3.4.6).
  static let syncInfo: [Parameter] = [
    packed(
      2,
      [
        bits("Sync_Packet_Offset", 13), bits("Sync_Offset_Units", 1, .code(.offsetUnits)),
        bits("Offset_Adjust", 1, .code(.yesNo)), unused(1),
      ]),
    u16("Periodic_Advertising_Interval", .scaled(.interval), line: "periodic interval"),
    packed(
      5,
      [
        bits("Sync_Channel_Map", 37, .hex),
        bits("Sync_Clock_Accuracy", 3, .code(.clockAccuracy)),
      ]),
    u32("Sync_Access_Address", .hex), u24("Sync_CRC_Init", .hex), u16("Periodic_Event_Counter"),
  ]

  /// The common extended advertising payload (2.3.4).
  fileprivate static let extended: [Parameter] =
    toOne + [
      packed(
        1,
        [
          lengthBits("Extended_Header_Length", 6),
          bits("Adv_Mode", 2, .code(.advertisingMode), line: ""),
        ]),
      choice([
        on(0, []),
        otherwise([
          Self(
            "Extended_Header_Flags", .selector(width: 1, .flags(.extendedHeaderFields)), nil),
          ifSet(0, [senderAddress("AdvA")]),
          ifSet(1, [receiverAddress("TargetA")]),
          ifSet(
            2,
            [
              packed(
                1,
                [bits("CTE_Time", 5), unused(1), bits("CTE_Type", 2, .code(.cteType))])
            ]),
          ifSet(3, [packed(2, [bits("Advertising_DID", 12), bits("Advertising_SID", 4)])]),
          ifSet(
            4,
            [
              packed(
                3,
                [
                  bits("Aux_Channel_Index", 6),
                  bits("Aux_Clock_Accuracy", 1, .code(.pointerAccuracy)),
                  bits("Aux_Offset_Units", 1, .code(.offsetUnits)), bits("Aux_Offset", 13),
                  bits("Aux_PHY", 3, .code(.bigPHY)),
                ])
            ]),
          ifSet(5, syncInfo),
          ifSet(6, [.txPower]),
        ]),
      ]),
      Self("ACAD", .untilEnd, ""), advertisingRest,
    ]
}

/// The PDUs by their types: 0 to 9. Type 7 is several PDUs of one form.
let advertisingRows: [ParameterRow] = [
  .event(0, "ADV_IND", Parameter.connectableToAll + [.senderAddress("AdvA"), .advertisingRest]),
  .event(
    1, "ADV_DIRECT_IND",
    Parameter.connectableToOne + [.senderAddress("AdvA"), .receiverAddress("TargetA")]),
  .event(2, "ADV_NONCONN_IND", Parameter.toAll + [.senderAddress("AdvA"), .advertisingRest]),
  .event(3, "SCAN_REQ", Parameter.toOne + [.senderAddress("ScanA"), .receiverAddress("AdvA")]),
  .event(4, "SCAN_RSP", Parameter.toAll + [.senderAddress("AdvA"), .advertisingRest]),
  .event(
    5, "CONNECT_IND",
    Parameter.connectableToOne + [.senderAddress("InitA"), .receiverAddress("AdvA")]
      + Parameter.linkData),
  .event(6, "ADV_SCAN_IND", Parameter.toAll + [.senderAddress("AdvA"), .advertisingRest]),
  .event(7, "ADV_EXT_IND", Parameter.extended),
  .event(8, "AUX_CONNECT_RSP", Parameter.extended),
  .event(9, "ADV_DECISION_IND", Parameter.toOne + [.rest("Decision", .advertised)]),
]
