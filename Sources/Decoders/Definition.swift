package import Bluetooth
import Bytes

/// What the bytes of one thing mean: flat tables, compiled from the profile's YAML, that the
/// interpreter (`ValueDecoder`) walks.
package final class Definition: Sendable {
  package struct Tables: Sendable, Equatable {
    /// The fields; those inside another one follow it.
    package var fields: [Field] = []
    /// The words that fields refer to by index: names, labels, units, words of codes, patterns.
    package var words = Words()
    /// The codes of fields, with their words.
    package var codes: [Code] = []
    /// The scales of fields.
    package var scalings: [Scaling.Written] = []
    /// Allowed ranges; their `word` is not used.
    package var limits: [Code] = []
    /// The index of each program's first operation, and the end of the last program.
    package var programs: [Int] = [0]
    /// The operations of the programs, one after the other.
    package var operations: [Operation] = []
    /// Fields of other characteristics' values that programs use.
    package var externals: [External] = []
    /// The index of each template's first piece, and the end of the last template.
    package var templates: [Int] = [0]
    /// The pieces of the templates.
    package var pieces: [TemplatePiece] = []
    /// The template of the whole value; −1: none.
    package var template = -1
    /// The number of slots.
    package var slotCount = 0
    /// Names for Error Response codes that the attribute or the service defines.
    package var errors: [Code] = []
    /// The algorithms of checksums that have no name.
    package var checksums: [ChecksumAlgorithm] = []

    /// Creates empty tables.
    package init() {}
  }

  /// The subject of the definition.
  package let subject: Subject
  /// The name of the profile that contains it.
  package let profile: String
  /// The name as users know it; for a message, its name.
  package let name: String
  /// The name in UTF-8.
  package let nameBytes: [UInt8]
  /// How responses are matched to requests, if the characteristic is a control point.
  package let exchange: VendorProtocol.Exchange?
  package let tables: Tables
  /// The scales in computable form.
  let scalings: [Scaling]
  /// Whether other values determine which fields are present.
  package let hasExternals: Bool
  /// Whether a field is secret, so that bytes without a field may be, too.
  package let hasSecrets: Bool
  /// The beginning of the JSON object: `{"profile":"…","name":"…","fields":`.
  package let jsonHead: [UInt8]
  /// The words of the tables, followed by JSON fragments that are repeated for each field: first
  /// each field's quoted name, `"heart_rate"`; then each field's unit, `,"unit":"bpm"`, or nothing.
  package let words: Words
  /// For each field, whether another one has the same name.
  let hasNamesake: [Bool]
  /// The indexes of the names for entries without a field: unexplained bytes, and a frame's
  /// checksum.
  private let unknownName: Int
  private let checksumName: Int
  /// Whether the subject accepts any bytes.
  private let fitsAll: Bool
  /// Whether text shows at most one field: first for the top level, then for each field.
  let alone: [Bool]

  /// Creates a definition; nil if its tables are inconsistent, which those of a compiled profile
  /// never are.
  package init?(
    _ subject: Subject, profile: String, name: String, exchange: VendorProtocol.Exchange? = nil,
    _ tables: Tables
  ) {
    guard tables.isSound else { return nil }
    var scalings: [Scaling] = []
    for written in tables.scalings {
      guard let scaling = Scaling(written) else { return nil }
      scalings.append(scaling)
    }
    self.subject = subject
    self.profile = profile
    self.name = name
    nameBytes = [UInt8](name.utf8)
    self.exchange = exchange
    self.tables = tables
    self.scalings = scalings
    alone = Self.findAlone(tables)
    words = Self.words(tables)
    hasNamesake = Self.namesakes(tables)
    (unknownName, checksumName) = (tables.words.find("unknown"), tables.words.find("checksum"))
    fitsAll = subject.fitsAll
    hasExternals = !tables.externals.isEmpty
    hasSecrets = tables.fields.contains { $0.flags.contains(.secret) }
    var head = Output()
    head.text("{\"profile\":")
    head.jsonString(profile)
    head.text(",\"name\":")
    head.jsonString(name)
    head.text(",\"fields\":")
    jsonHead = head.bytes.array
  }

  private static func words(_ tables: Tables) -> Words {
    var words = tables.words
    var output = Output()
    for field in tables.fields {
      output.clear()
      output.byte(0x22)
      output.raw(tables.words.bytes(field.name))
      output.byte(0x22)
      _ = words.append(output.bytes)
    }
    for field in tables.fields {
      output.clear()
      if field.unit >= 0, field.tick == 0 {
        output.text(",\"unit\":")
        output.jsonString(tables.words.bytes(field.unit))
      }
      _ = words.append(output.bytes)
    }
    return words
  }

  /// Returns which fields share their name with others.
  private static func namesakes(_ tables: Tables) -> [Bool] {
    var counts: [Int: Int] = [:]
    for field in tables.fields where field.name >= 0 { counts[field.name, default: 0] += 1 }
    return tables.fields.map { counts[$0.name, default: 0] > 1 }
  }

  /// Returns what distinguishes the names of entries: the index of the name, or a number below 0.
  func keyName(_ field: Int) -> Int {
    if field >= 0 { return tables.fields[field].name }
    return field == DecodedField.frameChecksum ? checksumName : unknownName
  }

  /// Returns the index of a field's JSON name among the words.
  func jsonKey(_ field: Int) -> Int { tables.words.count + field }

  /// Returns the index of a field's JSON unit among the words.
  func jsonUnit(_ field: Int) -> Int { tables.words.count + tables.fields.count + field }

  /// Returns whether the bytes match the subject, most of which accept any.
  package func fits(_ bytes: RawSpan) -> Bool { fitsAll || subject.fits(bytes) }

  /// Returns the name of an Error Response code; nil if the definition has none.
  package func error(_ code: UInt8) -> [UInt8]? {
    guard let found = tables.errors.first(where: { $0.contains(Int(code)) }) else { return nil }
    let words = tables.words
    return words.bytes(found.word).array
  }

  /// Returns a word by its index as a string; not for use with every packet.
  package func string(_ place: Int) -> String { tables.words.string(place) }
}

