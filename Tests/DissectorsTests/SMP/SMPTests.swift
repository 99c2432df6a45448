// The Security Manager's PDUs. The bytes are made with bumble's smp.py, whose decoding is in
// comments.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// The X and Y coordinates of the debug public key, most significant byte first (Core, Vol 3, Part
/// H, 2.3.5.6.1; equal to the private key there times the generator of P-256).
private let debugKey = (
  x:
    "20 b0 03 d2 f2 97 be 2c 5e 2c 83 a7 e9 f9 a5 b9 ef f4 91 11 ac f4 fd db cc 03 01 48 0e 35 9d e6",
  y:
    "dc 80 9c 49 65 2a eb 6d 63 32 9a bf 5a 52 15 5c 76 63 45 c2 8f ed 30 24 74 1c 8e d0 15 89 d2 8b"
)

/// 16 bytes, 0x10 to 0x1f.
private let key = "10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f"

/// Returns a coordinate with ascending bytes that start at `first`.
private func coordinate(_ first: Int) -> String {
  (first..<first + 32).map { digits($0, 2) }.joined(separator: " ")
}

/// Valid PDUs and their descriptions.
let smpFixtures: [(bytes: String, words: String)] = [
  // DISPLAY_YES_NO, BONDING|MITM|SC|CT2, ENC_KEY|ID_KEY, ENC_KEY|ID_KEY|SIGN_KEY|LINK_KEY
  ("01 01 00 2d 10 03 0f", "Pairing Request io=1 oob=0 auth=2d size=16 initiator=03 responder=0f"),
  // KEYBOARD_ONLY, OOB data, BONDING|MITM|KEYPRESS, 7, ENC_KEY, ID_KEY|SIGN_KEY
  ("02 02 01 15 07 01 06", "Pairing Response io=2 oob=1 auth=15 size=7 initiator=01 responder=06"),
  ("03 \(key)", "Pairing Confirm \(key)"),
  ("04 \(key)", "Pairing Random \(key)"),
  // NUMERIC_COMPARISON_FAILED
  ("05 0c", "Pairing Failed Numeric Comparison Failed"),
  ("06 \(key)", "Encryption Information \(key)"),
  // ediv 0x1234
  ("07 34 12 01 02 03 04 05 06 07 08", "Central Identification 1234 01 02 03 04 05 06 07 08"),
  ("08 \(key)", "Identity Information \(key)"),
  // random, C0:FF:EE:12:34:56
  ("09 01 56 34 12 ee ff c0", "Identity Address Information 01 c0ffee123456"),
  ("0a \(key)", "Signing Information \(key)"),
  // BONDING|MITM|SC
  ("0b 0d", "Security Request 0d"),
  (
    "0c \(coordinate(0x20)) \(coordinate(0x40))",
    "Pairing Public Key \(coordinate(0x20)) \(coordinate(0x40))"
  ),
  ("0d \(key)", "Pairing DHKey Check \(key)"),
  // Passkey cleared
  ("0e 03", "Pairing Keypress Notification 3"),
]

/// Describes a PDU: its opcode's name, then its fields.
private func words(_ pdu: SMPPDU?, of bytes: [UInt8]) -> String {
  guard let pdu else { return "none" }
  func spaced(_ slice: Slice) -> String {
    bytes.bytes.part(slice).array.map { digits($0, 2) }.joined(separator: " ")
  }
  let fields =
    switch pdu {
    case .pairing(let pdu):
      "io=\(pdu.ioCapability.rawValue) oob=\(pdu.oobDataFlag) auth=\(digits(pdu.authReq.rawValue, 2)) "
        + "size=\(pdu.maximumEncryptionKeySize) initiator=\(digits(pdu.initiatorKeys.rawValue, 2)) "
        + "responder=\(digits(pdu.responderKeys.rawValue, 2))"
    case .confirm(let pdu): spaced(pdu)
    case .random(let pdu): spaced(pdu)
    case .failed(let pdu): pdu.name?.description ?? "\(pdu.rawValue)"
    case .encryptionInformation(let pdu): spaced(pdu)
    case .centralIdentification(let pdu): "\(digits(pdu.ediv, 4)) \(spaced(pdu.rand))"
    case .identityInformation(let pdu): spaced(pdu)
    case .identityAddressInformation(let pdu):
      "\(digits(pdu.addressType.rawValue, 2)) \(digits(pdu.address.value, 12))"
    case .signingInformation(let pdu): spaced(pdu)
    case .securityRequest(let pdu): digits(pdu.rawValue, 2)
    case .publicKey(let pdu): "\(spaced(pdu.x)) \(spaced(pdu.y))"
    case .dhKeyCheck(let pdu): spaced(pdu)
    case .keypressNotification(let pdu): "\(pdu)"
    case .incomplete(_, let data): "incomplete \(spaced(data))"
    case .unknown(_, let data): "unknown \(spaced(data))"
    }
  return (pdu.opcode.name?.description ?? "0x\(digits(pdu.opcode.rawValue, 2))") + " " + fields
}

@Suite struct SMPTests {
  @Test(arguments: smpFixtures, [6, 7])
  func everyPDU(_ fixture: (bytes: String, words: String), _ cid: Int) {
    let bytes = l2cap(hex(fixture.bytes), cid: cid)
    let dissection = pdu(bytes)
    #expect(words(dissection.smp, of: bytes) == fixture.words)
    #expect(problems(dissection) == [])
    #expect(dissection.smp?.rest(of: dissection.body).isEmpty == true)
    #expect(dissection.att == nil)
  }

