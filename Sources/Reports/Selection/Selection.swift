package import Bluetooth
import Bytes
import Captures
import Dissectors
package import Sessions

/// The selection of packets to show. Of several values of one kind, any matches; different kinds
/// must all match, and no excluded value may.
///
/// A selection never changes the analysis: packets that are not shown are processed as well. It
/// uses what is known when a packet arrives.
package struct Selection: Sendable {
  /// Packet numbers; empty: all. The same applies to the following properties.
  package var packets: [ClosedRange<Int>] = []
  /// Connections by number.
  package var connections: [ClosedRange<Int>] = []
  /// Controllers by index.
  package var adapters: [ClosedRange<Int>] = []
  package var layers: [Layer] = []
  /// Directions; empty: any, or unknown.
  package var directions: [DirectionPattern] = []
  /// Devices by address or name.
  package var devices: [DevicePattern] = []
  /// The addresses of devices whose name is in `devices`, if they were looked up beforehand.
  package var namedDevices: Set<DeviceAddress> = []
  /// The UUIDs that ATT PDUs and advertisements are about.
  package var uuids: [UUIDPattern] = []
  package var handles: [ClosedRange<UInt16>] = []
  /// Opcodes; nil: all.
  package var opcodes: OpcodeFilter?
  /// Events; nil: all.
  package var events: EventFilter?
  /// The results of requests and procedures.
  package var statuses: [StatusFilter] = []
  /// Bytes in attribute values and advertisements.
  package var values: [BytePattern] = []
  /// Words in the packet's line, or excluded from it.
  package var words: [TextPattern] = []
  package var times: [TimeRange] = []
  /// Whether only packets that report a failure or have a problem are selected.
  package var errorsOnly = false
  /// The maximum number of packets.
  package var limit: Int?
  /// What is left out of the selection: selections of one kind each, without exclusions.
  package fileprivate(set) var excluded: [Selection] = []

  /// Creates a selection of everything.
  package init() {}

  /// Whether no packet is excluded, so that none has to be checked.
  package var isEverything: Bool {
    packets.isEmpty && connections.isEmpty && adapters.isEmpty && layers.isEmpty
      && directions.isEmpty && devices.isEmpty && uuids.isEmpty && handles.isEmpty
      && opcodes == nil && events == nil && statuses.isEmpty && values.isEmpty && words.isEmpty
      && times.isEmpty && !errorsOnly && excluded.isEmpty
  }

  /// Excludes what `choose` selects: values of one kind.
  package mutating func exclude(_ choose: (inout Selection) -> Void) {
    var selection = Selection()
    choose(&selection)
    excluded.append(selection)
  }

  /// Returns the selection without those exclusions that a report checks elsewhere.
  package func excluding(only isMeant: (Selection) -> Bool) -> Selection {
    var selection = self
    selection.excluded.removeAll { !isMeant($0) }
    return selection
  }

  /// Returns this selection and each excluded one, changed by `change`.
  package func mapped(_ change: (Selection) -> Selection) -> Selection {
    var selection = change(self)
    selection.excluded = excluded.map(change)
    return selection
  }

  /// The number of the last packet that can be selected, if bounded.
  var lastPacket: Int? { packets.map(\.upperBound).max() }

  /// Whether devices are selected by name, so that it helps to look up the names beforehand.
  package var needsNames: Bool {
    devices.contains { $0.isName } || excluded.contains { $0.needsNames }
  }

  /// Returns whether a packet is selected, judging by its record and headers, which is cheap.
  func admitsEnvelope(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    let number = packet.record.number
    guard admits(packet: number) else { return false }
    if !directions.isEmpty {
      guard admits(packet.record.direction, isOnAir: packet.dissection.air != nil) else {
        return false
      }
    }
    if !adapters.isEmpty {
      guard packet.record.adapter != .unknown, admits(adapter: packet.record.adapter) else {
        return false
      }
    }
    if !connections.isEmpty {
      guard let id = packet.answer.link.map({ memory.links.id($0) }), admits(connection: id) else {
        return false
      }
    }
    return true
  }

  /// Returns whether a packet is selected, judging by the content of its PDU. Each check is a
  /// separate function, so that checks that are not needed cost nothing.
  func admitsContent(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    if !layers.isEmpty, !isOfLayer(packet.dissection, packet.bytes, memory) { return false }
    if let opcodes, !opcodes.matches(packet.dissection, packet.bytes) { return false }
    if let events, !events.matches(packet.dissection, packet.bytes) { return false }
    if !statuses.isEmpty, !reportsStatus(packet, memory) { return false }
    if errorsOnly, packet.dissection.problems.isEmpty,
      packet.dissection.failure(packet.bytes, packet.answer) == nil
    {
      return false
    }
    if !handles.isEmpty, !matchesHandle(packet) { return false }
    if !uuids.isEmpty, !matchesUUID(packet, memory) { return false }
    if !values.isEmpty, !matchesValue(packet, memory) { return false }
    return true
  }
}

