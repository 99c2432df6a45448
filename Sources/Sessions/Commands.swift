import Bluetooth
import Dissectors

/// The commands that wait for their Command Complete or Command Status, in the order in which they
/// were sent. Bounded: the oldest is dropped.
struct Commands: Sendable {
  private struct Waiting: Sendable {
    let adapter: AdapterIndex
    let opcode: UInt16
    let handle: UInt16?
    let packet: Int
    let time: Timestamp?
    let link: LinkSlot?
    let connection: Int
    /// Whether a later command has been answered, or was sent although the controller accepts no
    /// more at once. Controllers answer in order, so this one's answer is late or lost.
    var isPassed = false
  }

  private var waiting: [Waiting] = []
  /// The number of commands each controller accepts at once: the highest Num_HCI_Command_Packets so
  /// far, which it sends when none is pending. A missing entry means unknown. There are usually one
  /// or two adapters, so a linear search is faster than hashing.
  private var allowances: [(adapter: AdapterIndex, commands: Int)] = []
  private let limit: Int
  /// Whether a command that may still be answered had to be forgotten.
  private(set) var hasForgotten = false

  init(limit: Int) {
    self.limit = max(1, limit)
    waiting.reserveCapacity(self.limit)
  }

  /// Records a command, with the handle and link that it refers to and that link's connection.
  ///
  /// A host should send no more than its controller allows, so the answers of the oldest commands
  /// beyond that were probably lost. Some hosts do send more, so these can still be answered.
  mutating func send(
    _ opcode: UInt16, adapter: AdapterIndex, handle: UInt16?, packet: Int, time: Timestamp?,
    link: LinkSlot?, connection: Int
  ) {
    guard opcode != HCICommand.hostNumberOfCompletedPackets else { return }
    if let known = allowances.firstIndex(where: { $0.adapter == adapter }) {
      let allowance = allowances[known].commands
      var others = waiting.count { $0.adapter == adapter && !$0.isPassed }
      while others >= allowance,
        let first = waiting.firstIndex(where: { $0.adapter == adapter && !$0.isPassed })
      {
        waiting[first].isPassed = true
        others -= 1
      }
    }
    if waiting.count == limit {
      // Passed commands are dropped first: their answers are late or lost.
      if let passed = waiting.firstIndex(where: \.isPassed) {
        waiting.remove(at: passed)
      } else {
        waiting.removeFirst()
        hasForgotten = true
      }
    }
    waiting.append(
      Waiting(
        adapter: adapter, opcode: opcode, handle: handle,
        packet: packet, time: time, link: link, connection: connection))
  }

  /// Removes and returns the command with this opcode that was now answered, and the link that it
  /// referred to, which may belong to another connection by now.
  ///
  /// Of two equal commands the oldest is returned, since the controller answers them in order. A
  /// command whose answer is overdue comes last. An answer that names no command (`unknownOpcode`)
  /// belongs to the next one in that order.
  ///
  /// - Parameters:
  ///   - handle: the connection handle that the answer contains.
  ///   - allowed: how many commands the controller now accepts.
  mutating func answer(
    _ opcode: UInt16, adapter: AdapterIndex, handle: UInt16?, allows allowed: UInt8
  ) -> (request: Request, link: LinkSlot?, connection: Int)? {
    let fits: (Waiting) -> Bool = {
      ($0.opcode == opcode || opcode == HCICommand.unknownOpcode) && $0.adapter == adapter
        && (handle == nil || $0.handle == nil || $0.handle == handle)
    }
    let position =
      waiting.firstIndex { fits($0) && !$0.isPassed } ?? waiting.firstIndex(where: fits)
    allow(allowed, adapter)
    guard let position else { return nil }
    for older in 0..<position where waiting[older].adapter == adapter {
      waiting[older].isPassed = true
    }
    let answered = waiting.remove(at: position)
    return (
      Request(packet: answered.packet, time: answered.time), answered.link, answered.connection
    )
  }

  private mutating func allow(_ allowed: UInt8, _ adapter: AdapterIndex) {
    guard allowed > 0 else { return }
    if let known = allowances.firstIndex(where: { $0.adapter == adapter }) {
      if allowances[known].commands < allowed { allowances[known].commands = Int(allowed) }
    } else if allowances.count < limit {
      allowances.append((adapter, Int(allowed)))
    }
  }

  /// Forgets a command whose effect was seen, so that its answer must have been lost.
  mutating func giveUp(_ opcode: UInt16, adapter: AdapterIndex, handle: UInt16) {
    waiting.removeAll { $0.opcode == opcode && $0.adapter == adapter && $0.handle == handle }
  }

  /// Forgets the commands of an adapter, or of all: they will not be answered, or their answers may
  /// have been lost.
  mutating func forget(_ adapter: AdapterIndex) {
    waiting.removeAll { adapter.mayBe($0.adapter) }
  }
}
