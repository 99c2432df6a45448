import Bytes

/// A set of named codes or flag bits, for parameters that contain one of them. The sets are
/// declared in the extensions beside this file; names are worded for one line of text.
///
///     CodeSet("Central | Peripheral")          // 0 and 1
///     CodeSet("@1 Off | On | @fe Unresolved")  // 1, 2 and 0xfe
///
/// The text has one name for each code from 0, or for each bit from the lowest, separated by ` | `
/// or line ends. `@` sets the code of a name, in hexadecimal, and an empty line leaves one out.
/// Codes ascend. The text is constant: nothing is built at start-up.
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
    guard !isTooLarge, let slice = CodeIndex.slice(of: wanted, in: names) else { return nil }
    return AssignedName(names, slice)
  }
}

/// Where in a set's text the name of each code is. Made when the set is used for the first time.
private struct CodeIndex: Sendable {
  /// The address of the text, which identifies it, since literals never move.
  private let address: UInt
  /// The names of the codes below `mostDense`, by code. An empty slice means that the code has no
  /// name.
  private let dense: [Slice]
  /// The other codes with their names, in ascending order.
  private let sparse: [(code: UInt64, name: Slice)]

  /// Codes below this are found without a search.
  private static let mostDense: UInt64 = 256
  /// The number of slots for indexes, a power of two. There are fewer sets than half of them.
  private static let slots = 1024
  private static let indexes = LazyImmortals<CodeIndex>(count: slots)

  /// Returns where the name of `code` is in the text of a set; nil if it has none.
  static func slice(of code: UInt64, in names: StaticString) -> Slice? {
    let address = unsafe UInt(bitPattern: names.utf8Start)
    var slot = Int(truncatingIfNeeded: (address ^ address &>> 10) & UInt(slots - 1))
    for _ in 0..<slots {
      let index = indexes.element(at: slot) { CodeIndex(of: names, at: address) }
      if index.element.address == address { return index.element.slice(of: code) }
      slot = (slot + 1) & (slots - 1)
    }
    // All slots are taken by other sets.
    return CodeIndex(of: names, at: address).slice(of: code)
  }

  private func slice(of code: UInt64) -> Slice? {
    if code < UInt64(dense.count) {
      let name = dense[Int(code)]
      return name.count > 0 ? name : nil
    }
    var (low, high) = (0, sparse.count)
    while low < high {
      let middle = (low + high) / 2
      if sparse[middle].code < code { low = middle + 1 } else { high = middle }
    }
    return low < sparse.count && sparse[low].code == code ? sparse[low].name : nil
  }

  /// Reads the text of a set.
  private init(of names: StaticString, at address: UInt) {
    var dense: [Slice] = []
    var sparse: [(code: UInt64, name: Slice)] = []
    let text = names.bytes
    var (start, code) = (0, UInt64(0))
    while start < text.byteCount {
      if text.byte(at: start) == UInt8(ascii: "@") {
        code = 0
        start += 1
        while text.byte(at: start) != 0x20 {
          let digit = text.byte(at: start)
          code = code << 4 | UInt64(digit < 0x3a ? digit - 0x30 : digit - 0x57)
          start += 1
        }
        start += 1
      }
      var end = start
      while end < text.byteCount, !Self.isSeparator(text.byte(at: end)) { end += 1 }
      // A bar is between two spaces.
      let space = end < text.byteCount && text.byte(at: end) != 0x0a ? 1 : 0
      let name = Slice(start: start, count: end - space - start)
      if name.count > 0, code < Self.mostDense {
        while dense.count <= Int(code) { dense.append(Slice(start: 0, count: 0)) }
        dense[Int(code)] = name
      } else if name.count > 0 {
        sparse.append((code, name))
      }
      code += 1
      start = end + 1 + space
    }
    self.address = address
    self.dense = dense
    self.sparse = sparse
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == 0x0a || byte == UInt8(ascii: "|")
  }
}
