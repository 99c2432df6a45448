import Bluetooth
import Bytes
import Captures
import Cryptography
import Dissectors

/// A field that identifies a device or a person, or is a secret: its position and its kind.
struct SensitiveField: Equatable {
  enum Kind: Equatable {
    /// A device address, 6 bytes, least significant first; whether its type is random, nil:
    /// unknown.
    case address(isRandom: Bool?)
    /// A key, or another secret.
    case secret
    /// The key of a coordinated set: the identifiers made from it resolve like addresses.
    case setKey
    /// An encrypted diversifier and a random number, which identify a long-term key.
    case diversifier
    /// A passkey: a number of 4 bytes.
    case passkey
    /// Digits that users compare: a number of 4 bytes.
    case digits
    /// A PIN in its field.
    case pin
    /// A device's name, or the beginning of one.
    case name
    /// A device's serial number, or the beginning of one.
    case serial
    /// A System ID: usually a device's address in another form.
    case systemID
    /// Personal data in letters and digits, or its beginning: a name, an e-mail address, the name
    /// of a place.
    case personalText
    /// Personal data in numbers: a date of birth, a location.
    case personalNumber
    /// What a manufacturer or a service puts into advertising data; the service, if the data
    /// contains it.
    case advertised(BluetoothUUID?)
    /// What identifies a beacon, in advertising data; the service, if the data contains it.
    case beacon(BluetoothUUID?)
    /// A public key: 64 bytes.
    case publicKey
    /// Text written by users or programs.
    case text
    /// The bytes after the end of a text, of advertising data or of a PDU in a field that has room
    /// for more: no receiver reads them, and they may be leftovers.
    case unused
    /// Content of a record whose meaning is unknown.
    case unexplained
    /// Content that only the manufacturer of a controller can read.
    case vendors

    /// Whether it is letters and digits, so that part of a value may hold part of it.
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

/// The sensitive fields of a record that can be read on its own, which means all records but ACL
/// data. Bytes that do not belong to a field known to be harmless are included, whatever they are.
struct SensitiveFields {
  private(set) var fields: [SensitiveField] = []
  /// Each byte before this one belongs to a harmless field or is in `fields`.
  private var end = 0
  /// What bytes are that no field claims.
  private var unclaimed = SensitiveField.Kind.unused

  /// From this many bytes on, a part may be a recognisable piece of a secret.
  private static let leastPiece = 4

  init(_ dissection: Dissection, _ bytes: RawSpan) {
    switch dissection.content {
    case .command(let command):
      readParameters(
        dissection, bytes, isVendors: HCICommand.isVendors(command.opcode), returns: false)
    case .event(let event):
      readParameters(
        dissection, bytes, isVendors: event.code == HCIEvent.vendorCode,
        returns: dissection.fact.completesVendorsCommand)
    case .control: readParameters(dissection, bytes, isVendors: false, returns: false)
    case .note(let note): add(note, dissection.body, bytes)
    case .unknown where dissection.air != nil:
      // A packet whose bits are still whitened.
      keep(upTo: Int(dissection.body.start))
      closeGap(upTo: bytes.byteCount, as: .unexplained)
    case .unknown:
      // The packet type, if it has one.
      keep(upTo: 1)
      closeGap(upTo: bytes.byteCount, as: .unexplained)
    // The meaning of ACL data depends on several records; sound is removed as a whole, or stays.
    case .acl, .controllerLog: return
    case .sco, .iso: keep(upTo: dissection.body.end)
    case .advertising(let pdu): readAir(dissection, bytes, isOpaque: pdu.kind == .decision)
    case .linkControl: readAir(dissection, bytes, isOpaque: false)
    // Like ACL data.
    case .linkData: return
    }
    closeGap(upTo: bytes.byteCount)
  }

  /// Adds the fields of a PDU from the air.
  ///
  /// - Parameter isOpaque: whether its fields are not described, so that it may hold an address.
  private mutating func readAir(_ dissection: Dissection, _ bytes: RawSpan, isOpaque: Bool) {
    guard let air = dissection.air else { return }
    if let found = dissection.parameters, !isOpaque {
      keep(upTo: Int(found.outer.start))
      if let row = found.row { walk(row.parameters, bytes, found.outer) }
      closeGap(upTo: air.pdu.end, as: found.row == nil ? .unexplained : .unused)
    } else {
      keep(upTo: Int(air.payload(bytes).start))
      closeGap(upTo: air.pdu.end, as: .unexplained)
    }
    keep(upTo: air.end)
  }

