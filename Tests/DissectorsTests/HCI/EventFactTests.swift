import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// An event: all its bytes, and what it reports.
private struct FactFixture: CustomTestStringConvertible, Sendable {
  let name: String
  let code: UInt8
  let parameters: [UInt8]
  let words: String
  /// The minimum number of parameter bytes, if that is tested.
  let least: Int?

  init(
    _ name: String, _ code: UInt8, _ parameters: String, _ words: String, least: Int? = nil
  ) {
    (self.name, self.code, self.parameters) = (name, code, hex(parameters))
    (self.words, self.least) = (words, least)
  }

  /// Returns what the event reports if it has only its first `count` parameter bytes.
  func found(first count: Int) -> String {
    let bytes = [code, UInt8(count)] + parameters.prefix(count)
    var dissection = Dissection()
    dissection.read(.event, bytes.bytes, isTruncated: false)
    return DissectorsTests.words(dissection.fact, bytes)
  }

  var testDescription: String { name }
}

private let key = "10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f"
private let keyDigits = "101112131415161718191a1b1c1d1e1f"
private let address6 = "66 55 44 33 22 c1"

// The parameters are laid out by hand after Core, Vol 4, Part E, 7.7, with a different value for
// each number.
private let fixtures = [
  FactFixture("Command Complete", 0x0e, "03 09 10 00 aa", "complete 1009, 3 allowed, 0: 00 aa"),
  FactFixture(
    "Command Complete without return parameters", 0x0e, "01 00 00", "complete 0000, 1 allowed, -: "),
  FactFixture("Command Status", 0x0f, "0c 02 0d 20", "status 200d, 2 allowed, 12"),
  FactFixture(
    "Number Of Completed Packets", 0x13, "02 40 f0 03 00 41 00 00 01", "completed 0040 3, 0041 256"),
  FactFixture(
    "Number Of Completed Packets, the second link cut off", 0x13, "02 40 00 03 00 41",
    "completed 0040 3"),
  FactFixture("Hardware Error", 0x10, "42", "hardware error 66"),
  FactFixture("Hardware Error without its code", 0x10, "", "hardware error 0"),
  FactFixture(
    "Connection Complete", 0x03, "00 40 00 66 55 44 33 22 c1 01 00", "classic 0 0040 c12233445566 1"
  ),
  FactFixture(
    "Synchronous Connection Complete", 0x2c, "00 41 00 66 55 44 33 22 c1 02 00",
    "synchronous 0 0041 c12233445566 2"),
  FactFixture(
    "LE Connection Complete", 0x3e, "01 00 40 00 01 00 \(address6) 18 00 04 00 2a 00 05",
    "connection 0 0040 role 1, 0 c12233445566, -, -, 24 4 42", least: 18),
  FactFixture(
    "LE Enhanced Connection Complete", 0x3e,
    "0a 00 40 f0 01 01 \(address6) 01 00 00 00 00 40 02 00 00 00 00 40 18 00 04 00 2a 00 05",
    "connection 0 0040 role 1, 1 c12233445566, 400000000001, 400000000002, 24 4 42", least: 30),
  FactFixture(
    "LE Enhanced Connection Complete, version 2, without resolvable addresses", 0x3e,
    "29 00 40 00 00 00 \(address6) 00 00 00 00 00 00 00 00 00 00 00 00 18 00 04 00 2a 00 05",
    "connection 0 0040 role 0, 0 c12233445566, -, -, 24 4 42", least: 30),
  FactFixture("LE Connection Complete, cut off", 0x3e, "01 00 40 00 01 00 66", "other"),
  FactFixture("Disconnection Complete", 0x05, "00 40 f0 13", "disconnection 0 0040 19"),
  FactFixture(
    "Disconnection Complete without its reason", 0x05, "0c 40 00", "disconnection 12 0040 -"),
  FactFixture("Role Change", 0x12, "00 66 55 44 33 22 c1 01", "role 0 c12233445566 1"),
  FactFixture("LE CIS Request", 0x3e, "1a 40 f0 60 f0 01 02", "stream request 0040 0060"),
  FactFixture("LE CIS Established", 0x3e, "19 00 60 00", "stream 0 0060"),
  FactFixture("LE CIS Established, version 2", 0x3e, "2a 3e 60 00", "stream 62 0060"),
  FactFixture(
    "LE Connection Update Complete", 0x3e, "03 00 40 00 18 00 04 00 2a 00", "update 0 0040 24 4 42"),
  FactFixture(
    "LE Remote Connection Parameter Request", 0x3e, "06 40 00 06 00 0c 00 04 00 f4 01",
    "parameter request 0040 6"),
  FactFixture(
    "LE Remote Connection Parameter Request without parameters", 0x3e, "06 40 00",
    "parameter request 0040 -"),
  FactFixture(
    "LE Data Length Change", 0x3e, "07 40 f0 fb 00 48 08 1b 00 48 01",
    "length 0040 251 2120 27 328", least: 11),
  FactFixture(
    "LE PHY Update Complete", 0x3e, "0c 1a 40 f0 02 03", "phys 26 0040 2 3", least: 6),
  FactFixture(
    "LE Subrate Change", 0x3e, "23 00 40 00 02 00 03 00 04 00 2a 00", "subrate 0 0040 2 3 4 42"),
  FactFixture(
    "LE Read Remote Features Complete", 0x3e, "04 00 40 00 08 07 06 05 04 03 02 01",
    "features 0 0040 0102030405060708"),
  FactFixture(
    "LE Read Remote Features Complete, which failed", 0x3e, "04 1a 40 00", "features 26 0040 -"),
  FactFixture(
    "Read Remote Version Information Complete", 0x0c, "00 40 00 0c 5d 01 34 12",
    "version 0 0040 015d"),
  FactFixture(
    "Read Remote Version Information Complete, which failed", 0x0c, "22 40 00", "version 34 0040 -"),
  FactFixture("Encryption Change", 0x08, "00 40 00 02", "encryption 0 0040 2 - true"),
  FactFixture("Encryption Change: off", 0x08, "00 40 00 00", "encryption 0 0040 0 - false"),
  FactFixture("Encryption Change without its end", 0x08, "06 40 00", "encryption 6 0040 - - -"),
  FactFixture(
    "Encryption Change, version 2", 0x59, "00 40 00 01 10", "encryption 0 0040 1 16 true"),
  FactFixture("Encryption Key Refresh Complete", 0x30, "00 40 00", "encryption 0 0040 - - true"),
  FactFixture("Authentication Complete", 0x06, "05 40 00", "authentication 5 0040"),
  FactFixture(
    "LE Long Term Key Request", 0x3e, "05 40 f0 08 07 06 05 04 03 02 01 34 12",
    "key request 0040 0102030405060708 1234", least: 3),
  FactFixture(
    "LE Long Term Key Request, cut off", 0x3e, "05 40 00 08 07 06",
    "key request 0040 0000000000000000 0000"),
  FactFixture("Number Of Completed Packets without a count", 0x13, "", "completed "),
  FactFixture(
    "Link Key Notification", 0x18, "\(address6) \(key) 05",
    "link key c12233445566 \(keyDigits) 5", least: 6),
  FactFixture(
    "Link Key Notification, the key cut off", 0x18, "66 55 44 33 22 c1 01 02",
    "link key c12233445566 - -"),
  FactFixture(
    "LE Generate DHKey Complete", 0x3e, "09 00 \(key) \(key)", "secret 0 \(keyDigits)\(keyDigits)",
    least: 34),
  FactFixture("LE Scan Timeout", 0x3e, "11", "scan timeout"),
  FactFixture("LE Advertising Set Terminated", 0x3e, "12 43 05 00 00 00", "terminated 67 5"),
  FactFixture(
    "LE Periodic Advertising Sync Established", 0x3e,
    "0e 00 07 00 03 01 66 55 44 33 22 c1 01 18 00 05", "sync 0 7 3 c12233445566 false"),
  FactFixture(
    "LE Periodic Advertising Sync Transfer Received", 0x3e,
    "18 00 40 00 00 00 07 00 03 01 66 55 44 33 22 c1 01 18 00 05", "sync 0 7 3 c12233445566 true"),
  FactFixture("LE Periodic Advertising Sync Lost", 0x3e, "10 07 00", "sync lost 7"),
  FactFixture("LE Meta event without a subevent", 0x3e, "", "other"),
  FactFixture("LE Advertising Report", 0x3e, "02 00", "other"),
  FactFixture("Inquiry Complete", 0x01, "00", "other"),
]

