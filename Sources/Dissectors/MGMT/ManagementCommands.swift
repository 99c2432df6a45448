// The commands of the Linux kernel's management interface. Source: BlueZ, doc/mgmt-protocol.rst;
// names and sizes were checked against BlueZ's monitor.

import Bluetooth

/// The return parameters of most commands that change a setting.
private let newSettings: [Parameter] = [.currentSettings]

/// The commands for controllers and their settings, pairing and discovery, 0x0001 to 0x0028.
package let managementRows: [ParameterRow] = [
  .command(
    0x0001, "Read Management Version Information", [],
    returns: [.u8("Interface_Version", line: "version"), .u16("Revision", line: "revision")]),
  .command(
    0x0002, "Read Management Supported Commands", [],
    returns: [
      .count2("Num_Of_Commands", line: "commands"),
      Parameter("Num_Of_Events", .laterCount(width: 2), "events"),
      .list("Commands", [.u16("Command", .controlOpcode)]),
      .list("Events", [.u16("Event_Code", .controlEvent)]),
    ]),
  .command(
    0x0003, "Read Controller Index List", [],
    returns: [
      .count2("Num_Controllers"), .list("Controllers", [.u16("Controller_Index", line: "hci")]),
    ]),
  .command(
    0x0004, "Read Controller Information", [],
    returns: Parameter.controller + [.u24("Class_Of_Device", .assigned(.deviceClass))]
      + Parameter.names),
  .command(0x0005, "Set Powered", [.onOff("Powered")], returns: newSettings),
  .command(
    0x0006, "Set Discoverable",
    [
      .u8("Discoverable", .code(.discoverable), line: ""),
      .u16("Timeout", .scaled(.secondsOrNone), line: "for"),
    ], returns: newSettings),
  .command(0x0007, "Set Connectable", [.onOff("Connectable")], returns: newSettings),
  .command(0x0008, "Set Fast Connectable", [.onOff("Enable")], returns: newSettings),
  .command(0x0009, "Set Bondable", [.onOff("Bondable")], returns: newSettings),
  .command(
    0x000a, "Set Link Security", about: .security, [.onOff("Link_Security")], returns: newSettings),
  .command(
    0x000b, "Set Secure Simple Pairing", about: .security, [.onOff("Secure_Simple_Pairing")],
    returns: newSettings),
  .command(0x000c, "Set High Speed", [.onOff("High_Speed")], returns: newSettings),
  .command(0x000d, "Set Low Energy", [.onOff("Low_Energy")], returns: newSettings),
  .command(
    0x000e, "Set Device Class",
    [.u8("Major_Class", .hex, line: "major"), .u8("Minor_Class", .hex, line: "minor")],
    returns: [.classOfDevice]),
  .command(0x000f, "Set Local Name", Parameter.names, returns: Parameter.names),
  .command(
    0x0010, "Add UUID", [.uuid("UUID", line: ""), .u8("SVC_Hint", .hex)],
    returns: [.classOfDevice]),
  .command(0x0011, "Remove UUID", [.uuid("UUID", line: "")], returns: [.classOfDevice]),
  .command(
    0x0012, "Load Link Keys", about: .security,
    [
      .u8("Debug_Keys", .code(.onOff)), .count2("Key_Count", line: "keys"),
      .list("Keys", Parameter.linkKey.silent),
    ], returns: []),
  .command(
    0x0013, "Load Long Term Keys", about: .security,
    [.count2("Key_Count", line: "keys"), .list("Keys", Parameter.longTermKey.silent)],
    returns: []),
  .command(0x0014, "Disconnect", Parameter.device, returns: Parameter.device),
  .command(
    0x0015, "Get Connections", [],
    returns: [
      .count2("Connection_Count", line: "connections"), .list("Connections", Parameter.device),
    ]),
  .command(
    0x0016, "PIN Code Reply", about: .security,
    Parameter.device + [.u8("PIN_Length"), .secret("PIN_Code", 16, .pin, line: "PIN")],
    returns: Parameter.device),
  .command(
    0x0017, "PIN Code Negative Reply", about: .security, Parameter.device, returns: Parameter.device
  ),
  .command(
    0x0018, "Set IO Capability", about: .security,
    [.u8("IO_Capability", .code(.pairingIOCapability), line: "")],
    returns: []),
  .command(
    0x0019, "Pair Device", about: .security,
    Parameter.device + [.u8("IO_Capability", .code(.pairingIOCapability), line: "")],
    returns: Parameter.device),
  .command(
    0x001a, "Cancel Pair Device", about: .security, Parameter.device, returns: Parameter.device),
  .command(
    0x001b, "Unpair Device", about: .security,
    Parameter.device + [.u8("Disconnect", .code(.yesNo))],
    returns: Parameter.device),
  .command(
    0x001c, "User Confirmation Reply", about: .security, Parameter.device, returns: Parameter.device
  ),
  .command(
    0x001d, "User Confirmation Negative Reply", about: .security, Parameter.device,
    returns: Parameter.device),
  .command(
    0x001e, "User Passkey Reply", about: .security,
    Parameter.device + [.secret("Passkey", 4, .passkey, line: "passkey")],
    returns: Parameter.device),
  .command(
    0x001f, "User Passkey Negative Reply", about: .security, Parameter.device,
    returns: Parameter.device),
  .command(
    0x0020, "Read Local Out Of Band Data", about: .security, [],
    returns: [
      .secret("Hash_192", 16), .secret("Randomizer_192", 16), .optionalSecret("Hash_256", 16),
      .optionalSecret("Randomizer_256", 16),
    ]),
  .command(
    0x0021, "Add Remote Out Of Band Data", about: .security,
    Parameter.device + [
      .secret("Hash_192", 16), .secret("Randomizer_192", 16), .optionalSecret("Hash_256", 16),
      .optionalSecret("Randomizer_256", 16),
    ], returns: Parameter.device),
  .command(
    0x0022, "Remove Remote Out Of Band Data", about: .security, Parameter.device,
    returns: Parameter.device),
  .command(0x0023, "Start Discovery", [.addressTypes], returns: [.addressTypes]),
  .command(0x0024, "Stop Discovery", [.addressTypes], returns: [.addressTypes]),
  .command(
    0x0025, "Confirm Name",
    Parameter.device + [.u8("Name_Known", .code(.yesNo), line: "name known:")],
    returns: Parameter.device),
  .command(0x0026, "Block Device", Parameter.device, returns: Parameter.device),
  .command(0x0027, "Unblock Device", Parameter.device, returns: Parameter.device),
  .command(
    0x0028, "Set Device ID",
    [
      .u16("Source", .code(.deviceIDSource), line: ""), .u16("Vendor", .hex, line: "vendor"),
      .u16("Product", .hex, line: "product"), .u16("Product_Version", .hex, line: "version"),
    ], returns: []),
]

