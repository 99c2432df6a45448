import Bluetooth
import Diagnosis

/// A line of a connection's story: `#42  0.076  MTU 100 (this host takes 100, the peer 517)`.
struct StoryLine: Sendable {
  /// The packets that it is about: the first and the last.
  var packets: ClosedRange<Int>
  /// When the first one came.
  var time: Timestamp?
  /// What happened, lower case, without a full stop.
  var text: Wording
  /// What follows from it, each on a line of its own behind `⇒`.
  var consequences: [Wording] = []

  /// A line about one packet.
  init(_ moment: Moment, _ text: Wording, _ consequences: [Wording] = []) {
    self.init(moment, to: moment.packet, text, consequences)
  }

  /// A line about packets from one to another.
  init(_ moment: Moment, to last: Int, _ text: Wording, _ consequences: [Wording] = []) {
    packets = moment.packet...max(moment.packet, last)
    time = moment.time
    self.text = text
    self.consequences = consequences
  }
}

extension ConnectionHistory {
  /// The story of the connection, in the order of packets.
  func story(_ evidence: Evidence) -> [StoryLine] {
    let lines =
      linkStory(evidence) + pairingStory(evidence) + encryptionStory(evidence)
      + attributeStory(evidence) + channelStory
    return lines.enumerated().sorted {
      ($0.element.packets.lowerBound, $0.offset) < ($1.element.packets.lowerBound, $1.offset)
    }.map(\.element)
  }
}
