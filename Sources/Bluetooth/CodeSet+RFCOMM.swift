// The codes and bits of RFCOMM.
// Sources: RFCOMM 1.2, 4 and 5; TS 07.10, 5.2 and 5.4.6; checked against tshark 4.0.

extension CodeSet {
  /// The frame types, by the control field without the P/F bit.
  package static let rfcommFrame = CodeSet(
    "@3 UI | @f DM | @2f SABM | @43 DISC | @63 UA | @ef UIH")

  /// The multiplexer's commands, by the upper six bits of their type.
  package static let rfcommCommand = CodeSet(
    """
    @4 Non-Supported Command
    @8 Test
    @10 Power Saving Control
    @14 Remote Line Status
    @18 Flow Control Off
    @20 DLC Parameter Negotiation
    @24 Remote Port Negotiation
    @28 Flow Control On
    @30 Multiplexer Close Down
    @34 Service Negotiation
    @38 Modem Status
    """)

  /// Convergence layer: whether the sender of a parameter negotiation supports flow control by
  /// credits (RFCOMM, 5.5.3).
  package static let rfcommConvergence = CodeSet(
    """
    No credit-based flow control
    @e Credit-based flow control accepted
    Credit-based flow control
    """)

  /// The signals of Modem Status, without the EA bit.
  package static let rfcommSignals = CodeSet(
    """
    Flow Control
    Ready To Communicate
    Ready To Receive


    Incoming Call
    Data Valid
    """)

  /// Baud rates in bits per second.
  package static let rfcommBaudRate = CodeSet(
    """
    2400 bit/s
    4800 bit/s
    7200 bit/s
    9600 bit/s
    19200 bit/s
    38400 bit/s
    57600 bit/s
    115200 bit/s
    230400 bit/s
    """)

  package static let rfcommDataBits = CodeSet(
    "5 data bits | 6 data bits | 7 data bits | 8 data bits")

  package static let rfcommStopBits = CodeSet("1 stop bit | 1.5 stop bits")

  package static let rfcommParity = CodeSet("No parity | Parity")

  package static let rfcommParityType = CodeSet("Odd | Even | Mark | Space")

  /// Flow control of a port, by its bits.
  package static let rfcommFlowControl = CodeSet(
    """
    XON/XOFF on input
    XON/XOFF on output
    RTR on input
    RTR on output
    RTC on input
    RTC on output
    """)

  /// The parameters that a Remote Port Negotiation sets, by their bits.
  package static let rfcommPortParameters = CodeSet(
    """
    Baud rate
    Data bits
    Stop bits
    Parity
    Parity type
    XON character
    XOFF character

    XON/XOFF on input
    XON/XOFF on output
    RTR on input
    RTR on output
    RTC on input
    RTC on output
    """)

  /// The bits of a Remote Line Status.
  package static let rfcommLineStatus = CodeSet(
    "Error | Overrun | Parity error | Framing error")
}
