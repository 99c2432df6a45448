import Bytes

/// A set of named codes or flag bits, for parameters that contain one of them. The sets are
/// declared in the extensions beside this file; names are worded for one line of text.
///
///     CodeSet("Central | Peripheral")          // 0 and 1
///     CodeSet("@1 Off | On | @fe Unresolved")  // 1, 2 and 0xfe
///
/// The text has one name for each code from 0, or for each bit from the lowest, separated by ` | `
/// or line ends. `@` sets the code of a name, in hexadecimal, and an empty line leaves one out. It
/// is constant: nothing is built at start-up.
package struct CodeSet: Equatable, Sendable {
  private let names: StaticString
  /// The code in `names` of this set's 0.
  private let first: UInt64

  init(_ names: StaticString) {
    self.names = names
    first = 0
  }

  /// Creates the set of the codes of `set` from `first` on, numbered from 0.
  init(_ set: CodeSet, from first: UInt64) {
    names = set.names
    self.first = first
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.first == right.first && left.names.bytes.isEqual(to: right.names.bytes)
  }

  /// Returns the name of a code, or of a bit by its number; nil if the specification has none.
  package func name(of code: UInt64) -> AssignedName? {
    let (wanted, isTooLarge) = code.addingReportingOverflow(first)
    guard !isTooLarge else { return nil }
    let text = names.bytes
    var (start, next) = (0, UInt64(0))
    while start < text.byteCount {
      if text.byte(at: start) == UInt8(ascii: "@") {
        next = 0
        start += 1
        while text.byte(at: start) != 0x20 {
          let digit = text.byte(at: start)
          next = next << 4 | UInt64(digit < 0x3a ? digit - 0x30 : digit - 0x57)
          start += 1
        }
        start += 1
      }
      guard next <= wanted else { return nil }
      var end = start
      while end < text.byteCount, !Self.isSeparator(text.byte(at: end)) { end += 1 }
      // A bar is between two spaces.
      let space = end < text.byteCount && text.byte(at: end) != 0x0a ? 1 : 0
      if next == wanted {
        let count = end - space - start
        return count > 0 ? AssignedName(names, Slice(start: start, count: count)) : nil
      }
      next += 1
      start = end + 1 + space
    }
    return nil
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == 0x0a || byte == UInt8(ascii: "|")
  }
}
