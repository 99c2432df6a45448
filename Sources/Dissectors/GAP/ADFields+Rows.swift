// The AD types whose fields have fixed positions, described like the HCI tables. Core Specification
// Supplement, Part A, 1; Assigned Numbers, 2.3. Numbers are little-endian except in mesh types,
// whose fields are therefore given as bytes.

import Bluetooth

let adRows: [(type: UInt8, parameters: [Parameter])] = [
  // Tx Power Level
  (0x0a, [.i8("TX_Power", .scaled(.dBm), line: "sent at")]),
  // Device ID (Device Identification Profile)
  (
    0x10,
    [
      .u16("Vendor_ID_Source", .code(.vendorIDSource), line: "device ID:"),
      .u16("Vendor_ID", .hex, line: "vendor"), .u16("Product_ID", .hex, line: "product"),
      .u16("Product_Version", .hex, line: "version"),
    ]
  ),
  // Security Manager Out of Band Flags
  (0x11, [.u8("Flags", .flags(.outOfBandFlags), line: "out of band:")]),
  // Public Target Address, Random Target Address
  (0x17, [.list("Addresses", [.address("Address", line: "for public")])]),
  (0x18, [.list("Addresses", [.address("Address", line: "for random")])]),
  // Advertising Interval
  (0x1a, [.u16("Advertising_Interval", .scaled(.slots), line: "advertising interval")]),
  // LE Bluetooth Device Address: the type is the most significant byte, so after the address, as
  // BlueZ reads it (tools/oobtest.c). tshark 4.0 and bumble read it from the first byte.
  (
    0x1b,
    [
      .address("Address", line: "device address"),
      .u8("Address_Type", .code(.addressType), line: ""),
    ]
  ),
  // LE Role
  (0x1c, [.u8("Role", .code(.leRole), line: "role:")]),
  // Transport Discovery Data: blocks
  (
    0x26,
    [
      .list(
        "Transports",
        [
          .u8("Organization_ID", .code(.transportOrganization), line: "transport of"),
          .u8("Flags", .flags(.transportFlags), line: ""), .count("Data_Length"),
          .counted("Data", .advertised, line: "data"),
        ])
    ]
  ),
  // Channel Map Update Indication
  (
    0x28,
    [.bytes("Channel_Map", 5, .harmless, line: "channel map"), .u16("Instant", line: "instant")]
  ),
  // Mesh Message: a network PDU (Mesh Protocol, 3.4.4), obfuscated and encrypted after its first
  // byte
  (
    0x2a,
    [.u8("IVI_NID", .hex, line: "mesh message, IVI and NID"), .rest("PDU", line: "PDU")]
  ),
  // Resolvable Set Identifier (Coordinated Set Identification Service, 4.8): hash, then random part
  (0x2e, [.u24("Hash", .hex, line: "set identifier"), .u24("Random", .hex, line: "random")]),
  // Encrypted Advertising Data: randomizer, data, MIC; the latter two are shown as one field
  (
    0x31,
    [
      .bytes("Randomizer", 5, line: "encrypted, randomizer"),
      .rest("Encrypted_Data_And_MIC", line: "data"),
    ]
  ),
  // Periodic Advertising Response Timing Information
  (
    0x32,
    [
      .u32("Response_Access_Address", .hex), .u8("Num_Subevents", line: "subevents"),
      .u8("Subevent_Interval", .scaled(.interval), line: "every"),
      .u8("Response_Slot_Delay", .scaled(.interval), line: "response slots after"),
      .u8("Response_Slot_Spacing", .scaled(.finerInterval), line: "spaced"),
    ]
  ),
  // 3D Information Data (3D Synchronization Profile)
  (
    0x3d,
    [
      .u8("Flags", .flags(.threeDimensional), line: "3D information:"),
      .u8("Path_Loss_Threshold", .scaled(.dB), line: "path loss threshold"),
    ]
  ),
]
