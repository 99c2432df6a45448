// The structs of commands and returns that connection tracking reads: each field, and where
// truncated bytes are an error. The bytes are laid out by hand after Core, Vol 4, Part E, 7, with a
// different value for each number.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// A struct: the bytes of its parameters, its expected description, and its minimum size.
struct StructFixture: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  let least: Int
  let words: String
  let read: @Sendable ([UInt8]) throws -> String

  init(
    _ name: String, _ bytes: String, least: Int? = nil, _ words: String,
    _ read: @escaping @Sendable ([UInt8]) throws -> String
  ) {
    self.name = name
    self.bytes = hex(bytes)
    self.least = least ?? self.bytes.count
    self.words = words
    self.read = read
  }

  var testDescription: String { name }

  /// Checks the complete struct, and that every prefix below the minimum size throws.
  func check() throws {
    #expect(try read(bytes) == words, "\(name): all bytes")
    for count in 0..<bytes.count {
      let cut = Array(bytes.prefix(count))
      if count < least {
        #expect(throws: ParseError.self, "\(name): the first \(count) bytes") { try read(cut) }
      } else {
        #expect(throws: Never.self, "\(name): the first \(count) bytes") { try read(cut) }
      }
    }
  }
}

/// Returns the hexadecimal digits of a key, or `-` without a key.
func keyText(_ bytes: [UInt8], _ slice: Slice?) -> String {
  guard let slice else { return "-" }
  return bytes.bytes.part(slice).array.map { digits($0, 2) }.joined()
}

func text(_ address: DeviceAddress?) -> String {
  address.map { digits($0.value, 12) } ?? "-"
}

private func text(_ wanted: WantedParameters?) -> String {
  guard let wanted else { return "-" }
  return
    "\(wanted.intervalMin) to \(wanted.intervalMax), \(wanted.latency), \(wanted.timeout)"
}

private let key16 = "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"
private let keyDigits = "000102030405060708090a0b0c0d0e0f"
private let other16 = "10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f"
private let otherDigits = "101112131415161718191a1b1c1d1e1f"
private let address6 = "66 55 44 33 22 c1"
private let wanted8 = "18 00 28 00 04 00 2a 00"

