package import Bluetooth
import Bytes
package import Dissectors

/// A channel as it is known so far: its two ends, what it is for, and how its frames are laid out.
struct Channel: Sendable {
  /// How the frames of a channel are laid out.
  enum Mode: UInt8, Sendable {
    /// The opening is not in the capture: nobody knows.
    case unknown
    /// B-frames: payload alone.
    case basic
    /// K-frames: SDUs in segments, sent against credits.
    case creditBased
    /// I- and S-frames with a standard control field: retransmission and flow control mode.
    case standardControl
    /// With an enhanced one: enhanced retransmission and streaming mode.
    case enhancedControl
    /// With an extended one.
    case extendedControl

    /// The layout of the control field, where frames have one.
    var control: ControlField.Layout? {
      switch self {
      case .unknown, .basic, .creditBased: nil
      case .standardControl: .standard
      case .enhancedControl: .enhanced
      case .extendedControl: .extended
      }
    }
  }

  /// What is known of the frames that go one way.
  struct Way: Sendable {
    /// The largest SDU that the receiver takes.
    var mtu: UInt16?
    /// The largest K-frame payload that it takes.
    var mps: UInt16?
    /// How many more frames may be sent; nil: not known.
    var credits: Int?
    /// Credits that were given so far.
    var given = 0
    /// Frames that were sent so far.
    var used = 0
    /// Whether the next frame is known to begin an SDU, or to continue the one that is open.
    var isInStep = true
    /// BR/EDR: the mode that was agreed on last, as its configuration option has it.
    var mode: UInt8?
    /// BR/EDR: whether an extended window size was agreed on.
    var hasExtendedWindow = false
  }

  /// The connection that it belongs to.
  let connection: Int
  /// Tells this channel from others that had its place.
  let serial: Int
  /// Its end on the captured host: what received frames carry.
  var local: ChannelID?
  /// Its end on the peer: what sent frames carry.
  var remote: ChannelID?
  /// What it is for.
  var psm: PSM?
  /// How its frames are laid out.
  var mode: Mode
  /// Whether what is said of it is not read off its opening, or that may be out of date.
  var isInferred = false
  /// The packet that closed it; 0: the end of its connection.
  var closedBy: Int?
  /// The sent and the received frames.
  var ways = InlineArray<2, Way>(repeating: Way())
  /// The serial port of an RFCOMM channel that carries Apple's accessory protocol, and which.
  var accessory: (dlci: UInt8, is: AccessoryProtocol)?
  /// Of a channel whose opening is not in the capture: what speaks for an ATT bearer.
  var evidence = Evidence()
  /// By the direction of responses, the channel (its serial) whose requests they answer instead of this one's;
  /// 0: none.
  var partners = InlineArray<2, Int>(repeating: 0)
  /// The packet that used it last.
  var lastUse: Int

  init(_ connection: Int, serial: Int, _ mode: Mode, packet: Int) {
    self.connection = connection
    self.serial = serial
    self.mode = mode
    lastUse = packet
  }

  /// Of an enhanced ATT bearer: the ATT_MTU, the smaller of the two L2CAP MTUs, which are at least 64
  /// (Core, Vol 3, Part F, 3.2.8; Part G, 5.4 [mem]).
  var attMTU: UInt16? {
    guard psm == .eatt, let sent = ways[0].mtu, let received = ways[1].mtu else { return nil }
    return max(64, min(sent, received))
  }

  /// Whether it carries ATT.
  var carriesATT: Bool { psm == .eatt || psm == .att }
}

/// What speaks for a channel's being an ATT bearer although its opening is not in the capture: whole
/// SDUs that are requests one way, and their responses the other way.
struct Evidence: Sendable {
  /// Whether a frame was seen that no ATT bearer carries.
  var isDisproved = false
  /// The request that waits for its response.
  var request: ATTOpcode?
  /// Which channel answers (its serial: its place may be another's), and how often it has.
  var partner: Int?
  var answers = 0

  /// After so many requests and responses that fit, the channel is taken for a bearer.
  static let enough = 2
}

/// What is known of the channel that a packet's data is on.
package struct ChannelFact: Sendable {
  /// What the channel is for; nil where its opening is not in the capture.
  package var psm: PSM?
  /// Whether the channel's frames are sent against credits.
  package var isCreditBased = false
  /// Whether what is said is not read off the channel's opening.
  package var isInferred = false
  /// Whether its opening is not in the capture, and nothing else tells what it carries.
  package var isUnknown = false
  /// Of an ATT bearer: the channel's end on the captured host, which names it in both directions; the
  /// peer's where that is not known.
  package var bearer: ChannelID?
  /// The channel's end on the captured host, where that is known.
  package var local: ChannelID?
  /// Of an enhanced ATT bearer: the ATT_MTU in force, where both sides' MTUs are known.
  package var attMTU: UInt16?
  /// Whether the frame used the last credit.
  package var isOutOfCredits = false
  /// Apple's accessory protocol, where the frame belongs to it.
  package var accessory: AccessoryProtocol?
  /// Where the channel stands in `Channels`.
  var slot = 0
  /// And which one it is: tells channels apart that had the same identifier one after the other.
  package var serial = 0

  init(_ channel: Channel, slot: Int) {
    psm = channel.psm
    isCreditBased = channel.mode == .creditBased
    isInferred = channel.isInferred
    isUnknown = channel.mode == .unknown
    if channel.carriesATT { bearer = channel.local ?? channel.remote }
    attMTU = channel.attMTU
    local = channel.local
    self.slot = slot
    serial = channel.serial
  }
}
