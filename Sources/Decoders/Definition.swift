package import Bluetooth
import Bytes

/// What the bytes of one thing mean: flat tables, which the profile's YAML was brought into and which
/// the interpreter (`ValueDecoder`) walks.
package final class Definition: Sendable {
  /// The tables.
  package struct Tables: Sendable, Equatable {
    /// The fields, those inside another behind it.
    package var fields: [Field] = []
    /// The words that fields name by place: names, labels, units, words of codes, patterns.
    package var words = Words()
    /// Codes and their words, for the fields that have some.
    package var codes: [Code] = []
    /// Scales.
    package var scalings: [Scaling.Written] = []
    /// Allowed ranges; their `word` is not used.
    package var limits: [Code] = []
    /// Where each program's operations begin, and behind the last one their end.
    package var programs: [Int] = [0]
    /// The operations of the programs, one after the other.
    package var operations: [Operation] = []
    /// Fields of other characteristics' values that programs ask for.
    package var externals: [External] = []
    /// Where each template's pieces begin, and behind the last one their end.
    package var templates: [Int] = [0]
    /// The pieces of the texts.
    package var pieces: [TemplatePiece] = []
    /// The template of the whole; −1: none.
    package var template = -1
    /// How many slots there are.
    package var slotCount = 0
    /// What the codes of Error Responses are called that are the attribute's or the service's own.
    package var errors: [Code] = []

    /// Empty tables.
    package init() {}
  }

  /// What this is the definition of.
  package let subject: Subject
  /// The name of the profile that has it.
  package let profile: String
  /// As people know it; the name of a message.
  package let name: String
  /// How responses belong to requests, where the characteristic is a control point.
  package let exchange: VendorProtocol.Exchange?
  /// The tables.
  package let tables: Tables
  /// The scales, ready to compute with.
  let scalings: [Scaling]
  /// Whether other values decide about fields.
  package let hasExternals: Bool
  /// Whether a field is secret: then bytes that no field explains may be.
  package let hasSecrets: Bool
  /// What JSON begins with: `{"profile":"…","name":"…","fields":`.
  package let jsonHead: [UInt8]
  /// The words of the tables, and behind them what JSON says of each field over and over: first each
  /// one's name with its quotes, `"heart_rate"`; then each one's unit, without the first quote,
  /// `heart_rate":"bpm"`, or nothing.
  package let words: Words
  /// Of each field whether another one has its name.
  let hasNamesake: [Bool]
  /// Of each field with a unit the first one with its name in its groups; −1: no unit.
  private let firstsOfPaths: [Int]
  /// The places of the names of what stands in no field: bytes that none explains, a frame's checksum.
  private let unknownName: Int
  private let checksumName: Int
  /// Whether the subject asks for no bytes in particular.
  private let fitsAll: Bool
  /// Behind one for all fields, one for each place: whether text shows one field at most.
  let alone: [Bool]

  /// A definition; nil where its tables do not fit together, which those that a profile gave do.
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
    self.exchange = exchange
    self.tables = tables
    self.scalings = scalings
    alone = Self.findAlone(tables)
    words = Self.words(tables)
    (hasNamesake, firstsOfPaths) = Self.namesakes(tables)
    (unknownName, checksumName) = (tables.words.find("unknown"), tables.words.find("checksum"))
    fitsAll = subject.match.isEmpty && subject.sizes == nil
    hasExternals = !tables.externals.isEmpty
    hasSecrets = tables.fields.contains { $0.flags.contains(.secret) }
    var head = Output()
    head.text("{\"profile\":\"")
    head.jsonEscaped([UInt8](profile.utf8).bytes)
    head.text("\",\"name\":\"")
    head.jsonEscaped([UInt8](name.utf8).bytes)
    head.text("\",\"fields\":")
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
        output.text("\":\"")
        output.jsonEscaped(tables.words.bytes(field.unit))
        output.byte(0x22)
      }
      _ = words.append(output.bytes)
    }
    return words
  }

  /// Which fields have a name that others have, and the first field of each name with a unit.
  private static func namesakes(_ tables: Tables) -> ([Bool], [Int]) {
    var counts: [Int: Int] = [:]
    for field in tables.fields where field.name >= 0 { counts[field.name, default: 0] += 1 }
    var firsts: [Int] = []
    var paths: [[Int]: Int] = [:]
    var groups: [(name: Int, end: Int)] = []
    for (place, field) in tables.fields.enumerated() {
      while let group = groups.last, group.end <= place { groups.removeLast() }
      if field.kind == .group, field.name >= 0 { groups.append((field.name, field.end)) }
      guard field.unit >= 0, field.tick == 0 else {
        firsts.append(-1)
        continue
      }
      let path = groups.map(\.name) + [field.name]
      firsts.append(paths[path] ?? place)
      paths[path] = paths[path] ?? place
    }
    return (tables.fields.map { counts[$0.name, default: 0] > 1 }, firsts)
  }

  /// The first field with a unit that has the name of this one, in the same groups; −1: it has no unit.
  func firstOfPath(_ field: Int) -> Int { firstsOfPaths[field] }

  /// What tells the names of entries apart: the name's place, or a number below 0.
  func keyName(_ field: Int) -> Int {
    if field >= 0 { return tables.fields[field].name }
    return field == DecodedField.frameChecksum ? checksumName : unknownName
  }

  /// The place of a field's name as JSON has it among the words.
  func jsonKey(_ field: Int) -> Int { tables.words.count + field }

  /// The place of what JSON says of a field's unit, behind the field's name.
  func jsonUnit(_ field: Int) -> Int { tables.words.count + tables.fields.count + field }

  /// Whether these bytes are such as the subject asks for; most ask for none in particular.
  package func fits(_ bytes: RawSpan) -> Bool { fitsAll || subject.fits(bytes) }

  /// What a code of an Error Response is called; nil where the definition has no name for it.
  package func error(_ code: UInt8) -> [UInt8]? {
    guard let found = tables.errors.first(where: { $0.contains(Int(code)) }) else { return nil }
    let words = tables.words
    return words.bytes(found.word).array
  }

  /// A word by its place, as a string; for what is not said once a packet.
  package func string(_ place: Int) -> String { tables.words.string(place) }
}

