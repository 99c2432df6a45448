import Bluetooth

/// The commands that wait for their Command Complete or Command Status, in the order in which they
/// were sent. Bounded: the oldest goes.
struct Commands: Sendable {
  private struct Waiting: Sendable {
    let adapter: UInt16
    let opcode: UInt16
    let request: Request
  }

  private var waiting: [Waiting] = []
  private let limit: Int

  init(limit: Int) {
    self.limit = max(1, limit)
    waiting.reserveCapacity(self.limit)
  }

  /// Notes a command.
  mutating func send(_ opcode: UInt16, adapter: UInt16, packet: Int, time: Timestamp?) {
    if waiting.count == limit { waiting.removeFirst() }
    waiting.append(
      Waiting(adapter: adapter, opcode: opcode, request: Request(packet: packet, time: time)))
  }

  /// The oldest command with this opcode, which has now been answered.
  mutating func answer(_ opcode: UInt16, adapter: UInt16) -> Request? {
    let position = waiting.firstIndex { $0.opcode == opcode && $0.adapter == adapter }
    return position.map { waiting.remove(at: $0).request }
  }

  /// Forgets the commands of an adapter that was reset or went away: they will not be answered.
  mutating func forget(_ adapter: UInt16) {
    waiting.removeAll { $0.adapter == adapter }
  }
}