/// A field of the last value of another characteristic: `@2aa8.features.e2e_crc`.
package struct External: Sendable, Hashable {
  package var uuid: BluetoothUUID
  /// The field's name, with dots for groups and bits.
  package var path: String

  package init(uuid: BluetoothUUID, path: String) {
    self.uuid = uuid
    self.path = path
  }
}

/// Words by index: one sequence of bytes, and where each word ends.
package struct Words: Sendable, Equatable {
  /// The words' bytes, one after the other.
  package private(set) var bytes: [UInt8] = []
  /// The end of each word.
  package private(set) var ends: [Int] = []

  package init() {}

  /// The number of words.
  package var count: Int { ends.count }

  /// Returns the index of a word, and adds the word if it is new.
  package mutating func add(_ word: [UInt8]) -> Int {
    for place in 0..<ends.count where bytes(place).isEqual(to: word.bytes) { return place }
    return append(word.bytes)
  }

  /// Returns the index of a word; if there is no such word, a number below −1 that depends on its
  /// length.
  func find(_ word: StaticString) -> Int {
    for place in 0..<ends.count where bytes(place).isEqual(to: word.bytes) { return place }
    return -1 - word.utf8CodeUnitCount
  }

  /// Appends a word.
  package mutating func append(_ word: RawSpan) -> Int {
    bytes.append(word)
    ends.append(bytes.count)
    return ends.count - 1
  }

  private func slice(_ place: Int) -> Slice {
    guard place >= 0, place < ends.count else { return .empty }
    let start = place == 0 ? 0 : ends[place - 1]
    return Slice(start: start, count: ends[place] - start)
  }

  /// Returns a word's bytes; empty if there is no such word.
  @_lifetime(borrow self)
  package func bytes(_ place: Int) -> RawSpan { bytes.bytes.part(slice(place)) }

  /// Returns a word as a string.
  package func string(_ place: Int) -> String {
    let slice = slice(place)
    return String(decoding: bytes[Int(slice.start)..<slice.end], as: UTF8.self)
  }
}

/// The subject of a definition.
package struct Subject: Sendable, Equatable {
  /// The kinds of subjects.
  @usableFromInline
  package enum Kind: Int, Sendable, CaseIterable {
    /// A characteristic's or a descriptor's value, by UUID.
    case characteristic, descriptor
    /// Manufacturer data by company, service data by UUID, other advertising data by its type.
    case company, serviceData, advertisingData
    /// A vendor's message.
    case message
    /// A service, for the names of its errors.
    case service
  }

  package var kind: Kind
  /// The UUID of a characteristic, a descriptor or service data; else the number of the company,
  /// the advertising data type or the command.
  package var uuid: BluetoothUUID
  /// The service to which it is limited.
  package var service: BluetoothUUID?
  /// The name of the devices to which it is limited; `*` matches any characters and `?` exactly
  /// one.
  package var device: String?
  /// The offset of the advertiser's own address, in either byte order, if the data must hold it.
  package var ownAddress: Int?
  /// The bytes with which the value must begin; nil matches any byte.
  package var match: [UInt8?] = []
  /// The allowed numbers of bytes.
  package var sizes: ClosedRange<Int>?
  /// Whether the characteristic can carry anything: the definition is only used if no protocol's
  /// frame is recognized.
  package var isCarrier = false

  /// Creates a subject of a kind by its UUID or number.
  package init(_ kind: Kind, _ uuid: BluetoothUUID) {
    self.kind = kind
    self.uuid = uuid
  }

  /// Whether it is an attribute's value.
  package var isAttribute: Bool { kind == .characteristic || kind == .descriptor }

  /// Whether it accepts any bytes.
  var fitsAll: Bool { match.isEmpty && sizes == nil }

  /// Returns whether bytes match `match` and `sizes`.
  package func fits(_ bytes: RawSpan) -> Bool {
    if let sizes, !sizes.contains(bytes.byteCount) { return false }
    guard bytes.byteCount >= match.count else { return false }
    for offset in match.indices {
      if let expected = match[offset], bytes.byte(at: offset) != expected { return false }
    }
    return true
  }

  /// Returns whether bytes hold the sender's address if they must.
  package func fits(sender: DeviceAddress?, _ bytes: RawSpan) -> Bool {
    guard let ownAddress else { return true }
    guard let sender, bytes.byteCount - 6 >= ownAddress else { return false }
    var (forward, backward): (UInt64, UInt64) = (0, 0)
    for index in 0..<6 {
      let byte = UInt64(bytes.byte(at: ownAddress + index))
      forward = forward << 8 | byte
      backward |= byte << UInt64(8 * index)
    }
    return sender != .zero && (forward == sender.value || backward == sender.value)
  }

  /// The priority among matching definitions; the greatest wins.
  package var specificity: Int {
    let rank =
      switch kind {
      case .characteristic, .descriptor: 4
      case .serviceData: 3
      case .company: 2
      case .advertisingData, .message, .service: 1
      }
    if isCarrier { return device == nil ? 0 : 1 }
    let known = match.count { $0 != nil }
    let isLimited = device != nil || ownAddress != nil
    return (isLimited ? 1 << 20 : 0) + rank << 16 + (service == nil ? 0 : 1 << 15)
      + min(known, 1023) << 4 + (sizes == nil ? 0 : 1)
  }
}
