import Bluetooth
import Bytes
import Cryptography
import Histories
import Sessions

/// The replacements of one capture.
struct Books: Sendable {
  var addresses: AddressBook
  var names: NameBook
  var serials: NameBook
  var beacons: BeaconBook
  var keys: KeyBook
  var passkeys: PasskeyBook
  private let source: PseudonymSource
  private let limits: BookLimits
  /// Which values are removed.
  private var values: RedactionOptions.Values
  private let keepsVendors: Bool
  /// System IDs that contain an address, perhaps one that appears nowhere else.
  private var systemIDs: Set<[UInt8]> = []
  /// Keys of coordinated sets.
  private var setKeys: Set<[UInt8]> = []

  init(_ options: RedactionOptions) {
    source = options.source
    limits = options.limits
    values = options.values
    keepsVendors = options.keepsVendors
    addresses = AddressBook(most: limits.addresses)
    names = NameBook(options.source, keepsNames: options.keepsNames, limits)
    serials = NameBook(serials: options.source, limits)
    beacons = BeaconBook(options.source, limits)
    keys = KeyBook(options.source, limits)
    passkeys = PasskeyBook(options.source)
  }

  /// The most set keys that are remembered: each is tried on every address.
  private static let mostSetKeys = 64
  /// The most System IDs that are remembered; the addresses in others are not looked for elsewhere.
  private static let mostSystemIDs = 4096

  /// The entries for which there was no room.
  var unlisted: [RedactionReport.Unlisted] {
    [
      RedactionReport.Unlisted(.address, addresses.unlisted, beyond: limits.addresses),
      RedactionReport.Unlisted(.secret, keys.unlisted, beyond: keys.known.count),
      RedactionReport.Unlisted(.name, names.unlisted, beyond: names.count),
      RedactionReport.Unlisted(.serial, serials.unlisted, beyond: serials.count),
      RedactionReport.Unlisted(.beacon, beacons.unlisted, beyond: beacons.known.count),
    ].filter { $0.count > 0 }
  }

  /// Records the content of a field.
  mutating func learn(_ field: SensitiveField, _ bytes: RawSpan) {
    let value = bytes.part(field.slice).array
    switch field.kind {
    case .address(let isRandom):
      addresses.learn(DeviceAddress(value: value.littleEndianNumber), isRandom: isRandom)
    case .secret: keys.learn(value)
    case .setKey:
      keys.learn(value)
      if setKeys.count < Self.mostSetKeys { setKeys.insert(value) }
    case .passkey: passkeys.learn(UInt32(truncatingIfNeeded: value.littleEndianNumber))
    case .name: names.learn(value)
    case .serial, .personalText: serials.learn(value)
    case .beacon: beacons.learn(value)
    case .systemID: if systemIDs.count < Self.mostSystemIDs { systemIDs.insert(value) }
    case .publicKey:
      if let key = P256PublicKey(value.bytes) { keys.learn(key) }
    case .diversifier, .digits, .pin, .text, .unused, .unexplained, .personalNumber, .advertised,
      .vendors:
      break
    }
  }

  /// Records addresses that appear only in System IDs, once all others are known.
  private mutating func learnSystemIDs() {
    for value in systemIDs.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      guard let known = ExtendedAddress(whole: value), known.replaced(addresses) == nil
      else { continue }
      addresses.learn(known.likelyAddress, isRandom: false)
    }
  }

  /// Returns whether the content of a field is removed, depending on what the user requested.
  func removes(_ kind: SensitiveField.Kind) -> Bool {
    let service: BluetoothUUID?
    switch kind {
    case .advertised(let named), .beacon(let named): service = named
    case .vendors: return !keepsVendors
    default: return false
    }
    return switch values {
    case .none: false
    case .all: true
    case .types(let types): service.map(types.contains) ?? false
    }
  }

  /// Removes whatever values can be removed, since not everything can be looked for in them.
  mutating func removeAllValues() { values = .all }

  /// Assigns all pseudonyms, once the capture was read to its end.
  ///
  /// - Parameter tried: the passkeys that are tried when searching for one.
  mutating func close(
    _ evidence: Evidence, _ exchanges: PairingExchanges, _ tried: ClosedRange<UInt32>
  ) {
    let resolving = evidence.keys.keys.filter { $0.kind == .identityResolving }
    let sets = setKeys.sorted { $0.lexicographicallyPrecedes($1) }
    let keys = (resolving.map(\.bytes) + sets).compactMap { key -> ResolvingKey? in
      guard let original = IdentityResolvingKey(key.bytes),
        let pseudonym = IdentityResolvingKey(self.keys[key].bytes)
      else { return nil }
      return ResolvingKey(original: original, pseudonym: pseudonym)
    }
    learnSystemIDs()
    addresses.close(keys, source)
    let pairings = exchanges.matched(to: evidence, tried)
    for pairing in pairings { pairing.learnPasskeys(into: &passkeys) }
    passkeys.close()
    for pairing in pairings { pairing.derive(&self) }
  }

  /// Returns the pseudonym of a beacon's identifier, which may be its address.
  private func identifier(_ value: [UInt8]) -> [UInt8] {
    guard value.count == 6 else { return beacons[value] }
    let address = DeviceAddress(value: value.littleEndianNumber)
    let reversed = DeviceAddress(value: Array(value.reversed()).littleEndianNumber)
    if addresses.contains(reversed) { return addresses[reversed].bytes.reversed() }
    return addresses.contains(address) ? addresses[address].bytes : beacons[value]
  }

  /// Returns random bytes that are the same for the same bytes.
  func disguised(_ bytes: [UInt8]) -> [UInt8] { source.bytes(.key, bytes, count: bytes.count) }

  /// Returns the replacement of a field's content, of the same length.
  func replacement(_ field: SensitiveField, _ bytes: RawSpan) -> [UInt8] {
    let value = bytes.part(field.slice).array
    switch field.kind {
    case .address:
      return addresses[DeviceAddress(value: value.littleEndianNumber)].bytes
    case .secret, .setKey: return keys[value]
    case .diversifier: return keys.diversifier(value)
    case .pin: return keys.pin(value)
    case .name: return names[value]
    case .serial, .personalText: return serials[value]
    // Of another form, or only a part: any bytes.
    case .systemID: return ExtendedAddress(whole: value)?.pseudonym(addresses) ?? keys[value]
    case .passkey:
      let number = UInt32(truncatingIfNeeded: value.littleEndianNumber)
      return [UInt8](littleEndian: UInt64(passkeys.number(number)), count: value.count)
    case .digits:
      let number = UInt32(truncatingIfNeeded: value.littleEndianNumber)
      return [UInt8](littleEndian: UInt64(passkeys.digits(number)), count: value.count)
    case .publicKey:
      // A truncated public key is not one, but still most of one.
      return P256PublicKey(value.bytes).map { keys[$0].littleEndian } ?? keys[value]
    case .text: return ProgramText.redacted(value, addresses)
    case .unused, .unexplained, .personalNumber: return [UInt8](repeating: 0, count: value.count)
    case .beacon:
      return removes(field.kind) ? [UInt8](repeating: 0, count: value.count) : identifier(value)
    case .advertised, .vendors:
      return removes(field.kind) ? [UInt8](repeating: 0, count: value.count) : value
    }
  }
}

/// How many of each kind are remembered and looked for.
struct BookLimits: Sendable {
  var addresses = 1 << 18
  var secrets = 1 << 16
  /// Names, and serial numbers together with personal data.
  var names = 1 << 15
  /// Bytes of each kind: names, serial numbers, and secrets. They are kept in several forms.
  var bytes = 4 << 20
}
