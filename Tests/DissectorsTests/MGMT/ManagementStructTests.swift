// The structs of management records. The bytes are laid out by hand after the structures of BlueZ's
// lib/bluetooth/mgmt.h, with a different value for each number.

import Bluetooth
import Bytes
import Testing

@testable import Dissectors

private let key16 = "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"
private let keyDigits = "000102030405060708090a0b0c0d0e0f"
private let address6 = "66 55 44 33 22 c1"

private func text(_ device: ManagementDevice) -> String {
  "\(text(device.address)) \(device.type.rawValue)"
}

private let fixtures: [StructFixture] = [
  StructFixture("a device of BR/EDR", "\(address6) 00", "c12233445566 0") {
    var cursor = Cursor($0.bytes)
    return text(try ManagementDevice(parsing: &cursor))
  },
  StructFixture("a device of LE with a public address", "\(address6) 01", "c12233445566 0") {
    var cursor = Cursor($0.bytes)
    return text(try ManagementDevice(parsing: &cursor))
  },
  StructFixture("a device of LE with a random address", "\(address6) 02", "c12233445566 1") {
    var cursor = Cursor($0.bytes)
    return text(try ManagementDevice(parsing: &cursor))
  },
  StructFixture(
    "User Confirmation Request", "\(address6) 02 00 40 e2 01 00", least: 8, "c12233445566 1, 0 true"
  ) {
    var cursor = Cursor($0.bytes)
    let entries = try UserConfirmationRequest(parsing: &cursor)
    return "\(text(entries.device)), \(entries.hint) \(entries.comparesDigits)"
  },
  StructFixture(
    "User Confirmation Request that compares nothing", "\(address6) 02 01 00 00 00 00", least: 8,
    "false"
  ) {
    var cursor = Cursor($0.bytes)
    return "\(try UserConfirmationRequest(parsing: &cursor).comparesDigits)"
  },
]

/// Describes the keys of a record.
private func keys(_ code: UInt16, _ parameters: [UInt8], isEvent: Bool) -> [String]? {
  let bytes = [1, 0, 0, 0] + little(Int(code)) + parameters
  let dissection = Dissection(
    monitor: isEvent ? 17 : 16, bytes.bytes, isTruncated: false)
  guard case .control(let control) = dissection.content,
    var keys = ManagementKeys(control, bytes.bytes, dissection.body)
  else { return nil }
  var entries: [String] = []
  while let key = keys.next(bytes.bytes) {
    switch key {
    case .link(let key):
      entries.append(
        "link \(text(key.device)): \(key.type.rawValue) \(keyText(bytes, key.key)) \(key.pinLength)"
      )
    case .longTerm(let key):
      entries.append(
        "long term \(text(key.device)): \(key.type) \(key.isCentral) \(key.size) \(digits(key.ediv, 4)) \(digits(key.rand, 16)) \(keyText(bytes, key.key))"
      )
    case .identityResolving(let key):
      entries.append("identity \(text(key.device)): \(keyText(bytes, key.key))")
    case .signatureResolving(let key):
      entries.append(
        "signature \(text(key.device)): \(key.isPeers) \(key.isAuthenticated) \(keyText(bytes, key.key))"
      )
    }
  }
  return entries
}

/// Records with keys: the code, whether it is an event, the bytes before the keys, one key, and its
/// expected description.
private let keyRecords:
  [(code: UInt16, isEvent: Bool, head: String, key: String, entries: String)] = [
    (
      ManagementCommand.loadLinkKeys, false, "01 02 00", "\(address6) 00 08 \(key16) 04",
      "link c12233445566 0: 8 \(keyDigits) 4"
    ),
    (
      ManagementEvent.newLinkKey, true, "01", "\(address6) 00 08 \(key16) 04",
      "link c12233445566 0: 8 \(keyDigits) 4"
    ),
    (
      ManagementCommand.loadLongTermKeys, false, "02 00",
      "\(address6) 01 03 01 10 34 12 08 07 06 05 04 03 02 01 \(key16)",
      "long term c12233445566 0: 3 true 16 1234 0102030405060708 \(keyDigits)"
    ),
    (
      ManagementEvent.newLongTermKey, true, "01",
      "\(address6) 02 00 00 07 34 12 08 07 06 05 04 03 02 01 \(key16)",
      "long term c12233445566 1: 0 false 7 1234 0102030405060708 \(keyDigits)"
    ),
    (
      ManagementCommand.loadIdentityResolvingKeys, false, "02 00", "\(address6) 02 \(key16)",
      "identity c12233445566 1: \(keyDigits)"
    ),
    (
      ManagementEvent.newIdentityResolvingKey, true, "01 01 02 03 04 05 46",
      "\(address6) 02 \(key16)", "identity c12233445566 1: \(keyDigits)"
    ),
    (
      ManagementEvent.newSignatureResolvingKey, true, "01", "\(address6) 01 02 \(key16)",
      "signature c12233445566 0: false true \(keyDigits)"
    ),
    (
      ManagementEvent.newSignatureResolvingKey, true, "01", "\(address6) 01 01 \(key16)",
      "signature c12233445566 0: true false \(keyDigits)"
    ),
  ]

