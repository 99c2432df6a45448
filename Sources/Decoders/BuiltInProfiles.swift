package import Bluetooth
import Bytes
import Synchronization

/// The built-in definitions: constants generated from Profiles/ (`gattscope profiles compile`).
///
/// `index` has one line per definition, in ascending order: its subject (one digit for the kind, 32
/// for the UUID), and the offset of its line in `definitions` (7 digits), all hexadecimal. Each
/// definition is one line of `StoredText`. `protocols` has such a line for each protocol, with a
/// space and the offset of the line with its messages, and after an empty line those lines, which
/// are read only if a message is needed. `asked` has the UUIDs of the characteristics that
/// definitions use.
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
    let key = key(kind, uuid)
    if let known = known.withLock({ $0[key] }) { return known }
    var place = firstPlace(notBelow: key)
    var found: [Definition] = []
    while place < count, compare(place, key) == 0 {
      if let definition = definition(at: place) { found.append(definition) }
      place += 1
    }
    if !found.isEmpty { known.withLock { $0[key] = found } }
    return found
  }

  /// The definitions used so far: each is read once, however many captures need it.
  private static let known = Mutex<[[UInt8]: [Definition]]>([:])

  /// All definitions, ordered by kind and UUID; for lists and tests.
  package static var all: [Definition] { (0..<count).compactMap(definition) }

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
    var place = 0
    while true {
      let head = StoredText.bytes(text, from: &place)
      if head.isEmpty { break }
      let start = offset(text, place + 1)
      if let vendor = VendorProtocol(
        stored: head, messages: { StoredText.bytes(protocols.bytes.dropping(start)) })
      {
        found.append(vendor)
      }
      // The space, the offset, and the end of the line.
      place += offsetDigits + 2
    }
    return found
  }()

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

  private static func definition(at place: Int) -> Definition? {
    let start = offset(index.bytes, place * lineBytes + keyDigits)
    // The end of the line is not a character of its text.
    return Definition(stored: StoredText.bytes(definitions.bytes.dropping(start)))
  }

  /// Returns the number that the hexadecimal digits of an offset are.
  private static func offset(_ text: RawSpan, _ place: Int) -> Int {
    var number = 0
    for index in 0..<offsetDigits {
      let digit = Int(text.byte(at: place + index))
      number = number << 4 | (digit < 0x3a ? digit - 0x30 : digit - 0x57)
    }
    return number
  }
}
