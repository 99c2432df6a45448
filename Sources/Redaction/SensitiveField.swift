import Bluetooth
import Bytes
import Captures
import Cryptography
import Dissectors

/// A field that tells who somebody is, or is a secret: where it lies, and what it is.
struct SensitiveField: Equatable {
  enum Kind: Equatable {
    /// A device address, 6 bytes, least significant first; whether its type is random, nil: not said.
    case address(isRandom: Bool?)
    /// A key, or another secret.
    case secret
    /// The key of a coordinated set: the identifiers that it makes resolve as addresses do.
    case setKey
    /// What an encrypted diversifier and a random number are: names of a long term key.
    case diversifier
    /// A passkey: a number of 4 bytes.
    case passkey
    /// Digits that people compare: a number of 4 bytes.
    case digits
    /// A PIN in its field.
    case pin
    /// A device's name, or the beginning of one.
    case name
    /// A device's serial number, or the beginning of one.
    case serial
    /// A System ID: a device's address in another form, most often.
    case systemID
    /// What tells of a person in letters and digits: a name, an e-mail address, a place's name; or the beginning of it.
    case personalText
    /// What tells of a person in numbers: a date of birth, a place.
    case personalNumber
    /// What a maker or a service puts into advertising data; of which service, where it says so.
    case advertised(BluetoothUUID?)
    /// A public key: 64 bytes.
    case publicKey
    /// What people or programs have written.
    case text
    /// What stands behind the end of a text, of advertising data or of a PDU, in a field that has room for more:
    /// nobody reads it, and it may be what stood there before.
    case unused
    /// What a record holds that nobody has explained.
    case unexplained

    /// Whether it is letters and digits, of which a value's part may hold a part.
    var isText: Bool {
      switch self {
      case .name, .serial, .personalText: true
      default: false
      }
    }
  }

  var kind: Kind
  var slice: Slice

  init(_ kind: Kind, _ slice: Slice) {
    self.kind = kind
    self.slice = slice
  }
}

/// The sensitive fields of a record whose bytes alone say all: of everything but ACL data.
struct SensitiveFields {
  private(set) var fields: [SensitiveField] = []

  init(_ dissection: Dissection, _ bytes: RawSpan) {
    switch dissection.content {
    case .command, .event, .control:
      guard let found = dissection.parameters else { return }
      if let row = found.row { walk(row.parameters, bytes, found.outer) }
      if let row = found.completed { walk(row.returns, bytes, found.inner) }
      fields += dissection.vendorsFields(bytes)
    case .note(let note): add(note, dissection.body, bytes)
    case .unknown:
      // Behind the packet type, if it has one.
      let body = dissection.body
      fields.append(
        SensitiveField(.unexplained, Slice(start: 1, count: max(0, body.end - 1))))
    case .acl, .sco, .iso, .controllerLog: break
    }
    fields.removeAll { $0.slice.isEmpty }
  }

  /// Those of AD structures.
  init(advertisingData bytes: RawSpan, _ slice: Slice) { addStructures(bytes, slice) }

  private mutating func walk(_ layout: HCILayout, _ bytes: RawSpan, _ slice: Slice) {
    guard layout.has(.known) else { return }
    var finder = FieldFinder()
    var fields = HCIFields(bytes, slice)
    // Where the bytes end too early, what stands before was told.
    try? fields.walk(layout, &finder)
    self.fields += finder.fields
    for data in finder.advertisingData { addStructures(bytes, data) }
    // What is cut short is still most of a name, or of a key.
    let cut = fields.cut
    let rest = fields.rest()
    switch cut {
    case .text where !rest.isEmpty: self.fields.append(SensitiveField(.name, rest))
    case .advertisingData: addStructures(bytes, rest)
    default: finder.take(upTo: Int(rest.start))
    }
    self.fields += finder.unused
    if layout.has(.secret), !rest.isEmpty { self.fields.append(SensitiveField(.secret, rest)) }
  }

