import Bluetooth
import Bytes
import Dissectors
package import Sessions

extension Details {
  /// Appends a Security Manager PDU.
  static func smp<Sink: FieldSink & ~Copyable>(
    _ pdu: SMPPDU, _ packet: borrowing Packet, to sink: inout Sink
  ) {
    let body = packet.dissection.body
    let hides = packet.dissection.hidesSMP(packet.answer) && !sink.showsKeys
    sink.begin("smp")
    sink.at(Int(body.start), 1)
    sink.identifier("opcode", UInt64(pdu.opcode.rawValue), digits: 2)
    if let name = pdu.opcode.name { sink.name("name", name) }
    answered(packet.answer, to: &sink)
    if pdu.opcode == .pairingResponse, let method = packet.answer.pairing?.method {
      sink.word("method", method.key)
      if let shows = method.passkeyShownBy { sink.word("passkey_shown_by", shows) }
    }
    if let round = packet.answer.pairing?.round { sink.number("passkey_round", Int(round)) }
    let rest = pdu.rest(of: body)
    switch pdu {
    case .incomplete, .unknown: payload(packet.bytes, rest, isSecret: hides, to: &sink)
    default:
      sink.begin("parameters")
      parameters(pdu, Int(body.start) + 1, packet.bytes, hides: hides, to: &sink)
      sink.end()
      // Unexpected bytes may be anything, including a key.
      payload(packet.bytes, rest, isSecret: true, to: &sink)
    }
    sink.end()
  }

  private static func payload<Sink: FieldSink & ~Copyable>(
    _ bytes: RawSpan, _ rest: Slice, isSecret: Bool, to sink: inout Sink
  ) {
    guard !rest.isEmpty else { return }
    sink.at(Int(rest.start), Int(rest.count))
    payload(bytes.part(rest), isSecret: isSecret, to: &sink)
  }

  /// Appends the fields of a PDU, the first of which is at `start`.
  private static func parameters<Sink: FieldSink & ~Copyable>(
    _ pdu: SMPPDU, _ start: Int, _ bytes: RawSpan, hides: Bool, to sink: inout Sink
  ) {
    switch pdu {
    case .pairing(let pairing): self.pairing(pairing, start, to: &sink)
    case .confirm(let confirm):
      value("Confirm_Value", confirm, bytes, hides: hides, to: &sink)
    case .random(let random): value("Random_Value", random, bytes, hides: hides, to: &sink)
    case .failed(let reason):
      sink.at(start, 1)
      sink.code("Reason", UInt64(reason.rawValue), digits: 2, reason.name)
    case .encryptionInformation(let key):
      value("Long_Term_Key", key, bytes, hides: hides, to: &sink)
    case .centralIdentification(let identification):
      sink.at(start, 2)
      sink.identifier("EDIV", UInt64(identification.ediv), digits: 4)
      value("Rand", identification.rand, bytes, hides: hides, to: &sink)
    case .identityInformation(let key):
      value("Identity_Resolving_Key", key, bytes, hides: hides, to: &sink)
    case .identityAddressInformation(let identity):
      sink.at(start, 1)
      let type = UInt64(identity.addressType.rawValue)
      sink.code("Address_Type", type, digits: 2, CodeSet.addressType.name(of: type))
      sink.at(start + 1, 6)
      sink.address("BD_ADDR", identity.address)
    case .signingInformation(let key):
      value("Signature_Key", key, bytes, hides: hides, to: &sink)
    case .securityRequest(let wanted): authReq(wanted, at: start, to: &sink)
    case .publicKey(let key):
      value("Public_Key_X", key.x, bytes, hides: hides, to: &sink)
      value("Public_Key_Y", key.y, bytes, hides: hides, to: &sink)
      if key.isDebugKey(bytes) {
        sink.at(Int(key.x.start), Int(key.x.count))
        sink.flag("Debug_Key", true)
      }
    case .dhKeyCheck(let check): value("DHKey_Check", check, bytes, hides: hides, to: &sink)
    case .keypressNotification(let keypress):
      sink.at(start, 1)
      let type = UInt64(keypress)
      sink.code("Notification_Type", type, digits: 2, CodeSet.keypress.name(of: type))
    case .incomplete, .unknown: break
    }
  }

  private static func pairing<Sink: FieldSink & ~Copyable>(
    _ pairing: SMP.PairingFeatures, _ start: Int, to sink: inout Sink
  ) {
    sink.at(start, 1)
    let capability = UInt64(pairing.ioCapability.rawValue)
    sink.code(
      "IO_Capability", capability, digits: 2, CodeSet.pairingIOCapability.name(of: capability))
    sink.at(start + 1, 1)
    let flag = UInt64(pairing.oobDataFlag)
    sink.code("OOB_Data_Flag", flag, digits: 2, CodeSet.oobDataFlag.name(of: flag))
    authReq(pairing.authReq, at: start + 2, to: &sink)
    sink.at(start + 3, 1)
    sink.number("Maximum_Encryption_Key_Size", Int(pairing.maximumEncryptionKeySize))
    sink.at(start + 4, 1)
    let initiator = UInt64(pairing.initiatorKeys.rawValue)
    sink.flags("Initiator_Key_Distribution", initiator, digits: 2, .keyDistribution)
    sink.at(start + 5, 1)
    let responder = UInt64(pairing.responderKeys.rawValue)
    sink.flags("Responder_Key_Distribution", responder, digits: 2, .keyDistribution)
  }

  private static func authReq<Sink: FieldSink & ~Copyable>(
    _ authReq: AuthReq, at offset: Int, to sink: inout Sink
  ) {
    sink.at(offset, 1)
    sink.flags("AuthReq", UInt64(authReq.rawValue), digits: 2, .authReq)
  }

  private static func value<Sink: FieldSink & ~Copyable>(
    _ name: StaticString, _ slice: Slice, _ bytes: RawSpan, hides: Bool, to sink: inout Sink
  ) {
    sink.at(Int(slice.start), Int(slice.count))
    if hides {
      sink.hidden(name, Int(slice.count))
    } else {
      sink.bytes(name, bytes.part(slice))
    }
  }
}

extension PairingMethod {
  /// The side that shows the passkey, as named in the JSON contract.
  fileprivate var passkeyShownBy: StaticString? {
    switch association {
    case .initiatorShowsPasskey: "initiator"
    case .responderShowsPasskey: "responder"
    default: nil
    }
  }
}

extension Dissection {
  /// Returns whether what follows the opcode of a Security Manager PDU is a secret: a key, or a
  /// value that could reveal a passkey. Pieces of a PDU that may be another's count as such.
  package func hidesSMP(_ answer: Answer) -> Bool {
    if answer.fragment.isDoubtful { return true }
    guard let opcode = smp?.opcode else { return l2cap?.cid.carriesSecurityManager ?? false }
    if opcode.mayTellPasskey { return !(answer.pairing?.showsValues ?? false) }
    return opcode.carriesKey
  }
}
