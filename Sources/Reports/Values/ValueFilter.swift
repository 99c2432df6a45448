import Bluetooth
import Bytes
package import Captures
import Dissectors
import Meanings
package import Sessions

/// The state that all forms of `values` share: the selection of values, and its progress.
package struct ValueFilter: Sendable {
  private var selection: Selection { watched.selection }
  private let operations: Set<ValueOperation>
  /// The time of the first record that has one.
  var start: Timestamp? { window.start }
  /// The number of values shown so far.
  private(set) var shown = 0
  /// The number of values seen so far.
  private var seen = 0
  private var hasSeenPackets = false
  private var watched: WatchedSelection
  private var window: TimeWindow
  private let showsEverything: Bool

  package init(_ options: ValuesOptions) {
    // Values have no opcodes and are not events.
    var options = options
    options.selection = options.selection.excluding { $0.opcodes == nil && $0.events == nil }
    let selection = options.selection
    window = TimeWindow(selection, options.time.readingOffset(options.zoneOffset))
    operations = options.operations
    watched = WatchedSelection(selection)
    showsEverything = options.showsEverything
  }

  /// Whether all values that can be shown have been.
  var isSatisfied: Bool { selection.limit.map { shown >= $0 } ?? false }

  /// The maximum number of values to show.
  var limit: Int? { selection.limit }

  /// Whether the capture has values.
  var hasSeenValues: Bool { seen > 0 }

  /// Why nothing was shown.
  package var remark: String? {
    if shown > 0 || selection.limit == 0 { return nil }
    if !hasSeenPackets { return "the capture holds no records" }
    return watched.devices.absence ?? (seen == 0 ? nil : "no value matches the selection")
  }

  /// Records a packet, before its values are checked.
  package mutating func observe(_ record: borrowing CaptureRecord, _ memory: borrowing Memory) {
    hasSeenPackets = true
    window.observe(record.time)
    watched.learn(memory.names)
  }

  /// Returns whether a packet is one of the selected ones, at one of the selected times.
  func covers(_ record: borrowing CaptureRecord) -> Bool {
    let number = record.number
    return window.contains(record.time)
      && selection.admits(excluding: { !$0.packets.isEmpty }, { $0.admits(packet: number) })
  }

  /// Returns whether a packet that carries no value is selected, such as one of a channel.
  func admits(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    window.contains(packet.record.time) && watched.admits(packet, memory)
  }

  /// Returns whether a value is selected, and counts it if so.
  mutating func admits(_ value: ConveyedValue, _ bytes: RawSpan) -> Bool {
    guard selects(value, bytes) else { return false }
    count()
    return true
  }

  /// Returns whether a value is selected. `count` counts what is shown of those.
  package mutating func selects(_ value: ConveyedValue, _ bytes: RawSpan) -> Bool {
    seen += 1
    return showsEverything || (!isSatisfied && isWanted(value, bytes))
  }

  /// Counts values that are shown.
  package mutating func count(_ values: Int = 1) { shown += values }

  private func isWanted(_ value: ConveyedValue, _ bytes: RawSpan) -> Bool {
    operations.contains(value.operation) && window.contains(value.time)
      && watched.admits { Self.matches(value, bytes, $0, $1) }
  }

  /// Returns whether a value is selected, apart from its operation, its time and exclusions.
  private static func matches(
    _ value: ConveyedValue, _ bytes: RawSpan, _ selection: Selection, _ devices: DeviceWatch
  ) -> Bool {
    if !selection.admits(packet: value.packet) { return false }
    if !selection.admits(connection: value.parties.connection) { return false }
    if !selection.admits(adapter: value.parties.adapter) { return false }
    if !selection.admits(value.direction, isOnAir: value.parties.vantage == .air) { return false }
    if !selection.layers.isEmpty {
      let layer: Selection.Layer =
        switch value.attribute.channel {
        case .rfcomm: .rfcomm
        case .creditBased: .l2cap
        case nil: value.operation == .advertisement ? .advertising : .att
        }
      guard selection.layers.contains(layer) else { return false }
    }
    if !selection.devices.isEmpty, !devices.matches(value.parties) { return false }
    if !selection.handles.isEmpty {
      guard let handle = value.attribute.handle,
        selection.handles.contains(where: { $0.contains(handle) })
      else { return false }
    }
    if !selection.uuids.isEmpty, !selection.has(value.attribute.uuid),
      !selection.has(value.attribute.service)
    {
      return false
    }
    if selection.errorsOnly, value.outcome == .done { return false }
    if !selection.statuses.isEmpty {
      let subject = ErrorSubject(value.attribute)
      guard case .refused(let error) = value.outcome,
        selection.admits(Outcome(error, of: subject))
      else { return false }
    }
    if !selection.values.isEmpty {
      guard let slice = value.value, selection.holds(bytes.part(slice)) else { return false }
    }
    return true
  }
}

extension ConveyedValue {
  /// Whether the value is a key, contains a secret, or is among values that do.
  package var isKeyMaterial: Bool { isSecret || isOfSecretType }
}
