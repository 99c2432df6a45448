import Bluetooth
package import Bytes
import Captures
import Decoders
import Dissectors
package import Meanings
package import Sessions

/// What the fields of a packet depend on apart from its bytes, for packets where that is little: if
/// it and the bytes up to the value are equal, so are the fields up to the value. It is large, so a
/// report keeps one and describes each packet in it.
package struct FieldContext: Equatable, Sendable {
  /// What is known of an attribute.
  private struct KnownAttribute: Equatable {
    var uuid: BluetoothUUID
    var service: BluetoothUUID?
    var kind: Attribute.Kind
    var via: Attribute.Via
  }

  private var direction: Direction?
  private var connection: ConnectionState?
  private var parameters: PacketParameters?
  /// What the state of the channel makes of an L2CAP PDU.
  private var sduLength: UInt16?
  private var control: ControlField?
  private var body = Slice.empty
  private var channel: ChannelFact?
  private var attribute: KnownAttribute?
  /// The attribute handle in the request that the packet answers.
  private var request: UInt16?
  /// The value, whose bytes may differ: `VerboseSink.value` shows it and its meaning after all
  /// other fields. It is empty if the packet has none.
  package private(set) var value = Slice.empty

  /// Creates the context of no packet.
  package init() {}

  /// Determines what a packet's fields depend on, and returns whether that is all that they depend
  /// on. Only for sinks whose `writesAnswers` is false: the request's packet and the latency are
  /// not kept.
  package mutating func describe(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Bool {
    guard packet.record.options.isEmpty, !packet.record.isTruncated, packet.dissection.air == nil,
      !packet.answer.fragment.isFragment, !packet.answer.fragment.isJoined,
      !packet.answer.fragment.hasJoinedBytes,
      memory.longValues.isEmpty, memory.services.news.isEmpty
    else { return false }
    (channel, attribute, request, value) = (nil, nil, nil, .empty)
    direction = packet.record.direction
    connection = packet.answer.link.map { ConnectionState(of: $0, memory) }
    parameters = packet.dissection.parameters
    sduLength = packet.dissection.sduLength
    control = packet.dissection.control
    body = packet.dissection.body
    switch packet.dissection.content {
    case .command: break
    case .event:
      guard Details.writesReportsAsParameters(memory, VerboseSink.writesAll),
        memory.advertisements.lostTrain == nil,
        !memory.advertisements.mayHoldSecret
      else { return false }
    case .acl:
      guard packet.dissection.l2cap != nil, packet.dissection.smp == nil,
        packet.dissection.rfcomm == nil, !packet.dissection.isSignalling
      else {
        return false
      }
      channel = packet.answer.channel
      if let pdu = packet.dissection.att {
        return learn(pdu, packet.dissection.attFields, packet.answer, memory)
      }
      return !packet.dissection.hidesSMP(packet.answer)
    case .note, .control, .unknown, .sco, .iso, .controllerLog, .advertising, .linkData,
      .linkControl:
      return false
    }
    return true
  }

  /// Records what an ATT PDU's fields depend on; returns whether that is all.
  private mutating func learn(
    _ pdu: ATTPDU, _ fields: ATTFields, _ answer: Answer, _ memory: borrowing Memory
  ) -> Bool {
    switch pdu.opcode {
    case .readRequest, .readResponse, .writeRequest, .writeResponse, .writeCommand,
      .handleValueNotification, .handleValueIndication, .handleValueConfirmation:
      break
    default: return false
    }
    if answer.bringsKeyMaterial(pdu.opcode, memory) { return false }
    value = fields.value ?? .empty
    request = answer.request?.handle
    attribute = answer.attribute.map { place in
      let attribute = memory.attributes[place]
      return KnownAttribute(
        uuid: attribute.uuid, service: memory.attributes.service(of: place), kind: attribute.kind,
        via: memory.attributes.via(of: place, on: connection?.id ?? 0))
    }
    return true
  }
}

/// What the lines of `VerboseSink.value` depend on apart from the value's bytes.
package struct ValueContext: Equatable, Sendable {
  private let place: Slice
  /// What decodes the value; nil if nothing does.
  private let definition: Definition?
  private let isWritten: Bool

  /// Determines what the lines of a PDU's value depend on; nil if there is no value, or if that is
  /// more than is kept here.
  ///
  /// - Parameters:
  ///   - place: the value's bytes.
  ///   - reading: what was read of the value.
  package init?(_ place: Slice, _ reading: borrowing ValueReading) {
    if place.isEmpty { return nil }
    self.place = place
    guard reading.isOfPDU, reading.meaning.isKnown else {
      (definition, isWritten) = (nil, false)
      return
    }
    guard let sole = reading.meaning.soleDefinition else { return nil }
    (definition, isWritten) = sole
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.place == right.place && left.definition === right.definition
      && left.isWritten == right.isWritten
  }
}
