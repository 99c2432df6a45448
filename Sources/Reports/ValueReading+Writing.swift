import Bluetooth
import Bytes
import Decoders
import Sessions

/// What was read, as JSON and as one field a line.
extension ValueReading {
  // MARK: JSON

  /// Writes the object under `decoded`.
  func writeJSON(_ value: RawSpan, into output: inout Output) {
    if sighting?.isJoined ?? isOfStructure {
      let whole = joined
      writeObject(whole.bytes, into: &output)
    } else {
      writeObject(value, into: &output)
    }
  }

  private func writeObject(_ value: RawSpan, into output: inout Output) {
    if let sighting, sighting.frame == nil {
      output.text("{\"profile\":\"")
      output.jsonEscaped([UInt8](sighting.vendor.profile.utf8).bytes)
      output.text("\",\"name\":\"part\",\"fields\":{\"first_byte\":")
      output.decimal(Int(sighting.part.start) + 1)
      output.text(",\"last_byte\":")
      output.decimal(sighting.part.end)
      if let total = sighting.total {
        output.text(",\"frame_length\":")
        output.decimal(total)
      }
      output.byte(0x7d)
    } else {
      guard let definition = decoded.definition,
        let writer = DecodedWriter(decoded, isJSON: true, showsKeys: showsKeys)
      else { return }
      let head = definition.jsonHead
      output.raw(head.bytes)
      writer.fields(value, into: &output)
      writer.units(into: &output)
      writer.remarks(into: &output)
    }
    if let sighting { writeExchange(sighting, into: &output) }
    output.text(",\"text\":\"")
    line.copyEscaped(Slice(start: 0, count: textEnd), into: &output)
    output.byte(0x22)
    if sighting == nil || sighting?.frame != nil, !decoded.problems.isEmpty {
      var scratch = Output()
      DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys)?.problems(
        value, line: &scratch, into: &output)
    }
    output.byte(0x7d)
  }

  private func writeExchange(_ sighting: VendorSighting, into output: inout Output) {
    if sighting.isByFrame { output.text(",\"recognized_by\":\"frame\"") }
    if let request = sighting.request {
      output.text(",\"answers\":")
      output.decimal(request)
    } else if sighting.isOrphan {
      output.text(",\"answers_nothing\":true")
    }
    if let latency = sighting.latency {
      output.text(",\"latency_ms\":")
      output.fixed(Int(latency / 1000), decimals: 3)
    }
    guard sighting.isJoined else { return }
    output.text(",\"reassembled_from\":[")
    for (index, packet) in packets.enumerated() {
      if index > 0 { output.byte(0x2c) }
      output.decimal(packet)
    }
    output.byte(0x5d)
  }

  // MARK: One field a line

  /// Writes a line for each field.
  func writeLines(_ value: RawSpan, to sink: inout VerboseSink) {
    guard hasMeaning else { return }
    if let sighting, sighting.isJoined {
      let whole = joined
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
      if let request = sighting.request { sink.number("answers", request) }
      if sighting.isOrphan { sink.word("answers", "nothing") }
      if let latency = sighting.latency { sink.quantity("latency", Int(latency / 1000), .latency) }
      if sighting.isJoined { sink.packets("reassembled_from", packets[...]) }
    }
    if sighting == nil || sighting?.frame != nil, let definition = decoded.definition,
      let writer = DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys)
    {
      sink.string("name", [UInt8](definition.name.utf8).bytes)
      var ends: [Int] = []
      var text = Output()
      for (place, entry) in decoded.fields.enumerated() {
        while let end = ends.last, end <= place {
          ends.removeLast()
          sink.end()
        }
        let name = [UInt8](writer.name(entry).utf8)
        if entry.form == .group {
          sink.begin(name)
          ends.append(entry.end)
        } else {
          text.clear()
          writer.entry(place, value, into: &text)
          sink.line(name, text.bytes)
        }
      }
      for _ in ends { sink.end() }
    }
    sink.line([UInt8]("text".utf8), line.bytes)
  }
}
