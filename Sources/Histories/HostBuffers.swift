import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The received data packets that this host holds, if the controller counts them (Core, Vol 4, Part
/// E, 4.2).
///
/// Wherever the capture may lack records, counting ends until the next reset, so that the host is
/// not accused wrongly. Bounded by the number of links.
package struct HostBuffers: Sendable {
  /// A host that holds as many packets as it has buffers for.
  package struct Full: Sendable {
    /// The number of buffers, and the command that gives it.
    package let capacity: Int
    package let command: Moment
    /// The packet that took the last buffer.
    package let since: Moment
    /// When it still held them.
    package internal(set) var until: Moment
    /// Whether the capture has any other record of the controller meanwhile: without one the host
    /// may have slept.
    fileprivate var isHeard = false
  }

  /// The first time that the host held all its buffers for `leastSilence` or longer.
  package private(set) var stuck: Full?
  /// Whether the controller counts what the host holds.
  private(set) var isCounting = false
  private var size: (packets: Int, moment: Moment)?
  private var wanted: (size: (packets: Int, moment: Moment)?, isOn: Bool?) = (nil, nil)
  private var held: [(handle: UInt16, count: Int)] = []
  private var full: Full?
  /// Whether the capture has commands that free buffers: an export may lack them.
  private var frees = false

  private static let mostLinks = 64
  private static let leastSilence: Int64 = 5_000_000_000

  /// Records a command: Host Buffer Size: ACL length (2 bytes), synchronous length (1), ACL packets
  /// (2), synchronous packets (2); Set Controller To Host Flow Control: enable (1), whose bit 0 is
  /// for ACL; Host Number Of Completed Packets: number of handles (1), then handle and number of
  /// packets (2 bytes each) for each (Core, Vol 4, Part E, 7.3.38 to 7.3.40).
  mutating func observe(_ opcode: UInt16, _ moment: Moment, _ bytes: RawSpan, _ body: Slice) {
    var cursor = Cursor(bytes, body)
    switch opcode {
    case HCICommand.hostBufferSize:
      guard (try? cursor.u16()) != nil, (try? cursor.u8()) != nil, let packets = try? cursor.u16()
      else { return }
      wanted.size = (Int(packets), moment)
    case HCICommand.setControllerToHostFlowControl:
      wanted.isOn = (try? cursor.u8()).map { $0 == 1 || $0 == 3 }
    case HCICommand.hostNumberOfCompletedPackets:
      guard let count = try? cursor.u8() else { return }
      frees = true
      for _ in 0..<count {
        guard let handle = try? cursor.u16(), let packets = try? cursor.u16() else { return }
        release(handle & 0x0fff, Int(packets), moment)
      }
    default: break
    }
  }

  mutating func accept(_ opcode: UInt16) {
    switch opcode {
    case HCICommand.hostBufferSize: size = wanted.size
    case HCICommand.setControllerToHostFlowControl: isCounting = wanted.isOn == true
    default: return
    }
    (held, full) = ([], nil)
  }

  /// Counts a packet that the host receives.
  mutating func receive(_ handle: UInt16, _ moment: Moment) {
    guard isCounting, let size, size.packets > 0 else { return }
    // A controller does not exceed the number, so the capture lacks what freed buffers.
    guard full == nil else { return forget() }
    if let place = held.firstIndex(where: { $0.handle == handle }) {
      held[place].count += 1
    } else if held.count < Self.mostLinks {
      held.append((handle, 1))
    } else {
      return forget()
    }
    if held.reduce(0, { $0 + $1.count }) >= size.packets {
      full = Full(capacity: size.packets, command: size.moment, since: moment, until: moment)
    }
  }

  /// Records a command or an event.
  mutating func hear() { if full != nil { full?.isHeard = true } }

  private mutating func release(_ handle: UInt16, _ count: Int, _ moment: Moment) {
    guard count > 0, let place = held.firstIndex(where: { $0.handle == handle }) else { return }
    settle(moment)
    held[place].count = max(0, held[place].count - count)
  }

  /// Records the end of a link, whose buffers count as free.
  mutating func close(_ handle: UInt16, _ moment: Moment) {
    guard let place = held.firstIndex(where: { $0.handle == handle }) else { return }
    settle(moment)
    held.remove(at: place)
  }

  mutating func reset(_ moment: Moment) {
    settle(moment)
    forget()
    size = nil
  }

  /// Stops to count until the host switches flow control on again.
  mutating func forget() { (isCounting, held, full) = (false, [], nil) }

  /// Keeps the time for which all buffers were held until this moment.
  mutating func settle(_ moment: Moment) {
    defer { full = nil }
    guard stuck == nil, frees, var full, full.isHeard,
      moment.nanoseconds(since: full.since) ?? 0 >= Self.leastSilence
    else { return }
    full.until = moment
    stuck = full
  }
}
