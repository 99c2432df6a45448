import Bluetooth
import Bytes
import Dissectors
import Sessions

// The words and JSON keys of packets from the air.

extension SnifferFormat {
  /// The name in the JSON contract: that of the link type.
  package var key: StaticString {
    switch self {
    case .linkLayer: "bluetooth_le_ll"
    case .pseudoHeader: "bluetooth_le_ll_with_phdr"
    case .nordic: "nordic_ble"
    case .ppi: "ppi"
    }
  }
}

extension AirFact.DirectionEvidence {
  /// The name in the JSON contract.
  var key: StaticString {
    switch self {
    case .mic: "mic"
    case .opcode: "opcode"
    case .capture: "capture"
    case .timing: "timing"
    case .acknowledgement: "acknowledgement"
    }
  }
}

extension AirFact.EventEvidence {
  /// The name in the JSON contract.
  var key: StaticString {
    switch self {
    case .capture: "capture"
    case .hops: "hops"
    case .clock: "clock"
    }
  }
}

extension AirFact.Encryption {
  /// The name in the JSON contract: who decrypted it; nil if nobody did.
  var key: StaticString? {
    switch self {
    case .clear, .unread: nil
    case .decrypted: "here"
    case .byFirmware: "firmware"
    case .before: "before"
    }
  }
}

extension AirFact.Stream {
  /// The start of a line for data.
  var title: StaticString {
    switch self {
    case .unknown, .connection: "LL Data"
    case .connectedIsochronous: "CIS Data"
    case .broadcastIsochronous: "BIS Data"
    case .periodicAdvertising: "Periodic Data"
    }
  }

  var isIsochronous: Bool { self == .connectedIsochronous || self == .broadcastIsochronous }
}

extension EncryptionPeriod.KeySource {
  /// What the packets of a period were decrypted with, in a line.
  var shortWords: StaticString {
    switch self {
    case .pairing: "key of this pairing"
    case .distributed: "key of an earlier pairing"
    case .supplied: "key supplied"
    case .search: "passkey found"
    case .debugKey: "debug key"
    case .sniffer: "decrypted before it was saved"
    }
  }
}

extension Output {
  /// Appends the name of a control PDU in words: `LL_ENC_REQ` becomes `LL Encryption Request`.
  mutating func controlName(_ name: AssignedName) {
    let bytes = name.bytes
    var start = 0
    for end in 0...bytes.byteCount where end == bytes.byteCount || bytes.byte(at: end) == 0x5f {
      if start > 0 { byte(0x20) }
      controlWord(bytes.part(Slice(start: start, count: end - start)))
      start = end + 1
    }
  }

  private mutating func controlWord(_ word: RawSpan) {
    for (short, long) in [
      ("REQ", "Request"), ("RSP", "Response"), ("IND", "Indication"), ("ENC", "Encryption"),
      ("PARAM", "Parameters"), ("EXT", "Extended"), ("MIN", "Minimum"), ("MAP", "Map"),
      ("SEC", "Security"), ("END", "End"),
    ] as [(StaticString, StaticString)] where word.isEqual(to: short.bytes) {
      text(long)
      return
    }
    // Shorter ones are abbreviations: LL, PHY, CIS.
    guard word.byteCount > 3 else { return raw(word) }
    byte(word.byte(at: 0))
    lowercased(word.dropping(1))
  }
}
