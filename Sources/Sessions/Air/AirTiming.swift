import Bluetooth
import Bytes
import Captures
import Dissectors

/// When a packet was on the air, in microseconds of one clock.
struct PacketTime: Sendable {
  var start: Int64
  var end: Int64
  /// Whether the sniffer measured it, so that it is exact to some microseconds.
  var isExact: Bool
}

/// The clocks of a capture's sniffers, continued where they start again from 0.
struct AirTiming: Sendable {
  private struct Clock: Sendable {
    var interface: AdapterIndex
    var latest: UInt32
    /// What the periods so far add up to, in units of the clock.
    var base: Int64 = 0
  }

  private var clocks: [Clock] = []
  private var first: Timestamp?
  private var latest: Int64?
  /// Records whose time is more than a millisecond before the one before.
  private(set) var stepsBack = 0

  private static let mostClocks = 16

  /// Returns when a packet was on the air; nil: unknown.
  mutating func time(_ packet: AirPacket, _ record: borrowing CaptureRecord) -> PacketTime? {
    let phy = packet.codingIndicator == 1 ? AirTime.leCodedS2 : packet.header.phy ?? 1
    let air = Int64(
      AirTime.packet(of: max(0, Int(packet.pdu.count) - 2), onPHY: phy, isEncrypted: false))
    if let clock = packet.header.clock, let unwrapped = unwrap(clock, packet.header, record.adapter)
    {
      let start = unwrapped / Int64(max(1, 1000 / max(1, packet.header.clockUnit)))
      // Only the sniffer whose clock counts microseconds stamps the start of the packet.
      return PacketTime(start: start, end: start + air, isExact: packet.header.clockUnit == 1000)
    }
    guard let time = record.time else { return nil }
    // Counted from the first record, so that no sum of two overflows.
    if first == nil { first = time }
    let start = first.map { time.nanoseconds(since: $0) / 1000 } ?? 0
    if let latest, start < latest - 1000 { stepsBack += 1 }
    latest = start
    return PacketTime(start: start, end: start + air, isExact: false)
  }

  private mutating func unwrap(
    _ clock: UInt32, _ header: AirHeader, _ interface: AdapterIndex
  ) -> Int64? {
    let position: Int
    if let found = clocks.firstIndex(where: { $0.interface == interface }) {
      position = found
    } else {
      guard clocks.count < Self.mostClocks else { return nil }
      clocks.append(Clock(interface: interface, latest: clock))
      position = clocks.count - 1
    }
    let period = Int64(header.clockPeriod)
    let step = Int64(clock) - Int64(clocks[position].latest)
    // More than half a period back is a new period; less is a packet out of order.
    if step < -period / 2 {
      clocks[position].base = clocks[position].base &+ period
    } else if step > period / 2 {
      clocks[position].base = clocks[position].base &- period
    }
    clocks[position].latest = clock
    return clocks[position].base &+ Int64(clock)
  }
}
