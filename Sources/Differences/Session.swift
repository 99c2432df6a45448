package import Bluetooth
package import Bytes
package import Diagnosis
package import Sessions

/// What two devices did on their connections, as far as it is compared: one side of a difference.
package struct Session: Sendable {
  /// Bytes that operations share: values, words and fields, each as a slice.
  package var bytes: [UInt8] = []
  /// The attributes that operations are about.
  package var roles: [Role] = []
  /// What vendors' messages are called.
  package var messages: [String] = []
  /// The connections, in the order of their numbers.
  package var connections: [SessionConnection] = []
  /// The attributes of the peripheral, and those of the central, as far as anything is known of them.
  package var servers: (peripheral: ServerMap?, central: ServerMap?)

  /// Nothing seen.
  package init() {}

  /// An attribute by what it is, not by where it stands.
  package struct Role: Sendable {
    /// Tells it from others: UUIDs, and which one of several; equal on both sides for what belongs together.
    package var key: [UInt8]
    /// In words: `2902 CCCD of 2a37`.
    package var words: Wording
    /// Its handle; nil where the capture does not tell it.
    package var handle: UInt16?
    /// Its type, where that is known.
    package var uuid: BluetoothUUID?
    /// Of the service that it is in.
    package var service: BluetoothUUID?

    /// An attribute.
    package init(
      key: [UInt8], words: Wording, handle: UInt16?, uuid: BluetoothUUID?, service: BluetoothUUID?
    ) {
      (self.key, self.words, self.handle) = (key, words, handle)
      (self.uuid, self.service) = (uuid, service)
    }
  }

  /// The bytes of a slice.
  package func bytes(_ slice: Slice) -> ArraySlice<UInt8> {
    bytes[Int(slice.start)..<Int(slice.end)]
  }

  /// The bytes of a slice as text.
  package func text(_ slice: Slice) -> String { String(decoding: bytes(slice), as: UTF8.self) }

  /// The operations of all connections, one after the other.
  package var operations: [Operation] { connections.flatMap(\.operations) }

  /// The connection of an operation; nil where nothing is remembered of it.
  package func history(of operation: Operation) -> ConnectionHistory? {
    // Asked for each step that is printed, and there may be hundreds of connections.
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
package struct SessionConnection: Sendable {
  /// What is remembered of the link.
  package let history: ConnectionHistory
  /// What was done on it, in the order of packets.
  package var operations: [Operation]

  /// A connection.
  package init(_ history: ConnectionHistory, _ operations: [Operation]) {
    (self.history, self.operations) = (history, operations)
  }
}

/// Something that was done on a connection: what the two sides of a difference are aligned by.
package struct Operation: Sendable {
  /// What was done.
  package enum Kind: Equatable, Sendable {
    /// The connection begins.
    case connect
    /// The two exchange the MTU of ATT.
    case exchangeMTU
    /// A client looks for attributes.
    case discovery
    /// A value crosses the link, or was to.
    case value(ValueOperation)
    /// A PDU of the Security Manager.
    case pairing(SMPOpcode)
    /// The link is encrypted, or was to be.
    case encryption
    /// The connection ends.
    case end
  }

  // In an order that leaves few gaps, and small: hundreds of thousands are kept.

  /// The connection's number.
  package var connection: Int
  /// The packet that it is told of by, and the last one where it took several.
  package var packet: Int
  /// The last packet of it.
  package var lastPacket: Int
  private var rolePlace: Int32?
  private var messagePlace: Int32?
  /// When.
  package var time: Timestamp?
  /// How long the answer took, in nanoseconds.
  package var latency: Int64?
  /// What was done.
  package let kind: Kind
  /// Whether the central did it; nil where that is not known, or nobody did.
  package var isByCentral: Bool?
  /// Whether the value is a secret that is not to be printed.
  package var isHidden = false
  /// The request that was refused or not answered; nil where none was.
  package var failedRequest: ATTOpcode?
  /// Why it failed, in `bytes`; nil where it did not.
  package var failure: Slice?
  /// Why the capture does not tell what became of it; nil where it does.
  package var unknown: Slice?
  /// The value; nil where there is none.
  package var value: Slice?
  /// What is chosen at random for every session, or computed from that, a `FieldList`: confirm and random
  /// values, keys. Operations are aligned without it.
  package var random: Slice?
  /// What the value means, in words.
  package var text: Slice?
  /// Its fields: `FieldList`.
  package var fields: Slice?
  /// How often the same was done at once: requests of a discovery.
  package var count = 1
  /// The kinds of these requests, by their opcodes.
  package var requests: Set<ATTOpcode> = []
  /// Where the part of a value begins that is asked for; 0 for all of it.
  package var offset = 0

  /// The place of its attribute in `roles`; nil where there is none.
  package var role: Int? {
    get { rolePlace.map { Int($0) } }
    set { rolePlace = newValue.map { Int32(clamping: $0) } }
  }

  /// The place of its message in `messages`; nil where there is none.
  package var message: Int? {
    get { messagePlace.map { Int($0) } }
    set { messagePlace = newValue.map { Int32(clamping: $0) } }
  }

  /// Something that was done.
  package init(_ kind: Kind, connection: Int, packet: Int, time: Timestamp?) {
    self.kind = kind
    self.connection = connection
    self.packet = packet
    lastPacket = packet
    self.time = time
  }

  /// Whether it is known to have succeeded.
  package var hasSucceeded: Bool { failure == nil && unknown == nil }

  /// Whether several that follow each other are one run: what a server sends by itself.
  package var joinsRuns: Bool { kind == .value(.notification) || kind == .value(.indication) }
}

/// The fields of a decoded value as bytes, so that a hundred thousand of them take no more room than their
/// words: name, value and kind, with separators that neither can have.
package enum FieldList {
  /// A field.
  package struct Field: Equatable, Sendable {
    /// Its name, with dots into groups.
    package let name: String
    /// What it says, with its unit.
    package let value: String
    /// Why it is expected to differ.
    package let kind: Kind
  }

  /// Why a field is expected to differ.
  package enum Kind: UInt8, Sendable {
    /// It is not.
    case plain = 0x2d
    /// It follows from the others.
    case checksum = 0x63
    /// It should follow from the others, and does not.
    case wrongChecksum = 0x77
    /// It is a time.
    case time = 0x74
    /// It is chosen at random, or computed from what is.
    case random = 0x72
    /// The same, and a secret that is not to be printed.
    case secret = 0x73
  }

  private static let unit: UInt8 = 0x1f
  private static let record: UInt8 = 0x1e

  /// Appends a field; of its words control characters are left out.
  package static func append(
    _ name: [UInt8], _ value: [UInt8], _ kind: Kind, to bytes: inout [UInt8]
  ) {
    for byte in name where byte >= 0x20 { bytes.append(byte) }
    bytes.append(unit)
    for byte in value where byte >= 0x20 { bytes.append(byte) }
    bytes += [unit, kind.rawValue, record]
  }

  /// The fields that bytes say.
  package static func read(_ bytes: ArraySlice<UInt8>) -> [Field] {
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
