// Names and sizes of the management interface's commands and events by code, from the tables of
// BlueZ's monitor/packet.c: the second source of the rows. `+` after a size marks a minimum.

/// Commands: opcode, size of the parameters, size of the return parameters, name. `-`: unknown
/// there.
let managementCommandFacts = """
  0001 0 3 Read Management Version Information
  0002 0 4+ Read Management Supported Commands
  0003 0 2+ Read Controller Index List
  0004 0 280 Read Controller Information
  0005 1 4 Set Powered
  0006 3 4 Set Discoverable
  0007 1 4 Set Connectable
  0008 1 4 Set Fast Connectable
  0009 1 4 Set Bondable
  000a 1 4 Set Link Security
  000b 1 4 Set Secure Simple Pairing
  000c 1 4 Set High Speed
  000d 1 4 Set Low Energy
  000e 2 3 Set Device Class
  000f 260 260 Set Local Name
  0010 17 3 Add UUID
  0011 16 3 Remove UUID
  0012 3+ 0 Load Link Keys
  0013 2+ 0 Load Long Term Keys
  0014 7 7 Disconnect
  0015 0 2+ Get Connections
  0016 24 7 PIN Code Reply
  0017 7 7 PIN Code Negative Reply
  0018 1 0 Set IO Capability
  0019 8 7 Pair Device
  001a 7 7 Cancel Pair Device
  001b 8 7 Unpair Device
  001c 7 7 User Confirmation Reply
  001d 7 7 User Confirmation Negative Reply
  001e 11 7 User Passkey Reply
  001f 7 7 User Passkey Negative Reply
  0020 0 64 Read Local Out Of Band Data
  0021 71 7 Add Remote Out Of Band Data
  0022 7 7 Remove Remote Out Of Band Data
  0023 1 1 Start Discovery
  0024 1 1 Stop Discovery
  0025 8 7 Confirm Name
  0026 7 7 Block Device
  0027 7 7 Unblock Device
  0028 8 0 Set Device ID
  0029 1 4 Set Advertising
  002a 1 4 Set BR/EDR
  002b 6 4 Set Static Address
  002c 4 0 Set Scan Parameters
  002d 1 4 Set Secure Connections
  002e 1 4 Set Debug Keys
  002f 17 4 Set Privacy
  0030 2+ 0 Load Identity Resolving Keys
  0031 7 10 Get Connection Information
  0032 7 17 Get Clock Information
  0033 8 7 Add Device
  0034 7 7 Remove Device
  0035 2+ 0 Load Connection Parameters
  0036 0 2+ Read Unconfigured Controller Index List
  0037 0 10 Read Controller Configuration Information
  0038 1 4 Set External Configuration
  0039 6 4 Set Public Address
  003a 3+ 1 Start Service Discovery
  003b 1 3+ Read Local Out Of Band Extended Data
  003c 0 2+ Read Extended Controller Index List
  003d 0 8+ Read Advertising Features
  003e 11+ 1 Add Advertising
  003f 1 1 Remove Advertising
  0040 5 7 Get Advertising Size Information
  0041 1 1 Start Limited Discovery
  0042 0 19+ Read Extended Controller Information
  0043 2 0 Set Appearance
  0044 0 12 Get PHY Configuration
  0045 4 0 Set PHY Configuration
  0046 2+ 0 Set Blocked Keys
  0047 1 4 Set Wideband Speech
  0048 - - Read Controller Capabilities
  0049 0 2+ Read Experimental Features Information
  004a 17 20 Set Experimental Feature
  004b 0 4+ Read Default System Configuration
  004c 4+ 0 Set Default System Configuration
  004d - - Read Default Runtime Configuration
  004e - - Set Default Runtime Configuration
  004f 7 15 Get Device Flags
  0050 11 7 Set Device Flags
  0051 0 13+ Read Advertisement Monitor Features
  0052 1+ 2 Add Advertisement Patterns Monitor
  0053 2 2 Remove Advertisement Monitor
  0054 18+ 4 Add Extended Advertising Parameters
  0055 3+ 1 Add Extended Advertising Data
  0056 8+ 2 Add Advertisement Patterns Monitor With RSSI Threshold
  0057 6+ 0 Set Mesh Receiver
  0058 0 4+ Read Mesh Features
  0059 19+ 1 Mesh Send
  005a 1 0 Mesh Send Cancel
  005b 6+ 0+ Send HCI command and wait for event
  005c 2+ 0 Load Connection Subrate
  """

/// Events: code, size of the parameters, name.
let managementEventFacts = """
  0001 3+ Command Complete
  0002 3 Command Status
  0003 1 Controller Error
  0004 0 Index Added
  0005 0 Index Removed
  0006 4 New Settings
  0007 3 Class Of Device Changed
  0008 260 Local Name Changed
  0009 26 New Link Key
  000a 37 New Long Term Key
  000b 13+ Device Connected
  000c 8 Device Disconnected
  000d 8 Connect Failed
  000e 8 PIN Code Request
  000f 12 User Confirmation Request
  0010 7 User Passkey Request
  0011 8 Authentication Failed
  0012 14+ Device Found
  0013 2 Discovering
  0014 7 Device Blocked
  0015 7 Device Unblocked
  0016 7 Device Unpaired
  0017 12 Passkey Notify
  0018 30 New Identity Resolving Key
  0019 25 New Signature Resolving Key
  001a 8 Device Added
  001b 7 Device Removed
  001c 16 New Connection Parameter
  001d 0 Unconfigured Index Added
  001e 0 Unconfigured Index Removed
  001f 4 New Configuration Options
  0020 2 Extended Index Added
  0021 2 Extended Index Removed
  0022 3+ Local Out Of Band Extended Data Updated
  0023 1 Advertising Added
  0024 1 Advertising Removed
  0025 2+ Extended Controller Information Changed
  0026 4 PHY Configuration Changed
  0027 20 Experimental Feature Changed
  002a 15 Device Flags Changed
  002b 2 Advertisement Monitor Added
  002c 2 Advertisement Monitor Removed
  002d 1 Controller Suspended
  002e 8 Controller Resumed
  002f 16+ ADV Monitor Device Found
  0030 9 ADV Monitor Device Lost
  0031 22+ Mesh Device Found
  0032 1 Mesh Packet Complete
  0033 18 Connection Subrate
  """