private func words(_ fact: EventFact, _ bytes: [UInt8]) -> String {
  func number<T: BinaryInteger>(_ value: T?) -> String { value.map { "\($0)" } ?? "-" }
  return switch fact {
  case .other: "other"
  case .commandComplete(let event):
    "complete \(digits(event.opcode, 4)), \(event.credits) allowed, \(number(event.status?.rawValue)): "
      + bytes.bytes.part(event.returns).array.map { digits($0, 2) }.joined(separator: " ")
  case .commandStatus(let event):
    "status \(digits(event.opcode, 4)), \(event.credits) allowed, \(event.status.rawValue)"
  case .completedPackets(let event):
    "completed "
      + (0..<event.count).map { event.link($0, bytes.bytes) }
      .map { "\(digits($0.handle, 4)) \($0.packets)" }.joined(separator: ", ")
  case .hardwareError(let code): "hardware error \(code)"
  case .classicConnection(let event):
    "classic \(event.status.rawValue) \(digits(event.handle, 4)) \(text(event.peer)) \(event.linkType)"
  case .synchronousConnection(let event):
    "synchronous \(event.status.rawValue) \(digits(event.handle, 4)) \(text(event.peer)) \(event.linkType)"
  case .connection(let event):
    "connection \(event.status.rawValue) \(digits(event.handle, 4)) role \(event.role), \(event.peerType.rawValue) \(text(event.peer)), \(text(event.localResolvable)), \(text(event.peerResolvable)), \(event.interval) \(event.latency) \(event.supervisionTimeout)"
  case .disconnection(let event):
    "disconnection \(event.status.rawValue) \(digits(event.handle, 4)) \(number(event.reason?.rawValue))"
  case .roleChange(let event):
    "role \(event.status.rawValue) \(text(event.peer)) \(event.role)"
  case .streamRequest(let event):
    "stream request \(digits(event.connection, 4)) \(digits(event.stream, 4))"
  case .stream(let event): "stream \(event.status.rawValue) \(digits(event.handle, 4))"
  case .connectionUpdate(let event):
    "update \(event.status.rawValue) \(digits(event.handle, 4)) \(event.interval) \(event.latency) \(event.supervisionTimeout)"
  case .parameterRequest(let event):
    "parameter request \(digits(event.handle, 4)) \(number(event.wanted?.intervalMin))"
  case .dataLength(let event):
    "length \(digits(event.handle, 4)) \(event.sent) \(event.sentTime) \(event.received) \(event.receivedTime)"
  case .phys(let event):
    "phys \(event.status.rawValue) \(digits(event.handle, 4)) \(event.sent) \(event.received)"
  case .subrate(let event):
    "subrate \(event.status.rawValue) \(digits(event.handle, 4)) \(event.factor) \(event.latency) \(event.continuation) \(event.supervisionTimeout)"
  case .remoteFeatures(let event):
    "features \(event.status.rawValue) \(digits(event.handle, 4)) \(event.features.map { digits($0, 16) } ?? "-")"
  case .remoteVersion(let event):
    "version \(event.status.rawValue) \(digits(event.handle, 4)) \(event.company.map { digits($0, 4) } ?? "-")"
  case .encryption(let event):
    "encryption \(event.status.rawValue) \(digits(event.handle, 4)) \(number(event.enabled)) \(number(event.keySize)) \(event.isOn.map { "\($0)" } ?? "-")"
  case .authentication(let event):
    "authentication \(event.status.rawValue) \(digits(event.handle, 4))"
  case .keyRequest(let event):
    "key request \(digits(event.handle, 4)) \(digits(event.rand, 16)) \(digits(event.ediv, 4))"
  case .sharedSecret(let event):
    "secret \(event.status.rawValue) \(keyText(bytes, event.key))"
  case .linkKey(let event):
    "link key \(text(event.peer)) \(keyText(bytes, event.key)) \(number(event.type?.rawValue))"
  case .scanTimeout: "scan timeout"
  case .setTerminated(let event): "terminated \(event.status.rawValue) \(event.set.handle)"
  case .periodicSync(let event):
    "sync \(event.status.rawValue) \(event.handle) \(event.sid) \(text(event.address)) \(event.isTransferred)"
  case .periodicSyncLost(let handle): "sync lost \(handle)"
  }
}

@Suite("What events report") struct EventFactTests {
  @Test(arguments: fixtures) private func fact(_ fixture: FactFixture) {
    #expect(fixture.found(first: fixture.parameters.count) == fixture.words, "\(fixture.name)")
    guard let least = fixture.least else { return }
    for count in 0..<fixture.parameters.count {
      let isOther = fixture.found(first: count) == "other"
      #expect(isOther == (count < least), "\(fixture.name): the first \(count) bytes")
    }
  }

  @Test("The next packet does not keep it") func cleared() {
    var dissection = Dissection()
    dissection.read(.event, hex("10 01 42").bytes, isTruncated: false)
    dissection.clear()
    dissection.read(.command, hex("03 0c 00").bytes, isTruncated: false)
    #expect(words(dissection.fact, []) == "other")
  }
}
