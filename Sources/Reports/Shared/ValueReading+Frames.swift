import Bluetooth
import Bytes
package import Captures
import Decoders
package import Dissectors
package import Sessions
import Words

/// Messages of vendor protocols: finding them, and finding them again.
extension ValueReading {
  /// Decodes a value of which only the attribute is known, so a vendor frame has to be complete.
  ///
  /// - Parameter server: the value's server, if values that determine the meaning of others were
  ///   recorded for it.
  mutating func readAlone(
    _ uuid: BluetoothUUID, service: BluetoothUUID?, _ value: RawSpan, isWritten: Bool,
    server: UInt64? = nil, handle: UInt16? = nil
  ) -> Bool {
    if read(
      uuid.subjectKind, uuid, value, isWritten: isWritten, service: service, server: server),
      !(decoded.definition?.subject.isCarrier ?? false)
    {
      return true
    }
    let isCarried = hasMeaning
    guard value.byteCount > 0, !uuid.isDescriptor,
      case .message(let vendor, let message, let frame, let isRequest)? = library?.match(
        .characteristic, uuid, service: service, value, isWritten: isWritten,
        isOfDevice: { _ in false }),
      vendor.hasSecrets || showsKeys || !secretTypes.contains(uuid)
    else {
      guard !isCarried, known.hasFormats, value.byteCount > 0, !uuid.isDescriptor else {
        return isCarried
      }
      return readByFormat(uuid, handle, server, value, decodes: true)
    }
    sighting = VendorSighting(vendor, message, frame, isRequest: isRequest)
    readMessage(value, nil)
    return hasMeaning
  }

  /// Decodes the message, or the part of one, that a value is. Returns false if it is not one.
  mutating func message(
    _ plan: Int, _ service: BluetoothUUID?, _ value: RawSpan, _ way: Way, _ conversation: UInt64,
    _ handle: UInt16, _ packet: Int, _ time: Timestamp?, _ isOfDevice: (String) -> Bool
  ) -> Bool {
    let uuid = subjects[plan].uuid
    let claims =
      plans[plan].needsContext
      ? vendors.claims(uuid, service: service, isOfDevice: isOfDevice) : plans[plan].claims
    for claim in claims {
      let vendor = vendors[claim.vendor]
      guard let isRequestChannel = vendor.isRequestChannel(way, uuid),
        vendor.hasSecrets || !plans[plan].isClosed
      else { continue }
      let found = messages.accept(
        vendor, at: claim.vendor, isByFrame: claim.isByFrame, conversation: conversation,
        handle: handle, isWritten: way == .written, isRequestChannel: isRequestChannel, value,
        packet: packet, time: time)
      guard let found else { continue }
      sighting = found
      if keepsRecent {
        keep(Recent(packet: packet, handle: handle, sighting: found, following: messages.following))
        held = found.message?.definition.hasExternals ?? false ? nil : (packet, handle)
      }
      return true
    }
    return false
  }

  /// Follows the open frames of vendor protocols with a packet whose meaning is not needed.
  package mutating func follow(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    guard let pdu = dissection.att, record.original == nil, !record.isTruncated,
      !answer.fragment.isTruncated
    else { return }
    guard dissection.attFields.value != nil else {
      noteRefusal(dissection, answer)
      return
    }
    observe(
      pdu.opcode, dissection, bytes, answer, memory, packet: record.number, time: record.time,
      isLocal: (record.direction == .sent) == pdu.opcode.isServers, decodes: false)
  }

  private mutating func keep(_ message: Recent) {
    if recent.count >= 2 * Self.mostRecent { recent.removeFirst(Self.mostRecent) }
    recent.append(message)
  }

  /// Stores the request that a control point's value answers.
  mutating func keep(_ control: ExchangeNote, _ packet: Int, _ handle: UInt16) {
    keep(Recent(packet: packet, handle: handle, control: control))
  }

  /// Decodes the message that the value of an earlier packet was. Returns false if it was not one.
  mutating func readAgain(_ packet: Int, _ handle: UInt16?, _ value: RawSpan) -> Bool {
    begin()
    guard let handle,
      let found = recent.lastIndex(where: { $0.packet == packet && $0.handle == handle })
    else { return false }
    control = recent[found].control
    guard let message = recent[found].sighting else { return false }
    sighting = message
    readMessage(value, nil, recent[found].following)
    return hasMeaning
  }

  /// Accepts a message that was found in a context that does not distinguish requests from
  /// responses.
  mutating func take(trial found: VendorSighting, _ value: RawSpan) {
    begin()
    sighting = found
    sighting?.exchange = ExchangeNote()
    readMessage(value, nil)
  }

  /// Decodes the message that was found, or describes a part.
  ///
  /// - Parameters:
  ///   - server: the value's server, if known.
  ///   - others: the messages after it in the same value; nil: those that were found with it.
  mutating func readMessage(
    _ value: RawSpan, _ server: UInt64?, _ others: [VendorSighting]? = nil
  ) {
    guard let sighting else { return }
    note(sighting)
    if let frame = sighting.frame, let message = sighting.message {
      let asks = message.definition.hasExternals
      let externals = asks ? externals(of: message.definition, server) : []
      sighting.decode(frame, message, value, externals, with: &decoder, into: &decoded)
      if let whole = sighting.bytes { say(whole.bytes) } else { say(value) }
    } else {
      sayPart(sighting)
    }
    sighting.sayRemarks(into: &line)
    let others = others ?? messages.following
    if !others.isEmpty { readFollowing(others, value) }
  }
}