  /// Finds the sensitive fields of AD structures.
  init(advertisingData bytes: RawSpan, _ slice: Slice) {
    end = Int(slice.start)
    addStructures(bytes, slice)
    closeGap(upTo: slice.end)
  }

  // MARK: Claiming bytes

  /// Marks the bytes before `offset` as belonging to harmless fields.
  private mutating func keep(upTo offset: Int) { end = max(end, offset) }

  /// Adds the bytes before `offset` that no field has claimed.
  private mutating func closeGap(upTo offset: Int, as kind: SensitiveField.Kind? = nil) {
    guard end < offset else { return }
    fields.append(SensitiveField(kind ?? unclaimed, Slice(start: end, count: offset - end)))
    end = offset
  }

  private mutating func add(_ kind: SensitiveField.Kind, _ slice: Slice) {
    closeGap(upTo: Int(slice.start))
    guard !slice.isEmpty else { return }
    fields.append(SensitiveField(kind, slice))
    end = max(end, slice.end)
  }

  /// Marks the first `count` bytes of `slice` as harmless.
  private mutating func keep(_ count: Int, of slice: Slice) {
    closeGap(upTo: Int(slice.start))
    keep(upTo: Int(slice.start) + min(max(0, count), Int(slice.count)))
  }

  // MARK: Parameters

  /// Adds the fields of parameters.
  ///
  /// - Parameters:
  ///   - isVendors: whether only a vendor knows the meaning of the parameters, unless a row
  ///     describes them.
  ///   - returns: whether the same applies to return parameters.
  private mutating func readParameters(
    _ dissection: Dissection, _ bytes: RawSpan, isVendors: Bool, returns: Bool
  ) {
    guard let found = dissection.parameters else { return }
    if isVendors || returns { unclaimed = .vendors }
    // What follows the packet's end is not the vendor's.
    defer {
      closeGap(upTo: dissection.body.end)
      unclaimed = .unused
    }
    // The headers, and the code of an event within an LE Meta or vendor event.
    keep(upTo: Int(found.outer.start))
    let vendors = dissection.vendorsFields(bytes)
    guard vendors.isEmpty else {
      for field in vendors {
        keep(upTo: Int(field.slice.start))
        add(field.kind, field.slice)
      }
      return
    }
    if let row = dissection.misfittingAndroidEvent(bytes) {
      keep(1, of: found.outer)
      let rest = Slice(start: Int(found.outer.start) + 1, count: Int(found.outer.count) - 1)
      walk(row.parameters, bytes, rest, fits: false)
      return
    }
    read(found.row?.parameters, bytes, found.outer, hasStatus: false, isVendors: isVendors)
    guard !found.inner.isEmpty else { return }
    read(
      found.completed?.returns, bytes, found.inner, hasStatus: true, isVendors: returns)
  }

  private mutating func read(
    _ layout: ParameterLayout?, _ bytes: RawSpan, _ slice: Slice, hasStatus: Bool, isVendors: Bool
  ) {
    if let layout, layout.has(.known) {
      walk(layout, bytes, slice)
      return
    }
    // Every command returns its Status first.
    let head = hasStatus ? min(1, Int(slice.count)) : 0
    keep(head, of: slice)
    add(
      isVendors ? .vendors : .unexplained,
      Slice(start: Int(slice.start) + head, count: Int(slice.count) - head))
  }

  /// Adds the fields of a layout.
  ///
  /// - Parameter fits: whether the bytes have the layout's length. Otherwise its fields may lie
  ///   elsewhere, and only short harmless ones are kept.
  private mutating func walk(
    _ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice, fits: Bool = true
  ) {
    let parameters = ParameterClaims(layout, bytes, slice)
    var judge = ParameterJudge()
    for claim in parameters.all { judge.add(claim) }
    for claim in judge.claims {
      switch claim.use {
      case .harmless where !fits && claim.slice.count >= Self.leastPiece: break
      case .harmless: keep(Int(claim.slice.count), of: claim.slice)
      case .field(let kind): add(kind, claim.slice)
      case .advertisingData: addStructures(bytes, claim.slice, isCut: !fits)
      }
    }
    // A truncated name or key is still most of one.
    let rest = parameters.rest
    guard !rest.isEmpty else { return }
    switch parameters.cut {
    case .text: add(.name, rest)
    case .advertisingData: addStructures(bytes, rest, isCut: true)
    // The rest of a secret or an address.
    case nil:
      if layout.has(.secret) {
        add(.secret, rest)
      } else if parameters.isShort {
        add(.unused, rest)
      }
    }
  }

