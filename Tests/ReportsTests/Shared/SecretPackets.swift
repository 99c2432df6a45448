import Bluetooth
import Captures

/// Packets with a secret of the bytes `c0` to `cf` (and `b0` to `bf` if it is longer), so that no
/// piece of it can be in the output by chance.
struct SecretPackets {
  var name: String
  var records: [TestRecord]

  static let key: [UInt8] = (0xc0...0xcf).map { UInt8($0) }
  static let key2: [UInt8] = (0xb0...0xbf).map { UInt8($0) }
  static let address: [UInt8] = [1, 2, 3, 4, 5, 6]

  static let all: [SecretPackets] =
    commands + events + parts + returns + management + pairing + data + keyMaterial + profiled
    + provisioning

  private init(_ name: String, _ records: TestRecord...) {
    self.name = name
    self.records = records
  }

  // MARK: Commands and events

  private static func command(_ opcode: UInt16, _ parameters: [UInt8], length: Int? = nil)
    -> TestRecord
  {
    let code = [UInt8(opcode & 0xff), UInt8(opcode >> 8), UInt8(length ?? parameters.count)]
    return TestRecord(bytes: [1] + code + parameters)
  }

  private static func event(_ code: UInt8, _ parameters: [UInt8], length: Int? = nil) -> TestRecord
  {
    TestRecord(
      bytes: [4, code, UInt8(length ?? parameters.count)] + parameters, direction: .received)
  }

  private static let zeros = [UInt8](repeating: 0, count: 10)

  /// LE Enable Encryption: handle, random number, EDIV, key.
  private static let enableEncryption = [UInt8]([1, 0]) + zeros + key

  private static var cutEncryption: TestRecord {
    var record = command(0x2019, enableEncryption)
    record.bytes.removeLast(5)
    record.missing = 5
    return record
  }

  private static var commands: [SecretPackets] {
    [
      Self("LE Enable Encryption", command(0x2019, enableEncryption)),
      Self("… cut by the capture", cutEncryption),
      Self("… shorter than its layout", command(0x2019, enableEncryption.dropLast(3))),
      Self("… with bytes behind it", command(0x2019, enableEncryption + [9, 9])),
      Self("… whose length claims less", command(0x2019, enableEncryption, length: 20)),
      Self("… whose length claims more", command(0x2019, enableEncryption, length: 40)),
      Self(
        "… as an H1 record",
        TestRecord(bytes: [0x19, 0x20, 28] + enableEncryption, framing: .h1(.command))),
      Self(
        "… from the Linux monitor",
        TestRecord(bytes: [0x19, 0x20, 28] + enableEncryption, framing: .monitor(opcode: 2))),
      Self("LE Encrypt", command(0x2017, key + [UInt8](repeating: 0, count: 16))),
      Self("LE Long Term Key Request Reply", command(0x201a, [1, 0] + key)),
      Self("LE Add Device To Resolving List", command(0x2027, [1] + address + key + key2)),
      Self("Link Key Request Reply", command(0x040b, address + key)),
      Self("Create Physical Link", command(0x0435, [1, 16, 0] + key)),
      Self("… without its last byte", command(0x0435, [1, 16, 0] + key.dropLast())),
      Self("… with a length of nothing", command(0x0435, [1, 0, 0] + key)),
      Self("PIN Code Request Reply", command(0x040d, address + [16] + key)),
      Self("User Passkey Request Reply", command(0x042e, address + [0xc0, 0xc1, 0xc2, 0xc3])),
      Self("Remote OOB Data Request Reply", command(0x0430, address + key + key2)),
      Self("Write Stored Link Key", command(0x0c11, [1] + address + key)),
      Self("LE Create BIG", command(0x2068, [1, 0, 1] + zeros + [0, 0, 0, 0, 1] + key)),
      Self("Android LE RPA Offload", command(0xfd55, [2] + key + [0] + address)),
      Self("… without its last byte", command(0xfd55, [2] + key.dropLast())),
      Self("… of a subcommand that is not known", command(0xfd55, [9] + key)),
      Self(
        "Microsoft Extension, a monitor for an IRK",
        event(0x0e, [1, 0x01, 0x10, 0, 11, 0, 0, 11, 2, 0, 0, 0]),
        command(0xfc1e, [3, 0, 0, 0, 0, 3] + key)),
      // Nordic Semiconductor's controller, which has Zephyr's commands.
      Self(
        "Zephyr Read Key Hierarchy Roots",
        event(0x0e, [1, 0x01, 0x10, 0, 11, 0, 0, 11, 0x59, 0, 0, 0]),
        event(0x0e, [1, 0x0a, 0xfc, 0] + key + key2)),
      Self(
        "Zephyr Read Static Addresses",
        event(0x0e, [1, 0x01, 0x10, 0, 11, 0, 0, 11, 0xf1, 0x05, 0, 0]),
        event(0x0e, [1, 0x09, 0xfc, 0, 1] + address + key)),
      Self("LE BIG Create Sync", command(0x206b, [1, 0x40, 0, 1] + key + [0, 1, 0, 1, 1])),
      Self(
        "LE Set Advertising Data with a Security Manager TK value",
        command(0x2008, [18, 17, 0x10] + key + zeros + [0, 0, 0])),
    ]
  }

