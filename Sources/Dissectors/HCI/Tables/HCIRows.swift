// All HCI tables, as compiled by `PDUTable`. Each array is in ascending order of codes, and no code
// is in two of them.

/// The commands, by opcode.
package let hciCommandTables: [[ParameterRow]] = [
  linkControlRows, linkControlPairingRows, linkPolicyRows, basebandRows, basebandFlowRows,
  basebandPairingRows, informationalRows, statusRows, testingRows, leRows, leDataLengthRows,
  leAdvertisingRows, leDirectionRows, leIsochronousRows, lePowerRows, leAdvertisingLaterRows,
  leLaterRows, leSoundingRows, leMonitoringRows, leSoundingLaterRows, androidCommandRows,
]

/// The events, by event code.
package let hciEventTables: [[ParameterRow]] = [eventRows, eventLaterRows]

/// The LE Meta subevents, by subevent code; their parameters begin after that code.
package let hciLEMetaTables: [[ParameterRow]] = [
  leMetaRows, leMetaIsochronousRows, leMetaSoundingRows,
]
