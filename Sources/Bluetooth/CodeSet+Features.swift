// The features of LMP and of the Link Layer, by their bits.
// Sources: Core, Vol 2, Part C, 3.3 and Vol 6, Part B, 4.6; checked against BlueZ's monitor and
// bumble.

extension CodeSet {
  /// LMP features, page 0.
  package static let lmpFeatures = CodeSet(
    """
    3 slot packets
    5 slot packets
    Encryption
    Slot offset
    Timing accuracy
    Role switch
    Hold mode
    Sniff mode
    Park state
    Power control requests
    Channel quality driven data rate
    SCO link
    HV2 packets
    HV3 packets
    µ-law log synchronous data
    A-law log synchronous data
    CVSD synchronous data
    Paging parameter negotiation
    Power control
    Transparent synchronous data
    Flow control lag, least significant bit
    Flow control lag, middle bit
    Flow control lag, most significant bit
    Broadcast encryption

    Enhanced Data Rate ACL 2 Mbps mode
    Enhanced Data Rate ACL 3 Mbps mode
    Enhanced inquiry scan
    Interlaced inquiry scan
    Interlaced page scan
    RSSI with inquiry results
    Extended SCO link
    EV4 packets
    EV5 packets

    AFH capable peripheral
    AFH classification peripheral
    BR/EDR not supported
    LE supported
    3-slot Enhanced Data Rate ACL packets
    5-slot Enhanced Data Rate ACL packets
    Sniff subrating
    Pause encryption
    AFH capable central
    AFH classification central
    Enhanced Data Rate eSCO 2 Mbps mode
    Enhanced Data Rate eSCO 3 Mbps mode
    3-slot Enhanced Data Rate eSCO packets
    Extended inquiry response
    Simultaneous LE and BR/EDR to same device

    Secure Simple Pairing
    Encapsulated PDU
    Erroneous data reporting
    Non-flushable packet boundary flag

    Link supervision timeout changed event
    Variable inquiry TX power level
    Enhanced power control
    @3f Extended features
    """)

  /// LMP features, page 1: those supported by the Host.
  package static let lmpFeatures1 = CodeSet(
    """
    Secure Simple Pairing (Host)
    LE Supported (Host)
    Simultaneous LE and BR/EDR (Host)
    Secure Connections (Host)
    """)

  /// LMP features, page 2.
  package static let lmpFeatures2 = CodeSet(
    """
    Connectionless Peripheral Broadcast, transmitter
    Connectionless Peripheral Broadcast, receiver
    Synchronization train
    Synchronization scan
    Inquiry response notification event
    Generalized interlaced scan
    Coarse clock adjustment

    Secure Connections
    Ping
    Slot availability mask
    Train nudging
    """)

  /// LE features by their bits; those from 64 on only occur in commands that name a single feature
  /// by its number.
  package static let leFeatures = CodeSet(
    """
    LE Encryption
    Connection Parameters Request Procedure
    Extended Reject Indication
    Peripheral-initiated Features Exchange
    LE Ping
    LE Data Packet Length Extension
    LL Privacy
    Extended Scanner Filter Policies
    LE 2M PHY
    Stable Modulation Index, transmitter
    Stable Modulation Index, receiver
    LE Coded PHY
    LE Extended Advertising
    LE Periodic Advertising
    Channel Selection Algorithm #2
    LE Power Class 1
    Minimum Number of Used Channels Procedure
    Connection CTE Request
    Connection CTE Response
    Connectionless CTE Transmitter
    Connectionless CTE Receiver
    Antenna Switching During CTE Transmission
    Antenna Switching During CTE Reception
    Receiving Constant Tone Extensions
    Periodic Advertising Sync Transfer, sender
    Periodic Advertising Sync Transfer, recipient
    Sleep Clock Accuracy Updates
    Remote Public Key Validation
    Connected Isochronous Stream, Central
    Connected Isochronous Stream, Peripheral
    Isochronous Broadcaster
    Synchronized Receiver
    Connected Isochronous Stream (Host Support)
    LE Power Control Request
    LE Power Control Request, second bit
    LE Path Loss Monitoring
    Periodic Advertising ADI
    Connection Subrating
    Connection Subrating (Host Support)
    Channel Classification
    Advertising Coding Selection
    Advertising Coding Selection (Host Support)
    Decision-Based Advertising Filtering
    Periodic Advertising with Responses, advertiser
    Periodic Advertising with Responses, scanner
    Unsegmented Framed Mode
    Channel Sounding
    Channel Sounding (Host Support)
    Channel Sounding Tone Quality Indication
    @3f LL Extended Feature Set
    Monitoring Advertisers
    Frame Space Update
    UTP OTA Mode
    UTP HCI Mode
    LL_OTA_UTP_IND Maximum Length, low bit
    LL_OTA_UTP_IND Maximum Length, high bit
    @48 Shorter Connection Intervals
    Shorter Connection Intervals (Host Support)
    LE Flushable ACL Data
    """)

  /// LE features from bit 64 on, numbered from there.
  package static let leFeatures1 = CodeSet(leFeatures, from: 64)
}