  private mutating func addStructures(_ bytes: RawSpan, _ slice: Slice) {
    // What reaches past the end is told as far as it goes: a part of more may go on elsewhere.
    var offset = Int(slice.start)
    while offset < slice.end {
      let length = Int(bytes.byte(at: offset))
      // The end: zeros follow (Core, Vol 3, Part C, 11).
      guard length > 0 else {
        let rest = Slice(start: offset + 1, count: slice.end - offset - 1)
        if !rest.isEmpty { fields.append(SensitiveField(.unused, rest)) }
        return
      }
      guard offset + 1 < slice.end else { return }
      let type = ADType(rawValue: bytes.byte(at: offset + 1))
      let count = min(length - 1, slice.end - offset - 2)
      add(type, Slice(start: offset + 2, count: count), whole: length - 1, bytes)
      offset += 1 + length
    }
  }

  private mutating func add(_ type: ADType, _ data: Slice, whole: Int, _ bytes: RawSpan) {
    guard !data.isEmpty else { return }
    switch type.layout(count: whole) {
    case .name: fields.append(SensitiveField(.name, data))
    case .secret: fields.append(SensitiveField(.secret, data))
    default: addSupplied(type, data, bytes)
    }
    // A Resolvable Set Identifier is made as a resolvable address is (CSIS, 4.8): hash of 3 bytes, random
    // number of 3.
    if type.rawValue == 0x2e, data.count == 6 {
      fields.append(SensitiveField(.address(isRandom: true), data))
    }
    // Public Target Address, Random Target Address, LE Bluetooth Device Address.
    let isRandom: Bool? =
      switch type.rawValue {
      case 0x17: false
      case 0x18: true
      default: nil
      }
    guard 0x17...0x18 ~= type.rawValue || type.rawValue == 0x1b else { return }
    for start in stride(from: Int(data.start), through: data.end - 6, by: 6) {
      fields.append(
        SensitiveField(.address(isRandom: isRandom), Slice(start: start, count: 6)))
    }
  }

  /// What a maker or a service says: behind the identifier of whose it is, which stays. What is not theirs (flags, lists
  /// of services, parameters of links) is all that the analysis needs.
  private mutating func addSupplied(_ type: ADType, _ data: Slice, _ bytes: RawSpan) {
    var service: BluetoothUUID?
    var head = 0
    switch type.layout(count: Int(data.count)) {
    case .serviceData(let width):
      head = width
      var cursor = Cursor(bytes, data)
      service = try? BluetoothUUID(parsing: &cursor, width: width)
    // The company's identifier.
    case .manufacturerData: head = 2
    case .uri, .bytes: break
    case .fields:
      // Indoor positioning, transport discovery, Mesh, encrypted data, shelf labels, 3D information.
      guard 0x25...0x26 ~= type.rawValue || 0x29...0x2b ~= type.rawValue || type.rawValue >= 0x31
      else { return }
    default: return
    }
    guard Int(data.count) > head else { return }
    fields.append(
      SensitiveField(
        .advertised(service?.shortest),
        Slice(start: Int(data.start) + head, count: Int(data.count) - head)))
  }

  private mutating func add(_ note: MonitorNote, _ body: Slice, _ bytes: RawSpan) {
    switch note.kind {
    case .newIndex:
      fields.append(SensitiveField(.address(isRandom: nil), Self.newIndexAddress))
      // The controller's name in the system, then zeros.
      if let text = note.text {
        var end = Int(text.start)
        while end < text.end, bytes.byte(at: end) != 0 { end += 1 }
        fields.append(SensitiveField(.unused, Slice(start: end, count: text.end - end)))
      }
    case .indexInfo: fields.append(SensitiveField(.address(isRandom: nil), Self.infoAddress))
    case .systemNote, .userLog, .controlOpen:
      if let text = note.text { fields.append(SensitiveField(.text, text)) }
      // Who speaks; what this program has noted itself stays recognisable.
      if let identifier = note.identifier,
        !bytes.part(identifier).starts(with: Marker.identifier)
      {
        fields.append(SensitiveField(.text, identifier))
      }
    case .log:
      // Process, library, subsystem and category stand before the message.
      if let text = note.text {
        let start = Int(note.identifier?.start ?? text.start)
        fields.append(SensitiveField(.text, Slice(start: start, count: text.end - start)))
      }
      // Of what nobody has explained nobody can say what it holds.
      fields.append(SensitiveField(.text, body))
    // LMP's opcode stands in its first byte; keys of BR/EDR travel in its packets.
    case .lmp:
      fields.append(
        SensitiveField(.unexplained, Slice(start: Int(body.start) + 1, count: Int(body.count) - 1)))
    case .vendorDiagnostic, .unknown: fields.append(SensitiveField(.unexplained, body))
    case .deletedIndex, .openIndex, .closeIndex, .controlClose: break
    }
    switch note.kind {
    case .newIndex, .indexInfo, .controlOpen, .controlClose, .deletedIndex, .openIndex, .closeIndex:
      // Behind the note's end, or of one that is cut short what is there of an address.
      fields.append(SensitiveField(.unused, body))
    default: break
    }
    fields.removeAll { $0.slice.count <= 0 }
  }

