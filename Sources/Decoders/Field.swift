/// An `Int` stored in four bytes, since rows of them are read for every value. A number that does
/// not fit is clamped.
@propertyWrapper
package struct Narrow: Sendable, Equatable {
  private var stored: Int32

  package init(wrappedValue: Int) { stored = Int32(clamping: wrappedValue) }

  package var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Int32(clamping: newValue) }
  }
}

/// One field of a definition, as a row of numbers: the profile's keys, with the indexes of its
/// words, conditions and codes in the definition's tables.
///
/// The fields of a definition are one list in the order of the profile; the fields inside another
/// one follow it, up to `end`. −1 always means "none".
package struct Field: StoredRow, Equatable {
  /// The kind of a field.
  package enum Kind: Int, Sendable, CaseIterable {
    case unsigned, signed, float, medfloat, bcd, dateTime, utf8, utf16, bytes, uuid, address
    /// Bits of the unsigned number that contains them.
    case bits
    /// Fields inside.
    case group
    /// Branches inside, of which at most one is taken.
    case choice
    /// Fields inside, for the numbers in `firstCode` and following.
    case branch
    /// A number that takes no bytes; an expression computes it.
    case computed
    /// Text if the bytes are text, else bytes.
    case text
    /// A value with its own structure.
    case json, cbor
  }

  /// Properties of a field.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// The most significant byte comes first.
    package static let bigEndian = Self(rawValue: 1)
    /// The field and everything after it is only present if bytes remain.
    package static let optional = Self(rawValue: 1 << 1)
    /// Never shown in text.
    package static let quiet = Self(rawValue: 1 << 2)
    /// An identifier, shown in hexadecimal.
    package static let hex = Self(rawValue: 1 << 3)
    /// Bits that form a signed number.
    package static let signedBits = Self(rawValue: 1 << 4)
    /// A single bit: true or false.
    package static let flag = Self(rawValue: 1 << 5)
    /// A flag that an expression uses: it describes the layout of the bytes, not their meaning.
    package static let layout = Self(rawValue: 1 << 6)
    /// Repeated until no bytes remain.
    package static let repeatRest = Self(rawValue: 1 << 7)
    package static let repeated = Self(rawValue: 1 << 8)
    /// The size prefix includes itself.
    package static let prefixWhole = Self(rawValue: 1 << 9)
    /// Only one number is correct.
    package static let hasEquals = Self(rawValue: 1 << 10)
    /// The number is a code: one without a word is reserved.
    package static let isCode = Self(rawValue: 1 << 11)
    /// The branch for numbers that no other branch has.
    package static let other = Self(rawValue: 1 << 12)
    /// The group's size is known before its fields are read.
    package static let sized = Self(rawValue: 1 << 13)
    /// Bytes that the group's fields leave over are not a tail: other fields explain them.
    package static let open = Self(rawValue: 1 << 14)
    /// A key or another secret, which is only printed on request.
    package static let secret = Self(rawValue: 1 << 15)
    /// The number is a code, but not every code has a word.
    package static let isOpenCode = Self(rawValue: 1 << 16)
  }

  /// The raw value of `Kind`.
  @Narrow package var kindCode = 0
  /// The raw value of `Flags`.
  @Narrow package var flagBits = 0
  /// The number of bytes of a value of fixed size.
  @Narrow package var width = 0
  /// The first bit, and the number of bits.
  @Narrow package var bit = 0
  @Narrow package var bitCount = 0
  /// The indexes of name, label and unit among the definition's words.
  @Narrow package var name = -1
  @Narrow package var label = -1
  @Narrow package var unit = -1
  /// The index after the last field inside this one.
  @Narrow package var end = 0
  /// The slot of the field's number for expressions; fields with the same name in one list share
  /// it.
  @Narrow package var slot = -1
  /// Programs: the condition, the number of turns, the size, and the selector or computed value.
  @Narrow package var when = -1
  @Narrow package var turns = -1
  @Narrow package var size = -1
  @Narrow package var selector = -1
  /// The least and greatest number of turns.
  @Narrow package var least = 0
  @Narrow package var most = 1024
  /// The number of bytes of the size prefix.
  @Narrow package var prefix = 0
  /// The index among the words of the bytes that end the value.
  @Narrow package var terminator = -1
  /// The index of the scale.
  @Narrow package var scaling = -1
  /// The first code with a word, and their number; for text, the bytes that represent others.
  @Narrow package var firstCode = 0
  @Narrow package var codeCount = 0
  /// The codes that text leaves out; their `word` is −1.
  @Narrow package var firstQuiet = 0
  @Narrow package var quietCount = 0
  /// The index of the allowed range among the limits.
  @Narrow package var limit = -1
  /// The only correct number, and the index of the only correct bytes among the words.
  package var equals = 0
  @Narrow package var pattern = -1
  /// The checksum's algorithm, and how many bytes of the group it leaves out.
  @Narrow package var checksum = -1
  @Narrow package var checksumFrom = 0
  /// The days from 1970-01-01 to the day that the number counts from, and its unit in milliseconds;
  /// 0: it is not a time.
  @Narrow package var epoch = 0
  @Narrow package var tick = 0
  /// The raw value of the `AssignedSet` with the names of the numbers.
  @Narrow package var assigned = -1
  /// The index of the group's template.
  @Narrow package var template = -1

  package init() {}

  package var kind: Kind {
    get { Kind(rawValue: kindCode) ?? .bytes }
    set { kindCode = newValue.rawValue }
  }

  package var flags: Flags {
    get { Flags(rawValue: flagBits) }
    set { flagBits = newValue.rawValue }
  }

  /// Whether the field is an integer, which expressions can use.
  package var isInteger: Bool {
    switch kind {
    case .unsigned, .signed, .bits, .bcd, .computed: true
    default: false
    }
  }

  /// The number of columns.
  static let columnCount = 32

  /// The numbers of a row, in the order in which they are stored; new ones are appended. Key
  /// paths would be much slower.
  subscript(column: Int) -> Int {
    get {
      switch column {
      case 0: kindCode
      case 1: flagBits
      case 2: width
      case 3: bit
      case 4: bitCount
      case 5: name
      case 6: label
      case 7: unit
      case 8: end
      case 9: slot
      case 10: when
      case 11: turns
      case 12: size
      case 13: selector
      case 14: least
      case 15: most
      case 16: prefix
      case 17: terminator
      case 18: scaling
      case 19: firstCode
      case 20: codeCount
      case 21: firstQuiet
      case 22: quietCount
      case 23: limit
      case 24: equals
      case 25: pattern
      case 26: checksum
      case 27: checksumFrom
      case 28: epoch
      case 29: tick
      case 30: assigned
      case 31: template
      default: 0
      }
    }
    set {
      switch column {
      case 0: kindCode = newValue
      case 1: flagBits = newValue
      case 2: width = newValue
      case 3: bit = newValue
      case 4: bitCount = newValue
      case 5: name = newValue
      case 6: label = newValue
      case 7: unit = newValue
      case 8: end = newValue
      case 9: slot = newValue
      case 10: when = newValue
      case 11: turns = newValue
      case 12: size = newValue
      case 13: selector = newValue
      case 14: least = newValue
      case 15: most = newValue
      case 16: prefix = newValue
      case 17: terminator = newValue
      case 18: scaling = newValue
      case 19: firstCode = newValue
      case 20: codeCount = newValue
      case 21: firstQuiet = newValue
      case 22: quietCount = newValue
      case 23: limit = newValue
      case 24: equals = newValue
      case 25: pattern = newValue
      case 26: checksum = newValue
      case 27: checksumFrom = newValue
      case 28: epoch = newValue
      case 29: tick = newValue
      case 30: assigned = newValue
      case 31: template = newValue
      default: break
      }
    }
  }
}

/// Sets of numbers to which the Bluetooth SIG assigns names, for `values:`.
package enum AssignedSet: Int, Sendable, CaseIterable {
  case company, uuid, appearance, attError

  /// The name in profiles.
  package var name: StaticString {
    switch self {
    case .company: "company"
    case .uuid: "uuid"
    case .appearance: "appearance"
    case .attError: "att_error"
    }
  }
}

/// A raw number, or a range of them, with its word.
package struct Code: Sendable, Equatable {
  /// The smallest and the largest number.
  package var low: Int
  package var high: Int
  /// The index of the word among the definition's words; −1: none.
  package var word: Int

  package init(low: Int, high: Int, word: Int) {
    self.low = low
    self.high = high
    self.word = word
  }

  /// Returns whether a number is in the range.
  func contains(_ number: Int) -> Bool { low <= number && number <= high }
}
