// OGF 63, vendor-specific commands that Android requires of every Controller, so that their opcodes
// are fixed. Android, "HCI requirements" (Google feature specification). Layouts were checked
// against the packet definitions of AOSP, Pigweed and Wireshark, names against bumble; what only
// one of them has is marked.

import Bluetooth

/// Android's commands, 0xfd53 to 0xfd5f.
package let androidCommandRows: [ParameterRow] = [
  .command(
    0xfd53, "Android LE Get Vendor Capabilities", [],
    returns: [
      .status, .u8("Max_Advt_Instances", line: "instances"),
      .u8("Offloaded_Resolution_Of_Private_Address", .code(.yesNo)),
      .u16("Total_Scan_Results_Storage", .scaled(.octets), line: "storage"),
      .u8("Max_IRK_List_Size"), .u8("Filtering_Support", .code(.yesNo)),
      .u8("Max_Filter", line: "filters"), .u8("Activity_Energy_Info_Support", .code(.yesNo)),
      .since(), .selector("Version_Supported", .androidVersion, width: 2, line: "version"),
      .u16("Total_Num_Of_Advt_Tracked"), .u8("Extended_Scan_Support", .code(.yesNo)),
      .u8("Debug_Logging_Supported", .code(.yesNo)),
      .choice([
        // Pigweed: controllers that report 0.99 omit two of the fields.
        .on(0x0063, [.u32("A2DP_Source_Offload_Capability", .flags(.androidCodecs)), .later]),
        .otherwise(Parameter.laterCapabilities),
      ]),
    ]),
  .command(
    0xfd54, "Android LE Multi Advertising",
    [
      .selector("Sub_Opcode", .androidMultiAdvertising),
      .choice([
        .on(
          0x01,
          [
            .u16("Advertising_Interval_Min", .scaled(.slots), line: "interval"),
            .u16("Advertising_Interval_Max", .scaled(.slots), line: "-"),
            .u8("Advertising_Type", .code(.advertisingType), line: ""), .ownAddressType,
            .address("Own_Address"), .u8("Peer_Address_Type", .code(.addressType)),
            .address("Peer_Address"), .u8("Advertising_Channel_Map", .flags(.advertisingChannels)),
            .u8("Advertising_Filter_Policy", .code(.advertisingFilterPolicy)),
            .advertisingInstance, .i8("TX_Power", .scaled(.dBm), line: "TX power"),
          ]),
        .on(
          0x02,
          [
            .count("Advertising_Data_Length"),
            .advertisingData("Advertising_Data", field: 31, line: ""), .advertisingInstance,
          ]),
        .on(
          0x03,
          [
            .count("Scan_Response_Data_Length"),
            .advertisingData("Scan_Response_Data", field: 31, line: ""), .advertisingInstance,
          ]),
        .on(0x04, [.randomAddress("Random_Address", line: ""), .advertisingInstance]),
        .on(
          0x05,
          [.u8("Advertising_Enable", .code(.onOff), line: ""), .advertisingInstance]),
      ]),
    ],
    returns: [.status, .u8("Sub_Opcode", .code(.androidMultiAdvertising), line: "")]),
  // Only in AOSP; withdrawn in favour of LE Privacy.
  .command(
    0xfd55, "Android LE RPA Offload",
    [
      .selector("Sub_Opcode", .androidRPAOffload),
      .choice([
        .on(0x01, [.u8("Enable", .code(.onOff), line: "")]),
        .on(0x02, [.secret("IRK", 16)] + Parameter.listed),
        .on(0x03, Parameter.listed),
        .on(0x04, []),
        .on(0x05, [.u8("List_Index", line: "entry")]),
      ]),
    ],
    returns: [
      .status, .selector("Sub_Opcode", .androidRPAOffload),
      .choice([
        // [mem]
        .on(
          0x05,
          [
            .u8("List_Index", line: "entry"), .secret("IRK", 16),
          ] + Parameter.listed + [.address("Resolved_Private_Address")]),
        .otherwise([.since(), .u8("Available_Spaces", line: "free")]),
      ]),
    ]),
  .command(
    0xfd56, "Android LE Batch Scan",
    [
      .selector("Sub_Opcode", .androidBatchScan),
      .choice([
        .on(0x01, [.u8("Enable", .code(.onOff), line: "")]),
        .on(
          0x02,
          [
            .u8("Full_Max", .scaled(.percent), line: "full"),
            .u8("Truncated_Max", .scaled(.percent), line: "truncated"),
            .u8("Notify_Threshold", .scaled(.percent), line: "notify at"),
          ]),
        .on(
          0x03,
          [
            .u8("Scan_Modes", .flags(.androidBatchModes), line: ""),
            .u32("Scan_Window", .scaled(.slots), line: "window"),
            .u32("Scan_Interval", .scaled(.slots), line: "interval"),
            .u8("Own_Address_Type", .code(.addressType)),
            .u8("Discard_Rule", .code(.androidDiscardRule)),
          ]),
        .on(0x04, [.u8("Read_Mode", .code(.androidBatchFormat), line: "")]),
      ]),
    ], returns: Parameter.batchReturns),
  .command(
    0xfd57, "Android LE APCF", Parameter.contentFilter,
    returns: [
      .status, .selector("Sub_Opcode", .androidAPCF),
      .choice([
        .on(0x00, [.since(), .u8("Enable", .code(.onOff))]),
        .on(
          0xff,
          [.u16("Supported_Features", .flags(.androidAPCFExtended), line: ""), .since(), .later]),
        .otherwise([
          .u8("Action", .code(.androidAction)), .u8("Available_Spaces", line: "free"),
        ]),
      ]),
    ]),
  .command(0xfd58, "Android LE Tracking Advertising"),
  .command(
    0xfd59, "Android Get Controller Activity Energy Info", [],
    returns: [
      .status, .u32("Total_TX_Time", .scaled(.milliseconds), line: "tx"),
      .u32("Total_RX_Time", .scaled(.milliseconds), line: "rx"),
      .u32("Total_Idle_Time", .scaled(.milliseconds), line: "idle"),
      .u32("Total_Energy_Used", line: "energy"),
    ]),
  .command(
    0xfd5a, "Android LE Extended Scan Parameters",
    [
      .u8("LE_Scan_Type", .code(.scanType), line: ""),
      .u32("LE_Scan_Interval", .scaled(.slots), line: "interval"),
      .u32("LE_Scan_Window", .scaled(.slots), line: "window"), .ownAddressType,
      .u8("Scanning_Filter_Policy", .code(.scanFilterPolicy), line: ""),
    ], returns: [.status]),
  .command(0xfd5b, "Android Get Controller Debug Info", [], returns: [.status]),
  .command(
    0xfd5d, "Android A2DP Hardware Offload", Parameter.audioOffload,
    returns: [
      .status, .u8("Sub_Opcode", .code(.androidAudioOffload), line: ""), .since(), .later,
    ]),
  .command(
    0xfd5e, "Android Bluetooth Quality Report",
    [
      .u8("Report_Action", .code(.androidAction), line: ""),
      .u32("Quality_Event_Mask", .flags(.androidQualityEvents), line: ""),
      .u16("Minimum_Report_Interval", .scaled(.milliseconds), line: "every"),
      // Since report versions 5 and 6.
      .since(), .u32("Vendor_Specific_Quality_Event_Mask", .hex),
      .u32("Vendor_Specific_Trace_Mask", .hex),
      .since(), .u32("Report_Interval_Multiple"), .later,
    ],
    returns: [
      .status, .u32("Current_Quality_Event_Mask", .flags(.androidQualityEvents), line: ""),
      .since(), .u32("Current_Vendor_Specific_Quality_Event_Mask", .hex),
      .u32("Current_Vendor_Specific_Trace_Mask", .hex),
      .since(), .u32("Report_Interval", .scaled(.milliseconds)), .later,
    ]),
  .command(
    0xfd5f, "Android Dynamic Audio Buffer",
    [
      .selector("Sub_Opcode", .androidAudioBuffer),
      .choice([
        .on(0x01, []),
        // [mem]
        .on(0x02, [.u16("Buffer_Time", .scaled(.milliseconds), line: "")]),
      ]),
    ],
    returns: [
      .status, .selector("Sub_Opcode", .androidAudioBuffer),
      .choice([
        .on(
          0x01,
          [
            .u32("Codec_Types_Supported", .flags(.androidCodecs), line: ""),
            // One for each codec bit; the order of the times is taken from a capture.
            .list(
              "Codecs",
              [
                .u16("Default_Buffer_Time", .scaled(.milliseconds)),
                .u16("Maximum_Buffer_Time", .scaled(.milliseconds)),
                .u16("Minimum_Buffer_Time", .scaled(.milliseconds)),
              ]),
          ]),
        .on(0x02, [.u16("Buffer_Time", .scaled(.milliseconds), line: "")]),
      ]),
    ]),
]

