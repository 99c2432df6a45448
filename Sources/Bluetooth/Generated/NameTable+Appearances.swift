// swift-format-ignore-file
// Made by Scripts/import-assigned-numbers.py; do not edit. Numbers and names: Bluetooth SIG, Assigned Numbers.

extension NameTable {
  /// Appearance values, by category and subcategory.
  // Not inlined, or each module that uses it would have a copy of the texts.
  @inline(never)
  static var appearances: NameTable { NameTable(index: appearancesIndex, names: appearancesText) }
}

private let appearancesIndex: StaticString = ##"""
000000000 004000008 00800000e 008100017 008200035 008300055 008400066 00850008c 0086000a7
0087000d0 0088000e1 0089000fb 008a00110 008b00127 008c0013d 008d00152 008e00168 008f0017a
00c00018d 00c100193 00c2001a7 0100001b9 0140001bf 0180001c7 01c0001d6 0200001e2 0240001e6
0280001ee 02c0001fb 03000020b 030100217 034000234 034100246 038000269 038100278 03820029b
03c0002c0 03c1002d7 03c2002f8 03c300316 03c400337 03c500357 03c600380 03c7003a4 03c8003c8
03c9003f0 03ca00411 04000043d 04400044b 044100462 044200499 0443004d0 048000506 04810050e
048200528 04830053e 048400556 04850056c 04c00058e 04c10059d 04c2005b4 04c3005d1 04c4005e8
04c5005ff 04c60061d 04c700639 04c800657 04c900675 04ca00693 04cb006b2 04cc006db 04cd006f7
05000070c 05010071b 050200738 050300754 054000777 05410077e 054200794 0543007af 0544007ca
0545007e2 0546007f6 05470080b 054800824 05490083b 054a0085a 054b00878 054c00895 054d008ab
054e008c6 054f008da 0550008ee 055100902 05520091b 055300930 05540094d 05550096c 055600988
05570099c 0558009b1 0559009c8 0580009ed 0581009fc 058200a17 058300a35 058400a51 058500a6f
058600a8a 058700aa8 058800ac6 058900ae6 058a00b02 058b00b23 058c00b46 058d00b64 058e00b81
058f00ba0 059000bba 059100bd7 059200bf4 059300c12 059400c2c 059500c51 059600c72 059700c8f
059800ca4 059900cc2 05c000ce1 05c100ce5 05c200cf6 05c300d05 05c400d16 05c500d28 05c600d36
060000d44 060100d49 060200d5a 060300d6b 060400d7f 060500d8c 060600d9b 060700da8 060800db8
060900dce 060a00de9 060b00dfa 064000e0c 068000e1d 06c000e28 06c100e30 06c200e42 06c300e52
06c400e65 06c500e7e 06c600e9c 06c700eb0 070000ec5 070100ed4 070200ef0 070300f0c 070400f30
070500f4c 070600f65 070700f7c 070800f9a 070900fb4 074000fcb 074100fdc 074200ffd 074301016
074401039 074501054 07800106d 07810107a 078201095 0783010af 0784010c2 0785010dd 0786010f6
07870111a 078801136 078901150 07c001169 07c101176 07c20119c 07c3011b3 07c4011ca 07c5011e9
07c601201 07c701225 07c801247 080001279 080101289 0802012a8 0803012c7 0804012e6 080501306
080601328 084001349 084101354 084201373 084301388 0844013a6 0845013c7 0880013e0 0881013ed
088201406 08830141a 08840142d 088501440 088601462 08870147d 088801491 0889014b1 08c0014ca
08c1014dc 08c2014f3 08c30151a 08c40153f 08c50155c 08c601577 08c701590 08c8015b5 08c9015d6
08ca015f3 08cb0160e 08cc01625 08cd01640 08ce01668 08cf0168c 0900016c1 0901016d4 0902016f5
090301711 09040172a 090501748 090601764 090701788 0908017a2 0909017c3 090a017e4 090b01805
090c01824 090d01847 090e01872 090f01892 0940018b6 0941018cc 0942018ea 094301909 09440192b
09450194c 09460196f 098001993 09810199c 0982019b5 0983019ca 0984019df 09c001a02 09c101a0f
09c201a27 09c301a3e 09c401a52 09c501a66 09c601a7e 09c701a96 09c801aaf 09c901acb 09ca01aed
0a0001b07 0a0101b19 0a0201b37 0a0301b52 0a4001b6f 0a4101b7b 0a4201b9b 0a4301bbf 0a8001bdd
0a8101be4 0a8201c04 0ac001c26 0ac101c2e 0ac201c47 0c4001c61 0c4101c70 0c4201c99 0c8001cc3
0cc001cd0 0cc101ce9 0cc201d16 0d0001d41 0d4001d5c 0d4101d69 0d4401d92 0d4801db9 0d8001dd3
0dc001de7 0dc101df2 144001e12 144101e2a 144201e54 144301e8d 144401eb3 148001ee8 148101f06
148201f3b 148301f62 148401f90 148501fba 148601fe6 14c002011 14c102022 14c202048 14c302072
14c40209c 14c5020c6 14c6020e9 14c702100 14c80212d 14c90214d 150002172 150102182 1502021a0
1503021c1 1504021de 1505021fc 150602216 150702232 15080224d 150902269 150a0229f 150b022bd
150c022d6 150d022f2 150e0230d 150f02325 15100233d 151102352 15120236f 15130238f 1514023ad
"""##

private let appearancesText: StaticString = ##"""
Unknown
Phone
Computer
Computer: Desktop Workstation
Computer: Server-class Computer
Computer: Laptop
Computer: Handheld PC/PDA (clamshell)
Computer: Palm-size PC/PDA
Computer: Wearable computer (watch size)
Computer: Tablet
Computer: Docking Station
Computer: All in One
Computer: Blade Server
Computer: Convertible
Computer: Detachable
Computer: IoT Gateway
Computer: Mini PC
Computer: Stick PC
Watch
Watch: Sports Watch
Watch: Smartwatch
Clock
Display
Remote Control
Eye-glasses
Tag
Keyring
Media Player
Barcode Scanner
Thermometer
Thermometer: Ear Thermometer
Heart Rate Sensor
Heart Rate Sensor: Heart Rate Belt
Blood Pressure
Blood Pressure: Arm Blood Pressure
Blood Pressure: Wrist Blood Pressure
Human Interface Device
Human Interface Device: Keyboard
Human Interface Device: Mouse
Human Interface Device: Joystick
Human Interface Device: Gamepad
Human Interface Device: Digitizer Tablet
Human Interface Device: Card Reader
Human Interface Device: Digital Pen
Human Interface Device: Barcode Scanner
Human Interface Device: Touchpad
Human Interface Device: Presentation Remote
Glucose Meter
Running Walking Sensor
Running Walking Sensor: In-Shoe Running Walking Sensor
Running Walking Sensor: On-Shoe Running Walking Sensor
Running Walking Sensor: On-Hip Running Walking Sensor
Cycling
Cycling: Cycling Computer
Cycling: Speed Sensor
Cycling: Cadence Sensor
Cycling: Power Sensor
Cycling: Speed and Cadence Sensor
Control Device
Control Device: Switch
Control Device: Multi-switch
Control Device: Button
Control Device: Slider
Control Device: Rotary Switch
Control Device: Touch Panel
Control Device: Single Switch
Control Device: Double Switch
Control Device: Triple Switch
Control Device: Battery Switch
Control Device: Energy Harvesting Switch
Control Device: Push Button
Control Device: Dial
Network Device
Network Device: Access Point
Network Device: Mesh Device
Network Device: Mesh Network Proxy
Sensor
Sensor: Motion Sensor
Sensor: Air quality Sensor
Sensor: Temperature Sensor
Sensor: Humidity Sensor
Sensor: Leak Sensor
Sensor: Smoke Sensor
Sensor: Occupancy Sensor
Sensor: Contact Sensor
Sensor: Carbon Monoxide Sensor
Sensor: Carbon Dioxide Sensor
Sensor: Ambient Light Sensor
Sensor: Energy Sensor
Sensor: Color Light Sensor
Sensor: Rain Sensor
Sensor: Fire Sensor
Sensor: Wind Sensor
Sensor: Proximity Sensor
Sensor: Multi-Sensor
Sensor: Flush Mounted Sensor
Sensor: Ceiling Mounted Sensor
Sensor: Wall Mounted Sensor
Sensor: Multisensor
Sensor: Energy Meter
Sensor: Flame Detector
Sensor: Vehicle Tire Pressure Sensor
Light Fixtures
Light Fixtures: Wall Light
Light Fixtures: Ceiling Light
Light Fixtures: Floor Light
Light Fixtures: Cabinet Light
Light Fixtures: Desk Light
Light Fixtures: Troffer Light
Light Fixtures: Pendant Light
Light Fixtures: In-ground Light
Light Fixtures: Flood Light
Light Fixtures: Underwater Light
Light Fixtures: Bollard with Light
Light Fixtures: Pathway Light
Light Fixtures: Garden Light
Light Fixtures: Pole-top Light
Light Fixtures: Spotlight
Light Fixtures: Linear Light
Light Fixtures: Street Light
Light Fixtures: Shelves Light
Light Fixtures: Bay Light
Light Fixtures: Emergency Exit Light
Light Fixtures: Light Controller
Light Fixtures: Light Driver
Light Fixtures: Bulb
Light Fixtures: Low-bay Light
Light Fixtures: High-bay Light
Fan
Fan: Ceiling Fan
Fan: Axial Fan
Fan: Exhaust Fan
Fan: Pedestal Fan
Fan: Desk Fan
Fan: Wall Fan
HVAC
HVAC: Thermostat
HVAC: Humidifier
HVAC: De-humidifier
HVAC: Heater
HVAC: Radiator
HVAC: Boiler
HVAC: Heat Pump
HVAC: Infrared Heater
HVAC: Radiant Panel Heater
HVAC: Fan Heater
HVAC: Air Curtain
Air Conditioning
Humidifier
Heating
Heating: Radiator
Heating: Boiler
Heating: Heat Pump
Heating: Infrared Heater
Heating: Radiant Panel Heater
Heating: Fan Heater
Heating: Air Curtain
Access Control
Access Control: Access Door
Access Control: Garage Door
Access Control: Emergency Exit Door
Access Control: Access Lock
Access Control: Elevator
Access Control: Window
Access Control: Entrance Gate
Access Control: Door Lock
Access Control: Locker
Motorized Device
Motorized Device: Motorized Gate
Motorized Device: Awning
Motorized Device: Blinds or Shades
Motorized Device: Curtains
Motorized Device: Screen
Power Device
Power Device: Power Outlet
Power Device: Power Strip
Power Device: Plug
Power Device: Power Supply
Power Device: LED Driver
Power Device: Fluorescent Lamp Gear
Power Device: HID Lamp Gear
Power Device: Charge Case
Power Device: Power Bank
Light Source
Light Source: Incandescent Light Bulb
Light Source: LED Lamp
Light Source: HID Lamp
Light Source: Fluorescent Lamp
Light Source: LED Array
Light Source: Multi-Color LED Array
Light Source: Low voltage halogen
Light Source: Organic light emitting diode (OLED)
Window Covering
Window Covering: Window Shades
Window Covering: Window Blinds
Window Covering: Window Awning
Window Covering: Window Curtain
Window Covering: Exterior Shutter
Window Covering: Exterior Screen
Audio Sink
Audio Sink: Standalone Speaker
Audio Sink: Soundbar
Audio Sink: Bookshelf Speaker
Audio Sink: Standmounted Speaker
Audio Sink: Speakerphone
Audio Source
Audio Source: Microphone
Audio Source: Alarm
Audio Source: Bell
Audio Source: Horn
Audio Source: Broadcasting Device
Audio Source: Service Desk
Audio Source: Kiosk
Audio Source: Broadcasting Room
Audio Source: Auditorium
Motorized Vehicle
Motorized Vehicle: Car
Motorized Vehicle: Large Goods Vehicle
Motorized Vehicle: 2-Wheeled Vehicle
Motorized Vehicle: Motorbike
Motorized Vehicle: Scooter
Motorized Vehicle: Moped
Motorized Vehicle: 3-Wheeled Vehicle
Motorized Vehicle: Light Vehicle
Motorized Vehicle: Quad Bike
Motorized Vehicle: Minibus
Motorized Vehicle: Bus
Motorized Vehicle: Trolley
Motorized Vehicle: Agricultural Vehicle
Motorized Vehicle: Camper / Caravan
Motorized Vehicle: Recreational Vehicle / Motor Home
Domestic Appliance
Domestic Appliance: Refrigerator
Domestic Appliance: Freezer
Domestic Appliance: Oven
Domestic Appliance: Microwave
Domestic Appliance: Toaster
Domestic Appliance: Washing Machine
Domestic Appliance: Dryer
Domestic Appliance: Coffee maker
Domestic Appliance: Clothes iron
Domestic Appliance: Curling iron
Domestic Appliance: Hair dryer
Domestic Appliance: Vacuum cleaner
Domestic Appliance: Robotic vacuum cleaner
Domestic Appliance: Rice cooker
Domestic Appliance: Clothes steamer
Wearable Audio Device
Wearable Audio Device: Earbud
Wearable Audio Device: Headset
Wearable Audio Device: Headphones
Wearable Audio Device: Neck Band
Wearable Audio Device: Left Earbud
Wearable Audio Device: Right Earbud
Aircraft
Aircraft: Light Aircraft
Aircraft: Microlight
Aircraft: Paraglider
Aircraft: Large Passenger Aircraft
AV Equipment
AV Equipment: Amplifier
AV Equipment: Receiver
AV Equipment: Radio
AV Equipment: Tuner
AV Equipment: Turntable
AV Equipment: CD Player
AV Equipment: DVD Player
AV Equipment: Bluray Player
AV Equipment: Optical Disc Player
AV Equipment: Set-Top Box
Display Equipment
Display Equipment: Television
Display Equipment: Monitor
Display Equipment: Projector
Hearing aid
Hearing aid: In-ear hearing aid
Hearing aid: Behind-ear hearing aid
Hearing aid: Cochlear Implant
Gaming
Gaming: Home Video Game Console
Gaming: Portable handheld console
Signage
Signage: Digital Signage
Signage: Electronic Label
Pulse Oximeter
Pulse Oximeter: Fingertip Pulse Oximeter
Pulse Oximeter: Wrist Worn Pulse Oximeter
Weight Scale
Personal Mobility Device
Personal Mobility Device: Powered Wheelchair
Personal Mobility Device: Mobility Scooter
Continuous Glucose Monitor
Insulin Pump
Insulin Pump: Insulin Pump, durable pump
Insulin Pump: Insulin Pump, patch pump
Insulin Pump: Insulin Pen
Medication Delivery
Spirometer
Spirometer: Handheld Spirometer
Outdoor Sports Activity
Outdoor Sports Activity: Location Display
Outdoor Sports Activity: Location and Navigation Display
Outdoor Sports Activity: Location Pod
Outdoor Sports Activity: Location and Navigation Pod
Industrial Measurement Device
Industrial Measurement Device: Torque Testing Device
Industrial Measurement Device: Caliper
Industrial Measurement Device: Dial Indicator
Industrial Measurement Device: Micrometer
Industrial Measurement Device: Height Gauge
Industrial Measurement Device: Force Gauge
Industrial Tools
Industrial Tools: Machine Tool Holder
Industrial Tools: Generic Clamping Device
Industrial Tools: Clamping Jaws/Jaw Chuck
Industrial Tools: Clamping (Collet) Chuck
Industrial Tools: Clamping Mandrel
Industrial Tools: Vise
Industrial Tools: Zero-Point Clamping System
Industrial Tools: Torque Wrench
Industrial Tools: Torque Screwdriver
Cookware Device
Cookware Device: Pot and Jugs
Cookware Device: Pressure Cooker
Cookware Device: Slow Cooker
Cookware Device: Steam Cooker
Cookware Device: Saucepan
Cookware Device: Frying Pan
Cookware Device: Casserole
Cookware Device: Dutch Oven
Cookware Device: Grill Pan/Raclette Grill/Griddle Pan
Cookware Device: Braising Pan
Cookware Device: Wok Pan
Cookware Device: Paella Pan
Cookware Device: Crepe Pan
Cookware Device: Tagine
Cookware Device: Fondue
Cookware Device: Lid
Cookware Device: Wired Probe
Cookware Device: Wireless Probe
Cookware Device: Baking Molds
Cookware Device: Baking Tray

"""##
