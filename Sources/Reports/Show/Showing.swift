package import Bluetooth
import Bytes
package import Captures
package import Meanings
package import Sessions

/// The state that text and JSON of `show` share: the start time, and the progress of the selection.
package struct Showing: Sendable {
  private var selection: Selection { watched.selection }
  /// The time of the first record that has one.
  package var start: Timestamp? { window.start }
  /// The number of packets shown so far.
  private(set) var shown = 0
  private var hasSeenPackets = false
  private var isPastSelection = false
  private let lastPacket: Int
  /// Whether nothing is left out, except for what exceeds a limit.
  package let showsEverything: Bool
  private var watched: WatchedSelection
  private var window: TimeWindow

  package init(_ options: ShowOptions) {
    let selection = options.selection
    window = TimeWindow(selection, options.time.readingOffset(options.zoneOffset))
    lastPacket = selection.lastPacket ?? .max
    showsEverything = selection.isEverything
    watched = WatchedSelection(selection)
  }

  /// Whether all packets that can be shown have been.
  var isSatisfied: Bool { isPastSelection || selection.limit.map { shown >= $0 } ?? false }

  /// Returns why nothing was shown; otherwise what is still open, if the capture was read to its
  /// end.
  package func remark(_ reading: borrowing ValueReading) -> String? {
    remark ?? (isSatisfied ? nil : reading.openRemark(isAllWorded: showsEverything))
  }

  /// Why nothing was shown, or nil if something was.
  var remark: String? {
    if shown > 0 || selection.limit == 0 { return nil }
    guard hasSeenPackets else { return "the capture holds no records" }
    // If reading stopped early, names may have followed.
    return (isPastSelection ? nil : watched.devices.absence) ?? "no packet matches the selection"
  }

  /// Describes a packet, or returns false if it is not selected. The cheap checks come first: a
  /// packet that is not shown is described only if words are searched.
  package mutating func word(
    _ packet: borrowing Packet, _ memory: borrowing Memory, in sentence: inout Sentence
  ) -> Bool {
    hasSeenPackets = true
    window.observe(packet.record.time)
    if !showsEverything, !admits(packet, memory) {
      sentence.follow(packet, memory)
      return false
    }
    sentence.clear()
    sentence.packet(packet, memory)
    if !selection.words.isEmpty, !selection.admits(line: sentence.output.bytes) { return false }
    shown += 1
    return true
  }

  /// Records the name under which the captured host itself advertises, which may be the selected
  /// one.
  mutating func learn(name: [UInt8]) { watched.learn(name: name) }

  /// Records a packet that is not shown for another reason than the selection.
  package mutating func skip(_ record: borrowing CaptureRecord) {
    hasSeenPackets = true
    window.observe(record.time)
  }

  /// Returns whether a packet belongs to an excluded device.
  func excludesDevice(
    _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> Bool { watched.excludesDevice(packet, memory) }

  /// Returns whether a packet is selected, apart from its words.
  private mutating func admits(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    if packet.record.number >= lastPacket { isPastSelection = true }
    watched.learn(memory.names)
    return window.contains(packet.record.time)
      && watched.admits(packet, memory)
  }
}
