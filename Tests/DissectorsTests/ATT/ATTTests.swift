// Every PDU of the Attribute Protocol. The comments show tshark 4.0's decoding of a capture with
// the same bytes. It does not know the opcodes 0x20, 0x21 and 0x23; these are decoded by hand after
// Core, Vol 3, Part F, 3.4.4.11, 3.4.4.12 and 3.4.7.4.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// The UUIDs of the Nordic UART service and of one of its characteristics, in transmission order.
private let uart = "9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e"
private let uartReceive = "9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 02 00 40 6e"

/// Valid ATT PDUs and their decoding.
let attFixtures: [(bytes: String, says: String)] = [
  // Error Response - Attribute Not Found, Handle: 0x0005; request Read By Type
  ("01 08 05 00 0a", "Error Response request=08 handle=0005 error=0a"),
  // Exchange MTU Request, Client Rx MTU: 247
  ("02 f7 00", "Exchange MTU Request mtu=247"),
  // Exchange MTU Response, Server Rx MTU: 185
  ("03 b9 00", "Exchange MTU Response mtu=185"),
  // Find Information Request, Handles: 0x0011..0x0014
  ("04 11 00 14 00", "Find Information Request start=0011 end=0014"),
  // Find Information Response, Handle: 0x0011 (Client Characteristic Configuration), Handle:
  // 0x0012 (Characteristic User Description)
  (
    "05 01 11 00 02 29 12 00 01 29",
    #"Find Information Response items=["0011 2902", "0012 2901"]"#
  ),
  // Find Information Response, Handle: 0x0011 (Nordic UART Service)
  (
    "05 02 11 00 " + uart,
    #"Find Information Response items=["0011 6e400001b5a3f393e0a9e50e24dcca9e"]"#
  ),
  // Find By Type Value Request, Primary Service, Handles: 0x0001..0xffff, value 0d18
  (
    "06 01 00 ff ff 00 28 0d 18",
    "Find By Type Value Request start=0001 end=ffff type=2800 value=0d18"
  ),
  // Find By Type Value Response: 0x000e to 0x0011, 0x0020 to 0x0025
  (
    "07 0e 00 11 00 20 00 25 00",
    #"Find By Type Value Response items=["000e to 0011", "0020 to 0025"]"#
  ),
  // Read By Type Request, Characteristic, Handles: 0x0001..0x0005
  ("08 01 00 05 00 03 28", "Read By Type Request start=0001 end=0005 type=2803"),
  // Read By Type Request, 6e400002-…, Handles: 0x0001..0xffff
  (
    "08 01 00 ff ff " + uartReceive,
    "Read By Type Request start=0001 end=ffff type=6e400002b5a3f393e0a9e50e24dcca9e"
  ),
  // Read By Type Response, Attribute List Length: 2: 0x0002 properties 0x02, value handle 0x0003,
  // Device Name; 0x0004 properties 0x02, value handle 0x0005, Appearance
  (
    "09 07 02 00 02 03 00 00 2a 04 00 02 05 00 01 2a",
    #"Read By Type Response items=["0002 =020300002a", "0004 =020500012a"]"#
  ),
  // Read By Type Response, Attribute List Length: 1: 0x0002 properties 0x0c, value handle 0x0003,
  // a UUID of 128 bits
  (
    "09 15 02 00 0c 03 00 " + uartReceive,
    #"Read By Type Response items=["0002 =0c03009ecadc240ee5a9e093f3a3b50200406e"]"#
  ),
  // Read Request, Handle: 0x0003
  ("0a 03 00", "Read Request handle=0003"),
  // Read Response, Value: 64
  ("0b 64", "Read Response value=64"),
  // Read Blob Request, Handle: 0x0010, Offset: 9
  ("0c 10 00 09 00", "Read Blob Request handle=0010 offset=9"),
  // Read Blob Response, Value: 6162
  ("0d 61 62", "Read Blob Response value=6162"),
  // Read Multiple Request, Handles: 0x0010 0x0011
  ("0e 10 00 11 00", "Read Multiple Request handles=10001100"),
  // Read Multiple Response, Value: 640100
  ("0f 64 01 00", "Read Multiple Response value=640100"),
  // Read By Group Type Request, Primary Service, Handles: 0x0001..0xffff
  ("10 01 00 ff ff 00 28", "Read By Group Type Request start=0001 end=ffff type=2800"),
  // Read By Group Type Response, Attribute List Length: 2, Generic Access, Generic Attribute
  (
    "11 06 01 00 05 00 00 18 06 00 0d 00 01 18",
    #"Read By Group Type Response items=["0001 to 0005 =0018", "0006 to 000d =0118"]"#
  ),
  // Read By Group Type Response, Attribute List Length: 1, Nordic UART Service
  (
    "11 14 0e 00 ff ff " + uart,
    #"Read By Group Type Response items=["000e to ffff =9ecadc240ee5a9e093f3a3b50100406e"]"#
  ),
  // Write Request, Handle: 0x0011, Value: 0100
  ("12 11 00 01 00", "Write Request handle=0011 value=0100"),
  // Write Response
  ("13", "Write Response"),
  // Prepare Write Request, Handle: 0x0015, Offset: 18, Value: 616263
  ("16 15 00 12 00 61 62 63", "Prepare Write Request handle=0015 offset=18 value=616263"),
  // Prepare Write Response, Handle: 0x0015, Offset: 18, Value: 616263
  ("17 15 00 12 00 61 62 63", "Prepare Write Response handle=0015 offset=18 value=616263"),
  // Execute Write Request, Immediately Write All
  ("18 01", "Execute Write Request flags=1"),
  // Execute Write Response
  ("19", "Execute Write Response"),
  // Handle Value Notification, Handle: 0x000e, Value: 0648
  ("1b 0e 00 06 48", "Handle Value Notification handle=000e value=0648"),
  // Handle Value Indication, Handle: 0x000e, Value: 01
  ("1d 0e 00 01", "Handle Value Indication handle=000e value=01"),
  // Handle Value Confirmation
  ("1e", "Handle Value Confirmation"),
  // By hand: handles 0x0010 and 0x0011
  ("20 10 00 11 00", "Read Multiple Variable Request handles=10001100"),
  // By hand: 1 byte 64, 2 bytes 0100
  ("21 01 00 64 02 00 01 00", #"Read Multiple Variable Response items=["=64", "=0100"]"#),
  // By hand: 0x000e 2 bytes 0648, 0x0010 1 byte 64
  (
    "23 0e 00 02 00 06 48 10 00 01 00 64",
    #"Multiple Handle Value Notification items=["000e =0648", "0010 =64"]"#
  ),
  // Write Command, Handle: 0x0014, Value: 02
  ("52 14 00 02", "Write Command handle=0014 value=02"),
  // Signed Write Command, Handle: 0x0014, Value: 02, Sign Counter: 5, Signature: a1a2a3a4a5a6a7a8
  (
    "d2 14 00 02 05 00 00 00 a1 a2 a3 a4 a5 a6 a7 a8",
    "Signed Write Command handle=0014 value=02 counter=5 signature=a1a2a3a4a5a6a7a8"
  ),
]

@Suite struct ATTTests {
  /// Returns the decoding and the problems of the PDU in `text`.
  private func att(_ text: String, isTruncated: Bool = false, missing: Int = 0) -> [String] {
    let payload = hex(text)
    let bytes = l2cap(payload, length: payload.count + missing)
    let dissection = pdu(bytes, isTruncated: isTruncated)
    return [attWords(dissection, of: bytes)] + problems(dissection)
  }

  @Test(arguments: attFixtures)
  func everyPDU(_ fixture: (bytes: String, says: String)) {
    #expect(att(fixture.bytes) == [fixture.says])
  }

  @Test func everyOpcodeOfTheSpecificationHasAFixture() {
    let tried = Set(attFixtures.compactMap { hex($0.bytes).first })
    let known = (UInt8.min...UInt8.max).filter { ATTOpcode(rawValue: $0).name != nil }
    #expect(tried == Set(known))
    #expect(known.count == 31)
  }

  // MARK: Lists

  /// A well-known library divides by the length byte of `09 00 01 00 41` and traps.
  @Test(arguments: [
    ("09 00 01 00 41", "Read By Type Response items=[]", "invalidElementLength@5(0,0)"),
    ("09 01 01 00 41", "Read By Type Response items=[]", "invalidElementLength@5(1,0)"),
    ("11 00 01 00", "Read By Group Type Response items=[]", "invalidElementLength@5(0,0)"),
    ("11 03 01 00 02", "Read By Group Type Response items=[]", "invalidElementLength@5(3,0)"),
    ("05 00 11 00 02 29", "Find Information Response items=[]", "invalidElementLength@5(0,0)"),
    ("05 03 11 00 02 29", "Find Information Response items=[]", "invalidElementLength@5(3,0)"),
    ("05 ff", "Find Information Response items=[]", "invalidElementLength@5(255,0)"),
  ])
  func aLengthThatNoElementHas(_ text: String, _ says: String, _ problem: String) {
    #expect(att(text) == [says, problem])
  }

  /// Elements without a value. A group's value is the type's UUID, so an empty one is a problem.
  @Test func elementsOfHandlesAlone() {
    #expect(att("09 02 01 00 02 00") == [#"Read By Type Response items=["0001 =", "0002 ="]"#])
    #expect(
      att("11 04 01 00 05 00") == [
        #"Read By Group Type Response items=["0001 to 0005 ="]"#, "invalidElementLength@5(4,0)",
      ])
  }

  @Test(arguments: [
    // Elements of 3 bytes, and one byte more.
    ("09 03 01 00 41 02", #"Read By Type Response items=["0001 =41"]"#, "leftOver@9(1,0)"),
    // Shorter than the only element.
    ("09 07 01 00 41", "Read By Type Response items=[]", "leftOver@6(3,0)"),
    ("05 01 11 00 02", "Find Information Response items=[]", "leftOver@6(3,0)"),
    ("05 02 11 00 02 29", "Find Information Response items=[]", "leftOver@6(4,0)"),
    ("07 0e 00 11", "Find By Type Value Response items=[]", "leftOver@5(3,0)"),
    ("0e 10 00 11", "Read Multiple Request handles=1000", "leftOver@7(1,0)"),
    ("20 10 00 11", "Read Multiple Variable Request handles=1000", "leftOver@7(1,0)"),
    ("13 00", "Write Response", "leftOver@5(1,0)"),
    ("0a 03 00 00", "Read Request handle=0003", "leftOver@7(1,0)"),
  ])
  func bytesThatNoFieldClaims(_ text: String, _ says: String, _ problem: String) {
    #expect(att(text) == [says, problem])
  }

  @Test func emptyLists() {
    #expect(att("07") == ["Find By Type Value Response items=[]"])
    #expect(att("05 01") == ["Find Information Response items=[]"])
    #expect(att("09 07") == ["Read By Type Response items=[]"])
    #expect(att("23") == ["Multiple Handle Value Notification items=[]"])
  }

  /// The end of the PDU may cut the last value, whose beginning is kept.
  @Test func theLastValueOfAListWithLengthsIsCut() {
    #expect(
      att("23 0e 00 02 00 06 48 10 00 05 00 64")
        == [#"Multiple Handle Value Notification items=["000e =0648", "0010 =64 -4"]"#])
    #expect(
      att("23 0e 00 ff ff") == [#"Multiple Handle Value Notification items=["000e = -65535"]"#])
    #expect(
      att("21 01 00 64 05 00") == [#"Read Multiple Variable Response items=["=64", "= -5"]"#])
  }

  /// A cut inside a handle or length leaves bytes that belong to no item, and are reported.
  @Test func theLastItemOfAListWithLengthsHasNoLength() {
    #expect(
      att("23 0e 00 02 00 06 48 10 00 01")
        == [#"Multiple Handle Value Notification items=["000e =0648"]"#, "leftOver@11(3,0)"])
    #expect(
      att("21 01 00 64 05")
        == [#"Read Multiple Variable Response items=["=64"]"#, "leftOver@8(1,0)"])
  }

  // MARK: Short PDUs

  /// The opcode is kept, so that the transaction is known.
  @Test(arguments: [
    ("01 08 05 00", "Error Response data=080500", "tooShort@8(1,0)"),
    ("02 f7", "Exchange MTU Request data=f7", "tooShort@5(2,1)"),
    ("0a", "Read Request data=", "tooShort@5(2,0)"),
    ("08 01 00 05 00", "Read By Type Request data=01000500", "tooShort@9(16,0)"),
    ("08 01 00 05 00 03", "Read By Type Request data=0100050003", "tooShort@9(16,1)"),
    ("08 01 00 05 00 03 28 00", "Read By Type Request data=01000500032800", "tooShort@9(16,3)"),
    ("18", "Execute Write Request data=", "tooShort@5(1,0)"),
    ("09", "Read By Type Response data=", "tooShort@5(1,0)"),
  ])
  func tooShort(_ text: String, _ says: String, _ problem: String) {
    #expect(att(text) == [says, problem])
  }

  @Test func withoutAnOpcode() {
    #expect(att("") == ["none", "tooShort@4(1,0)"])
  }

  @Test func signedWrites() {
    let signature = "01 00 00 00 a1 a2 a3 a4 a5 a6 a7 a8"
    let words = "counter=1 signature=a1a2a3a4a5a6a7a8"
    #expect(
      att("d2 14 00 " + signature) == ["Signed Write Command handle=0014 value= \(words)"])
    #expect(
      att("d2 14 00 0a 0b 0c " + signature)
        == ["Signed Write Command handle=0014 value=0a0b0c \(words)"])
    #expect(
      att("d2 14 00 01 00 00 00 a1 a2 a3 a4 a5 a6 a7")
        == ["Signed Write Command data=140001000000a1a2a3a4a5a6a7", "tooShort@11(8,7)"])
    #expect(att("d2 14 00 01") == ["Signed Write Command data=140001", "tooShort@7(4,1)"])
  }

  // MARK: Truncated captures

  /// Half of a long UUID is not a short one, and the middle of a value is not a signature.
  @Test func cutByTheCapture() {
    #expect(
      att("08 01 00 ff ff 9e ca", isTruncated: true, missing: 14)
        == ["Read By Type Request data=0100ffff9eca"])
    #expect(
      att("08 01 00 ff ff 03", isTruncated: true, missing: 1)
        == ["Read By Type Request data=0100ffff03"])
    #expect(
      att(
        "d2 14 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10", isTruncated: true, missing: 4)
        == ["Signed Write Command data=14000102030405060708090a0b0c0d0e0f10"])
    #expect(
      att("09 07 02 00 02 03 00 00 2a 04 00", isTruncated: true, missing: 5)
        == [#"Read By Type Response items=["0002 =020300002a"]"#])
    #expect(
      att("1b 0e 00 06", isTruncated: true, missing: 1)
        == ["Handle Value Notification handle=000e value=06"])
  }

  // MARK: Codes

  /// Unused methods, and known ones with the wrong flags.
  @Test(arguments: [0x00, 0x14, 0x15, 0x1a, 0x1c, 0x1f, 0x22, 0x24, 0x3f, 0x80, 0x92, 0xc1, 0xff])
  func unknownOpcodes(_ opcode: Int) {
    let text = digits(opcode, 2)
    #expect(
      att("\(text) 01 02") == ["0x\(text) data=0102", "unknownOpcode@4(\(opcode),0)"])
    #expect(att(text) == ["0x\(text) data=", "unknownOpcode@4(\(opcode),0)"])
  }

  @Test func rangesOfErrors() {
    let ranges = (UInt8.min...UInt8.max).map { ATTErrorCode(rawValue: $0).range }
    for code in 0...255 {
      let expected: ATTErrorCode.Range =
        switch code {
        case 0x01...0x13: .attributeProtocol
        case 0x80...0x9f: .application
        case 0xe0...0xff: .commonProfile
        default: .reserved
        }
      #expect(ranges[code] == expected)
      // Codes that profiles may name, including Apple's reserved ones.
      let isOfProfile = ATTErrorCode(rawValue: UInt8(code)).isOfProfile
      #expect(isOfProfile == (0x80...0xdf).contains(code), "\(code)")
    }
  }

  @Test(arguments: [
    (0x00, "Reserved Error"), (0x01, "Invalid Handle"), (0x05, "Insufficient Authentication"),
    (0x0a, "Attribute Not Found"), (0x0f, "Insufficient Encryption"), (0x13, "Value Not Allowed"),
    (0x14, "Reserved Error"), (0x7f, "Reserved Error"), (0x80, "Application Error"),
    (0x9f, "Application Error"), (0xa0, "Reserved Error"), (0xdf, "Reserved Error"),
    (0xe0, "Common Profile and Service Error"), (0xfc, "Write Request Rejected"),
    (0xff, "Out of Range"),
  ])
  func namesOfErrors(_ code: UInt8, _ name: String) {
    #expect(ATTErrorCode(rawValue: code).name.description == name)
  }

  @Test func rolesAndResponses() {
    let requests: [UInt8] = [2, 4, 6, 8, 0x0a, 0x0c, 0x0e, 0x10, 0x12, 0x16, 0x18, 0x20]
    for opcode in UInt8.min...UInt8.max where ATTOpcode(rawValue: opcode).name != nil {
      let expected: ATTOpcode.Role =
        switch opcode {
        case 0x1b, 0x23, 0x52, 0xd2: .unacknowledged
        case 0x1d: .indication
        case 0x1e: .confirmation
        default: requests.contains(opcode) ? .request : .response
        }
      #expect(ATTOpcode(rawValue: opcode).role == expected)
    }
    for request in requests {
      #expect(ATTOpcode(rawValue: request).response.rawValue == request + 1)
    }
  }

  // MARK: Declarations

  @Test func characteristicDeclarations() {
    let short = CharacteristicDeclaration(hex("02 03 00 00 2a").bytes)
    #expect(short?.properties.rawValue == 2)
    #expect(short?.valueHandle == 3)
    #expect(short?.uuid.isShort(0x2a00) == true)
    let long = CharacteristicDeclaration(hex("0c 03 00 " + uartReceive).bytes)
    #expect(long.map { words($0.uuid) } == "6e400002b5a3f393e0a9e50e24dcca9e")
    for count in [0, 1, 2, 3, 4, 6, 18, 20] {
      #expect(CharacteristicDeclaration([UInt8](repeating: 1, count: count).bytes) == nil)
    }
  }

  @Test func includeDeclarations() {
    let short = IncludeDeclaration(hex("0e 00 11 00 0f 18").bytes)
    #expect(short?.startHandle == 0x0e && short?.endHandle == 0x11)
    #expect(short?.uuid?.isShort(0x180f) == true)
    let long = IncludeDeclaration(hex("0e 00 11 00").bytes)
    #expect(long?.endHandle == 0x11 && long?.uuid == nil)
    for count in [0, 1, 2, 3, 5, 7, 20] {
      #expect(IncludeDeclaration([UInt8](repeating: 1, count: count).bytes) == nil)
    }
  }
}