/// The commands from 0x0029 to 0x0049: more settings, lists of devices and keys, advertising.
package let managementLaterRows: [ParameterRow] = [
  .command(
    0x0029, "Set Advertising", [.u8("Advertising", .code(.managementAdvertising), line: "")],
    returns: newSettings),
  .command(0x002a, "Set BR/EDR", [.onOff("BR_EDR")], returns: newSettings),
  .command(0x002b, "Set Static Address", [.address("Address", line: "")], returns: newSettings),
  .command(
    0x002c, "Set Scan Parameters",
    [
      .u16("Interval", .scaled(.slots), line: "interval"),
      .u16("Window", .scaled(.slots), line: "window"),
    ], returns: []),
  .command(
    0x002d, "Set Secure Connections", about: .security,
    [.u8("Secure_Connections", .code(.secureConnections), line: "")], returns: newSettings),
  .command(
    0x002e, "Set Debug Keys", [.u8("Debug_Keys", .code(.debugKeys), line: "")],
    returns: newSettings),
  .command(
    0x002f, "Set Privacy", about: .security,
    [
      .u8("Privacy", .code(.managementPrivacy), line: ""),
      .secret("Identity_Resolving_Key", 16, line: "IRK"),
    ], returns: newSettings),
  .command(
    0x0030, "Load Identity Resolving Keys", about: .security,
    [.count2("Key_Count", line: "keys"), .list("Keys", Parameter.identityKey.silent)],
    returns: []),
  .command(
    0x0031, "Get Connection Information", Parameter.device,
    returns: Parameter.device + [
      .rssi, .txPower, .i8("Max_TX_Power", .scaled(.dBmOrNone), line: "at most"),
    ]),
  .command(
    0x0032, "Get Clock Information", Parameter.device,
    returns: Parameter.device + [
      .u32("Local_Clock", .hex), .u32("Piconet_Clock", .hex),
      .u16("Accuracy", .scaled(.halfSlots), line: "accuracy"),
    ]),
  .command(
    0x0033, "Add Device", Parameter.device + [.u8("Action", .code(.deviceAction), line: "")],
    returns: Parameter.device),
  .command(0x0034, "Remove Device", Parameter.device, returns: Parameter.device),
  .command(
    0x0035, "Load Connection Parameters",
    [
      .count2("Param_Count", line: "devices"),
      .list("Parameters", (Parameter.device + Parameter.preferredConnection).silent),
    ], returns: []),
  .command(
    0x0036, "Read Unconfigured Controller Index List", [],
    returns: [
      .count2("Num_Controllers"), .list("Controllers", [.u16("Controller_Index", line: "hci")]),
    ]),
  .command(
    0x0037, "Read Controller Configuration Information", [],
    returns: [
      .u16("Manufacturer", .assigned(.company), line: "company"),
      .u32("Supported_Options", .flags(.configurationOptions)),
      .u32("Missing_Options", .flags(.configurationOptions), line: "missing:"),
    ]),
  .command(
    0x0038, "Set External Configuration", [.onOff("Configuration")],
    returns: [.u32("Missing_Options", .flags(.configurationOptions), line: "missing:")]),
  .command(
    0x0039, "Set Public Address", [.address("Address", line: "")],
    returns: [.u32("Missing_Options", .flags(.configurationOptions), line: "missing:")]),
  .command(
    0x003a, "Start Service Discovery",
    [
      .addressTypes, .i8("RSSI_Threshold", .scaled(.dBmOrNone), line: "from"),
      .count2("UUID_Count"), .list("UUIDs", [.uuid("UUID", line: "")]),
    ], returns: [.addressTypes]),
  .command(
    0x003b, "Read Local Out Of Band Extended Data", about: .security, [.addressTypes],
    returns: [.addressTypes] + Parameter.eirData),
  .command(
    0x003c, "Read Extended Controller Index List", [],
    returns: [
      .count2("Num_Controllers"),
      .list(
        "Controllers", [.u16("Controller_Index", line: "hci")] + Parameter.controllerKind),
    ]),
  .command(
    0x003d, "Read Advertising Features", [],
    returns: [.u32("Supported_Flags", .flags(.advertisingInstanceFlags))]
      + Parameter.dataLimits + [
        .u8("Max_Instances", line: "instances at most"), .count("Num_Instances", line: "now"),
        .list("Instances", [.u8("Instance")]),
      ]),
  .command(
    0x003e, "Add Advertising",
    [
      .instance, .instanceFlags, .u16("Duration", .scaled(.secondsOrNone), line: "duration"),
      .u16("Timeout", .scaled(.secondsOrNone), line: "timeout"),
    ] + Parameter.bothData, returns: [.instance]),
  .command(0x003f, "Remove Advertising", [.instance], returns: [.instance]),
  .command(
    0x0040, "Get Advertising Size Information", [.instance, .instanceFlags],
    returns: [.instance, .instanceFlags] + Parameter.dataLimits),
  .command(0x0041, "Start Limited Discovery", [.addressTypes], returns: [.addressTypes]),
  .command(
    0x0042, "Read Extended Controller Information", [],
    returns: Parameter.controller + Parameter.eirData),
  .command(
    0x0043, "Set Appearance", [.u16("Appearance", .assigned(.appearance), line: "")], returns: []),
  .command(
    0x0044, "Get PHY Configuration", [],
    returns: [
      .u32("Supported_PHYs", .flags(.managementPHYs)),
      .u32("Configurable_PHYs", .flags(.managementPHYs)),
      .u32("Selected_PHYs", .flags(.managementPHYs), line: ""),
    ]),
  .command(
    0x0045, "Set PHY Configuration", [.u32("Selected_PHYs", .flags(.managementPHYs), line: "")],
    returns: []),
  .command(
    0x0046, "Set Blocked Keys", about: .security,
    [
      .count2("Key_Count", line: "keys"),
      .list(
        "Keys",
        [.u8("Key_Type", .code(.blockedKeyType)), .secret("Value", 16)]),
    ], returns: []),
  .command(0x0047, "Set Wideband Speech", [.onOff("Wideband_Speech")], returns: newSettings),
  .command(
    0x0048, "Read Controller Capabilities", [],
    returns: [.count2("Capabilities_Data_Length"), .counted("Capabilities_Data")]),
  .command(
    0x0049, "Read Experimental Features Information", [],
    returns: [
      .count2("Feature_Count", line: "features"),
      .list("Features", Parameter.experimentalFeature.silent),
    ]),
]

