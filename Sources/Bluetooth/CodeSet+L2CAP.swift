// The codes and bits of L2CAP's signalling commands.
// Sources: Core, Vol 3, Part A, 4.1 to 4.28 and 5.1 to 5.7; checked against BlueZ's monitor, tshark
// 4.0 and bumble.

extension CodeSet {
  /// Reason of a Command Reject.
  static func l2capRejectName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Command not understood"
    case 1: "Signalling MTU exceeded"
    case 2: "Invalid CID in request"
    default: nil
    }
  }

  /// Result of a Connection Response and of a Create Channel Response.
  static func l2capConnectionResultName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Connection successful"
    case 1: "Connection pending"
    case 2: "Connection refused, PSM not supported"
    case 3: "Connection refused, security block"
    case 4: "Connection refused, no resources available"
    case 5: "Connection refused, Controller ID not supported"
    case 6: "Connection refused, invalid Source CID"
    case 7: "Connection refused, Source CID already allocated"
    default: nil
    }
  }

  /// Status of a Connection Response with the result pending.
  static func l2capConnectionStatusName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "No further information available"
    case 1: "Authentication pending"
    case 2: "Authorization pending"
    default: nil
    }
  }

  /// Result of a Configure Response.
  static func l2capConfigureResultName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Success"
    case 1: "Failure, unacceptable parameters"
    case 2: "Failure, rejected"
    case 3: "Failure, unknown options"
    case 4: "Pending"
    case 5: "Failure, flow spec rejected"
    default: nil
    }
  }

  /// The type of a configuration option, without the hint bit.
  static func l2capOptionName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Maximum Transmission Unit"
    case 2: "Flush Timeout"
    case 3: "Quality of Service"
    case 4: "Retransmission and Flow Control"
    case 5: "Frame Check Sequence"
    case 6: "Extended Flow Specification"
    case 7: "Extended Window Size"
    default: nil
    }
  }

  /// Mode of a channel.
  static func l2capModeName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Basic mode"
    case 1: "Retransmission mode"
    case 2: "Flow Control mode"
    case 3: "Enhanced Retransmission mode"
    case 4: "Streaming mode"
    default: nil
    }
  }

  /// FCS Type.
  static func l2capFCSName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "No FCS"
    case 1: "16-bit FCS"
    default: nil
    }
  }

  /// The type of information requested.
  static func l2capInformationName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "Connectionless MTU"
    case 2: "Extended features"
    case 3: "Fixed channels"
    default: nil
    }
  }

  /// Result of an Information Response.
  static func l2capInformationResultName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Success"
    case 1: "Not supported"
    default: nil
    }
  }

  /// Extended features, by their bits.
  static func l2capFeaturesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Flow Control mode"
    case 1: "Retransmission mode"
    case 2: "Bi-directional QoS"
    case 3: "Enhanced Retransmission mode"
    case 4: "Streaming mode"
    case 5: "FCS option"
    case 6: "Extended Flow Specification"
    case 7: "Fixed channels"
    case 8: "Extended Window Size"
    case 9: "Unicast connectionless data"
    case 10: "Enhanced Credit Based Flow Control"
    default: nil
    }
  }

  /// Fixed channels, by their identifiers.
  static func l2capFixedChannelsName(_ code: UInt64) -> StaticString? {
    switch code {
    case 1: "L2CAP signalling"
    case 2: "Connectionless"
    case 3: "AMP Manager"
    case 4: "ATT"
    case 5: "LE L2CAP signalling"
    case 6: "SMP"
    case 7: "BR/EDR SMP"
    case 63: "AMP Test Manager"
    default: nil
    }
  }

  /// Result of a Move Channel Response.
  static func l2capMoveResultName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Success"
    case 1: "Pending"
    case 2: "Refused, Controller ID not supported"
    case 3: "Refused, new Controller ID is same as old"
    case 4: "Refused, configuration not supported"
    case 5: "Refused, Move Channel collision"
    case 6: "Refused, channel not allowed to be moved"
    default: nil
    }
  }

  /// Result of a Move Channel Confirmation.
  static func l2capMoveConfirmationName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Success, both sides succeed"
    case 1: "Failure, one or both sides refuse"
    default: nil
    }
  }

  /// Result of a Connection Parameter Update Response.
  static func l2capUpdateResultName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Parameters accepted"
    case 1: "Parameters rejected"
    default: nil
    }
  }

  /// Result of an LE Credit Based Connection Response.
  static func l2capCreditResultName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Connection successful"
    case 2: "Connection refused, SPSM not supported"
    case 4: "Connection refused, no resources available"
    case 5: "Connection refused, insufficient authentication"
    case 6: "Connection refused, insufficient authorization"
    case 7: "Connection refused, encryption key size too short"
    case 8: "Connection refused, insufficient encryption"
    case 9: "Connection refused, invalid Source CID"
    case 10: "Connection refused, Source CID already allocated"
    case 11: "Connection refused, unacceptable parameters"
    default: nil
    }
  }

  /// Result of a Credit Based Connection Response.
  static func l2capEnhancedResultName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "All connections successful"
    case 2: "All connections refused, SPSM not supported"
    case 4: "Some connections refused, insufficient resources available"
    case 5: "All connections refused, insufficient authentication"
    case 6: "All connections refused, insufficient authorization"
    case 7: "All connections refused, encryption key size too short"
    case 8: "All connections refused, insufficient encryption"
    case 9: "Some connections refused, invalid Source CID"
    case 10: "Some connections refused, Source CID already allocated"
    case 11: "All connections refused, unacceptable parameters"
    case 12: "All connections refused, invalid parameters"
    case 13: "All connections pending, no further information available"
    case 14: "All connections pending, authentication pending"
    case 15: "All connections pending, authorization pending"
    default: nil
    }
  }

  /// Result of a Credit Based Reconfigure Response.
  static func l2capReconfigureResultName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Reconfiguration successful"
    case 1: "Reconfiguration failed, reduction in size of MTU not allowed"
    case 2:
      "Reconfiguration failed, reduction in size of MPS not allowed for more than one channel at a time"
    case 3: "Reconfiguration failed, one or more Destination CIDs invalid"
    case 4: "Reconfiguration failed, other unacceptable parameters"
    default: nil
    }
  }
}
