import Bluetooth
import Bytes
import Decoders
import Meanings

/// The meaning of a value with one field a line.
extension ValueMeaning {
  /// Appends a line for each field.
  func writeLines(_ value: RawSpan, to sink: inout VerboseSink) {
    guard isKnown else { return }
    guard let whole else { return writeLines(of: value, to: &sink) }
    writeLines(of: whole.bytes, to: &sink)
  }

  private func writeLines(of value: RawSpan, to sink: inout VerboseSink) {
    sink.begin("decoded")
    defer { sink.end() }
    if let sighting {
      sink.string("profile", [UInt8](sighting.vendor.profile.utf8).bytes)
      if sighting.isByFrame { sink.word("recognized_by", "frame") }
      if let series = sighting.series { sink.number("announced_by", series.announcement) }
      if sighting.isJoined {
        sink.packets("reassembled_from", sighting.packets[...])
        if showsKeys || !sighting.vendor.hasSecrets { sink.bytes("message", value) }
      }
    }
    if isByFormat { sink.word("recognized_by", "presentation_format") }
    if let exchange {
      if let request = exchange.request { sink.number("answers", request) }
      if exchange.isOrphan { sink.word("answers", "nothing") }
      if let latency = exchange.latency { sink.quantity("latency", Int(latency / 1000), .latency) }
    }
    if !isPart { writeFields(value, to: &sink) }
    let end = following.isEmpty ? line.count : firstEnd
    sink.line(("text" as StaticString).bytes) {
      // The words again, without leaving anything out.
      if wordsEnd > 0, var writer = writer() {
        writer.isWhole = true
        writer.line(value, into: &$0)
      }
      $0.raw(line.bytes.part(Slice(start: wordsEnd, count: end - wordsEnd)))
    }
    for message in following {
      sink.line(("following" as StaticString).bytes) { $0.raw(message.line.bytes) }
    }
  }

  private func writeFields(_ value: RawSpan, to sink: inout VerboseSink) {
    guard let definition = decoded.definition, var writer = writer() else { return }
    writer.isWhole = true
    let (words, title) = (definition.words, definition.nameBytes)
    sink.string("name", title.bytes)
    var ends: [Int] = []
    for (place, entry) in decoded.fields.enumerated() {
      while let end = ends.last, end <= place {
        ends.removeLast()
        sink.end()
      }
      let other = entry.field < 0 ? [UInt8](writer.name(entry).utf8) : []
      let name =
        entry.field < 0
        ? other.bytes : words.bytes(definition.tables.fields[entry.field].name)
      if entry.form == .group {
        sink.begin(name)
        ends.append(entry.end)
      } else {
        sink.line(name) { writer.entry(place, value, into: &$0) }
      }
    }
    for _ in ends { sink.end() }
  }
}