  private static var events: [SecretPackets] {
    [
      Self("Link Key Notification", event(0x18, address + key + [4])),
      Self("… without its last byte", event(0x18, address + key)),
      Self("Loopback Command", event(0x19, [0x19, 0x20, 28] + enableEncryption)),
      Self("Return Link Keys", event(0x15, [1] + address + key)),
      Self("User Passkey Notification", event(0x3b, address + [0xc0, 0xc1, 0xc2, 0xc3])),
      Self("LE Generate DHKey Complete", event(0x3e, [9, 0] + key + key2)),
      Self(
        "LE Advertising Report with a Secure Connections random value",
        event(0x3e, [2, 1, 0, 1] + address + [18, 17, 0x23] + key + [0xc4])),
      Self(
        "… that claims more than exists",
        event(0x3e, [2, 1, 0, 1] + address + [18, 27, 0x23] + key + [0xc4])),
      Self(
        "… in a report that claims more than there is",
        event(0x3e, [2, 1, 0, 1] + address + [28, 17, 0x23] + key)),
      Self(
        "A vendor's event that begins as one of Android's, with a Security Manager TK value",
        event(0xff, [0x56, 17, 0x10] + key)),
    ]
  }

  // MARK: Advertisements in parts

  /// Returns an LE Extended Advertising Report with a part of an advertisement's data.
  private static func report(_ data: ArraySlice<UInt8>, isLast: Bool, missing: Int = 0)
    -> TestRecord
  {
    let head: [UInt8] = [0x0d, 1, isLast ? 0 : 0x20, 0, 1] + address + [1, 1, 0, 0x7f, 0xec]
    var record = event(0x3e, head + zeros.prefix(9) + [UInt8(data.count)] + data)
    record.bytes.removeLast(missing)
    record.missing = missing
    return record
  }

  /// Returns a name, then a broadcast code, cut at `cuts`.
  private static func chain(_ name: String, _ cuts: Int..., missing: Int = 0, missingFirst: Int = 0)
    -> SecretPackets
  {
    let data: [UInt8] = [3, 9, 0x41, 0x42, 17, 0x2d] + key
    let edges = [0] + cuts + [data.count]
    var packets = Self(name)
    for (start, end) in zip(edges, edges.dropFirst()) {
      let isLast = end == data.count
      packets.records.append(
        report(
          data[start..<end], isLast: isLast,
          missing: isLast ? missing : start == 0 ? missingFirst : 0))
    }
    return packets
  }

  /// Returns LE Set Extended Advertising Data or LE Set Periodic Advertising Data: a part of a
  /// set's data.
  private static func set(_ opcode: UInt16, _ operation: UInt8, _ data: [UInt8]) -> TestRecord {
    let preference: [UInt8] = opcode == 0x203f ? [] : [1]
    return command(opcode, [1, operation] + preference + [UInt8(data.count)] + data)
  }

