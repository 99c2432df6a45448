package import Bytes
package import Captures

/// `live --list`: the sources of records on this machine.
package struct SourceList: Sendable {
  private let sources: [LiveSourceInfo]
  private let glyphs: Glyphs

  /// Creates a list in this order.
  package init(_ sources: [LiveSourceInfo], glyphs: Glyphs) {
    self.sources = sources
    self.glyphs = glyphs
  }

  /// Writes a line for each source, and one below it for what it needs.
  package func writeText(into output: inout Output) {
    let width = sources.map(\.name.columns).max() ?? 0
    var line = Output()
    for source in sources {
      line.printable([UInt8](source.name.utf8).bytes)
      line.spaces(width + 2 - source.name.columns)
      line.printable([UInt8](source.text.utf8).bytes)
      line.byte(0x0a)
      guard let need = source.need else { continue }
      line.spaces(width + 2)
      line.printable([UInt8](need.utf8).bytes)
      line.byte(0x0a)
    }
    output.text(line.bytes, glyphs)
  }

  /// Writes one document (json.md).
  package func writeJSON(into output: inout Output) {
    var sink = JSONSink(showsKeys: false)
    sink.beginDocument(in: &output)
    sink.number("schema", JSONSchema.number)
    sink.beginList("sources")
    for source in sources {
      sink.beginItem()
      sink.string("source", source.name)
      sink.string("text", source.text)
      if let need = source.need { sink.string("needs", need) }
      sink.endItem()
    }
    sink.endList()
    sink.endDocument(in: &output)
  }
}
