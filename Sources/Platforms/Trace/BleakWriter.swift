// Writes Python. Whatever comes from the capture is in ASCII: in a string with escapes, in a
// comment without anything that ends it, or as hexadecimal digits.

import Bluetooth
import Bytes
import Reports
import Sessions

/// Writes the functions of a script, one for each connection, and then what they need before them.
struct BleakWriter: ~Copyable {
  /// What the script does not do, and how often.
  struct Lacks: Sendable {
    var secrets = 0
    var unknown = 0
    var systems = 0
    var unanswered = 0
    var unexecuted = 0
    var parts = 0
    var multiple = 0
    var signed = 0
    var otherEnd = 0
    var more = 0
    var indications = 0
    /// The first packets about pairing or encryption.
    var pairings: [Int] = []
    var areAtOnce = false
    /// Whether the capture was recorded on the air.
    var isOnAir = false

    /// The number of operations that the script leaves out, unless the system does them.
    var operations: Int {
      secrets + unknown + unanswered + unexecuted + parts + multiple + signed + otherEnd
    }
  }

  /// How the script names a characteristic.
  private struct Expression {
    let text: String
    /// Whether it is the object that `find` returns, not the constant of a UUID.
    let isObject: Bool
  }

  /// A characteristic of a server, by its value's handle.
  private struct Place: Hashable {
    let server: UInt64
    let handle: UInt16
  }

  var lacks = Lacks()
  /// What profiles call attributes.
  private let titles: [BluetoothUUID: String]
  private var body = Output()
  private var connections: [Int] = []
  /// The names of the constants of UUIDs, in the order of their use.
  private var constants: [(name: String, uuid: BluetoothUUID)] = []
  private var names: [BluetoothUUID: String] = [:]
  /// How many constants are named after each title.
  private var titled: [String: Int] = [:]
  /// The handles of each server's values by their UUIDs, in order.
  private var twins: [UInt64: [BluetoothUUID: [UInt16]]] = [:]
  private var expressions: [Place: Expression] = [:]
  private var takesFind = false
  private var takesRefused = false
  private var takesReceived = false
  private var takesPause = false
  /// The number of statements that use a client.
  private var statements = 0
  /// The different devices that the script connects to.
  private var devices: Set<[UInt8]> = []
  /// The end of the last connection that was written.
  private var lastEnd: Timestamp?

  /// The number of bytes in a line of a long value, and of those that a comment shows.
  private static let lineBytes = 24
  private static let shownBytes = 20
  private static let mostCommentBytes = 100
  /// The least pause that is kept, in milliseconds.
  private static let leastPause: Int64 = 10

  var isEmpty: Bool { connections.isEmpty }

  /// Whether all that the script could do is left out.
  var replaysNothing: Bool { statements == 0 }

  init(titles: [BluetoothUUID: String]) { self.titles = titles }

  // MARK: Connections