  // MARK: Advertising data

  /// Adds the fields of advertising data.
  ///
  /// - Parameter isCut: whether the record lacks some of the data: it may be a later part, so that
  ///   it is unknown where a structure begins.
  private mutating func addStructures(_ bytes: RawSpan, _ slice: Slice, isCut: Bool = false) {
    closeGap(upTo: Int(slice.start))
    let outside = unclaimed
    unclaimed = .unused
    defer { unclaimed = outside }
    let isWhole = !isCut && Self.endsWhole(bytes, slice)
    // A structure that extends past the end is reported as far as it goes: a part of more may
    // continue elsewhere.
    var offset = Int(slice.start)
    while offset < slice.end {
      let length = Int(bytes.byte(at: offset))
      // The end: zeros follow (Core, Vol 3, Part C, 11). No field claims anything else there.
      guard length > 0 else {
        keep(upTo: offset + 1)
        break
      }
      keep(upTo: min(offset + 2, slice.end))
      guard offset + 1 < slice.end else { return }
      let type = ADType(rawValue: bytes.byte(at: offset + 1))
      let count = min(length - 1, slice.end - offset - 2)
      add(
        type, Slice(start: offset + 2, count: count), whole: length - 1, bytes, isCut: isCut,
        isWhole: isWhole)
      closeGap(upTo: offset + 2 + count)
      offset += 1 + length
    }
    closeGap(upTo: slice.end)
  }

  /// Returns whether structures end where their data ends or zeros begin. Otherwise some of what
  /// looks like a structure is something else.
  private static func endsWhole(_ bytes: RawSpan, _ slice: Slice) -> Bool {
    var structures = ADStructures(bytes, slice)
    while structures.next() != nil {}
    return structures.overrun == nil
  }

  private mutating func add(
    _ type: ADType, _ data: Slice, whole: Int, _ bytes: RawSpan, isCut: Bool, isWhole: Bool
  ) {
    guard !data.isEmpty else { return }
    switch type.layout(count: whole) {
    case .name: add(.name, data)
    case .secret: add(.secret, data)
    // No bits beyond these two bytes are assigned.
    case .flags, .appearance: keep(2, of: data)
    case .deviceClass: keep(3, of: data)
    case .uuids(let width), .solicitedUUIDs(let width):
      // A long list only counts as UUIDs if everything is well-formed.
      if isWhole || data.count < 6 { keep(Int(data.count) / width * width, of: data) }
    case .serviceData(let width): addSupplied(width, isService: true, data, bytes, isCut: isCut)
    // The company's identifier.
    case .manufacturerData: addSupplied(2, isService: false, data, bytes, isCut: isCut)
    case .uri, .bytes: addSupplied(0, isService: false, data, bytes, isCut: isCut)
    case .fields: addFields(type, data, bytes, isCut: isCut, isWhole: isWhole)
    }
  }

