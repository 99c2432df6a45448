package import Bluetooth
package import Sessions

/// Everything that rules examine: what is remembered of a capture after it was read to its end. The
/// arrays are shared, so passing this to a rule costs nothing.
package struct Evidence: Sendable {
  /// The connections, in the order in which they opened or were first seen.
  package var connections: [ConnectionHistory] = [] {
    didSet {
      positions = Dictionary(grouping: connections.indices) { connections[$0].device }
      devices = Dictionary(connections.map { ($0.id, $0.device) }, uniquingKeysWith: { $1 })
    }
  }
  /// The positions of each device's connections, in order.
  private var positions: [UInt64: [Int]] = [:]
  /// The devices of connections, by number.
  private(set) var devices: [Int: UInt64] = [:]
  /// The controllers.
  package var adapters: [AdapterHistory] = []
  /// The capture as a whole: what it lacks.
  package var extent = CaptureExtent()
  package var coverage = Coverage()
  /// Where the capture was recorded; each connection has its own vantage, too.
  package var vantage = Vantage.host
  /// The keys that are known, from the capture and from files.
  package var keys = KnownKeys()
  /// What is known of the captured host itself.
  package var host = HostFacts()
  /// The failures that the kernel's management interface reports.
  package var management = ManagementHistory()
  /// Whether keys are requested; if so, the known keys are listed.
  package var listsKeys = false

  package init() {}

  /// Limits how many earlier connections of a device are examined, since rules may do so for each
  /// refusal on each connection.
  private static let mostEarlier = 128

  /// Returns the earlier connections of the peer of `connection`, in order. If there are very many,
  /// only the latest.
  package func earlier(
    than connection: ConnectionHistory
  ) -> LazyMapSequence<ArraySlice<Int>, ConnectionHistory> {
    let (all, place) = place(of: connection)
    return all[max(0, place - Self.mostEarlier)..<place].lazy.map { connections[$0] }
  }

  /// Returns the later connections of the peer of `connection`, in order.
  package func later(
    than connection: ConnectionHistory
  ) -> LazyMapSequence<ArraySlice<Int>, ConnectionHistory> {
    let (all, place) = place(of: connection)
    return all[min(place + 1, all.count)...].lazy.map { connections[$0] }
  }

  /// Returns the positions of a device's connections, and the index of `connection` among them.
  /// They are ordered by connection number.
  private func place(of connection: ConnectionHistory) -> (all: [Int], place: Int) {
    let all = positions[connection.device] ?? []
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if connections[all[middle]].id < connection.id { low = middle + 1 } else { high = middle }
    }
    return (all, low)
  }
}
