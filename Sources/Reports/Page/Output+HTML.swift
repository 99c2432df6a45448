import Bytes

extension Output {
  /// Appends text escaped for HTML. Unprintable characters are escaped as in `printable`, but
  /// backslashes are not doubled, since the text is already worded for people.
  package mutating func html(_ bytes: RawSpan) {
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

  /// Appends text escaped for HTML.
  package mutating func html(_ text: String) { html([UInt8](text.utf8).bytes) }

  /// Appends text escaped for HTML, with a link for each packet that it names (`#48`, `#46–48`).
  /// Text in quotes came from a device and is not linked.
  package mutating func linked(_ text: RawSpan) {
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
      typed(text.part(Slice(start: start, count: offset - start)))
      let number = Slice(start: offset + 1, count: length)
      link("#packet=", to: number, Slice(start: offset, count: 1 + length), in: text)
      offset += 1 + length
      // In a range, an en dash (three bytes of UTF-8) joins the two numbers.
      if text.isDash(at: offset) {
        let sign = text.byte(at: offset + 3) == 0x23 ? 1 : 0
        let last = Slice(start: offset + 3 + sign, count: text.digits(at: offset + 3 + sign))
        if !last.isEmpty {
          raw(text.part(Slice(start: offset, count: 3)))
          let words = Slice(start: offset + 3, count: sign + Int(last.count))
          link("#packet=", to: last, words, in: text)
          offset = last.end
        }
      }
      start = offset
    }
    typed(text.part(Slice(start: start, count: text.byteCount - start)))
  }

  /// Appends text escaped for HTML, with its bytes and codes (`69 96 02`, `0x05`) as code.
  private mutating func typed(_ text: RawSpan) {
    var (start, offset) = (0, 0)
    while offset < text.byteCount {
      let isStart = offset == 0 || !text.isWord(at: offset - 1)
      let length = isStart ? text.codeCount(at: offset) : 0
      if length > 0 {
        html(text.part(Slice(start: start, count: offset - start)))
        self.text("<code>")
        raw(text.part(Slice(start: offset, count: length)))
        self.text("</code>")
        start = offset + length
      }
      offset += max(length, 1)
    }
    html(text.part(Slice(start: start, count: text.byteCount - start)))
  }

  /// Appends words about connections (`connections 3–5, 8 and 2 more`), with a link to the story of
  /// each one that they name.
  package mutating func linkedConnections(_ words: String) {
    let text = [UInt8](words.utf8)
    var offset = 0
    var names = true
    while offset < text.count {
      // What comes after "and" is how many are not named.
      if text[offset...].starts(with: " and ".utf8) { names = false }
      let length = names ? text.bytes.digits(at: offset) : 0
      let part = Slice(start: offset, count: max(length, 1))
      if length > 0 {
        link("#connection-", to: part, part, in: text.bytes)
      } else {
        raw(text.bytes.part(part))
      }
      offset = part.end
    }
  }

  /// Appends a part of a text as a link to a place, whose number is another part.
  private mutating func link(
    _ place: StaticString, to number: Slice, _ words: Slice, in text: RawSpan
  ) {
    self.text("<a href=\"")
    self.text(place)
    raw(text.part(number))
    self.text("\">")
    raw(text.part(words))
    self.text("</a>")
  }

  /// Appends text escaped for HTML, with a link for each packet that it names.
  package mutating func linked(_ text: String) { linked([UInt8](text.utf8).bytes) }

  /// Appends a JSON string for a script element. `<` is escaped, so that no text can end the
  /// element.
  package mutating func embedded(_ bytes: RawSpan) {
    byte(0x22)
    var start = 0
    while let length = bytes.dropping(start).firstOffset(of: 0x3c) {
      jsonEscaped(bytes.part(Slice(start: start, count: length)))
      text("\\u003c")
      start += length + 1
    }
    jsonEscaped(bytes.dropping(start))
    byte(0x22)
  }

  /// Appends a JSON string for a script element.
  package mutating func embedded(_ text: String) { embedded([UInt8](text.utf8).bytes) }
}

extension RawSpan {
  /// Returns the number of decimal digits at `offset`, or 0 if there are more than a packet number
  /// has.
  fileprivate func digits(at offset: Int) -> Int {
    var count = 0
    while offset + count < byteCount, 0x30...0x39 ~= byte(at: offset + count) { count += 1 }
    return count <= 15 ? count : 0
  }

  /// Returns the number of characters of bytes (two or more) or of a hexadecimal number at
  /// `offset`; 0 if there is something else.
  fileprivate func codeCount(at offset: Int) -> Int {
    func isDigit(_ place: Int) -> Bool {
      guard place < byteCount else { return false }
      return 0x30...0x39 ~= byte(at: place) || 0x61...0x66 ~= byte(at: place)
    }
    func ends(_ place: Int) -> Bool { place >= byteCount || !isWord(at: place) }
    if offset + 1 < byteCount, byte(at: offset) == 0x30, byte(at: offset + 1) == 0x78 {
      var end = offset + 2
      while isDigit(end) { end += 1 }
      return end > offset + 2 && ends(end) ? end - offset : 0
    }
    var end = offset
    while isDigit(end), isDigit(end + 1), ends(end + 2) {
      end += 2
      guard end + 1 < byteCount, byte(at: end) == 0x20 else { break }
      end += 1
    }
    if end > offset, byte(at: end - 1) == 0x20 { end -= 1 }
    return end - offset > 2 ? end - offset : 0
  }

  /// Returns whether an en dash is at `offset`, and something after it.
  fileprivate func isDash(at offset: Int) -> Bool {
    offset + 3 < byteCount && byte(at: offset) == 0xe2 && byte(at: offset + 1) == 0x80
      && byte(at: offset + 2) == 0x93
  }

  /// Returns whether a letter, a digit or a byte of a character beyond ASCII is at `offset`.
  fileprivate func isWord(at offset: Int) -> Bool {
    let unit = byte(at: offset)
    return 0x30...0x39 ~= unit || 0x61...0x7a ~= unit | 0x20 || unit >= 0x80
  }
}
