import Bluetooth
import Bytes
import Histories
import Explanations
import Reports
import Sessions

/// A plot and the texts beside it.
struct DrawnPlot: Sendable {
  let plot: ValuePlots.Plot
  /// The title, and a description of the plot in words.
  let title: [UInt8]
  let words: [UInt8]
  /// The spans in which the client was subscribed; `to` is nil if a span lasts to the end.
  let subscribed: [(from: Int64, to: Int64?)]
}

extension PageWriter {
  /// The most charts of a page; no reader would look at more.
  private static let mostPlots = 96

  /// The page's size divided by this is the most rows in the table of values.
  private static let bytesPerValueRow = 2000

  /// Writes the table of `values` as HTML rows, and collects the plots.
  mutating func writeValues(
    _ values: borrowing CountedValues, _ table: inout ValuesTable,
    _ reading: inout ValueReading, _ memory: borrowing Memory, into out: inout Output
  ) {
    guard !table.facts.entries.isEmpty else {
      out.text("<tbody><tr><td colspan=\"6\">")
      out.text(CountedValues.nothing)
      out.text("</td></tr></tbody>")
      return
    }
    var isOpen = false
    let most = options.limit / Self.bytesPerValueRow
    let rows = table.rows(memory)
    for row in rows.prefix(most) {
      if row.isHeading {
        if row.isDim || !isOpen {
          if isOpen { out.text("</tbody>") }
          out.text("<tbody>")
          isOpen = true
        }
        out.text(row.isDim ? "<tr class=\"server\">" : "<tr class=\"service\">")
        out.text("<th colspan=\"6\" scope=\"rowgroup\">")
        out.html(row.subject.bytes)
        out.text("</th></tr>\n")
        continue
      }
      if row.operation.isEmpty {
        // The row shows the course of the numbers above.
        out.text("<tr class=\"course\"><td></td><td colspan=\"5\">")
        out.html(row.value.bytes)
        out.text("</td></tr>\n")
        continue
      }
      out.text(row.isFailure ? "<tr class=\"failed\">" : "<tr>")
      out.text("<th scope=\"row\">")
      out.html(row.subject.bytes)
      out.text("</th><td>")
      out.html(row.operation.bytes)
      out.text("</td><td class=\"number\">")
      out.decimal(row.count)
      out.text("</td><td class=\"number\">")
      out.html(row.rate.bytes)
      out.text("</td><td class=\"packets\">")
      out.linked(row.packets.bytes)
      out.text("</td><td class=\"value\">")
      out.html(row.value.bytes)
      out.text("</td></tr>\n")
    }
    if rows.count > most {
      if !isOpen { out.text("<tbody>") }
      out.text("<tr><td colspan=\"6\">")
      out.decimal(rows.count - most)
      out.text(" more lines; gattscope values lists them</td></tr>")
    }
    out.text("</tbody>")
    var lines = Output()
    table.footer(memory, into: &lines)
    values.writeRest(&table, &reading, into: &lines)
    if lines.count > 0 {
      out.text("<tfoot><tr><td colspan=\"6\">")
      out.linked(lines.bytes)
      out.text("</td></tr></tfoot>")
    }
    collectPlots(table, memory)
  }

  private mutating func collectPlots(_ table: borrowing ValuesTable, _ memory: borrowing Memory) {
    for entry in table.facts.entries {
      let courses = entry.series.flatMap { table.courses($0, entry) }
      for plot in entry.plots.plots where plots.count < Self.mostPlots && plot.isWorthDrawing {
        // If no profile defines the value, it is drawn only if the table also shows a course.
        if plot.definition == nil, courses.isEmpty { continue }
        var title = Output()
        title.raw(table.subject(entry, memory).bytes)
        if !plot.name.isEmpty {
          title.text(": ")
          title.printable(plot.name.bytes)
        }
        if plot.isWritten, entry.series.contains(where: { !$0.operation.isWrite }) {
          title.text(", written")
        }
        plots.append(
          DrawnPlot(
            plot: plot, title: title.bytes.array, words: words(plot, courses),
            subscribed: subscribed(to: entry, table.facts)))
      }
    }
  }

  /// Returns a description of a chart, for readers who cannot see it.
  private func words(_ plot: ValuePlots.Plot, _ courses: [[UInt8]]) -> [UInt8] {
    if plot.definition == nil { return courses.first ?? [] }
    return ValuesTable.text { text in
      text.count(plot.course.count, "value", "values")
      text.text(": ")
      if plot.isOfCodes {
        for (index, word) in plot.words.prefix(8).enumerated() {
          if index > 0 { text.text(", ") }
          text.printable(word.word.bytes)
        }
        if plot.isCut { text.text("; later changes are not drawn") }
        return
      }
      let points = plot.course.points
      text.number(points.reduce(.infinity) { min($0, $1.low) }, decimals: plot.decimals)
      text.text("…")
      text.number(points.reduce(-.infinity) { max($0, $1.high) }, decimals: plot.decimals)
      if !plot.unit.isEmpty {
        text.byte(0x20)
        text.printable(plot.unit.bytes)
      }
    }
  }

  /// Returns the spans in which the client had enabled an attribute's notifications or indications.
  private func subscribed(
    to entry: ValueEntry, _ facts: ValueFacts
  ) -> [(from: Int64, to: Int64?)] {
    guard let handle = entry.attribute.handle else { return [] }
    let switches = facts.entries.filter {
      $0.attribute.server == entry.attribute.server && $0.attribute.owner == handle
        && !$0.plots.switches.isEmpty
    }.flatMap(\.plots.switches).sorted { $0.time < $1.time }
    var spans: [(from: Int64, to: Int64?)] = []
    for (index, one) in switches.enumerated() where one.isOn {
      if let last = spans.last, last.to.map({ $0 >= one.time }) ?? true { continue }
      let off = switches[(index + 1)...].first { !$0.isOn }?.time
      let close = explanation.evidence.connections.first { $0.id == one.connection }?
        .connection.lastTime.map(moment)
      spans.append((one.time, [off, close].compactMap(\.self).min()))
    }
    return spans
  }

  /// Writes a figure for each chart, into which the script draws.
  func writeFigures(into out: inout Output) {
    for drawn in plots {
      out.text("<figure class=\"chart\"><figcaption>")
      out.html(drawn.title.bytes)
      out.text("</figcaption><p>")
      out.html(drawn.words.bytes)
      out.text("</p></figure>\n")
    }
  }

  /// Returns the microseconds from the first packet to a time.
  func moment(_ time: Timestamp) -> Int64 {
    contents.start.map { time.nanoseconds(since: $0) / 1000 } ?? 0
  }
}
