import Bluetooth
import Bytes
import Dissectors
import Reports
import Sessions

/// The signal strengths of advertisers over time.
struct PageSignals: Sendable {
  /// One advertiser.
  struct Signal: Sendable {
    let address: DeviceAddress
    let type: AddressType
    var course = PlotCourse()
  }

  private var places: [UInt64: Int] = [:]
  private(set) var signals: [Signal] = []
  /// The advertisers to draw, in the order in which they were first heard.
  private(set) var drawn: [Signal] = []
  /// The number of measured advertisers that are not drawn, if all could be.
  private(set) var omitted = 0
  /// The most advertisers that are measured and drawn. Those with the most reports are drawn.
  private static let mostMeasured = 256
  private static let mostDrawn = 12

  /// Records the reports of the current packet.
  mutating func observe(_ reports: [Advertisement], at time: Int64) {
    for report in reports {
      guard let rssi = report.report.rssi, let address = report.report.address else { continue }
      let key = Self.key(address, report.report.addressType)
      var place = places[key]
      if place == nil, signals.count < Self.mostMeasured {
        place = signals.count
        places[key] = place
        signals.append(Signal(address: address, type: report.report.addressType))
      }
      if let place { signals[place].course.add(Double(rssi), at: time) }
    }
  }

  private static func key(_ address: DeviceAddress, _ type: AddressType) -> UInt64 {
    address.value | UInt64(type.rawValue & 1) << 48
  }

  /// Chooses the advertisers to draw: those that were connected or, if there is no connection,
  /// those heard most often.
  mutating func choose(_ connections: [Connection]) {
    var connected: Set<UInt64> = []
    for connection in connections {
      if let peer = connection.peer {
        connected.insert(Self.key(peer, connection.peerType ?? .public))
      }
      if let own = connection.peerResolvable { connected.insert(Self.key(own, .random)) }
    }
    let found = signals.enumerated().filter {
      connections.isEmpty || connected.contains(Self.key($0.element.address, $0.element.type))
    }
    let most = found.sorted {
      ($1.element.course.count, $0.offset) < ($0.element.course.count, $1.offset)
    }
    drawn = most.prefix(Self.mostDrawn).sorted { $0.offset < $1.offset }.map(\.element)
    omitted = connections.isEmpty ? found.count - drawn.count : 0
  }
}

extension PlotCourse {
  /// Writes `"t":[…],"low":[…]`, and `"high":[…]` if a point stands for different numbers. Times
  /// are differences from the previous one.
  func write(decimals: Int, into out: inout Output) {
    var previous: Int64 = 0
    out.text("\"t\":")
    out.list(points.indices) { index, out in
      out.decimal(Int(points[index].time &- previous))
      previous = points[index].time
    }
    out.text(",\"low\":")
    out.list(points.indices) { index, out in out.number(points[index].low, decimals: decimals) }
    guard points.contains(where: { $0.low < $0.high }) else { return }
    out.text(",\"high\":")
    out.list(points.indices) { index, out in out.number(points[index].high, decimals: decimals) }
  }
}
