// Parameters shared by many management rows.

import Bluetooth

extension Parameter {
  /// A device: address (6 bytes), address type (1).
  static let device: [Parameter] = [
    address("Address", line: ""), u8("Address_Type", .code(.managementAddressType)),
  ]
  /// The address types to discover.
  static let addressTypes = u8("Address_Type", .flags(.managementAddressTypes), line: "")
  /// The kernel's status; in the line only if it is an error.
  static let managementStatus = Self(
    "Status", .unsigned(width: 1, .code(.managementStatus)), "", is: .status)
  static let currentSettings = u32("Current_Settings", .flags(.managementSettings), line: "")
  /// A switch for something.
  static func onOff(_ name: StaticString) -> Self { u8(name, .code(.onOff), line: "") }
  /// A count of two bytes.
  static func count2(_ name: StaticString, line: StaticString? = nil) -> Self {
    Self(name, .count(width: 2), line)
  }
  /// A controller's or device's AD structures, preceded by their length.
  static let eirData: [Parameter] = [
    count2("EIR_Data_Length"), advertisingData("EIR_Data", line: ""),
  ]
  /// A controller's long and short name, in fields that always end with a zero.
  static let names: [Parameter] = [
    text("Name", 249, line: ""), text("Short_Name", 11),
  ]
  /// A link key of BR/EDR.
  static let linkKey: [Parameter] =
    device + [
      u8("Key_Type", .code(.linkKeyType), line: ""), secret("Value", 16, line: "link key"),
      u8("PIN_Length"),
    ]
  /// A long-term key; EDIV and Rand are zero for LE Secure Connections.
  static let longTermKey: [Parameter] =
    device + [
      u8("Key_Type", .code(.longTermKeyType), line: ""), u8("Central", .code(.yesNo)),
      u8("Encryption_Size", line: "key size"), u16("Encryption_Diversifier", .diversifier),
      bytes("Random_Number", 8, .secret), secret("Value", 16, line: "LTK"),
    ]
  /// An identity resolving key.
  static let identityKey: [Parameter] = device + [secret("Value", 16, line: "IRK")]
  /// Whether a new key should be stored.
  static let storeHint = u8("Store_Hint", .code(.storeHint))
  /// The connection parameters that a peripheral prefers.
  static let preferredConnection: [Parameter] = [
    u16("Min_Connection_Interval", .scaled(.interval), line: "interval"),
    u16("Max_Connection_Interval", .scaled(.interval), line: "-"),
    u16("Connection_Latency", line: "latency"),
    u16("Supervision_Timeout", .scaled(.timeout), line: "timeout"),
  ]
  /// An advertising instance.
  static let instance = u8("Instance", line: "instance")
  /// The flags of an advertising instance.
  static let instanceFlags = u32("Flags", .flags(.advertisingInstanceFlags), line: "")
  /// The flags of a found device or of a connection.
  static let foundFlags = u32("Flags", .flags(.deviceFoundFlags))
  /// The maximum lengths of advertising data.
  static let dataLimits: [Parameter] = [u8("Max_Adv_Data_Len"), u8("Max_Scan_Rsp_Len")]
  /// Advertising data and scan response, preceded by both lengths.
  static let bothData: [Parameter] = [
    count("Adv_Data_Len"), laterCount("Scan_Rsp_Len"), advertisingData("Adv_Data", line: ""),
    advertisingData("Scan_Rsp", line: "scan response"),
  ]
  /// The handle of an advertisement monitor.
  static let monitorHandle = u16("Monitor_Handle", .handle, line: "")
  /// The patterns of an advertisement monitor: an AD structure must contain these bytes.
  static let patterns: [Parameter] = [
    count("Pattern_Count", line: "patterns"),
    list(
      "Patterns", [u8("AD_Type", .hex), u8("Offset"), u8("Length"), bytes("Value", 31)]),
  ]
  /// Configuration parameters: type, length and value of each.
  static let configuration: [Parameter] = [
    list(
      "Parameters",
      [u16("Parameter_Type", .hex), count("Value_Length"), counted("Value", .harmless(upTo: 4))])
  ]
  static let experimentalFeature: [Parameter] = [
    uuid("UUID", line: ""), u32("Flags", .flags(.experimentalFlags), line: ""),
  ]
  /// The properties of a controller before its name.
  static let controller: [Parameter] = [
    address("Address", line: ""), u8("Bluetooth_Version", .code(.coreVersion), line: "version"),
    u16("Manufacturer", .assigned(.company), line: "company"),
    u32("Supported_Settings", .flags(.managementSettings)),
    u32("Current_Settings", .flags(.managementSettings)),
  ]
  /// The type of a controller, and its bus.
  static let controllerKind: [Parameter] = [
    u8("Controller_Type", .code(.controllerType), line: ""),
    u8("Controller_Bus", .code(.controllerBus), line: ""),
  ]
}

extension [Parameter] {
  /// The same parameters without the one-line form, in which the count of a long list suffices.
  var silent: [Parameter] {
    map { Parameter($0.name, $0.kind, nil, content: $0.content, items: $0.items) }
  }
}
