import Bluetooth
import Bytes
import Captures
import Diagnosis
import Differences
import Dissectors
import Reports
import Sessions
import Words

/// The Security Manager PDUs, as `diff` compares them.
extension OperationRecorder {
  /// Records a PDU.
  mutating func add(
    _ pdu: SMPPDU, _ dissection: Dissection, _ bytes: RawSpan, _ answer: Answer,
    _ isByHost: Bool, _ isByCentral: Bool?, _ id: Int, _ record: borrowing CaptureRecord
  ) {
    guard hasRoom(id, record.number) else { return }
    let body = bytes.part(dissection.body)
    let hides = dissection.hidesSMP(answer) && !showsKeys
    var operation = Differences.Operation(
      .pairing(pdu.opcode), connection: id, packet: record.number, time: record.time)
    (operation.isByHost, operation.isByCentral) = (isByHost, isByCentral)
    switch pdu {
    case .pairing(let features):
      operation.value = keep(body)
      operation.text = keep(features.words)
      operation.fields = keep(keysOf: features)
    case .failed(let failed):
      operation.value = keep(body)
      operation.failure = keep("\(failed.reason)")
    case .securityRequest(let request):
      operation.value = keep(body)
      operation.text = keep(request.authReq.words)
    case .confirm(let confirm):
      operation.random = keep([("confirm_value", hex(confirm.value, bytes))], isSecret: hides)
    case .random(let value):
      operation.random = keep([("random_value", hex(value.value, bytes))], isSecret: hides)
    case .publicKey(let key):
      operation.random = keep(
        [("public_key_x", hex(key.x, bytes)), ("public_key_y", hex(key.y, bytes))], isSecret: hides)
    case .dhKeyCheck(let check):
      operation.random = keep([("dhkey_check", hex(check.value, bytes))], isSecret: hides)
    case .encryptionInformation(let key):
      operation.random = keep([("long_term_key", hex(key.longTermKey, bytes))], isSecret: hides)
    case .centralIdentification(let identification):
      operation.random = keep(
        [
          ("ediv", "\(code: identification.ediv, digits: 4)"),
          ("rand", hex(identification.rand, bytes)),
        ], isSecret: hides)
    case .identityInformation(let key):
      operation.random = keep(
        [("identity_resolving_key", hex(key.identityResolvingKey, bytes))], isSecret: hides)
    case .signingInformation(let key):
      operation.random = keep([("signature_key", hex(key.signatureKey, bytes))], isSecret: hides)
    case .identityAddressInformation(let identity):
      operation.value = keep(body)
      operation.text = keep("\(identity.address)")
    case .incomplete:
      operation.value = keep(body)
      operation.isHidden = hides
      operation.isCut = record.isTruncated
    case .keypressNotification, .unknown:
      operation.value = keep(body)
      operation.isHidden = hides
    }
    append(operation)
  }

  private func hex(_ slice: Slice, _ bytes: RawSpan) -> Wording {
    "\(hex: bytes.part(slice).array)"
  }

  /// Stores fields that are chosen at random for every session, or computed from such fields.
  mutating func keep(
    _ fields: [(name: StaticString, value: Wording)], isSecret: Bool = false
  ) -> Slice {
    let start = session.bytes.count
    for (name, value) in fields {
      FieldList.append(
        [UInt8](name.description.utf8), [UInt8](value.text.utf8), isSecret ? .secret : .random,
        to: &session.bytes)
    }
    return Slice(start: start, count: session.bytes.count - start)
  }

  /// Stores the keys that both sides are to distribute, which the words of a pairing omit.
  private mutating func keep(keysOf features: SMP.PairingFeatures) -> Slice {
    let start = session.bytes.count
    let keys = [
      ("initiator_keys", features.initiatorKeys), ("responder_keys", features.responderKeys),
    ]
    for (name, keys) in keys {
      let names = (0..<8).filter { keys.rawValue >> $0 & 1 != 0 }.map { bit in
        KeyDistribution.short(bit: bit)?.description ?? "bit \(bit)"
      }
      let words = names.isEmpty ? "none" : names.joined(separator: " ")
      FieldList.append([UInt8](name.utf8), [UInt8](words.utf8), .plain, to: &session.bytes)
    }
    return Slice(start: start, count: session.bytes.count - start)
  }
}
