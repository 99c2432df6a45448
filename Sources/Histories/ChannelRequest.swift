package import Bluetooth
import Bytes
import Dissectors

/// An L2CAP signalling request, and its result.
package struct ChannelRequest: Sendable {
  /// What a device accepts on a channel.
  package struct Capacity: Equatable, Sendable {
    /// The largest SDU; nil if it is not given, or the default.
    package internal(set) var mtu: UInt16?
    /// The largest K-frame payload.
    package internal(set) var mps: UInt16?
    /// The initial number of K-frames that it may be sent.
    package internal(set) var credits: UInt16?
  }

  /// The two ends of an open channel, and whether it is being closed.
  struct Ends: Equatable, Sendable {
    /// The identifiers on the captured host and on the peer; 0: none.
    let local: UInt16
    let remote: UInt16
    /// Whether a side has requested to close it.
    var isClosing = false

    /// Creates the ends of a channel from the identifiers on a side and on the other one.
    init(_ side: Side, _ own: UInt16, _ other: UInt16) {
      (local, remote) = side == .local ? (own, other) : (other, own)
    }
  }

  package let code: SignallingCode
  /// Matches the response to this request.
  let identifier: UInt8
  /// The side that sent the request.
  package let side: Side
  package let asked: Moment
  /// Whether it was sent on LE.
  package internal(set) var isOnLE = true
  /// The service of the channels, if known.
  package internal(set) var psm: PSM?
  /// The number of channels that it is about.
  package internal(set) var count = 1
  /// What the requesting device accepts, and what the other one does.
  package internal(set) var offer = Capacity()
  package internal(set) var answered = Capacity()
  /// The response that reports it as pending; the final one follows.
  package internal(set) var pending: Moment?
  /// What was pending, on BR/EDR: 1 authentication, 2 authorization (Core, Vol 3, Part A, 4.3).
  package internal(set) var pendingStatus: UInt16 = 0
  /// The final response.
  package internal(set) var answer: Moment?
  /// The result in that response.
  package internal(set) var result: (code: UInt16, set: CodeSet) = (0, .l2capConnectionResult)
  package internal(set) var opened = 0
  /// Whether the link was encrypted when it was answered; nil: unknown.
  package internal(set) var isEncrypted: Bool?
  /// The number of equal requests that were refused in the same way, and the last response.
  package internal(set) var times = 1
  package internal(set) var last: Moment?
  /// The ends of the channels: those that the request names, and those that were opened.
  var sources = InlineArray<5, UInt16>(repeating: 0)
  var ends: [Ends] = []

  /// The packets of the request and of its last response.
  package var evidence: PacketSet { PacketSet(of: asked, answer, last) }

  /// Whether the specification defines the command only for the other transport (Core, Vol 3, Part
  /// A, Table 4.2). Credits and enhanced channels are defined for both since version 5.2.
  package var isOnWrongTransport: Bool {
    switch code.rawValue {
    case 0x02...0x05, 0x08...0x11: isOnLE
    case 0x12...0x15: !isOnLE
    default: false
    }
  }

  /// Whether it requests channels.
  package var isConnection: Bool {
    [.connectionRequest, .createChannelRequest, .leConnectionRequest, .enhancedConnectionRequest]
      .contains(code)
  }

  /// Returns whether it repeats a request that was refused for the same reason.
  func isLike(_ other: Self) -> Bool {
    code == other.code && isOnLE == other.isOnLE && side == other.side && psm == other.psm
      && opened == other.opened && count == other.count
      && result.code == other.result.code && result.set == other.result.set
      && isEncrypted == other.isEncrypted && pendingStatus == other.pendingStatus
  }

  init(_ code: SignallingCode, _ identifier: UInt8, by side: Side, _ asked: Moment) {
    (self.code, self.identifier, self.side, self.asked) = (code, identifier, side, asked)
  }

  mutating func record(_ pdu: SignallingPDU, _ bytes: RawSpan) {
    if pdu.namesService { psm = pdu.psm }
    switch pdu.code {
    case .connectionRequest, .createChannelRequest: sources[0] = pdu.source.rawValue
    case .leConnectionRequest:
      sources[0] = pdu.source.rawValue
      offer = Capacity(mtu: pdu.mtu, mps: pdu.mps, credits: pdu.credits)
    case .enhancedConnectionRequest, .reconfigureRequest:
      let credits = pdu.code == .reconfigureRequest ? nil : pdu.credits
      offer = Capacity(mtu: pdu.mtu, mps: pdu.mps, credits: credits)
      count = pdu.channels?.count ?? 0
      for index in 0..<min(5, count) {
        sources[index] = pdu.channels?.channel(index, bytes).rawValue ?? 0
      }
    case .configureRequest:
      sources[0] = pdu.destination.rawValue
      var options = ConfigurationOptions(pdu.options ?? .empty)
      while let option = options.next(bytes) {
        guard option.type == ConfigurationOption.mtu, option.value.count == 2 else { continue }
        offer.mtu = bytes.littleEndianU16(at: Int(option.value.start))
      }
    default: break
    }
  }

  /// Records the channels that a response opens.
  mutating func record(answer pdu: SignallingPDU, _ bytes: RawSpan) {
    guard pdu.succeeds else { return }
    switch pdu.code {
    case .connectionResponse, .createChannelResponse: open(sources[0], pdu.destination.rawValue)
    case .leConnectionResponse:
      answered = Capacity(mtu: pdu.mtu, mps: pdu.mps, credits: pdu.credits)
      open(sources[0], pdu.destination.rawValue)
    case .enhancedConnectionResponse:
      answered = Capacity(mtu: pdu.mtu, mps: pdu.mps, credits: pdu.credits)
      guard let channels = pdu.channels else { return }
      for index in 0..<min(5, count, channels.count) {
        // 0 means that the channel was not opened.
        open(sources[index], channels.channel(index, bytes).rawValue)
      }
    default: break
    }
  }

  private mutating func open(_ source: UInt16, _ destination: UInt16) {
    guard source != 0, destination != 0 else { return }
    opened += 1
    ends.append(Ends(side, source, destination))
  }
}
