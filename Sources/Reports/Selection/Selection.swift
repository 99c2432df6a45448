package import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The selection of packets to show. Of several values of one kind, any matches; different kinds
/// must all match.
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
  package var directions: [Direction] = []
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
  /// Words in the packet's line.
  package var words: [TextPattern] = []
  package var times: [TimeRange] = []
  /// Whether only packets that report a failure or have a problem are selected.
  package var errorsOnly = false
  /// The maximum number of packets.
  package var limit: Int?

  /// Creates a selection of everything.
  package init() {}

  /// Whether no packet is excluded, so that none has to be checked.
  package var isEverything: Bool {
    packets.isEmpty && connections.isEmpty && adapters.isEmpty && layers.isEmpty
      && directions.isEmpty && devices.isEmpty && uuids.isEmpty && handles.isEmpty
      && opcodes == nil && events == nil && statuses.isEmpty && values.isEmpty && words.isEmpty
      && times.isEmpty && !errorsOnly
  }

  /// The number of the last packet that can be selected, if bounded.
  var lastPacket: Int? { packets.map(\.upperBound).max() }

  /// Whether devices are selected by name, so that it helps to look up the names beforehand.
  package var needsNames: Bool { devices.contains { $0.isName } }

  /// Returns whether a packet is selected, judging by its record and headers, which is cheap.
  func admitsEnvelope(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ answer: Answer,
    _ memory: borrowing Memory
  ) -> Bool {
    let number = record.number
    if !packets.isEmpty, !packets.contains(where: { $0.contains(number) }) { return false }
    if !directions.isEmpty {
      guard let direction = record.direction, directions.contains(direction) else { return false }
    }
    if !adapters.isEmpty {
      guard record.adapter != .unknown, admits(adapter: record.adapter) else { return false }
    }
    if !connections.isEmpty {
      guard let id = answer.link.map({ memory.links.id($0) }),
        connections.contains(where: { $0.contains(id) })
      else { return false }
    }
    return true
  }

  /// Returns whether a packet is selected, judging by the content of its PDU. Each check is a
  /// separate function, so that checks that are not needed cost nothing.
  func admitsContent(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) -> Bool {
    if !layers.isEmpty, !isOfLayer(dissection, bytes, memory) { return false }
    if let opcodes, !opcodes.matches(dissection, bytes) { return false }
    if let events, !events.matches(dissection, bytes) { return false }
    if !statuses.isEmpty, !Outcome.contains(dissection, bytes, answer, memory, statuses) {
      return false
    }
    if errorsOnly, dissection.problems.isEmpty, dissection.failure(bytes, answer) == nil {
      return false
    }
    if !handles.isEmpty, !matchesHandle(dissection, bytes, answer) { return false }
    if !uuids.isEmpty, !matchesUUID(record, dissection, bytes, answer, memory) { return false }
    if !values.isEmpty, !matchesValue(dissection, bytes, memory) { return false }
    return true
  }
}

/// Why an option's value is invalid: one sentence with what was expected.
package struct SelectionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The sentence, without a full stop.
  package let description: String

  init(_ description: String) { self.description = description }
}

extension Selection {
  /// Returns whether this controller is selected.
  package func admits(adapter: AdapterIndex) -> Bool {
    adapters.isEmpty || adapters.contains { $0.contains(Int(adapter.value)) }
  }
}
