import Bluetooth
import Diagnosis
import Histories
import Meanings
import Sessions

extension ConnectionHistory {
  /// The lines about L2CAP channels: opened, refused, used, changed, closed. The history bounds
  /// their number.
  var channelStory: [StoryLine] {
    Self.countingOmitted(
      channels.openings.map(Self.opened), channels.omittedOpenings,
      "more channel opened", "more channels opened")
      + Self.countingOmitted(
        channels.refusals.map(Self.refused), channels.omittedRefusals,
        "more request refused", "more requests refused")
      + channels.streams.map {
        StoryLine(
          $0.moment, "a connected isochronous stream, CIS \(handle: $0.handle), is established")
      }
      + channels.open.filter(\.isConnection).map(Self.unanswered)
      + Self.countingOmitted(
        channels.changes.map(Self.changed), channels.omittedChanges,
        "more channel changed", "more channels changed")
      + channels.uses.map { Self.used($0, among: channels.uses) } + omittedUse
      + Self.countingOmitted(
        channels.closings.map(Self.closed), channels.omittedClosings,
        "more channel closed", "more channels closed")
  }

  /// The data on channels that are not listed individually.
  private var omittedUse: [StoryLine] {
    let use = channels.omittedUse
    guard let first = use.first, let last = use.last else { return [] }
    return [
      StoryLine(
        first, to: last.packet,
        "\(count: use.count, "SDU", "SDUs") on channels that are not listed individually")
    ]
  }

  /// Returns the lines, followed by the number of later ones that the history omits.
  private static func countingOmitted(
    _ lines: [StoryLine], _ omitted: Int, _ one: StaticString, _ several: StaticString
  ) -> [StoryLine] {
    guard omitted > 0, let last = lines.last else { return lines }
    let place = Moment(packet: last.packets.lowerBound, time: last.time)
    return lines + [StoryLine(place, "\(count: omitted, one, several)")]
  }

  private static func opened(_ request: ChannelRequest) -> StoryLine {
    let (own, other) = (request.offer.words, request.answered.words)
    var sizes: Wording = own.isEmpty ? "" : ": \(own)"
    if !other.isEmpty {
      let name = request.side.other.words
      sizes = own.isEmpty ? ": \(name) \(other)" : "\(sizes); \(name) \(other)"
    }
    let last = request.answer ?? request.asked
    return StoryLine(
      request.asked, to: last.packet,
      "\(request.side.words) opens \(request.channels(request.opened))\(sizes)")
  }

  private static func refused(_ request: ChannelRequest) -> StoryLine {
    let times = Wording.timesAside(request.times)
    return StoryLine(
      request.asked, to: request.answer?.packet ?? request.asked.packet,
      "\(request.refusalClause): \(request.resultWords)\(times)")
  }

  private static func unanswered(_ request: ChannelRequest) -> StoryLine {
    let outcome: Wording = request.pending == nil ? "no answer" : "pending, then no answer"
    return StoryLine(
      request.asked, to: request.pending?.packet ?? request.asked.packet,
      "\(request.side.words) requests \(request.channels): \(outcome)")
  }

  private static func changed(_ request: ChannelRequest) -> StoryLine {
    StoryLine(
      request.asked, to: request.answer?.packet ?? request.asked.packet,
      "\(request.side.words) now accepts \(request.offer.words) on \(request.channels)"
    )
  }

  private static func used(
    _ use: ChannelHistory.Use, among uses: [ChannelHistory.Use]
  ) -> StoryLine {
    let moments = [use.sent.first, use.received.first].compactMap(\.self)
    let last = max(use.sent.last?.packet ?? 0, use.received.last?.packet ?? 0)
    let start = moments.min { $0.packet < $1.packet } ?? Moment(packet: last, time: nil)
    func way(_ tally: Tally, _ credited: ChannelHistory.Credited?, _ words: StaticString) -> Wording
    {
      guard tally.count > 0 || credited?.waits ?? 0 > 0 else { return "" }
      let sdus: Wording = "\(count: tally.count, "SDU", "SDUs") \(words)"
      guard let credited else { return sdus }
      let credits: Wording =
        credited.credits > 0
        ? ", \(count: credited.credits, "further credit", "further credits")" : ""
      let waited: Wording =
        credited.waits > 0 ? ", \(duration: credited.waited) without credits" : ""
      return "\(sdus) (\(bytes: credited.bytes)\(credits)\(waited))"
    }
    let ways = [
      way(use.sent, use.credited?.sent, "to the peer"),
      way(use.received, use.credited?.received, "from the peer"),
    ].filter { !$0.isEmpty }
    let channel = channel(for: use.psm, isOneOfSeveral: uses.count { $0.psm == use.psm } > 1)
    return StoryLine(start, to: last, "\(Wording(ways, joinedBy: ", ")) on \(channel)")
  }

  /// Returns `the channel for SPSM 0x0081`.
  private static func channel(for psm: PSM?, isOneOfSeveral: Bool) -> Wording {
    guard let psm else { return "a channel whose opening is not in the capture" }
    return isOneOfSeveral ? "one of the channels for \(psm)" : "the channel for \(psm)"
  }

  private static func closed(_ closing: ChannelHistory.Closing) -> StoryLine {
    let channel = channel(for: closing.psm, isOneOfSeveral: closing.hasOthers)
    let open: Wording = closing.answer == nil ? ", not answered" : ""
    return StoryLine(
      closing.asked, to: closing.answer?.packet ?? closing.asked.packet,
      "\(closing.side.words) closes \(channel)\(open)")
  }
}
