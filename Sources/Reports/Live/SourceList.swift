package import Bytes

/// `live --list`: where records may come from on this machine.
package struct SourceList: Sendable {
  /// One of them.
  package struct Source: Sendable {
    /// As `-i` names it; words in capitals are to be replaced.
    package var name: String
    /// What it is.
    package var text: String
    /// What it takes to read it; empty where that is nothing.
    package var needs: String

    /// A source with its words.
    package init(_ name: String, _ text: String, needs: String = "") {
      self.name = name
      self.text = text
      self.needs = needs
    }
  }

  private let sources: [Source]
  private let glyphs: Glyphs

  /// A list in this order.
  package init(_ sources: [Source], glyphs: Glyphs) {
    self.sources = sources
    self.glyphs = glyphs
  }

  /// Writes two lines for each: what it is, and what it needs.
  package func writeText(into output: inout Output) {
    let width = sources.map(\.name.columns).max() ?? 0
    var line = Output()
    for source in sources {
      line.printable([UInt8](source.name.utf8).bytes)
      line.spaces(width + 2 - source.name.columns)
      line.printable([UInt8](source.text.utf8).bytes)
      line.byte(0x0a)
      guard !source.needs.isEmpty else { continue }
      line.spaces(width + 2)
      line.text("needs ")
      line.string(source.needs)
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
      if !source.needs.isEmpty { sink.string("needs", source.needs) }
      sink.endItem()
    }
    sink.endList()
    sink.endDocument(in: &output)
  }
}
