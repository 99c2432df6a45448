// The names of the Assigned Numbers. The tables stand in Generated/, as text that is part of the
// program: nothing is made at start-up, nothing is allocated, and only what is looked up is read.

package import Bytes

/// A name of the Assigned Numbers: where it stands in its table.
package struct AssignedName: Sendable {
  private let text: StaticString
  private let slice: Slice

  fileprivate init(_ text: StaticString, _ slice: Slice) {
    self.text = text
    self.slice = slice
  }

  /// A name that stands in no table.
  init(_ name: StaticString) {
    self.init(name, Slice(start: 0, count: name.utf8CodeUnitCount))
  }

  /// The name, UTF-8.
  package var bytes: RawSpan {
    @_lifetime(immortal) get { text.bytes(slice) }
  }
}

extension Output {
  /// Appends an assigned name.
  package mutating func name(_ name: AssignedName) { raw(name.bytes) }
}

/// Numbers of 16 bits with their names.
///
/// `index` has ten bytes a number, in ascending order: the number (4 hexadecimal digits), where its
/// name begins in `names` (5), and a blank or line end. `names` has a name a line.
struct NameTable: Sendable {
  private let index: StaticString
  private let names: StaticString

  private static let entryBytes = 10
  private static let numberDigits = 4

  init(index: StaticString, names: StaticString) {
    self.index = index
    self.names = names
  }

  /// How many numbers have a name.
  var count: Int { (index.utf8CodeUnitCount + 1) / Self.entryBytes }

  /// The name of a number, found by halving. The digits are compared as they stand: they are in the
  /// order of the numbers.
  func name(of number: UInt16) -> AssignedName? {
    let index = self.index.bytes
    let wanted = Self.digits(of: number)
    // The last entry that is not greater: half of what is left goes each time, without a branch to guess.
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

  /// The four digits of a number as they stand in the index, the first in the most significant byte.
  private static func digits(of number: UInt16) -> UInt32 {
    // A nibble a byte; then 0x30 is added, and 0x27 more from ten on, where adding 6 carries.
    let spread = UInt32(number)
    var digits = (spread | spread << 8) & 0x00ff_00ff
    digits = (digits | digits << 4) & 0x0f0f_0f0f
    let letters = (digits + 0x0606_0606) >> 4 & 0x0101_0101
    return digits + 0x3030_3030 + letters * 0x27
  }

  /// The number at a position below `count`.
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

  /// Where a name begins: five digits behind the number's last three, read as one word.
  private func offset(_ index: RawSpan, of position: Int) -> Int {
    let word = index.bigEndianU64(at: position &* Self.entryBytes &+ 1)
    // From ten on, bit 6 tells that a digit is a letter, the first of which ends in 1. Then neighbours
    // are joined: two digits, four, eight, of which the number's three go.
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
