import Bytes

/// Checks that apply to all output.
enum OutputCheck {
  /// Checks that text is UTF-8 without control characters except newlines, and without
  /// bidirectional controls.
  static func text(_ bytes: RawSpan, lines: Int?) -> String? {
    var offset = 0
    var count = 0
    while offset < bytes.byteCount {
      switch bytes.textUnit(at: offset) {
      case .invalid(let byte): return "byte \(byte) at \(offset) is not UTF-8"
      case .scalar(0x0a, _):
        count += 1
        offset += 1
      case .scalar(let scalar, let length):
        if isDangerous(scalar) { return "scalar \(scalar) at \(offset)" }
        offset += length
      }
    }
    if bytes.byteCount > 0, bytes.byte(at: bytes.byteCount - 1) != 0x0a { return "no last newline" }
    if let lines, count != lines { return "\(count) lines, not \(lines)" }
    return nil
  }

  private static func isDangerous(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7f...0x9f, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  /// Checks that JSON output has one object per line.
  static func json(_ bytes: RawSpan, lines: Int?) -> String? {
    var reader = JSONReader(bytes)
    var count = 0
    while !reader.isAtEnd {
      guard reader.object(), reader.take(0x0a) else {
        return "line \(count + 1) is not a JSON object, at byte \(reader.offset)"
      }
      count += 1
    }
    guard let lines else { return nil }
    return count == lines ? nil : "\(count) lines, not \(lines)"
  }

  /// Checks that a page is text with two data blocks of JSON, which cannot end their script
  /// elements.
  static func page(_ bytes: RawSpan) -> String? {
    if let broken = text(bytes, lines: nil) { return broken }
    for name in ["data", "details"] as [StaticString] {
      guard let start = bytes.end(of: "id=\"\(name)\">") else { return "there is no \(name)" }
      var data = Output()
      var end = start
      while end < bytes.byteCount, bytes.byte(at: end) != 0x3c { end += 1 }
      data.raw(bytes.part(Slice(start: start, count: end - start)))
      data.byte(0x0a)
      if let broken = json(data.bytes, lines: 1) { return "\(name): \(broken)" }
      let rest = bytes.part(Slice(start: end, count: 9))
      if !rest.starts(with: "</script>") { return "\(name) ends with another element" }
    }
    return nil
  }
}

extension RawSpan {
  /// Returns the offset after `text`, or nil if it does not occur.
  fileprivate func end(of text: String) -> Int? {
    let text = [UInt8](text.utf8)
    var offset = 0
    while offset + text.count <= byteCount {
      if part(Slice(start: offset, count: text.count)).isEqual(to: text.bytes) {
        return offset + text.count
      }
      offset += 1
    }
    return nil
  }
}

/// A JSON parser (RFC 8259, without white space) that only checks the syntax.
private struct JSONReader: ~Escapable {
  private let bytes: RawSpan
  private(set) var offset = 0

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.byteCount }
  private var next: UInt8 { bytes.byte(at: offset) }

  @_lifetime(self: copy self)
  mutating func take(_ byte: UInt8) -> Bool {
    guard !isAtEnd, next == byte else { return false }
    offset += 1
    return true
  }

  @_lifetime(self: copy self)
  mutating func object() -> Bool {
    guard take(0x7b) else { return false }
    if take(0x7d) { return true }
    repeat {
      guard string(), take(0x3a), value() else { return false }
    } while take(0x2c)
    return take(0x7d)
  }

  @_lifetime(self: copy self)
  private mutating func list() -> Bool {
    guard take(0x5b) else { return false }
    if take(0x5d) { return true }
    repeat {
      guard value() else { return false }
    } while take(0x2c)
    return take(0x5d)
  }

  @_lifetime(self: copy self)
  private mutating func value() -> Bool {
    switch next {
    case 0x7b: object()
    case 0x5b: list()
    case 0x22: string()
    case 0x74: word("true")
    case 0x66: word("false")
    case 0x6e: word("null")
    default: number()
    }
  }

  @_lifetime(self: copy self)
  private mutating func word(_ word: StaticString) -> Bool {
    guard bytes.dropping(offset).starts(with: word) else { return false }
    offset += word.utf8CodeUnitCount
    return true
  }

  @_lifetime(self: copy self)
  private mutating func digits() -> Bool {
    let start = offset
    while next >= 0x30, next <= 0x39 { offset += 1 }
    return offset > start
  }

  @_lifetime(self: copy self)
  private mutating func number() -> Bool {
    _ = take(0x2d)
    let isZero = next == 0x30
    let start = offset
    guard digits(), !isZero || offset == start + 1 else { return false }
    if take(0x2e), !digits() { return false }
    // Very large and very small floating-point numbers have an exponent.
    guard take(0x65) else { return true }
    if !take(0x2b) { _ = take(0x2d) }
    return digits()
  }

  @_lifetime(self: copy self)
  private mutating func string() -> Bool {
    guard take(0x22) else { return false }
    while !isAtEnd {
      switch bytes.textUnit(at: offset) {
      case .invalid, .scalar(0..<0x20, _): return false
      case .scalar(0x22, _):
        offset += 1
        return true
      case .scalar(0x5c, _):
        offset += 1
        guard escape() else { return false }
      case .scalar(_, let count): offset += count
      }
    }
    return false
  }

  @_lifetime(self: copy self)
  private mutating func escape() -> Bool {
    defer { offset += 1 }
    switch next {
    case 0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74: return true
    case 0x75:
      for index in 1...4 {
        switch bytes.byte(at: offset + index) {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: continue
        default: return false
        }
      }
      offset += 4
      return true
    default: return false
    }
  }
}
