/// An Int that is kept in four bytes: rows of them are read for every value. What does not fit becomes
/// the nearest that does.
@propertyWrapper
package struct Narrow: Sendable, Equatable {
  private var stored: Int32

  /// A number to keep.
  package init(wrappedValue: Int) { stored = Int32(clamping: wrappedValue) }

  /// The number.
  package var wrappedValue: Int {
    get { Int(stored) }
    set { stored = Int32(clamping: newValue) }
  }
}

/// One field of a definition, as a row of numbers: what the profile's keys say, with the places of its
/// words, conditions and codes in the definition's tables.
///
/// The fields of a definition are one list in the order of the profile; the fields inside another one
/// follow it, up to `end`. −1 is "none" throughout.
package struct Field: Sendable, Equatable {
  /// What a field is.
  package enum Kind: Int, Sendable, CaseIterable {
    case unsigned, signed, float, medfloat, bcd, dateTime, utf8, utf16, bytes, uuid, address
    /// Bits of the unsigned number that they stand inside.
    case bits
    /// Fields inside.
    case group
    /// Branches inside, of which one at most is taken.
    case choice
    /// Fields inside, for the numbers in `firstCode` and following.
    case branch
    /// A number without bytes, which a program gives.
    case computed
    /// Text where the bytes are text, else bytes.
    case text
  }

  /// What is true of a field.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// The most significant byte comes first.
    package static let bigEndian = Self(rawValue: 1)
    /// The field and what is behind it is there only where bytes remain.
    package static let optional = Self(rawValue: 1 << 1)
    /// Never in the text.
    package static let quiet = Self(rawValue: 1 << 2)
    /// An identifier, in hexadecimal.
    package static let hex = Self(rawValue: 1 << 3)
    /// Bits that are a signed number.
    package static let signedBits = Self(rawValue: 1 << 4)
    /// A single bit: true or false.
    package static let flag = Self(rawValue: 1 << 5)
    /// An expression uses this flag: it says how the bytes lie, not what they mean.
    package static let layout = Self(rawValue: 1 << 6)
    /// Repeated until no bytes remain.
    package static let repeatRest = Self(rawValue: 1 << 7)
    /// Repeated.
    package static let repeated = Self(rawValue: 1 << 8)
    /// The size in front counts itself.
    package static let prefixWhole = Self(rawValue: 1 << 9)
    /// There is one right number.
    package static let hasEquals = Self(rawValue: 1 << 10)
    /// The number is a code: one without a word is reserved.
    package static let isCode = Self(rawValue: 1 << 11)
    /// The branch for numbers that no other branch has.
    package static let other = Self(rawValue: 1 << 12)
    /// The group's size is known before its fields are read.
    package static let sized = Self(rawValue: 1 << 13)
    /// What the group's fields leave over is no tail: others explain it.
    package static let open = Self(rawValue: 1 << 14)
    /// A key or another secret, which is not printed unless it is asked for.
    package static let secret = Self(rawValue: 1 << 15)
  }

  /// The place of the kind in `Kind`.
  @Narrow package var kindCode = 0
  /// The raw value of `Flags`.
  @Narrow package var flagBits = 0
  /// How many bytes a value of a fixed size has.
  @Narrow package var width = 0
  /// The first bit, and how many.
  @Narrow package var bit = 0
  @Narrow package var bitCount = 0
  /// The name's, label's and unit's place among the definition's words.
  @Narrow package var name = -1
  @Narrow package var label = -1
  @Narrow package var unit = -1
  /// Behind the last field that stands inside this one.
  @Narrow package var end = 0
  /// Where the field's number is kept for expressions; fields of one name in one list share it.
  @Narrow package var slot = -1
  /// Programs: the condition, the number of turns, the size, what is chosen by or computed.
  @Narrow package var when = -1
  @Narrow package var turns = -1
  @Narrow package var size = -1
  @Narrow package var selector = -1
  /// How often at least and at most.
  @Narrow package var least = 0
  @Narrow package var most = 1024
  /// How many bytes the size in front has.
  @Narrow package var prefix = 0
  /// The place of the bytes that end the value among the words.
  @Narrow package var terminator = -1
  /// The place of the scale.
  @Narrow package var scaling = -1
  /// The codes with words, and how many; of text, the bytes that stand for others.
  @Narrow package var firstCode = 0
  @Narrow package var codeCount = 0
  /// The codes that the text leaves out; `word` is −1 in these.
  @Narrow package var firstQuiet = 0
  @Narrow package var quietCount = 0
  /// The place of the allowed range among the limits.
  @Narrow package var limit = -1
  /// The only right number, or the place of the only right bytes among the words.
  package var equals = 0
  @Narrow package var pattern = -1
  /// The checksum's algorithm, and how many bytes of the group it leaves out.
  @Narrow package var checksum = -1
  @Narrow package var checksumFrom = 0
  /// Days from 1970-01-01 to the day that the number counts from, and in how many milliseconds it
  /// counts; 0: it is no time.
  @Narrow package var epoch = 0
  @Narrow package var tick = 0
  /// The names that Bluetooth gives out: a place in `AssignedSet`.
  @Narrow package var assigned = -1
  /// The place of the group's text.
  @Narrow package var template = -1

  /// A field with nothing set.
  package init() {}

  /// What the field is.
  package var kind: Kind {
    get { Kind(rawValue: kindCode) ?? .bytes }
    set { kindCode = newValue.rawValue }
  }

  /// What is true of it.
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

  /// The numbers of a row, in the order in which they are stored; new ones at the end.
  static let columns: [any WritableKeyPath<Field, Int> & Sendable] = [
    \.kindCode, \.flagBits, \.width, \.bit, \.bitCount, \.name, \.label, \.unit, \.end, \.slot,
    \.when, \.turns, \.size, \.selector, \.least, \.most, \.prefix, \.terminator, \.scaling,
    \.firstCode, \.codeCount, \.firstQuiet, \.quietCount, \.limit, \.equals, \.pattern, \.checksum,
    \.checksumFrom, \.epoch, \.tick, \.assigned, \.template,
  ]
}

/// Names that the Bluetooth SIG gives to numbers, for `values:`.
package enum AssignedSet: Int, Sendable, CaseIterable {
  case company, uuid, appearance, attError

  /// As profiles name it.
  package var name: StaticString {
    switch self {
    case .company: "company"
    case .uuid: "uuid"
    case .appearance: "appearance"
    case .attError: "att_error"
    }
  }
}

/// A raw number, or a range of them, and its word.
package struct Code: Sendable, Equatable {
  /// The smallest and the largest number.
  package var low: Int
  package var high: Int
  /// The place of the word among the definition's words; −1: none.
  package var word: Int

  /// A code.
  package init(low: Int, high: Int, word: Int) {
    self.low = low
    self.high = high
    self.word = word
  }

  /// Whether a number is one of these.
  func contains(_ number: Int) -> Bool { low <= number && number <= high }
}
