package import Bluetooth
import Bytes

/// A channel on which values may be messages of a protocol: one direction of an attribute within a
/// conversation.
package struct VendorChannel: Sendable {
  /// The index of the protocol; negative for a control point.
  let owner: Int
  /// Whether only the frame shows that the protocol is used here.
  let isByFrame: Bool
  /// Identifies the device, or the connection with it; below 2^46.
  let conversation: UInt64
  /// The attribute's handle, or the number of a serial channel.
  private let place: UInt32
  fileprivate let isWritten: Bool

  /// Distinguishes serial channels from handles.
  private static let serialBit: UInt32 = 1 << 16

  package init(
    of vendor: Int, isByFrame: Bool, conversation: UInt64, handle: UInt16, isWritten: Bool
  ) {
    (owner, self.isByFrame, self.conversation) = (vendor, isByFrame, conversation)
    (place, self.isWritten) = (UInt32(handle), isWritten)
  }

  package init(
    of vendor: Int, isByFrame: Bool, conversation: UInt64, on channel: SerialChannel,
    isWritten: Bool
  ) {
    (owner, self.isByFrame, self.conversation) = (vendor, isByFrame, conversation)
    (place, self.isWritten) = (Self.serialBit | channel.number & 0xffff, isWritten)
  }

  /// Creates the channel of a control point: a characteristic to which requests are written, and
  /// which sends the responses.
  package init(control handle: UInt16, conversation: UInt64, isWritten: Bool) {
    self.init(
      of: -1 - Int(handle), isByFrame: false, conversation: conversation, handle: handle,
      isWritten: isWritten)
  }

  var key: UInt64 { conversation << 18 | UInt64(place) << 1 | (isWritten ? 1 : 0) }
}