private let commandFixtures: [StructFixture] = [
  StructFixture(
    "LE Create Connection", "60 00 30 00 00 01 \(address6) 02 \(wanted8) 00 00 00 00", least: 13,
    "policy 0, own 2, peer 1 c12233445566, phys 1, 48 of 96, 24 to 40, 4, 42",
    { try create(HCICommand.leCreateConnection, $0) }),
  StructFixture(
    "LE Create Connection with the accept list", "60 00 30 00 01 00 00 00 00 00 00 00 00",
    least: 13,
    "policy 1, own 0, peer 0 000000000000, phys 1, 48 of 96, -",
    { try create(HCICommand.leCreateConnection, $0) }),
  StructFixture(
    "LE Extended Create Connection on two PHYs",
    """
    00 03 01 \(address6) 05 60 00 30 00 \(wanted8) 00 00 00 00 61 00 31 00 \(wanted8) 00 00 00 00
    """, least: 14, "policy 0, own 3, peer 1 c12233445566, phys 5, 48 of 96, 24 to 40, 4, 42",
    { try create(HCICommand.leExtendedCreateConnection, $0) }),
  StructFixture(
    "LE Extended Create Connection, version 2",
    "07 02 01 03 01 \(address6) 04 60 00 30 00 \(wanted8) 00 00 00 00", least: 16,
    "policy 1, own 3, peer 1 c12233445566, phys 4, 48 of 96, 24 to 40, 4, 42",
    { try create(HCICommand.leExtendedCreateConnectionV2, $0) }),
  StructFixture("LE Add Device To Filter Accept List", "01 \(address6)", "1 c12233445566") {
    var cursor = Cursor($0.bytes)
    let pdu = try LEFilterAcceptListDevice(parsing: &cursor)
    return "\(pdu.type.rawValue) \(text(pdu.address))"
  },
  // Bits 12 to 15 of a handle are reserved.
  StructFixture("LE Connection Update", "40 f0 \(wanted8)", least: 2, "0040: 24 to 40, 4, 42") {
    var cursor = Cursor($0.bytes)
    let pdu = try LEConnectionParameterRequest(parsing: &cursor)
    return "\(digits(pdu.handle, 4)): \(text(pdu.wanted))"
  },
  StructFixture("LE Remote Connection Parameter Request Negative Reply", "40 f0 3b", "0040: 3b") {
    var cursor = Cursor($0.bytes)
    let pdu = try LEConnectionParameterNegativeReply(parsing: &cursor)
    return "\(digits(pdu.handle, 4)): \(digits(pdu.reason.rawValue, 2))"
  },
  StructFixture("Create Connection", "\(address6) 18 cc 01 00 00 00 01", least: 6, "c12233445566") {
    var cursor = Cursor($0.bytes)
    return text(try CreateConnection(parsing: &cursor).peer)
  },
  StructFixture("LE Encrypt", "\(key16) \(other16)", least: 16, keyDigits) {
    var cursor = Cursor($0.bytes)
    return keyText($0, try LEEncrypt(parsing: &cursor).key)
  },
  StructFixture(
    "LE Enable Encryption", "40 f0 08 07 06 05 04 03 02 01 34 12 \(key16)", least: 12,
    "0040: 0102030405060708 1234 \(keyDigits)"
  ) {
    var cursor = Cursor($0.bytes)
    let pdu = try LEEnableEncryption(parsing: &cursor)
    return
      "\(digits(pdu.handle, 4)): \(digits(pdu.rand, 16)) \(digits(pdu.ediv, 4)) \(keyText($0, pdu.key))"
  },
  StructFixture(
    "LE Enable Encryption, its key cut off", "40 00 08 07 06 05 04 03 02 01 34 12 00 01", least: 12,
    "-"
  ) {
    var cursor = Cursor($0.bytes)
    return keyText($0, try LEEnableEncryption(parsing: &cursor).key)
  },
  StructFixture("LE Long Term Key Request Reply", "40 f0 \(key16)", "0040: \(keyDigits)") {
    var cursor = Cursor($0.bytes)
    let pdu = try LELongTermKeyRequestReply(parsing: &cursor)
    return "\(digits(pdu.handle, 4)): \(keyText($0, pdu.key))"
  },
  StructFixture(
    "LE Add Device To Resolving List", "01 \(address6) \(key16) \(other16)", least: 23,
    "1 c12233445566 \(keyDigits) \(otherDigits)", { try resolving($0) }),
  StructFixture(
    "LE Add Device To Resolving List, the second key cut off", "00 \(address6) \(key16) 10 11",
    least: 23, "0 c12233445566 \(keyDigits) -", { try resolving($0) }),
  StructFixture("Link Key Request Reply", "\(address6) \(key16)", "c12233445566 \(keyDigits)") {
    var cursor = Cursor($0.bytes)
    let pdu = try LinkKeyRequestReply(parsing: &cursor)
    return "\(text(pdu.peer)) \(keyText($0, pdu.key))"
  },
]

private func create(_ opcode: UInt16, _ bytes: [UInt8]) throws -> String {
  var cursor = Cursor(bytes.bytes)
  let pdu = try LECreateConnection(opcode, parsing: &cursor)
  #expect(pdu.usesAcceptList == (pdu.filterPolicy == 1))
  return
    "policy \(pdu.filterPolicy), own \(pdu.ownAddressType), peer \(pdu.peerType.rawValue) \(text(pdu.peer)), phys \(pdu.phys), \(pdu.scanWindow) of \(pdu.scanInterval), \(text(pdu.wanted))"
}

private func resolving(_ bytes: [UInt8]) throws -> String {
  var cursor = Cursor(bytes.bytes)
  let pdu = try LEResolvingListDevice(parsing: &cursor)
  return
    "\(pdu.type.rawValue) \(text(pdu.address)) \(keyText(bytes, pdu.peerKey)) \(keyText(bytes, pdu.localKey))"
}