  mutating func write(
    _ session: BleakScript.Session, pairing: Int?, _ names: [UInt64: [UInt8]],
    _ memory: borrowing Memory
  ) {
    let steps = session.steps.sorted { $0.packet < $1.packet }
    guard let first = steps.first, let last = steps.last else { return }
    connections.append(session.connection)
    if let pairing, lacks.pairings.count < 3 { lacks.pairings.append(pairing) }
    if let lastEnd, let begin = first.begin, begin.isEarlier(than: lastEnd) {
      lacks.areAtOnce = true
    }
    lastEnd = last.end ?? lastEnd
    let (address, name) = target(of: session, names, memory)
    body.string("\n\nasync def connection_\(session.connection)(options):\n")
    let end = steps.reduce(last.packet) { max($0, $1.packet, $1.more.packet) }
    body.string("    # Packets #\(first.packet)\(end > first.packet ? " to #\(end)" : "").\n")
    var device = Output()
    if let address {
      device.byte(0x22)
      device.address(address)
      device.byte(0x22)
    } else {
      device.text("None")
    }
    device.text(", ")
    if let name { device.python(name.bytes) } else { device.text("None") }
    devices.insert(device.bytes.array)
    body.string("    found = await device(options, \(session.connection), ")
    body.raw(device.bytes)
    body.text(")\n    async with BleakClient(found) as client:\n")
    let count = statements
    var isOn: Set<UInt16> = []
    subscribeBefore(steps, session, memory, &isOn)
    var now: Timestamp?
    for step in steps {
      let isSent = step.operation == .notification || step.operation == .indication
      if isSent {
        lacks.indications += step.operation == .indication ? 1 : 0
        comment(sent: step, session, memory)
        continue
      }
      var line = Output()
      let isDone = statement(step, session, memory, &isOn, into: &line)
      if isDone {
        statements += 1
        if let now, let begin = step.begin { pause(begin.nanoseconds(since: now)) }
        now = step.end ?? now
      }
      body.raw(line.bytes)
    }
    // The last values.
    if let now, let end = last.end { pause(end.nanoseconds(since: now)) }
    if statements == count { body.text("        pass\n") }
  }

  /// Returns the address and the name of a session's server, as far as they last.
  private func target(
    of session: BleakScript.Session, _ names: [UInt64: [UInt8]], _ memory: borrowing Memory
  ) -> (DeviceAddress?, [UInt8]?) {
    guard session.server == .peer else {
      let adapter = memory.adapters.all.first { $0.index == session.parties.adapter }
      return (adapter?.address.flatMap { $0 == .zero ? nil : $0 }, nil)
    }
    let parties = session.parties
    let known = [parties.identity, parties.peer, parties.resolvable].compactMap(\.self)
    let name = known.lazy.compactMap { names[$0.value] }.first
    if let identity = parties.identity { return (identity, name) }
    switch session.peerKind {
    case .randomResolvable, .randomNonresolvable, .anonymous: return (nil, name)
    default: return (parties.peer, name)
    }
  }

  /// Subscribes to what the server sent without a subscription in the capture.
  private mutating func subscribeBefore(
    _ steps: [BleakScript.Step], _ session: BleakScript.Session,
    _ memory: borrowing Memory, _ isOn: inout Set<UInt16>
  ) {
    var subscribed: Set<UInt16> = []
    for step in steps {
      let identity = identity(of: step, session, memory)
      if step.operation == .write || step.operation == .writeWithoutResponse {
        if identity.isConfiguration, let owner = identity.owner { subscribed.insert(owner) }
      } else if step.operation == .notification || step.operation == .indication,
        let handle = identity.handle, subscribed.insert(handle).inserted,
        !Self.isSystems(identity)
      {
        guard let place = expression(identity, memory) else {
          lacks.unknown += 1
          continue
        }
        isOn.insert(handle)
        takesReceived = true
        statements += 1
        body.text("        await client.start_notify(")
        body.string(place.text)
        body.text(", received)  # for the values below; the write of the CCCD is not there\n")
      }
    }
  }

  /// Writes the pause until the next operation.
  private mutating func pause(_ nanoseconds: Int64) {
    let milliseconds = nanoseconds / 1_000_000
    guard milliseconds >= Self.leastPause else { return }
    takesPause = true
    body.text("        await pause(options, ")
    body.decimal(Int(milliseconds / 1000))
    var digits = String(milliseconds % 1000 + 1000).dropFirst()
    while digits.count > 1, digits.last == "0" { digits = digits.dropLast() }
    body.string(".\(digits))\n")
  }

  // MARK: Operations

  private func identity(
    of step: BleakScript.Step, _ session: BleakScript.Session, _ memory: borrowing Memory
  ) -> AttributeIdentity {
    memory.identity(
      of: step.attribute.handle, step.attribute.server, step.attribute.side,
      connection: session.connection)
  }

  /// Writes an operation of the client, or a comment on why the script does not do it.
  ///
  /// - Returns: whether the script does it.
  private mutating func statement(
    _ step: BleakScript.Step, _ session: BleakScript.Session,
    _ memory: borrowing Memory, _ isOn: inout Set<UInt16>, into line: inout Output
  ) -> Bool {
    let identity = identity(of: step, session, memory)
    let reason = reasonNot(step, identity, memory)
    var title = Output()
    if step.isOfSeveral {
      title.text("several attributes")
    } else {
      title.subject(
        identity, memory, session.connection, identity.uuid.flatMap { titles[$0.shortest] })
    }
    if let reason {
      line.string("        # #\(step.packet): ")
      line.text(step.operation.isWrite ? "write to " : "read of ")
      line.comment(title.bytes, most: Self.mostCommentBytes)
      line.string(" not replayed: \(reason)\n")
      return false
    }
    let isRefused = step.outcome != .done
    if isRefused { takesRefused = true }
    let isPrinted = step.operation == .read && !isRefused && !step.isSecret
    if isPrinted {
      line.string("        print(\"#\(step.packet):\", (await client.")
    } else {
      line.text(isRefused ? "        await refused(client." : "        await client.")
    }
    if identity.isConfiguration, step.operation.isWrite, let owner = self.owner(identity, memory),
      let place = expression(owner, memory)
    {
      let isSubscribed = step.value?.first.map { $0 & 3 != 0 } ?? false
      let handle = owner.handle ?? 0
      if isSubscribed == isOn.contains(handle) {
        line.clear()
        line.string("        # #\(step.packet): ")
        line.text(isSubscribed ? "subscribes again to " : "unsubscribes again from ")
        line.string(place.text)
        line.byte(0x0a)
        return false
      }
      if isSubscribed {
        takesReceived = true
        line.text("start_notify(")
        line.string(place.text)
        line.text(", received)")
        if !isRefused { isOn.insert(handle) }
      } else {
        line.text("stop_notify(")
        line.string(place.text)
        line.byte(0x29)
        if !isRefused { isOn.remove(handle) }
      }
    } else {
      let isDescriptor = identity.isDescriptor
      let place = self.place(identity, memory) ?? ""
      if step.operation == .read {
        line.text(isDescriptor ? "read_gatt_descriptor(" : "read_gatt_char(")
        line.string(place)
      } else {
        line.text(isDescriptor ? "write_gatt_descriptor(" : "write_gatt_char(")
        write(step, place, isDescriptor: isDescriptor, into: &line)
      }
      line.byte(0x29)
    }
    if isRefused { line.byte(0x29) }
    line.text(isPrinted ? ").hex(\" \"))  # captured" : "  # ")
    if !isPrinted { line.string("#\(step.packet)") }
    remark(on: step, isRefused: isRefused, into: &line)
    line.byte(0x0a)
    return true
  }

  /// Writes the arguments of a write after its characteristic.
  private func write(
    _ step: BleakScript.Step, _ place: String, isDescriptor: Bool, into line: inout Output
  ) {
    let value = step.value ?? []
    let response =
      isDescriptor ? "" : ", response=\(step.operation == .writeWithoutResponse ? "False" : "True")"
    guard value.count > Self.lineBytes else {
      line.string(place)
      line.text(", bytes.fromhex(\"")
      line.hex(value.bytes, separator: 0x20)
      line.text("\")")
      line.string(response)
      return
    }
    line.text("\n            ")
    line.string(place)
    line.text(",\n            bytes.fromhex(\n")
    for start in stride(from: 0, to: value.count, by: Self.lineBytes) {
      line.text("                \"")
      line.hex(
        Array(value[start..<min(start + Self.lineBytes, value.count)]).bytes, separator: 0x20)
      line.text(" \"\n")
    }
    line.text("            )")
    line.string(response)
    line.text("\n        ")
  }

  /// Appends the value that was read, and what a value means.
  private func remark(on step: BleakScript.Step, isRefused: Bool, into line: inout Output) {
    if isRefused {
      line.text(": refused, ")
    } else if step.isSecret {
      line.text(": hidden")
    } else if step.operation == .read, let value = step.value {
      line.text(": ")
      line.shown(value, most: Self.shownBytes)
      // A value without structure means its bytes.
      var digits = Output()
      digits.hex(value.bytes, separator: 0x20)
      if step.meaning.isEmpty || digits.bytes.isEqual(to: step.meaning.bytes) { return }
      line.text(", ")
    } else if !step.meaning.isEmpty {
      line.text(": ")
    }
    line.comment(step.meaning.bytes, most: Self.mostCommentBytes)
  }

  /// Writes a comment on what the server sent on its own.
  private mutating func comment(
    sent step: BleakScript.Step, _ session: BleakScript.Session,
    _ memory: borrowing Memory
  ) {
    let identity = identity(of: step, session, memory)
    var title = Output()
    if let place = expression(identity, memory) {
      title.string(place.text)
    } else {
      title.subject(identity, memory, session.connection, nil)
    }
    body.string("        # #\(step.packet): ")
    body.comment(title.bytes, most: Self.mostCommentBytes)
    body.text(step.operation == .indication ? " indicates " : " notifies ")
    if let value = step.value {
      body.shown(value, most: Self.shownBytes)
    } else {
      body.count(step.count, "byte", "bytes")
      body.text(", hidden")
    }
    if !step.meaning.isEmpty {
      body.text(", ")
      body.comment(step.meaning.bytes, most: Self.mostCommentBytes)
    }
    if step.more.count > 0 {
      let word: StaticString =
        step.operation == .indication ? "indication" : "notification"
      body.string(
        "\n        # \(step.more.count) more \(word)\(step.more.count == 1 ? "" : "s"), the last is #\(step.more.packet)"
      )
    }
    body.byte(0x0a)
  }

  /// Returns whether an attribute belongs to GAP or GATT: the system uses these services, and often
  /// hides them from programs.
  private static func isSystems(_ identity: AttributeIdentity) -> Bool {
    switch identity.service?.shortest {
    case BluetoothUUID(0x1800), BluetoothUUID(0x1801): true
    default: false
    }
  }

  /// Returns why the script leaves an operation out, and counts it; nil if it does not.
  private mutating func reasonNot(
    _ step: BleakScript.Step, _ identity: AttributeIdentity,
    _ memory: borrowing Memory
  ) -> StaticString? {
    if Self.isSystems(identity) {
      lacks.systems += 1
      return "the system does it"
    }
    switch step.outcome {
    case .done, .refused: break
    case .noResponse, .notExecuted(.recordsLost), .notExecuted(.captureEnded),
      .notExecuted(.forgotten):
      lacks.unanswered += 1
      return "the capture has no answer"
    case .cancelled, .notExecuted:
      lacks.unexecuted += 1
      return "it was not executed"
    }
    if step.isOfSeveral {
      lacks.multiple += 1
      return "bleak reads one attribute at a time"
    }
    if step.isPart {
      lacks.parts += 1
      return "the capture has only a part"
    }
    if step.operation == .signedWrite {
      lacks.signed += 1
      return "bleak has no signed writes"
    }
    if step.operation.isWrite, step.isSecret {
      lacks.secrets += 1
      return "the value is hidden"
    }
    if step.operation.isWrite, step.value == nil {
      lacks.parts += 1
      return "the capture does not have the value"
    }
    if identity.isConfiguration, step.operation.isWrite {
      if let owner = owner(identity, memory), expression(owner, memory) != nil {
        return nil
      }
    } else if place(identity, memory) != nil {
      return nil
    }
    lacks.unknown += 1
    return "its UUID is unknown"
  }

  // MARK: Attributes

  private func owner(
    _ identity: AttributeIdentity, _ memory: borrowing Memory
  ) -> AttributeIdentity? {
    identity.owner.map {
      memory.identity(of: $0, identity.server, identity.side, connection: 0)
    }
  }

  /// Returns the expression for an attribute that is read or written, or nil if it is unknown.
  private mutating func place(
    _ identity: AttributeIdentity, _ memory: borrowing Memory
  ) -> String? {
    guard identity.isDescriptor else { return expression(identity, memory)?.text }
    guard let uuid = identity.uuid, let owner = owner(identity, memory),
      let place = expression(owner, memory)
    else { return nil }
    takesFind = true
    let object = place.isObject ? place.text : "find(client, \(place.text))"
    return "\(object).get_descriptor(\"\(uuid.whole)\").handle"
  }

  /// Returns the expression for a characteristic, or nil if its UUID is unknown.
  private mutating func expression(
    _ identity: AttributeIdentity, _ memory: borrowing Memory
  ) -> Expression? {
    guard let uuid = identity.uuid, let handle = identity.handle, !identity.isDeclaration else {
      return nil
    }
    let server = memory.attributes.currentKey(identity.server)
    let place = Place(server: server, handle: handle)
    if let known = expressions[place] { return known }
    let constant = constant(
      of: uuid, titles[uuid.shortest] ?? uuid.name(as: .characteristic)?.description)
    var expression = Expression(text: constant, isObject: false)
    if twins[server] == nil {
      let all = memory.attributes.servers.first { $0.key == server }?.attributes ?? []
      twins[server] = Dictionary(
        grouping: all.filter { $0.kind == .value }, by: { $0.uuid.shortest }
      ).mapValues { $0.map(\.handle) }
    }
    let handles = twins[server]?[uuid.shortest] ?? []
    if handles.count > 1, let number = handles.firstIndex(of: handle) {
      takesFind = true
      expression = Expression(text: "find(client, \(constant), \(number))", isObject: true)
    }
    expressions[place] = expression
    return expression
  }

  /// Returns the constant of a UUID, named after what it is called.
  private mutating func constant(of uuid: BluetoothUUID, _ title: String?) -> String {
    if let known = names[uuid.shortest] { return known }
    let letters = (title ?? "").map { character in
      character.isASCII && (character.isLetter || character.isNumber)
        ? character.uppercased() : "_"
    }.joined()
    var name = letters.split(separator: "_").joined(separator: "_")
    if name.isEmpty || name.first?.isNumber == true || name.count > 60 {
      name = "CHARACTERISTIC_\(uuid.whole.split(separator: "-")[0].uppercased())"
    }
    let count = titled[name, default: 0] + 1
    titled[name] = count
    // With its number it may have another one's title.
    if count > 1 { name = "\(name)_\(count)" }
    while count > 1, titled[name] != nil { name += "_" }
    titled[name, default: 0] += count > 1 ? 1 : 0
    names[uuid.shortest] = name
    constants.append((name, uuid.shortest))
    return name
  }

  // MARK: The whole script

  consuming func finish(_ name: String, into output: inout Output) {
    output.text("#!/usr/bin/env python3\n# Replays the GATT client of ")
    var title = Output()
    title.printable(Array(name.utf8).bytes)
    output.comment(title.bytes, most: 200)
    output.text(" with bleak. Written by gattscope trace --as bleak.\n#\n")
    if replaysNothing { output.string("# \(Self.nothing)\n#\n") }
    output.text("# Not replayed:\n")
    for line in lines { output.string("# - \(line)\n") }
    output.text("import argparse\nimport asyncio\n\nfrom bleak import BleakClient, BleakScanner\n")
    if takesRefused { output.text("from bleak.exc import BleakError\n") }
    output.byte(0x0a)
    for constant in constants { output.string("\(constant.name) = \"\(constant.uuid.whole)\"\n") }
    output.string(BleakWriter.device)
    if takesFind { output.string(BleakWriter.find) }
    if takesReceived { output.string(BleakWriter.received) }
    if takesRefused { output.string(BleakWriter.refused) }
    if takesPause { output.string(BleakWriter.pause) }
    output.raw(body.bytes)
    output.string(BleakWriter.main)
    if devices.count > 1 { output.string(Self.severalDevices(devices.count)) }
    if replaysNothing { output.string("    raise SystemExit(\"\(Self.nothing)\")\n") }
    for connection in connections where !replaysNothing {
      output.string("    await connection_\(connection)(options)\n")
    }
    output.text("\n\nif __name__ == \"__main__\":\n    asyncio.run(main())\n")
  }

  private static let nothing = "This script replays nothing: every operation is left out."

  /// The sentence about what the script leaves out; nil if it does everything.
  var remark: String? {
    let count = lacks.operations
    guard count > 0 || replaysNothing else { return nil }
    let cause =
      lacks.unknown > 0
      ? "\(lacks.unknown) of unknown UUID, which --map supplies" : "its first lines list why"
    return replaysNothing
      ? "the script replays nothing: every operation is left out; \(cause)"
      : "the script leaves out \(count) \(count == 1 ? "operation" : "operations"); \(cause)"
  }

  /// What the script does not do, a line each.
  private var lines: [String] {
    var lines = [
      "discovery, MTU and link parameters: bleak and the system choose them",
      "values that depend on time, chance or other values: they are sent as captured",
    ]
    func add(_ count: Int, _ one: String, _ several: String) {
      if count > 0 { lines.append("\(count) \(count == 1 ? one : several)") }
    }
    if !lacks.pairings.isEmpty {
      let packets = lacks.pairings.map { "#\($0)" }.joined(separator: ", ")
      lines.append("pairing and encryption (\(packets)): pair before you run the script")
    }
    if lacks.indications > 0 {
      lines.append("the choice of notifications or indications: bleak makes it")
    }
    add(lacks.secrets, "write of a hidden value", "writes of hidden values")
    add(
      lacks.unknown, "operation on an attribute of unknown UUID: --map supplies UUIDs",
      "operations on attributes of unknown UUID: --map supplies UUIDs")
    add(lacks.systems, "operation that the system does", "operations that the system does")
    add(
      lacks.unanswered, "operation without an answer in the capture",
      "operations without an answer in the capture")
    add(lacks.unexecuted, "write that was not executed", "writes that were not executed")
    add(
      lacks.parts, "value of which the capture has only a part",
      "values of which the capture has only a part")
    add(
      lacks.multiple, "read of several attributes at once, which bleak does not have",
      "reads of several attributes at once, which bleak does not have")
    add(
      lacks.signed, "signed write, which bleak does not have",
      "signed writes, which bleak does not have")
    let other = lacks.isOnAir ? "the other side" : "the peer"
    add(
      lacks.otherEnd, "operation of \(other) on this client's own server",
      "operations of \(other) on this client's own server")
    if lacks.areAtOnce {
      lines.append("overlapping connections: the script makes one after the other")
    }
    add(
      lacks.more, "later operation or value, for which there was no room",
      "later operations and values, for which there was no room")
    return lines
  }

  private static let device = """


    async def device(options, connection, address, name):
        \"\"\"Returns the device of the capture, or the one that --address gives.\"\"\"
        given = dict(options.address)
        if other := given.get(str(connection)) or given.get(""):
            address, name = other, None
        found = await BleakScanner.find_device_by_address(address) if address else None
        if found is None and name:
            found = await BleakScanner.find_device_by_name(name)
        if found is None:
            raise SystemExit(f"{name or address or 'the device'} was not found; --address chooses another one")
        return found

    """

  private static let find = """


    def find(client, uuid, number=0):
        \"\"\"Returns the characteristic with a UUID: of several, that at this place in the order of handles.\"\"\"
        found = [each for each in client.services.characteristics.values() if each.uuid == uuid]
        return sorted(found, key=lambda each: each.handle)[number]

    """

  private static let received = """


    def received(characteristic, value):
        print(f"{characteristic.uuid}: {bytes(value).hex(' ')}")

    """

  private static let refused = """


    async def refused(operation):
        \"\"\"Awaits an operation that the server refused in the capture.\"\"\"
        try:
            await operation
        except BleakError as error:
            print(f"refused, as in the capture: {error}")
        else:
            print("not refused, unlike in the capture")

    """

  private static let pause = """


    async def pause(options, length):
        await asyncio.sleep(length * options.pace)

    """

  private static let main = """


    async def main():
        parser = argparse.ArgumentParser(description="Replays the GATT client of a capture.")
        parser.add_argument(
            "--address",
            action="append",
            default=[],
            type=lambda text: text.rpartition("=")[::2],
            metavar="[CONNECTION=]ADDRESS",
            help="connect to this device instead of that of the capture; with a number, only for this connection",
        )
        parser.add_argument("--pace", type=float, default=1, help="the length of pauses: 2 doubles them, 0 leaves them out")
        options = parser.parse_args()

    """

  /// Returns what `main` does in a script with several devices: one cannot stand for all of them.
  private static func severalDevices(_ count: Int) -> String {
    """
        if "" in dict(options.address):
            parser.error("this script has \(count) devices: use --address CONNECTION=ADDRESS")

    """
  }
}

extension AttributeIdentity {
  /// Whether it declares others.
  fileprivate var isDeclaration: Bool {
    switch kind {
    case .service, .include, .characteristic: true
    case .value, .descriptor, nil: false
    }
  }

