package import Bluetooth
import Bytes

/// ATT requests and indications that stayed unanswered, including discovery: another one of the
/// same bearer was answered, or followed and stayed, or the connection ended. A request that is
/// open when records are lost or the capture ends does not count, unless it waited longer than
/// ATT's timeout (Core, Vol 3, Part F, 3.3.3). Bounded: the first ones are listed.
package struct UnansweredRequests: Sendable {
  /// A request.
  package struct Sent: Sendable {
    package let packet: Int
    /// The request's opcode.
    package let opcode: ATTOpcode
    /// The connection's number.
    package let connection: Int
    /// The time at which it was sent.
    package let time: Timestamp?
    package let direction: Direction
    /// The attribute that it refers to, if it refers to one.
    package let handle: UInt16?
    /// Whether a later one of its bearer was answered.
    package let isOvertaken: Bool
  }

  /// The unanswered requests, up to a limit.
  package private(set) var listed: [Sent] = []
  /// The number of unanswered requests, and how many of them are indications.
  package private(set) var count = 0
  package private(set) var indications = 0
  private let limit: Int

  package init(limit: Int) { self.limit = limit }

  /// Records a request or an indication that got no answer, or only a late one, unless the capture
  /// may lack the answer or end before it.
  mutating func note(
    _ request: borrowing Procedure, _ direction: Direction, _ reason: ValueOutcome.Reason,
    at now: Timestamp?, _ memory: borrowing Memory
  ) {
    guard !request.isLate, !request.hasCutAnswer, memory.hasHeard(direction.reversed) else {
      return
    }
    switch reason {
    case .overtaken, .connectionEnded, .timedOut: break
    case .recordsLost, .forgotten: return
    case .captureEnded:
      guard !request.isPassed else { break }
      guard let now, let sent = request.time, now.nanoseconds(since: sent) >= Request.timeout
      else { return }
    }
    count += 1
    if request.opcode.role == .indication { indications += 1 }
    guard listed.count < limit else { return }
    listed.append(
      Sent(
        packet: request.packet, opcode: request.opcode, connection: request.connection,
        time: request.time, direction: direction, handle: request.attribute.handle,
        isOvertaken: request.isPassed))
  }

  mutating func sort() { listed.sort { $0.packet < $1.packet } }
}