/// A selected direction.
package struct DirectionPattern: Equatable, Sendable {
  package let direction: Direction
  /// Whether only packets on the air have it.
  package let isOnAir: Bool

  package static let sent = Self(direction: .sent, isOnAir: false)
  package static let received = Self(direction: .received, isOnAir: false)
  /// On the air: of the central, of the peripheral.
  package static let central = Self(direction: .sent, isOnAir: true)
  package static let peripheral = Self(direction: .received, isOnAir: true)

  private init(direction: Direction, isOnAir: Bool) {
    self.direction = direction
    self.isOnAir = isOnAir
  }

  /// Reads `sent` or `received`; for captures from the air also the side that sent it, `central` or
  /// `peripheral`.
  package init(_ text: String) throws(SelectionError) {
    switch text {
    case "sent": self = .sent
    case "received": self = .received
    case "central": self = .central
    case "peripheral": self = .peripheral
    default:
      throw SelectionError("expected sent or received; on the air also central or peripheral")
    }
  }
}

/// Why an option's value is invalid: one sentence with what was expected.
package struct SelectionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The sentence, without a full stop.
  package let description: String

  init(_ description: String) { self.description = description }
}

extension Selection {
  /// Returns whether this controller is selected, apart from exclusions.
  package func admits(adapter: AdapterIndex) -> Bool {
    adapters.isEmpty || adapters.contains { $0.contains(Int(adapter.value)) }
  }

  /// Returns whether this connection is selected, apart from exclusions.
  package func admits(connection id: Int) -> Bool {
    connections.isEmpty || connections.contains { $0.contains(id) }
  }

  /// Returns whether this direction is selected, apart from exclusions.
  func admits(_ direction: Direction?, isOnAir: Bool) -> Bool {
    directions.isEmpty
      || directions.contains { $0.direction == direction && (isOnAir || !$0.isOnAir) }
  }

  /// Returns whether this packet's number is selected, apart from exclusions.
  func admits(packet number: Int) -> Bool {
    packets.isEmpty || packets.contains { $0.contains(number) }
  }

  /// Returns whether a line has one of the words, if any are wanted, and no excluded one.
  package func admits(line: RawSpan) -> Bool {
    var isWanted = true
    for word in words {
      if word.isExcluded {
        if word.isIn(line) { return false }
      } else {
        isWanted = false
      }
    }
    return isWanted || words.contains { !$0.isExcluded && $0.isIn(line) }
  }

  /// Whether connections, adapters or devices are selected.
  package var isOfParties: Bool { !connections.isEmpty || !adapters.isEmpty || !devices.isEmpty }

  /// Whether attributes are selected.
  package var isOfAttributes: Bool { !uuids.isEmpty || !handles.isEmpty }

  /// Returns whether something is selected: `matches` returns so for the selection, and not for an
  /// exclusion.
  ///
  /// - Parameter isKnown: whether the report can check an exclusion; otherwise it does not count.
  package func admits(
    excluding isKnown: (Selection) -> Bool, _ matches: (Selection) -> Bool
  ) -> Bool {
    matches(self) && !excluded.contains { isKnown($0) && matches($0) }
  }
}

/// A selection, with what is known of its devices and of those that it excludes.
package struct WatchedSelection: Sendable {
  package let selection: Selection
  package private(set) var devices: DeviceWatch
  package private(set) var excluded: [WatchedSelection]

  package init(_ selection: Selection) {
    self.selection = selection
    devices = DeviceWatch(selection.devices, named: selection.namedDevices)
    excluded = selection.excluded.map { WatchedSelection($0) }
  }

  /// The selection with the addresses of the devices that it names, as far as they are known.
  var named: Selection {
    var named = selection
    named.namedDevices = devices.named
    named.excluded = excluded.map(\.named)
    return named
  }

  /// Processes new names.
  package mutating func learn(_ names: Names) {
    if !selection.devices.isEmpty { devices.learn(names) }
    for index in excluded.indices { excluded[index].learn(names) }
  }

  /// Records a name that occurs in the capture.
  mutating func learn(name: [UInt8]) { devices.learn(name: name) }

  /// Returns whether a packet is selected, apart from its time and words.
  package func admits(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    guard matches(packet, memory) else { return false }
    for index in excluded.indices
    where excluded[index].matches(packet, memory) {
      return false
    }
    return true
  }

  /// Returns whether a packet belongs to an excluded device.
  func excludesDevice(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    for index in excluded.indices
    where !excluded[index].selection.devices.isEmpty
      && excluded[index].matches(packet, memory)
    {
      return true
    }
    return false
  }

  /// The same, apart from exclusions. The cheap checks come first.
  private func matches(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    guard selection.admitsEnvelope(packet, memory) else { return false }
    if !selection.devices.isEmpty, !devices.matches(packet, memory) {
      return false
    }
    return selection.admitsContent(packet, memory)
  }

  /// Returns whether something is selected: `matches` returns so for the selection, and not for an
  /// exclusion.
  package func admits(_ matches: (Selection, DeviceWatch) -> Bool) -> Bool {
    guard matches(selection, devices) else { return false }
    return excluded.isEmpty || !excluded.contains { matches($0.selection, $0.devices) }
  }

  /// Returns whether a device is selected that has one of these addresses, or this name.
  package func admits(device addresses: [DeviceAddress], named name: [UInt8]? = nil) -> Bool {
    admits { selection, watch in
      selection.devices.isEmpty || addresses.contains { watch.isWanted($0) }
        || name.map { watch.isWanted(name: $0) } ?? false
    }
  }
}
