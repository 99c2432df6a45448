import Bluetooth
import Bytes
package import Sessions

// Why packets of a connection on the air stay encrypted, and where the keys of others come from.

extension UndecryptedReason {
  /// The name in the JSON contract.
  package var key: StaticString {
    switch self {
    case .requestMissing: "request_missing"
    case .responseMissing: "response_missing"
    case .beganBefore: "began_before"
    case .secureConnections: "secure_connections"
    case .earlierBond: "earlier_bond"
    case .pairingIncomplete: "pairing_incomplete"
    case .outOfBand: "out_of_band"
    case .keysDoNotFit: "keys_do_not_fit"
    case .lostCounter: "lost_counter"
    }
  }
}

extension EncryptionPeriod.KeySource {
  /// The name in the JSON contract.
  package var key: StaticString {
    switch self {
    case .pairing, .distributed: "smp"
    case .supplied: "keys"
    case .search: "search"
    case .debugKey: "debug_key"
    case .sniffer: "sniffer"
    }
  }

  /// How packets were decrypted.
  package var words: StaticString {
    switch self {
    case .pairing: "decrypted with the key of its pairing"
    case .distributed: "decrypted with a key of an earlier pairing"
    case .supplied: "decrypted with a supplied key"
    case .search: "decrypted with a passkey found by search"
    case .debugKey: "decrypted with the debug key"
    case .sniffer: "already decrypted in the capture"
    }
  }
}

extension EncryptionPeriod {
  /// Why packets stay encrypted, after `are encrypted`: ` with the key of an earlier bond (EDIV
  /// 0x7343)`, `: none of the 3 keys fits`. Empty if that is unknown.
  package var why: Wording {
    switch reason {
    case .requestMissing:
      ": LL_ENC_REQ was not captured, so half of the session key's input is missing"
    case .responseMissing:
      ": LL_ENC_RSP was not captured, so half of the session key's input is missing"
    case .beganBefore: ": the connection was already encrypted when the capture began"
    case .secureConnections: ": with LE Secure Connections, the key never crosses the air"
    case .earlierBond:
      ediv == 0 && rand == 0
        ? " with the key of an earlier bond"
        : " with the key of an earlier bond (EDIV \(code: ediv, digits: 4))"
    case .pairingIncomplete:
      ": packets of the pairing without which its key cannot be found were not captured"
    case .outOfBand: ": the pairing used out-of-band data, which cannot be searched"
    case .keysDoNotFit:
      keysTried == 1
        ? ": the key that was tried does not fit" : ": none of the \(keysTried) keys fits"
    case .lostCounter: ": the key fits the packets before them, but too many are missing to go on"
    case nil: ""
    }
  }

  /// What would help, after a sentence without its full stop: `; give it with --keys, or the
  /// capture of the pairing`. Empty if nothing would.
  package var remedy: Wording {
    switch reason {
    case .requestMissing, .responseMissing, .beganBefore, .lostCounter, nil: ""
    case .secureConnections:
      "\(hint: "; give the LTK of one of the devices, or its HCI log, with --keys")"
    case .earlierBond: "\(hint: "; give it with --keys, or the capture of the pairing")"
    case .pairingIncomplete: "\(hint: "; give the key with --keys")"
    case .outOfBand: "\(hint: "; give the data or the key with --keys")"
    case .keysDoNotFit: "\(hint: "; give the key of this bond with --keys")"
    }
  }

  /// The packets that were not decrypted, and why, as a sentence: `#18–#239: 8 packets are
  /// encrypted with the key of an earlier bond (EDIV 0x7343); give it with --keys, or the capture
  /// of the pairing.` Nil if all were decrypted.
  package var remark: Wording? {
    guard undecrypted > 0 else { return nil }
    let count: Wording = "\(count: undecrypted, "packet is", "packets are")"
    return "\(undecryptedRange): \(count) encrypted\(why)\(remedy)."
  }

  /// The first and the last packet that were not decrypted: `#18–#239`.
  package var undecryptedRange: Wording {
    lastUndecrypted > firstUndecrypted
      ? "\(packet: firstUndecrypted)–\(packet: lastUndecrypted)" : "\(packet: firstUndecrypted)"
  }
}

extension AirLinks {
  /// The number of sentences about encrypted packets; further ones are counted.
  private static let mostRemarks = 8

  /// The packets that stay encrypted, and why: a sentence for each connection and key.
  package var encryptionRemarks: [Wording] {
    var remarks: [Wording] = []
    var others = 0
    for link in all {
      for period in link.periods {
        guard let remark = period.remark else { continue }
        if remarks.count < Self.mostRemarks {
          remarks.append(remark)
        } else {
          others.add(clamped: period.undecrypted)
        }
      }
    }
    if others > 0 {
      remarks.append("\(count: others, "more packet is", "more packets are") encrypted.")
    }
    return remarks
  }
}