/// The messages of vendors' protocols: their open frames, series and requests, which are the only
/// thing that decoding remembers.
///
/// Bounded: if there are too many channels (`VendorChannels.most`), the one that was silent longest
/// is dropped. A frame that is being joined is no longer than its protocol allows, and is given up
/// after the protocol's timeout.
package struct VendorMessages: Sendable {
  /// A value's context.
  struct Context: Sendable {
    let vendor: VendorProtocol
    let channel: VendorChannel
    /// Whether requests go in this direction.
    let isRequestChannel: Bool
    /// The index of the layout of the frame that begins or continues with the value.
    fileprivate(set) var layout: Int
    let packet: Int
    let time: Timestamp?

    /// The layout of the frame that begins or continues with the value.
    var frame: PlacedLayout { vendor.frames.at(layout) }
    var owner: Int { channel.owner }
    var conversation: UInt64 { channel.conversation }
    /// A sighting without content.
    fileprivate var sighting: VendorSighting {
      VendorSighting(vendor: vendor, isByFrame: channel.isByFrame)
    }
  }

  /// The most packets listed for a message.
  static let mostPackets = 4096
  /// The most frames of one value that are distinguished.
  private static let mostFrames = 64

  private(set) var channels = VendorChannels()
  /// The number of channels with an open frame.
  private var openCount = 0
  /// The bits of the protocols that may have one.
  package private(set) var openOwners: UInt64 = 0
  private var exchanges = VendorExchanges()
  /// The announced series that are not complete.
  private(set) var series: [VendorSeries] = []
  /// Examines messages: whether they are complete, and what they announce.
  private var looker = MessageLooker()
  /// The messages after the first one, if the last value had several.
  package private(set) var following: [VendorSighting] = []
  /// The messages that were given up at a value that belongs to no protocol.
  private var abandoned: [Unfinished] = []
  /// The outcomes of requests, series and messages, by conversation.
  package var tallies: [VendorTally] { exchanges.tallies }
  /// Whether any request waits for its answer.
  package var hasRequests: Bool { !exchanges.open.isEmpty }

  package init() {}

  /// The most messages that were given up and are kept.
  private static let mostAbandoned = 64

  private mutating func keep(_ unfinished: Unfinished) {
    if abandoned.count < Self.mostAbandoned { abandoned.append(unfinished) }
  }

  /// Returns the messages that were given up since the last call, at values that are no messages.
  package mutating func takeAbandoned() -> [Unfinished] {
    defer { if !abandoned.isEmpty { abandoned.removeAll() } }
    return abandoned
  }

  /// Whether any frame is open.
  package var hasOpenFrames: Bool { openCount > 0 }

  /// Forgets the messages of the last value.
  package mutating func forgetFollowing() { if !following.isEmpty { following.removeAll() } }

  /// Processes a value on a channel where a protocol may be used.
  ///
  /// - Parameter isRequestChannel: whether requests go in this direction.
  /// - Returns: nil if the value does not belong to the protocol; of several messages the first
  ///   one, with the others in `following`.
  package mutating func accept(
    _ vendor: VendorProtocol, on channel: VendorChannel, isRequestChannel: Bool, _ bytes: RawSpan,
    packet: Int, time: Timestamp?
  ) -> VendorSighting? {
    forgetFollowing()
    // On a channel where only frames identify the protocol, most values are not frames and belong
    // to none.
    guard
      openOwners & VendorProtocol.bit(channel.owner) != 0
        || bytes.byteCount > 0 && vendor.canBegin(with: bytes.byte(at: 0))
    else { return nil }
    let (layout, extent) = vendor.extent(of: bytes, isRequest: isRequestChannel)
    if extent == .none, openCount == 0 { return nil }
    guard let slot = slot(channel, makes: extent != .none) else { return nil }
    if extent == .none, channels[slot].open.isEmpty { return nil }
    let context = Context(
      vendor: vendor, channel: channel, isRequestChannel: isRequestChannel, layout: layout,
      packet: packet, time: time)
    var over: Unfinished?
    if !channels[slot].open.isEmpty {
      if let ending = ending(slot, bytes, extent, context) {
        over = abandon(slot, ending, context)
      } else {
        let sighting = goOn(slot, bytes, context)
        // If the open frame was given up, this value may begin a new one.
        if sighting != nil || !channels[slot].open.isEmpty { return sighting }
      }
    }
    // A sighting is large, so it is not changed on its way.
    guard let over else { return begin(slot, bytes, extent, context) }
    guard var sighting = begin(slot, bytes, extent, context) else {
      keep(over)
      return nil
    }
    sighting.unfinished.append(over)
    return sighting
  }

  /// Processes a value on a channel without an open frame.
  private mutating func begin(
    _ slot: Int, _ bytes: RawSpan, _ extent: FrameExtent, _ context: Context
  ) -> VendorSighting? {
    switch extent {
    case .none: return nil
    case .partial(let total): return open(slot, bytes, total, context)
    case .complete(let count):
      guard !context.frame.isEscaped,
        count == bytes.byteCount || context.frame.isFilled(bytes, from: count)
      else {
        return several(slot, bytes.array, [context.packet], context)
      }
      if context.frame.isOpenEnded, isIncomplete(bytes, context, began: context.time) {
        return open(slot, bytes, nil, context)
      }
      guard let frame = frame(slot, bytes, count, [context.packet], context) else { return nil }
      var sighting = context.sighting
      return report(&sighting, frame, bytes, slot, context) ? sighting : nil
    }
  }

  /// Returns the frame that the first bytes are; nil if the protocol is not known to be used here.
  private mutating func frame(
    _ slot: Int, _ bytes: RawSpan, _ count: Int, _ packets: @autoclosure () -> [Int],
    _ context: Context
  ) -> Frame? {
    let frame = context.frame.parts(
      of: bytes, Slice(start: 0, count: count), layout: context.layout)
    if context.frame.isVerifiable, frame.isSound { channels[slot].recognize(in: packets()) }
    return isKnown(slot, context) ? frame : nil
  }

  /// Returns the open frame of a protocol on a channel: how many of its bytes are present, and its
  /// total length if known; nil if no frame is open.
  package mutating func openFrame(
    _ vendor: VendorProtocol, on channel: VendorChannel
  ) -> (count: Int, total: Int?)? {
    guard let slot = channels.find(channel.key, channel.owner), !channels[slot].open.isEmpty else {
      return nil
    }
    let begun = channels[slot].open
    let layout = channels[slot].layout
    guard case .partial(let total) = vendor.frames.at(layout).extent(of: begun.bytes) else {
      return (begun.count, nil)
    }
    return (begun.count, total)
  }

  /// Returns whether the protocol is known to be used on a channel.
  private func isKnown(_ slot: Int, _ context: Context) -> Bool {
    channels[slot].isRecognized || !context.channel.isByFrame
  }

  // MARK: Frames over several values

  /// Returns why a value cannot continue the open frame of a channel; nil if it can.
  private mutating func ending(
    _ slot: Int, _ bytes: RawSpan, _ extent: FrameExtent, _ context: Context
  ) -> Unfinished.Ending? {
    let wait = context.vendor.frames.at(channels[slot].layout).timeout ?? 0
    if let last = channels[slot].last, let time = context.time,
      time.nanoseconds(since: last) > Int64(wait) * 1_000_000
    {
      return .silence(wait)
    }
    // A whole frame with a correct checksum is a frame of its own.
    if case .complete(let count) = extent,
      count == bytes.byteCount || context.frame.isFilled(bytes, from: count),
      context.vendor.isRecognized(in: bytes, isRequest: context.isRequestChannel)
    {
      return .another
    }
    let count = channels[slot].open.count + bytes.byteCount
    let most = context.vendor.frames.at(channels[slot].layout).most
    if count > most { return .excess(count, most: most) }
    return isOvertaken(slot, bytes, context) ? .another : nil
  }

  /// Returns the part of a frame that a value is, if the frame is too long to be read and no frame
  /// is open; nil if it is not such a part, or the protocol is not known to be used here.
  package mutating func excessive(
    _ vendor: VendorProtocol, on channel: VendorChannel, isRequestChannel: Bool, _ bytes: RawSpan
  ) -> VendorSighting? {
    for place in vendor.frames.indices {
      let layout = vendor.frames.at(place)
      guard layout.timeout != nil, layout.isRequest ?? isRequestChannel == isRequestChannel,
        let total = layout.excess(of: bytes)
      else { continue }
      return excessive(vendor, layout, total, on: channel, bytes)
    }
    return nil
  }

  private mutating func excessive(
    _ vendor: VendorProtocol, _ layout: PlacedLayout, _ total: Int, on channel: VendorChannel,
    _ bytes: RawSpan
  ) -> VendorSighting? {
    let slot = channels.find(channel.key, channel.owner)
    guard slot.map({ channels[$0].isRecognized }) ?? false || !channel.isByFrame else { return nil }
    var sighting = VendorSighting(vendor: vendor, isByFrame: channel.isByFrame)
    sighting.part = Slice(start: 0, count: bytes.byteCount)
    sighting.total = total
    sighting.excess = (total, layout.most)
    sighting.command = layout.command(of: bytes)
    return sighting
  }

  /// Begins a frame that continues in later values; nil if the protocol is not known to be used
  /// here.
  private mutating func open(
    _ slot: Int, _ bytes: RawSpan, _ total: Int?, _ context: Context
  ) -> VendorSighting? {
    guard context.frame.timeout != nil, bytes.byteCount <= context.frame.most else { return nil }
    channels[slot].open.append(bytes)
    channels[slot].layout = context.layout
    channels[slot].packets.removeAll(keepingCapacity: true)
    channels[slot].packets.append(context.packet)
    channels[slot].valueCount = 1
    channels[slot].total = total
    channels[slot].began = context.time
    channels[slot].last = context.time
    channels[slot].isKnown = isKnown(slot, context)
    openCount += 1
    openOwners |= VendorProtocol.bit(context.owner)
    guard channels[slot].isKnown else { return nil }
    exchanges.count(context)
    return part(slot, Slice(start: 0, count: bytes.byteCount), of: bytes, context)
  }

  /// Returns a part of the open frame of a channel.
  private func part(
    _ slot: Int, _ slice: Slice, of frame: RawSpan, _ context: Context
  ) -> VendorSighting {
    var sighting = context.sighting
    sighting.part = slice
    sighting.total = channels[slot].total
    sighting.command = context.frame.command(of: frame)
    sighting.packets = [channels[slot].packets.first ?? context.packet]
    return sighting
  }

  /// Continues the open frame of a channel; nil if the value is not part of it.
  private mutating func goOn(
    _ slot: Int, _ bytes: RawSpan, _ context: Context
  ) -> VendorSighting? {
    let start = channels[slot].open.count
    channels[slot].open.append(bytes)
    if channels[slot].packets.count < Self.mostPackets {
      channels[slot].packets.append(context.packet)
    }
    channels[slot].valueCount += 1
    if let time = context.time { channels[slot].last = time }
    let whole = channels[slot].open
    var context = context
    var (layout, extent) = context.vendor.extent(
      of: whole.bytes, isRequest: context.isRequestChannel, searchedUpTo: start,
      as: channels[slot].layout)
    context.layout = layout
    if context.frame.isOpenEnded, extent != .none,
      isIncomplete(whole.bytes, context, began: channels[slot].began)
    {
      extent = .partial(total: nil)
    }
    switch extent {
    case .complete(let count):
      let packets = channels[slot].packets
      close(slot)
      guard !context.frame.isEscaped,
        count == whole.count || context.frame.isFilled(whole.bytes, from: count)
      else {
        return several(slot, whole, packets, context)
      }
      guard let frame = frame(slot, whole.bytes, count, packets, context) else { return nil }
      var sighting = context.sighting
      sighting.part = Slice(start: 0, count: count)
      join(&sighting, whole, packets)
      return report(&sighting, frame, whole.bytes, slot, context) ? sighting : nil
    case .partial(let total):
      channels[slot].total = total
      channels[slot].layout = layout
      guard isKnown(slot, context) else { return nil }
      return part(slot, Slice(start: start, count: bytes.byteCount), of: whole.bytes, context)
    case .none:
      close(slot)
      return nil
    }
  }

  /// Records what a message was joined from.
  private mutating func join(_ sighting: inout VendorSighting, _ whole: [UInt8], _ packets: [Int]) {
    sighting.isJoined = true
    sighting.bytes = whole
    sighting.packets = packets
  }

  private mutating func close(_ slot: Int) {
    if !channels[slot].open.isEmpty { openCount -= 1 }
    if openCount == 0 { openOwners = 0 }
    channels[slot].open.removeAll(keepingCapacity: true)
    channels[slot].packets.removeAll(keepingCapacity: true)
    channels[slot].total = nil
    channels[slot].began = nil
    channels[slot].last = nil
  }

  // MARK: Several frames in one value

  /// Processes bytes that begin with a frame and continue after it, or in which bytes are escaped.
  /// If only frames identify the protocol, all of them must be correct, and what is left must begin
  /// another one.
  @inline(never)
  private mutating func several(
    _ slot: Int, _ whole: [UInt8], _ packets: [Int], _ context: Context
  ) -> VendorSighting? {
    var whole = whole
    let (frames, end, rest) = Self.frames(of: &whole, context)
    var context = context
    context.layout = rest.layout
    var next: Int?
    if case .partial(let total) = rest.extent, context.frame.timeout != nil {
      next = .some(total ?? 0)
    }
    if frames.allSatisfy({ $0.isSound && context.vendor.frames.at($0.layout).isVerifiable }),
      next != nil || end == whole.count
    {
      channels[slot].recognize(in: packets)
    }
    guard isKnown(slot, context), !frames.isEmpty else { return nil }
    var sightings: [VendorSighting] = []
    for (place, frame) in frames.enumerated() {
      var sighting = context.sighting
      if place == 0, packets.count > 1 {
        join(&sighting, whole, packets)
      } else {
        sighting.bytes = whole
      }
      sighting.part = frame.bytes
      if report(&sighting, frame, whole.bytes, slot, context) { sightings.append(sighting) }
    }
    if end < whole.count {
      let left = Slice(start: end, count: whole.count - end)
      if let next {
        let begun = open(slot, whole.bytes.part(left), next > 0 ? next : nil, context)
        if let begun { sightings.append(begun) }
      } else if !sightings.isEmpty {
        sightings[sightings.count - 1].trailing = left
      }
    }
    following = [VendorSighting](sightings.dropFirst())
    return sightings.first
  }

  /// Returns the frames at the beginning of bytes, where they and what fills the value end, and
  /// what the bytes after that are. Escaped bytes are replaced by what they represent.
  private static func frames(
    of whole: inout [UInt8], _ context: Context
  ) -> ([Frame], end: Int, rest: (layout: Int, extent: FrameExtent)) {
    let vendor = context.vendor
    var frames: [Frame] = []
    var end = 0
    // If bytes are escaped anywhere, the frames' positions count in these.
    let isEscaped = vendor.frames.contains { $0.escape != nil }
    var unescaped: [UInt8] = []
    var rest = (layout: context.layout, extent: FrameExtent.none)
    while end < whole.count, frames.count < mostFrames {
      if let last = frames.last, vendor.frames.at(last.layout).isFilled(whole.bytes, from: end) {
        rest = (last.layout, .none)
        if isEscaped { whole = unescaped } else { end = whole.count }
        return (frames, isEscaped ? whole.count : end, rest)
      }
      rest = vendor.extent(of: whole.bytes.dropping(end), isRequest: context.isRequestChannel)
      guard case .complete(let count) = rest.extent else { break }
      let (layout, slice) = (vendor.frames.at(rest.layout), Slice(start: end, count: count))
      let known = unescaped.count
      var frame: Frame?
      if isEscaped, !layout.isEscaped {
        unescaped += whole[end..<end + count]
        frame = layout.parts(
          of: unescaped.bytes, Slice(start: known, count: count), layout: rest.layout)
      } else {
        frame = layout.frame(whole.bytes, slice, layout: rest.layout, into: &unescaped)
      }
      guard let frame else {
        unescaped.removeLast(unescaped.count - known)
        rest.extent = .none
        break
      }
      frames.append(frame)
      end += count
    }
    guard isEscaped else { return (frames, end, rest) }
    whole = unescaped + whole[end...]
    return (frames, unescaped.count, rest)
  }

  /// Returns the channel, and adds it if it is new.
  private mutating func slot(_ channel: VendorChannel, makes: Bool) -> Int? {
    if let known = channels.find(channel.key, channel.owner) { return known }
    guard makes else { return nil }
    if let silent = channels.silent {
      for left in [channels[silent].unfinished, channels[silent].chunks?.unfinished] {
        if let left {
          exchanges.note(left, channels[silent].vendor, channels[silent].key >> 18)
          keep(left)
        }
      }
      close(silent)
    }
    return channels.make(channel.key, channel.owner)
  }

  // MARK: Messages

  /// Identifies the message of a frame, and finds what it answers and which series it belongs to.
  ///
  /// - Returns: false if the protocol has no such message.
  private mutating func report(
    _ sighting: inout VendorSighting, _ frame: Frame, _ bytes: RawSpan, _ slot: Int,
    _ context: Context
  ) -> Bool {
    var frame = frame
    let vendor = context.vendor
    let isRequest = vendor.isRequest(frame, bytes, onRequestChannel: context.isRequestChannel)
    sighting.command = frame.command
    sighting.isRequest = isRequest
    if vendor.frames.at(frame.layout).isChunked {
      guard let whole = chunk(&sighting, frame, bytes, slot, context) else { return true }
      frame = whole
    }
    let found =
      if let held = sighting.bytes {
        vendor.message(frame, held.bytes, isRequest: isRequest)
      } else {
        vendor.message(frame, bytes, isRequest: isRequest)
      }
    guard let message = found else { return false }
    sighting.frame = frame
    sighting.message = message
    if context.channel.isByFrame, !frame.isSound {
      sighting.recognition = channels[slot].recognition
    }
    if isRequest {
      if !message.isUnanswered {
        exchanges.add(
          VendorExchanges.Request(
            conversation: context.conversation, owner: context.owner, command: frame.command,
            answer: vendor.exchange.answering(frame.command),
            sequence: frame.sequence, packet: context.packet, time: context.time,
            timeout: vendor.exchange.timeout,
            asked: asked(message, frame, bytes, sighting, vendor)), vendor.profile)
      }
    } else if !message.isUnsolicited {
      sighting.exchange = response(frame, bytes, vendor, context)
    }
    if message.series != nil || !series.isEmpty {
      if let held = sighting.bytes {
        follow(&sighting, message, frame, held.bytes, context)
      } else {
        follow(&sighting, message, frame, bytes, context)
      }
    }
    return true
  }
}