  @Test func everyOpcodeHasAFixture() {
    let opcodes = smpFixtures.map { hex($0.bytes)[0] }
    #expect(opcodes == Array(0x01...0x0e))
    for fixture in smpFixtures {
      let bytes = hex(fixture.bytes)
      #expect(SMPOpcode(rawValue: bytes[0]).size == bytes.count, "\(fixture.words)")
    }
    for byte in UInt8.min...UInt8.max where !opcodes.contains(byte) {
      let opcode = SMPOpcode(rawValue: byte)
      #expect(opcode.name == nil && opcode.size == nil && opcode.carriesKey, "\(byte)")
    }
  }

  /// Truncated at every length, with a matching L2CAP length: one problem, at the missing field;
  /// the existing fields are kept.
  @Test(arguments: smpFixtures)
  func everyPrefix(_ fixture: (bytes: String, words: String)) {
    let whole = hex(fixture.bytes)
    for count in 1..<whole.count {
      let bytes = l2cap(Array(whole.prefix(count)), cid: 6)
      let dissection = pdu(bytes)
      let found = problems(dissection)
      #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("tooShort@") }, "at \(count)")
      guard case .incomplete(let opcode, let data) = dissection.smp else {
        Issue.record("\(count) of \(fixture.bytes) is \(words(dissection.smp, of: bytes))")
        continue
      }
      #expect(opcode.rawValue == whole[0])
      #expect(data == Slice(start: 5, count: count - 1))
      // Truncation by the capture is not the sender's error.
      let cut = Array(l2cap(whole, cid: 6).prefix(4 + count))
      #expect(problems(pdu(cut, isTruncated: true)) == [])
    }
  }

  @Test func whereAFieldIsMissing() {
    #expect(problems(pdu(l2cap(hex("01 01 00 2d"), cid: 6))) == ["tooShort@8(1,0)"])
    #expect(problems(pdu(l2cap(hex("09 01 56 34"), cid: 6))) == ["tooShort@6(6,2)"])
    #expect(problems(pdu(l2cap(hex("0c \(coordinate(1)) 02"), cid: 6))) == ["tooShort@37(32,1)"])
    let empty = pdu(l2cap([], cid: 6))
    #expect(problems(empty) == ["tooShort@4(1,0)"] && empty.smp == nil)
  }

  @Test(arguments: smpFixtures)
  func whatIsLeftOver(_ fixture: (bytes: String, words: String)) {
    let whole = hex(fixture.bytes)
    let bytes = l2cap(whole + [0xaa, 0xbb], cid: 6)
    let dissection = pdu(bytes)
    #expect(words(dissection.smp, of: bytes) == fixture.words)
    #expect(problems(dissection) == ["leftOver@\(4 + whole.count)(2,0)"])
    #expect(
      dissection.smp?.rest(of: dissection.body) == Slice(start: 4 + whole.count, count: 2))
  }

  @Test func anUnknownOpcode() {
    let bytes = l2cap(hex("0f 11 22"), cid: 6)
    let dissection = pdu(bytes)
    #expect(words(dissection.smp, of: bytes) == "0x0f unknown 11 22")
    #expect(problems(dissection) == ["unknownOpcode@4(15,0)"])
  }

  /// bumble's SMP_…_ERROR constants, in the specification's spelling.
  @Test func everyReason() {
    let names = [
      "Passkey Entry Failed", "OOB Not Available", "Authentication Requirements",
      "Confirm Value Failed", "Pairing Not Supported", "Encryption Key Size",
      "Command Not Supported", "Unspecified Reason", "Repeated Attempts", "Invalid Parameters",
      "DHKey Check Failed", "Numeric Comparison Failed", "BR/EDR Pairing in Progress",
      "Cross-transport Key Derivation/Generation Not Allowed", "Key Rejected", "Busy",
    ]
    for (index, name) in names.enumerated() {
      let bytes = l2cap([5, UInt8(index + 1)], cid: 6)
      #expect(words(pdu(bytes).smp, of: bytes) == "Pairing Failed \(name)")
    }
    #expect(PairingFailure(rawValue: 0).name == nil && PairingFailure(rawValue: 0x11).name == nil)
  }

  @Test func theDebugKey() {
    func isDebugKey(_ x: [UInt8], _ y: [UInt8]) -> Bool? {
      let bytes = l2cap([0x0c] + x + y, cid: 6)
      guard case .publicKey(let key) = pdu(bytes).smp else { return nil }
      return key.isDebugKey(bytes.bytes)
    }
    let x = Array(hex(debugKey.x).reversed())
    let y = Array(hex(debugKey.y).reversed())
    #expect(isDebugKey(x, y) == true)
    for index in x.indices {
      var other = x
      other[index] ^= 1
      #expect(isDebugKey(other, y) == false, "byte \(index)")
    }
  }

  @Test func authReqBits() {
    let all = AuthReq(rawValue: 0x3d)
    #expect(all.bonds && all.wantsMITM && all.supportsSC && all.hasKeypresses && all.supportsCT2)
    let none = AuthReq(rawValue: 0xc2)
    #expect(
      !none.bonds && !none.wantsMITM && !none.supportsSC && !none.hasKeypresses
        && !none.supportsCT2)
  }
}
