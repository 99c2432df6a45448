// Small pieces of wording that several lines share.

import Bluetooth
import Bytes

extension Output {
  /// Appends a quantity with its unit: `37.5 ms`.
  mutating func quantity(_ value: Int, _ scale: Scale) {
    fixed(value &* scale.multiplier, decimals: scale.decimals)
    byte(0x20)
    text(scale.unit.symbol)
  }

  /// Appends a code by its name, then the code: `Connection Timeout (0x08)`, or the code alone.
  mutating func named(_ name: StaticString?, _ code: UInt64, digits: Int) {
    if let name {
      text(name)
      text(" (")
    }
    hexadecimal(code, digits: digits)
    if name != nil { byte(0x29) }
  }

  /// Appends the names of the bits that are set, after `opening`, with commas between them; bits
  /// without a name by their number. False where none is set and nothing was appended.
  mutating func names(_ value: UInt64, _ set: CodeSet, opening: StaticString = "") -> Bool {
    var rest = value
    guard rest != 0 else { return false }
    text(opening)
    var isFirst = true
    while rest != 0 {
      let bit = rest.trailingZeroBitCount
      rest &= rest - 1
      if !isFirst { text(", ") }
      isFirst = false
      if let name = set.name(of: UInt64(bit)) {
        text(name)
      } else {
        text("bit ")
        decimal(bit)
      }
    }
    return true
  }

  /// Appends a string from a capture in quotes.
  mutating func quoted(_ bytes: RawSpan) {
    byte(0x22)
    printable(bytes)
    byte(0x22)
  }

  /// Appends UUIDs of one width, with commas between them.
  mutating func uuids(_ list: RawSpan, width: Int) {
    var cursor = Cursor(list)
    var isFirst = true
    while cursor.remaining >= width, let uuid = try? BluetoothUUID(parsing: &cursor, width: width) {
      if !isFirst { text(", ") }
      isFirst = false
      self.uuid(uuid)
    }
  }

  /// Appends finished text, in the signs that the terminal knows.
  mutating func text(_ bytes: RawSpan, _ glyphs: Glyphs) {
    if glyphs.isUTF8 { raw(bytes) } else { ascii(bytes) }
  }

  /// Appends what this buffer holds to another one, in ASCII alone.
  func copyASCII(into other: inout Output) { other.ascii(bytes) }

  /// Appends finished text in ASCII alone: `u` for the micro sign of a unit, `\u{…}` for every other
  /// character that a name may bring.
  mutating func ascii(_ bytes: RawSpan) {
    var offset = 0
    while offset < bytes.byteCount {
      switch bytes.textUnit(at: offset) {
      case .scalar(let scalar, count: 1):
        byte(UInt8(scalar))
        offset += 1
      case .scalar(let scalar, let count):
        if scalar == 0xb5 {
          byte(0x75)
        } else {
          text("\\u{")
          string(String(scalar, radix: 16))
          byte(0x7d)
        }
        offset += count
      case .invalid(let value):
        text("\\x")
        hex(value)
        offset += 1
      }
    }
  }

  /// Appends `#` and a packet number.
  mutating func packet(_ number: Int) {
    byte(0x23)
    decimal(number)
  }

  /// Appends a time span given in nanoseconds, in the unit that suits it: `4.5 ms`, `1.0 s`.
  mutating func duration(nanoseconds: Int64) {
    let magnitude = nanoseconds.magnitude
    if nanoseconds < 0 { byte(0x2d) }
    if magnitude < 999_950_000 {
      let tenths = (magnitude + 50_000) / 100_000
      fixed(Int(tenths), decimals: 1)
      text(" ms")
    } else if magnitude < 99_950_000_000 {
      fixed(Int((magnitude + 50_000_000) / 100_000_000), decimals: 1, trim: false)
      text(" s")
    } else if magnitude < 7_200_000_000_000 {
      decimal(UInt((magnitude + 500_000_000) / 1_000_000_000))
      text(" s")
    } else {
      fixed(Int((magnitude + 180_000_000_000) / 360_000_000_000), decimals: 1, trim: false)
      text(" h")
    }
  }
}