private let returnFixtures: [StructFixture] = [
  StructFixture("Read BD_ADDR", "00 \(address6)", "0 c12233445566") {
    var cursor = Cursor($0.bytes)
    let pdu = try ReadBDADDRReturn(parsing: &cursor)
    return "\(pdu.status.rawValue) \(text(pdu.address))"
  },
  StructFixture(
    "Read Local Version Information", "00 0c 34 12 0d 5d 00 78 56", least: 7, "0: 12 1234 13 005d"
  ) {
    var cursor = Cursor($0.bytes)
    let pdu = try ReadLocalVersionInformationReturn(parsing: &cursor)
    return
      "\(pdu.status.rawValue): \(pdu.hciVersion) \(digits(pdu.hciRevision, 4)) \(pdu.lmpVersion) \(digits(pdu.company, 4))"
  },
  StructFixture("Read Encryption Key Size", "02 40 f0 07", "2: 0040 7") {
    var cursor = Cursor($0.bytes)
    let pdu = try ReadEncryptionKeySizeReturn(parsing: &cursor)
    return "\(pdu.status.rawValue): \(digits(pdu.handle, 4)) \(pdu.size)"
  },
]

@Suite struct HCIStructTests {
  @Test(arguments: commandFixtures) func commands(_ fixture: StructFixture) throws {
    try fixture.check()
  }

  @Test(arguments: returnFixtures) func returns(_ fixture: StructFixture) throws {
    try fixture.check()
  }

  /// Combination keys of P-192 and of P-256; the other types do not show whether a key is
  /// authenticated.
  @Test func linkKeyTypes() {
    for byte in UInt8.min...UInt8.max {
      let pdu = LinkKeyType(rawValue: byte).isAuthenticated
      let expected: Bool? = [4: false, 7: false, 5: true, 8: true][byte]
      #expect(pdu == expected, "type \(byte)")
    }
  }

  /// Compares the names in the code with those of the tables.
  @Test(arguments: [
    (HCICommand.inquiryCancel, "Inquiry Cancel"),
    (HCICommand.exitPeriodicInquiryMode, "Exit Periodic Inquiry Mode"),
    (HCICommand.createConnection, "Create Connection"),
    (HCICommand.disconnect, "Disconnect"),
    (HCICommand.linkKeyRequestReply, "Link Key Request Reply"),
    (HCICommand.linkKeyRequestNegativeReply, "Link Key Request Negative Reply"),
    (HCICommand.authenticationRequested, "Authentication Requested"),
    (HCICommand.setConnectionEncryption, "Set Connection Encryption"),
    (HCICommand.reset, "Reset"),
    (HCICommand.hostNumberOfCompletedPackets, "Host Number Of Completed Packets"),
    (HCICommand.readLocalVersionInformation, "Read Local Version Information"),
    (HCICommand.readBDADDR, "Read BD ADDR"),
    (HCICommand.readEncryptionKeySize, "Read Encryption Key Size"),
    (HCICommand.leSetRandomAddress, "LE Set Random Address"),
    (HCICommand.leSetAdvertisingParameters, "LE Set Advertising Parameters"),
    (HCICommand.leSetAdvertisingData, "LE Set Advertising Data"),
    (HCICommand.leSetAdvertisingEnable, "LE Set Advertising Enable"),
    (HCICommand.leSetScanParameters, "LE Set Scan Parameters"),
    (HCICommand.leSetScanEnable, "LE Set Scan Enable"),
    (HCICommand.leCreateConnection, "LE Create Connection"),
    (HCICommand.leCreateConnectionCancel, "LE Create Connection Cancel"),
    (HCICommand.leClearFilterAcceptList, "LE Clear Filter Accept List"),
    (HCICommand.leAddDeviceToFilterAcceptList, "LE Add Device To Filter Accept List"),
    (HCICommand.leRemoveDeviceFromFilterAcceptList, "LE Remove Device From Filter Accept List"),
    (HCICommand.leConnectionUpdate, "LE Connection Update"),
    (HCICommand.leEncrypt, "LE Encrypt"),
    (HCICommand.leEnableEncryption, "LE Enable Encryption"),
    (HCICommand.leLongTermKeyRequestReply, "LE Long Term Key Request Reply"),
    (HCICommand.leLongTermKeyRequestNegativeReply, "LE Long Term Key Request Negative Reply"),
    (
      HCICommand.leRemoteConnectionParameterRequestReply,
      "LE Remote Connection Parameter Request Reply"
    ),
    (
      HCICommand.leRemoteConnectionParameterRequestNegativeReply,
      "LE Remote Connection Parameter Request Negative Reply"
    ),
    (HCICommand.leAddDeviceToResolvingList, "LE Add Device To Resolving List"),
    (HCICommand.leSetAdvertisingSetRandomAddress, "LE Set Advertising Set Random Address"),
    (HCICommand.leSetExtendedAdvertisingParameters, "LE Set Extended Advertising Parameters"),
    (HCICommand.leSetExtendedAdvertisingEnable, "LE Set Extended Advertising Enable"),
    (HCICommand.leReadMaximumAdvertisingDataLength, "LE Read Maximum Advertising Data Length"),
    (HCICommand.leRemoveAdvertisingSet, "LE Remove Advertising Set"),
    (HCICommand.leSetPeriodicAdvertisingParameters, "LE Set Periodic Advertising Parameters"),
    (HCICommand.leSetPeriodicAdvertisingEnable, "LE Set Periodic Advertising Enable"),
    (HCICommand.leSetExtendedScanParameters, "LE Set Extended Scan Parameters"),
    (HCICommand.leSetExtendedScanEnable, "LE Set Extended Scan Enable"),
    (HCICommand.leExtendedCreateConnection, "LE Extended Create Connection"),
    (
      HCICommand.lePeriodicAdvertisingCreateSyncCancel,
      "LE Periodic Advertising Create Sync Cancel"
    ),
    (HCICommand.leSubrateRequest, "LE Subrate Request"),
    (HCICommand.leSetExtendedAdvertisingParametersV2, "LE Set Extended Advertising Parameters"),
    (HCICommand.leExtendedCreateConnectionV2, "LE Extended Create Connection"),
    (HCICommand.leSetPeriodicAdvertisingParametersV2, "LE Set Periodic Advertising Parameters"),
  ])
  func commandNames(_ opcode: UInt16, _ name: String) {
    let row = PDUTable.core.command(opcode).map { $0.name.description } ?? "none"
    // The tables distinguish versions.
    #expect(row == name || row == "\(name) [v2]", "\(digits(opcode, 4)) is \(row)")
  }

