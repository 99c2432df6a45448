// Microsoft's extension, byte by byte. The packets are the test vectors of AOSP's packet
// definitions, or follow BlueZ's monitor/msft.h.

import Bytes
import Testing

@testable import Dissectors

@Suite struct MicrosoftTests {
  /// An Intel controller whose events begin with 87 80.
  private static let known: MicrosoftExtension? = {
    var known = MicrosoftExtension(manufacturer: 2)
    let returned = hex("00 00 7f 00 00 00 00 00 00 00 02 87 80")
    known?.observeReturn(returned.bytes, Slice(start: 0, count: returned.count))
    return known
  }()

  /// Dissects a packet of that controller.
  private func dissected(_ bytes: [UInt8], isTruncated: Bool = false) -> Dissection {
    var dissection = h4(bytes, isTruncated: isTruncated)
    if dissection.isUnknownVendors, let known = Self.known {
      dissection.recognise(known, bytes.bytes, isTruncated: isTruncated)
    }
    return dissection
  }

  static let fixtures: [(bytes: String, fields: [String])] = [
    ("01 1e fc 01 00", ["Subcommand 0"]),
    // One pattern, and two.
    (
      "01 1e fc 0e 03 10 05 04 aa 01 01 06 03 00 80 81 82 83",
      [
        "Subcommand 3", "RSSI_Threshold_High 16", "RSSI_Threshold_Low 5",
        "RSSI_Threshold_Low_Time_Interval 4", "RSSI_Sampling_Period 170", "Condition_Type 1",
        "Num_Patterns 1", "Patterns [", "{", "Length 6", "AD_Type 0x03", "Start_Position 0",
        "Pattern bytes 80818283", "}", "]",
      ]
    ),
    (
      "01 1e fc 13 03 15 04 02 bb 01 02 04 03 00 80 81 06 0f 00 90 91 92 93",
      [
        "Subcommand 3", "RSSI_Threshold_High 21", "RSSI_Threshold_Low 4",
        "RSSI_Threshold_Low_Time_Interval 2", "RSSI_Sampling_Period 187", "Condition_Type 1",
        "Num_Patterns 2", "Patterns [", "{", "Length 4", "AD_Type 0x03", "Start_Position 0",
        "Pattern bytes 8081", "}", "{", "Length 6", "AD_Type 0x0f", "Start_Position 0",
        "Pattern bytes 90919293", "}", "]",
      ]
    ),
    (
      "01 1e fc 09 03 10 11 12 13 02 01 70 71",
      [
        "Subcommand 3", "RSSI_Threshold_High 16", "RSSI_Threshold_Low 17",
        "RSSI_Threshold_Low_Time_Interval 18", "RSSI_Sampling_Period 19", "Condition_Type 2",
        "UUID_Type 1", "UUID UUID 7170",
      ]
    ),
    (
      "01 1e fc 16 03 10 11 12 13 03 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f",
      [
        "Subcommand 3", "RSSI_Threshold_High 16", "RSSI_Threshold_Low 17",
        "RSSI_Threshold_Low_Time_Interval 18", "RSSI_Sampling_Period 19", "Condition_Type 3",
        "IRK secret of 16",
      ]
    ),
    ("01 1e fc 02 04 01", ["Subcommand 4", "Monitor_Handle 0x01"]),
    ("01 1e fc 02 05 01", ["Subcommand 5", "Enable 1"]),
    (
      "04 0e 10 01 1e fc 00 00 7f 00 00 00 00 00 00 00 02 87 80",
      [
        "Num_HCI_Command_Packets 1", "Command_Opcode 0xfc1e", "Status 0", "Subcommand 0",
        "Supported_Features 0x000000000000007f", "Event_Prefix_Length 2",
        "Event_Prefix bytes 8780",
      ]
    ),
    (
      "04 0e 06 01 1e fc 00 03 05",
      [
        "Num_HCI_Command_Packets 1", "Command_Opcode 0xfc1e", "Status 0", "Subcommand 3",
        "Monitor_Handle 0x05",
      ]
    ),
    (
      "04 ff 07 87 80 01 00 01 10 f0",
      ["Event_Code 1", "Status 0", "Connection_Handle 0x1001", "RSSI -16"]
    ),
    (
      "04 ff 0c 87 80 02 01 00 01 02 03 04 05 10 00",
      [
        "Event_Code 2", "Address_Type 1", "Address 050403020100", "Monitor_Handle 0x10",
        "Monitor_State 0",
      ]
    ),
  ]

  @Test(arguments: fixtures)
  func everyField(_ fixture: (bytes: String, fields: [String])) {
    let bytes = hex(fixture.bytes)
    let dissection = dissected(bytes)
    let walked = walk(dissection, bytes)
    #expect(walked.entries == fixture.fields)
    #expect(walked.isConsistent)
    #expect(problems(dissection) == [])
  }

  /// Truncated at every length: the header or a field reports it, unless the capture truncated the
  /// packet.
  @Test func everyPrefix() {
    for fixture in Self.fixtures {
      let packet = hex(fixture.bytes)
      for count in 0..<packet.count {
        let prefix = Array(packet.prefix(count))
        #expect(!problems(dissected(prefix)).isEmpty, "\(prefix)")
        #expect(problems(dissected(prefix, isTruncated: true)) == [], "\(prefix)")
        for slice in walk(dissected(prefix), prefix).slices {
          #expect(slice.end <= prefix.count, "\(prefix)")
        }
      }
    }
  }

  /// A pattern's length may be smaller than the bytes that it counts.
  @Test(arguments: [0, 1, 2])
  func aPatternOfNothing(_ length: Int) {
    let bytes = hex("01 1e fc 0a 03 10 05 04 aa 01 01 0\(length) 03 00")
    #expect(walk(dissected(bytes), bytes).entries.suffix(3) == ["Pattern bytes ", "}", "]"])
  }

  @Test func makersWithoutAnExtension() {
    for manufacturer in [0, 1, 15, 76, 224, 0xffff] {
      #expect(MicrosoftExtension(manufacturer: UInt16(manufacturer)) == nil)
    }
    // BlueZ, monitor/packet.c, get_msft_opcode.
    let opcodes: [UInt16: UInt16] = [
      2: 0xfc1e, 29: 0xfd70, 70: 0xfd30, 93: 0xfcf0, 0x05f1: 0xfc1e,
    ]
    for (manufacturer, opcode) in opcodes {
      #expect(MicrosoftExtension(manufacturer: manufacturer)?.opcode == opcode)
    }
  }
}
