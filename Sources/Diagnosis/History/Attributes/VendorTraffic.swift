import Bluetooth
import Bytes
package import Decoders
import Sessions

/// What was said in frames of vendors' protocols on a connection. Bounded as `VendorMessages` is; of what
/// went wrong the first ones are listed.
package struct VendorTraffic: Sendable {
  /// A frame with a wrong checksum.
  package struct BadFrame: Sendable {
    /// The protocol's name.
    package let profile: String
    /// Who sent it.
    package let sender: Side
    /// The packet with its end.
    package let moment: Moment
    /// The command, and what the profile calls it.
    package let command: Int?
    package let name: String?
    /// Whether it asks for something.
    package let isRequest: Bool
    /// The checksum that is there, and the right one.
    package let found: UInt32
    package let expected: UInt32
    /// What the other side sent next, and whether it answers this frame.
    package fileprivate(set) var next: (moment: Moment, command: Int?)?
    package fileprivate(set) var isAnswered = false
  }

  /// Messages that took several values.
  package struct Joined: Sendable {
    /// Who sent them, and whether in writes.
    package let sender: Side
    package let isWritten: Bool
    /// How many bytes a frame has, and how many values it took.
    package let length: Int
    package let parts: Int
    /// How many there were, and the packets of the first and of the last.
    package fileprivate(set) var count: Int
    package let first: ClosedRange<Int>
    package fileprivate(set) var last: ClosedRange<Int>
  }

  /// A value that is a message, or a part of one.
  struct Seen {
    let vendor: Int
    let isRequest: Bool
    let isAnswer: Bool
  }

  /// Frames with a wrong checksum.
  package private(set) var badFrames: [BadFrame] = []
  /// Messages in several values, by their lengths.
  package private(set) var joined: [Joined] = []
  /// What became of requests and series, by protocol; empty before the end.
  package private(set) var tallies: [VendorTally] = []
  /// The first message: which protocol, what the profile calls it, and where.
  package private(set) var opening: (profile: String, name: String, moment: Moment)?
  private var messages: VendorMessages?

  private static let mostListed = 16
  let knowledge: ProfileKnowledge

  /// Nothing said.
  init(_ knowledge: ProfileKnowledge) { self.knowledge = knowledge }

  /// What a protocol is called.
  package func name(_ vendor: Int) -> String {
    knowledge.vendors.indices.contains(vendor) ? knowledge.vendors[vendor].profile : ""
  }

  /// Takes a value; nil where it is no message, and no part of one.
  mutating func take(
    _ value: RawSpan, _ attribute: AttributeUsage, _ claims: [(vendor: Int, isByFrame: Bool)],
    _ way: VendorProtocol.Way, _ sender: Side, _ moment: Moment
  ) -> Seen? {
    for claim in claims where knowledge.vendors.indices.contains(claim.vendor) {
      let vendor = knowledge.vendors[claim.vendor]
      guard let isRequestChannel = vendor.isRequestChannel(way, attribute.identity.uuid) else {
        continue
      }
      if messages == nil { messages = VendorMessages() }
      let found = messages?.accept(
        vendor, at: claim.vendor, isByFrame: claim.isByFrame,
        conversation: attribute.server == .local ? 1 : 0, handle: attribute.handle,
        isWritten: way == .written, isRequestChannel: isRequestChannel, value,
        packet: moment.packet, time: moment.time)
      guard let found else { continue }
      var seen = note(found, sender, moment, claim.vendor, isWritten: way == .written)
      for more in messages?.following ?? [] where more.message != nil {
        let other = note(more, sender, moment, claim.vendor, isWritten: way == .written)
        seen = Seen(
          vendor: seen.vendor, isRequest: seen.isRequest || other.isRequest,
          isAnswer: seen.isAnswer || other.isAnswer)
      }
      return seen
    }
    return nil
  }

  /// Takes in that a server refused the request of a packet.
  mutating func refuse(_ packet: Int) { messages?.refuse(packet) }

  /// Takes the end.
  mutating func finish() {
    messages?.finish()
    tallies = messages?.tallies.filter { !$0.isEmpty } ?? []
    messages = nil
  }

  private mutating func note(
    _ sighting: VendorSighting, _ sender: Side, _ moment: Moment, _ vendor: Int, isWritten: Bool
  ) -> Seen {
    let isMessage = sighting.message != nil
    if isMessage {
      let name = sighting.message.flatMap { $0.isImplied ? nil : $0.definition.name }
      if opening == nil { opening = (sighting.vendor.profile, name ?? "", moment) }
      for index in badFrames.indices where badFrames[index].sender != sender {
        if badFrames[index].next == nil { badFrames[index].next = (moment, sighting.command) }
        if sighting.request == badFrames[index].moment.packet {
          badFrames[index].isAnswered = true
        }
      }
      if let frame = sighting.frame, let checksum = frame.checksum, !frame.isSound,
        badFrames.count < Self.mostListed
      {
        badFrames.append(
          BadFrame(
            profile: sighting.vendor.profile, sender: sender, moment: moment,
            command: sighting.command, name: name, isRequest: sighting.isRequest,
            found: checksum.found, expected: checksum.expected))
      }
      if sighting.isJoined, sighting.packets.count > 1 { join(sighting, sender, isWritten) }
    }
    return Seen(
      vendor: vendor, isRequest: isMessage && sighting.isRequest,
      isAnswer: sighting.request != nil)
  }

  private mutating func join(_ sighting: VendorSighting, _ sender: Side, _ isWritten: Bool) {
    guard let first = sighting.packets.first, let last = sighting.packets.last, first <= last,
      let frame = sighting.frame
    else { return }
    let (length, parts) = (Int(frame.bytes.count), sighting.packets.count)
    let known = joined.firstIndex {
      $0.sender == sender && $0.isWritten == isWritten && $0.length == length && $0.parts == parts
    }
    if let known {
      joined[known].count += 1
      joined[known].last = first...last
    } else if joined.count < Self.mostListed {
      joined.append(
        Joined(
          sender: sender, isWritten: isWritten, length: length, parts: parts, count: 1,
          first: first...last,
          last: first...last))
    }
  }
}
