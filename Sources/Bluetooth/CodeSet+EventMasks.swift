// The events enabled by the event masks, by their bits.
// Sources: Core, Vol 4, Part E, 7.3.1, 7.3.69 and 7.8.1; checked against BlueZ's monitor and tshark
// 4.0; bit 25 of page 2 and bit 55 of LE are [mem].

extension CodeSet {
  package static let eventMask = CodeSet(
    """
    Inquiry Complete
    Inquiry Result
    Connection Complete
    Connection Request
    Disconnection Complete
    Authentication Complete
    Remote Name Request Complete
    Encryption Change
    Change Connection Link Key Complete
    Link Key Type Changed
    Read Remote Supported Features Complete
    Read Remote Version Information Complete
    QoS Setup Complete
    Command Complete
    Command Status
    Hardware Error
    Flush Occurred
    Role Change
    Number Of Completed Packets
    Mode Change
    Return Link Keys
    PIN Code Request
    Link Key Request
    Link Key Notification
    Loopback Command
    Data Buffer Overflow
    Max Slots Change
    Read Clock Offset Complete
    Connection Packet Type Changed
    QoS Violation
    Page Scan Mode Change
    Page Scan Repetition Mode Change
    Flow Specification Complete
    Inquiry Result with RSSI
    Read Remote Extended Features Complete
    @2b Synchronous Connection Complete
    Synchronous Connection Changed
    Sniff Subrating
    Extended Inquiry Result
    Encryption Key Refresh Complete
    IO Capability Request
    IO Capability Response
    User Confirmation Request
    User Passkey Request
    Remote OOB Data Request
    Simple Pairing Complete

    Link Supervision Timeout Changed
    Enhanced Flush Complete

    User Passkey Notification
    Keypress Notification
    Remote Host Supported Features Notification
    LE Meta
    """)

  /// Event_Mask_Page_2.
  package static let eventMask2 = CodeSet(
    """
    Physical Link Complete
    Channel Selected
    Disconnection Physical Link Complete
    Physical Link Loss Early Warning
    Physical Link Recovery
    Logical Link Complete
    Disconnection Logical Link Complete
    Flow Spec Modify Complete
    Number Of Completed Data Blocks
    AMP Start Test
    AMP Test End
    AMP Receiver Report
    Short Range Mode Change Complete
    AMP Status Change
    Triggered Clock Capture
    Synchronization Train Complete
    Synchronization Train Received
    Connectionless Peripheral Broadcast Receive
    Connectionless Peripheral Broadcast Timeout
    Truncated Page Complete
    Peripheral Page Response Timeout
    Connectionless Peripheral Broadcast Channel Map Change
    Inquiry Response Notification
    Authenticated Payload Timeout Expired
    SAM Status Change
    Encryption Change [v2]
    """)

  package static let leEventMask = CodeSet(
    """
    LE Connection Complete
    LE Advertising Report
    LE Connection Update Complete
    LE Read Remote Features Page 0 Complete
    LE Long Term Key Request
    LE Remote Connection Parameter Request
    LE Data Length Change
    LE Read Local P-256 Public Key Complete
    LE Generate DHKey Complete
    LE Enhanced Connection Complete
    LE Directed Advertising Report
    LE PHY Update Complete
    LE Extended Advertising Report
    LE Periodic Advertising Sync Established
    LE Periodic Advertising Report
    LE Periodic Advertising Sync Lost
    LE Scan Timeout
    LE Advertising Set Terminated
    LE Scan Request Received
    LE Channel Selection Algorithm
    LE Connectionless IQ Report
    LE Connection IQ Report
    LE CTE Request Failed
    LE Periodic Advertising Sync Transfer Received
    LE CIS Established
    LE CIS Request
    LE Create BIG Complete
    LE Terminate BIG Complete
    LE BIG Sync Established
    LE BIG Sync Lost
    LE Request Peer SCA Complete
    LE Path Loss Threshold
    LE Transmit Power Reporting
    LE BIGInfo Advertising Report
    LE Subrate Change
    LE Periodic Advertising Sync Established [v2]
    LE Periodic Advertising Report [v2]
    LE Periodic Advertising Sync Transfer Received [v2]
    LE Periodic Advertising Subevent Data Request
    LE Periodic Advertising Response Report
    LE Enhanced Connection Complete [v2]
    LE CIS Established [v2]
    LE Read All Remote Features Complete
    LE CS Read Remote Supported Capabilities Complete
    LE CS Read Remote FAE Table Complete
    LE CS Security Enable Complete
    LE CS Config Complete
    LE CS Procedure Enable Complete
    LE CS Subevent Result
    LE CS Subevent Result Continue
    LE CS Test End Complete
    LE Monitored Advertisers Report
    LE Frame Space Update Complete
    LE UTP Receive
    LE Connection Rate Change
    LE CS Read Remote Supported Capabilities Complete [v2]
    """)

  /// LE_States: the states and combinations of states that a Controller supports.
  package static let leStates = CodeSet(
    """
    Non-connectable advertising
    Scannable advertising
    Connectable advertising
    High duty cycle directed advertising
    Passive scanning
    Active scanning
    Initiating + Central
    Peripheral
    Passive scanning + non-connectable advertising
    Passive scanning + scannable advertising
    Passive scanning + connectable advertising
    Passive scanning + high duty cycle directed advertising
    Active scanning + non-connectable advertising
    Active scanning + scannable advertising
    Active scanning + connectable advertising
    Active scanning + high duty cycle directed advertising
    Initiating + non-connectable advertising
    Initiating + scannable advertising
    Central + non-connectable advertising
    Central + scannable advertising
    Peripheral + non-connectable advertising
    Peripheral + scannable advertising
    Initiating + passive scanning
    Initiating + active scanning
    Central + passive scanning
    Central + active scanning
    Peripheral + passive scanning
    Peripheral + active scanning
    Initiating + Central
    Low duty cycle directed advertising
    Low duty cycle directed advertising + passive scanning
    Low duty cycle directed advertising + active scanning
    Initiating + connectable advertising
    Initiating + high duty cycle directed advertising
    Initiating + low duty cycle directed advertising
    Central + connectable advertising
    Central + high duty cycle directed advertising
    Central + low duty cycle directed advertising
    Peripheral + connectable advertising
    Peripheral + high duty cycle directed advertising
    Peripheral + low duty cycle directed advertising
    Initiating + Peripheral
    """)
}
