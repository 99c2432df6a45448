import Bytes
import Reports

extension PageWriter {
  /// Writes the tree of `map` as headings, paragraphs and tables.
  func writeMap(_ page: inout MapPage, into out: inout Output) {
    var lines = Output()
    page.isOfCells = true
    page.write(into: &lines)
    let bytes = lines.bytes
    var isOpen = false
    var start = 0
    while start < bytes.byteCount {
      var end = start
      while end < bytes.byteCount, bytes.byte(at: end) != 0x0a { end += 1 }
      let line = bytes.part(Slice(start: start, count: end - start))
      start = end + 1
      if line.byteCount == 0 { continue }
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
    if isOpen { out.text("</tbody></table>") }
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