extension Parameter {
  /// The instance (advertising set) that a command concerns.
  fileprivate static let advertisingInstance = u8("Advertising_Instance", line: "instance")
  /// A device in a list.
  fileprivate static let listed: [Parameter] = [
    u8("Address_Type", .code(.addressType), line: ""), address("Address", line: ""),
  ]

  /// The capabilities from version 0.96 on, grouped by the version that added them.
  fileprivate static let laterCapabilities: [Parameter] = [
    // 0.96
    since(), u8("LE_Address_Generation_Offloading_Support", .code(.yesNo)),
    // 0.98
    since(), u32("A2DP_Source_Offload_Capability", .flags(.androidCodecs)),
    u8("Bluetooth_Quality_Report_Support", .code(.yesNo)),
    // 1.00
    since(), u32("Dynamic_Audio_Buffer_Support", .flags(.androidCodecs)),
    // 1.04
    since(), u8("A2DP_Offload_V2_Support", .code(.yesNo)),
    // 1.05
    since(), u8("ISO_Link_Feedback_Support", .code(.yesNo)),
    since(), u8("Sniff_Offload_Support", .code(.yesNo)),
    // 1.06, from Wireshark only
    since(7), u16("BIG_Channel_Map_Support", .hex), u16("Vendor_Connection_Handle_Min", .hex),
    u16("Vendor_Connection_Handle_Max", .hex), u8("Connection_Proximity_Threshold"), later,
  ]

