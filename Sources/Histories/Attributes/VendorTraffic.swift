package import Bluetooth
import Bytes
package import Decoders
package import Meanings
import Sessions

/// The messages in vendor protocols on a connection. Bounded like `VendorMessages`; of failures the
/// first ones are listed.
package struct VendorTraffic: Sendable {
  /// A frame with a wrong checksum.
  package struct BadFrame: Sendable {
    package let profile: String
    package let sender: Side
    /// The packet with its end.
    package let moment: Moment
    /// Its content, as `show` words it; nil if there are no words for it.
    package let words: Wording?
    /// The command; nil if the protocol has none.
    package let command: Int?
    package let isRequest: Bool
    package let found: UInt32
    package let expected: UInt32
    /// What the other side sent next, with its words if there are any.
    package fileprivate(set) var next: (moment: Moment, words: Wording?)?
    /// Whether the other side answered this frame.
    package fileprivate(set) var isAnswered = false
  }

  /// Messages that were split over several values.
  package struct Joined: Sendable {
    package let sender: Side
    /// Whether they were written; otherwise they were notified.
    package let isWritten: Bool
    package let length: Int
    package let parts: Int
    package fileprivate(set) var count: Int
    package let first: PacketSet
    package fileprivate(set) var last: PacketSet
  }

  /// A value that is a message, or a part of one.
  struct Seen {
    let vendor: Int
    let isRequest: Bool
    let isAnswer: Bool
  }

  package private(set) var badFrames: [BadFrame] = []
  /// Messages in several values, by their lengths.
  package private(set) var joined: [Joined] = []
  /// The results of requests and series, by protocol; empty before the end.
  package private(set) var tallies: [VendorTally] = []
  /// The first message: its protocol, its name in the profile, its content and its packet.
  package private(set) var opening:
    (profile: String, name: String, words: Wording?, moment: Moment)?
  private var messages = VendorMessages()
  /// The last record before which others were lost.
  private var gap = 0

  private static let mostListed = 16
  package let knowledge: ProfileKnowledge

  init(_ knowledge: ProfileKnowledge) { self.knowledge = knowledge }

  package func name(_ vendor: Int) -> String {
    knowledge.vendors.indices.contains(vendor) ? knowledge.vendors[vendor].profile : ""
  }

  /// Records a value, or returns nil if it is neither a message nor a part of one.
  mutating func record(
    _ value: RawSpan, of uuid: BluetoothUUID?, _ handle: UInt16, of server: Side,
    _ claims: [(vendor: Int, isByFrame: Bool)], _ way: VendorProtocol.Path, _ sender: Side,
    _ moment: Moment, gap: Int
  ) -> Seen? {
    noteGap(gap)
    for claim in claims where knowledge.vendors.indices.contains(claim.vendor) {
      let vendor = knowledge.vendors[claim.vendor]
      // Nearly no value begins like one of its messages.
      guard messages.hasOpenFrames || vendor.canBegin(with: value.byte(at: 0)) else { continue }
      guard let isRequestChannel = vendor.isRequestChannel(way, uuid) else { continue }
      let channel = VendorChannel(
        of: claim.vendor, isByFrame: claim.isByFrame, conversation: server == .local ? 1 : 0,
        handle: handle, isWritten: way == .written)
      let found = messages.accept(
        vendor, on: channel, isRequestChannel: isRequestChannel, value, packet: moment.packet,
        time: moment.time)
      guard let found else { continue }
      var seen = note(found, value, sender, moment, claim.vendor, isWritten: way == .written)
      for more in messages.following where more.message != nil {
        let other = note(more, value, sender, moment, claim.vendor, isWritten: way == .written)
        seen = Seen(
          vendor: seen.vendor, isRequest: seen.isRequest || other.isRequest,
          isAnswer: seen.isAnswer || other.isAnswer)
      }
      return seen
    }
    return nil
  }

  /// Forgets what is open if records are missing since the last value.
  private mutating func noteGap(_ gap: Int) {
    guard gap != self.gap else { return }
    self.gap = gap
    messages.interrupt()
  }

  /// Records that a server refused the request in a packet.
  mutating func refuse(_ packet: Int) { messages.refuse(packet) }

  /// Processes the end of the capture.
  ///
  /// - Parameter end: the end of the connection or of the capture.
  mutating func finish(at end: Timestamp?, isLost: Bool, gap: Int) {
    noteGap(gap)
    messages.finish { since, timeout in
      // What was sent when the link broke down may not have arrived.
      guard !isLost else { return false }
      guard let since, let end else { return true }
      return end.nanoseconds(since: since) > Int64(timeout) * 1_000_000
    }
    tallies = messages.tallies.filter { !$0.isEmpty }
    messages = VendorMessages()
  }

  private mutating func note(
    _ sighting: VendorSighting, _ value: RawSpan, _ sender: Side, _ moment: Moment, _ vendor: Int,
    isWritten: Bool
  ) -> Seen {
    let isMessage = sighting.message != nil
    if isMessage {
      if opening == nil {
        let name = sighting.message.flatMap { $0.isImplied ? nil : $0.definition.name }
        opening = (
          sighting.vendor.profile, name ?? "", sighting.words(value, writesProblems: false), moment
        )
      }
      for index in badFrames.indices where badFrames[index].sender != sender {
        if badFrames[index].next == nil {
          badFrames[index].next = (moment, sighting.words(value, writesProblems: false))
        }
        if sighting.request == badFrames[index].moment.packet { badFrames[index].isAnswered = true }
      }
      if let frame = sighting.frame, let checksum = frame.checksum, !frame.isSound,
        badFrames.count < Self.mostListed
      {
        badFrames.append(
          BadFrame(
            profile: sighting.vendor.profile, sender: sender, moment: moment,
            words: sighting.words(value, writesProblems: false), command: sighting.command,
            isRequest: sighting.isRequest, found: checksum.found, expected: checksum.expected))
      }
      if sighting.isJoined, sighting.packets.count > 1 { join(sighting, sender, isWritten) }
    }
    return Seen(
      vendor: vendor, isRequest: isMessage && sighting.isRequest, isAnswer: sighting.request != nil)
  }

  private mutating func join(_ sighting: VendorSighting, _ sender: Side, _ isWritten: Bool) {
    guard let frame = sighting.frame else { return }
    // The packets of its own values, not those sent between them.
    let packets = PacketSet(runsOf: sighting.packets)
    let (length, parts) = (Int(frame.bytes.count), sighting.packets.count)
    let known = joined.firstIndex {
      $0.sender == sender && $0.isWritten == isWritten && $0.length == length && $0.parts == parts
    }
    if let known {
      joined[known].count += 1
      joined[known].last = packets
    } else if joined.count < Self.mostListed {
      joined.append(
        Joined(
          sender: sender, isWritten: isWritten, length: length, parts: parts, count: 1,
          first: packets, last: packets))
    }
  }
}
