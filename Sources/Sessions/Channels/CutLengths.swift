import Bluetooth
import Captures
import Dissectors

/// The lengths to which a recorder truncated packets, and the lengths of whole packets: together
/// they show which setting of a phone did it.
///
/// Lengths include H4's type byte. Android's always-on summary keeps 15 bytes of a data packet; its
/// log with filtered headers keeps 14 of a received one; its log with filtered channels keeps 9.
/// None of them truncates L2CAP signalling, and the summary does not truncate Qualcomm's debug
/// handle. Filters for phone books, messages and calls remove payloads and make the packet's own
/// headers agree with what is left, so that only the record shows that the packet was longer; of
/// continuations they keep 5 bytes (Android's `snoop_logger`).
package struct CutLengths: Sendable {
  /// Why packets were truncated.
  package enum Reason: Equatable, Sendable {
    /// Android's summary: the log was off.
    case summary
    /// Android's log without received values.
    case headers
    /// Android's log without the data of most channels.
    case channels
    /// Android's log without the payloads of phone books, messages and calls.
    case payloads
    /// A snapshot length: at most this many bytes of each packet, as with `tcpdump -s`.
    case snapshot(Int)

    /// The remark that `info` prints about the capture.
    package var remark: String {
      switch self {
      case .summary:
        "a summary, as Android keeps it while its Bluetooth log is off: at most 14 bytes of each data packet, three bytes of a value"
      case .headers:
        "filtered, as Android's log is with the setting Enabled Filtered: at most 13 bytes of each received data packet, two bytes of a value"
      case .channels:
        "filtered, as Android's log is with the setting Enabled Filtered: only the L2CAP header of some channels' data"
      case .payloads:
        "filtered, as Android's log is with the setting Enabled Filtered: the payloads of phone books, messages or calls are removed; GATT and pairing are complete"
      case .snapshot(let length): "cut at a snapshot length: at most \(length) bytes per packet"
      }
    }
  }

  /// Truncated data packets, and how many of them were truncated to each length that Android uses.
  private var data = 0
  private var summary = 0
  private var headers = 0
  private var channels = 0
  /// Data packets whose header agrees with what is left of them, and continuations of nothing but
  /// the header.
  private var payloads = 0
  private var continuations = 0
  /// Truncated packets other than data.
  private var other = 0
  /// The length to which all of them were truncated; nil if they differ.
  private var length: Int?
  /// The longest whole packet, and the settings that whole data packets do not rule out.
  private var longestWhole = 0
  private var mayBeSummary = true
  private var mayBeHeaders = true
  private var mayBeChannels = true

  /// The connection handle of debug messages from Qualcomm's controllers.
  private static let debugHandle: UInt16 = 0x0edc

  /// Counts a record.
  mutating func observe(_ record: borrowing CaptureRecord, _ dissection: Dissection) {
    let kept = record.bytes.byteCount
    let counted = record.framing == .h4 ? kept : kept + 1
    guard record.isTruncated else {
      longestWhole = max(longestWhole, kept)
      if counted > 9, case .acl(let header) = dissection.content {
        exclude(counted, header, dissection.l2cap?.cid, record.direction)
      }
      return
    }
    if data + other == 0 { length = kept } else if length != kept { length = nil }
    guard case .acl(let header) = dissection.content else {
      other &+= 1
      return
    }
    data &+= 1
    // Android removes only payloads of profiles, so never those of LE's fixed channels.
    let cid = dissection.l2cap?.cid
    let isFixed = cid == .attribute || cid == .securityManager || cid == .signalling
    if counted == Int(header.length) + 5, !isFixed {
      payloads &+= 1
      return
    }
    switch counted {
    case 5 where header.boundary == .continuation: continuations &+= 1
    case 15: summary &+= 1
    case 14 where record.direction == .received: headers &+= 1
    case 9: channels &+= 1
    default: break
    }
  }

  /// Rules out settings that would have truncated a data packet that is whole.
  private mutating func exclude(
    _ counted: Int, _ header: ACLHeader, _ cid: ChannelID?, _ direction: Direction?
  ) {
    // Only the first fragment of a PDU has a CID.
    guard header.boundary != .continuation, let cid, cid != .signalling,
      header.handle != Self.debugHandle
    else { return }
    if counted > 15 { mayBeSummary = false }
    if counted > 14, header.boundary == .firstFlushable, direction == .received {
      mayBeHeaders = false
    }
    if cid == .attribute || cid == .securityManager { mayBeChannels = false }
  }

  /// Why packets were truncated; nil if none were, or the lengths match no setting.
  package var reason: Reason? {
    if data > 0 {
      switch data {
      case summary where mayBeSummary: return .summary
      case headers where mayBeHeaders: return .headers
      case channels where mayBeChannels: return .channels
      case payloads &+ continuations where payloads > 0: return .payloads
      default: break
      }
    }
    guard data &+ other > 1, let length, longestWhole <= length else { return nil }
    return .snapshot(length)
  }
}
