package import Bluetooth
import Bytes
import Synchronization

/// The built-in definitions: constants generated from Profiles/ (`gattscope profiles compile`).
///
/// `index` has one line per definition, in ascending order: its subject (one digit for the kind, 32
/// for the UUID), and the offset of its line in `definitions` (7 digits), all hexadecimal. Each
/// definition is one line of `StoredText`. `protocols` has a line for each protocol: the offset of
/// its messages in `messages`, and everything else. `asked` has the UUIDs of the characteristics
/// that definitions use.
package enum BuiltInProfiles {
  private static let keyDigits = 33
  private static let offsetDigits = 7
  private static let lineBytes = keyDigits + offsetDigits + 1

  /// The number of definitions.
  package static var count: Int { index.utf8CodeUnitCount / lineBytes }

  /// Returns the key of a definition as it appears in the index.
  package static func key(_ kind: Subject.Kind, _ uuid: BluetoothUUID) -> [UInt8] {
    let short = uuid.shortest
    var output = Output()
    output.hexDigits(UInt64(kind.rawValue), 1)
    output.hexDigits(short.high, 16)
    output.hexDigits(short.low, 16)
    return output.bytes.array
  }

  /// Returns the definitions of a characteristic, a company, and so on.
  package static func definitions(_ kind: Subject.Kind, _ uuid: BluetoothUUID) -> [Definition] {
    listed(kind, uuid).compactMap(\.definition)
  }

  /// Returns the entries of the definitions of a characteristic, a company, and so on.
  static func listed(_ kind: Subject.Kind, _ uuid: BluetoothUUID) -> [ListedDefinition] {
    let key = key(kind, uuid)
    if let known = known.withLock({ $0[key] }) { return known }
    var line = firstPlace(notBelow: key)
    var found: [ListedDefinition] = []
    while line < count, compare(line, key) == 0 {
      if let entry = ListedDefinition(text(at: line), line: line) { found.append(entry) }
      line += 1
    }
    if !found.isEmpty { known.withLock { $0[key] = found } }
    return found
  }

  /// The definitions looked up so far: each is read once, however many captures need it.
  private static let known = Mutex<[[UInt8]: [ListedDefinition]]>([:])

  /// All definitions, ordered by kind and UUID; for lists and tests.
  package static var all: [Definition] { (0..<count).compactMap(definition(at:)) }

  /// The characteristics whose values some definition uses: a line of 32 digits each.
  package static let wanted: [BluetoothUUID] = {
    var found: [BluetoothUUID] = []
    let text = asked.bytes
    for start in stride(from: 0, to: text.byteCount - 32, by: 33) {
      let line = text.part(Slice(start: start, count: 32)).array
      let digits = String(decoding: line, as: UTF8.self)
      guard let high = UInt64(digits.prefix(16), radix: 16),
        let low = UInt64(digits.suffix(16), radix: 16)
      else { continue }
      let isShort = high == 0 && low <= UInt64(UInt32.max)
      found.append(
        isShort
          ? BluetoothUUID(upTo32Bits: UInt32(truncatingIfNeeded: low))
          : BluetoothUUID(high: high, low: low))
    }
    return found
  }()

  /// The protocols of vendors.
  package static let vendors: [VendorProtocol] = {
    var found: [VendorProtocol] = []
    let text = protocols.bytes
    var start = 0
    for end in 0..<text.byteCount where text.byte(at: end) == 0x0a {
      let line = text.part(Slice(start: start + offsetDigits, count: end - start - offsetDigits))
      let place = offset(in: text, at: start)
      if let vendor = VendorProtocol(stored: StoredText.bytes(line), messagesAt: place) {
        found.append(vendor)
      }
      start = end + 1
    }
    return found
  }()

  /// Returns the stored form of a protocol's messages, which is a line of `messages`.
  static func messages(at place: Int) -> [UInt8] {
    StoredText.bytes(messages.bytes.dropping(place))
  }

  /// Returns the number of 7 digits at some place.
  private static func offset(in text: RawSpan, at place: Int) -> Int {
    var offset = 0
    for index in place..<place + offsetDigits {
      let digit = Int(text.byte(at: index))
      offset = offset << 4 | (digit < 0x3a ? digit - 0x30 : digit - 0x57)
    }
    return offset
  }

  /// Returns the first index whose key is not less than this one, by binary search.
  private static func firstPlace(notBelow key: [UInt8]) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if compare(middle, key) < 0 { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns a number below 0 if the key at an index comes before this one, above 0 if it comes
  /// after, and 0 if it is equal.
  private static func compare(_ place: Int, _ key: [UInt8]) -> Int {
    let index = index.bytes
    for (offset, byte) in key.enumerated() {
      let difference = Int(index.byte(at: place * lineBytes + offset)) - Int(byte)
      if difference != 0 { return difference }
    }
    return 0
  }

  /// Returns the definition on a line of the index.
  static func definition(at line: Int) -> Definition? {
    Definition(stored: StoredText.bytes(text(at: line)))
  }

  /// Returns the stored form of a definition. What follows it is not a character of its text.
  @_lifetime(immortal)
  private static func text(at line: Int) -> RawSpan {
    definitions.bytes.dropping(offset(in: index.bytes, at: line * lineBytes + keyDigits))
  }
}
