import Bluetooth

/// The commands that wait for their Command Complete or Command Status, in the order in which they
/// were sent. Bounded: the oldest goes.
struct Commands: Sendable {
  private struct Waiting: Sendable {
    let adapter: UInt16
    let opcode: UInt16
    let request: Request
    let link: LinkSlot?
    let connection: Int
  }

  private var waiting: [Waiting] = []
  private let limit: Int

  init(limit: Int) {
    self.limit = max(1, limit)
    waiting.reserveCapacity(self.limit)
  }

  /// Notes a command, with the link that it is about and that link's connection.
  mutating func send(
    _ opcode: UInt16, adapter: UInt16, packet: Int, time: Timestamp?, link: LinkSlot?,
    connection: Int
  ) {
    if waiting.count == limit { waiting.removeFirst() }
    waiting.append(
      Waiting(
        adapter: adapter, opcode: opcode, request: Request(packet: packet, time: time), link: link,
        connection: connection))
  }

  /// The oldest command with this opcode, which has now been answered; and the link that it was
  /// about, which may be another connection's by now.
  mutating func answer(
    _ opcode: UInt16, adapter: UInt16
  ) -> (request: Request, link: LinkSlot?, connection: Int)? {
    let position = waiting.firstIndex { $0.opcode == opcode && $0.adapter == adapter }
    return position.map { position in
      let answered = waiting.remove(at: position)
      return (answered.request, answered.link, answered.connection)
    }
  }

  /// Forgets the commands of an adapter that was reset or went away: they will not be answered.
  mutating func forget(_ adapter: UInt16) {
    waiting.removeAll { $0.adapter == adapter }
  }
}
