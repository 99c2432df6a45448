package import Bluetooth
import Captures
import Histories
import Meanings

/// What was replaced in a capture, and what cannot be guaranteed.
package struct RedactionReport: Equatable, Sendable {
  /// The findings at unexpected positions.
  package enum Elsewhere: UInt8, CaseIterable, Sendable {
    case address, secret, name, serial, beacon

    /// The words for one and for several.
    var words: (one: String, several: String) {
      switch self {
      case .address: ("address", "addresses")
      case .secret: ("secret", "secrets")
      case .name: ("name", "names")
      case .serial: ("serial number or personal text", "serial numbers and personal texts")
      case .beacon: ("beacon identifier", "beacon identifiers")
      }
    }

    /// Returns a number of them in words.
    func counted(_ count: Int) -> String {
      "\(count) \(count == 1 ? words.one : words.several)"
    }
  }

  /// The number of records that were written.
  package internal(set) var records = 0
  /// The number of addresses that were replaced.
  package internal(set) var addresses = 0
  /// Keys and other secrets.
  package internal(set) var secrets = 0
  /// Passkeys, PINs and compared digits.
  package internal(set) var digits = 0
  package internal(set) var names = 0
  package internal(set) var serials = 0
  package internal(set) var systemIDs = 0
  /// Identifiers of beacons.
  package internal(set) var beacons = 0
  /// Personal data: names, e-mail addresses, dates of birth, places.
  package internal(set) var personal = 0
  /// Fields of manufacturers and services in advertising data that were removed.
  package internal(set) var advertised = 0
  /// Fields of manufacturers and services in advertising data that stay.
  package internal(set) var leftAdvertised = 0
  /// Attribute values that stay.
  package internal(set) var left = LeftValues()
  /// Texts of users and programs.
  package internal(set) var texts = 0
  package internal(set) var values = 0
  /// Records of audio, and other isochronous data.
  package internal(set) var streams = 0
  /// Packets of other channels than those of ATT and the Security Manager.
  package internal(set) var payloads = 0
  /// Packets of other channels that stay.
  package internal(set) var leftPayloads = 0
  /// Values on serial channels.
  package internal(set) var serialValues = 0
  /// Values on serial channels that stay.
  package internal(set) var leftSerial = 0
  /// Records of audio, and other isochronous data, that stay.
  package internal(set) var leftStreams = 0
  /// Packets with which a controller reports to its manufacturer.
  package internal(set) var controllerLogs = 0
  /// What no field claims: after the end of a text, of advertising data, of a PDU or of a packet,
  /// or in a truncated parameter.
  package internal(set) var unused = 0
  /// Records, or ends of records, whose meaning is unknown.
  package internal(set) var unexplained = 0
  /// Fragments of PDUs whose other parts are missing from the capture.
  package internal(set) var unfinished = 0
  /// Packets from sniffers whose payload is removed: encrypted, damaged, and others.
  package internal(set) var encrypted = 0
  package internal(set) var damaged = 0
  package internal(set) var unread = 0
  /// Parts of vendors' commands, of what they return, and of vendors' events that no known field
  /// covers.
  package internal(set) var vendors = 0
  /// Such parts that stay.
  package internal(set) var leftVendors = 0
  /// The attribute types whose values were to be removed but were not found.
  package internal(set) var missingValues: [BluetoothUUID] = []
  /// The findings at unexpected positions that were replaced.
  package private(set) var elsewhere: [Elsewhere: Finds] = [:]
  /// The findings within headers, which stay.
  package private(set) var staying: [Elsewhere: Finds] = [:]
  /// The items that were too numerous to be looked for elsewhere.
  package internal(set) var unlisted: [Unlisted] = []

  /// The entries for which the books had no room.
  package struct Unlisted: Equatable, Sendable {
    let kind: Elsewhere
    /// How often something was seen that is not looked for.
    let count: Int
    /// How many are looked for.
    let limit: Int

    init(_ kind: Elsewhere, _ count: Int, beyond limit: Int) {
      (self.kind, self.count, self.limit) = (kind, count, limit)
    }
  }

  /// The services whose data in advertisements was removed.
  private var advertisedServices: Set<BluetoothUUID> = []

  /// Attribute values that stay.
  package struct LeftValues: Equatable, Sendable {
    /// Their number.
    package fileprivate(set) var count = 0
    /// How many of them are of attributes of unknown type.
    package fileprivate(set) var untyped = 0
    /// The types of the others, up to a limit.
    fileprivate var types: Set<BluetoothUUID> = []

    /// The most types that are distinguished.
    fileprivate static let mostTypes = 4096
  }

  /// A record, with its file if there are several.
  package struct Place: Equatable, Sendable {
    let number: Int
    let file: Int
  }

  /// How often something was found, and the first records with it.
  package struct Finds: Equatable, Sendable {
    package private(set) var count = 0
    /// The records in ascending order.
    package private(set) var records: [Place] = []
    /// Whether there are more records.
    package private(set) var hasMore = false

    /// The most records that are named.
    private static let most = 10

    mutating func add(_ record: Place) {
      count += 1
      let place = records.firstIndex { $0.number >= record.number } ?? records.count
      if place < records.count, records[place] == record { return }
      records.insert(record, at: place)
      guard records.count > Self.most else { return }
      records.removeLast()
      hasMore = true
    }

    /// Returns the records in words.
    ///
    /// - Parameter files: the names of the files, which are shown if there are several.
    func words(_ files: [String]) -> String {
      let words = records.map { record in
        files.indices.contains(record.file) && files.count > 1
          ? "#\(record.number) (\(files[record.file]))" : "#\(record.number)"
      }
      return words.joined(separator: ", ") + (hasMore ? " and others" : "")
    }
  }

  /// Counts a replaced field.
  mutating func count(_ kind: SensitiveField.Kind) {
    switch kind {
    case .address: addresses += 1
    case .secret, .setKey, .diversifier, .publicKey: secrets += 1
    case .passkey, .digits, .pin: digits += 1
    case .name: names += 1
    case .serial: serials += 1
    case .systemID: systemIDs += 1
    case .beacon(let service):
      beacons += 1
      find(service)
    case .personalText, .personalNumber: personal += 1
    case .advertised(let service):
      advertised += 1
      find(service)
    case .text: texts += 1
    case .unused: unused += 1
    case .unexplained: unexplained += 1
    case .vendors: vendors += 1
    }
  }

  /// Records that a field stays.
  ///
  /// - Parameter isRemoved: whether it was to be removed, but there was nothing to remove.
  mutating func leave(_ kind: SensitiveField.Kind, isRemoved: Bool) {
    switch kind {
    case .vendors: if !isRemoved { leftVendors += 1 }
    case .advertised(let service): if isRemoved { find(service) } else { leftAdvertised += 1 }
    default: break
    }
  }

  /// Records that an attribute's value stays.
  mutating func leave(_ value: AttributeValue) {
    if value.isSerial {
      leftSerial += 1
      return
    }
    left.count += 1
    guard let type = value.type?.shortest else {
      left.untyped += 1
      return
    }
    if left.types.count < LeftValues.mostTypes { left.types.insert(type) }
  }

  /// Records a service of which something to be removed was found.
  private mutating func find(_ service: BluetoothUUID?) {
    guard let service, advertisedServices.insert(service).inserted else { return }
    missingValues.removeAll { $0 == service }
  }

  /// Returns whether something of a service that was to be removed was found.
  func isFound(_ service: BluetoothUUID) -> Bool { advertisedServices.contains(service) }

  /// Records something found at an unexpected position.
  mutating func find(_ outcome: BookSearch.Outcome, _ place: Place) {
    if outcome.isReplaced {
      elsewhere[outcome.kind, default: Finds()].add(place)
    } else {
      staying[outcome.kind, default: Finds()].add(place)
    }
  }

  /// Records something found at an unexpected position of a record.
  mutating func find(_ outcome: BookSearch.Outcome, _ record: borrowing CaptureRecord) {
    find(outcome, Place(number: record.number, file: record.file))
  }

  /// Returns the lines of the report.
  ///
  /// - Parameter files: the names of the files that were joined; else empty, or one.
  package func lines(_ files: [String] = []) -> [String] {
    var lines = [replacedLine]
    for kind in Elsewhere.allCases {
      guard let found = elsewhere[kind] else { continue }
      lines.append(
        "found in other data and replaced: \(kind.counted(found.count)), in \(found.words(files))"
      )
    }
    // A name's letters in a header are a coincidence.
    for kind in [Elsewhere.address, .secret] {
      guard let found = staying[kind] else { continue }
      lines.append(
        "not replaced, because headers contain the same bytes: \(kind.counted(found.count)), in \(found.words(files))"
      )
    }
    if unfinished > 0 {
      let what = unfinished == 1 ? "part of a PDU" : "parts of PDUs"
      lines.append(
        "replaced with zeros: \(unfinished) \(what) whose other parts are not in the capture")
    }
    if let unreadLine { lines.append(unreadLine) }
    if !missingValues.isEmpty {
      let types = missingValues.map { Wording("\($0)").text }.joined(separator: ", ")
      lines.append("no value of \(types) was found to remove")
    }
    if let leftLine { lines.append(leftLine) }
    for each in unlisted {
      lines.append(
        """
        not searched for in other data: \(each.count) \(each.count == 1 ? "sighting" : "sightings") \
        of \(each.kind.words.several) beyond the first \(each.limit); therefore all attribute values, data of other \
        channels and audio were replaced with zeros, as with --redact-values all
        """
      )
    }
    if leftVendors > 0 {
      let packets = leftVendors == 1 ? "command or event" : "commands and events"
      lines.append(
        "kept by --keep-vendor: \(leftVendors) vendor \(packets), redacted only where they contain known addresses or keys"
      )
    }
    lines.append(
      "vendor data may still contain identifiers; check before sharing"
    )
    return lines
  }

  /// The packets from sniffers whose payload was removed.
  private var unreadLine: String? {
    let counts = [(encrypted, "encrypted"), (damaged, "damaged"), (unread, "unknown")].filter {
      $0.0 > 0
    }
    guard !counts.isEmpty else { return nil }
    let count = counts.reduce(0) { $0 + $1.0 }
    let words = counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return
      "removed: the content of \(count) \(count == 1 ? "packet" : "packets") from sniffers: \(words)"
  }

  /// What stays because its removal was not requested.
  private var leftLine: String? {
    var parts: [String] = []
    if left.count > 0 {
      var part = "\(left.count) \(left.count == 1 ? "attribute value" : "attribute values")"
      if !left.types.isEmpty {
        let isFull = left.types.count == LeftValues.mostTypes
        part +=
          " of \(isFull ? "at least " : "")\(left.types.count) \(left.types.count == 1 ? "type" : "types")"
      }
      if left.untyped > 0 {
        part +=
          left.untyped == left.count
          ? " (of attributes of unknown type)"
          : " (\(left.untyped) of attributes of unknown type)"
      }
      parts.append(part)
    }
    if leftAdvertised > 0 {
      parts.append(
        "\(leftAdvertised) \(leftAdvertised == 1 ? "field" : "fields") with manufacturer, service or other data in advertisements"
      )
    }
    if leftPayloads > 0 {
      parts.append(
        "the data of \(leftPayloads) \(leftPayloads == 1 ? "packet" : "packets") of other protocols"
      )
    }
    if leftSerial > 0 {
      parts.append("\(leftSerial) \(leftSerial == 1 ? "value" : "values") on serial channels")
    }
    if leftStreams > 0 {
      parts.append(
        "\(leftStreams) \(leftStreams == 1 ? "packet" : "packets") of audio or other isochronous data"
      )
    }
    guard !parts.isEmpty else { return nil }
    let one = left.count + leftAdvertised + leftPayloads + leftSerial + leftStreams == 1
    return
      "not redacted: \(parts.joined(separator: ", ")); --redact-values all replaces \(one ? "it" : "them") with zeros"
  }

  private var replacedLine: String {
    let replaced = [
      (addresses, "address", "addresses"),
      (secrets, "key or other secret", "keys and other secrets"),
      (
        digits, "passkey, PIN or compared number",
        "passkeys, PINs and compared numbers"
      ),
      (names, "name", "names"), (serials, "serial number", "serial numbers"),
      (systemIDs, "System ID", "System IDs"),
      (beacons, "beacon identifier", "beacon identifiers"),
      (personal, "personal detail", "personal details"),
      (texts, "program's text", "programs' texts"),
      (unused, "part that belongs to no known field", "parts that belong to no known field"),
      (controllerLogs, "packet of a controller's debug log", "packets of a controller's debug log"),
      (
        unexplained, "unexplained part of a record",
        "unexplained parts of records"
      ),
      (
        vendors, "unknown part of vendors' commands and events",
        "unknown parts of vendors' commands and events"
      ),
      (values, "attribute value", "attribute values"),
      (serialValues, "value on serial channels", "values on serial channels"),
      (advertised, "field of an advertisement", "fields of advertisements"),
      (payloads, "packet's other data", "packets' other data"),
      (
        streams, "packet of audio or other isochronous data",
        "packets of audio or other isochronous data"
      ),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2)" }
    return replaced.isEmpty
      ? "replaced: nothing" : "replaced: " + replaced.joined(separator: ", ")
  }
}
