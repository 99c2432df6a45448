package import Bluetooth
package import Sessions

/// What protected a link.
package enum LinkSecurity: UInt8, Sendable {
  /// The capture does not tell.
  case unknown
  case unencrypted
  /// With a key that came of a pairing without protection against a man in the middle.
  case unauthenticated
  /// With a key that came of a pairing with that.
  case authenticated
  /// With a key of which it is not known how it came about.
  case encrypted

  /// Whether it is encrypted.
  package var isEncrypted: Bool { rawValue >= Self.unauthenticated.rawValue }
}

/// A request that was refused, other than the end of a discovery.
package struct Refusal: Sendable {
  /// What was asked for.
  package let opcode: ATTOpcode
  /// Who refused.
  package let server: Side
  /// The attribute that the request named; for a search the one that the answer named.
  package let attribute: AttributeIdentity
  /// Of a characteristic's value: what its declaration offers, where that is known.
  package let properties: CharacteristicProperties?
  /// Of a search: the handles, and the type that was asked for.
  package let range: (first: UInt16, last: UInt16)?
  package let type: BluetoothUUID?
  /// Where in the value the part begins that it asks for or brings.
  package let offset: UInt16?
  /// Why.
  package let error: ATTErrorCode
  /// What the attribute's profile calls that.
  package let errorName: [UInt8]?
  /// How the link was protected then.
  package let security: LinkSecurity
  /// How many bytes were to be written.
  package let length: Int
  /// The first ones, unless they may be secret.
  package let head: [UInt8]
  /// The request, and the answer.
  package let request: Moment
  package let answer: Moment
  /// How often it was refused for the same reason, and the last time.
  package internal(set) var count = 1
  package internal(set) var last: Moment
  /// Where the same was allowed later: that request and its answer.
  package internal(set) var accepted: (request: Moment, answer: Moment)?

  /// Who asked.
  package var client: Side { server.other }
  /// The attribute's handle; 0: none.
  package var handle: UInt16 { attribute.handle ?? 0 }
  /// The packets.
  package var evidence: PacketSet {
    PacketSet([
      request.packet, answer.packet, accepted?.request.packet ?? 0, accepted?.answer.packet ?? 0,
    ])
  }
}

extension ATTErrorCode {
  /// Whether it asks for a better protected link: what is refused so may be allowed later.
  package var isAboutSecurity: Bool {
    switch rawValue {
    case 0x05, 0x08, 0x0c, 0x0f: true
    default: false
    }
  }

  /// Whether it says something of the attribute and the operation, whatever the value.
  var isAboutAttribute: Bool {
    switch rawValue {
    case 0x01, 0x02, 0x03: true
    default: isAboutSecurity
    }
  }
}

/// A value that a client wrote to a Client Characteristic Configuration.
package struct Configuration: Sendable {
  /// The descriptor, and whose it is: the characteristic's value.
  package internal(set) var descriptor: AttributeIdentity
  package internal(set) var owner: AttributeIdentity?
  /// What that characteristic's declaration offers, where that is known.
  package internal(set) var properties: CharacteristicProperties?
  /// Who has it.
  package let server: Side
  /// The value: bit 0 asks for notifications, bit 1 for indications (Core, Vol 3, Part G, 3.3.3.3).
  package let value: UInt16
  /// The request.
  package let request: Moment
  /// The answer, where it was accepted.
  package internal(set) var accepted: Moment?
  /// The reason, where it was not.
  package internal(set) var error: ATTErrorCode?
}

/// A request for the MTU, and its answer.
package struct MTUExchange: Sendable {
  /// Who asked.
  package let client: Side
  /// What the client takes, and what the server does.
  package let offered: UInt16
  package let answered: UInt16
  /// The packets.
  package let request: Moment
  package let answer: Moment

  /// What is in force (Core, Vol 3, Part F, 3.4.2.2).
  package var mtu: UInt16 { max(23, min(offered, answered)) }
}