  private mutating func addFields(
    _ type: ADType, _ data: Slice, _ bytes: RawSpan, isCut: Bool, isWhole: Bool
  ) {
    switch type.rawValue {
    // Public Target Address, Random Target Address; LE Bluetooth Device Address, which is followed
    // by its type.
    case 0x17, 0x18, 0x1b:
      let isRandom: Bool? = type.rawValue == 0x1b ? nil : type.rawValue == 0x18
      for start in stride(from: Int(data.start), through: data.end - 6, by: 6) {
        add(.address(isRandom: isRandom), Slice(start: start, count: 6))
      }
      if type.rawValue == 0x1b, data.count >= 7 { keep(upTo: Int(data.start) + 7) }
    // A Resolvable Set Identifier is made like a resolvable address (CSIS, 4.8): hash of 3 bytes,
    // random number of 3.
    case 0x2e: if data.count == 6 { add(.address(isRandom: true), data) }
    // BIGInfo: 33 bytes of numbers; for an encrypted BIG also GIV (8) and GSKD (16), from which its
    // key is made.
    case 0x2c where isWhole:
      keep(33, of: data)
      if data.count > 33 {
        add(.secret, Slice(start: Int(data.start) + 33, count: min(24, Int(data.count) - 33)))
      }
    // Indoor positioning, transport discovery, Mesh, encrypted data, shelf labels, 3D information.
    case 0x25, 0x26, 0x29...0x2b, 0x31...:
      addSupplied(0, isService: false, data, bytes, isCut: isCut)
    // The features of the link layer; beyond the specification's first eight bytes they are
    // unknown.
    case 0x27: keep(isWhole ? 8 : 5, of: data)
    default:
      switch type.size {
      case .exactly(let count), .either(_, let count):
        keep(isWhole ? count : min(count, 5), of: data)
      case .any, .atLeast, .multiple: break
      }
    }
  }

  /// Adds the data of a manufacturer or a service: after `head` bytes with its identifier, which
  /// stays. The rest of advertising data (flags, lists of services, parameters of links) is all
  /// that the analysis needs.
  private mutating func addSupplied(
    _ head: Int, isService: Bool, _ data: Slice, _ bytes: RawSpan, isCut: Bool
  ) {
    keep(head, of: data)
    guard Int(data.count) > head else { return }
    var service: BluetoothUUID?
    if isService {
      var cursor = Cursor(bytes, data)
      service = (try? BluetoothUUID(parsing: &cursor, width: head))?.shortest
    }
    var start = Int(data.start) + head
    if head == 2, !isCut {
      let content = bytes.part(data).array
      let identifiers =
        !isService
        ? BeaconLayout.manufacturer(content)
        : service == BluetoothUUID(0xfeaa) ? BeaconLayout.eddystone(content) : []
      for count in identifiers {
        if start == Int(data.start) + head {
          add(.advertised(service), Slice(start: start, count: BeaconLayout.head - head))
          start = Int(data.start) + BeaconLayout.head
        }
        guard start < data.end else { return }
        add(.beacon(service), Slice(start: start, count: min(count, data.end - start)))
        start += count
      }
    }
    guard start < data.end else { return }
    add(isCut ? .unused : .advertised(service), Slice(start: start, count: data.end - start))
  }

  // MARK: Notes

  private mutating func add(_ note: MonitorNote, _ body: Slice, _ bytes: RawSpan) {
    switch note.kind {
    // Type (1 byte), bus (1), address (6), the controller's name in the system (8).
    case .newIndex:
      keep(upTo: 2)
      guard note.address != nil else { break }
      add(.address(isRandom: nil), Slice(start: 2, count: 6))
      if let text = note.text { addControllerName(text, bytes) }
    // Address (6 bytes), manufacturer (2).
    case .indexInfo:
      guard note.address != nil else { break }
      add(.address(isRandom: nil), Slice(start: 0, count: 6))
      if note.manufacturer != nil { keep(upTo: 8) }
    case .systemNote, .userLog, .controlOpen:
      // The identifier of the writer; notes of this program stay recognizable.
      if let identifier = note.identifier {
        keep(upTo: Int(identifier.start))
        if bytes.part(identifier).starts(with: Marker.identifier) {
          keep(upTo: identifier.end)
        } else {
          add(.text, identifier)
        }
      }
      if let text = note.text { add(.text, text) }
    case .log:
      // Process, library, subsystem and category come before the message.
      if let text = note.text {
        let start = Int(note.identifier?.start ?? text.start)
        keep(upTo: start)
        add(.text, Slice(start: start, count: text.end - start))
      }
      // What an unknown body contains cannot be determined.
      if !body.isEmpty { add(.text, body) }
    // LMP's opcode is in its first byte; its packets carry keys of BR/EDR.
    case .lmp:
      keep(upTo: 1)
      closeGap(upTo: body.end, as: .unexplained)
    case .vendorDiagnostic, .unknown: closeGap(upTo: body.end, as: .unexplained)
    case .controlClose: if note.cookie != nil { keep(upTo: 4) }
    case .deletedIndex, .openIndex, .closeIndex: break
    }
  }

