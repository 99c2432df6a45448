// Events and commands of Core 5.1 to 5.4 and their fields, as decoded by bumble, or those with IQ
// samples by tshark 4.0, unless another source is given.

/// Valid commands and events, and their fields.
let hciLaterFixtures: [(bytes: String, fields: [String])] = [
  // LE Periodic Advertising Sync Established [v2]
  (
    "04 3e 14 24 00 01 00 02 01 55 44 33 22 11 c0 02 50 00 05 04 0a 08 10",
    [
      "Status 0", "Sync_Handle 0x0001", "Advertising_SID 2", "Advertiser_Address_Type 1",
      "Advertiser_Address c01122334455", "Advertiser_PHY 2", "Periodic_Advertising_Interval 80",
      "Advertiser_Clock_Accuracy 5", "Num_Subevents 4", "Subevent_Interval 10",
      "Response_Slot_Delay 8", "Response_Slot_Spacing 16",
    ]
  ),
  // LE Periodic Advertising Report [v2]
  (
    "04 3e 0e 25 01 00 7f c4 ff 01 02 03 00 03 02 0a 04",
    [
      "Sync_Handle 0x0001", "TX_Power 127", "RSSI -60", "CTE_Type 255",
      "Periodic_Event_Counter 513", "Subevent 3", "Data_Status 0", "Data_Length 3",
      "Data AD 020a04",
    ]
  ),
  // LE Periodic Advertising Sync Transfer Received [v2]
  (
    "04 3e 18 26 00 40 00 34 12 01 00 02 01 55 44 33 22 11 c0 01 50 00 05 04 0a 08 10",
    [
      "Status 0", "Connection_Handle 0x0040", "Service_Data 0x1234", "Sync_Handle 0x0001",
      "Advertising_SID 2", "Advertiser_Address_Type 1", "Advertiser_Address c01122334455",
      "Advertiser_PHY 1", "Periodic_Advertising_Interval 80", "Advertiser_Clock_Accuracy 5",
      "Num_Subevents 4", "Subevent_Interval 10", "Response_Slot_Delay 8",
      "Response_Slot_Spacing 16",
    ]
  ),
  // LE Periodic Advertising Subevent Data Request, by hand (7.7.65.36)
  (
    "04 3e 04 27 01 02 03",
    ["Advertising_Handle 1", "Subevent_Start 2", "Subevent_Data_Count 3"]
  ),
  // LE Periodic Advertising Response Report, by hand (7.7.65.37)
  (
    "04 3e 13 28 01 02 00 02 04 ce ff 00 00 02 aa bb 7f ba ff 03 ff 00",
    [
      "Advertising_Handle 1", "Subevent 2", "TX_Status 0x00", "Num_Responses 2", "Responses [",
      "{", "TX_Power 4", "RSSI -50", "CTE_Type 255", "Response_Slot 0", "Data_Status 0",
      "Data_Length 2", "Data AD aabb", "}", "{", "TX_Power 127", "RSSI -70", "CTE_Type 255",
      "Response_Slot 3", "Data_Status 255", "Data_Length 0", "Data AD ", "}", "]",
    ]
  ),
  // LE Set Periodic Advertising Subevent Data, by hand (7.8.125)
  (
    "01 82 20 0d 01 02 00 00 04 03 02 0a 04 01 04 02 00",
    [
      "Advertising_Handle 1", "Num_Subevents_With_Data 2", "Subevents [", "{", "Subevent 0",
      "Response_Slot_Start 0", "Response_Slot_Count 4", "Subevent_Data_Length 3",
      "Subevent_Data AD 020a04", "}", "{", "Subevent 1", "Response_Slot_Start 4",
      "Response_Slot_Count 2", "Subevent_Data_Length 0", "Subevent_Data AD ", "}", "]",
    ]
  ),
  // LE Connection IQ Report: RSSI -60.5 dBm, 2 samples: 1 and -128, -2 and 127 (tshark)
  (
    "04 3e 12 16 40 00 01 0c a3 fd 00 00 02 00 2c 01 02 01 80 fe 7f",
    [
      "Connection_Handle 0x0040", "RX_PHY 1", "Data_Channel_Index 12", "RSSI -605",
      "RSSI_Antenna_ID 0", "CTE_Type 0", "Slot_Durations 2", "Packet_Status 0x00",
      "Event_Counter 300", "Sample_Count 2", "Samples [", "{", "I_Sample 1", "Q_Sample -128", "}",
      "{", "I_Sample -2", "Q_Sample 127", "}", "]",
    ]
  ),
  // LE Connectionless IQ Report (tshark)
  (
    "04 3e 11 15 01 00 0c a3 fd 00 01 02 00 2c 01 02 01 80 fe 7f",
    [
      "Sync_Handle 0x0001", "Channel_Index 12", "RSSI -605", "RSSI_Antenna_ID 0", "CTE_Type 1",
      "Slot_Durations 2", "Packet_Status 0x00", "Event_Counter 300", "Sample_Count 2",
      "Samples [", "{", "I_Sample 1", "Q_Sample -128", "}", "{", "I_Sample -2", "Q_Sample 127",
      "}", "]",
    ]
  ),
  // LE Create BIG Complete
  (
    "04 3e 17 1b 00 01 dc 05 00 28 23 00 02 02 01 00 02 64 00 08 00 02 60 00 61 00",
    [
      "Status 0", "BIG_Handle 1", "BIG_Sync_Delay 1500", "Transport_Latency_BIG 9000", "PHY 2",
      "NSE 2", "BN 1", "PTO 0", "IRC 2", "Max_PDU 100", "ISO_Interval 8", "Num_BIS 2",
      "Streams [", "{", "Connection_Handle 0x0060", "}", "{", "Connection_Handle 0x0061", "}",
      "]",
    ]
  ),
  // LE Create BIG
  (
    "01 68 20 1f 01 00 02 10 27 00 64 00 14 00 04 02 00 00 01 00 01 02 03 04 05 06 07 08 09 0a 0b "
      + "0c 0d 0e 0f",
    [
      "BIG_Handle 1", "Advertising_Handle 0", "Num_BIS 2", "SDU_Interval 10000", "Max_SDU 100",
      "Max_Transport_Latency 20", "RTN 4", "PHY 0x02", "Packing 0", "Framing 0", "Encryption 1",
      "Broadcast_Code secret of 16",
    ]
  ),
  // LE CIS Established
  (
    "04 3e 1d 19 00 60 00 e8 03 00 84 03 00 10 27 00 f8 2a 00 02 01 03 01 00 02 01 64 00 28 00 08 "
      + "00",
    [
      "Status 0", "Connection_Handle 0x0060", "CIG_Sync_Delay 1000", "CIS_Sync_Delay 900",
      "Transport_Latency_C_To_P 10000", "Transport_Latency_P_To_C 11000", "PHY_C_To_P 2",
      "PHY_P_To_C 1", "NSE 3", "BN_C_To_P 1", "BN_P_To_C 0", "FT_C_To_P 2", "FT_P_To_C 1",
      "Max_PDU_C_To_P 100", "Max_PDU_P_To_C 40", "ISO_Interval 8",
    ]
  ),
  // Encryption Change [v2]
  (
    "04 59 05 00 40 00 01 10",
    ["Status 0", "Connection_Handle 0x0040", "Encryption_Enabled 1", "Encryption_Key_Size 16"]
  ),
  // Read Remote Extended Features Complete: page 1 of 2, by hand (7.7.34)
  (
    "04 23 0d 00 40 00 01 02 0f 00 00 00 00 00 00 00",
    [
      "Status 0", "Connection_Handle 0x0040", "Page_Number 1", "Max_Page_Number 2",
      "Extended_LMP_Features 0x000000000000000f",
    ]
  ),
  // Set Event Filter: Connection Setup, Devices with a Class of Device, Auto accept on (tshark)
  (
    "01 05 0c 09 02 01 04 02 20 ff ff ff 02",
    [
      "Filter_Type 2", "Connection_Setup_Filter_Condition_Type 1", "Class_Of_Device 0x200204",
      "Class_Of_Device_Mask 0xffffff", "Auto_Accept_Flag 2",
    ]
  ),
]
