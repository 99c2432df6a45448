import Bluetooth
package import Bytes
package import Decoders

extension FrameMisfit {
  /// Whether other values that break the same rule break it with other numbers.
  var isExample: Bool {
    if case .start = self { return false }
    return true
  }
}

extension Output {
  /// Appends why bytes are not a frame: `begins with 55, not a5`.
  ///
  /// - Parameter isOfSeveral: whether the subject is several values, of which this is one.
  package mutating func misfit(_ misfit: FrameMisfit, ofSeveral isOfSeveral: Bool = false) {
    if isOfSeveral, misfit.isExample { text("do not fit: one ") }
    switch misfit {
    case .start(let found, let expected):
      text(isOfSeveral ? "begin with " : "begins with ")
      spaced(found)
      text(", not ")
      listed(expected[...], separatedBy: " ") { output, byte in
        if let byte { output.hex(byte) } else { output.text("??") }
      }
    case .short(let count, let least):
      text("has ")
      decimal(count)
      text(" of at least ")
      self.count(least, "byte", "bytes")
    case .length(let found, let expected, let width, let countsFrame):
      text(width == 1 ? "has a length byte of " : "has a length of ")
      decimal(found)
      if countsFrame {
        text(expected == 1 ? ", but there is " : ", but there are ")
        count(expected, "byte", "bytes")
      } else if expected >= 0 {
        text(", but ")
        decimal(expected)
        text(" would fit")
      } else {
        text(", which does not fit")
      }
    case .excess(let total, let most):
      text("has a length of ")
      count(total, "byte", "bytes")
      text(", which exceeds reassemble.max (")
      decimal(most)
      byte(0x29)
    case .size(let count, let expected):
      text("has ")
      self.count(count, "byte", "bytes")
      text(", not ")
      decimal(expected)
    case .tail(let found, let expected):
      text("ends with ")
      spaced(found)
      text(", not ")
      spaced(expected)
    case .unended(let end):
      text("does not end with ")
      spaced(end)
    case .control(let byte):
      text("contains ")
      hex(byte)
      text(", which is not text")
    case .checksum(let found, let expected, let digits):
      text("has the checksum ")
      hexDigits(UInt64(found), digits)
      text(", not ")
      hexDigits(UInt64(expected), digits)
    }
  }

  /// Appends bytes in hexadecimal with spaces between.
  private mutating func spaced(_ bytes: [UInt8]) {
    listed(bytes[...], separatedBy: " ") { $0.hex($1) }
  }
}
