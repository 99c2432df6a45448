// Codes of the Security Manager's PDUs. Source: Core, Vol 3, Part H, 3.5 and 3.6; checked against
// bumble and tshark 4.0.

extension CodeSet {
  /// IO Capability in pairing, which has one more value than that of BR/EDR.
  package static let pairingIOCapability = CodeSet(
    "DisplayOnly | DisplayYesNo | KeyboardOnly | NoInputNoOutput | KeyboardDisplay")

  /// The OOB data flag of a pairing.
  package static let oobDataFlag = CodeSet("OOB data not present | OOB data present")

  /// AuthReq of a pairing, by its bits.
  package static let authReq = CodeSet(
    """
    Bonding

    MITM
    SC
    Keypress
    CT2
    """)

  /// The keys that one side of a pairing distributes, by their bits.
  package static let keyDistribution = CodeSet("EncKey | IdKey | SignKey | LinkKey")
}
