// The names of the Assigned Numbers. The tables are in Generated/, as constant text: nothing is
// built at start-up, nothing is allocated, and only what is looked up is read.

package import Bytes

/// A name from the specification or the Assigned Numbers, by its position in its table.
package struct AssignedName: CustomStringConvertible, Equatable, ExpressibleByStringLiteral,
  Sendable
{
  private let text: StaticString
  private let slice: Slice

  init(_ text: StaticString, _ slice: Slice) {
    self.text = text
    self.slice = slice
  }

  /// Creates a name that is not in a table.
  package init(_ name: StaticString) {
    self.init(name, Slice(start: 0, count: name.utf8CodeUnitCount))
  }

  package init(stringLiteral name: StaticString) { self.init(name) }

  package var description: String { String(decoding: bytes.array, as: UTF8.self) }

  package static func == (left: Self, right: Self) -> Bool { left.bytes.isEqual(to: right.bytes) }

  /// The name in UTF-8.
  package var bytes: RawSpan {
    @_lifetime(immortal) get { text.bytes(slice) }
  }
}

extension Output {
  /// Appends an assigned name.
  package mutating func name(_ name: AssignedName) { raw(name.bytes) }

  /// Appends an assigned name as a JSON string.
  package mutating func json(_ name: AssignedName) { jsonString(name.bytes) }
}

/// A table of 16-bit numbers with their names.
///
/// `index` has ten bytes per number, in ascending order: the number (4 hexadecimal digits), the
/// offset of its name in `names` (5), and a blank or line end. `names` has one name per line.
struct NameTable: Sendable {
  private let index: StaticString
  private let names: StaticString

  private static let entryBytes = 10
  private static let numberDigits = 4

  init(index: StaticString, names: StaticString) {
    self.index = index
    self.names = names
  }

  /// The number of entries.
  var count: Int { (index.utf8CodeUnitCount + 1) / Self.entryBytes }

  /// Returns the name of a number by binary search. The digits can be compared as text, since their
  /// order is that of the numbers.
  func name(of number: UInt16) -> AssignedName? {
    let index = self.index.bytes
    let wanted = Self.digits(of: number)
    // Finds the last entry that is not greater. Each step halves the rest, without a branch to
    // predict.
    var first = 0
    var left = count
    while left > 1 {
      let half = left &>> 1
      let middle = first &+ half
      first = index.bigEndianU32(at: middle &* Self.entryBytes) <= wanted ? middle : first
      left &-= half
    }
    guard left == 1, index.bigEndianU32(at: first * Self.entryBytes) == wanted else { return nil }
    return name(index, at: first)
  }

  /// Returns the four digits of a number as in the index, the first in the most significant byte.
  private static func digits(of number: UInt16) -> UInt32 {
    // Each byte gets a nibble. Then 0x30 is added, and 0x27 more from ten on, where adding 6
    // carries.
    let spread = UInt32(number)
    var digits = (spread | spread << 8) & 0x00ff_00ff
    digits = (digits | digits << 4) & 0x0f0f_0f0f
    let letters = (digits + 0x0606_0606) >> 4 & 0x0101_0101
    return digits + 0x3030_3030 + letters * 0x27
  }

  /// Returns the number at a position below `count`.
  func number(at position: Int) -> UInt16 {
    UInt16(
      truncatingIfNeeded: Self.number(
        index.bytes, at: position * Self.entryBytes, digits: Self.numberDigits))
  }

  private func name(_ index: RawSpan, at position: Int) -> AssignedName {
    let start = offset(index, of: position)
    // The last name ends with the text.
    let next = position + 1 < count ? offset(index, of: position + 1) : names.utf8CodeUnitCount
    return AssignedName(names, Slice(start: start, count: next - 1 - start))
  }

  /// Returns the offset of a name: five digits after the last three of the number, read as one
  /// word.
  private func offset(_ index: RawSpan, of position: Int) -> Int {
    let word = index.bigEndianU64(at: position &* Self.entryBytes &+ 1)
    // Bit 6 is set in letters, whose low four bits begin with 1, so that 9 is added. Then
    // neighbours are combined to two digits, four and eight, and the number's three are dropped.
    let letters = word &>> 6 & 0x0101_0101_0101_0101
    var digits = (word & 0x0f0f_0f0f_0f0f_0f0f) &+ letters &* 9
    digits = (digits | digits &>> 4) & 0x00ff_00ff_00ff_00ff
    digits = (digits | digits &>> 8) & 0x0000_ffff_0000_ffff
    return Int(truncatingIfNeeded: (digits | digits &>> 16) & 0xf_ffff)
  }

  /// Reads hexadecimal digits, lower case.
  private static func number(_ text: RawSpan, at offset: Int, digits: Int) -> Int {
    var value = 0
    for position in offset..<offset + digits {
      let digit = Int(text.byte(at: position))
      value = value << 4 | (digit < 0x3a ? digit - 0x30 : digit - 0x57)
    }
    return value
  }
}
