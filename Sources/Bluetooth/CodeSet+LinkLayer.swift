// Codes of the Link Layer: advertising PDUs and control PDUs (Core, Vol 6, Part B, 2.3 and 2.4).

extension CodeSet {
  /// TxAdd and RxAdd: the type of an address.
  package static let headerAddressType = CodeSet("Public | Random")

  /// AdvMode of an extended advertising PDU.
  package static let advertisingMode = CodeSet(
    "Not connectable, not scannable | Connectable | Scannable")

  /// The fields of an extended header, by their bits.
  package static let extendedHeaderFields = CodeSet(
    "AdvA | TargetA | CTEInfo | ADI | AuxPtr | SyncInfo | TxPower")

  /// The unit of an offset to another packet.
  package static let offsetUnits = CodeSet("30 µs | 300 µs")

  /// The clock accuracy in a pointer to another packet.
  package static let pointerAccuracy = CodeSet("51 to 500 ppm | Up to 50 ppm")

  /// A PHY in LL_PHY_UPDATE_IND, as one bit.
  package static let phyUpdate = CodeSet("Unchanged | LE 1M | LE 2M | @4 LE Coded")

  /// PHYs of power control, by their bits.
  package static let powerPHYs = CodeSet("LE 1M | LE 2M | LE Coded S=8 | LE Coded S=2")

  /// Whether a transmitter is at a limit, by bits.
  package static let powerLimits = CodeSet("At minimum | At maximum")
}
