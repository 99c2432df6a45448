import Bluetooth
package import Bytes
package import Captures
package import Dissectors
package import Sessions

/// Which packets make a selection that can be understood by itself: those that were asked for, and those
/// that come along.
///
/// With a packet come all parts of what it is a part of (fragments, long values, vendors' messages, chains of
/// reports), the request that it answers or its answer, and the setup of its connection (`ConnectionSetups`).
package struct ChoosingReport: PacketReport, ~Copyable {
  private var showing: Showing
  private var sentence: Sentence
  /// What was asked for.
  private var chosen = ChosenPackets()
  /// That, and the other parts of messages of which a part is: what answers one of these comes along.
  private var wanted = ChosenPackets()
  /// What was asked for and what comes along.
  private var kept = ChosenPackets()
  private var setups = ConnectionSetups()
  /// The packets of PDUs that came in several: how many, then their numbers.
  private var joined: [Int] = []

  /// A report that chooses as `show` with these options does.
  package init(_ options: ShowOptions) {
    showing = Showing(options)
    sentence = Sentence(showsKeys: false, glyphs: .utf8, profiles: options.profiles)
  }

  /// Never: what comes along may come last.
  package var isSatisfied: Bool { false }

  /// Why nothing was chosen.
  package var remark: String? { showing.remark }

  /// The packets, and how many of them were asked for; to be read when the capture has ended.
  package var result: (kept: ChosenPackets, chosen: Int) { (kept, chosen.count) }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    let number = record.number
    // What is read of this packet, not of one before it.
    sentence.clear()
    var isAskedFor = false
    if showing.isSatisfied {
      // The answers to what was asked for may follow.
      sentence.follow(record, dissection, bytes, answer, memory)
    } else {
      isAskedFor = showing.word(record, dissection, bytes, answer, memory, in: &sentence)
    }
    let parts = answer.fragment.isJoined ? fragments : []
    if parts.count > 1 {
      joined.append(parts.count)
      joined += parts
    }
    let request = answer.request?.packet
    if isAskedFor || parts.contains(where: { chosen.contains($0) }) {
      if isAskedFor {
        chosen.insert(number)
        wanted.insert(number)
        if sentence.reading.hasMeaning { kept.insert(sentence.reading.related) }
      }
      wanted.insert(sentence.reading.parts)
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
      setups.need(record, answer, memory)
    } else {
      if let request, chosen.contains(request) { kept.insert(number) }
      bringMessage(record, answer, memory)
    }
    setups.observe(record, dissection, bytes, answer, memory)
  }

  /// Keeps a vendor's message that was not asked for, where a part of it was, or the request that it answers.
  private mutating func bringMessage(
    _ record: borrowing CaptureRecord, _ answer: Answer, _ memory: borrowing Memory
  ) {
    let parts = sentence.reading.parts
    let isPart = parts.contains { wanted.contains($0) }
    guard isPart || sentence.reading.requests.contains(where: { wanted.contains($0) }) else {
      return
    }
    if isPart {
      wanted.insert(record.number)
      wanted.insert(parts)
    }
    kept.insert(record.number)
    kept.insert(sentence.reading.related)
    setups.need(record, answer, memory)
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard kept.count > 0 else { return }
    setups.keep(in: &kept)
    var place = 0
    while place < joined.count {
      let parts = joined[place + 1..<place + 1 + joined[place]]
      // A part alone is one, too, where it was asked for; then the whole came along already.
      if parts.contains(where: { kept.contains($0) }) { kept.insert(parts) }
      place += 1 + joined[place]
    }
  }
}
