package import Bluetooth
import Bytes
import Meanings
package import Sessions

// How a connection carries data, and how much, as words and as JSON.

extension Connection {
  /// How long the connection was open, or is until `latest`, in nanoseconds; nil: unknown, since
  /// the clock may go back.
  package func span(until latest: Timestamp?) -> Int64? {
    guard let firstTime, let end = lastTime ?? latest else { return nil }
    let span = end.nanoseconds(since: firstTime)
    return span > 0 ? span : nil
  }

  /// PHY, data length and intervals: `LE 2M, 27→251 bytes, 45→7.5→45 ms`.
  var linkWords: Wording {
    var pieces: [Wording] = []
    if let phys {
      pieces.append(
        phys.sent == phys.received
          ? "\(phy: phys.sent)\(phys.isDefault ? " by default" : "" as StaticString)"
          : "\(phy: phys.sent) \(words(for: .sent)), \(phy: phys.received) \(words(for: .received))"
      )
    }
    if let lengths {
      let sent = words(lengths.sent, onPHY: phys?.sent)
      let received = words(lengths.received, onPHY: phys?.received)
      pieces.append(
        sent == received
          ? sent : "\(sent) \(words(for: .sent)), \(received) \(words(for: .received))")
    }
    if let last = figures.intervals.last {
      // The unit follows the last one.
      var earlier = figures.intervals.dropLast().map { "\(decimal: Int($0) * 125)→" as Wording }
      if figures.intervalCount > earlier.count + 1 { earlier.append("…→") }
      pieces.append("\(Wording(earlier, joinedBy: ""))\(interval: last)")
    }
    return Wording(pieces, joinedBy: ", ")
  }

  /// Returns `sent` or `received`; on the air, who sent it.
  func words(for direction: Direction) -> StaticString { direction.words(vantage) }

  private func words(_ length: PacketLength, onPHY phy: UInt8?) -> Wording {
    let held = phy.map { length.effective(onPHY: $0) } ?? length.octets
    if held < length.octets {
      return "\(held) bytes (\(length.octets) agreed on, but only \(length.time) µs)"
    }
    return held == PacketLength.initial.octets || isOpeningMissing
      ? "\(held) bytes" : "\(PacketLength.initial.octets)→\(held) bytes"
  }

  /// How much was sent and received: `87 kB sent (1.4 kB/s), 520 bytes received`. A rate that is
  /// not worth reading is left out, and so is a direction without data: the capture may lack it.
  func trafficWords(until latest: Timestamp?) -> Wording {
    // A rate in a shorter time says nothing.
    let span = span(until: latest).flatMap { $0 >= 1_000_000_000 ? $0 : nil }
    func words(_ bytes: Int, _ way: StaticString) -> Wording {
      let rate = span.map { Rate.perSecond(bytes, $0) } ?? 0
      return "\(bytes: bytes) \(way)\(bytes >= 1000 && rate >= 10 ? " (\(rate: rate))" : "")"
    }
    let (sent, received) = figures.bytes
    let both = [
      sent > 0 ? words(sent, self.words(for: .sent)) : "",
      received > 0 ? words(received, self.words(for: .received)) : "",
    ]
    return Wording(both.filter { !$0.isEmpty }, joinedBy: ", ")
  }
}

extension JSONSink {
  /// Appends how a connection carries data, and how much.
  mutating func figures(of connection: Connection, until latest: Timestamp?) {
    let vantage = connection.vantage
    let (sent, received) = (Direction.sent.key(vantage), Direction.received.key(vantage))
    if let phys = connection.phys {
      begin("phy")
      string(sent, Wording("\(phy: phys.sent)").text)
      string(received, Wording("\(phy: phys.received)").text)
      if phys.isDefault { word("via", "default") }
      end()
    }
    if let lengths = connection.lengths {
      begin("data_length")
      length(sent, lengths.sent, onPHY: connection.phys?.sent)
      length(received, lengths.received, onPHY: connection.phys?.received)
      end()
    }
    let intervals = connection.figures.intervals
    if intervals.count > 1 {
      beginList("intervals_ms")
      for interval in intervals { element(Int(interval), .interval) }
      endList()
      number("interval_changes", connection.figures.intervalCount - 1)
    }
    let span = connection.span(until: latest)
    let bytes = connection.figures.bytes
    for (key, packets, bytes): (StaticString, Int, Int) in [
      (sent, connection.sentPackets, bytes.sent),
      (received, connection.receivedPackets, bytes.received),
    ] {
      begin(key)
      number("packets", packets)
      number("bytes", bytes)
      if let span { number("bytes_per_s", Rate.perSecond(bytes, span)) }
      end()
    }
  }

  private mutating func length(_ key: StaticString, _ length: PacketLength, onPHY phy: UInt8?) {
    begin(key)
    number("octets", Int(length.octets))
    number("time_us", Int(length.time))
    if let phy { number("effective", Int(length.effective(onPHY: phy))) }
    end()
  }
}
