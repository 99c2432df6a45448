package import Bytes

// The JSON of what was decoded. Each field is an object, and its keys show what it holds: `number`
// with `unit`, `word`, `code`, `flag`, `text`, `hex`, the `fields` of a group, the `list` of a
// repeated field. So no key has more than one type, whatever profiles define.

extension DecodedWriter {
  /// Writes the beginning of the `decoded` object: profile, name, fields, and remarks about fields.
  package func head(_ value: RawSpan, into output: inout Output) {
    let head = definition.jsonHead
    output.raw(head.bytes)
    fields(value, into: &output)
    remarks(into: &output)
  }

  /// Writes the object of the fields, as in `decoded.fields`.
  package func fields(_ value: RawSpan, into output: inout Output) {
    output.byte(0x7b)
    var isFirst = true
    members(0..<decoded.fields.count, value, &isFirst, into: &output)
    output.byte(0x7d)
  }

  /// Writes the members for entries of one object.
  private func members(
    _ range: Range<Int>, _ value: RawSpan, _ isFirst: inout Bool, into output: inout Output
  ) {
    var place = range.lowerBound
    while place < range.upperBound {
      let entry = decoded.fields[place]
      let run = run(from: place, in: range)
      if isHidden(entry) {
        place = run
        continue
      }
      if !isFirst { output.byte(0x2c) }
      isFirst = false
      key(of: entry, earlier: namesakes(of: place, in: range), into: &output)
      output.byte(0x3a)
      let isList = isRepeated(entry)
      if isList { output.text("{\"list\":[") }
      var item = place
      while item < run {
        if item > place { output.byte(0x2c) }
        let next = max(decoded.fields[item].end, item + 1)
        if decoded.fields[item].form == .group {
          output.text("{\"fields\":{")
          var isFirstInside = true
          members(item + 1..<next, value, &isFirstInside, into: &output)
          output.text("}}")
        } else {
          content(decoded.fields[item], value, hasUnit: !isList, into: &output)
        }
        item = next
      }
      if isList {
        output.byte(0x5d)
        unit(entry, into: &output)
        output.byte(0x7d)
      }
      place = run
    }
  }

  /// Writes the object of an entry that is not a group.
  private func content(
    _ entry: DecodedField, _ value: RawSpan, hasUnit: Bool, into output: inout Output
  ) {
    let content = content(of: entry)
    output.text(content.key)
    if content == .code || content == .numberedWord {
      number(entry, into: &output)
      if entry.word >= 0 {
        output.text(",\"word\":")
        word(Int(entry.word), into: &output)
      }
    } else if content == .structure {
      // A string, since the payload can be of any type.
      var text = Output()
      self.value(entry, value, into: &text)
      output.jsonString(text.bytes)
    } else {
      self.value(entry, value, into: &output)
      if hasUnit, content == .number { unit(entry, into: &output) }
    }
    output.byte(0x7d)
  }

  /// Writes `,"unit":` and the unit of an entry's field, if it has one.
  private func unit(_ entry: DecodedField, into output: inout Output) {
    guard entry.field >= 0 else { return }
    output.raw(words.bytes(definition.jsonUnit(entry.field)))
  }

  /// Writes the name of an entry's field, in quotes; if `earlier` fields of its object have the
  /// same name, followed by a number.
  private func key(of entry: DecodedField, earlier: Int, into output: inout Output) {
    if earlier > 0 {
      // No name contains a dot, so the key is unique.
      output.string("\"\(name(entry)).\(earlier + 1)\"")
    } else if entry.field >= 0 {
      output.raw(words.bytes(definition.jsonKey(entry.field)))
    } else if entry.field == DecodedField.frameChecksum {
      output.text("\"checksum\"")
    } else {
      output.text("\"unknown\"")
    }
  }

  /// Returns how many fields before one have its name within its object, whichever that is.
  private func namesakes(of place: Int) -> Int {
    let entry = decoded.fields[place]
    guard entry.field < 0 || definition.hasNamesake[entry.field] else { return 0 }
    var object = decoded.fields.indices
    for other in 0..<place {
      let group = decoded.fields[other]
      if group.form == .group, group.end > place { object = other + 1..<group.end }
    }
    return namesakes(of: place, in: object)
  }

  /// Returns how many fields before one in the same object have its name. Fields that should
  /// exclude each other can both be present if a condition is unknown.
  private func namesakes(of place: Int, in range: Range<Int>) -> Int {
    let entry = decoded.fields[place]
    guard entry.field < 0 || definition.hasNamesake[entry.field] else { return 0 }
    let name = definition.keyName(entry.field)
    var count = 0
    var other = range.lowerBound
    while other < place {
      if definition.keyName(decoded.fields[other].field) == name { count += 1 }
      other = run(from: other, in: range)
    }
    return count
  }