// Responses without a length: their end follows from their fields and from the request.

/// What a request asks for, if the protocol's responses have no length.
struct Asked: Sendable {
  /// A number that a response may repeat: a field of the request, before its list.
  struct Echo: Sendable, Equatable {
    let name: [UInt8]
    let number: Int
  }

  /// The name of the list at the end of the request (empty: none), and the number of its elements.
  let list: [UInt8]
  let count: Int
  let echoes: [Echo]
}

extension VendorMessages {
  /// Returns whether a response lacks something: bytes that its fields require, or elements of a
  /// list of which its request has more. This way an answer that is cut between two elements does
  /// not count as whole.
  ///
  /// - Parameter began: the time of its first byte.
  private mutating func isIncomplete(_ bytes: RawSpan, _ context: Context, began: Timestamp?)
    -> Bool
  {
    guard let (message, command) = looker.response(bytes, context) else { return false }
    if looker.lacksBytes { return true }
    guard let found = request(of: command, context, at: began),
      let asked = exchanges.open[found].asked,
      !asked.list.isEmpty
    else { return false }
    return looker.count(of: asked.list, message.definition) < asked.count
  }

  /// Returns the oldest request that the last decoded response may answer.
  private func request(of command: Int?, _ context: Context, at time: Timestamp?) -> Int? {
    exchanges.open.firstIndex {
      $0.isOpen(context, at: time) && $0.isAnswered(by: command)
        && !looker.contradicts($0.asked)
    }
  }

