import Bluetooth
import Bytes
import Histories
import Meanings
import Sessions

/// What two devices did on their connections, as far as it is compared: one side of a difference.
struct ComparedSession: Sendable {
  /// Bytes that operations share: values, words and fields, each as a slice.
  var bytes: [UInt8] = []
  /// The attributes that operations refer to.
  var roles: [Role] = []
  /// The names of vendors' messages.
  var messages: [String] = []
  /// The connections, in ascending order of their numbers.
  var connections: [SessionConnection] = []
  /// The attributes of the peripheral and of the central, if known.
  var servers: (peripheral: ServerMap?, central: ServerMap?)

  /// Whether it has data of L2CAP channels that is not compared.
  var hasUncompared: Bool { connections.contains(where: \.hasUncompared) }
  /// Whether `servers` are known to be those of the peripheral and of the central, and not only the
  /// peer's and the captured host's.
  var knowsServers = false
  /// The captured host's role. If it is not known, one is assumed; if it varies, this is one of
  /// them.
  var assumedRole = LinkRole.central

  init() {}

  /// An attribute identified by its meaning, not by its handle.
  struct Role: Sendable {
    /// Identifies it: UUIDs, and its number among several; equal on both sides for what belongs
    /// together.
    var key: [UInt8]
    /// In words: `2902 CCCD of 2a37`.
    var words: Wording
    /// Its handle; nil if the capture does not contain it.
    var handle: UInt16?
    /// Its type, if known.
    var uuid: BluetoothUUID?
    /// The UUID of the service that contains it.
    var service: BluetoothUUID?
    /// Whether its name is the one of the other side's attribute with this handle.
    var isInferred = false

    init(
      key: [UInt8], words: Wording, handle: UInt16?, uuid: BluetoothUUID?, service: BluetoothUUID?
    ) {
      (self.key, self.words, self.handle) = (key, words, handle)
      (self.uuid, self.service) = (uuid, service)
    }
  }

  /// The captured side's role; nil if it is unknown, or varies.
  var localRole: LinkRole? {
    let roles = Set(connections.compactMap { $0.history.connection.role(of: .local) })
    return roles.count == 1 ? roles.first : nil
  }
  /// What the capture contains of all connections.
  var parts: Coverage.Parts {
    connections.reduce(.all) { $0.intersection($1.parts) }
  }

  /// The handles that it uses without knowing their attributes, or the services of these.
  var unnamedHandles: Set<UInt16> {
    let used = Set(connections.lazy.flatMap(\.operations).compactMap(\.role))
    return Set(
      used.filter { roles[$0].uuid == nil || roles[$0].service == nil }
        .compactMap { roles[$0].handle })
  }

  /// Returns the bytes of a slice.
  func bytes(_ slice: Slice) -> ArraySlice<UInt8> {
    bytes[Int(slice.start)..<Int(slice.end)]
  }

  /// Returns the bytes of a slice as text.
  func text(_ slice: Slice) -> String { String(decoding: bytes(slice), as: UTF8.self) }

