import Bytes

extension Output {
  /// Appends text as HTML shows it. What is not printable is escaped as in `printable`, without doubling backslashes:
  /// the text was worded for people already.
  mutating func html(_ bytes: RawSpan) {
    var offset = 0
    while offset < bytes.byteCount {
      let unit = bytes.byte(at: offset)
      if unit >= 0x20, unit < 0x7f {
        switch unit {
        case 0x26: text("&amp;")
        case 0x3c: text("&lt;")
        case 0x3e: text("&gt;")
        case 0x22: text("&quot;")
        default: byte(unit)
        }
        offset += 1
        continue
      }
      switch bytes.textUnit(at: offset) {
      case .invalid:
        text("\u{fffd}")
        offset += 1
      case .scalar(let scalar, let count):
        if scalar == 0x0a {
          byte(0x0a)
        } else if isUnprintable(scalar) {
          text("\\u{")
          string(String(scalar, radix: 16))
          byte(0x7d)
        } else {
          raw(bytes.part(Slice(start: offset, count: count)))
        }
        offset += count
      }
    }
  }

  /// Appends text as HTML shows it.
  mutating func html(_ text: String) { html([UInt8](text.utf8).bytes) }

  /// Appends text as HTML shows it, with a link to each packet that it names (`#48`, `#46–48`). What stands in quotes
  /// came from a device and is left alone.
  mutating func linked(_ text: RawSpan) {
    var (start, offset) = (0, 0)
    var (isQuoted, isEscaped) = (false, false)
    while offset < text.byteCount {
      let unit = text.byte(at: offset)
      if unit == 0x22, !isEscaped { isQuoted.toggle() }
      isEscaped = unit == 0x5c && !isEscaped
      let length = unit == 0x23 && !isQuoted ? text.digits(at: offset + 1) : 0
      guard length > 0, offset == 0 || !text.isWord(at: offset - 1) else {
        offset += 1
        continue
      }
      html(text.part(Slice(start: start, count: offset - start)))
      let number = Slice(start: offset + 1, count: length)
      var end = offset + 1 + length
      // An en dash, three bytes of UTF-8, joins the ends of a range.
      if text.isDash(at: end) {
        let second = text.byte(at: end + 3) == 0x23 ? end + 4 : end + 3
        let last = text.digits(at: second)
        if last > 0 { end = second + last }
      }
      self.text("<a href=\"#packet=")
      raw(text.part(number))
      self.text("\">")
      raw(text.part(Slice(start: offset, count: end - offset)))
      self.text("</a>")
      (start, offset) = (end, end)
    }
    html(text.part(Slice(start: start, count: text.byteCount - start)))
  }

  /// Appends text as HTML shows it, with a link to each packet that it names.
  mutating func linked(_ text: String) { linked([UInt8](text.utf8).bytes) }

  /// Appends a JSON string that may stand in a script element: `<` is escaped, so nothing in it ends the element.
  mutating func embedded(_ bytes: RawSpan) {
    byte(0x22)
    var start = 0
    for offset in 0..<bytes.byteCount where bytes.byte(at: offset) == 0x3c {
      jsonEscaped(bytes.part(Slice(start: start, count: offset - start)))
      text("\\u003c")
      start = offset + 1
    }
    jsonEscaped(bytes.part(Slice(start: start, count: bytes.byteCount - start)))
    byte(0x22)
  }

  /// Appends a JSON string that may stand in a script element.
  mutating func embedded(_ text: String) { embedded([UInt8](text.utf8).bytes) }
}

extension RawSpan {
  /// How many decimal digits stand at `offset`, none if there are more than a packet's number has.
  fileprivate func digits(at offset: Int) -> Int {
    var count = 0
    while offset + count < byteCount, 0x30...0x39 ~= byte(at: offset + count) { count += 1 }
    return count <= 15 ? count : 0
  }

  /// Whether an en dash stands at `offset`.
  fileprivate func isDash(at offset: Int) -> Bool {
    offset + 3 <= byteCount && byte(at: offset) == 0xe2 && byte(at: offset + 1) == 0x80
      && byte(at: offset + 2) == 0x93
  }

  /// Whether a letter or digit stands at `offset`.
  fileprivate func isWord(at offset: Int) -> Bool {
    let unit = byte(at: offset)
    return 0x30...0x39 ~= unit || 0x61...0x7a ~= unit | 0x20 || unit >= 0x80
  }
}
