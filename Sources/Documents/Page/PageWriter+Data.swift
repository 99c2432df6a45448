import Bluetooth
import Bytes
import Captures
import Diagnosis
import Histories
import Explanations
import Meanings
import Reports
import Sessions

/// The data that the script draws beside the packets: JSON in columns. Its members may change with
/// every version; programs should read `--json`.
extension PageWriter {
  /// The most connections with a lane in the timeline, and the bytes after which none is added.
  private static let mostLanes = 2000
  private var laneBytes: Int { options.limit / 40 }

  func writeData(into out: inout Output) {
    if let start = contents.start, explanation.evidence.extent.summary?.isDated ?? true,
      start.isWritable, !start.isOfUnsetClock
    {
      out.text(",\"start\":[")
      out.decimal(Int(start.seconds))
      out.byte(0x2c)
      out.decimal(UInt(start.nanoseconds))
      out.byte(0x5d)
    }
    out.text(",\"decimals\":")
    out.decimal(contents.decimals)
    out.text(",\"connections\":")
    let connections = explanation.connections.prefix(Self.mostLanes)
    var lanes = Output()
    for (index, one) in connections.enumerated() where lanes.count < laneBytes {
      if index > 0 { lanes.byte(0x2c) }
      write(one.history, into: &lanes)
    }
    out.byte(0x5b)
    lanes.copy(into: &out)
    out.byte(0x5d)
    writeMarks(into: &out)
    out.text(",\"signals\":")
    let signals = contents.signals.drawn
    out.list(signals.indices) { index, out in
      out.text("{\"name\":")
      let name = contents.signalNames[index]
      out.embedded(name.bytes)
      out.byte(0x2c)
      signals[index].course.write(decimals: 0, into: &out)
      out.byte(0x7d)
    }
    out.text(",\"otherSignals\":")
    out.decimal(contents.signals.omitted)
    out.text(",\"charts\":")
    out.list(plots.indices) { index, out in write(plots[index], into: &out) }
  }

  /// Writes the errors and warnings to mark in the timeline: a finding about several connections
  /// on each of them, at its last evidence there. Connection 0 means that of the packet.
  private func writeMarks(into out: inout Output) {
    let packets = Dictionary(
      uniqueKeysWithValues: explanation.connections.map { ($0.history.id, $0.history.packets) })
    let marked = explanation.findings.filter { ($0.severity ?? .note) > .note }
    out.text(",\"marks\":[")
    var isFirst = true
    for (place, finding) in marked.enumerated() {
      let ends = finding.evidence.ranges.map(\.upperBound).sorted()
      var marks = finding.connections.prefix(Self.mostLanes).compactMap {
        (id: Int) -> (connection: Int, packet: Int)? in
        guard let own = packets[id] else { return nil }
        // The last evidence that is not after the connection.
        var (low, high) = (0, ends.count)
        while low < high {
          let middle = (low + high) / 2
          if ends[middle] <= own.upperBound { low = middle + 1 } else { high = middle }
        }
        return low > 0 && own.contains(ends[low - 1]) ? (id, ends[low - 1]) : nil
      }
      if marks.isEmpty { marks = [(0, finding.evidence.last ?? 0)] }
      for (connection, packet) in marks {
        out.text(isFirst ? "[\"" : ",[\"")
        isFirst = false
        out.text((finding.severity ?? .note).key)
        out.text("\",")
        out.decimal(connection)
        out.byte(0x2c)
        out.decimal(packet)
        out.byte(0x2c)
        out.decimal(place)
        out.byte(0x5d)
      }
    }
    out.text("],\"findings\":")
    out.list(marked.indices) { index, out in out.embedded(marked[index].what.text) }
  }

  private func write(_ history: ConnectionHistory, into out: inout Output) {
    let connection = history.connection
    out.text("{\"id\":")
    out.decimal(history.id)
    out.text(",\"peer\":")
    out.embedded(history.peerWords.text)
    out.text(",\"address\":")
    out.embedded(history.addressWords.text)
    if let name = history.name {
      out.text(",\"name\":")
      var quoted = Output()
      quoted.quoted(name.bytes)
      out.embedded(quoted.bytes)
    }
    if connection.peer != nil {
      out.text(",\"device\":")
      out.embedded(String(history.device))
    }
    out.text(",\"open\":")
    out.decimal(Int(connection.firstTime.map(moment) ?? 0))
    if let last = connection.lastTime {
      out.text(",\"close\":")
      out.decimal(Int(moment(last)))
    }
    for direction in [Direction.sent, .received] {
      let flows = history.transfers.flows.filter { $0.direction == direction }
      write(flows, direction == .sent ? "sent" : "received", into: &out)
    }
    out.text(",\"secure\":[")
    var isFirst = true
    let attempts = history.encryption.attempts
    for (index, attempt) in attempts.enumerated() where attempt.outcome == .encrypted {
      guard let from = (attempt.end ?? attempt.moment).time else { continue }
      if !isFirst { out.byte(0x2c) }
      isFirst = false
      out.decimal(Int(moment(from)))
      out.byte(0x2c)
      let off = attempts[(index + 1)...].first { $0.outcome == .off }?.end?.time
      if let end = off ?? connection.lastTime {
        out.decimal(Int(moment(end)))
      } else {
        out.text("null")
      }
    }
    out.text("]}")
  }

  /// Writes the bytes of values in one direction over time: when they begin, how long each part
  /// lasts, and the bytes in each.
  private func write(_ flows: [LinkTransfers.Flow], _ key: StaticString, into out: inout Output) {
    var course = RateCourse()
    for flow in flows.sorted(by: { $0.firstPacket < $1.firstPacket }) { course.add(flow.course) }
    guard let start = course.start else { return }
    out.text(",\"")
    out.text(key)
    out.text("\":[")
    out.decimal(Int(moment(start)))
    out.byte(0x2c)
    out.decimal(Int(course.width / 1000))
    out.byte(0x2c)
    let bytes = course.bytes
    out.list(bytes.indices) { index, out in out.decimal(bytes[index]) }
    out.byte(0x5d)
  }

  private func write(_ drawn: DrawnPlot, into out: inout Output) {
    let plot = drawn.plot
    out.byte(0x7b)
    if plot.isOfCodes {
      // A code is valid until the next change.
      out.text("\"words\":")
      out.list(plot.words.indices) { index, out in
        out.byte(0x5b)
        out.decimal(plot.words[index].code)
        out.byte(0x2c)
        let word = plot.words[index].word
        out.embedded(word.bytes)
        out.byte(0x5d)
      }
      out.text(",\"t\":")
      var previous: Int64 = 0
      out.list(plot.changes.indices) { index, out in
        out.decimal(Int(plot.changes[index].time &- previous))
        previous = plot.changes[index].time
      }
      out.text(",\"low\":")
      out.list(plot.changes.indices) { index, out in out.decimal(plot.changes[index].code) }
    } else {
      out.text("\"unit\":")
      out.embedded(plot.unit.bytes)
      out.text(",\"decimals\":")
      out.decimal(plot.decimals)
      out.byte(0x2c)
      plot.course.write(decimals: plot.decimals, into: &out)
    }
    out.text(",\"end\":")
    out.decimal(Int(plot.course.lastTime))
    out.text(",\"on\":[")
    for (index, span) in drawn.subscribed.enumerated() {
      if index > 0 { out.byte(0x2c) }
      out.decimal(Int(span.from))
      out.byte(0x2c)
      if let to = span.to { out.decimal(Int(to)) } else { out.text("null") }
    }
    out.text("]}")
  }
}
