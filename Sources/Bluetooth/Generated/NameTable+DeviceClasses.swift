// swift-format-ignore-file
// Made by Scripts/import-assigned-numbers.py; do not edit. Numbers and names: Bluetooth SIG, Assigned Numbers.

extension NameTable {
  /// The class of a device: bits 2 to 12; majors from 0xf000, service bits from 0xe000.
  // Not inlined, or each module that uses it would have a copy of the texts.
  @inline(never)
  static var deviceClasses: NameTable { NameTable(index: deviceClassesIndex, names: deviceClassesText) }
}

private let deviceClassesIndex: StaticString = ##"""
010400000 010800014 010c0002a 011000031 011400041 011800052 011c00064 02040006b 020800074
020c0007d 021000088 0214000a5 0300000b8 0320000c8 0340000db 0360000ef 038000103 03a000117
03c00012b 03e00013f 040400154 04080016c 04100017e 041400189 041800195 041c001a0 0420001af
0424001b9 0428001c5 042c001d7 0430001db 0434001e8 0438001f2 043c00200 04400021e 044800231
044c0023c 045000248 050400250 050800259 050c00261 051000270 05140027f 051800290 051c0029c
0520002a8 0524002b9 0540002d8 0544002e1 0548002f4 054c00306 05500031f 055400338 055800353
055c00369 05600037f 05640039a 0580003c3 0584003d3 0588003ed 058c00406 059000426 059400446
059800468 059c00485 05a0004a2 05a4004c4 05c0004f4 05c400513 05c80053c 05cc00564 05d000593
05d4005c2 05d8005f3 05dc0061f 05e00064b 05e40067c 0704006bb 0708006c6 070c006cc 0710006d3
0714006da 0718006e2 0804006e6 0808006ec 080c006f4 081000707 081400712 090000717 090400721
090800738 090c00744 091000753 091400761 091800770 091c00789 09200079d 0924007aa 0928007c4
092c007d6 0930007e9 0934007f9 09380080a 093c00821 e00d0083a e00e00854 e0100085d e01100869
e01200874 e0130087e e01400888 e01500898 e0160089e e017008a8 f000008b4 f001008c2 f002008cb
f003008d1 f004008ea f005008f6 f00600901 f00700909 f00800912 f00900916 f01f0091d
"""##

private let deviceClassesText: StaticString = ##"""
Desktop Workstation
Server-class Computer
Laptop
Handheld PC/PDA
Palm-size PC/PDA
Wearable Computer
Tablet
Cellular
Cordless
Smartphone
Wired Modem or Voice Gateway
Common ISDN Access
Fully available
1% to 17% utilized
17% to 33% utilized
33% to 50% utilized
50% to 67% utilized
67% to 83% utilized
83% to 99% utilized
No service available
Wearable Headset Device
Hands-free Device
Microphone
Loudspeaker
Headphones
Portable Audio
Car Audio
Set-top box
HiFi Audio Device
VCR
Video Camera
Camcorder
Video Monitor
Video Display and Loudspeaker
Video Conferencing
Gaming/Toy
Hearing Aid
Glasses
Joystick
Gamepad
Remote Control
Sensing Device
Digitizer Tablet
Card Reader
Digital Pen
Handheld Scanner
Handheld Gestural Input Device
Keyboard
Keyboard, Joystick
Keyboard, Gamepad
Keyboard, Remote Control
Keyboard, Sensing Device
Keyboard, Digitizer Tablet
Keyboard, Card Reader
Keyboard, Digital Pen
Keyboard, Handheld Scanner
Keyboard, Handheld Gestural Input Device
Pointing Device
Pointing Device, Joystick
Pointing Device, Gamepad
Pointing Device, Remote Control
Pointing Device, Sensing Device
Pointing Device, Digitizer Tablet
Pointing Device, Card Reader
Pointing Device, Digital Pen
Pointing Device, Handheld Scanner
Pointing Device, Handheld Gestural Input Device
Combo Keyboard/Pointing Device
Combo Keyboard/Pointing Device, Joystick
Combo Keyboard/Pointing Device, Gamepad
Combo Keyboard/Pointing Device, Remote Control
Combo Keyboard/Pointing Device, Sensing Device
Combo Keyboard/Pointing Device, Digitizer Tablet
Combo Keyboard/Pointing Device, Card Reader
Combo Keyboard/Pointing Device, Digital Pen
Combo Keyboard/Pointing Device, Handheld Scanner
Combo Keyboard/Pointing Device, Handheld Gestural Input Device
Wristwatch
Pager
Jacket
Helmet
Glasses
Pin
Robot
Vehicle
Doll/Action Figure
Controller
Game
Undefined
Blood Pressure Monitor
Thermometer
Weighing Scale
Glucose Meter
Pulse Oximeter
Heart/Pulse Rate Monitor
Health Data Display
Step Counter
Body Composition Analyzer
Peak Flow Monitor
Medication Monitor
Knee Prosthesis
Ankle Prosthesis
Generic Health Manager
Personal Mobility Device
Limited Discoverable Mode
LE audio
Positioning
Networking
Rendering
Capturing
Object Transfer
Audio
Telephony
Information
Miscellaneous
Computer
Phone
LAN/Network Access Point
Audio/Video
Peripheral
Imaging
Wearable
Toy
Health
Uncategorized

"""##