  /// Where the address stands in a New Index and in an Index Information record (`Monitor`).
  private static let newIndexAddress = Slice(start: 2, count: 6)
  private static let infoAddress = Slice(start: 0, count: 6)
}

/// Collects the sensitive parameters of a command or event.
private struct FieldFinder: HCIFieldVisitor {
  var fields: [SensitiveField] = []
  var advertisingData: [Slice] = []
  /// What stands between fields: behind the end of a text, or of advertising data.
  var unused: [SensitiveField] = []
  /// What the latest address type says.
  private var isRandom: Bool?
  /// Where the latest field ends.
  private var end: Int?

  /// Takes in that the next field begins at `start`.
  mutating func take(upTo start: Int) {
    if let end, end < start {
      unused.append(SensitiveField(.unused, Slice(start: end, count: start - end)))
    }
    end = start
  }

  private mutating func take(_ slice: Slice) {
    take(upTo: Int(slice.start))
    end = slice.end
  }

  mutating func field(
    _ name: StaticString, line: StaticString?, number: Int64, width: Int,
    _ form: HCIParameter.Form, _ bytes: RawSpan, at slice: Slice
  ) {
    take(slice)
    switch form {
    case .code(.addressType): take(isRandom: number & 1 == 1, at: slice)
    case .code(.managementAddressType): take(isRandom: number == 2, at: slice)
    default: break
    }
    switch name.description {
    case "Encrypted_Diversifier", "Encryption_Diversifier":
      fields.append(SensitiveField(.diversifier, slice))
    case "Numeric_Value": fields.append(SensitiveField(.digits, slice))
    default: break
    }
  }

  /// Takes in an address type: that of the address behind it, or of the one just before it.
  private mutating func take(isRandom: Bool, at slice: Slice) {
    if let last = fields.indices.last, fields[last].kind == .address(isRandom: nil),
      fields[last].slice.end == Int(slice.start)
    {
      fields[last].kind = .address(isRandom: isRandom)
    } else {
      self.isRandom = isRandom
    }
  }

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: HCIValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    take(slice)
    switch value {
    case .address:
      let isRandom = name.description == "Random_Address" ? true : isRandom
      fields.append(SensitiveField(.address(isRandom: isRandom), slice))
      self.isRandom = nil
    case .secret: fields.append(SensitiveField(Self.kind(ofSecret: name, slice), slice))
    case .text: if !slice.isEmpty { fields.append(SensitiveField(.name, slice)) }
    case .advertisingData: advertisingData.append(slice)
    // Put together with the other parts it is looked at.
    case .advertisingFragment: break
    case .bytes: addBytes(name, slice)
    case .number, .uuid: break
    }
  }

  private static func kind(ofSecret name: StaticString, _ slice: Slice) -> SensitiveField.Kind {
    switch name.description {
    case "Passkey", "Numeric_Value": slice.count == 4 ? .passkey : .secret
    case "PIN_Code": .pin
    default: .secret
    }
  }

  private mutating func addBytes(_ name: StaticString, _ slice: Slice) {
    switch name.description {
    // Rand.
    case "Random_Number": fields.append(SensitiveField(.secret, slice))
    // The Y coordinate stands behind the X coordinate.
    case "Key_X_Coordinate": fields.append(SensitiveField(.secret, slice))
    case "Key_Y_Coordinate":
      let start = Int(slice.start) - P256Coordinate.size
      fields.removeAll { Int($0.slice.start) == start }
      let key = Slice(start: start, count: P256PublicKey.size)
      fields.append(SensitiveField(.publicKey, key))
    default: break
    }
  }
}