  private static var cutSet: TestRecord {
    var record = set(0x2037, 2, key)
    record.bytes.removeLast(5)
    record.missing = 5
    return record
  }

  private static var parts: [SecretPackets] {
    [
      chain("A broadcast code in the second of two parts", 6),
      chain("… the first of which ends with its length", 5),
      chain("… the first of which ends inside it", 12),
      chain("… in three parts", 8, 14),
      chain("… the last of which the capture cut", 8, missing: 3),
      chain("… the last of which the capture cut, not the first", 8, 14, missing: 1),
      chain("… the first of which the capture cut", 8, missingFirst: 2),
      Self(
        "LE Set Extended Advertising Data in parts", set(0x2037, 1, [17, 0x2d, 0xc0]),
        set(0x2037, 0, Array(key[1..<8])), set(0x2037, 2, Array(key[8...]))),
      Self("LE Set Extended Scan Response Data, the end", set(0x2038, 2, key)),
      Self("LE Set Periodic Advertising Data, the end", set(0x203f, 2, key)),
      Self("LE Set Extended Advertising Data with an unknown operation", set(0x2037, 9, key)),
      Self("… cut by the capture", cutSet),
      Self("… with bytes behind it", command(0x2037, [1, 0, 1, 2, 1, 1] + key)),
    ]
  }

  private static var returns: [SecretPackets] {
    [
      Self("LE Rand", event(0x0e, [1, 0x18, 0x20, 0] + key.prefix(8))),
      Self("Read Local OOB Data", event(0x0e, [1, 0x57, 0x0c, 0] + key + key2)),
      Self(
        "Read Local OOB Extended Data", event(0x0e, [1, 0x7d, 0x0c, 0] + key + key2 + key + key2)),
    ]
  }

  // MARK: Management

  private static func control(_ code: UInt16, _ parameters: [UInt8], isEvent: Bool = false)
    -> TestRecord
  {
    TestRecord(
      bytes: [1, 0, 0, 0, UInt8(code & 0xff), UInt8(code >> 8)] + parameters,
      framing: .monitor(opcode: isEvent ? 17 : 16))
  }

  /// The length of AD structures (2 bytes), then one: an LE Secure Connections Random Value.
  private static let oobData: [UInt8] = [18, 0, 17, 0x23] + key

  private static var cutKeys: TestRecord {
    var record = control(0x13, [1, 0] + address + [1, 0, 0, 16] + zeros + key)
    record.bytes.removeLast(5)
    record.missing = 5
    return record
  }

