package import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// Which packets to show. Several values of one kind: any matches; different kinds: all must.
///
/// Selection never changes the analysis: what is not shown has still been taken in. It uses what is
/// known when a packet comes.
package struct Selection: Sendable {
  /// Packet numbers; empty: all. So with all that follow.
  package var packets: [ClosedRange<Int>] = []
  /// Connections by their numbers.
  package var connections: [ClosedRange<Int>] = []
  /// Controllers by their indices.
  package var adapters: [ClosedRange<Int>] = []
  /// Layers.
  package var layers: [Layer] = []
  /// Directions; empty: both and none.
  package var directions: [Direction] = []
  /// Devices by address or name.
  package var devices: [DevicePattern] = []
  /// The addresses of devices whose name is one of `devices`, as far as they were looked for
  /// beforehand.
  package var namedDevices: Set<DeviceAddress> = []
  /// What ATT PDUs and advertisements are about; in their shortest form.
  package var uuids: [BluetoothUUID] = []
  /// Attribute handles.
  package var handles: [ClosedRange<UInt16>] = []
  /// Opcodes; nil: all.
  package var opcodes: OpcodeFilter?
  /// Events; nil: all.
  package var events: EventFilter?
  /// What requests and procedures came to.
  package var statuses: [StatusFilter] = []
  /// Bytes of attribute values and advertisements.
  package var values: [BytePattern] = []
  /// What stands in the packet's line.
  package var words: [TextPattern] = []
  /// Stretches of time.
  package var times: [TimeRange] = []
  /// Only packets that report a failure or have a problem.
  package var errorsOnly = false
  /// How many packets at most.
  package var limit: Int?

  /// Everything.
  package init() {}

  /// Whether no packet is left out: then none needs to be asked about.
  var isEverything: Bool {
    packets.isEmpty && connections.isEmpty && adapters.isEmpty && layers.isEmpty
      && directions.isEmpty && devices.isEmpty && uuids.isEmpty && handles.isEmpty
      && opcodes == nil && events == nil && statuses.isEmpty && values.isEmpty && words.isEmpty
      && times.isEmpty && !errorsOnly
  }

  /// The number of the last packet that can be shown, where the selection has one.
  var lastPacket: Int? { packets.map(\.upperBound).max() }

  /// Whether devices are asked for by name: then it helps to know the names beforehand.
  package var needsNames: Bool { devices.contains { $0.isName } }

  /// Whether a packet is to be shown, by what its record and its headers tell: the cheap questions.
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
      guard let adapter = record.adapter, admits(adapter: adapter)
      else { return false }
    }
    if !connections.isEmpty {
      guard let id = answer.link.map({ memory.links.id($0) }),
        connections.contains(where: { $0.contains(id) })
      else { return false }
    }
    return true
  }

  /// Whether a packet is to be shown, by what its PDU holds. What each question needs is apart, so that
  /// those that are not asked cost nothing.
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

/// Why the words of an option cannot be understood: one sentence that says what was expected.
package struct SelectionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The sentence, without a stop.
  package let description: String

  init(_ description: String) { self.description = description }
}

extension Selection {
  /// Whether this controller is asked for.
  func admits(adapter: UInt16) -> Bool {
    adapters.isEmpty || adapters.contains { $0.contains(Int(adapter)) }
  }
}
