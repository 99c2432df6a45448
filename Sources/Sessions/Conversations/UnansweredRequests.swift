package import Bluetooth
package import Captures
package import Dissectors

/// ATT requests and indications that stayed unanswered, including discovery: another one of the
/// same bearer was answered, or followed and stayed, or the connection ended. A request that is
/// open when records are lost or the capture ends does not count, unless it waited longer than
/// ATT's timeout (Core, Vol 3, Part F, 3.3.3). Bounded: the first ones are listed, and bearers
/// beyond a limit are not followed.
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
    package fileprivate(set) var isOvertaken = false
    fileprivate var isAnswered = false
  }

  /// What one side has open on a bearer.
  private struct Side: Sendable {
    /// The connection (the upper 32 bits), the bearer, whether it is for indications, and the
    /// requesting side.
    let key: UInt64
    let adapter: UInt16
    var open: [Sent] = []
    var connection: Int { Int(key >> 32) }
  }

  /// The unanswered requests, up to a limit.
  package private(set) var listed: [Sent] = []
  /// The number of unanswered requests, and how many of them are indications.
  package private(set) var count = 0
  package private(set) var indications = 0
  private var sides: [Side] = []
  /// The indexes in `sides`, by key.
  private var positions: [UInt64: Int] = [:]
  /// The index of the latest packet's side, which is usually that of the next packet, too.
  private var latest = 0
  private var gap = 0
  /// Which directions the capture has: if it has only one, no answer is missing.
  private var hears = (sent: false, received: false)
  private let limits: Limits
  private static let mostOpen = 8
  private static let longestWait: Int64 = 30_000_000_000

  /// Creates an empty list.
  package init(_ limits: Limits) { self.limits = limits }

  /// Whether there is anything that the end of a connection may end.
  package var followsAny: Bool { !sides.isEmpty }

  /// Processes a packet.
  package mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ answer: Answer,
    _ memory: borrowing Memory
  ) {
    if memory.links.gap != gap {
      gap = memory.links.gap
      let adapter = memory.links.gapAdapter
      keep { adapter != nil && $0.adapter != adapter }
    }
    guard let pdu = dissection.att, let link = answer.link, let direction = record.direction,
      record.original == nil
    else { return }
    let (opcode, connection) = (pdu.opcode, memory.links.id(link))
    let role = opcode.role
    guard role != .unacknowledged, memory.links.isOpen(link) else { return }
    let isAsking = role == .request || role == .indication
    hears = (memory.hasHeard(.sent), memory.hasHeard(.received))
    let isIndication = role == .indication || role == .confirmation
    let key =
      UInt64(UInt32(truncatingIfNeeded: connection)) << 32
      | UInt64(answer.channel.map { UInt32(truncatingIfNeeded: $0.serial) &+ 1 } ?? 0) << 2
      | (isIndication ? 2 : 0) | ((direction == .sent) == isAsking ? 1 : 0)
    if isAsking {
      guard let position = position(of: key, adding: record.adapter ?? 0) else { return }
      latest = position
      close(position, upToAnswered: true)
      if sides[position].open.count >= Self.mostOpen { tell(sides[position].open.removeFirst()) }
      sides[position].open.append(
        Sent(
          packet: record.number, opcode: opcode, connection: connection, time: record.time,
          direction: direction, handle: dissection.attFields.handle))
    } else if let request = answer.request {
      let position = position(of: key)
      mark(
        answer.channel == nil ? position : bearer(of: request.packet, key, position), request.packet
      )
      for correction in memory.doubt.corrections { mark(position, correction.request.packet) }
    }
  }

  private func position(of key: UInt64) -> Int? {
    latest < sides.count && sides[latest].key == key ? latest : positions[key]
  }

  /// Returns the side's index, and adds the side if it is new and there is room.
  private mutating func position(of key: UInt64, adding adapter: UInt16) -> Int? {
    if let position = position(of: key) { return position }
    guard sides.count < 4 * limits.bearers else { return nil }
    positions[key] = sides.count
    sides.append(Side(key: key, adapter: adapter))
    return sides.count - 1
  }

  /// Removes all other sides.
  private mutating func keep(_ isKept: (Side) -> Bool) {
    sides = sides.filter(isKept)
    positions.removeAll(keepingCapacity: true)
    for (position, side) in sides.enumerated() { positions[side.key] = position }
  }

  /// Returns the bearer on which a request waits: that of its answer, except for hosts that answer
  /// on other channels.
  private func bearer(of packet: Int, _ key: UInt64, _ position: Int?) -> Int? {
    func waits(_ side: Side) -> Bool { side.open.contains { $0.packet == packet } }
    if let position, waits(sides[position]) { return position }
    return sides.firstIndex { $0.key >> 32 == key >> 32 && $0.key & 3 == key & 3 && waits($0) }
      ?? position
  }

  private mutating func mark(_ position: Int?, _ packet: Int) {
    guard let position,
      let index = sides[position].open.firstIndex(where: { $0.packet == packet })
    else { return }
    // It is the only open request: nothing needs to be remembered.
    if sides[position].open.count == 1 {
      sides[position].open.removeAll(keepingCapacity: true)
    } else {
      sides[position].open[index].isAnswered = true
    }
  }

  /// Removes answered requests, and reports the unanswered ones that were sent before them.
  private mutating func close(_ position: Int, upToAnswered: Bool) {
    guard !sides[position].open.isEmpty else { return }
    let open = sides[position].open
    let last = upToAnswered ? open.lastIndex { $0.isAnswered } : open.indices.last
    guard let last else { return }
    for request in open[...last] where !request.isAnswered {
      var request = request
      request.isOvertaken = upToAnswered
      tell(request)
    }
    sides[position].open.removeFirst(last + 1)
  }

  private mutating func tell(_ request: Sent) {
    guard request.direction == .sent ? hears.received : hears.sent else { return }
    count += 1
    if request.opcode.role == .indication { indications += 1 }
    if listed.count < limits.listedRequests { listed.append(request) }
  }

  /// Ends connections.
  package mutating func end(_ isOpen: (Int) -> Bool) {
    let ended = inOrder.filter { !isOpen(sides[$0].connection) }
    guard !ended.isEmpty else { return }
    for position in ended { close(position, upToAnswered: false) }
    keep { isOpen($0.connection) }
  }

  /// Ends the capture.
  package mutating func finish(_ latest: Timestamp?, _ isOpen: (Int) -> Bool) {
    end(isOpen)
    for position in inOrder {
      close(position, upToAnswered: true)
      for request in sides[position].open where !request.isAnswered {
        guard let latest, let sent = request.time,
          latest.nanoseconds(since: sent) >= Self.longestWait
        else { continue }
        tell(request)
      }
    }
    listed.sort { $0.packet < $1.packet }
  }

  /// The indexes of the sides, ordered by their connections.
  private var inOrder: [Int] { sides.indices.sorted { sides[$0].key < sides[$1].key } }
}
