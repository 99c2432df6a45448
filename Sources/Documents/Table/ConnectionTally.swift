import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The counts of one connection.
struct ConnectionTally: Sendable {
  /// The number of values and attempts.
  private(set) var operations = 0
  /// The number that the server refused.
  private(set) var refused = 0
  /// The number without an answer.
  private(set) var unanswered = 0
  /// Times to an answer, in microseconds: all of them, or every second, fourth and so on if there
  /// are more than `mostLatencies`.
  private(set) var latencies: [UInt32] = []
  private var stride = 1
  private var untilNext = 0
  /// Bytes of ACL data.
  private(set) var sent = 0
  private(set) var received = 0
  /// The longest time between two packets of ACL data, in nanoseconds.
  private(set) var silence: Int64?
  private var previous: Timestamp?

  private static let mostLatencies = 4096

  mutating func add(_ value: ConveyedValue) {
    operations += 1
    switch value.outcome {
    case .refused: refused += 1
    case .noResponse: unanswered += 1
    case .done, .cancelled, .notExecuted: break
    }
    guard let latency = value.latency else { return }
    guard untilNext == 0 else {
      untilNext -= 1
      return
    }
    if latencies.count == Self.mostLatencies {
      latencies = latencies.indices.filter { $0 % 2 == 0 }.map { latencies[$0] }
      stride = stride.multiplied(clamped: 2)
    }
    latencies.append(UInt32(clamping: latency / 1000))
    untilNext = stride - 1
  }

  mutating func add(_ record: borrowing CaptureRecord, bytes: Int) {
    switch record.direction {
    case .sent: sent.add(clamped: bytes)
    case .received: received.add(clamped: bytes)
    case nil: break
    }
    guard let time = record.time else { return }
    if let previous {
      let gap = time.nanoseconds(since: previous)
      if gap >= 0 { silence = max(silence ?? 0, gap) }
    }
    previous = time
  }
}

/// The counts of each connection, bounded by `Limits` like the list of connections.
struct ConnectionTallies: Sendable {
  private var tallies: [ConnectionTally] = []
  /// Positions in `tallies`, by connection number.
  private var positions: [Int: Int] = [:]
  /// The connection that was counted last.
  private var latest = (id: 0, position: 0)
  private let limits: Limits

  init(_ limits: Limits) { self.limits = limits }

  /// The counts of a connection, or nil if there was no room or nothing to count.
  subscript(connection: Int) -> ConnectionTally? { positions[connection].map { tallies[$0] } }

  /// Counts the bytes of a packet.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    guard case .acl(let header) = packet.dissection.content, packet.record.original == nil,
      let link = packet.answer.link,
      let position = position(memory.links.id(link))
    else { return }
    tallies[position].add(packet.record, bytes: Int(header.length))
  }

  /// Counts a value or an attempt.
  mutating func add(_ value: ConveyedValue) {
    if let position = position(value.parties.connection) { tallies[position].add(value) }
  }

  private mutating func position(_ id: Int) -> Int? {
    guard id != 0 else { return nil }
    if latest.id == id { return latest.position }
    if let known = positions[id] {
      latest = (id, known)
      return known
    }
    guard tallies.count < limits.listedConnections else { return nil }
    positions[id] = tallies.count
    latest = (id, tallies.count)
    tallies.append(ConnectionTally())
    return latest.position
  }
}