  /// Returns the connection of an operation; nil if nothing is remembered of it.
  func history(of operation: ComparedOperation) -> ConnectionHistory? {
    // This is called for each step that is printed, and there may be hundreds of connections.
    var (low, high) = (0, connections.count)
    while low < high {
      let middle = (low + high) / 2
      if connections[middle].history.id < operation.connection {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < connections.count, connections[low].history.id == operation.connection else {
      return nil
    }
    return connections[low].history
  }
}

/// One connection of a session.
struct SessionConnection: Sendable {
  /// What is remembered of the link.
  let history: ConnectionHistory
  /// What the capture contains of it.
  let parts: Coverage.Parts
  /// Whether it has data of L2CAP channels other than those of ATT, pairing and signalling.
  let hasUncompared: Bool
  /// What was done on it, in the order of packets.
  var operations: ArraySlice<ComparedOperation>

  init(
    _ history: ConnectionHistory, _ operations: [ComparedOperation], parts: Coverage.Parts = .all,
    hasUncompared: Bool = false
  ) {
    (self.history, self.operations) = (history, operations[...])
    (self.parts, self.hasUncompared) = (parts, hasUncompared)
  }
}

/// Something that was done on a connection; the two sides of a difference are aligned by these.
struct ComparedOperation: Sendable {
  /// What was done.
  enum Kind: Equatable, Sendable {
    /// The connection begins.
    case connect
    /// The two exchange the ATT_MTU.
    case exchangeMTU
    /// A client discovers attributes.
    case discovery
    /// A value is conveyed, or was meant to be.
    case value(ValueOperation)
    /// A Security Manager PDU.
    case pairing(SMPOpcode)
    /// The link is encrypted, or was meant to be.
    case encryption
    /// The connection ends.
    case end
  }

  // The order leaves few gaps, so that an operation is small: hundreds of thousands are kept.

  var time: Timestamp?
  /// Whether the captured host did it; nil if neither device did, or that is unknown.
  var isByHost: Bool?
  /// Whether the central did it; nil if unknown, or neither did.
  var isByCentral: Bool?
  /// The same; if the roles are unknown, those that fit the other side are assumed.
  var isByCentralAssumed: Bool?
  /// The time until the answer, in nanoseconds.
  var latency: Int64?
  /// What was done.
  let kind: Kind
  /// The request that was refused or not answered; nil if none was.
  var failedRequest: ATTOpcode?
  /// Whether the value is a secret that must not be printed.
  var isHidden = false
  /// Whether it is a write that was sent, to which the capture has no answer.
  var lacksAnswer = false
  /// Whether the capture has only the answer, so that another request may be meant.
  var lacksRequest = false
  /// Whether it failed since no response came.
  var isUnanswered = false
  /// Whether the capture has only the beginning of the value.
  var isCut = false
  /// Whether the server refused to send the rest of a long value.
  var isRestRefused = false
  /// The connection's number.
  @Small var connection: Int
  /// The packet with which it is reported.
  @Small var packet: Int
  /// Its last packet, if it took several.
  @Small var lastPacket: Int
  /// The index of its attribute in `roles`, if any.
  @SmallIfAny var role: Int? = nil
  /// The index of its message in `messages`, if any.
  @SmallIfAny var message: Int? = nil
  /// How often the same was done at once: requests of a discovery.
  @Small var count = 1
  /// The offset of the requested part of a value; 0 for all of it.
  @Small var offset = 0
  /// The kinds of the requests of a discovery.
  var requests: RequestKinds = []
  /// Why it failed, in `bytes`; nil if it did not.
  @SliceIfAny var failure: Slice? = nil
  /// Why the capture does not show the outcome, in `bytes`; nil if it does.
  @SliceIfAny var unknown: Slice? = nil
  /// The value, if any.
  @SliceIfAny var value: Slice? = nil
  /// What is chosen at random for every session, or computed from that, as a `FieldList`: confirm
  /// and random values, keys. Operations are aligned without it.
  @SliceIfAny var random: Slice? = nil
  /// The meaning of the value, in words.
  @SliceIfAny var text: Slice? = nil
  /// Its fields, as a `FieldList`.
  @SliceIfAny var fields: Slice? = nil

  /// Creates an operation that took one packet.
  init(_ kind: Kind, connection: Int, packet: Int, time: Timestamp?) {
    (self.kind, self.time) = (kind, time)
    (self.connection, self.packet, lastPacket) = (connection, packet, packet)
  }

  /// Whether it is known to have succeeded.
  var hasSucceeded: Bool { failure == nil && unknown == nil && !lacksAnswer }

  /// Whether it is known to have failed, and not another request.
  var hasFailed: Bool { failure != nil && !lacksRequest }

  /// Whether several in a row form one run: what a server sends on its own.
  var joinsRuns: Bool { kind == .value(.notification) || kind == .value(.indication) }
}

/// The fields of a decoded value as bytes, so that a hundred thousand of them take no more room
/// than their words: name, value and kind, with separators that neither can contain.
enum FieldList {
  struct Field: Equatable, Sendable {
    /// Its name, with dots for groups.
    let name: String
    /// Its value, with its unit.
    let value: String
    /// Why it is expected to differ.
    let kind: Kind
  }

  /// Why a field is expected to differ.
  enum Kind: UInt8, Sendable {
    /// It is not expected to.
    case plain = 0x2d
    /// It depends on the others.
    case checksum = 0x63
    /// It should depend on the others, but does not.
    case wrongChecksum = 0x77
    case time = 0x74
    /// It is chosen at random, or computed from something that is.
    case random = 0x72
    /// The same, and a secret that must not be printed.
    case secret = 0x73
  }

  private static let unit: UInt8 = 0x1f
  private static let record: UInt8 = 0x1e

  /// Appends a field, without control characters.
  static func append(
    _ name: [UInt8], _ value: [UInt8], _ kind: Kind, to bytes: inout [UInt8]
  ) {
    for byte in name where byte >= 0x20 { bytes.append(byte) }
    bytes.append(unit)
    for byte in value where byte >= 0x20 { bytes.append(byte) }
    bytes += [unit, kind.rawValue, record]
  }

  /// Returns the fields encoded in bytes.
  static func read(_ bytes: ArraySlice<UInt8>) -> [Field] {
    bytes.split(separator: record).compactMap { part in
      let pieces = part.split(separator: unit, omittingEmptySubsequences: false)
      guard pieces.count == 3 else { return nil }
      return Field(
        name: String(decoding: pieces[0], as: UTF8.self),
        value: String(decoding: pieces[1], as: UTF8.self),
        kind: pieces[2].first.flatMap(Kind.init(rawValue:)) ?? .plain)
    }
  }
}
