import Bluetooth
import Captures

/// The lengths at which a recorder cut packets: they tell which setting of a phone did it.
///
/// Lengths count H4's type byte. Android's always-on summary keeps 15 bytes of a data packet, its log with filtered headers 14
/// of a received one, and its log with filtered channels 9 (Android's `snoop_logger`).
package struct CutLengths: Sendable {
  /// Why packets were cut.
  package enum Reason: Equatable, Sendable {
    /// Android's summary: the log was off.
    case summary
    /// Android's log without the values that were received.
    case headers
    /// Android's log without the data of most channels.
    case channels
    /// The same number of bytes of each: a snapshot length, as of `tcpdump -s`.
    case snapshot(Int)

    /// As what `info` says of the capture.
    package var remark: String {
      switch self {
      case .summary:
        "a summary, as Android keeps it while its Bluetooth log is off: of data at most 14 bytes a packet, three bytes of a value"
      case .headers:
        "filtered, as Android's log is if it is set to Enabled Filtered: of received data at most 13 bytes a packet, two bytes of a value"
      case .channels:
        "filtered, as Android's log is if it is set to Enabled Filtered: of the data of some channels only the L2CAP header"
      case .snapshot(let length): "cut at a snapshot length: at most \(length) bytes a packet"
      }
    }
  }

  private var data = 0
  private var other = 0
  private var summary = 0
  private var headers = 0
  private var channels = 0
  /// The length at which all were cut so far; nil where they differ.
  private var length: Int?

  /// Counts a record that was cut.
  mutating func add(_ record: borrowing CaptureRecord, isData: Bool) {
    let kept = record.bytes.byteCount
    if data + other == 0 { length = kept } else if length != kept { length = nil }
    guard isData else {
      other &+= 1
      return
    }
    data &+= 1
    let counted = record.framing == .h4 ? kept : kept + 1
    switch counted {
    case 15: summary &+= 1
    case 14 where record.direction == .received: headers &+= 1
    case 9: channels &+= 1
    default: break
    }
  }

  /// Why packets were cut; nil where nothing was, or the lengths fit no setting.
  package var reason: Reason? {
    guard data &+ other > 0 else { return nil }
    if data > 0 {
      switch data {
      case summary: return .summary
      case headers: return .headers
      case channels: return .channels
      default: break
      }
    }
    guard data &+ other > 1, let length else { return nil }
    return .snapshot(length)
  }
}
