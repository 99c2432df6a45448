import Bluetooth
import Cryptography

/// The device addresses of a capture and their pseudonyms.
///
/// A pseudonym is of the same kind as its address. Its two most significant bits are those of the
/// address, which determine the kind of a random one. For a public one the bits of the first octet
/// are set to mean that the IEEE did not assign it and it is not a group address. An address that a
/// known key resolves is made again with the pseudonym of that key. The all-zero and the all-ones
/// address stay.
struct AddressBook: Sendable {
  /// What was seen of an address.
  private struct Known: Sendable {
    var isRandom = false
    var pseudonym = DeviceAddress.zero
  }

  private var known: [UInt64: Known] = [:]
  /// The families of the addresses that a manufacturer or a device chose once.
  private var families: Set<UInt64> = []
  /// The number of times an address had no room. Such addresses have pseudonyms, too, but no key is
  /// tried on them, and they are not looked for elsewhere.
  private(set) var unlisted = 0

  /// The most addresses that are looked for.
  private let most: Int

  /// Creates an empty book.
  init(most: Int = BookLimits().addresses) { self.most = most }

  /// All addresses that are looked for.
  var addresses: [DeviceAddress] { known.keys.map { DeviceAddress(value: $0) } }

  /// Records an address.
  ///
  /// - Parameter isRandom: whether its type is random; nil: unknown.
  mutating func learn(_ address: DeviceAddress, isRandom: Bool?) {
    guard !address.isBlank else { return }
    if known[address.value] == nil, known.count >= most {
      unlisted += 1
      return
    }
    known[address.value, default: Known()].isRandom =
      known[address.value]?.isRandom ?? false || isRandom ?? false
  }

  /// Returns whether the capture contains the address.
  func contains(_ address: DeviceAddress) -> Bool { known[address.value] != nil }

  /// Returns whether the capture contains an address of the same family, as the addresses of one
  /// device's radios often are.
  func containsRelative(of address: DeviceAddress) -> Bool {
    guard !address.isCommonplace else { return false }
    let family = Self.family(of: address)
    return families.contains(family) || families.contains(family &+ 1)
      || families.contains(family &- 1)
  }

  /// The four middle bytes of each address that has relatives.
  var middles: Set<UInt32> { Set(families.map { UInt32(truncatingIfNeeded: $0 >> 4) }) }

  /// Returns what addresses have in common that differ only in their last four bits and in the bits
  /// of the first octet which show that an address is random, or locally administered. Neighbours
  /// of a number are neighbours of the last octet, too.
  private static func family(of address: DeviceAddress) -> UInt64 {
    (address.value & ~(0b1100_0010 << 40)) >> 4
  }

  /// Assigns pseudonyms to all addresses.
  mutating func close(_ keys: [ResolvingKey], _ source: PseudonymSource) {
    // No pseudonym may be an address of the capture, and no two may be the same.
    var taken = Set(known.keys)
    let owners = owners(keys)
    for value in known.keys.sorted() {
      var attempt: UInt16 = 0
      var found: DeviceAddress
      repeat {
        found = Self.pseudonym(
          DeviceAddress(value: value), isRandom: known[value]?.isRandom ?? false,
          owners[value].map { keys[$0] }, source, attempt)
        attempt += 1
      } while taken.contains(found.value) && attempt < 256
      taken.insert(found.value)
      known[value]?.pseudonym = found
    }
    // A private address is random: nothing else is like it.
    for (value, one) in known where !one.isRandom || value >> 46 == 0b11 {
      let address = DeviceAddress(value: value)
      if !address.isCommonplace { families.insert(Self.family(of: address)) }
    }
    self.source = source
  }

  private var source: PseudonymSource?

  /// The pseudonym of an address.
  subscript(address: DeviceAddress) -> DeviceAddress {
    if address.isBlank { return address }
    if let found = known[address.value] { return found.pseudonym }
    return source.map { Self.pseudonym(address, isRandom: true, nil, $0, 0) } ?? .zero
  }

  /// Returns the place of the first key that resolves each address, by address. Each key is tried
  /// with all addresses before the next one, since a new key costs more than an address.
  private func owners(_ keys: [ResolvingKey]) -> [UInt64: Int] {
    var addresses = known.keys.filter { $0 >> 46 == 0b01 }
    // A multiple of four: one address may be tried several times.
    while addresses.count % 4 > 0 { addresses.append(addresses[0]) }
    var owners: [UInt64: Int] = [:]
    for (place, key) in keys.enumerated() {
      for start in stride(from: 0, to: addresses.count, by: 4) {
        let four = SIMD4(addresses[start..<start + 4])
        let found = key.original.resolves(four, place: 0)
        guard any(found) else { continue }
        for lane in four.indices where found[lane] && owners[four[lane]] == nil {
          owners[four[lane]] = place
        }
      }
    }
    return owners
  }

  private static func pseudonym(
    _ address: DeviceAddress, isRandom: Bool, _ key: ResolvingKey?, _ source: PseudonymSource,
    _ attempt: UInt16
  ) -> DeviceAddress {
    let original = [UInt8](littleEndian: address.value, count: 6)
    let top = address.value & 0b11 << 46
    if let key {
      let number = source.number(.resolvableAddress, original, attempt: attempt)
      let random = UInt32(truncatingIfNeeded: top >> 24 | number & 0x3f_ffff)
      return DeviceAddress(value: UInt64(random) << 24 | UInt64(key.pseudonym.hash(random)))
    }
    var value = source.number(.address, original, attempt: attempt) & (1 << 46 - 1) | top
    // Locally administered, individual (IEEE 802, 8.2).
    if !isRandom { value = value & ~(0b11 << 40) | 0b10 << 40 }
    return DeviceAddress(value: value)
  }
}

/// An identity resolving key, and its replacement.
struct ResolvingKey: Sendable {
  let original: IdentityResolvingKey
  let pseudonym: IdentityResolvingKey
}

extension DeviceAddress {
  /// Whether it means no device, or all.
  var isBlank: Bool { value == 0 || value == 0xffff_ffff_ffff }

  /// Whether so many of its bytes are commonplace that finding it proves nothing.
  var isCommonplace: Bool {
    [UInt8](littleEndian: value, count: 6).count { $0 == 0 || $0 == 0xff } >= 4
  }

  /// The 6 bytes in HCI's order, least significant first.
  var bytes: [UInt8] { [UInt8](littleEndian: value, count: 6) }
}
