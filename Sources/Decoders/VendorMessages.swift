package import Bluetooth
package import Bytes

/// A value on a channel where a vendor's protocol is spoken: a message, or a part of one.
package struct VendorSighting: Sendable {
  /// The protocol.
  package let vendor: VendorProtocol
  /// The message; nil for a part.
  package fileprivate(set) var message: VendorProtocol.Message?
  /// Its frame, whose places count from the first byte of the frame; nil for a part.
  package fileprivate(set) var frame: Frame?
  /// The command, as far as it is known.
  package fileprivate(set) var command: Int?
  /// Whether it is a request.
  package fileprivate(set) var isRequest = false
  /// Of a part: which bytes of the frame it is; of a message that came in parts the whole.
  package fileprivate(set) var part = Slice.empty
  /// How long the frame is; nil where that is not known yet.
  package fileprivate(set) var total: Int?
  /// Whether the message came in several values.
  package fileprivate(set) var isJoined = false
  /// Whether nothing but a right frame tells that this protocol is spoken.
  package fileprivate(set) var isByFrame: Bool
  /// The packet with the request that this answers, and the nanoseconds between.
  package fileprivate(set) var request: Int?
  package fileprivate(set) var latency: Int64?
  /// Whether this is a response, and no request waits for it.
  package fileprivate(set) var isOrphan = false

  fileprivate init(vendor: VendorProtocol, isByFrame: Bool) {
    self.vendor = vendor
    self.isByFrame = isByFrame
  }

  /// A message that stands alone, of which nothing is known but its bytes.
  package init(
    _ vendor: VendorProtocol, _ message: VendorProtocol.Message, _ frame: Frame, isRequest: Bool
  ) {
    self.init(vendor: vendor, isByFrame: vendor.claims.contains(where: \.isFrame))
    self.message = message
    self.frame = frame
    command = frame.command
    self.isRequest = isRequest
  }
}

/// What became of the requests of one protocol with one device.
package struct VendorTally: Sendable {
  /// The conversation, and the protocol.
  package let conversation: UInt64
  package let vendor: VendorProtocol
  fileprivate let place: Int
  /// Requests that something answers, and how many were answered.
  package fileprivate(set) var requests = 0
  package fileprivate(set) var answered = 0
  /// The requests without an answer, the first few.
  package fileprivate(set) var unanswered: [Int] = []
}

