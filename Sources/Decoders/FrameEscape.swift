import Bytes

/// How a frame contains bytes that mean something else in it, such as the one that ends it: an
/// escape byte and a code represent them.
package struct FrameEscape: Sendable, Equatable {
  package struct Pair: Sendable, Equatable {
    /// The byte after the escape byte, and what the two represent.
    package var code: UInt8
    package var original: UInt8

    package init(code: UInt8, original: UInt8) { (self.code, self.original) = (code, original) }
  }

  /// The escape byte.
  package var byte: UInt8
  package var pairs: [Pair]
  /// If another code follows, the two represent the code combined with this by an exclusive or;
  /// nil: they represent nothing, and remain.
  package var mask: UInt8?

  package init(byte: UInt8, pairs: [Pair], mask: UInt8?) {
    (self.byte, self.pairs, self.mask) = (byte, pairs, mask)
  }

  /// Appends bytes with each pair replaced by what it represents.
  func append(_ bytes: RawSpan, to whole: inout [UInt8]) {
    var place = 0
    while place < bytes.byteCount {
      let next = bytes.byte(at: place)
      place += 1
      guard next == byte, place < bytes.byteCount, let original = original(bytes.byte(at: place))
      else {
        whole.append(next)
        continue
      }
      whole.append(original)
      place += 1
    }
  }

  /// Returns what a code after the escape byte represents.
  private func original(_ code: UInt8) -> UInt8? {
    pairs.first { $0.code == code }?.original ?? mask.map { code ^ $0 }
  }
}