  private static var management: [SecretPackets] {
    [
      Self("Load Link Keys", control(0x12, [0, 1, 0] + address + [0, 4] + key + [16])),
      Self(
        "Load Long Term Keys",
        control(0x13, [1, 0] + address + [1, 0, 0, 16] + zeros + key)),
      Self(
        "… of a layout that is not the kernel's",
        control(0x13, [1, 0] + address + [1, 0, 0, 16, 0, 0] + key)),
      Self(
        "… that claims less than it has",
        control(0x13, [0, 0] + address + [1, 0, 0, 16] + zeros + key)),
      Self("… cut by the capture", cutKeys),
      Self("Load Identity Resolving Keys", control(0x30, [1, 0] + address + [1] + key)),
      Self("Set Privacy", control(0x2f, [1] + key)),
      Self("Set Blocked Keys", control(0x46, [1, 0, 2] + key)),
      Self(
        "HCI Command Sync", control(0x5b, [0x19, 0x20, 0x0e, 10, 28, 0] + enableEncryption)),
      Self(
        "… without a byte of its head", control(0x5b, [0x19, 0x20, 0, 28, 0] + enableEncryption)),
      Self(
        "Command Complete of HCI Command Sync",
        control(0x01, [0x5b, 0, 0, 0] + key, isEvent: true)),
      Self("Add Remote OOB Data", control(0x21, address + [1] + key + key2)),
      Self("… with both pairs", control(0x21, address + [1] + key + key2 + key + key2)),
      Self("… without its last byte", control(0x21, address + [1] + key + key2.dropLast())),
      Self("PIN Code Reply", control(0x16, address + [0, 16] + key)),
      Self("User Passkey Reply", control(0x1e, address + [1, 0xc0, 0xc1, 0xc2, 0xc3])),
      Self(
        "Passkey Notify",
        control(0x17, address + [1, 0xc0, 0xc1, 0xc2, 0xc3, 0], isEvent: true)),
      Self(
        "… without its last byte", control(0x17, address + [1, 0xc0, 0xc1, 0xc2], isEvent: true)),
      Self(
        "Device Found with a Secure Connections random value",
        control(0x12, address + [1, 0xc4] + zeros.prefix(4) + oobData, isEvent: true)),
      Self(
        "… whose length claims less",
        control(
          0x12, address + [1, 0xc4] + zeros.prefix(4) + [2, 0] + oobData.dropFirst(2),
          isEvent: true)),
      Self(
        "… whose length claims more",
        control(
          0x12, address + [1, 0xc4] + zeros.prefix(4) + [40, 0] + oobData.dropFirst(2),
          isEvent: true)),
      Self(
        "Device Connected with one",
        control(0x0b, address + zeros.prefix(5) + oobData, isEvent: true)),
      Self(
        "Add Advertising with a Security Manager TK value in the scan response",
        control(0x3e, [1] + zeros.prefix(8) + [3, 18, 2, 10, 0, 17, 0x10] + key)),
      Self("Add Extended Advertising Data", control(0x55, [1, 18, 0, 17, 0x2d] + key)),
      Self(
        "Local Out Of Band Extended Data Updated",
        control(0x22, [6] + oobData, isEvent: true)),
      Self(
        "Command Complete of Read Local Out Of Band Extended Data",
        control(0x01, [0x3b, 0, 0, 6] + oobData, isEvent: true)),
      Self("New Link Key", control(0x09, [1] + address + [0, 4] + key + [16], isEvent: true)),
      Self(
        "New Long Term Key",
        control(0x0a, [1] + address + [1, 0, 0, 16] + zeros + key, isEvent: true)),
      Self("… shorter than its layout", control(0x0a, [1] + address + zeros + key, isEvent: true)),
      Self(
        "New Identity Resolving Key",
        control(0x18, [1] + address + address + [1] + key, isEvent: true)),
      Self("… longer than its layout", control(0x18, [1] + address + zeros + key, isEvent: true)),
      Self(
        "New Signature Resolving Key", control(0x19, [1] + address + [1, 0] + key, isEvent: true)),
      Self(
        "… with bytes behind it", control(0x19, [1] + address + [1, 0, 0, 0] + key, isEvent: true)),
      Self(
        "Command Complete of Read Local OOB Data",
        control(0x01, [0x20, 0, 0] + key + key2, isEvent: true)),
    ]
  }

  // MARK: Pairing

  /// Returns ACL data in pieces of these sizes; the last record has the rest.
  private static func acl(_ pdu: [UInt8], pieces: [Int] = [], behind: [UInt8] = [])
    -> [TestRecord]
  {
    var rest = pdu[...]
    var records: [TestRecord] = []
    for count in pieces + [pdu.count - pieces.reduce(0, +)] {
      let piece = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      let flags: UInt8 = records.isEmpty ? 0x00 : 0x10
      records.append(TestRecord(bytes: [2, 1, flags, UInt8(piece.count), 0] + piece + behind))
    }
    return records
  }

  private static func identity(_ key: [UInt8]) -> [UInt8] { [17, 0, 6, 0, 8] + key }

  private static func pairing(_ name: String, _ records: [TestRecord]) -> SecretPackets {
    var packets = Self(name)
    packets.records = records
    return packets
  }