  /// Whether it is a descriptor, if only by its UUID.
  fileprivate var isDescriptor: Bool {
    kind == .descriptor
      || kind == nil && uuid.map { $0.shortest.width == 2 && $0.shortest.low >> 8 == 0x29 } ?? false
  }
}

extension BluetoothUUID {
  /// The UUID with 128 bits, as bleak writes it.
  fileprivate var whole: String {
    var text = Output()
    text.uuid(longest)
    return String(decoding: text.bytes.array, as: UTF8.self)
  }
}

extension Output {
  /// Appends a text as a string of Python.
  fileprivate mutating func python(_ bytes: RawSpan) {
    byte(0x22)
    for scalar in String(decoding: bytes.array, as: UTF8.self).unicodeScalars {
      switch scalar.value {
      case 0x22, 0x5c:
        byte(0x5c)
        byte(UInt8(scalar.value))
      case 0x20..<0x7f: byte(UInt8(scalar.value))
      case ..<0x1_0000:
        text("\\u")
        hexDigits(UInt64(scalar.value), 4)
      default:
        text("\\U")
        hexDigits(UInt64(scalar.value), 8)
      }
    }
    byte(0x22)
  }

  /// Appends a text in a comment: in ASCII, and cut.
  fileprivate mutating func comment(_ bytes: RawSpan, most: Int) {
    var line = Output()
    line.raw(bytes)
    var plain = Output()
    line.copyASCII(into: &plain)
    // A cut falls between words, if there are any.
    var end = min(plain.count, most)
    if plain.count > most,
      let blank = (most / 2..<most).last(where: { plain.bytes.byte(at: $0) == 0x20 })
    {
      end = blank + 1
    }
    for index in 0..<end {
      let byte = plain.bytes.byte(at: index)
      self.byte(byte >= 0x20 && byte < 0x7f ? byte : 0x3f)
    }
    if plain.count > most { text("...") }
  }

  /// Appends the first bytes of a value in a comment.
  fileprivate mutating func shown(_ value: [UInt8], most: Int) {
    if value.isEmpty { text("nothing") }
    hex(Array(value.prefix(most)).bytes, separator: 0x20)
    if value.count > most { string("... (\(value.count) bytes)") }
  }

  /// Appends what an attribute is called.
  fileprivate mutating func subject(
    _ identity: AttributeIdentity, _ memory: borrowing Memory, _ connection: Int, _ title: String?
  ) {
    attribute(
      identity, owner: memory.owner(of: identity, connection), .ascii,
      profileName: title)
  }
}