  /// Returns whether a value begins the answer to another request than the open frame: one that was
  /// sent later, or whose numbers the value repeats. The open frame is then over, unless its fields
  /// require more bytes and only the command indicates the other request.
  private mutating func isOvertaken(_ slot: Int, _ bytes: RawSpan, _ context: Context) -> Bool {
    guard context.vendor.frames.at(channels[slot].layout).isOpenEnded,
      let first = channels[slot].packets.first,
      exchanges.open.contains(where: { $0.isOpen(context, at: context.time) })
    else { return false }
    let open = channels[slot].open
    guard let (_, begun) = looker.response(open.bytes, context) else { return false }
    let isWhole = !looker.lacksBytes
    let own = request(of: begun, context, at: channels[slot].began)
    let differing = exchanges.open.map { looker.contradicts($0.asked) }
    guard let (_, command) = looker.response(bytes, context) else { return false }
    return exchanges.open.indices.contains { place in
      let request = exchanges.open[place]
      guard place != own, request.isOpen(context, at: context.time),
        request.isAnswered(by: command)
      else { return false }
      guard let asked = request.asked, !asked.echoes.isEmpty else {
        return isWhole && request.packet > first
      }
      return looker.repeats(asked) && (differing[place] || isWhole && request.packet > first)
    }
  }