/// What a run of discovery found.
package struct DiscoveryRun: Sendable {
  /// Who searched.
  package let client: Side
  /// Its first request, and the packet with its last answer.
  package let first: Moment
  package internal(set) var last: Moment
  /// What was found that was not found before on this connection.
  package internal(set) var services = 0
  package internal(set) var characteristics = 0
  package internal(set) var descriptors = 0
}

/// A server's word that its attributes have changed (Core, Vol 3, Part G, 7.1).
package struct ServiceChange: Sendable {
  /// Who said so.
  package let server: Side
  /// The handles.
  package let first: UInt16
  package let last: UInt16
  /// The indication.
  package let moment: Moment
}

/// A Database Hash that was read (Core, Vol 3, Part G, 7.3).
package struct HashReading: Sendable {
  /// Whose.
  package let server: Side
  /// The hash.
  package let value: [UInt8]
  /// The answer.
  package let moment: Moment
}

/// Values that crossed one after the other in the same way, for the story.
package struct ValueRun: Sendable {
  /// What kind of values.
  package enum Kind: Equatable, Sendable {
    case reads, writes, sent
    /// Messages of a vendor's protocol, by its place.
    case vendor(Int)
    /// Several of these, where there are too many runs to tell.
    case mixed
  }

  /// What kind.
  package internal(set) var kind: Kind
  /// Whose values.
  package internal(set) var server: Side
  /// The first packet, and the last.
  package let first: Moment
  package internal(set) var last: Int
  /// How often what was done.
  package internal(set) var reads = 0
  package internal(set) var writes = 0
  package internal(set) var commands = 0
  package internal(set) var parts = 0
  package internal(set) var notifications = 0
  package internal(set) var indications = 0
  package internal(set) var confirmed = 0
  /// Of a vendor's protocol: requests, and those that were answered.
  package internal(set) var requests = 0
  package internal(set) var answered = 0
  /// The attributes, the first ones; and whether there are more.
  package internal(set) var handles: [UInt16] = []
  package internal(set) var hasMore = false
  /// How long the first answers took, in nanoseconds.
  package internal(set) var latencies: [Int64] = []

  private static let mostHandles = 4
  private static let mostLatencies = 64

  init(_ kind: Kind, _ server: Side, _ first: Moment) {
    self.kind = kind
    self.server = server
    self.first = first
    last = first.packet
  }

  /// Whether nothing is left of it.
  var isEmpty: Bool {
    reads + writes + commands + parts + notifications + indications + requests == 0
  }

  /// The latency in the middle.
  package var median: Int64? {
    latencies.isEmpty ? nil : latencies.sorted()[latencies.count / 2]
  }

  mutating func note(_ handle: UInt16, _ packet: Int, _ latency: Int64?) {
    last = max(last, packet)
    note(handle)
    if let latency, latencies.count < Self.mostLatencies { latencies.append(latency) }
  }

  private mutating func note(_ handle: UInt16) {
    if handles.contains(handle) { return }
    if handles.count < Self.mostHandles { handles.append(handle) } else { hasMore = true }
  }

  /// Takes in another run that follows.
  package mutating func join(_ other: Self) {
    if kind != other.kind { kind = .mixed }
    last = max(last, other.last)
    reads += other.reads
    writes += other.writes
    commands += other.commands
    parts += other.parts
    notifications += other.notifications
    indications += other.indications
    confirmed += other.confirmed
    requests += other.requests
    answered += other.answered
    for handle in other.handles { note(handle) }
    hasMore = hasMore || other.hasMore
    latencies += other.latencies.prefix(max(0, Self.mostLatencies - latencies.count))
  }
}

/// A write that could not fit.
package struct LongWrite: Sendable {
  /// What it was.
  package let opcode: ATTOpcode
  /// The attribute.
  package let attribute: AttributeIdentity
  /// Who wrote.
  package let client: Side
  /// How many bytes the PDU has, and the MTU then; of prepared writes the end of the part, and 512.
  package let length: Int
  package let most: Int
  /// Whether it is the value that is too long, not the PDU.
  package let isValue: Bool
  /// The packet.
  package let moment: Moment
}
