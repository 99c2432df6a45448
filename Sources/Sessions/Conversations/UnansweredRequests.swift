package import Bluetooth
package import Captures
package import Dissectors

/// ATT requests and indications that nobody answered, discovery among them: another one of the same bearer
/// was answered, or followed and stayed, or the connection ended. What is open when records are lost or the
/// capture ends is not among them, unless it waited for longer than ATT does (Core, Vol 3, Part F, 3.3.3).
/// Bounded: the first ones are listed, and bearers beyond a limit not followed.
package struct UnansweredRequests: Sendable {
  /// A request.
  package struct Sent: Sendable {
    /// Its packet.
    package let packet: Int
    /// What it asks for.
    package let opcode: ATTOpcode
    /// The connection's number.
    package let connection: Int
    /// When it was sent.
    package let time: Timestamp?
    /// Which way it went.
    package let direction: Direction
    /// The attribute that it is about, where it is about one.
    package let handle: UInt16?
    /// Whether another one of its bearer, sent after it, was answered.
    package fileprivate(set) var isOvertaken = false
    fileprivate var isAnswered = false
  }

  /// What one side has open on a bearer.
  private struct Side: Sendable {
    let adapter: UInt16
    var open: [Sent] = []
  }

  /// The first ones.
  package private(set) var listed: [Sent] = []
  /// How many there were, and how many of them were indications.
  package private(set) var count = 0
  package private(set) var indications = 0
  private var sides: [UInt64: Side] = [:]
  private var gap = 0
  private let limits: Limits
  private static let mostOpen = 8
  private static let longestWait: Int64 = 30_000_000_000

  /// None seen.
  package init(_ limits: Limits) { self.limits = limits }

  /// Whether there is anything that the end of a connection may end.
  package var followsAny: Bool { !sides.isEmpty }

  /// Takes a packet.
  package mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ answer: Answer,
    _ memory: borrowing Memory
  ) {
    if memory.links.gap != gap {
      gap = memory.links.gap
      let adapter = memory.links.gapAdapter
      sides = sides.filter { adapter != nil && $0.value.adapter != adapter }
    }
    guard let pdu = dissection.att, let link = answer.link, let direction = record.direction,
      record.original == nil
    else { return }
    let (opcode, connection) = (pdu.opcode, memory.links.id(link))
    let role = opcode.role
    guard role != .unacknowledged, memory.links.isOpen(link) else { return }
    let isAsking = role == .request || role == .indication
    let isIndication = role == .indication || role == .confirmation
    let key =
      UInt64(UInt32(truncatingIfNeeded: connection)) << 32
      | UInt64(answer.channel.map { UInt32(truncatingIfNeeded: $0.serial) &+ 1 } ?? 0) << 2
      | (isIndication ? 2 : 0) | ((direction == .sent) == isAsking ? 1 : 0)
    if isAsking {
      if sides[key] == nil {
        guard sides.count < 4 * limits.bearers else { return }
        sides[key] = Side(adapter: record.adapter ?? 0)
      }
      close(key, upToAnswered: true)
      if (sides[key]?.open.count ?? 0) >= Self.mostOpen, let oldest = sides[key]?.open.removeFirst()
      {
        tell(oldest)
      }
      sides[key]?.open.append(
        Sent(
          packet: record.number, opcode: opcode, connection: connection, time: record.time,
          direction: direction, handle: dissection.attFields.handle))
    } else if let request = answer.request {
      mark(answer.channel == nil ? key : bearer(of: request.packet, key), request.packet)
      for correction in memory.doubt.corrections { mark(key, correction.request.packet) }
    }
  }

  /// The bearer on which a request waits: that of its answer, but for hosts that answer on other channels.
  private func bearer(of packet: Int, _ key: UInt64) -> UInt64 {
    func waits(_ side: Side?) -> Bool { side?.open.contains { $0.packet == packet } ?? false }
    if waits(sides[key]) { return key }
    let other = sides.first {
      $0.key >> 32 == key >> 32 && $0.key & 3 == key & 3 && waits($0.value)
    }
    return other?.key ?? key
  }

  private mutating func mark(_ key: UInt64, _ packet: Int) {
    guard let index = sides[key]?.open.firstIndex(where: { $0.packet == packet }) else { return }
    // The one alone that is open: nothing is to be remembered.
    if sides[key]?.open.count == 1 {
      sides[key]?.open.removeAll(keepingCapacity: true)
    } else {
      sides[key]?.open[index].isAnswered = true
    }
  }

  /// Takes those away that were answered, and tells those that were sent before them.
  private mutating func close(_ key: UInt64, upToAnswered: Bool) {
    guard let open = sides[key]?.open, !open.isEmpty else { return }
    let last = upToAnswered ? open.lastIndex { $0.isAnswered } : open.indices.last
    guard let last else { return }
    for request in open[...last] where !request.isAnswered {
      var request = request
      request.isOvertaken = upToAnswered
      tell(request)
    }
    sides[key]?.open.removeFirst(last + 1)
  }

  private mutating func tell(_ request: Sent) {
    count += 1
    if request.opcode.role == .indication { indications += 1 }
    if listed.count < limits.listedRequests { listed.append(request) }
  }

  /// Takes the end of connections.
  package mutating func end(_ isOpen: (Int) -> Bool) {
    for key in sides.keys.sorted() where !isOpen(Int(key >> 32)) {
      close(key, upToAnswered: false)
      sides[key] = nil
    }
  }

  /// Takes the end of the capture.
  package mutating func finish(_ latest: Timestamp?, _ isOpen: (Int) -> Bool) {
    end(isOpen)
    for key in sides.keys.sorted() {
      close(key, upToAnswered: true)
      for request in sides[key]?.open ?? [] where !request.isAnswered {
        guard let latest, let sent = request.time,
          latest.nanoseconds(since: sent) >= Self.longestWait
        else { continue }
        tell(request)
      }
    }
    listed.sort { $0.packet < $1.packet }
  }
}