  /// Gives up the open frame of a channel, which will not be complete: its request no longer waits.
  private mutating func abandon(
    _ slot: Int, _ ending: Unfinished.Ending, _ context: Context
  ) -> Unfinished? {
    var unfinished = channels[slot].unfinished
    unfinished?.ending = ending
    if context.vendor.frames.at(channels[slot].layout).isOpenEnded,
      let first = channels[slot].packets.first
    {
      let open = channels[slot].open
      if let (_, command) = looker.response(open.bytes, context),
        let own = request(of: command, context, at: channels[slot].began),
        exchanges.open[own].packet < first
      {
        // An answer with fewer elements than requested is an answer; one cut within an element is
        // not.
        if looker.lacksBytes { exchanges.giveUp(own) } else { exchanges.settle(own) }
      }
    }
    if let unfinished {
      exchanges.count(context)
      exchanges.note(unfinished, context.owner, context.conversation)
    }
    close(slot)
    return unfinished
  }

  /// Returns what a request asks for, if the protocol's responses have no length.
  private mutating func asked(
    _ message: VendorProtocol.Message, _ frame: Frame, _ bytes: RawSpan, _ sighting: VendorSighting,
    _ vendor: VendorProtocol
  ) -> Asked? {
    guard vendor.frames.contains(where: \.isOpenEnded) else { return nil }
    return looker.asked(message, frame, bytes, sighting, vendor)
  }
}

