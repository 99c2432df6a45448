package import Bluetooth
package import Meanings
package import Sessions

/// A request that was refused, other than at the end of a discovery.
package struct Refusal: Sendable {
  package let opcode: ATTOpcode
  package let server: Side
  /// The attribute that the request named; for a search, the one that the response named.
  package internal(set) var attribute: NamedAttribute
  /// For a descriptor: the characteristic's value that it belongs to.
  package internal(set) var owner: NamedAttribute?
  /// For a characteristic's value: the properties in its declaration, if known.
  package let properties: CharacteristicProperties?
  package let range: (first: UInt16, last: UInt16)?
  package let type: BluetoothUUID?
  /// The offset of the requested or written part in the value.
  package let offset: UInt16?
  package let error: ATTErrorCode
  package let errorName: [UInt8]?
  package internal(set) var security: LinkSecurity
  package let length: Int
  /// For an Execute Write Request: the parts to be written.
  package let prepared: PreparedWrite?
  /// Whether it is a prepared write of a client that had no other part in the queue.
  package let isFirstPart: Bool
  /// The first bytes to be written, unless they may be secret.
  package let head: [UInt8]
  /// The meaning of the value in a profile, if all of it is known.
  package let meaning: Wording?
  package let request: Moment
  package let answer: Moment
  /// The number of refusals for the same reason.
  package internal(set) var count = 1
  package internal(set) var last: Moment
  /// If the same request was allowed later: that request and its response.
  package internal(set) var accepted: (request: Moment, answer: Moment)?
  /// How the link was protected when it was allowed.
  package internal(set) var acceptedSecurity: LinkSecurity?
  /// For a write that was allowed: whether it began with the same bytes and had the same length.
  package internal(set) var acceptsSameValue = true

  package var client: Side { server.other }
  /// The attribute's handle; 0: none.
  package var handle: UInt16 { attribute.handle ?? 0 }
  package var evidence: PacketSet {
    PacketSet([
      prepared?.first.packet ?? 0, prepared?.last ?? 0, request.packet, answer.packet,
      accepted?.request.packet ?? 0, accepted?.answer.packet ?? 0,
    ])
  }
}

extension ATTErrorCode {
  /// Whether the error concerns the attribute and the operation, whatever the value.
  package var isAboutAttribute: Bool {
    switch rawValue {
    case 0x01, 0x02, 0x03: true
    default: isAboutSecurity
    }
  }
}

/// A value that a client wrote to a Client Characteristic Configuration descriptor.
package struct Configuration: Sendable {
  package internal(set) var descriptor: AttributeIdentity
  /// The characteristic's value that the descriptor belongs to.
  package internal(set) var owner: NamedAttribute?
  /// The properties in that characteristic's declaration, if known.
  package internal(set) var properties: CharacteristicProperties?
  /// The side that has the descriptor.
  package let server: Side
  /// The value: bit 0 enables notifications, bit 1 indications (Core, Vol 3, Part G, 3.3.3.3).
  package let value: UInt16
  package let request: Moment
  package internal(set) var accepted: Moment?
  package internal(set) var error: ATTErrorCode?
}

/// A procedure that a control point reports as failed, in a notification or an indication.
package struct FailedProcedure: Sendable {
  package let handle: UInt16
  package let server: Side
  /// The command that was written, as the answer names it.
  package let command: String
  /// What the control point answered, as `show` words it.
  package let words: Wording
  /// The last write to it before the answer.
  package let request: Int?
  package let answer: Moment
  package internal(set) var count = 1
  /// The answer that the same procedure succeeded later.
  package internal(set) var succeeded: Moment?
}

/// A request for the MTU, and its response.
package struct MTUExchange: Sendable {
  package let client: Side
  /// The client's receive MTU in bytes.
  package let offered: UInt16
  /// The server's receive MTU in bytes.
  package let answered: UInt16
  package let request: Moment
  package let answer: Moment

  /// The MTU in force (Core, Vol 3, Part F, 3.4.2.2).
  package var mtu: UInt16 { max(23, min(offered, answered)) }
}

/// What a run of discovery found.
package struct DiscoveryRun: Sendable {
  package let client: Side
  package let first: Moment
  /// The packet with its last response.
  package internal(set) var last: Moment
  package internal(set) var services = 0
  package internal(set) var characteristics = 0
  package internal(set) var descriptors = 0
}

/// A server's indication that its attributes have changed (Core, Vol 3, Part G, 7.1).
package typealias ServiceChange = (server: Side, first: UInt16, last: UInt16, moment: Moment)

/// A Database Hash that was read, and the response (Core, Vol 3, Part G, 7.3).
package typealias HashReading = (server: Side, value: [UInt8], moment: Moment)

/// A write that is longer than allowed.
package struct LongWrite: Sendable {
  package internal(set) var attribute: NamedAttribute
  package let client: Side
  /// The length of the PDU in bytes; for prepared writes, the end of the part in the value.
  package let length: Int
  /// The maximum length: the MTU at that time, or 512 for prepared writes.
  package let most: Int
  /// Whether the value is too long rather than the PDU.
  package let isValue: Bool
  package let moment: Moment
}