  /// The filter that an APCF command concerns, and the action on it.
  private static let filter: [Parameter] = [
    u8("Action", .code(.androidAction), line: ""), u8("Filter_Index", line: "filter"), since(),
  ]

  /// The commands of the Advertising Packet Content Filter. Without an action nothing follows
  /// (clear), and a command may also end before the filter's contents.
  fileprivate static let contentFilter: [Parameter] = [
    selector("Sub_Opcode", .androidAPCF),
    choice([
      on(0x00, [u8("Enable", .code(.onOff), line: "")]),
      on(
        0x01,
        [
          u8("Action", .code(.androidAction), line: ""), since(),
          u8("Filter_Index", line: "filter"), since(),
          u16("Feature_Selection", .flags(.androidAPCFFeatures), line: ""),
          u16("List_Logic_Type", .flags(.androidAPCFFeatures)),
          u8("Filter_Logic_Type", .code(.androidLogic)),
          i8("RSSI_High_Threshold", .scaled(.dBm), line: "from"),
          u8("Delivery_Mode", .code(.androidDelivery), line: ""),
          u16("On_Found_Timeout", .scaled(.milliseconds)), u8("On_Found_Timeout_Count"),
          i8("RSSI_Low_Threshold", .scaled(.dBm)),
          u16("On_Lost_Timeout", .scaled(.milliseconds)), since(),
          u16("Num_Of_Tracking_Entries"),
        ]),
      on(
        0x02,
        filter + [
          address("Broadcaster_Address", line: ""),
          u8("Application_Address_Type", .code(.androidAddressType), line: ""),
        ]),
      on(
        0x03,
        filter + [
          halfUUID("Service_UUID", .harmless(upTo: 16), line: "UUID"),
          rest("Service_UUID_Mask", .harmless(upTo: 16)),
        ]),
      on(
        0x04,
        filter + [
          halfUUID("Solicitation_UUID", .harmless(upTo: 16), line: "UUID"),
          rest("Solicitation_UUID_Mask", .harmless(upTo: 16)),
        ]),
      on(0x05, filter + [restText("Local_Name", line: "")]),
      on(
        0x06,
        filter + [
          u16("Company_Identifier", .assigned(.company), line: "company"),
          half("Manufacturer_Data", .advertised, after: 2, line: "data"),
          rest("Manufacturer_Data_Mask", .advertised, line: "mask"),
        ]),
      on(
        0x07,
        filter + [
          half("Service_Data_Pattern", .serviceData, line: "data"),
          rest("Service_Data_Mask", .advertised, line: "mask"),
        ]),
      // The versions represent data and mask differently.
      on(
        0x08,
        filter + [
          u8("Organization_ID", .code(.transportOrganization), line: "organization"),
          u8("TDS_Flags", .hex),
          u8("TDS_Flags_Mask", .hex), rest("Transport_Data_And_Mask", .advertised),
        ]),
      on(
        0x09,
        filter + [
          u8("AD_Type", .hex, line: "AD type"), u8("AD_Data_Length"), half("AD_Data", line: "data"),
          rest("AD_Data_Mask", line: "mask"),
        ]),
      on(0xff, []),
    ]),
  ]

