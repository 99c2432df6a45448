// The codes and bits of L2CAP's signalling commands.
// Sources: Core, Vol 3, Part A, 4.1 to 4.28 and 5.1 to 5.7; checked against BlueZ's monitor, tshark
// 4.0 and bumble.

extension CodeSet {
  /// Reason of a Command Reject.
  package static let l2capReject = CodeSet(
    "Command not understood | Signalling MTU exceeded | Invalid CID in request")

  /// Result of a Connection Response and of a Create Channel Response.
  package static let l2capConnectionResult = CodeSet(
    """
    Connection successful
    Connection pending
    Connection refused, PSM not supported
    Connection refused, security block
    Connection refused, no resources available
    Connection refused, Controller ID not supported
    Connection refused, invalid Source CID
    Connection refused, Source CID already allocated
    """)

  /// Status of a Connection Response with the result pending.
  package static let l2capConnectionStatus = CodeSet(
    "No further information available | Authentication pending | Authorization pending")

  /// Result of a Configure Response.
  package static let l2capConfigureResult = CodeSet(
    """
    Success
    Failure, unacceptable parameters
    Failure, rejected
    Failure, unknown options
    Pending
    Failure, flow spec rejected
    """)

  /// The type of a configuration option.
  package static let l2capOption = CodeSet(
    """
    @1 Maximum Transmission Unit
    Flush Timeout
    Quality of Service
    Retransmission and Flow Control
    Frame Check Sequence
    Extended Flow Specification
    Extended Window Size
    """)

  /// Mode of a channel.
  package static let l2capMode = CodeSet(
    """
    Basic mode
    Retransmission mode
    Flow Control mode
    Enhanced Retransmission mode
    Streaming mode
    """)

  /// FCS Type.
  package static let l2capFCS = CodeSet("No FCS | 16-bit FCS")

  /// The type of information requested.
  package static let l2capInformation = CodeSet(
    "@1 Connectionless MTU | Extended features | Fixed channels")

  /// Result of an Information Response.
  package static let l2capInformationResult = CodeSet("Success | Not supported")

  /// Extended features, by their bits.
  package static let l2capFeatures = CodeSet(
    """
    Flow Control mode
    Retransmission mode
    Bi-directional QoS
    Enhanced Retransmission mode
    Streaming mode
    FCS option
    Extended Flow Specification
    Fixed channels
    Extended Window Size
    Unicast connectionless data
    Enhanced Credit Based Flow Control
    """)

  /// Fixed channels, by their identifiers.
  package static let l2capFixedChannels = CodeSet(
    """
    @1 L2CAP signalling
    Connectionless
    AMP Manager
    ATT
    LE L2CAP signalling
    SMP
    BR/EDR SMP
    @3f AMP Test Manager
    """)

  /// Result of a Move Channel Response.
  package static let l2capMoveResult = CodeSet(
    """
    Success
    Pending
    Refused, Controller ID not supported
    Refused, new Controller ID is same as old
    Refused, configuration not supported
    Refused, Move Channel collision
    Refused, channel not allowed to be moved
    """)

  /// Result of a Move Channel Confirmation.
  package static let l2capMoveConfirmation = CodeSet(
    "Success, both sides succeed | Failure, one or both sides refuse")

  /// Result of a Connection Parameter Update Response.
  package static let l2capUpdateResult = CodeSet("Parameters accepted | Parameters rejected")

  /// Result of an LE Credit Based Connection Response.
  package static let l2capCreditResult = CodeSet(
    """
    Connection successful

    Connection refused, SPSM not supported

    Connection refused, no resources available
    Connection refused, insufficient authentication
    Connection refused, insufficient authorization
    Connection refused, encryption key size too short
    Connection refused, insufficient encryption
    Connection refused, invalid Source CID
    Connection refused, Source CID already allocated
    Connection refused, unacceptable parameters
    """)

  /// Result of a Credit Based Connection Response.
  package static let l2capEnhancedResult = CodeSet(
    """
    All connections successful

    All connections refused, SPSM not supported

    Some connections refused, insufficient resources available
    All connections refused, insufficient authentication
    All connections refused, insufficient authorization
    All connections refused, encryption key size too short
    All connections refused, insufficient encryption
    Some connections refused, invalid Source CID
    Some connections refused, Source CID already allocated
    All connections refused, unacceptable parameters
    All connections refused, invalid parameters
    All connections pending, no further information available
    All connections pending, authentication pending
    All connections pending, authorization pending
    """)

  /// Result of a Credit Based Reconfigure Response.
  package static let l2capReconfigureResult = CodeSet(
    """
    Reconfiguration successful
    Reconfiguration failed, reduction in size of MTU not allowed
    Reconfiguration failed, reduction in size of MPS not allowed for more than one channel at a time
    Reconfiguration failed, one or more Destination CIDs invalid
    Reconfiguration failed, other unacceptable parameters
    """)
}
