import Bluetooth
import Bytes
import Reports

extension PageWriter {
  /// The page's size divided by this is how much of the map is written, but at least `leastMap`
  /// bytes.
  private static let shareOfMap = 8
  private static let leastMap = 160_000

  /// Writes the tree of `map` as headings, paragraphs and tables.
  func writeMap(_ page: inout MapPage, into out: inout Output) {
    let end = out.count + max(options.limit / Self.shareOfMap, Self.leastMap)
    var lines = Output()
    page.isOfCells = true
    var (isOpen, left) = (false, 0)
    while page.writeNext(into: &lines) {
      write(lines.bytes, until: end, &isOpen, &left, into: &out)
      lines.clear()
    }
    if isOpen { out.text("</tbody></table>") }
    if left > 0 {
      out.text("<p>")
      out.count(left, "more line", "more lines")
      out.text("</p>")
    }
  }

  /// Writes the lines of a device.
  ///
  /// - Parameters:
  ///   - end: the size of `out` beyond which lines are only counted, in `left`.
  ///   - isOpen: whether a table is open.
  private func write(
    _ bytes: RawSpan, until end: Int, _ isOpen: inout Bool, _ left: inout Int,
    into out: inout Output
  ) {
    var start = 0
    while start < bytes.byteCount {
      var next = start
      while next < bytes.byteCount, bytes.byte(at: next) != 0x0a { next += 1 }
      let line = bytes.part(Slice(start: start, count: next - start))
      start = next + 1
      if line.byteCount == 0 { continue }
      guard out.count < end else {
        left += 1
        continue
      }
      guard let kind = MapPage.Line(rawValue: line.byte(at: 0)) else {
        out.text("<p>")
        out.linked(line)
        out.text("</p>\n")
        continue
      }
      let text = line.part(Slice(start: 1, count: line.byteCount - 1))
      switch kind {
      case .device, .title:
        if isOpen { out.text("</tbody></table>\n") }
        isOpen = false
        out.text(kind == .device ? "<h3>" : "<h4>")
        out.html(text)
        out.text(kind == .device ? "</h3>\n" : "</h4>\n")
      case .service, .include, .characteristic, .descriptor, .remark:
        if !isOpen { out.text("<table class=\"tree\"><tbody>") }
        isOpen = true
        row(kind, text, into: &out)
      }
    }
  }

  private func row(_ kind: MapPage.Line, _ text: RawSpan, into out: inout Output) {
    let style: StaticString =
      switch kind {
      case .service: "service"
      case .descriptor: "descriptor"
      case .remark: "remark"
      default: "characteristic"
      }
    out.text("<tr class=\"")
    out.text(style)
    out.text("\">")
    if kind == .remark {
      out.text("<td></td><td colspan=\"3\">")
      out.linked(text.withoutBlanksInFront)
      out.text("</td></tr>\n")
      return
    }
    var start = 0
    for column in 0..<4 {
      var end = start
      while end < text.byteCount, text.byte(at: end) != 0x09 { end += 1 }
      let cell = text.part(Slice(start: start, count: max(0, end - start)))
      let isLast = end >= text.byteCount
      out.text(column == 1 ? "<th scope=\"row\"" : "<td")
      if isLast, column < 3 {
        out.text(" colspan=\"")
        out.decimal(4 - column)
        out.byte(0x22)
      }
      out.byte(0x3e)
      out.linked(cell.withoutBlanksInFront)
      out.text(column == 1 ? "</th>" : "</td>")
      if isLast { break }
      start = end + 1
    }
    out.text("</tr>\n")
  }
}

extension RawSpan {
  /// The bytes after the leading spaces.
  fileprivate var withoutBlanksInFront: RawSpan {
    @_lifetime(copy self) get {
      var count = 0
      while count < byteCount, byte(at: count) == 0x20 { count += 1 }
      return part(Slice(start: count, count: byteCount - count))
    }
  }
}
