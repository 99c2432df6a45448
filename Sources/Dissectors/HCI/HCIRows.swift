// The tables of HCI, gathered: what `HCITable` compiles. Each array is ascending by code, and no code
// is in two of them.

/// The commands, by opcode.
package let hciCommandTables: [[HCIRow]] = [
  linkControlRows, linkControlPairingRows, linkPolicyRows, basebandRows, basebandFlowRows,
  basebandPairingRows, informationalRows, statusRows, testingRows, leRows, leDataLengthRows,
  leAdvertisingRows, leDirectionRows, leIsochronousRows, lePowerRows, leAdvertisingLaterRows,
  leLaterRows, leSoundingRows, leMonitoringRows, leSoundingLaterRows, androidCommandRows,
]

/// The events, by event code.
package let hciEventTables: [[HCIRow]] = [eventRows, eventLaterRows]

/// The subevents of LE Meta, by subevent code; a subevent's parameters begin after its code.
package let hciLEMetaTables: [[HCIRow]] = [leMetaRows, leMetaIsochronousRows, leMetaSoundingRows]
