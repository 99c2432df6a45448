package import Bytes

// Decoded values field by field, for tables whose columns are the same for every profile.

extension DecodedWriter {
  /// Writes the name of an entry's field after those of the groups around it, with dots between
  /// them.
  package func path(of place: Int, into output: inout Output) {
    for group in 0..<place
    where decoded.fields[group].form == .group && decoded.fields[group].end > place {
      output.string(name(decoded.fields[group]))
      output.byte(0x2e)
    }
    output.string(name(decoded.fields[place]))
  }

  /// Writes the number of an entry that is a code with a word. Writes nothing for other entries.
  package func codeNumber(of place: Int, into output: inout Output) {
    let entry = decoded.fields[place]
    guard content(of: entry) == .numberedWord, !isHidden(entry) else { return }
    number(entry, into: &output)
  }

  /// Writes an entry's value without keys: a number, a word in quotes, true or false. Writes
  /// nothing for a group or a hidden value.
  package func scalar(_ place: Int, _ value: RawSpan, into output: inout Output) {
    let entry = decoded.fields[place]
    guard entry.form != .group, !isHidden(entry) else { return }
    self.value(entry, value, into: &output)
  }

  /// Writes an entry's value for a cell of a table: numbers as in JSON, text and words without
  /// quotes, bytes with spaces between them. Writes nothing for a group.
  package func plain(_ place: Int, _ value: RawSpan, into output: inout Output) {
    let entry = decoded.fields[place]
    guard !isHidden(entry) else { return output.text("<hidden>") }
    switch entry.form {
    case .group: break
    case .bytes, .tail:
      let bytes = value.part(entry.bytes)
      if bytes.byteCount == 1 { output.text("0x") }
      output.hex(bytes, separator: 0x20)
    case .integer where entry.word < 0, .double where entry.word < 0,
      .decimal where entry.word < 0:
      self.value(entry, value, into: &output)
    default: output.printable([UInt8](scalar(entry, value).utf8).bytes)
    }
  }

  /// Returns whether what `plain` writes is a text or a word, which must not be read as a number.
  package func isText(_ place: Int) -> Bool {
    let entry = decoded.fields[place]
    return switch entry.form {
    case .utf8, .utf16, .uuid: true
    default: entry.word >= 0
    }
  }

  /// Writes the unit of an entry's number, if it has one.
  package func unit(of place: Int, into output: inout Output) {
    guard let field = field(of: decoded.fields[place]), field.unit >= 0, field.tick == 0 else {
      return
    }
    output.raw(words.bytes(field.unit))
  }
}