/// A field of the value last seen of another characteristic: `@2aa8.features.e2e_crc`.
package struct External: Sendable, Equatable {
  /// The characteristic.
  package var uuid: BluetoothUUID
  /// The field's name, with dots into groups and bits.
  package var path: String

  /// A field of a characteristic.
  package init(uuid: BluetoothUUID, path: String) {
    self.uuid = uuid
    self.path = path
  }
}

/// Words by their place: one run of bytes, and where each word ends.
package struct Words: Sendable, Equatable {
  /// The words' bytes, one after the other.
  package private(set) var bytes: [UInt8] = []
  /// Where each one ends.
  package private(set) var ends: [Int] = []

  /// No words.
  package init() {}

  /// How many there are.
  package var count: Int { ends.count }

  /// Adds a word, or finds it, and gives its place.
  package mutating func add(_ word: [UInt8]) -> Int {
    for place in 0..<ends.count where bytes(place).isEqual(to: word.bytes) { return place }
    return append(word.bytes)
  }

  /// The place of a word; below −1, by its length, where it is not there.
  func find(_ word: StaticString) -> Int {
    for place in 0..<ends.count where bytes(place).isEqual(to: word.bytes) { return place }
    return -1 - word.utf8CodeUnitCount
  }

  /// Adds a word behind the others.
  mutating func append(_ word: RawSpan) -> Int {
    bytes.append(word)
    ends.append(bytes.count)
    return ends.count - 1
  }

  private func slice(_ place: Int) -> Slice {
    guard place >= 0, place < ends.count else { return .empty }
    let start = place == 0 ? 0 : ends[place - 1]
    return Slice(start: start, count: ends[place] - start)
  }

  /// A word's bytes; none where there is no such word.
  @_lifetime(borrow self)
  package func bytes(_ place: Int) -> RawSpan { bytes.bytes.part(slice(place)) }

  /// A word as a string.
  package func string(_ place: Int) -> String {
    let slice = slice(place)
    return String(decoding: bytes[Int(slice.start)..<slice.end], as: UTF8.self)
  }
}

/// What a definition is of.
package struct Subject: Sendable, Equatable {
  /// The kinds of things that have definitions.
  package enum Kind: Int, Sendable, CaseIterable {
    /// A characteristic's or a descriptor's value, by UUID.
    case characteristic, descriptor
    /// Manufacturer data by company, service data by UUID, other advertising data by its type.
    case company, serviceData, advertisingData
    /// A vendor's message.
    case message
    /// A service: what its errors are called.
    case service
  }

  /// The kind.
  package var kind: Kind
  /// The UUID of a characteristic, a descriptor or service data; else the number of the company, the
  /// advertising data type or the command.
  package var uuid: BluetoothUUID
  /// Only in this service.
  package var service: BluetoothUUID?
  /// Only of devices with this name; `*` and `?` stand for any characters, and any one.
  package var device: String?
  /// Only where the bytes begin so; nil is any byte.
  package var match: [UInt8?] = []
  /// Only where there are so many bytes.
  package var sizes: ClosedRange<Int>?
  /// The characteristic carries anything: taken only where no protocol's frame is recognised.
  package var isCarrier = false

  /// A subject of a kind, by its UUID or number.
  package init(_ kind: Kind, _ uuid: BluetoothUUID) {
    self.kind = kind
    self.uuid = uuid
  }

  /// Whether it is an attribute's value.
  package var isAttribute: Bool { kind == .characteristic || kind == .descriptor }

  /// Whether these bytes are such as `match` and `sizes` ask for.
  package func fits(_ bytes: RawSpan) -> Bool {
    if let sizes, !sizes.contains(bytes.byteCount) { return false }
    guard bytes.byteCount >= match.count else { return false }
    for offset in match.indices {
      if let expected = match[offset], bytes.byte(at: offset) != expected { return false }
    }
    return true
  }

  /// How specific the definition is among those that fit; the greater number is taken.
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
    return (device == nil ? 0 : 1 << 20) + rank << 16 + (service == nil ? 0 : 1 << 15)
      + min(known, 1023) << 4 + (sizes == nil ? 0 : 1)
  }
}