  /// Writes `,"hidden":` with the names of secrets, and `,"assumed":` with those of fields that
  /// depend on an unknown condition. Omits the keys of empty lists.
  private func remarks(into output: inout Output) {
    guard definition.hasSecrets || !definition.tables.externals.isEmpty else { return }
    names(",\"hidden\":[", into: &output) { isHidden($0) }
    names(",\"assumed\":[", into: &output) { $0.isAssumed }
  }

  private func names(
    _ key: StaticString, into output: inout Output, _ isNamed: (DecodedField) -> Bool
  ) {
    var last: Int?
    for place in decoded.fields.indices where isNamed(decoded.fields[place]) {
      let entry = decoded.fields[place]
      guard entry.field != last else { continue }
      output.text(last == nil ? key : ",")
      last = entry.field
      self.key(of: entry, earlier: namesakes(of: place), into: &output)
    }
    if last != nil { output.byte(0x5d) }
  }

  /// Returns the index after the last of the entries that are turns of one field.
  package func run(from place: Int, in range: Range<Int>) -> Int {
    let first = decoded.fields[place]
    var next = max(first.end, place + 1)
    guard isRepeated(first) else { return next }
    while next < range.upperBound, decoded.fields[next].field == first.field {
      next = max(decoded.fields[next].end, next + 1)
    }
    return next
  }
}

// For examples and for parts of other programs, which need one value at a time.
extension DecodedWriter {
  /// Returns an entry's value as in JSON, without quotes.
  package func scalar(_ entry: DecodedField, _ value: RawSpan) -> String {
    var output = Output()
    if entry.form == .utf8 {
      let bytes = value.part(entry.bytes)
      let text = field(of: entry).map { expanded(bytes, $0) } ?? bytes.array
      return String(decoding: text, as: UTF8.self)
    }
    self.value(entry, value, into: &output)
    var text = String(decoding: output.bytes.array, as: UTF8.self)
    if text.hasPrefix("\""), text.hasSuffix("\""), text.count >= 2 {
      text = String(text.dropFirst().dropLast())
    }
    return text
  }

  /// Returns the name of an entry's field.
  package func name(_ entry: DecodedField) -> String {
    if let field = field(of: entry) { return definition.string(field.name) }
    return entry.field == DecodedField.frameChecksum ? "checksum" : "unknown"
  }

  /// Returns whether an entry is a turn of a repeated field.
  package func isRepeated(_ entry: DecodedField) -> Bool {
    entry.field >= 0 && definition.tables.fields[entry.field].flags.contains(.repeated)
  }
}

extension Decoded {
  /// Returns the raw number of the field with a name, with dots for groups. A number with bits is
  /// skipped in favor of its bits: `features.e2e_crc` and `e2e_crc` both find a bit. Unknown if
  /// there is no such field.
  package func number(of path: String) -> Known {
    guard let definition else { return .unknown }
    let parts = path.split(separator: ".").map(String.init)
    guard let last = parts.last else { return .unknown }
    for entry in fields where entry.field >= 0 && entry.form == .integer {
      let row = definition.tables.fields[entry.field]
      if definition.string(row.name) == last { return Known(entry.raw) }
    }
    return .unknown
  }
}

extension DecodedWriter {
  /// Writes `,"problems":` and the list of problems; omits the key of an empty list. `line` is a
  /// buffer without a descriptor; its contents are overwritten.
  package func problems(_ value: RawSpan, line: inout Output, into output: inout Output) {
    if !decoded.problems.isEmpty {
      output.text(",\"problems\":[")
      problemItems(value, line: &line, into: &output)
      output.byte(0x5d)
    }
  }

  /// Writes the items of the list of problems.
  package func problemItems(_ value: RawSpan, line: inout Output, into output: inout Output) {
    for (place, problem) in decoded.problems.enumerated() {
      output.text(place > 0 ? ",{\"code\":\"" : "{\"code\":\"")
      output.text(problem.code.name)
      output.text("\",\"message\":")
      line.clear()
      self.problem(problem, value, into: &line)
      output.jsonString(line.bytes)
      output.text(",\"offset\":")
      output.decimal(Int(problem.bytes.start))
      output.byte(0x7d)
    }
  }
}

extension Decoded {
  /// Writes the whole object of a value decoded on its own: head, text, and problems. `line` is a
  /// buffer without a descriptor; its contents are overwritten.
  package func writeJSON(
    _ value: RawSpan, showsKeys: Bool = false, line: inout Output, into output: inout Output
  ) {
    guard var writer = DecodedWriter(self, isJSON: true, showsKeys: showsKeys) else { return }
    writer.head(value, into: &output)
    line.clear()
    writer.isJSON = false
    writer.line(value, writesProblems: false, into: &line)
    output.text(",\"text\":")
    output.jsonString(line.bytes)
    writer.problems(value, line: &line, into: &output)
    output.byte(0x7d)
  }
}
