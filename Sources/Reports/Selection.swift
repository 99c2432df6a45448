package import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// Which packets to show. Several values of one kind: any matches; different kinds: all must.
///
/// Selection never changes the analysis: what is not shown has still been taken in.
package struct Selection: Sendable {
  /// The highest layer of a packet, or what it is about: the JSON contract's `protocol`, `adv` for
  /// advertising reports and `note` for records that are no packets.
  package enum Layer: Sendable, CaseIterable {
    case command, event, acl, sco, iso, l2cap, att, smp, mgmt, unknown, advertising, note

    /// The layer with this key.
    package init?(key: String) {
      guard let layer = Self.allCases.first(where: { $0.key.description == key }) else {
        return nil
      }
      self = layer
    }

    /// As the JSON contract names it.
    package var key: StaticString {
      switch self {
      case .command: "hci_cmd"
      case .event: "hci_evt"
      case .acl: "acl"
      case .sco: "sco"
      case .iso: "iso"
      case .l2cap: "l2cap"
      case .att: "att"
      case .smp: "smp"
      case .mgmt: "mgmt"
      case .unknown: "unknown"
      case .advertising: "adv"
      case .note: "note"
      }
    }
  }

  /// Packet numbers; empty: all.
  package var packets: [ClosedRange<Int>] = []
  /// Connections by their numbers; empty: all.
  package var connections: [ClosedRange<Int>] = []
  /// Layers; empty: all.
  package var layers: [Layer] = []
  /// Directions; empty: both and none.
  package var directions: [Direction] = []
  /// Only packets that report a failure or have a problem.
  package var errorsOnly = false
  /// How many packets at most.
  package var limit: Int?

  /// Everything.
  package init() {}

  /// The number of the last packet that can be shown, where the selection has one.
  var lastPacket: Int? { packets.map(\.upperBound).max() }

  /// Whether a packet is to be shown.
  func admits(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ answer: Answer,
    _ memory: Memory
  ) -> Bool {
    let number = record.number
    if !packets.isEmpty, !packets.contains(where: { $0.contains(number) }) { return false }
    if !directions.isEmpty {
      guard let direction = record.direction, directions.contains(direction) else { return false }
    }
    if !connections.isEmpty {
      guard let id = answer.link.map({ memory.links.id($0) }),
        connections.contains(where: { $0.contains(id) })
      else { return false }
    }
    if !layers.isEmpty {
      let isAdvertising = !memory.advertisements.reports.isEmpty
      guard
        layers.contains(dissection.layer) || isAdvertising && layers.contains(.advertising)
      else { return false }
    }
    return true
  }
}

extension Dissection {
  /// The highest layer that was decoded.
  var layer: Selection.Layer {
    switch content {
    case .unknown: .unknown
    case .note: .note
    case .control: .mgmt
    case .command: .command
    case .event: .event
    case .acl: att != nil ? .att : smp != nil ? .smp : l2cap != nil ? .l2cap : .acl
    case .sco: .sco
    case .iso: .iso
    }
  }
}

/// What both faces of `show` keep while packets pass: the start, and how far the selection is done.
struct Showing: Sendable {
  private let selection: Selection
  /// The time of the first record that has one.
  private(set) var start: Timestamp?
  /// Packets shown so far.
  private(set) var shown = 0
  private var hasSeenPackets = false
  private var isPastSelection = false
  private let lastPacket: Int

  init(_ selection: Selection) {
    self.selection = selection
    lastPacket = selection.lastPacket ?? .max
  }

  /// Whether all packets that can be shown have been.
  var isSatisfied: Bool { isPastSelection || selection.limit.map { shown >= $0 } ?? false }

  /// Why nothing was shown, where that is so.
  var remark: String? {
    if shown > 0 || selection.limit == 0 { return nil }
    return hasSeenPackets ? "no packet matches what was asked for" : "the capture holds no records"
  }

  /// Words a packet; false where the selection leaves it out. Whether it reports a failure is known
  /// once it is worded.
  mutating func word(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: Memory, in sentence: inout Sentence
  ) -> Bool {
    hasSeenPackets = true
    if start == nil { start = record.time }
    if record.number >= lastPacket { isPastSelection = true }
    guard selection.admits(record, dissection, answer, memory) else { return false }
    sentence.clear()
    sentence.packet(record, dissection, bytes, answer, memory)
    if selection.errorsOnly, !sentence.isFailure, dissection.problems.isEmpty { return false }
    shown += 1
    return true
  }
}
