import Bluetooth
import Bytes
import Decoders
import Sessions

/// The decoded value as JSON, and as one line for each field.
extension ValueReading {
  // MARK: JSON

  /// Appends the object under `decoded`.
  func writeJSON(_ value: RawSpan, into output: inout Output) {
    if let whole = sighting?.bytes {
      writeObject(whole.bytes, into: &output)
    } else if !structure.isEmpty {
      let whole = structure
      writeObject(whole.bytes, into: &output)
    } else {
      writeObject(value, into: &output)
    }
  }

  private func writeObject(_ value: RawSpan, into output: inout Output) {
    if let sighting, sighting.frame == nil {
      sighting.writePart(into: &output)
    } else {
      guard let writer = DecodedWriter(decoded, isJSON: true, showsKeys: showsKeys) else { return }
      writer.head(value, into: &output)
    }
    if let sighting {
      sighting.writeJSON(into: &output)
    } else if let control {
      Self.writeJSON(control, into: &output)
    }
    if isByFormat { output.text(",\"recognized_by\":\"presentation_format\"") }
    output.text(",\"text\":\"")
    line.copyEscaped(Slice(start: 0, count: textEnd), into: &output)
    output.byte(0x22)
    if let sighting {
      sighting.writeProblems(decoded, value, showsKeys: showsKeys, into: &output)
      writeFollowing(value, into: &output)
    } else if !decoded.problems.isEmpty {
      var scratch = Output()
      DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys)?.problems(
        value, line: &scratch, into: &output)
    }
    output.byte(0x7d)
  }

  // MARK: One field a line

  /// Appends a line for each field.
  package func writeLines(_ value: RawSpan, to sink: inout VerboseSink) {
    guard hasMeaning else { return }
    if let whole = sighting?.bytes {
      writeLines(of: whole.bytes, to: &sink)
    } else {
      writeLines(of: value, to: &sink)
    }
  }

  private func writeLines(of value: RawSpan, to sink: inout VerboseSink) {
    sink.begin("decoded")
    defer { sink.end() }
    if let sighting {
      sink.string("profile", [UInt8](sighting.vendor.profile.utf8).bytes)
      if sighting.isByFrame { sink.word("recognized_by", "frame") }
      if let series = sighting.series { sink.number("announced_by", series.announcement) }
      if sighting.isJoined { sink.packets("reassembled_from", sighting.packets[...]) }
    }
    if isByFormat { sink.word("recognized_by", "presentation_format") }
    if let exchange {
      if let request = exchange.request { sink.number("answers", request) }
      if exchange.isOrphan { sink.word("answers", "nothing") }
      if let latency = exchange.latency { sink.quantity("latency", Int(latency / 1000), .latency) }
    }
    if sighting == nil || sighting?.frame != nil, let definition = decoded.definition,
      let writer = DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys)
    {
      sink.string("name", [UInt8](definition.name.utf8).bytes)
      let words = definition.words
      var ends: [Int] = []
      var name = Output()
      var text = Output()
      for (place, entry) in decoded.fields.enumerated() {
        while let end = ends.last, end <= place {
          ends.removeLast()
          sink.end()
        }
        name.clear()
        if entry.field >= 0 {
          name.raw(words.bytes(definition.tables.fields[entry.field].name))
        } else {
          name.string(writer.name(entry))
        }
        if entry.form == .group {
          sink.begin(name.bytes)
          ends.append(entry.end)
        } else {
          text.clear()
          writer.entry(place, value, into: &text)
          sink.line(name.bytes, text.bytes)
        }
      }
      for _ in ends { sink.end() }
    }
    sink.line(("text" as StaticString).bytes, line.bytes.part(Slice(start: 0, count: wordsEnd)))
    for message in following {
      sink.line(("following" as StaticString).bytes, message.line.bytes)
    }
  }
}
