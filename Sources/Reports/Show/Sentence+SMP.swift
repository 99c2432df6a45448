import Bluetooth
import Bytes
import Dissectors
import Sessions

/// The description of Security Manager PDUs.
extension Sentence {
  /// Appends the PDU's name and content.
  mutating func smp(_ pdu: SMPPDU, _ packet: borrowing Packet) {
    if let known = pdu.opcode.name {
      name(known)
    } else {
      name("SMP opcode")
      output.hexadecimal(UInt64(pdu.opcode.rawValue), digits: 2)
      endSubject()
    }
    let hides = packet.dissection.hidesSMP(packet.answer) && !showsKeys
    content(pdu, packet.bytes, packet.answer, hides: hides)
    let rest = packet.bytes.part(pdu.rest(of: packet.dissection.body))
    switch pdu {
    case .incomplete, .unknown: undecoded(rest, isSecret: hides)
    default:
      if rest.byteCount > 0 {
        comma()
        output.text("and ")
        undecodedRest(rest)
      }
    }
    if let latency = packet.answer.latency, latency >= 100_000_000 {
      comma()
      output.text("after ")
      output.duration(nanoseconds: latency)
    }
  }

  /// Appends unexpected bytes, which may be anything, including a key.
  private mutating func undecodedRest(_ rest: RawSpan) {
    if showsKeys {
      output.hex(rest, separator: 0x20)
    } else {
      output.text("<hidden>, ")
      output.count(rest.byteCount, "byte", "bytes")
    }
  }

  private mutating func content(
    _ pdu: SMPPDU, _ bytes: RawSpan, _ answer: Answer, hides: Bool
  ) {
    switch pdu {
    case .pairing(let pairing): self.pairing(pairing, answer)
    case .confirm(let own), .random(let own):
      round(answer)
      value("", own, bytes, hides: hides)
    case .failed(let reason): output.named(reason.name, UInt64(reason.rawValue), digits: 2)
    case .encryptionInformation(let key):
      value("long-term key ", key, bytes, hides: hides)
    case .centralIdentification(let identification):
      output.text("EDIV ")
      output.hexadecimal(UInt64(identification.ediv), digits: 4)
      output.text(", Rand ")
      output.hex(bytes.part(identification.rand), separator: 0x20)
    case .identityInformation(let key):
      value("identity resolving key ", key, bytes, hides: hides)
    case .identityAddressInformation(let identity):
      output.address(identity.address)
      output.text(" (")
      output.text(AddressKind(identity.address, identity.addressType).words)
      output.byte(0x29)
    case .signingInformation(let key):
      value("signature key ", key, bytes, hides: hides)
    case .securityRequest(let wanted): authReq(wanted)
    case .publicKey(let key):
      if key.isDebugKey(bytes) { output.text("debug key ") }
      // X and Y are one key.
      let both = Slice(start: Int(key.x.start), count: Int(key.x.count + key.y.count))
      output.abbreviated(bytes.part(both), glyphs)
    case .dhKeyCheck(let check): output.abbreviated(bytes.part(check), glyphs)
    case .keypressNotification(let keypress):
      let type = UInt64(keypress)
      if let name = CodeSet.keypress.name(of: type) {
        output.name(name)
      } else {
        output.hexadecimal(type, digits: 2)
      }
    case .incomplete(_, let data):
      guard !data.isEmpty else { break }
      output.text("incomplete: ")
      continueWithoutComma()
    case .unknown: break
    }
  }

  private mutating func value(
    _ label: StaticString, _ slice: Slice, _ bytes: RawSpan, hides: Bool
  ) {
    comma()
    output.text(label)
    if hides {
      output.text("<hidden>, ")
      output.count(Int(slice.count), "byte", "bytes")
    } else if showsKeys {
      // Users who request keys want to use them.
      output.hex(bytes.part(slice))
    } else {
      output.abbreviated(bytes.part(slice), glyphs)
    }
  }

  private mutating func round(_ answer: Answer) {
    guard let round = answer.pairing?.round else { return }
    output.text("passkey round ")
    output.decimal(Int(round))
    output.text(" of 20")
  }

  /// Appends what a side can do and wants; for a response, also what follows from the wishes of
  /// both sides.
  private mutating func pairing(_ pairing: SMP.PairingFeatures, _ answer: Answer) {
    let capability = UInt64(pairing.ioCapability.rawValue)
    if let name = CodeSet.pairingIOCapability.name(of: capability) {
      output.name(name)
    } else {
      output.text("IO capability ")
      output.hexadecimal(capability, digits: 2)
    }
    switch pairing.oobDataFlag {
    case 0: break
    case 1: output.text(", has OOB data")
    case let flag:
      output.text(", OOB data flag ")
      output.hexadecimal(UInt64(flag), digits: 2)
    }
    output.text(", ")
    authReq(pairing.authReq)
    output.text(", key size ")
    output.decimal(Int(pairing.maximumEncryptionKeySize))
    if pairing.initiatorKeys == pairing.responderKeys {
      output.text(", keys")
      keys(pairing.initiatorKeys)
    } else {
      output.text(", initiator's keys")
      keys(pairing.initiatorKeys)
      output.text(", responder's keys")
      keys(pairing.responderKeys)
    }
    guard pairing.opcode == .pairingResponse, let step = answer.pairing else { return }
    if step.isOverBREDR { output.text("; keys over BR/EDR") }
    guard let method = step.method else { return }
    output.text("; ")
    self.method(method, step)
  }

  /// Appends what both sides agree on.
  private mutating func method(_ method: PairingMethod, _ step: PairingStep) {
    output.text(method.isSecureConnections ? "Secure Connections, " : "legacy, ")
    let isInitiator = step.initiator == .local
    switch method.association {
    case .justWorks: output.text("Just Works")
    case .numericComparison: output.text("numeric comparison")
    case .outOfBand: output.text("out of band")
    case .passkeyTypedTwice: output.text("passkey entry: both type")
    case .initiatorShowsPasskey, .responderShowsPasskey:
      let hostShows = isInitiator == (method.association == .initiatorShowsPasskey)
      output.text(
        hostShows
          ? "passkey entry: host shows, peer types" : "passkey entry: peer shows, host types")
    }
  }

  private mutating func authReq(_ authReq: AuthReq) {
    output.text(authReq.bonds ? "bonding" : "no bonding")
    if authReq.wantsMITM { output.text(" MITM") }
    if authReq.supportsSC { output.text(" SC") }
    if authReq.hasKeypresses { output.text(" keypress") }
    if authReq.supportsCT2 { output.text(" CT2") }
  }

  private mutating func keys(_ keys: KeyDistribution) {
    if keys.rawValue & 0x0f == 0 { output.text(" none") }
    for bit in 0..<4 where keys.rawValue >> UInt8(bit) & 1 == 1 {
      output.byte(0x20)
      output.text(KeyDistribution.short(bit: bit) ?? "")
    }
  }
}

extension Output {
  /// Appends the beginning and the end of a long value, which are enough to distinguish two values.
  mutating func abbreviated(_ bytes: RawSpan, _ glyphs: Glyphs) {
    guard bytes.byteCount > 8 else {
      hex(bytes)
      return
    }
    hex(bytes.part(Slice(start: 0, count: 4)))
    text(glyphs.ellipsis)
    hex(bytes.dropping(bytes.byteCount - 3))
  }
}
