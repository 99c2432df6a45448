import Cryptography

/// The names of devices and their pseudonyms, which have the same length in bytes and are easy to
/// pronounce; or their serial numbers, whose digits are replaced by digits, and letters by letters.
///
/// The beginning of a pseudonym depends only on the beginning of the name. So a shortened name's
/// pseudonym is the beginning of the complete one's, and a name that is read in parts fits
/// together.
struct NameBook: Sendable {
  private var known: Set<[UInt8]> = []
  private var pseudonyms: [[UInt8]: [UInt8]] = [:]
  private let source: PseudonymSource
  /// Whether names stay unchanged.
  let keepsNames: Bool
  /// Whether this is a book of serial numbers and of personal data in letters and digits.
  private let isOfSerials: Bool

  /// The most names that are remembered.
  private let most: Int
  /// Sightings of names that had no room: they have pseudonyms, too, but are not looked for
  /// elsewhere.
  private(set) var unlisted = 0
  /// The least length of a name that is looked for; a shorter one is found everywhere by chance.
  static let leastSearched = 6

  init(
    _ source: PseudonymSource, keepsNames: Bool, most: Int = BookLimits().names
  ) {
    self.source = source
    self.most = most
    self.keepsNames = keepsNames
    isOfSerials = false
  }

  /// Creates a book of serial numbers.
  init(serials source: PseudonymSource, most: Int = BookLimits().names) {
    self.source = source
    self.most = most
    keepsNames = false
    isOfSerials = true
  }

  /// All names in a deterministic order.
  var listed: [[UInt8]] { known.sorted { $0.lexicographicallyPrecedes($1) } }

  /// The names that are looked for.
  var searched: [[UInt8]] {
    keepsNames
      ? []
      : known.filter { $0.count >= Self.leastSearched && Set($0).count > 2 }.sorted {
        $0.lexicographicallyPrecedes($1)
      }
  }

  /// Records a name.
  mutating func learn(_ name: [UInt8]) {
    let name = Self.trimmed(name)
    guard !keepsNames, !name.isEmpty, !known.contains(name) else { return }
    guard known.count < most else {
      unlisted += 1
      return
    }
    known.insert(name)
    pseudonyms[name] = make(name)
  }

  /// The pseudonym of a name; trailing zeros stay.
  subscript(name: [UInt8]) -> [UInt8] {
    if keepsNames { return name }
    let trimmed = Self.trimmed(name)
    let pseudonym = pseudonyms[trimmed] ?? make(trimmed)
    return pseudonym + [UInt8](repeating: 0, count: name.count - trimmed.count)
  }

  /// Returns a name without trailing zeros.
  static func trimmed(_ name: [UInt8]) -> [UInt8] {
    Array(name.prefix((name.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  private static let consonants = Array("bdfghjklmnprstvz".utf8)
  private static let vowels = Array("aeio".utf8)

  /// Returns a digit for a digit and a letter for a letter. Spaces, separators and zeros stay,
  /// since they show the layout of the number.
  private static func character(like byte: UInt8, _ number: Int) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "0") + UInt8(number % 10)
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt8(ascii: "A") + UInt8(number % 26)
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt8(ascii: "a") + UInt8(number % 26)
    case 0, UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"),
      UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "+"):
      byte
    default: UInt8(ascii: "a") + UInt8(number % 26)
    }
  }

  /// Makes a pseudonym: alternating consonants and vowels, with a capital first letter.
  private func make(_ name: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(name.count)
    var prefixes = source.prefixes(isOfSerials ? .serial : .name)
    for (index, byte) in name.enumerated() {
      let number = Int(prefixes.extend(byte))
      if isOfSerials {
        result.append(Self.character(like: byte, number))
        continue
      }
      let letters = index % 2 == 0 ? Self.consonants : Self.vowels
      let letter = letters[number % letters.count]
      result.append(index == 0 ? letter & ~0x20 : letter)
    }
    return result
  }
}