  /// The return parameters of a batch scan command. Timestamps count back from the command in units
  /// of 50 ms.
  fileprivate static let batchReturns: [Parameter] = [
    status, selector("Sub_Opcode", .androidBatchScan),
    choice([
      on(
        0x04,
        [
          selector("Read_Mode", .androidBatchFormat), count("Num_Records", line: "records"),
          choice([
            on(0x01, [devices("Records", batchRecord)]),
            on(
              0x02,
              [
                devices(
                  "Records",
                  batchRecord + [
                    count("Advertising_Data_Length"), advertisingData("Advertising_Data", line: ""),
                    count("Scan_Response_Data_Length"), advertisingData("Scan_Response_Data"),
                  ])
              ]),
          ]),
        ]),
      otherwise([]),
    ]),
  ]
  private static let batchRecord: [Parameter] = [
    address("Address", line: ""), u8("Address_Type", .code(.addressType)),
    i8("TX_Power", .scaled(.dBmOrNone)), i8("RSSI", .scaled(.signal), line: ""),
    u16("Timestamp", .scaled(.batchTime)),
  ]

  /// The commands of A2DP offload.
  fileprivate static let audioOffload: [Parameter] = [
    selector("Sub_Opcode", .androidAudioOffload),
    choice([
      on(
        0x01,
        [
          u32("Codec", .flags(.androidCodecs), line: ""),
          u16("Max_Latency", .scaled(.milliseconds)), u8("SCMS_T_Enable", .code(.onOff)),
          u8("SCMS_T_Header", .hex), u32("Sampling_Frequency", .flags(.androidSamplingRates)),
          u8("Bits_Per_Sample", .flags(.androidSampleBits)),
          u8("Channel_Mode", .flags(.androidChannelModes)),
          u32("Encoded_Audio_Bitrate"), connectionHandle, u16("L2CAP_Channel_ID", .hex),
          u16("L2CAP_MTU_Size"), bytes("Codec_Information", 32, .harmless), since(), later,
        ]),
      on(0x02, []),
      on(
        0x03,
        [
          connectionHandle, u16("L2CAP_Channel_ID", .hex),
          u8("Data_Path_Direction", .code(.androidDataPath), line: ""), u16("Peer_MTU"),
          u8("CP_Enable_SCMS_T", .code(.onOff)), u8("CP_Header_SCMS_T", .hex),
          count("Vendor_Specific_Parameters_Length"),
          counted("Vendor_Specific_Parameters", .vendors),
        ]),
      on(
        0x04,
        [
          connectionHandle, u16("L2CAP_Channel_ID", .hex),
          u8("Data_Path_Direction", .code(.androidDataPath), line: ""),
        ]),
    ]),
  ]
}

extension Scale {
  /// The times of batch scan results: n × 50 ms.
  static let batchTime = Self(50, .milliseconds)
}