  private static var pairing: [SecretPackets] {
    var framed = acl(identity(key))
    framed[0].bytes.removeFirst()
    framed[0].framing = .h1(.acl)
    var monitored = framed
    monitored[0].framing = .monitor(opcode: 4)
    var cut = acl(identity(key))
    cut[0].bytes.removeLast(6)
    cut[0].missing = 6
    let keys: [(String, UInt8)] = [
      ("Encryption Information", 6), ("Signing Information", 0x0a),
    ]
    return keys.flatMap { name, opcode in
      [
        pairing(name, acl([17, 0, 6, 0, opcode] + key)),
        pairing("… in three fragments", acl([17, 0, 6, 0, opcode] + key, pieces: [4, 9])),
        pairing("… too short", acl([15, 0, 6, 0, opcode] + key.dropLast(2))),
        pairing("… too long", acl([19, 0, 6, 0, opcode] + key + [0xb0, 0xb1])),
      ]
    } + methods + [
      pairing("A key behind a Security Request", acl([18, 0, 6, 0, 0x0b, 1] + key)),
      pairing(
        "… in fragments that part inside the key",
        acl([18, 0, 6, 0, 0x0b, 1] + key, pieces: [12])),
      pairing("Identity Information", acl(identity(key))),
      pairing("… in two fragments", acl(identity(key), pieces: [10])),
      pairing("… cut inside the header", acl(identity(key), pieces: [3, 4, 5])),
      pairing("… without its beginning", [acl(identity(key), pieces: [6])[1]]),
      pairing("… never finished", [acl(identity(key), pieces: [15])[0]]),
      pairing("… header cut, never finished", [acl(identity(key), pieces: [3, 12])[1]]),
      pairing("… with bytes behind the packet", acl(identity(key), behind: [7, 7, 7, 7, 7, 7])),
      pairing("… whose ACL length is too small", shortLength(6)),
      pairing("… whose L2CAP length is too small", acl([9, 0, 6, 0, 8] + key)),
      pairing("… cut by the capture", cut),
      pairing("… as an H1 record", framed),
      pairing("… from the Linux monitor", monitored),
      pairing("… over BR/EDR", acl([17, 0, 7, 0, 8] + key)),
      pairing("Pairing Confirm", acl([17, 0, 6, 0, 3] + key)),
      pairing("Pairing Random", acl([17, 0, 6, 0, 4] + key)),
      pairing("an opcode that nobody has given out", acl([17, 0, 6, 0, 0xee] + key)),
    ]
  }

  /// Pairing Request, Pairing Response: IO capability, OOB data flag, AuthReq, then 16, 1, 1.
  private static func features(_ initiator: [UInt8], _ responder: [UInt8]) -> [TestRecord] {
    var records = acl([7, 0, 6, 0, 1] + initiator + [16, 1, 1])
    records += acl([7, 0, 6, 0, 2] + responder + [16, 1, 1])
    records[1].direction = .received
    return records
  }

  /// Confirm and random values of pairings with a passkey or out-of-band data, and of one whose
  /// method is not in the capture.
  private static var methods: [SecretPackets] {
    let values = acl([17, 0, 6, 0, 3] + key) + acl([17, 0, 6, 0, 4] + key)
    let legacy = features([2, 0, 5], [0, 0, 5])
    return [
      pairing("A legacy passkey pairing", legacy + values),
      pairing(
        "… in fragments",
        legacy + acl([17, 0, 6, 0, 3] + key, pieces: [7])
          + acl([17, 0, 6, 0, 4] + key, pieces: [2])),
      pairing("A passkey over Secure Connections", features([2, 0, 13], [0, 0, 13]) + values),
      pairing("A legacy pairing out of band", features([3, 1, 1], [3, 1, 1]) + values),
      pairing(
        "Just Works without its Pairing Response", [features([3, 0, 1], [3, 0, 1])[0]] + values),
      pairing(
        "Just Works, then another pairing's values",
        features([3, 0, 1], [3, 0, 1])
          + acl([2, 0, 6, 0, 5, 8]) + values),
    ]
  }

  /// Returns an Identity Information whose ACL header claims only `length` bytes.
  private static func shortLength(_ length: UInt8) -> [TestRecord] {
    var records = acl(identity(key))
    records[0].bytes[3] = length
    return records
  }