// Requests and their responses, for protocols and for control points.

extension VendorMessages {
  /// Processes a protocol's response, and finds the oldest request that it fits.
  private mutating func response(
    _ frame: Frame, _ bytes: RawSpan, _ vendor: VendorProtocol, _ context: Context
  ) -> ExchangeNote {
    // Numbers that a response shares with its request are only compared if the fields determine its
    // end.
    let isOpenEnded = vendor.frames.at(frame.layout).isOpenEnded
    let isLooked = isOpenEnded && looker.response(bytes, context) != nil
    let looker = isLooked ? looker : nil
    let usesSequence = vendor.exchange.usesSequence
    return exchanges.answer(
      vendor.profile, context.owner, context.conversation, context.time
    ) {
      $0.isAnswered(by: frame.command) && (!usesSequence || frame.sequence == $0.sequence)
        && looker?.contradicts($0.asked) != true
    }
  }

  // MARK: Control points

  /// Processes a value of a control point.
  ///
  /// - Returns: what it answers; nil if it is a request, or neither request nor response.
  package mutating func acceptControl(
    _ definition: Definition, _ exchange: VendorProtocol.Exchange, on channel: VendorChannel,
    _ bytes: RawSpan, packet: Int, time: Timestamp?
  ) -> ExchangeNote? {
    guard let command = definition.command(of: bytes) else { return nil }
    if channel.isWritten {
      guard exchange.isRequest(command) ?? true else { return nil }
      exchanges.add(
        VendorExchanges.Request(
          conversation: channel.conversation, owner: channel.owner, command: command,
          answer: exchange.answering(command), sequence: nil, packet: packet, time: time,
          timeout: exchange.timeout), definition.name)
      return nil
    }
    guard exchange.request == nil || exchange.isRequest(command) == false,
      exchange.isResponse(command)
    else { return nil }
    var named: Int?
    if !exchange.requestField.isEmpty {
      named = looker.number(of: exchange.requestField, definition, bytes)
    }
    return exchanges.answer(definition.name, channel.owner, channel.conversation, time) { request in
      if let named, named != request.command { return false }
      return request.isAnswered(by: command)
    }
  }