  @Test(arguments: [
    (HCIEvent.disconnectionCompleteCode, "Disconnection Complete"),
    (HCIEvent.authenticationCompleteCode, "Authentication Complete"),
    (
      HCIEvent.readRemoteSupportedFeaturesCompleteCode, "Read Remote Supported Features Complete"
    ),
    (
      HCIEvent.readRemoteVersionInformationCompleteCode, "Read Remote Version Information Complete"
    ),
    (HCIEvent.commandCompleteCode, "Command Complete"),
    (HCIEvent.commandStatusCode, "Command Status"),
    (HCIEvent.hardwareErrorCode, "Hardware Error"),
    (HCIEvent.numberOfCompletedPacketsCode, "Number Of Completed Packets"),
    (HCIEvent.linkKeyRequestCode, "Link Key Request"),
    (LinkKeyNotification.code, "Link Key Notification"),
  ])
  func eventNames(_ code: UInt8, _ name: String) {
    let row = PDUTable.core.event(code).map { $0.name.description } ?? "none"
    #expect(row == name, "\(digits(code, 2)) is \(row)")
  }

  @Test(arguments: [
    (LEConnectionComplete.version1, "LE Connection Complete"),
    (LEConnectionComplete.enhanced, "LE Enhanced Connection Complete"),
    (LEConnectionComplete.enhancedVersion2, "LE Enhanced Connection Complete"),
    (LEConnectionUpdateComplete.subevent, "LE Connection Update Complete"),
    (LERemoteFeatures.subevent, "LE Read Remote Features"),
    (LELongTermKeyRequest.subevent, "LE Long Term Key Request"),
    (LEConnectionParameterRequest.subevent, "LE Remote Connection Parameter Request"),
    (LEDataLengthChange.subevent, "LE Data Length Change"),
    (LEGenerateDHKeyComplete.subevent, "LE Generate DHKey Complete"),
    (LEPHYUpdateComplete.subevent, "LE PHY Update Complete"),
    (LESubrateChange.subevent, "LE Subrate Change"),
  ])
  func subeventNames(_ code: UInt8, _ name: String) {
    let row = PDUTable.core.subevent(code).map { $0.name.description } ?? "none"
    #expect(row.hasPrefix(name), "\(digits(code, 2)) is \(row)")
  }
}