  private static var data: [SecretPackets] {
    var received = acl(identity(key), pieces: [12])
    for index in received.indices { received[index].direction = .received }
    return [pairing("Identity Information, received in two fragments", received)]
  }

  // MARK: ATT

  /// Returns an ATT PDU in one packet, or in fragments.
  private static func att(_ pdu: [UInt8], received: Bool = true, pieces: [Int] = []) -> [TestRecord]
  {
    var records = acl([UInt8(pdu.count), 0, 4, 0] + pdu, pieces: pieces)
    for index in records.indices { records[index].direction = received ? .received : .sent }
    return records
  }

  /// Returns the declaration in attribute 2 of a characteristic with a 16-bit UUID in attribute 3.
  private static func discovery(_ uuid: UInt16) -> [TestRecord] {
    att([0x08, 1, 0, 0xff, 0xff, 0x03, 0x28], received: false)
      + att([0x09, 7, 2, 0, 0x22, 3, 0, UInt8(uuid & 0xff), UInt8(uuid >> 8)])
  }

  /// Returns the declaration of a characteristic with a 128-bit UUID, whose value has the next
  /// handle.
  private static func discovery(high: UInt64, low: UInt64, at handle: UInt8 = 2) -> [TestRecord] {
    let uuid = [low, high].flatMap { half in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * $0)) }
    }
    return att([0x08, handle, 0, 0xff, 0xff, 0x03, 0x28], received: false)
      + att([0x09, 21, handle, 0, 0x0a, handle + 1, 0] + uuid)
  }

  /// A passphrase of a network that is written to Espressif's Provisioning Configuration, which is
  /// readable if the session has no security.
  private static var provisioning: [SecretPackets] {
    let discovered = discovery(high: 0x1775_ff52_6b43_439b, low: 0x877c_060f_2d9b_ed07)
    let setting: [UInt8] = [8, 2, 0x62, 24, 0x0a, 4, 0x68, 0x6f, 0x6d, 0x65, 0x12, 16] + key
    let session = discovery(high: 0x1775_ff51_6b43_439b, low: 0x877c_060f_2d9b_ed07, at: 4)
    return [
      pairing("A passphrase", discovered + att([0x12, 3, 0] + setting, received: false)),
      pairing(
        "… in a session without security",
        discovered + session + att([0x52, 5, 0, 0x52, 3, 0xa2, 1, 0], received: false)
          + att([0x12, 3, 0] + setting, received: false)),
    ]
  }

  /// Values that profiles define as secret, entirely or partly: a Set Identity Resolving Key
  /// (2b84), a Broadcast Code that is set (2bc7) and a wrong one (2bc8), an authorization code
  /// (2aa4), and values that are longer than their layout, or cut short.
  private static var profiled: [SecretPackets] {
    let code: [UInt8] = [4, 1] + key
    let source: [UInt8] = [1, 1, 1, 2, 3, 4, 5, 6, 3, 0xcc, 0xbb, 0xaa, 2, 3]
    return [
      pairing(
        "A Set Identity Resolving Key, read",
        discovery(0x2b84) + att([0x0a, 3, 0], received: false) + att([0x0b, 1] + key)),
      pairing("… notified", discovery(0x2b84) + att([0x1b, 3, 0, 1] + key)),
      pairing("… cut short", discovery(0x2b84) + att([0x1b, 3, 0, 1] + key.dropLast(4))),
      pairing("… with bytes behind it", discovery(0x2b84) + att([0x1b, 3, 0, 1] + key2 + key)),
      pairing("… in two fragments", discovery(0x2b84) + att([0x1b, 3, 0, 1] + key, pieces: [12])),
      pairing(
        "… read in parts",
        discovery(0x2b84) + att([0x0a, 3, 0], received: false)
          + att([0x0b, 1] + key + [0, 1, 2, 3, 4])
          + att([0x0c, 3, 0, 22, 0], received: false) + att([0x0d] + key)),
      pairing(
        "A Broadcast Code, written", discovery(0x2bc7) + att([0x12, 3, 0] + code, received: false)),
      pairing("… without response", discovery(0x2bc7) + att([0x52, 3, 0] + code, received: false)),
      pairing(
        "… prepared and executed",
        discovery(0x2bc7) + att([0x16, 3, 0, 0, 0] + code, received: false)
          + att([0x17, 3, 0, 0, 0] + code) + att([0x18, 1], received: false) + att([0x19])),
      pairing("… that was wrong", discovery(0x2bc8) + att([0x1b, 3, 0] + source + key + [0])),
      pairing(
        "… among several that are notified", discovery(0x2bc7) + att([0x23, 3, 0, 18, 0] + code)),
      pairing(
        "An authorization code", discovery(0x2aa4) + att([0x12, 3, 0, 3] + key, received: false)),
      pairing(
        "… refused",
        discovery(0x2aa4) + att([0x12, 3, 0, 3] + key, received: false)
          + att([0x01, 0x12, 3, 0, 0x80])),
    ]
  }

  /// Encrypted Data Key Material (2b88): a session key and its IV.
  private static var keyMaterial: [SecretPackets] {
    let discovery = discovery(0x2b88)
    let read = discovery + att([0x0a, 3, 0], received: false)
    return [
      pairing(
        "Encrypted Data Key Material, read by its type",
        att([0x08, 1, 0, 0xff, 0xff, 0x88, 0x2b], received: false) + att([0x09, 18, 3, 0] + key)),
      pairing("… read by its handle", read + att([0x0b] + key)),
      pairing("… read in two fragments", read + att([0x0b] + key, pieces: [10])),
      pairing(
        "… read from an offset",
        discovery + att([0x0c, 3, 0, 8, 0], received: false) + att([0x0d] + key)),
      pairing("… indicated", discovery + att([0x1d, 3, 0] + key)),
      pairing("… written", discovery + att([0x12, 3, 0] + key, received: false)),
      pairing(
        "… among several",
        discovery + att([0x0e, 3, 0, 5, 0], received: false) + att([0x0f] + key + [1])),
      pairing(
        "… among several of any length",
        discovery + att([0x20, 5, 0, 3, 0], received: false) + att([0x21, 1, 0, 7, 16, 0] + key)),
      pairing("… among several that are notified", discovery + att([0x23, 3, 0, 16, 0] + key)),
      pairing("… read, but the request is missing", discovery + att([0x0b] + key)),
      pairing("… read in parts, but the request is missing", discovery + att([0x0d] + key)),
      pairing("… listed, but the request is missing", discovery + att([0x09, 18, 3, 0] + key)),
      pairing("… among several, but the request is missing", discovery + att([0x0f, 1, 2] + key)),
      pairing(
        "… listed as an attribute of another type",
        discovery + att([0x08, 1, 0, 0xff, 0xff, 0x00, 0x2a], received: false)
          + att([0x09, 18, 3, 0] + key)),
      pairing(
        "… as one answer of five that were open at once",
        discovery
          + [5, 7, 9, 3, 11].flatMap { att([0x0a, $0, 0], received: false) }
          + [5, 7, 9].flatMap { att([0x0b, $0]) } + att([0x0b] + key) + att([0x0b, 11])),
    ]
  }

  /// Returns the Write Request of a value to a discovered characteristic, and its response.
  static func writing(_ value: [UInt8], to uuid: UInt16) -> [TestRecord] {
    discovery(uuid) + att([0x12, 3, 0] + value, received: false)
  }
  static var writeResponse: [TestRecord] { att([0x13]) }

  /// Whole packets without a secret, and a key in the rest of the record: it is in no field, but in
  /// the record's bytes.
  static var behind: [SecretPackets] {
    [
      Self("A key behind a command", TestRecord(bytes: [1, 0x03, 0x0c, 0] + key)),
      Self(
        "A key after an event",
        TestRecord(bytes: [4, 0x0e, 4, 1, 0x03, 0x0c, 0] + key, direction: .received)),
      pairing("A key behind an ATT PDU", acl([3, 0, 4, 0, 0x0a, 3, 0], behind: key)),
    ]
  }
}
