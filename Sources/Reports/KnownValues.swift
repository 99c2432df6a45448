import Bluetooth
import Bytes
import Decoders

/// Values that say what others mean: those of characteristics that some definition asks for (`@2aa8.features`),
/// and the formats that descriptors give. Nothing is kept of other values.
struct KnownValues: Sendable {
  /// What a value is kept for.
  enum Use: Sendable {
    /// Definitions of other characteristics ask for its fields.
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
    /// Those that its parts have, in their order.
    var parts: [UInt16]?
    /// The definition that they come to; nil within: they come to none.
    var definition: Definition??
  }

  /// How many values, and formats, are kept, and how long a value may be.
  private static let most = 512
  private static let longest = 64

  private var values: [Subject: [UInt8]] = [:]
  private var formats: [Place: Format] = [:]
  private var descriptors: [Place: PresentationFormat] = [:]
  /// What was asked for last.
  private var latest: (definition: ObjectIdentifier, server: UInt64, numbers: [Known])?

  /// Whether a format is known.
  var hasFormats: Bool { !formats.isEmpty }

  /// What a value is kept for; nil where it is for nothing.
  ///
  /// - Parameter wanted: the characteristics that definitions ask for.
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

  /// Keeps a value.
  mutating func keep(_ value: RawSpan, _ uuid: BluetoothUUID, of server: UInt64) {
    let subject = Subject(server: server, uuid: uuid.shortest)
    guard value.byteCount <= Self.longest, values.count < Self.most || values[subject] != nil
    else { return }
    values[subject] = value.array
    latest = nil
  }

  /// The value last seen of a server's characteristic.
  func value(_ uuid: BluetoothUUID, of server: UInt64) -> [UInt8]? {
    values[Subject(server: server, uuid: uuid.shortest)]
  }

  /// What a definition asks for, if that was found out before and holds.
  func numbers(for definition: Definition, of server: UInt64) -> [Known]? {
    guard let latest, latest.server == server, latest.definition == ObjectIdentifier(definition)
    else { return nil }
    return latest.numbers
  }

  /// Remembers what a definition asks for.
  mutating func remember(_ numbers: [Known], for definition: Definition, of server: UInt64) {
    latest = (ObjectIdentifier(definition), server, numbers)
  }

  // MARK: Formats

  /// Keeps a format descriptor's value, or an aggregate's.
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
    // An aggregate may name the descriptors of others.
    for key in formats.keys where key.server == server { formats[key]?.definition = nil }
  }

  /// The definition of values of a characteristic by its format; nil where that is not known, or says
  /// nothing that can be decoded.
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
