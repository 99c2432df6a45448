import Bluetooth
import Bytes
import Decoders
import Sessions

/// Values that determine the meaning of others: those of characteristics that a definition refers
/// to (`@2aa8.features`), and the formats in descriptors. Other values are not kept.
struct KnownValues: Sendable {
  /// Why a value is kept.
  enum Use: Sendable {
    /// Definitions of other characteristics refer to its fields.
    case external
    /// It is the format of a characteristic's value, or lists the formats of its parts.
    case format, aggregate
  }

  /// A value of one server.
  private struct Subject: Hashable, Sendable {
    let server: UInt64
    let uuid: BluetoothUUID
  }

  /// An attribute of one server.
  private struct Place: Hashable, Sendable {
    let server: UInt64
    let handle: UInt16
  }

  /// What is known of the format of a characteristic's value.
  private struct Format: Sendable {
    /// The format descriptors of the characteristic.
    var descriptors: [UInt16] = []
    /// The format descriptors of its parts, in order.
    var parts: [UInt16]?
    /// The resulting definition; nil inside if they yield none.
    var definition: Definition??
  }

  /// The maximum number of values, and of formats, and the maximum length of a value.
  private static let most = 512
  private static let longest = 64

  private var values: [Subject: [UInt8]] = [:]
  private var formats: [Place: Format] = [:]
  private var descriptors: [Place: PresentationFormat] = [:]
  /// The last lookup.
  private var latest: (definition: ObjectIdentifier, server: UInt64, numbers: [Known])?

  /// Whether a format is known.
  var hasFormats: Bool { !formats.isEmpty }

  /// Returns why a value is kept, or nil if it is not.
  ///
  /// - Parameter wanted: the characteristics that definitions refer to.
  static func use(
    _ kind: Decoders.Subject.Kind, _ uuid: BluetoothUUID, _ wanted: [BluetoothUUID]
  ) -> Use? {
    switch kind {
    case .characteristic: wanted.contains(uuid.shortest) ? .external : nil
    case .descriptor:
      uuid.shortest == BluetoothUUID(0x2904)
        ? .format : uuid.shortest == BluetoothUUID(0x2905) ? .aggregate : nil
    default: nil
    }
  }

  // MARK: Keeping

  /// Stores the value in a PDU.
  ///
  /// - Parameter side: the end that is the server.
  @inline(never)
  mutating func keep(
    _ use: Use, _ value: RawSpan, _ answer: Answer, _ memory: borrowing Memory, _ side: Side
  ) {
    guard let link = answer.link, let place = answer.attribute else { return }
    let attribute = memory.attributes[place]
    let before = memory.attributes.value(before: place).map { memory.attributes[$0].handle }
    keep(
      use, value, attribute.uuid, attribute.handle,
      owner: before ?? (attribute.target != 0 ? attribute.target : nil),
      of: memory.serverKey(link, side))
  }

  /// Stores a value from `Conversations`, which may have been split.
  @inline(never)
  mutating func keep(
    _ use: Use, _ content: RawSpan, _ value: ConveyedValue, _ memory: borrowing Memory
  ) {
    guard value.outcome == .done else { return }
    keep(
      use, content, value.attribute.uuid, value.attribute.handle, owner: value.attribute.owner,
      of: memory.attributes.currentKey(value.attribute.server))
  }

  /// Stores a value that is known without a packet.
  mutating func keep(
    _ kind: Decoders.Subject.Kind, _ value: RawSpan, _ uuid: BluetoothUUID, _ handle: UInt16?,
    owner: UInt16?, of server: UInt64, _ profiles: inout ProfileLookup
  ) {
    guard let use = profiles.use(kind, uuid) else { return }
    keep(use, value, uuid, handle, owner: owner, of: server)
  }

  /// - Parameter owner: the handle of the value of a descriptor's characteristic.
  private mutating func keep(
    _ use: Use, _ value: RawSpan, _ uuid: BluetoothUUID?, _ handle: UInt16?, owner: UInt16?,
    of server: UInt64
  ) {
    if use == .external {
      guard let uuid else { return }
      let subject = Subject(server: server, uuid: uuid.shortest)
      guard value.byteCount <= Self.longest, values.count < Self.most || values[subject] != nil
      else { return }
      values[subject] = value.array
      latest = nil
      return
    }
    guard let handle, let owner else { return }
    let place = Place(server: server, handle: owner)
    guard formats.count < Self.most || formats[place] != nil else { return }
    var format = formats[place] ?? Format()
    if use == .format {
      guard let read = PresentationFormat(value), format.descriptors.count < 32,
        descriptors.count < 4 * Self.most
      else { return }
      descriptors[Place(server: server, handle: handle)] = read
      if !format.descriptors.contains(handle) { format.descriptors.append(handle) }
    } else {
      guard value.byteCount % 2 == 0, value.byteCount <= Self.longest else { return }
      format.parts = (0..<value.byteCount / 2).map { value.littleEndianU16(at: 2 * $0) }
    }
    formats[place] = format
    // An aggregate may name the descriptors of other characteristics.
    for key in formats.keys where key.server == server { formats[key]?.definition = nil }
  }

  /// Returns the fields of other values that a definition refers to.
  @inline(never)
  mutating func externals(
    of definition: Definition, _ server: UInt64?, _ profiles: inout ProfileLookup
  ) -> [Known] {
    guard let server else { return [] }
    if let latest, latest.server == server, latest.definition == ObjectIdentifier(definition) {
      return latest.numbers
    }
    var numbers: [Known] = []
    var other = Decoded()
    var decoder = ValueDecoder()
    for external in definition.tables.externals {
      var number = Known.unknown
      if let value = values[Subject(server: server, uuid: external.uuid.shortest)],
        let found = profiles.external(external.uuid, value.bytes)
      {
        decoder.decode(found, value.bytes, into: &other)
        number = other.number(of: external.path)
      }
      numbers.append(number)
    }
    latest = (ObjectIdentifier(definition), server, numbers)
    return numbers
  }

  /// Returns the definition of a characteristic's values according to its format, or nil if the
  /// format is unknown or cannot be decoded.
  mutating func definition(
    _ uuid: BluetoothUUID, at handle: UInt16, of server: UInt64
  ) -> Definition? {
    let place = Place(server: server, handle: handle)
    guard let format = formats[place] else { return nil }
    if let known = format.definition { return known }
    let parts = format.parts ?? (format.descriptors.count == 1 ? format.descriptors : [])
    let read = parts.compactMap { descriptors[Place(server: server, handle: $0)] }
    let made =
      read.count == parts.count ? PresentationFormat.definition(of: uuid, read) : nil
    formats[place]?.definition = .some(made)
    return made
  }
}
