package import Bluetooth
package import Sessions

/// A request that was refused, other than the end of a discovery.
package struct Refusal: Sendable {
  /// What was asked for.
  package let opcode: ATTOpcode
  /// Who refused.
  package let server: Side
  /// The attribute that the request named; for a search the one that the answer named.
  package internal(set) var attribute: AttributeIdentity
  /// Of a characteristic's value: what its declaration offers, where that is known.
  package let properties: CharacteristicProperties?
  /// Of a search: the handles.
  package let range: (first: UInt16, last: UInt16)?
  /// Of a search: the type that was asked for.
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
  /// Of an Execute Write Request: the parts that it was to write.
  package let prepared: PreparedWrite?
  /// The first ones, unless they may be secret.
  package let head: [UInt8]
  /// What a profile says that the value means, where it is known as a whole.
  package let meaning: Wording?
  /// The request.
  package let request: Moment
  /// The answer.
  package let answer: Moment
  /// How often it was refused for the same reason.
  package internal(set) var count = 1
  /// When it was for the last time.
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
      prepared?.first.packet ?? 0, prepared?.last ?? 0, request.packet, answer.packet,
      accepted?.request.packet ?? 0, accepted?.answer.packet ?? 0,
    ])
  }
}

extension ATTErrorCode {
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
  /// The descriptor.
  package internal(set) var descriptor: AttributeIdentity
  /// Whose it is: the characteristic's value.
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
  /// What the client takes, in bytes.
  package let offered: UInt16
  /// What the server takes.
  package let answered: UInt16
  /// The request.
  package let request: Moment
  /// The answer.
  package let answer: Moment

  /// What is in force (Core, Vol 3, Part F, 3.4.2.2).
  package var mtu: UInt16 { max(23, min(offered, answered)) }
}

/// What a run of discovery found.
package struct DiscoveryRun: Sendable {
  /// Who searched.
  package let client: Side
  /// Its first request.
  package let first: Moment
  /// The packet with its last answer.
  package internal(set) var last: Moment
  /// Services that were not found before on this connection.
  package internal(set) var services = 0
  /// Characteristics that were not.
  package internal(set) var characteristics = 0
  /// Descriptors that were not.
  package internal(set) var descriptors = 0
}

/// A server's word that its attributes have changed (Core, Vol 3, Part G, 7.1).
package struct ServiceChange: Sendable {
  /// Who said so.
  package let server: Side
  /// The first handle.
  package let first: UInt16
  /// The last one.
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

/// A write that could not fit.
package struct LongWrite: Sendable {
  /// What it was.
  package let opcode: ATTOpcode
  /// The attribute.
  package internal(set) var attribute: AttributeIdentity
  /// Who wrote.
  package let client: Side
  /// How many bytes the PDU has; of prepared writes where the part ends.
  package let length: Int
  /// How many it may have: the MTU then, of prepared writes 512.
  package let most: Int
  /// Whether it is the value that is too long, not the PDU.
  package let isValue: Bool
  /// The packet.
  package let moment: Moment
}
