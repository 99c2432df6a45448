import Cryptography

/// The names of devices and their pseudonyms, which have the same length in bytes and are easy to
/// pronounce; or their serial numbers, whose digits are replaced by digits, and letters by letters.
///
/// The beginning of a pseudonym depends only on the beginning of the name. So a shortened name's
/// pseudonym is the beginning of the complete one's, and a name that is read in parts fits
/// together.
struct NameBook: Sendable {
  /// The names that are remembered, and their pseudonyms.
  private var pseudonyms: [[UInt8]: [UInt8]] = [:]
  /// The number of bytes of these names.
  private var byteCount = 0
  private let source: PseudonymSource
  /// Whether names stay unchanged.
  let keepsNames: Bool
  /// Whether this is a book of serial numbers and of personal data in letters and digits.
  private let isOfSerials: Bool

  private let limits: BookLimits
  /// Sightings of names that had no room: they have pseudonyms, too, but are not looked for
  /// elsewhere.
  private(set) var unlisted = 0
  /// The least length of a name that is looked for; a shorter one is found everywhere by chance.
  static let leastSearched = 6

  init(_ source: PseudonymSource, keepsNames: Bool, _ limits: BookLimits = BookLimits()) {
    (self.source, self.keepsNames, self.limits) = (source, keepsNames, limits)
    isOfSerials = false
  }

  /// Creates a book of serial numbers.
  init(serials source: PseudonymSource, _ limits: BookLimits = BookLimits()) {
    (self.source, keepsNames, self.limits) = (source, false, limits)
    isOfSerials = true
  }

  /// The number of names that are remembered.
  var count: Int { pseudonyms.count }

  /// All names in a deterministic order.
  var listed: [[UInt8]] { pseudonyms.keys.sorted { $0.lexicographicallyPrecedes($1) } }

  /// The names that are looked for.
  var searched: [[UInt8]] {
    keepsNames
      ? []
      : listed.filter { $0.count >= Self.leastSearched && Set($0).count > 2 }
  }

  /// Records a name.
  mutating func learn(_ name: [UInt8]) {
    let name = Self.trimmed(name)
    guard !keepsNames, !name.isEmpty, pseudonyms[name] == nil else { return }
    // Once a name had no room, no more names are added.
    guard unlisted == 0, count < limits.names, byteCount + name.count <= limits.bytes else {
      unlisted += 1
      return
    }
    byteCount += name.count
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
