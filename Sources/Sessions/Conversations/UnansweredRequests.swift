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
  private var procedures: Procedures
  private let limits: Limits

  /// Creates an empty list.
  package init(_ limits: Limits) {
    self.limits = limits
    procedures = Procedures(limits)
  }

  /// Processes a packet.
  package mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    procedures.observe(packet, memory)
    guard procedures.hasEvents else { return }
    let own = procedures
    follow(own, memory)
  }

  /// Ends the capture.
  ///
  /// - Parameter followed: the procedures at their end, if the caller followed them.
  package mutating func finish(
    _ latest: Timestamp?, _ memory: borrowing Memory, following followed: Procedures? = nil
  ) {
    if followed == nil { procedures.finish(memory) }
    follow(followed ?? procedures, memory, latest)
    listed.sort { $0.packet < $1.packet }
  }

  /// Processes a packet whose procedures the caller follows, instead of `observe`.
  package mutating func follow(
    _ procedures: borrowing Procedures, _ memory: borrowing Memory, _ latest: Timestamp? = nil
  ) {
    for case .unanswered(let place, let request, let reason) in procedures.events {
      guard !request.isLate, !request.hasCutAnswer, memory.hasHeard(place.direction.reversed) else {
        continue
      }
      switch reason {
      case .overtaken, .connectionEnded, .timedOut: break
      case .recordsLost, .forgotten: continue
      case .captureEnded:
        guard !request.isPassed else { break }
        guard let latest, let sent = request.time,
          latest.nanoseconds(since: sent) >= Request.timeout
        else { continue }
      }
      count += 1
      if request.opcode.role == .indication { indications += 1 }
      guard listed.count < limits.listedRequests else { continue }
      listed.append(
        Sent(
          packet: request.packet, opcode: request.opcode, connection: request.connection,
          time: request.time, direction: place.direction, handle: request.attribute.handle,
          isOvertaken: request.isPassed))
    }
  }
}
