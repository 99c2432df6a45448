import Bluetooth
package import Bytes
package import Captures
import Meanings
package import Sessions

/// Determines which packets form a selection that can be understood on its own: those that were
/// requested, and those that they depend on.
///
/// Each packet is accompanied by all parts of what it is a part of (fragments, long values, vendor
/// messages, chains of reports), the request that it answers or its answer, and the setup of its
/// connection (`ConnectionSetups`).
package struct ChoosingReport: PacketReport, ~Copyable {
  private var showing: Showing
  private var sentence: Sentence
  /// The packets that were requested.
  private var chosen = ChosenPackets()
  /// The requested packets and the other parts of their messages, whose answers are kept, too.
  private var wanted = ChosenPackets()
  /// The requested packets and those that they depend on.
  private var kept = ChosenPackets()
  /// The packets of excluded devices, which nothing brings back.
  private var barred = ChosenPackets()
  private var setups = ConnectionSetups()
  /// The packets of PDUs that were split: the number of packets, then their numbers.
  private var joined: [Int] = []

  /// Creates a report that selects packets as `show` does with these options.
  package init(_ options: ShowOptions) {
    showing = Showing(options)
    sentence = Sentence(showsKeys: false, glyphs: .utf8, profiles: options.profiles)
  }

  /// Always false: the last packet may be one that an earlier one depends on.
  package var isSatisfied: Bool { false }

  /// Why no packet was selected.
  package var remark: String? { showing.remark }

  /// The packets to keep, and the number of requested packets; valid after the end of the capture.
  package var result: (kept: ChosenPackets, chosen: Int) { (kept, chosen.count) }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    let number = packet.record.number
    // Discards what was read of earlier packets.
    sentence.clear()
    var isAskedFor = false
    if showing.isSatisfied {
      // Responses to requested packets may follow.
      sentence.follow(packet, memory)
    } else {
      isAskedFor = showing.word(packet, memory, in: &sentence)
    }
    if !isAskedFor, showing.excludesDevice(packet, memory) {
      barred.insert(number)
    }
    let parts = packet.parts
    if parts.count > 1 {
      joined.append(parts.count)
      joined += parts
    }
    let request = packet.answer.request?.packet
    if isAskedFor || parts.contains(where: { chosen.contains($0) }) {
      if isAskedFor {
        chosen.insert(number)
        wanted.insert(number)
        if sentence.reading.meaning.isKnown { kept.insert(sentence.reading.meaning.related) }
      }
      wanted.insert(sentence.reading.meaning.parts)
      kept.insert(number)
      if let request { kept.insert(request) }
      if !memory.longValues.isEmpty {
        let packets = memory.longValues.packets
        for value in memory.longValues.values { kept.insert(packets[value.packets]) }
      }
      for advertisement in memory.advertisements.reports {
        if let chain = advertisement.chain {
          kept.insert(memory.advertisements.packets[chain])
        }
      }
      setups.need(packet, memory)
    } else {
      if let request, chosen.contains(request) { kept.insert(number) }
      bringMessage(packet, memory)
    }
    setups.observe(packet, memory)
  }

  /// Keeps a vendor message that was not requested, if a part of it, or the request that it
  /// answers, was.
  private mutating func bringMessage(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    let (parts, requests) = (sentence.reading.meaning.parts, sentence.reading.meaning.requests)
    let isPart = parts.contains { wanted.contains($0) }
    guard isPart || requests.contains(where: { wanted.contains($0) }) else { return }
    if isPart {
      wanted.insert(packet.record.number)
      wanted.insert(parts)
    }
    kept.insert(packet.record.number)
    kept.insert(sentence.reading.meaning.related)
    setups.need(packet, memory)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard kept.count > 0 else { return }
    setups.keep(in: &kept)
    var place = 0
    while place < joined.count {
      let parts = joined[place + 1..<place + 1 + joined[place]]
      // A requested part may be alone; the whole is then kept already.
      if parts.contains(where: { kept.contains($0) }) { kept.insert(parts) }
      place += 1 + joined[place]
    }
    kept.subtract(barred)
  }
}
