import Bluetooth

/// The identifiers of beacons, which show where a capture was made, and their pseudonyms: UUID,
/// major and minor of an iBeacon and an AltBeacon, namespace and instance of an Eddystone.
struct BeaconBook: Sendable {
  private let source: PseudonymSource
  private let most: Int
  private(set) var known: Set<[UInt8]> = []
  /// Sightings of identifiers that had no room: they have pseudonyms, too, but are not looked for
  /// elsewhere.
  private(set) var unlisted = 0

  init(_ source: PseudonymSource, _ limits: BookLimits = BookLimits()) {
    (self.source, most) = (source, limits.names)
  }

  /// All identifiers, in a deterministic order.
  var listed: [[UInt8]] { known.sorted { $0.lexicographicallyPrecedes($1) } }

  /// The identifiers that are looked for elsewhere: shorter ones are found everywhere by chance.
  var searched: [[UInt8]] {
    listed.filter { $0.count >= SearchPatterns.least && Set($0).count >= 4 }
  }

  /// Records an identifier.
  mutating func learn(_ identifier: [UInt8]) {
    guard !identifier.isBlank, !known.contains(identifier) else { return }
    if known.count < most { known.insert(identifier) } else { unlisted += 1 }
  }

  /// The pseudonym of an identifier, of the same length.
  subscript(identifier: [UInt8]) -> [UInt8] {
    if identifier.isBlank { return identifier }
    guard identifier.count == 2 else {
      return source.bytes(.beacon, identifier, count: identifier.count)
    }
    // There are so few of two bytes that chance would make two equal: this is a permutation.
    var pair = identifier
    repeat { pair = permuted(pair) } while pair.isBlank
    return pair
  }

  /// Returns the result of a Feistel network.
  private func permuted(_ pair: [UInt8]) -> [UInt8] {
    var (left, right) = (pair[0], pair[1])
    for round: UInt8 in 0..<8 {
      let number = source.bytes(.beacon, [round, right, 0], count: 1)[0]
      (left, right) = (right, left ^ number)
    }
    return [left, right]
  }
}

/// How the identifiers of beacons lie in their data.
enum BeaconLayout {
  /// The bytes before the first identifier, from the company or the service on.
  static let head = 4

  /// Returns the lengths of the identifiers in manufacturer data; empty if it is not a beacon's.
  static func manufacturer(_ data: [UInt8]) -> [Int] {
    guard data.count > head else { return [] }
    // Company (2 bytes), type (1), length (1), UUID (16), major (2), minor (2), power (1) (Apple,
    // Proximity Beacon Specification). Some senders cut the end, or count it otherwise.
    let isApples = data.starts(with: [0x4c, 0x00, 0x02])
    // Others use the layout with their own company: at least the UUID is complete.
    let isOthers = data[2...].starts(with: [0x02, 0x15]) && data.count >= head + 16
    // Company (2 bytes), code (2), identifier (20), power (1), reserved (1) (AltBeacon v1.0).
    let isAltBeacon = data[2...].starts(with: [0xbe, 0xac])
    return isApples || isOthers || isAltBeacon ? [16, 2, 2] : []
  }

  /// Returns the same for data of the service 0xfeaa (Eddystone protocol specification).
  static func eddystone(_ data: [UInt8]) -> [Int] {
    guard data.count > head else { return [] }
    // UUID (2 bytes), frame (1), power (1); then for UID namespace (10), instance (6), and for EID
    // an identifier (8).
    return switch data[2] {
    case 0x00: [10, 6]
    case 0x30: [8]
    default: []
    }
  }
}
