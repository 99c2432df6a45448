package import Bluetooth
import Bytes

/// The open frames and requests of vendors' protocols: the only thing that decoding remembers.
///
/// A channel is one direction of an attribute within a conversation. Bounded: if there are too many
/// channels (`VendorChannels.most`) or requests, the channel that was silent longest or the oldest
/// request is dropped. A frame that is being joined is no longer than its protocol allows, and is
/// given up after the protocol's timeout.
package struct VendorMessages: Sendable {
  /// A value's context.
  struct Moment: Sendable {
    let vendor: VendorProtocol
    /// The index of the protocol.
    let place: Int
    let isByFrame: Bool
    let conversation: UInt64
    let isRequestChannel: Bool
    let packet: Int
    let time: Timestamp?
  }

  /// The most packets listed for a frame, and for unanswered requests.
  static let listed = 64
  /// The most frames of one value that are distinguished.
  private static let mostFrames = 64

  var channels = VendorChannels()
  /// The number of channels with an open frame.
  private var openCount = 0
  /// The requests that wait for an answer.
  var requests: [Request] = []
  /// The announced series that are not complete.
  var series: [VendorSeries] = []
  /// Examines messages: whether they are complete, and what they announce.
  var looker = MessageLooker()
  /// The messages after the first one, if the last value had several.
  package private(set) var following: [VendorSighting] = []
  /// The outcomes of requests, by conversation.
  package internal(set) var tallies: [VendorTally] = []

  package init() {}

  /// Whether any frame is open.
  package var hasOpenFrames: Bool { openCount > 0 }

  /// Processes a value on a channel where a protocol may be used.
  ///
  /// - Parameters:
  ///   - place: the index of the protocol, which distinguishes it from others.
  ///   - isByFrame: whether only the frame shows that the protocol is used here.
  ///   - conversation: distinguishes devices, or connections with them; below 2^46.
  ///   - isRequestChannel: whether requests go in this direction.
  /// - Returns: nil if the value does not belong to the protocol; of several messages the first
  ///   one, with the others in `following`.
  package mutating func accept(
    _ vendor: VendorProtocol, at place: Int, isByFrame: Bool, conversation: UInt64,
    handle: UInt16, isWritten: Bool, isRequestChannel: Bool, _ bytes: RawSpan, packet: Int,
    time: Timestamp?
  ) -> VendorSighting? {
    if !following.isEmpty { following.removeAll() }
    let extent = vendor.frame.extent(of: bytes)
    // On a channel where only frames identify the protocol, most values are not frames and belong
    // to none.
    if extent == .none, openCount == 0 { return nil }
    let key = Self.key(conversation, handle, isWritten: isWritten)
    guard let slot = slot(key, place, makes: extent != .none) else { return nil }
    if extent == .none, channels[slot].open.isEmpty { return nil }
    let moment = Moment(
      vendor: vendor, place: place, isByFrame: isByFrame, conversation: conversation,
      isRequestChannel: isRequestChannel, packet: packet, time: time)
    var over: Unfinished?
    if !channels[slot].open.isEmpty {
      if isOver(slot, bytes, extent, moment) || isOvertaken(slot, bytes, moment) {
        over = abandon(slot, moment)
      } else {
        var sighting = goOn(slot, bytes, moment)
        // If the open frame was given up, this value may begin a new one.
        if sighting != nil || !channels[slot].open.isEmpty {
          sighting?.isKnown(by: channels[slot].recognition)
          return sighting
        }
      }
    }
    var sighting = begin(slot, bytes, extent, moment)
    if let over { sighting?.unfinished.append(over) }
    sighting?.isKnown(by: channels[slot].recognition)
    return sighting
  }

  /// Processes a value on a channel without an open frame.
  private mutating func begin(
    _ slot: Int, _ bytes: RawSpan, _ extent: FrameExtent, _ moment: Moment
  ) -> VendorSighting? {
    let vendor = moment.vendor
    switch extent {
    case .none: return nil
    case .partial(let total): return begin(slot, bytes, total, moment)
    case .complete(let count):
      guard count == bytes.byteCount else {
        return several(slot, bytes.array, [moment.packet], moment)
      }
      if vendor.frame.isOpenEnded, isIncomplete(bytes, moment, began: moment.time) {
        return begin(slot, bytes, nil, moment)
      }
      let frame = vendor.frame.parts(of: bytes, Slice(start: 0, count: count))
      if vendor.frame.isVerifiable, frame.isSound { channels[slot].recognize(in: [moment.packet]) }
      guard isKnown(slot, moment) else { return nil }
      let sighting = VendorSighting(vendor: vendor, isByFrame: moment.isByFrame)
      return tell(sighting, frame, bytes, slot, moment)
    }
  }

  private static func key(_ conversation: UInt64, _ handle: UInt16, isWritten: Bool) -> UInt64 {
    conversation << 18 | UInt64(handle) << 2 | (isWritten ? 1 : 0)
  }

  /// Returns the open frame of a protocol on a channel: how many of its bytes are present, and its
  /// total length if known; nil if no frame is open.
  package mutating func openFrame(
    _ vendor: VendorProtocol, at place: Int, conversation: UInt64, handle: UInt16, isWritten: Bool
  ) -> (count: Int, total: Int?)? {
    let key = Self.key(conversation, handle, isWritten: isWritten)
    guard let slot = channels.find(key, place), !channels[slot].open.isEmpty else { return nil }
    let begun = channels[slot].open
    guard case .partial(let total) = vendor.frame.extent(of: begun.bytes) else {
      return (begun.count, nil)
    }
    return (begun.count, total)
  }

  /// Returns whether the protocol is known to be used on a channel.
  private func isKnown(_ slot: Int, _ moment: Moment) -> Bool {
    channels[slot].isRecognized || !moment.isByFrame
  }

  // MARK: Frames over several values

  /// Returns whether a value cannot continue the open frame of a channel.
  private func isOver(
    _ slot: Int, _ bytes: RawSpan, _ extent: FrameExtent, _ moment: Moment
  ) -> Bool {
    let wait = Int64(moment.vendor.frame.timeout ?? 0) * 1_000_000
    if let began = channels[slot].began, let time = moment.time,
      time.nanoseconds(since: began) > wait
    {
      return true
    }
    // A whole frame with a correct checksum is a frame of its own.
    if case .complete(let count) = extent, count == bytes.byteCount,
      moment.vendor.isRecognized(in: bytes)
    {
      return true
    }
    return channels[slot].open.count + bytes.byteCount > moment.vendor.frame.most
  }

  /// Begins a frame that continues in later values; nil if the protocol is not known to be used
  /// here.
  private mutating func begin(
    _ slot: Int, _ bytes: RawSpan, _ total: Int?, _ moment: Moment
  ) -> VendorSighting? {
    guard moment.vendor.frame.timeout != nil, bytes.byteCount <= moment.vendor.frame.most else {
      return nil
    }
    channels[slot].open.append(bytes)
    channels[slot].packets.removeAll(keepingCapacity: true)
    channels[slot].packets.append(moment.packet)
    channels[slot].began = moment.time
    channels[slot].isKnown = isKnown(slot, moment)
    openCount += 1
    guard channels[slot].isKnown else { return nil }
    _ = tally(moment.vendor.profile, moment.place, moment.conversation)
    var sighting = VendorSighting(vendor: moment.vendor, isByFrame: moment.isByFrame)
    sighting.part = Slice(start: 0, count: bytes.byteCount)
    sighting.total = total
    sighting.command = moment.vendor.frame.command(of: bytes)
    sighting.packets = [moment.packet]
    return sighting
  }

  /// Continues the open frame of a channel; nil if the value is not part of it.
  private mutating func goOn(
    _ slot: Int, _ bytes: RawSpan, _ moment: Moment
  ) -> VendorSighting? {
    let start = channels[slot].open.count
    channels[slot].open.append(bytes)
    if channels[slot].packets.count < Self.listed { channels[slot].packets.append(moment.packet) }
    let layout = moment.vendor.frame
    let whole = channels[slot].open
    var extent = layout.extent(of: whole.bytes, searchedUpTo: start)
    if layout.isOpenEnded, extent != .none,
      isIncomplete(whole.bytes, moment, began: channels[slot].began)
    {
      extent = .partial(total: nil)
    }
    switch extent {
    case .complete(let count):
      let packets = channels[slot].packets
      close(slot)
      guard count == whole.count else { return several(slot, whole, packets, moment) }
      let frame = layout.parts(of: whole.bytes, Slice(start: 0, count: count))
      if layout.isVerifiable, frame.isSound { channels[slot].recognize(in: packets) }
      guard isKnown(slot, moment) else { return nil }
      var sighting = VendorSighting(vendor: moment.vendor, isByFrame: moment.isByFrame)
      sighting.part = Slice(start: 0, count: count)
      join(&sighting, whole, packets)
      return tell(sighting, frame, whole.bytes, slot, moment)
    case .partial(let total):
      guard isKnown(slot, moment) else { return nil }
      var sighting = VendorSighting(vendor: moment.vendor, isByFrame: moment.isByFrame)
      sighting.part = Slice(start: start, count: bytes.byteCount)
      sighting.total = total
      sighting.command = layout.command(of: whole.bytes)
      sighting.packets = [channels[slot].packets.first ?? moment.packet]
      return sighting
    case .none:
      close(slot)
      return nil
    }
  }

  /// Records what a message was joined from.
  mutating func join(_ sighting: inout VendorSighting, _ whole: [UInt8], _ packets: [Int]) {
    sighting.isJoined = true
    sighting.bytes = whole
    sighting.packets = packets
  }

  mutating func close(_ slot: Int) {
    if !channels[slot].open.isEmpty { openCount -= 1 }
    channels[slot].open.removeAll(keepingCapacity: true)
    channels[slot].packets.removeAll(keepingCapacity: true)
    channels[slot].began = nil
  }

  // MARK: Several frames in one value

  /// Processes bytes that begin with a frame and continue after it. If only frames identify the
  /// protocol, all of them must be correct, and what is left must begin another one.
  @inline(never)
  private mutating func several(
    _ slot: Int, _ whole: [UInt8], _ packets: [Int], _ moment: Moment
  ) -> VendorSighting? {
    let layout = moment.vendor.frame
    var frames: [Frame] = []
    var end = 0
    var rest = FrameExtent.none
    while end < whole.count, frames.count < Self.mostFrames {
      rest = layout.extent(of: whole.bytes.dropping(end))
      guard case .complete(let count) = rest else { break }
      frames.append(layout.parts(of: whole.bytes, Slice(start: end, count: count)))
      end += count
    }
    var next: Int?
    if case .partial(let total) = rest, layout.timeout != nil { next = .some(total ?? 0) }
    if layout.isVerifiable, frames.allSatisfy(\.isSound), next != nil || end == whole.count {
      channels[slot].recognize(in: packets)
    }
    guard isKnown(slot, moment), !frames.isEmpty else { return nil }
    var sightings: [VendorSighting] = []
    for (place, frame) in frames.enumerated() {
      var sighting = VendorSighting(vendor: moment.vendor, isByFrame: moment.isByFrame)
      if place == 0, packets.count > 1 {
        join(&sighting, whole, packets)
      } else {
        sighting.bytes = whole
      }
      sighting.part = frame.bytes
      if let told = tell(sighting, frame, whole.bytes, slot, moment) { sightings.append(told) }
    }
    if end < whole.count {
      let left = Slice(start: end, count: whole.count - end)
      if let next {
        let begun = begin(slot, whole.bytes.part(left), next > 0 ? next : nil, moment)
        if let begun { sightings.append(begun) }
      } else if !sightings.isEmpty {
        sightings[sightings.count - 1].trailing = left
      }
    }
    following = [VendorSighting](sightings.dropFirst())
    return sightings.first
  }

  /// Returns the channel, and adds it if it is new.
  private mutating func slot(_ key: UInt64, _ vendor: Int, makes: Bool) -> Int? {
    if let known = channels.find(key, vendor) { return known }
    guard makes else { return nil }
    if let silent = channels.silent {
      for left in [channels[silent].unfinished, channels[silent].chunks?.unfinished] {
        if let left { note(left, channels[silent].vendor, channels[silent].key >> 18) }
      }
      close(silent)
    }
    return channels.make(key, vendor)
  }

  // MARK: Messages

  /// Identifies the message of a frame, and finds what it answers and which series it belongs to.
  private mutating func tell(
    _ sighting: consuming VendorSighting, _ frame: Frame, _ bytes: RawSpan, _ slot: Int,
    _ moment: Moment
  ) -> VendorSighting? {
    var frame = frame
    let vendor = moment.vendor
    let isRequest = vendor.isRequest(frame, bytes, onRequestChannel: moment.isRequestChannel)
    sighting.command = frame.command
    sighting.isRequest = isRequest
    if vendor.frame.chunk != nil {
      guard let whole = chunk(&sighting, frame, bytes, slot, moment) else { return sighting }
      frame = whole
    }
    guard let message = vendor.message(frame.command, isRequest: isRequest) else { return nil }
    sighting.frame = frame
    sighting.message = message
    if isRequest {
      if !message.isUnanswered {
        request(
          Request(
            conversation: moment.conversation, owner: moment.place, command: frame.command,
            sequence: frame.sequence, packet: moment.packet, time: moment.time,
            timeout: vendor.exchange.timeout,
            asked: asked(message, frame, bytes, sighting, vendor)), vendor.profile)
      }
    } else if !message.isUnsolicited {
      sighting.exchange = response(frame, bytes, vendor, moment)
    }
    if message.series != nil || !series.isEmpty {
      if let held = sighting.bytes {
        follow(&sighting, message, frame, held.bytes, moment)
      } else {
        follow(&sighting, message, frame, bytes, moment)
      }
    }
    return sighting
  }
}
