package import Bluetooth
import Diagnosis
package import Histories
package import Meanings

/// A line of a connection's story: `#42  0.076  MTU 100 (this host offers 100, the peer 517)`.
package struct StoryLine: Sendable {
  /// The first and the last packet that it is about.
  package var packets: ClosedRange<Int>
  /// The time of the first packet.
  package var time: Timestamp?
  /// What happened, in lower case, without a full stop.
  package var text: Wording
  /// The consequences, each on a line of its own after `⇒`.
  package var consequences: [Wording] = []

  /// Creates a line about one packet.
  init(_ moment: Moment, _ text: Wording, _ consequences: [Wording] = []) {
    self.init(moment, to: moment.packet, text, consequences)
  }

  /// Creates a line about a range of packets.
  init(_ moment: Moment, to last: Int, _ text: Wording, _ consequences: [Wording] = []) {
    packets = moment.packet...max(moment.packet, last)
    time = moment.time
    self.text = text
    self.consequences = consequences
  }
}

extension ConnectionHistory {
  /// Returns the story of the connection, in the order of packets. Lines with the same text that
  /// follow each other become one.
  package func story(_ evidence: Evidence) -> [StoryLine] {
    let lines =
      linkStory(evidence) + pairingStory(evidence) + encryptionStory(evidence)
      + attributeStory(evidence) + channelStory
    let sorted = lines.enumerated().sorted {
      ($0.element.packets.lowerBound, $0.offset) < ($1.element.packets.lowerBound, $1.offset)
    }.map(\.element)
    var story: [(line: StoryLine, count: Int)] = []
    for line in sorted {
      if let last = story.last?.line, last.text == line.text, line.consequences.isEmpty,
        last.consequences.isEmpty
      {
        let end = max(last.packets.upperBound, line.packets.upperBound)
        story[story.count - 1].line.packets = last.packets.lowerBound...end
        story[story.count - 1].count += 1
      } else {
        story.append((line, 1))
      }
    }
    return story.map { line, count in
      var line = line
      if count > 1 { line.text = "\(line.text), \(count) times" }
      return line
    }
  }

  /// Returns the story with the names of the two ends.
  package func namedStory(_ evidence: Evidence) -> [StoryLine] {
    let names = evidence.names(of: [self])
    return story(evidence).map { line in
      var line = line
      line.text = line.text.naming(names)
      line.consequences = line.consequences.map { $0.naming(names) }
      return line
    }
  }
}
