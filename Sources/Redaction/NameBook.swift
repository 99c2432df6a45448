import Cryptography

/// The names of devices and their pseudonyms: of the same length in bytes, and easy to say; or their serial
/// numbers, whose digits become digits, and letters letters.
///
/// A pseudonym's beginning depends on the name's beginning alone. So a shortened name's is the beginning of
/// the complete one's, and a name that is read in parts fits together.
struct NameBook: Sendable {
  private var known: Set<[UInt8]> = []
  private var pseudonyms: [[UInt8]: [UInt8]] = [:]
  private let source: PseudonymSource
  /// Whether names stay what they are.
  let keepsNames: Bool
  /// Whether what is known are serial numbers, and what tells of persons in letters and digits.
  private let isOfSerials: Bool

  /// So many are remembered at most.
  private let most: Int
  /// Sightings of names for which there was no room: they have pseudonyms, too, but are not looked for elsewhere.
  private(set) var unlisted = 0
  /// A shorter name is found everywhere by chance.
  static let leastSearched = 6

  init(
    _ source: PseudonymSource, keepsNames: Bool, most: Int = BookLimits().names
  ) {
    self.source = source
    self.most = most
    self.keepsNames = keepsNames
    isOfSerials = false
  }

  /// A book of serial numbers.
  init(serials source: PseudonymSource, most: Int = BookLimits().names) {
    self.source = source
    self.most = most
    keepsNames = false
    isOfSerials = true
  }

  /// All names, in an order that does not depend on chance.
  var listed: [[UInt8]] { known.sorted { $0.lexicographicallyPrecedes($1) } }

  /// The names that are looked for.
  var searched: [[UInt8]] {
    keepsNames
      ? []
      : known.filter { $0.count >= Self.leastSearched && Set($0).count > 2 }.sorted {
        $0.lexicographicallyPrecedes($1)
      }
  }

  /// Takes in a name.
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

  /// The pseudonym of a name; zeros at its end stay.
  subscript(name: [UInt8]) -> [UInt8] {
    if keepsNames { return name }
    let trimmed = Self.trimmed(name)
    let pseudonym = pseudonyms[trimmed] ?? make(trimmed)
    return pseudonym + [UInt8](repeating: 0, count: name.count - trimmed.count)
  }

  /// A name without the zeros at its end.
  static func trimmed(_ name: [UInt8]) -> [UInt8] {
    Array(name.prefix((name.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  private static let consonants = Array("bdfghjklmnprstvz".utf8)
  private static let vowels = Array("aeio".utf8)

  /// A digit for a digit, a letter for a letter; spaces, signs between them and zeros stay, since they tell how the
  /// number is laid out.
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

  /// Consonants and vowels by turns, the first letter a capital.
  private func make(_ name: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(name.count)
    var prefixes = source.prefixes(isOfSerials ? .serial : .name)
    for (index, byte) in name.enumerated() {
      let number = Int(prefixes.take(byte))
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
