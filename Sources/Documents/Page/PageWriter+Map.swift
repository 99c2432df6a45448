import Bluetooth
import Bytes
import Reports

extension PageWriter {
  /// The page's size divided by this is how much of the map is written, but at least `leastMap`
  /// bytes.
  private static let shareOfMap = 8
  private static let leastMap = 160_000

  /// Writes the lines of `map` as headings, paragraphs and tables.
  func writeMap(_ page: inout MapPage, into out: inout Output) {
    let end = out.count + max(options.limit / Self.shareOfMap, Self.leastMap)
    var (isOpen, left) = (false, 0)
    while page.next() {
      for line in page.lines {
        if out.count < end { write(line, page, &isOpen, into: &out) } else { left += 1 }
      }
    }
    if isOpen { out.text("</tbody></table>") }
    if left > 0 {
      out.text("<p>")
      out.count(left, "more line", "more lines")
      out.text("</p>")
    }
  }

  /// - Parameter isOpen: whether a table is open.
  private func write(
    _ line: MapPage.Line, _ page: borrowing MapPage, _ isOpen: inout Bool, into out: inout Output
  ) {
    switch line.kind {
    case .detail:
      out.text("<p>")
      if let words = line.cells[0] { out.linked(page[words]) }
      out.text("</p>\n")
    case .device, .title:
      if isOpen { out.text("</tbody></table>\n") }
      isOpen = false
      out.text(line.kind == .device ? "<h3>" : "<h4>")
      if let words = line.cells[0] { out.html(page[words]) }
      out.text(line.kind == .device ? "</h3>\n" : "</h4>\n")
    case .service: row(line, "service", page, &isOpen, into: &out)
    case .include, .characteristic: row(line, "characteristic", page, &isOpen, into: &out)
    case .descriptor: row(line, "descriptor", page, &isOpen, into: &out)
    case .remark: row(line, "remark", page, &isOpen, into: &out)
    }
  }

  private func row(
    _ line: MapPage.Line, _ style: StaticString, _ page: borrowing MapPage, _ isOpen: inout Bool,
    into out: inout Output
  ) {
    if !isOpen { out.text("<table class=\"tree\"><tbody>") }
    isOpen = true
    out.text("<tr class=\"")
    out.text(style)
    out.text("\">")
    // A remark is not in the column of handles.
    let first = line.kind == .remark ? 1 : 0
    if first > 0 { out.text("<td></td>") }
    for column in first..<first + line.count {
      let isName = column == 1 && line.kind != .remark
      out.text(isName ? "<th scope=\"row\"" : "<td")
      if column + 1 == first + line.count, column < 3 {
        out.text(" colspan=\"")
        out.decimal(4 - column)
        out.byte(0x22)
      }
      out.byte(0x3e)
      if let cell = line.cells[column - first] { out.linked(page[cell]) }
      out.text(isName ? "</th>" : "</td>")
    }
    out.text("</tr>\n")
  }
}
