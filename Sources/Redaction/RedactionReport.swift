package import Bluetooth
import Diagnosis

/// What was replaced in a capture, and what nobody can promise.
package struct RedactionReport: Equatable, Sendable {
  /// What was found where nothing says that it stands there.
  package enum Elsewhere: UInt8, CaseIterable, Sendable {
    case address, secret, name, serial

    /// In words, of one and of several.
    var words: (one: String, several: String) {
      switch self {
      case .address: ("address", "addresses")
      case .secret: ("secret", "secrets")
      case .name: ("name", "names")
      case .serial: ("serial number", "serial numbers")
      }
    }
  }

  /// How many records were written.
  package internal(set) var records = 0
  /// How many addresses were replaced.
  package internal(set) var addresses = 0
  /// Keys and other secrets.
  package internal(set) var secrets = 0
  /// Passkeys, PINs and digits that are compared.
  package internal(set) var digits = 0
  /// Names.
  package internal(set) var names = 0
  /// Serial numbers.
  package internal(set) var serials = 0
  /// Texts of people and programs.
  package internal(set) var texts = 0
  /// Values of attributes.
  package internal(set) var values = 0
  /// Records of sound, and other isochronous data.
  package internal(set) var streams = 0
  /// What was to be removed, and is nowhere: values of attributes of these types.
  package internal(set) var missingValues: [BluetoothUUID] = []
  /// What was found elsewhere.
  package private(set) var elsewhere: [Elsewhere: Finds] = [:]
  /// Addresses of which there were too many to look for them elsewhere.
  package internal(set) var unlistedAddresses = 0

  /// How often something was found, and in which records: of many the first ones.
  package struct Finds: Equatable, Sendable {
    /// How often.
    package private(set) var count = 0
    /// The numbers of the records, in their order.
    package private(set) var records: [Int] = []
    /// Whether there are more.
    package private(set) var hasMore = false

    /// So many records are named.
    private static let most = 10

    mutating func add(_ record: Int) {
      count += 1
      let place = records.firstIndex { $0 >= record } ?? records.count
      if place < records.count, records[place] == record { return }
      records.insert(record, at: place)
      guard records.count > Self.most else { return }
      records.removeLast()
      hasMore = true
    }
  }

  /// Counts what was replaced.
  mutating func count(_ kind: SensitiveField.Kind) {
    switch kind {
    case .address: addresses += 1
    case .secret, .setKey, .diversifier, .publicKey: secrets += 1
    case .passkey, .digits, .pin: digits += 1
    case .name: names += 1
    case .serial: serials += 1
    case .text: texts += 1
    }
  }

  /// Notes what was found, and replaced, where nothing says that it stands there.
  mutating func find(_ kind: Elsewhere, _ record: Int) {
    elsewhere[kind, default: Finds()].add(record)
  }

  /// What is said of it, a line each.
  package var lines: [String] {
    var lines: [String] = []
    let replaced = [
      (addresses, "address", "addresses"),
      (secrets, "key or other secret", "keys and other secrets"),
      (
        digits, "passkey, PIN or number that is compared",
        "passkeys, PINs and numbers that are compared"
      ),
      (names, "name", "names"), (serials, "serial number", "serial numbers"),
      (texts, "text of a program", "texts of programs"),
      (values, "attribute value", "attribute values"),
      (
        streams, "packet of sound or other isochronous data",
        "packets of sound or other isochronous data"
      ),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    lines.append(
      replaced.isEmpty ? "replaced: nothing" : "replaced: " + replaced.joined(separator: ", "))
    for kind in Elsewhere.allCases {
      guard let found = elsewhere[kind] else { continue }
      let packets = found.records.map { "#\($0)" }.joined(separator: ", ")
      let words = found.count == 1 ? kind.words.one : kind.words.several
      lines.append(
        "found in data of other kinds and replaced: \(found.count) \(words), in \(packets)\(found.hasMore ? " and others" : "")"
      )
    }
    if !missingValues.isEmpty {
      let types = missingValues.map { Wording("\($0)").text }.joined(separator: ", ")
      lines.append("no value of \(types) was found that could be removed")
    }
    if unlistedAddresses > 0 {
      lines.append(
        "not looked for in data of other kinds: \(unlistedAddresses) sightings of addresses beyond the first \(AddressBook.most)"
      )
    }
    lines.append(
      "not promised: data of vendors may hold what this program does not know, and numbers of devices in forms that it does not look for"
    )
    return lines
  }
}