  /// Records that a server refused the request in a packet: no response will come.
  package mutating func refuse(_ packet: Int) { exchanges.refuse(packet) }

  /// Forgets open frames, series and requests, since records are missing.
  package mutating func interrupt() {
    exchanges.forgetOpen()
    for one in series { exchanges.forgetSeries(one.owner, one.conversation) }
    series.removeAll()
    for index in channels.indices {
      close(index)
      channels[index].chunks = nil
    }
  }

  // MARK: The end

  /// The open series and messages in parts, with their conversations: what stays incomplete if the
  /// capture ends now.
  package var leftOpen: [(conversation: UInt64, profile: String, what: Unfinished)] {
    var found: [(conversation: UInt64, profile: String, what: Unfinished)] = []
    for one in series {
      found.append(
        (one.conversation, exchanges.title(of: one.owner, one.conversation), one.unfinished))
    }
    for channel in channels {
      let conversation = channel.key >> 18
      for case let open? in [channel.unfinished, channel.chunks?.unfinished] {
        found.append((conversation, exchanges.title(of: channel.vendor, conversation), open))
      }
    }
    return found.sorted { $0.what.packet < $1.what.packet }
  }

  /// Ends the capture: open requests stay unanswered, and open series and messages incomplete.
  ///
  /// - Parameter hasWaited: returns whether what was expected since a time would have come within
  ///   this many milliseconds. If not, nothing is said about it.
  package mutating func finish(
    _ hasWaited: (_ since: Timestamp?, _ timeout: Int) -> Bool = { _, _ in true }
  ) {
    exchanges.finish(hasWaited)
    for one in series {
      if hasWaited(one.last, one.timeout) {
        exchanges.note(one.unfinished, one.owner, one.conversation)
      } else {
        exchanges.forgetSeries(one.owner, one.conversation)
      }
    }
    series.removeAll()
    for index in channels.indices {
      let last = channels[index].chunks?.last ?? channels[index].last
      if hasWaited(last, Self.patience) {
        for case let open? in [channels[index].unfinished, channels[index].chunks?.unfinished] {
          exchanges.note(open, channels[index].vendor, channels[index].key >> 18)
        }
      }
      close(index)
      channels[index].chunks = nil
    }
  }

  /// How many milliseconds a message in parts may pause at the end of a capture.
  private static let patience = 2000
}

extension Definition {
  /// Returns the number of the first field, which is a control point's command; nil if there is
  /// none.
  package func command(of bytes: RawSpan) -> Int? {
    guard let field = tables.fields.first, field.kind == .unsigned,
      field.width <= bytes.byteCount
    else { return nil }
    let isBigEndian = field.flags.contains(.bigEndian)
    return Int(
      truncatingIfNeeded: ValueDecoder.load(bytes, 0, field.width, bigEndian: isBigEndian))
  }
}

extension VendorProtocol.Exchange {
  /// Returns whether a command is that of a response, as far as the rule decides without a request.
  fileprivate func isResponse(_ command: Int) -> Bool {
    guard let rule = response, !rule.contains(where: { $0.code == .command }) else { return true }
    return answers(command, 0)
  }
}

// MARK: Series

extension VendorMessages {
  /// The most series that are remembered.
  private static let mostSeries = 64

