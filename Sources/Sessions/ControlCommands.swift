import Bluetooth
import Dissectors

/// The commands of the kernel's management interface that wait for their Command Complete or
/// Command Status. Bounded: the oldest is dropped.
///
/// The kernel works on several at a time and answers when it is done (Pair Device may take a
/// minute), so answers come in any order. A command is answered on the socket that sent it.
struct ControlCommands: Sendable {
  private struct Waiting: Sendable {
    let adapter: AdapterIndex
    let cookie: UInt32
    let opcode: UInt16
    let request: Request
  }

  private var waiting: [Waiting] = []
  private let limit: Int

  init(limit: Int) {
    self.limit = max(1, limit)
  }

  /// Records a command.
  mutating func send(_ control: ControlRecord, adapter: AdapterIndex, _ request: Request) {
    if waiting.count == limit { waiting.removeFirst() }
    waiting.append(
      Waiting(
        adapter: adapter, cookie: control.cookie, opcode: control.code, request: request))
  }

  /// Removes and returns the oldest command with this opcode that was sent on the socket.
  mutating func answer(_ opcode: UInt16, cookie: UInt32, adapter: AdapterIndex) -> Request? {
    let position = waiting.firstIndex {
      $0.opcode == opcode && $0.cookie == cookie && $0.adapter == adapter
    }
    return position.map { waiting.remove(at: $0).request }
  }

  /// Forgets the commands of a socket that was closed.
  mutating func forget(cookie: UInt32) { waiting.removeAll { $0.cookie == cookie } }

  /// Forgets the commands to an adapter, or all: their answers may have been lost.
  mutating func forget(_ adapter: AdapterIndex) {
    waiting.removeAll { adapter.mayBe($0.adapter) }
  }
}