/// The frames and requests of vendors' protocols that are open: the one thing that decoding remembers.
///
/// A channel is an attribute of a conversation, one way. Bounded: where there are too many channels or
/// requests the one goes that was silent longest, or is oldest; a frame that is put together is no longer
/// than its protocol allows, and is given up after the protocol's time.
package struct VendorMessages: Sendable {
  /// A channel on which a protocol was looked for.
  private struct Channel: Sendable {
    let key: UInt64
    let vendor: Int
    /// Whether a right frame was seen here.
    var isRecognized = false
    /// The frame that is being put together, and when and where it began.
    var open: [UInt8] = []
    var packets: [Int] = []
    var began: Timestamp?
    var lastUse = 0
  }

  private struct Request: Sendable {
    let conversation: UInt64
    let vendor: Int
    let frame: Frame
    let packet: Int
    let time: Timestamp?
  }

  /// How many channels, open requests and conversations are remembered.
  private static let mostChannels = 256
  private static let mostRequests = 256
  private static let mostTallies = 256
  /// How many packets are listed of a frame, and of unanswered requests.
  private static let listed = 64

  private var channels: [Channel] = []
  /// How many channels have a frame open.
  private var openCount = 0
  private var requests: [Request] = []
  private var latest = 0
  /// The joined frame of the last sighting.
  package private(set) var joined: [UInt8] = []
  /// The packets that it came in.
  package private(set) var packets: [Int] = []
  /// What became of requests, by conversation.
  package private(set) var tallies: [VendorTally] = []

  /// Nothing open.
  package init() {}

  /// Whether a frame is open somewhere.
  package var hasOpenFrames: Bool { openCount > 0 }

  /// Takes a value on a channel where a protocol may be spoken.
  ///
  /// - Parameters:
  ///   - place: which of the protocols this is; tells them apart.
  ///   - isByFrame: nothing but the frame says that the protocol is spoken here.
  ///   - conversation: tells devices, or connections with them, apart; below 2^46.
  ///   - isRequestChannel: whether requests go this way.
  /// - Returns: nil where this is none of the protocol's.
  package mutating func accept(
    _ vendor: VendorProtocol, at place: Int, isByFrame: Bool, conversation: UInt64,
    handle: UInt16, isWritten: Bool, isRequestChannel: Bool, _ bytes: RawSpan, packet: Int,
    time: Timestamp?
  ) -> VendorSighting? {
    let extent = vendor.frame.extent(of: bytes)
    // Most values of a channel where only a frame tells are no frame, and belong to none.
    if extent == .none, openCount == 0 { return nil }
    let key = conversation << 18 | UInt64(handle) << 2 | (isWritten ? 1 : 0)
    guard let slot = slot(key, place, packet, makes: extent != .none) else { return nil }
    if !channels[slot].open.isEmpty {
      if let sighting = goOn(
        slot, vendor, isByFrame: isByFrame, conversation, isRequestChannel, bytes, extent, packet,
        time)
      {
        return sighting
      }
      if !channels[slot].open.isEmpty { return nil }
    }
    let isKnown = channels[slot].isRecognized || !isByFrame
    var sighting = VendorSighting(vendor: vendor, isByFrame: isByFrame)
    switch extent {
    case .none: return nil
    case .partial(let total):
      guard vendor.frame.timeout != nil else { return nil }
      channels[slot].open.append(bytes)
      channels[slot].packets = [packet]
      channels[slot].began = time
      openCount += 1
      guard isKnown else { return nil }
      sighting.part = Slice(start: 0, count: bytes.byteCount)
      sighting.total = total
      sighting.command = vendor.frame.command(of: bytes)
      return sighting
    case .complete(let count):
      guard count == bytes.byteCount else { return nil }
      let frame = vendor.frame.parts(of: bytes, Slice(start: 0, count: count))
      if vendor.frame.isVerifiable, frame.isSound { channels[slot].isRecognized = true }
      guard isKnown || channels[slot].isRecognized else { return nil }
      return tell(&sighting, frame, place, conversation, isRequestChannel, packet, time)
    }
  }

  /// Goes on with the frame that is open on a channel; nil where the value is no part of it.
  private mutating func goOn(
    _ slot: Int, _ vendor: VendorProtocol, isByFrame: Bool, _ conversation: UInt64,
    _ isRequestChannel: Bool, _ bytes: RawSpan, _ extent: FrameExtent, _ packet: Int,
    _ time: Timestamp?
  ) -> VendorSighting? {
    let wait = Int64(vendor.frame.timeout ?? 0) * 1_000_000
    var isOver = false
    if let began = channels[slot].began, let time, time.nanoseconds(since: began) > wait {
      isOver = true
    }
    // A whole frame whose checksum is right is one of its own.
    if case .complete(let count) = extent, count == bytes.byteCount,
      vendor.isRecognized(in: bytes)
    {
      isOver = true
    }
    let start = channels[slot].open.count
    if isOver || start + bytes.byteCount > vendor.frame.most {
      close(slot)
      return nil
    }
    channels[slot].open.append(bytes)
    if channels[slot].packets.count < Self.listed { channels[slot].packets.append(packet) }
    let whole = channels[slot].open
    var sighting = VendorSighting(vendor: vendor, isByFrame: isByFrame)
    switch vendor.frame.extent(of: whole.bytes) {
    case .complete(let count) where count == whole.count:
      let frame = vendor.frame.parts(of: whole.bytes, Slice(start: 0, count: count))
      let isKnown = channels[slot].isRecognized || !isByFrame
      let packets = channels[slot].packets
      close(slot)
      if vendor.frame.isVerifiable, frame.isSound { channels[slot].isRecognized = true }
      guard isKnown || channels[slot].isRecognized else { return nil }
      joined = whole
      self.packets = packets
      sighting.isJoined = true
      sighting.part = Slice(start: 0, count: count)
      return tell(
        &sighting, frame, channels[slot].vendor, conversation, isRequestChannel, packet, time)
    case .partial(let total):
      guard channels[slot].isRecognized || !isByFrame else { return nil }
      sighting.part = Slice(start: start, count: bytes.byteCount)
      sighting.total = total
      sighting.command = vendor.frame.command(of: whole.bytes)
      return sighting
    default:
      close(slot)
      return nil
    }
  }

  private mutating func close(_ slot: Int) {
    if !channels[slot].open.isEmpty { openCount -= 1 }
    channels[slot].open.removeAll(keepingCapacity: true)
    channels[slot].packets.removeAll(keepingCapacity: true)
    channels[slot].began = nil
  }

  /// The channel, which is new where it is not known.
  private mutating func slot(
    _ key: UInt64, _ vendor: Int, _ packet: Int, makes: Bool
  ) -> Int? {
    if latest < channels.count, channels[latest].key == key, channels[latest].vendor == vendor {
      channels[latest].lastUse = packet
      return latest
    }
    if let known = channels.firstIndex(where: { $0.key == key && $0.vendor == vendor }) {
      latest = known
      channels[known].lastUse = packet
      return known
    }
    guard makes else { return nil }
    let new = Channel(key: key, vendor: vendor, lastUse: packet)
    if channels.count < Self.mostChannels {
      channels.append(new)
      latest = channels.count - 1
    } else {
      latest = channels.indices.min { channels[$0].lastUse < channels[$1].lastUse } ?? 0
      close(latest)
      channels[latest] = new
    }
    return latest
  }

  // MARK: Requests and responses

  /// Names the message of a frame, and finds the request that it answers.
  private mutating func tell(
    _ sighting: inout VendorSighting, _ frame: Frame, _ place: Int, _ conversation: UInt64,
    _ isRequestChannel: Bool, _ packet: Int, _ time: Timestamp?
  ) -> VendorSighting? {
    let vendor = sighting.vendor
    let isRequest = vendor.isRequest(frame.command ?? 0, onRequestChannel: isRequestChannel)
    guard let message = vendor.message(frame.command, isRequest: isRequest) else { return nil }
    sighting.frame = frame
    sighting.command = frame.command
    sighting.message = message
    sighting.isRequest = isRequest
    let tally = self.tally(vendor, place, conversation)
    if isRequest {
      guard !message.isUnanswered else { return sighting }
      if let tally { tallies[tally].requests += 1 }
      if requests.count >= Self.mostRequests { giveUp(0) }
      requests.append(
        Request(
          conversation: conversation, vendor: place, frame: frame, packet: packet, time: time))
    } else if !message.isUnsolicited {
      expire(time, vendor, place)
      let found = requests.firstIndex {
        $0.vendor == place && $0.conversation == conversation && vendor.answers(frame, $0.frame)
      }
      if let found {
        sighting.request = requests[found].packet
        if let sent = requests[found].time, let time {
          sighting.latency = time.nanoseconds(since: sent)
        }
        if let tally { tallies[tally].answered += 1 }
        requests.remove(at: found)
      } else {
        sighting.isOrphan = true
      }
    }
    return sighting
  }

  /// Where the requests of a conversation are counted; nil where there is no room.
  private mutating func tally(
    _ vendor: VendorProtocol, _ place: Int, _ conversation: UInt64
  ) -> Int? {
    let known = tallies.firstIndex { $0.conversation == conversation && $0.place == place }
    if let known { return known }
    guard tallies.count < Self.mostTallies else { return nil }
    tallies.append(VendorTally(conversation: conversation, vendor: vendor, place: place))
    return tallies.count - 1
  }

  /// Gives requests up whose time is over.
  private mutating func expire(_ time: Timestamp?, _ vendor: VendorProtocol, _ place: Int) {
    guard let time else { return }
    let wait = Int64(vendor.exchange.timeout) * 1_000_000
    var index = 0
    while index < requests.count {
      let request = requests[index]
      if request.vendor == place, let sent = request.time, time.nanoseconds(since: sent) > wait {
        giveUp(index)
      } else {
        index += 1
      }
    }
  }

  /// Takes the end: what is open stays without an answer.
  package mutating func finish() {
    while !requests.isEmpty { giveUp(0) }
    for index in tallies.indices { tallies[index].unanswered.sort() }
  }

  private mutating func giveUp(_ index: Int) {
    let request = requests.remove(at: index)
    let found = tallies.firstIndex {
      $0.conversation == request.conversation && $0.place == request.vendor
    }
    if let found, tallies[found].unanswered.count < Self.listed {
      tallies[found].unanswered.append(request.packet)
    }
  }
}
