import Bluetooth
import Bytes
import Decoders

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

  // MARK: Values that definitions ask for

  mutating func keep(_ value: RawSpan, _ uuid: BluetoothUUID, of server: UInt64) {
    let subject = Subject(server: server, uuid: uuid.shortest)
    guard value.byteCount <= Self.longest, values.count < Self.most || values[subject] != nil
    else { return }
    values[subject] = value.array
    latest = nil
  }

  /// Returns the last value of a server's characteristic.
  func value(_ uuid: BluetoothUUID, of server: UInt64) -> [UInt8]? {
    values[Subject(server: server, uuid: uuid.shortest)]
  }

  /// Returns the values that a definition refers to, if the last lookup was the same and is still
  /// valid.
  func numbers(for definition: Definition, of server: UInt64) -> [Known]? {
    guard let latest, latest.server == server, latest.definition == ObjectIdentifier(definition)
    else { return nil }
    return latest.numbers
  }

  /// Remembers the values that a definition refers to.
  mutating func remember(_ numbers: [Known], for definition: Definition, of server: UInt64) {
    latest = (ObjectIdentifier(definition), server, numbers)
  }

  // MARK: Formats

  /// Stores the value of a format descriptor or an aggregate.
  ///
  /// - Parameter owner: the handle of the characteristic's value.
  mutating func keep(
    _ use: Use, _ value: RawSpan, descriptor: UInt16, owner: UInt16, of server: UInt64
  ) {
    let place = Place(server: server, handle: owner)
    guard formats.count < Self.most || formats[place] != nil else { return }
    var format = formats[place] ?? Format()
    switch use {
    case .external: return
    case .format:
      guard let read = PresentationFormat(value), format.descriptors.count < 32,
        descriptors.count < 4 * Self.most
      else { return }
      descriptors[Place(server: server, handle: descriptor)] = read
      if !format.descriptors.contains(descriptor) { format.descriptors.append(descriptor) }
    case .aggregate:
      guard value.byteCount % 2 == 0, value.byteCount <= Self.longest else { return }
      format.parts = (0..<value.byteCount / 2).map { value.littleEndianU16(at: 2 * $0) }
    }
    formats[place] = format
    // An aggregate may name the descriptors of other characteristics.
    for key in formats.keys where key.server == server { formats[key]?.definition = nil }
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