  /// Adds the controller's name, unless it is "hci" and a number; it is unknown who chose any other
  /// name.
  private mutating func addControllerName(_ text: Slice, _ bytes: RawSpan) {
    let name = bytes.part(text).array.prefix { $0 != 0 }
    let slice = Slice(start: Int(text.start), count: name.count)
    if name.starts(with: "hci".utf8), name.dropFirst(3).allSatisfy({ 0x30...0x39 ~= $0 }) {
      keep(Int(slice.count), of: slice)
    } else {
      add(.text, slice)
    }
  }
}

/// Decides which parameters are sensitive.
private struct ParameterJudge {
  /// A parameter, or several harmless ones that follow each other.
  struct Claim {
    enum Use: Equatable {
      case harmless
      case field(SensitiveField.Kind)
      case advertisingData
    }

    var use: Use
    var slice: Slice
  }

  private(set) var claims: [Claim] = []
  /// The latest address type, if it is still to be used.
  private var isRandom: Bool?
  /// The part of advertising data that a command contains, from its Operation (Core, Vol 4, Part E,
  /// 7.8.54).
  private var operation: Int64 = 0

  private mutating func keep(_ slice: Slice) {
    if let last = claims.indices.last, claims[last].use == .harmless,
      claims[last].slice.end == Int(slice.start)
    {
      let start = Int(claims[last].slice.start)
      claims[last].slice = Slice(start: start, count: slice.end - start)
    } else {
      claims.append(Claim(use: .harmless, slice: slice))
    }
  }

  private mutating func add(_ kind: SensitiveField.Kind, _ slice: Slice) {
    claims.append(Claim(use: .field(kind), slice: slice))
  }

  private mutating func add(_ number: Int64, _ form: Parameter.Form, at slice: Slice) {
    switch form {
    case .code(.addressType): recordAddressType(isRandom: number & 1 == 1, at: slice)
    case .code(.managementAddressType): recordAddressType(isRandom: number == 2, at: slice)
    case .code(.dataOperation): operation = number
    default: break
    }
    switch form {
    case .diversifier: add(.diversifier, slice)
    case .sixDigits: add(.digits, slice)
    default: keep(slice)
    }
  }

  /// Records an address type: that of the address after it, or of the one just before it.
  private mutating func recordAddressType(isRandom: Bool, at slice: Slice) {
    if let last = claims.indices.last, claims[last].use == .field(.address(isRandom: nil)),
      claims[last].slice.end == Int(slice.start)
    {
      claims[last].use = .field(.address(isRandom: isRandom))
    } else {
      self.isRandom = isRandom
    }
  }

  mutating func add(_ parameter: ParameterClaims.Claim) {
    let slice = parameter.slice
    switch parameter.value {
    case .number(let number, _, let form): add(number, form, at: slice)
    case .address(_, let isRandom):
      add(.address(isRandom: isRandom ? true : self.isRandom), slice)
      self.isRandom = nil
    case .secret(let content), .bytes(let content): claim(content, slice)
    case .text: add(.name, slice)
    case .advertisingData: claims.append(Claim(use: .advertisingData, slice: slice))
    // It is examined when joined with the other parts; if no part is expected, it is not one.
    case .advertisingFragment: if operation < 3 { keep(slice) }
    case .uuid: keep(slice)
    }
  }

  /// Claims bytes without further structure. No field claims what may hold anything.
  private mutating func claim(_ content: Parameter.Content, _ slice: Slice) {
    switch content {
    case .unknown: break
    case .harmless(let most): if slice.count <= most { keep(slice) }
    case .secret, .keyX: add(.secret, slice)
    case .passkey: add(.passkey, slice)
    case .pin: add(.pin, slice)
    case .keyY:
      // It follows the X coordinate.
      guard let last = claims.indices.last, claims[last].use == .field(.secret),
        claims[last].slice.end == Int(slice.start)
      else { return add(.secret, slice) }
      let start = Int(claims[last].slice.start)
      claims[last] = Claim(
        use: .field(.publicKey), slice: Slice(start: start, count: slice.end - start))
    case .advertised, .serviceData: add(.advertised(nil), slice)
    case .vendors: add(.vendors, slice)
    }
  }
}
