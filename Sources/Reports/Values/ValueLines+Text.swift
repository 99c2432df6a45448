import Bluetooth
import Bytes
import Sessions

/// The lines as text.
extension ValueLines {
  mutating func text(
    _ index: Int, _ bytes: [UInt8], _ memory: borrowing Memory, into output: inout Output
  ) {
    let value = conversations.values[index]
    line.clear()
    numberColumns.make(room: UInt(value.packet))
    let connection = value.parties.connection
    if connection > 0 { connectionColumns.make(room: UInt(connection)) }
    if !hasHeader {
      hasHeader = true
      style(.dim)
      line.spaces(numberColumns.width - 1)
      line.text("#")
      timeColumn.head(into: &line)
      line.spaces(connectionColumns.width + 3)
      line.text("how")
      style(.plain)
      finishLine(into: &output)
    }
    style(.dim)
    line.spaces(numberColumns.width)
    line.put(UInt(value.packet), endingAt: line.count)
    if let time = value.time {
      timeColumn.write(time, since: filter.start ?? time, after: previous, into: &line)
      previous = time
    } else {
      line.spaces(timeColumn.width)
    }
    style(.plain)
    line.spaces(connectionColumns.width)
    if connection > 0 {
      line.put(UInt(connection), endingAt: line.count)
    }
    line.byte(0x20)
    switch value.direction {
    case .sent: line.text(options.glyphs.sent)
    case .received: line.text(options.glyphs.received)
    case nil: line.spaces(options.glyphs.isUTF8 ? 1 : 2)
    }
    line.byte(0x20)
    if value.outcome != .done { style(.failure) }
    var column = line.count
    line.operation(value.operation)
    line.fate(value.outcome, of: value.operation)
    line.spaces(max(1, column + Self.operationColumns - line.count))
    column = line.count
    let surplus = subject(value, bytes, memory)
    // The following lines are aligned with the longest one so far.
    let width = line.count - column - surplus + 2
    attributeColumns = max(attributeColumns, min(width, Self.mostAttributeColumns))
    line.spaces(max(2, column + attributeColumns + surplus - line.count))
    content(value, bytes)
    if value.outcome != .done { style(.plain) }
    finishLine(into: &output)
  }

  /// Appends the attribute of a value, and returns the number of its bytes that take no column.
  private mutating func subject(
    _ value: ConveyedValue, _ bytes: [UInt8], _ memory: borrowing Memory
  ) -> Int {
    let start = line.count
    if value.operation == .advertisement {
      line.advertiser(value.parties.peer, value.attribute.side)
      line.byte(0x20)
      line.advertised(value.attribute.uuid, value.company)
    } else if let slice = value.handles {
      let list = bytes.bytes.part(slice)
      for index in 0..<list.byteCount / 2 {
        if index > 0 { line.text(", ") }
        line.handle(list.littleEndianU16(at: 2 * index))
      }
    } else {
      line.attribute(
        value.attribute, owner: memory.owner(of: value.attribute, value.parties.connection),
        options.glyphs, profileName: reading.name(value.attribute.uuid))
    }
    let part = Slice(start: start, count: line.count - start)
    return Int(part.count) - line.bytes.part(part).columns
  }

  /// Appends the value and its details.
  private mutating func content(_ value: ConveyedValue, _ bytes: [UInt8]) {
    var isFirst = true
    func comma(_ line: inout Output) {
      if !isFirst { line.text(", ") }
      isFirst = false
    }
    if let slice = value.value {
      isFirst = false
      let content = bytes.bytes.part(slice)
      if reading.meaning.isKnown {
        reading.meaning.writeText(into: &line)
      } else if hides(value) {
        line.text("<hidden>, ")
        line.count(content.byteCount, "byte", "bytes")
      } else {
        line.valueBytes(content)
        if content.isText(of: value.attribute.uuid) {
          line.byte(0x20)
          line.byte(0x20)
          line.quoted(content)
        }
      }
      if value.operation == .advertisement, !hides(value) {
        line.ownAddress(value.parties.advertiser.place(in: content))
      }
    }
    if value.offset > 0 {
      comma(&line)
      line.text("from byte ")
      line.decimal(value.offset)
      line.text(" on")
    }
    if let packets = value.packets {
      comma(&line)
      line.packets(conversations.packets[packets], options.glyphs)
    }
    if value.isCut {
      comma(&line)
      line.text(ValueWords.cut)
    }
    if value.mayGoOn || value.isRestRefused {
      comma(&line)
      line.text(value.isRestRefused ? ValueWords.restRefused : ValueWords.mayGoOn)
    }
    if value.isEchoWrong {
      comma(&line)
      line.text("the server repeated something else")
    }
    if value.outcome != .done, value.outcome != .cancelled {
      comma(&line)
      line.why(
        value.outcome, isAcknowledged: value.isAcknowledged,
        error: reading.profiles.errorName(of: value))
    }
  }

  private mutating func finishLine(into output: inout Output) {
    output.line(&line, ascii: &ascii, columns: options.width, options.glyphs)
  }

  @inline(__always)
  private mutating func style(_ style: TextStyle) {
    if options.usesColor { line.text(style.sequence) }
  }
}
