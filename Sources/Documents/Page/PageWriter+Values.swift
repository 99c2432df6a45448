import Bluetooth
import Bytes
import Histories
import Explanations
import Meanings
import Reports
import Sessions

/// A plot, and when the client was subscribed to its values.
struct DrawnPlot: Sendable {
  let plot: ValuePlots.Plot
  /// The spans in which the client was subscribed; `to` is nil if a span lasts to the end.
  let subscribed: [(from: Int64, to: Int64?)]
}

extension PageWriter {
  /// The most charts of a page; no reader would look at more.
  private static let mostPlots = 96

  /// The page's size divided by this is the most rows in the table of values.
  private static let bytesPerValueRow = 2000

  /// A characteristic of a server.
  private struct Owner: Hashable {
    let server: UInt64
    let handle: UInt16
  }

  /// Writes the table of `values` as HTML rows, and collects the plots. What was only advertised is
  /// folded, and the configuration of a characteristic is a part of its row.
  mutating func writeValues(
    _ values: borrowing CountedValues, _ table: inout ValuesTable,
    _ reading: inout ValueReading, _ memory: borrowing Memory, into out: inout Output
  ) {
    guard !table.facts.entries.isEmpty else {
      out.text("<tbody><tr><td colspan=\"6\">")
      out.text(CountedValues.nothing)
      out.text("</td></tr></tbody></table>")
      return
    }
    let rows = table.rows(memory)
    var configurations: [Owner: [Int]] = [:]
    var withRows: Set<Owner> = []
    for (place, row) in rows.enumerated() {
      guard let attribute = row.entry.map({ table.facts.entries[$0].attribute }) else { continue }
      if let owner = Self.configured(attribute) {
        configurations[owner, default: []].append(place)
      } else if let handle = attribute.handle {
        withRows.insert(Owner(server: attribute.server, handle: handle))
      }
    }
    var lines = Output()
    table.footer(memory, into: &lines)
    values.writeRest(&table, memory, &reading, into: &lines)
    let advertisers = rows.count { $0.isAdvertiser }
    let most = options.limit / Self.bytesPerValueRow
    var isOpen = false
    var isFolded = false
    // The entry whose course a chart shows.
    var drawn: Int?
    for row in rows.prefix(most) {
      if row.isHeading {
        if row.isAdvertiser, !isFolded {
          if isOpen { out.text("</tbody>") }
          Self.end(lines.bytes, into: &out)
          out.text(isOpen ? "<details class=\"fold\">" : "<details class=\"fold\" open>")
          out.text("<summary>")
          out.count(advertisers, "advertiser", "advertisers")
          out.text("</summary><table class=\"values\">")
          (isOpen, isFolded) = (false, true)
        }
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
      guard let place = row.entry else { continue }
      let entry = table.facts.entries[place]
      if let owner = Self.configured(entry.attribute) {
        // Written once, with the characteristic.
        guard !withRows.contains(owner), let own = configurations.removeValue(forKey: owner) else {
          continue
        }
        out.text("<tr><th scope=\"row\">")
        out.html(table.owner(of: entry, memory).bytes)
        write(configurations: own, rows, into: &out)
        out.text("</th><td colspan=\"5\"></td></tr>\n")
        continue
      }
      if row.operation.isEmpty {
        if drawn == place { continue }
        // The row shows the course of the numbers above.
        out.text("<tr class=\"course\"><td></td><td colspan=\"5\">")
        out.html(row.value.bytes)
        out.text("</td></tr>\n")
        continue
      }
      out.text(row.isFailure ? "<tr class=\"failed\">" : "<tr>")
      out.text("<th scope=\"row\">")
      out.html(row.subject.bytes)
      if let handle = entry.attribute.handle,
        let own = configurations.removeValue(
          forKey: Owner(server: entry.attribute.server, handle: handle))
      {
        write(configurations: own, rows, into: &out)
      }
      out.text("</th><td>")
      out.html(row.operation.bytes)
      out.text("</td><td class=\"number\">")
      out.decimal(row.count)
      out.text("</td><td class=\"number\">")
      out.html(row.rate.bytes)
      out.text("</td><td class=\"packets\">")
      out.linked(row.packets.bytes)
      out.text("</td><td class=\"value\">")
      let known = plots.count
      out.text("<div class=\"beside\"><div>")
      out.html(row.value.bytes)
      out.text("</div>")
      writeCharts(
        of: entry, isOfWrites: row.isWrite, !row.subject.isEmpty, table, memory, into: &out)
      out.text("</div></td></tr>\n")
      if plots.count > known { drawn = place }
    }
    if rows.count > most {
      if !isOpen { out.text("<tbody>") }
      out.text("<tr><td colspan=\"6\">")
      out.decimal(rows.count - most)
      out.text(" more lines</td></tr>")
    }
    out.text("</tbody>")
    if isFolded { out.text("</table></details>") } else { Self.end(lines.bytes, into: &out) }
  }

  /// Returns the characteristic that an attribute configures, or nil if it is not a CCCD.
  private static func configured(_ attribute: AttributeIdentity) -> Owner? {
    guard attribute.isConfiguration, let handle = attribute.owner else { return nil }
    return Owner(server: attribute.server, handle: handle)
  }

  /// Writes the lines below a table, and ends it.
  private static func end(_ lines: RawSpan, into out: inout Output) {
    if lines.byteCount > 0 {
      out.text("<tfoot><tr><td colspan=\"6\">")
      out.linked(lines)
      out.text("</td></tr></tfoot>")
    }
    out.text("</table>")
  }

  /// Writes what became of the configuration of a characteristic: `notifications on #57`.
  private func write(configurations: [Int], _ rows: [ValuesTable.Row], into out: inout Output) {
    for row in configurations.map({ rows[$0] }) {
      out.text(row.isFailure ? "<span class=\"state failed\">" : "<span class=\"state\">")
      if row.isFailure || !row.isWrite {
        out.html(row.operation.bytes)
        out.byte(0x20)
      }
      out.html(row.value.bytes)
      out.byte(0x20)
      out.linked(row.packets.bytes)
      out.text("</span>")
    }
  }

  /// Writes the figures for the charts of an attribute, into which the script draws.
  ///
  /// - Parameters:
  ///   - isOfWrites: whether they are beside values that were written.
  ///   - isFirst: whether they are beside the attribute's first row.
  private mutating func writeCharts(
    of entry: ValueEntry, isOfWrites: Bool, _ isFirst: Bool, _ table: borrowing ValuesTable,
    _ memory: borrowing Memory, into out: inout Output
  ) {
    let written = entry.series.filter(\.isWritten).count
    let isOfBoth = written > 0 && written < entry.series.count
    guard isFirst || isOfBoth && isOfWrites != entry.series.first?.isWritten else { return }
    let courses = entry.series.flatMap { table.courses($0, entry) }
    let known = plots.count
    for plot in entry.plots.plots where plots.count < Self.mostPlots && plot.isWorthDrawing {
      // If no profile defines the value, it is drawn only if the table also shows a course.
      if plot.definition == nil, courses.isEmpty { continue }
      if isOfBoth, plot.isWritten != isOfWrites { continue }
      if known == plots.count { out.text("<div class=\"charts\">") }
      let words = words(plot, courses)
      plots.append(DrawnPlot(plot: plot, subscribed: subscribed(to: entry, table.facts)))
      out.text("<figure class=\"chart\">")
      if !plot.name.isEmpty {
        out.text("<figcaption>")
        out.html(plot.name.bytes)
        out.text("</figcaption>")
      }
      out.text("<p>")
      out.html(words.bytes)
      out.text("</p></figure>\n")
    }
    if known < plots.count { out.text("</div>") }
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

  /// Returns the microseconds from the first packet to a time.
  func moment(_ time: Timestamp) -> Int64 {
    contents.start.map { time.nanoseconds(since: $0) / 1000 } ?? 0
  }
}