  /// Finds the series that a message belongs to, and begins the one that it announces.
  private mutating func follow(
    _ sighting: inout VendorSighting, _ message: VendorProtocol.Message, _ frame: Frame,
    _ bytes: RawSpan, _ context: Context
  ) {
    let isMember = count(&sighting, message, frame, bytes, context)
    if !isMember { endOverdue(&sighting, context) }
    guard let rule = message.series, frame.isSound else { return }
    let count = looker.count(of: rule, message, frame, bytes, sighting, context.vendor)
    guard let count, count >= 0 else { return }
    // Messages of an earlier announcement that did not come will not come any more.
    for place in series.indices.reversed()
    where isOf(series[place], context) && series[place].command == rule.command {
      end(place, &sighting)
    }
    var note = SeriesNote(announcement: context.packet, count: count, received: 0)
    note.isAnnouncement = true
    sighting.series = note
    guard count > 0 else { return }
    exchanges.count(context) { $0.series += 1 }
    // The oldest series is dropped.
    if series.count >= Self.mostSeries {
      let oldest = series.removeFirst()
      exchanges.note(oldest.unfinished, oldest.owner, oldest.conversation)
    }
    series.append(
      VendorSeries(rule, count: count, isRequest: sighting.isRequest, context))
  }

  private func isOf(_ series: VendorSeries, _ context: Context) -> Bool {
    series.owner == context.owner && series.conversation == context.conversation
  }

  /// Counts a message that was announced. Returns false if it was not announced.
  private mutating func count(
    _ sighting: inout VendorSighting, _ message: VendorProtocol.Message, _ frame: Frame,
    _ bytes: RawSpan, _ context: Context
  ) -> Bool {
    let found = series.firstIndex {
      isOf($0, context) && $0.command == frame.command && $0.isRequest == sighting.isRequest
    }
    guard let found, message.series == nil else { return false }
    // A damaged message may come again.
    guard frame.isSound else { return true }
    var number: Int?
    if !series[found].index.isEmpty {
      number = looker.number(
        of: series[found].index, message, frame, bytes, sighting, context.vendor)
    }
    let note = series[found].count(number, context.time)
    sighting.series = note
    if note.isComplete {
      series.remove(at: found)
      exchanges.count(context) { $0.completed += 1 }
    }
    return true
  }

  /// Ends the series of a conversation that are overdue.
  private mutating func endOverdue(_ sighting: inout VendorSighting, _ context: Context) {
    for place in series.indices.reversed()
    where isOf(series[place], context) && series[place].isOver(context.time) {
      end(place, &sighting)
    }
  }

  private mutating func end(_ place: Int, _ sighting: inout VendorSighting) {
    let one = series.remove(at: place)
    sighting.unfinished.append(one.unfinished)
    exchanges.note(one.unfinished, one.owner, one.conversation)
  }
}

// MARK: Chunks

extension VendorMessages {
  /// Joins a message in several frames.
  ///
  /// - Returns: the joined frame, in the sighting's bytes; nil if more pieces must come.
  private mutating func chunk(
    _ sighting: inout VendorSighting, _ frame: Frame, _ bytes: RawSpan, _ slot: Int,
    _ context: Context
  ) -> Frame? {
    guard let layout = context.vendor.frames.at(frame.layout).layout.chunk else { return frame }
    let packets = sighting.packets.isEmpty ? [context.packet] : sighting.packets
    var message = channels[slot].chunks ?? ChunkedMessage(frame)
    channels[slot].chunks = nil
    var outcome = message.add(frame, bytes, layout, packets, context.time)
    if case .other = outcome {
      if message.hasPieces {
        sighting.unfinished.append(message.unfinished)
        exchanges.count(context)
        exchanges.note(message.unfinished, context.owner, context.conversation)
      }
      message = ChunkedMessage(frame)
      outcome = message.add(frame, bytes, layout, packets, context.time)
    }
    guard case .taken(let note) = outcome else { return frame }
    sighting.chunk = note
    guard message.isComplete else {
      if message.hasPieces {
        channels[slot].chunks = message
        exchanges.count(context)
      }
      if let checksum = frame.checksum, !frame.isSound {
        let width = context.vendor.frames.at(frame.layout).layout.checksum?.part.width ?? 1
        sighting.badChecksum = (checksum.found, checksum.expected, 2 * width)
      }
      sighting.packets = packets
      return nil
    }
    let (whole, joinedFrame) = message.whole(frame)
    if message.packets.count > 1 {
      join(&sighting, whole, message.packets)
    } else {
      sighting.bytes = whole
    }
    return joinedFrame
  }
}
