// The rows of Microsoft's extension: one command with subcommands and one event, whatever their
// opcode and prefix in a Controller. Microsoft-defined Bluetooth HCI commands and events; layouts
// were checked against BlueZ's monitor and AOSP's packet definitions.

import Bluetooth

/// The command, after its opcode.
let microsoftCommandRow = ParameterRow.command(
  0, "Microsoft Extension",
  [
    .selector("Subcommand", .microsoftCommand),
    .choice([
      .on(0x00, []),
      .on(0x01, [.connectionHandle] + Parameter.thresholds),
      .on(0x02, [.connectionHandle]),
      .on(
        0x03,
        Parameter.thresholds + [
          .selector("Condition_Type", .microsoftCondition),
          .choice([
            .on(
              0x01,
              [
                .count("Num_Patterns", line: "patterns"),
                .list(
                  "Patterns",
                  [
                    .countBeyond("Length", 2), .u8("AD_Type", .hex), .u8("Start_Position"),
                    .counted("Pattern"),
                  ]),
              ]),
            .on(
              0x02,
              [
                .selector("UUID_Type", .microsoftUUID, line: nil),
                .choice([
                  .on(0x01, [.uuid("UUID", 2, line: "")]), .on(0x02, [.uuid("UUID", 4, line: "")]),
                  .on(0x03, [.uuid("UUID", 16, line: "")]),
                ]),
              ]),
            .on(0x03, [.secret("IRK", 16)]),
            .on(
              0x04,
              [.u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: "")]),
          ]),
        ]),
      .on(0x04, [.u8("Monitor_Handle", .hex, line: "monitor")]),
      .on(0x05, [.u8("Enable", .code(.microsoftFilter), line: "")]),
      .on(0x06, [.connectionHandle]),
    ]),
  ],
  returns: [
    .status, .selector("Subcommand", .microsoftCommand),
    .choice([
      .on(
        0x00,
        [
          .u64("Supported_Features", .flags(.microsoftFeatures), line: ""),
          .count("Event_Prefix_Length"),
          .counted("Event_Prefix", .harmless(upTo: 8), line: "prefix"),
        ]),
      .on(0x03, [.u8("Monitor_Handle", .hex, line: "monitor")]),
      .on(0x06, [.connectionHandle, .i8("RSSI", .scaled(.dBm), line: "")]),
      .otherwise([]),
    ]),
  ])

/// The event, after its prefix.
let microsoftEventRow = ParameterRow.event(
  0, "Microsoft Extension Event",
  [
    .selector("Event_Code", .microsoftEvent),
    .choice([
      .on(0x01, [.status, .connectionHandle, .i8("RSSI", .scaled(.dBm), line: "")]),
      .on(
        0x02,
        [
          .u8("Address_Type", .code(.addressType), line: ""), .address("Address", line: ""),
          .u8("Monitor_Handle", .hex, line: "monitor"),
          .u8("Monitor_State", .code(.microsoftState), line: ""),
        ]),
    ]),
  ])

extension Parameter {
  /// The signal strengths between which a device counts as received, and when it is lost.
  fileprivate static let thresholds: [Parameter] = [
    i8("RSSI_Threshold_High", .scaled(.dBm), line: "high"),
    i8("RSSI_Threshold_Low", .scaled(.dBm), line: "low"),
    u8("RSSI_Threshold_Low_Time_Interval", .scaled(.seconds), line: "for"),
    u8("RSSI_Sampling_Period", .scaled(.tenthsOfSeconds)),
  ]
}

extension Scale {
  /// n × 100 ms.
  fileprivate static let tenthsOfSeconds = Self(100, .milliseconds)
}