@Suite struct ManagementStructTests {
  @Test(arguments: fixtures) func structs(_ fixture: StructFixture) throws { try fixture.check() }

  /// Two keys, truncated at each length: only complete keys are returned, and nothing traps.
  @Test(arguments: keyRecords)
  func keysOfRecords(
    _ record: (code: UInt16, isEvent: Bool, head: String, key: String, entries: String)
  ) {
    let (head, key) = (hex(record.head), hex(record.key))
    let whole = head + key + key
    for count in 0...whole.count {
      let entries = keys(record.code, Array(whole.prefix(count)), isEvent: record.isEvent)
      let expected =
        count < head.count
        ? nil : [String](repeating: record.entries, count: (count - head.count) / key.count)
      #expect(entries == expected, "\(digits(record.code, 4)), the first \(count) bytes")
    }
    // The same code of the other kind means something else.
    #expect(
      keys(record.code, whole, isEvent: !record.isEvent).map { $0 != [record.entries] } ?? true)
  }

  @Test func typesOfLongTermKeys() throws {
    for type in UInt8(0)...5 {
      let bytes = hex("\(address6) 01 0\(type) 00 10 00 00 00 00 00 00 00 00 00 00 \(key16)")
      var cursor = Cursor(bytes.bytes)
      let key = try ManagementLongTermKey(parsing: &cursor)
      let authenticated: Bool? = [0: false, 1: true, 2: false, 3: true][type]
      #expect(key.isAuthenticated == authenticated, "type \(type)")
      #expect(key.isLegacy == (type < 2), "type \(type)")
    }
  }

  @Test(arguments: [
    (ManagementCommand.loadLinkKeys, "Load Link Keys"),
    (ManagementCommand.loadLongTermKeys, "Load Long Term Keys"),
    (ManagementCommand.pairDevice, "Pair Device"),
    (ManagementCommand.cancelPairDevice, "Cancel Pair Device"),
    (ManagementCommand.unpairDevice, "Unpair Device"),
    (ManagementCommand.userConfirmationReply, "User Confirmation Reply"),
    (ManagementCommand.userConfirmationNegativeReply, "User Confirmation Negative Reply"),
    (ManagementCommand.userPasskeyReply, "User Passkey Reply"),
    (ManagementCommand.userPasskeyNegativeReply, "User Passkey Negative Reply"),
    (ManagementCommand.loadIdentityResolvingKeys, "Load Identity Resolving Keys"),
  ])
  func commandNames(_ code: UInt16, _ name: String) {
    let row = PDUTable.core.controlCommand(code).map { $0.name.description }
    #expect(row == name)
  }

  @Test(arguments: [
    (ManagementEvent.commandComplete, "Command Complete"),
    (ManagementEvent.commandStatus, "Command Status"),
    (ManagementEvent.newLinkKey, "New Link Key"),
    (ManagementEvent.newLongTermKey, "New Long Term Key"),
    (ManagementEvent.deviceConnected, "Device Connected"),
    (ManagementEvent.connectFailed, "Connect Failed"),
    (ManagementEvent.userConfirmationRequest, "User Confirmation Request"),
    (ManagementEvent.userPasskeyRequest, "User Passkey Request"),
    (ManagementEvent.authenticationFailed, "Authentication Failed"),
    (ManagementEvent.deviceFound, "Device Found"),
    (ManagementEvent.discovering, "Discovering"),
    (ManagementEvent.passkeyNotify, "Passkey Notify"),
    (ManagementEvent.newIdentityResolvingKey, "New Identity Resolving Key"),
    (ManagementEvent.newSignatureResolvingKey, "New Signature Resolving Key"),
    (ManagementEvent.advertisingRemoved, "Advertising Removed"),
    (ManagementEvent.advertisementMonitorDeviceFound, "Advertisement Monitor Device Found"),
    (ManagementEvent.connectionSubrate, "Connection Subrate"),
  ])
  func eventNames(_ code: UInt16, _ name: String) {
    let row = PDUTable.core.controlEvent(code).map { $0.name.description }
    #expect(row == name)
  }
}
