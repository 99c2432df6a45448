// The events of the Linux kernel's management interface. Source: BlueZ, doc/mgmt-protocol.rst;
// names and sizes were checked against BlueZ's monitor.

import Bluetooth

/// The commands of the management interface, by opcode. Each array is in ascending order of codes.
package let managementCommandTables: [[ParameterRow]] = [
  managementRows, managementLaterRows, managementLatestRows,
]

/// The events of the management interface, by event code.
package let managementEventTables: [[ParameterRow]] = [
  managementEventRows, managementLaterEventRows,
]

/// The events in every version of the interface, 0x0001 to 0x001a.
package let managementEventRows: [ParameterRow] = [
  .event(0x0001, "Command Complete", [.u16("Command_Opcode", .controlOpcode), .managementStatus]),
  .event(0x0002, "Command Status", [.u16("Command_Opcode", .controlOpcode), .managementStatus]),
  .event(0x0003, "Controller Error", [.u8("Controller_Error_Code", .hex, line: "")]),
  .event(0x0004, "Index Added", []),
  .event(0x0005, "Index Removed", []),
  .event(0x0006, "New Settings", [.currentSettings]),
  .event(0x0007, "Class Of Device Changed", [.classOfDevice]),
  .event(0x0008, "Local Name Changed", Parameter.names),
  .event(0x0009, "New Link Key", about: .security, [.storeHint] + Parameter.linkKey),
  .event(0x000a, "New Long Term Key", about: .security, [.storeHint] + Parameter.longTermKey),
  .event(
    0x000b, "Device Connected", Parameter.device + [.foundFlags] + Parameter.eirData),
  .event(
    0x000c, "Device Disconnected",
    Parameter.device + [.u8("Reason", .code(.managementReason), line: "")]),
  .event(0x000d, "Connect Failed", Parameter.device + [.managementStatus]),
  .event(
    0x000e, "PIN Code Request", about: .security, Parameter.device + [.u8("Secure", .code(.yesNo))]),
  .event(
    0x000f, "User Confirmation Request", about: .security,
    Parameter.device + [
      .u8("Confirm_Hint", .code(.yesNo)), .u32("Numeric_Value", .sixDigits, line: "number"),
    ]),
  .event(0x0010, "User Passkey Request", about: .security, Parameter.device),
  .event(0x0011, "Authentication Failed", about: .security, Parameter.device + [.managementStatus]),
  .event(
    0x0012, "Device Found",
    Parameter.device + [.i8("RSSI", .scaled(.signal), line: ""), .foundFlags]
      + Parameter.eirData),
  .event(0x0013, "Discovering", [.addressTypes, .onOff("Discovering")]),
  .event(0x0014, "Device Blocked", Parameter.device),
  .event(0x0015, "Device Unblocked", Parameter.device),
  .event(0x0016, "Device Unpaired", about: .security, Parameter.device),
  .event(
    0x0017, "Passkey Notify", about: .security,
    Parameter.device + [
      .secret("Passkey", 4, .passkey, line: "passkey"), .u8("Entered", line: "digits entered"),
    ]),
  .event(
    0x0018, "New Identity Resolving Key", about: .security,
    [.storeHint, .randomAddress("Random_Address", line: "used")] + Parameter.identityKey),
  .event(
    0x0019, "New Signature Resolving Key", about: .security,
    [.storeHint] + Parameter.device + [
      .u8("Type", .code(.signatureKeyType), line: ""), .secret("Value", 16, line: "CSRK"),
    ]),
  .event(
    0x001a, "Device Added", Parameter.device + [.u8("Action", .code(.deviceAction), line: "")]),
]

/// The events from 0x001b on.
package let managementLaterEventRows: [ParameterRow] = [
  .event(0x001b, "Device Removed", Parameter.device),
  // In the headers of the kernel and of BlueZ, with which its daemon reads the event, Store_Hint
  // follows the address. In the protocol's text it precedes the address, and btmon prints it from
  // there. The kernel writes its own structure, so that is what captures contain. In the related
  // events it comes first everywhere.
  .event(
    0x001c, "New Connection Parameter",
    Parameter.device + [.storeHint] + Parameter.preferredConnection),
  .event(0x001d, "Unconfigured Index Added", []),
  .event(0x001e, "Unconfigured Index Removed", []),
  .event(
    0x001f, "New Configuration Options",
    [.u32("Missing_Options", .flags(.configurationOptions), line: "missing:")]),
  .event(0x0020, "Extended Index Added", Parameter.controllerKind),
  .event(0x0021, "Extended Index Removed", Parameter.controllerKind),
  .event(
    0x0022, "Local Out Of Band Extended Data Updated", about: .security,
    [.addressTypes] + Parameter.eirData),
  .event(0x0023, "Advertising Added", [.instance]),
  .event(0x0024, "Advertising Removed", [.instance]),
  .event(0x0025, "Extended Controller Information Changed", Parameter.eirData),
  .event(
    0x0026, "PHY Configuration Changed",
    [.u32("Selected_PHYs", .flags(.managementPHYs), line: "")]),
  .event(0x0027, "Experimental Feature Changed", Parameter.experimentalFeature),
  .event(0x0028, "Default System Configuration Changed", Parameter.configuration),
  .event(0x0029, "Default Runtime Configuration Changed", Parameter.configuration),
  .event(
    0x002a, "Device Flags Changed",
    Parameter.device + [
      .u32("Supported_Flags", .flags(.deviceFlags)),
      .u32("Current_Flags", .flags(.deviceFlags), line: ""),
    ]),
  .event(0x002b, "Advertisement Monitor Added", [.monitorHandle]),
  .event(0x002c, "Advertisement Monitor Removed", [.monitorHandle]),
  .event(
    0x002d, "Controller Suspend", [.u8("Suspend_State", .code(.suspendState), line: "")]),
  // In BlueZ's own header the reason follows the address; in the protocol's text and the kernel's
  // header it precedes the address.
  .event(
    0x002e, "Controller Resume",
    [.u8("Wake_Reason", .code(.wakeReason), line: "")] + Parameter.device),
  .event(
    0x002f, "Advertisement Monitor Device Found",
    [.monitorHandle] + Parameter.device + [
      .i8("RSSI", .scaled(.signal), line: ""), .foundFlags, .count2("AD_Data_Length"),
      .advertisingData("AD_Data", line: ""),
    ]),
  .event(
    0x0030, "Advertisement Monitor Device Lost", [.monitorHandle] + Parameter.device),
  .event(
    0x0031, "Mesh Device Found",
    Parameter.device + [
      .i8("RSSI", .scaled(.signal), line: ""), .u64("Instant"), .foundFlags,
      .count2("AD_Data_Length"), .advertisingData("AD_Data", line: ""),
    ]),
  .event(0x0032, "Mesh Packet Transmit Complete", [.u8("Handle", .hex, line: "handle")]),
  .event(
    0x0033, "Connection Subrate",
    Parameter.device + [
      .managementStatus, .u16("Interval", .scaled(.interval), line: "interval"),
      .u16("Subrate", line: "subrate"), .u16("Latency", line: "latency"),
      .u16("Continuation_Number", line: "continuation"),
      .u16("Supervision_Timeout", .scaled(.timeout), line: "timeout"),
    ]),
]