/// The commands from 0x004a on: configuration, flags of devices, advertisement monitors, mesh.
package let managementLatestRows: [ParameterRow] = [
  .command(
    0x004a, "Set Experimental Feature", [.uuid("UUID", line: ""), .onOff("Action")],
    returns: Parameter.experimentalFeature),
  .command(
    0x004b, "Read Default System Configuration", [], returns: Parameter.configuration),
  .command(
    0x004c, "Set Default System Configuration", Parameter.configuration, returns: []),
  .command(
    0x004d, "Read Default Runtime Configuration", [], returns: Parameter.configuration),
  .command(
    0x004e, "Set Default Runtime Configuration", Parameter.configuration, returns: []),
  .command(
    0x004f, "Get Device Flags", Parameter.device,
    returns: Parameter.device + [
      .u32("Supported_Flags", .flags(.deviceFlags)),
      .u32("Current_Flags", .flags(.deviceFlags), line: ""),
    ]),
  .command(
    0x0050, "Set Device Flags",
    Parameter.device + [.u32("Current_Flags", .flags(.deviceFlags), line: "")],
    returns: Parameter.device),
  .command(
    0x0051, "Read Advertisement Monitor Features", [],
    returns: [
      .u32("Supported_Features", .flags(.monitorFeatures), line: ""),
      .u32("Enabled_Features", .flags(.monitorFeatures)), .u16("Max_Num_Handles"),
      .u8("Max_Num_Patterns"), .count2("Num_Handles"),
      .list("Handles", [.u16("Handle", .handle)]),
    ]),
  .command(
    0x0052, "Add Advertisement Patterns Monitor", Parameter.patterns,
    returns: [.monitorHandle]),
  .command(
    0x0053, "Remove Advertisement Monitor", [.monitorHandle], returns: [.monitorHandle]),
  .command(
    0x0054, "Add Extended Advertising Parameters",
    [
      .instance, .instanceFlags, .u16("Duration", .scaled(.secondsOrNone), line: "duration"),
      .u16("Timeout", .scaled(.secondsOrNone), line: "timeout"),
      .u32("Min_Interval", .scaled(.slots), line: "interval"),
      .u32("Max_Interval", .scaled(.slots), line: "-"), .txPower,
    ], returns: [.instance, .txPower] + Parameter.dataLimits),
  .command(
    0x0055, "Add Extended Advertising Data", [.instance] + Parameter.bothData,
    returns: [.instance]),
  .command(
    0x0056, "Add Advertisement Patterns Monitor With RSSI Threshold",
    [
      .i8("High_Threshold", .scaled(.dBmOrNone), line: "found from"),
      .u16("High_Threshold_Timer", .scaled(.seconds)),
      .i8("Low_Threshold", .scaled(.dBmOrNone), line: "lost from"),
      .u16("Low_Threshold_Timer", .scaled(.seconds)), .u8("Sampling_Period", .hex),
    ] + Parameter.patterns, returns: [.monitorHandle]),
  .command(
    0x0057, "Set Mesh Receiver",
    [
      .onOff("Enable"), .u16("Window", .scaled(.milliseconds), line: "window"),
      .u16("Period", .scaled(.milliseconds), line: "period"), .count("Num_AD_Types"),
      .list("AD_Types", [.u8("AD_Type", .hex)]),
    ], returns: []),
  .command(
    0x0058, "Read Mesh Features", [],
    returns: [
      .u16("Index"), .u8("Max_Handles"), .count("Used_Handles"),
      .list("Handles", [.u8("Handle", .hex)]),
    ]),
  .command(
    0x0059, "Transmit Mesh Packet",
    Parameter.device + [
      .u64("Instant"), .u16("Delay", .scaled(.milliseconds)), .u8("Count", line: "times"),
      .count("Data_Length"), .advertisingData("Data", line: ""),
    ], returns: [.u8("Handle", .hex, line: "handle")]),
  .command(
    0x005a, "Cancel Transmit Mesh Packet", [.u8("Handle", .hex, line: "handle")], returns: []),
  // It can contain any HCI command, including those with keys.
  .command(
    0x005b, "HCI Command Sync",
    [
      .u16("Opcode", .opcode, line: ""), .u8("Event", .hex), .u8("Timeout", .scaled(.seconds)),
      .count2("Parameter_Length"), .countedSecret("Command_Parameters"),
    ], returns: [.countedSecret("Response")]),
  .command(
    0x005c, "Load Connection Subrate",
    [
      .count2("Param_Count", line: "devices"),
      .list(
        "Parameters",
        Parameter.device.silent + [
          .u16("Min_Connection_Interval", .scaled(.interval)),
          .u16("Max_Connection_Interval", .scaled(.interval)), .u16("Subrate_Min"),
          .u16("Subrate_Max"), .u16("Max_Latency"), .u16("Continuation_Number"),
          .u16("Supervision_Timeout", .scaled(.timeout)),
        ]),
    ], returns: []),
]
