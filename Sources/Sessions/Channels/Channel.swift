package import Bluetooth
import Bytes
package import Dissectors

/// What is known about a channel so far: its two ends, its purpose, and its frame layout.
struct Channel: Sendable {
  /// The frame layout of a channel.
  enum Mode: UInt8, Sendable {
    /// Unknown: the opening is missing from the capture.
    case unknown
    /// B-frames: payload only.
    case basic
    /// K-frames: segments of SDUs, sent against credits.
    case creditBased
    /// I- and S-frames with a standard control field: retransmission and flow control mode.
    case standardControl
    /// Those with an enhanced control field: enhanced retransmission and streaming mode.
    case enhancedControl
    /// Those with an extended control field.
    case extendedControl

    /// The layout of the control field, if frames have one.
    var control: ControlField.Layout? {
      switch self {
      case .unknown, .basic, .creditBased: nil
      case .standardControl: .standard
      case .enhancedControl: .enhanced
      case .extendedControl: .extended
      }
    }
  }

  /// What is known about the frames in one direction.
  struct Flow: Sendable {
    /// The largest SDU that the receiver accepts.
    var mtu: UInt16?
    /// The largest K-frame payload that the receiver accepts.
    var mps: UInt16?
    /// How many more frames may be sent; nil: unknown.
    var credits: Int?
    /// The credits that were given so far.
    var given = 0
    /// The frames that were sent so far.
    var used = 0
    /// Whether the next frame is known to begin an SDU, or to continue the open one.
    var isInStep = true
    /// BR/EDR: the mode that was agreed on last, as its configuration option encodes it.
    var mode: UInt8?
    /// BR/EDR: whether an extended window size was agreed on.
    var hasExtendedWindow = false
  }

  /// The connection that it belongs to.
  let connection: Int
  /// Distinguishes this channel from others that used its place.
  let serial: Int
  /// Its end on the captured host: the channel ID of received frames.
  var local: ChannelID?
  /// Its end on the peer: the channel ID of sent frames.
  var remote: ChannelID?
  /// Its protocol/service multiplexer.
  var psm: PSM?
  var mode: Mode
  /// Whether these facts were not read from its opening, or may be out of date.
  var isInferred = false
  /// The packet that closed it; 0: the end of its connection.
  var closedBy: Int?
  /// The sent and the received frames.
  var ways = InlineArray<2, Flow>(repeating: Flow())
  /// The end that accepted its opening, and so offers its protocol.
  var server: Side?
  /// For RFCOMM: the end that opened the session.
  var initiator: Side?
  /// The RFCOMM channel that carries an Apple accessory protocol, and which protocol.
  var accessory: (dlci: DLCI, is: AccessoryProtocol)?
  /// For a channel whose opening is missing: how many of its frames in a row were RFCOMM frames.
  var serialFrames: UInt8 = 0
  /// For a channel whose opening is missing: the evidence that it is an ATT bearer.
  var evidence = BearerEvidence()
  /// By the direction of responses: the serial of the channel whose requests they answer instead of
  /// this one's; 0: none.
  var partners = InlineArray<2, Int>(repeating: 0)
  /// The packet that last used it.
  var lastUse: Int

  init(_ connection: Int, serial: Int, _ mode: Mode, packet: Int) {
    self.connection = connection
    self.serial = serial
    self.mode = mode
    lastUse = packet
  }

  /// For an enhanced ATT bearer: the ATT_MTU, the smaller of the two L2CAP MTUs, which are at least
  /// 64 (Core, Vol 3, Part F, 3.2.8; Part G, 5.4 [mem]).
  var attMTU: UInt16? {
    guard psm == .eatt, let sent = ways[0].mtu, let received = ways[1].mtu else { return nil }
    return max(64, min(sent, received))
  }

  var carriesATT: Bool { psm == .eatt || psm == .att }
}

/// Evidence that a channel whose opening is missing is an ATT bearer: whole SDUs that are requests
/// in one direction, and their responses in the other.
struct BearerEvidence: Sendable {
  /// Whether a frame was seen that no ATT bearer carries.
  var isDisproved = false
  /// The request that waits for its response.
  var request: ATTOpcode?
  /// The serial of the channel that answers (its place may be reused), and how often it has
  /// answered.
  var partner: Int?
  var answers = 0

  /// After this many matching requests and responses, the channel counts as a bearer.
  static let enough = 2
}

/// What is known about the serial channel that a packet belongs to.
package struct SerialFact: Equatable, Sendable {
  package let channel: SerialChannel
  /// The end that offers it.
  package let server: Side
}

/// What is known about the channel that carries a packet's data.
package struct ChannelFact: Equatable, Sendable {
  /// The PSM of the channel; nil if its opening is missing from the capture.
  package var psm: PSM?
  /// Whether the channel's frames are sent against credits.
  package var isCreditBased = false
  /// Whether these facts were not read from the channel's opening.
  package var isInferred = false
  /// Whether its opening is missing from the capture, and nothing else reveals what it carries.
  package var isUnknown = false
  /// For an ATT bearer: the channel's end on the captured host, which names it in both directions,
  /// or the peer's end if that is not known.
  package var bearer: ChannelID?
  /// The channel's end on the captured host, if known.
  package var local: ChannelID?
  /// For an enhanced ATT bearer: the ATT_MTU in force, if both sides' MTUs are known.
  package var attMTU: UInt16?
  /// Whether the frame used the last credit.
  package var isOutOfCredits = false
  /// Apple's accessory protocol, if the frame belongs to it.
  package var accessory: AccessoryProtocol?
  /// The serial channel, if the frame belongs to one.
  package internal(set) var serialChannel: SerialFact?
  /// Whether the frame completes an SDU of a credit-based channel.
  package internal(set) var completesSDU = false
  /// The channel's index in `Channels`.
  var slot = 0
  /// The channel's serial: distinguishes channels that used the same identifier one after the
  /// other.
  package var serial = 0

  init(_ channel: Channel, slot: Int) {
    psm = channel.psm
    isCreditBased = channel.mode == .creditBased
    isInferred = channel.isInferred
    isUnknown = channel.mode == .unknown
    if channel.carriesATT { bearer = channel.local ?? channel.remote }
    attMTU = channel.attMTU
    local = channel.local
    if channel.mode == .creditBased, !channel.carriesATT, let psm, let server = channel.server {
      serialChannel = SerialFact(channel: .creditBased(psm), server: server)
    }
    self.slot = slot
    serial = channel.serial
  }
}
