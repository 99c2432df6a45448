// Codes of the Security Manager's PDUs. Source: Core, Vol 3, Part H, 3.5 and 3.6; checked against
// bumble and tshark 4.0.

extension CodeSet {
  /// IO Capability of a pairing.
  static func pairingIOCapabilityName(_ code: UInt64) -> StaticString? {
    code == 4 ? "KeyboardDisplay" : ioCapabilityName(code)
  }

  /// OOB data flag.
  static func oobDataFlagName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "OOB data not present"
    case 1: "OOB data present"
    default: nil
    }
  }

  /// AuthReq; bits 0 and 1 form a number, of which only 0 and 1 are defined.
  static func authReqName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Bonding"
    case 2: "MITM"
    case 3: "SC"
    case 4: "Keypress"
    case 5: "CT2"
    default: nil
    }
  }

  /// Key distribution.
  static func keyDistributionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "EncKey"
    case 1: "IdKey"
    case 2: "SignKey"
    case 3: "LinkKey"
    default: nil
    }
  }
}
