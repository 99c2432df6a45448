// The features of LMP and of the Link Layer, by their bits.
// Sources: Core, Vol 2, Part C, 3.3 and Vol 6, Part B, 4.6; checked against BlueZ's monitor and
// bumble.

extension CodeSet {
  /// LMP features, page 0.
  static func lmpFeaturesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "3 slot packets"
    case 1: "5 slot packets"
    case 2: "Encryption"
    case 3: "Slot offset"
    case 4: "Timing accuracy"
    case 5: "Role switch"
    case 6: "Hold mode"
    case 7: "Sniff mode"
    case 8: "Park state"
    case 9: "Power control requests"
    case 10: "Channel quality driven data rate"
    case 11: "SCO link"
    case 12: "HV2 packets"
    case 13: "HV3 packets"
    case 14: "µ-law log synchronous data"
    case 15: "A-law log synchronous data"
    case 16: "CVSD synchronous data"
    case 17: "Paging parameter negotiation"
    case 18: "Power control"
    case 19: "Transparent synchronous data"
    case 20: "Flow control lag, least significant bit"
    case 21: "Flow control lag, middle bit"
    case 22: "Flow control lag, most significant bit"
    case 23: "Broadcast encryption"
    case 25: "Enhanced Data Rate ACL 2 Mbps mode"
    case 26: "Enhanced Data Rate ACL 3 Mbps mode"
    case 27: "Enhanced inquiry scan"
    case 28: "Interlaced inquiry scan"
    case 29: "Interlaced page scan"
    case 30: "RSSI with inquiry results"
    case 31: "Extended SCO link"
    case 32: "EV4 packets"
    case 33: "EV5 packets"
    case 35: "AFH capable peripheral"
    case 36: "AFH classification peripheral"
    case 37: "BR/EDR not supported"
    case 38: "LE supported"
    case 39: "3-slot Enhanced Data Rate ACL packets"
    case 40: "5-slot Enhanced Data Rate ACL packets"
    case 41: "Sniff subrating"
    case 42: "Pause encryption"
    case 43: "AFH capable central"
    case 44: "AFH classification central"
    case 45: "Enhanced Data Rate eSCO 2 Mbps mode"
    case 46: "Enhanced Data Rate eSCO 3 Mbps mode"
    case 47: "3-slot Enhanced Data Rate eSCO packets"
    case 48: "Extended inquiry response"
    case 49: "Simultaneous LE and BR/EDR to same device"
    case 51: "Secure Simple Pairing"
    case 52: "Encapsulated PDU"
    case 53: "Erroneous data reporting"
    case 54: "Non-flushable packet boundary flag"
    case 56: "Link supervision timeout changed event"
    case 57: "Variable inquiry TX power level"
    case 58: "Enhanced power control"
    case 63: "Extended features"
    default: nil
    }
  }

  /// LMP features, page 1: those supported by the Host.
  static func lmpFeatures1Name(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Secure Simple Pairing (Host)"
    case 1: "LE Supported (Host)"
    case 2: "Simultaneous LE and BR/EDR (Host)"
    case 3: "Secure Connections (Host)"
    default: nil
    }
  }

  /// LMP features, page 2.
  static func lmpFeatures2Name(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Connectionless Peripheral Broadcast, transmitter"
    case 1: "Connectionless Peripheral Broadcast, receiver"
    case 2: "Synchronization train"
    case 3: "Synchronization scan"
    case 4: "Inquiry response notification event"
    case 5: "Generalized interlaced scan"
    case 6: "Coarse clock adjustment"
    case 8: "Secure Connections"
    case 9: "Ping"
    case 10: "Slot availability mask"
    case 11: "Train nudging"
    default: nil
    }
  }

  /// LE features by their bits; those from 64 on only occur in commands that name a single feature
  /// by its number.
  static func leFeaturesName(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "LE Encryption"
    case 1: "Connection Parameters Request Procedure"
    case 2: "Extended Reject Indication"
    case 3: "Peripheral-initiated Features Exchange"
    case 4: "LE Ping"
    case 5: "LE Data Packet Length Extension"
    case 6: "LL Privacy"
    case 7: "Extended Scanner Filter Policies"
    case 8: "LE 2M PHY"
    case 9: "Stable Modulation Index, transmitter"
    case 10: "Stable Modulation Index, receiver"
    case 11: "LE Coded PHY"
    case 12: "LE Extended Advertising"
    case 13: "LE Periodic Advertising"
    case 14: "Channel Selection Algorithm #2"
    case 15: "LE Power Class 1"
    case 16: "Minimum Number of Used Channels Procedure"
    case 17: "Connection CTE Request"
    case 18: "Connection CTE Response"
    case 19: "Connectionless CTE Transmitter"
    case 20: "Connectionless CTE Receiver"
    case 21: "Antenna Switching During CTE Transmission"
    case 22: "Antenna Switching During CTE Reception"
    case 23: "Receiving Constant Tone Extensions"
    case 24: "Periodic Advertising Sync Transfer, sender"
    case 25: "Periodic Advertising Sync Transfer, recipient"
    case 26: "Sleep Clock Accuracy Updates"
    case 27: "Remote Public Key Validation"
    case 28: "Connected Isochronous Stream, Central"
    case 29: "Connected Isochronous Stream, Peripheral"
    case 30: "Isochronous Broadcaster"
    case 31: "Synchronized Receiver"
    case 32: "Connected Isochronous Stream (Host Support)"
    case 33: "LE Power Control Request"
    case 34: "LE Power Control Request, second bit"
    case 35: "LE Path Loss Monitoring"
    case 36: "Periodic Advertising ADI"
    case 37: "Connection Subrating"
    case 38: "Connection Subrating (Host Support)"
    case 39: "Channel Classification"
    case 40: "Advertising Coding Selection"
    case 41: "Advertising Coding Selection (Host Support)"
    case 42: "Decision-Based Advertising Filtering"
    case 43: "Periodic Advertising with Responses, advertiser"
    case 44: "Periodic Advertising with Responses, scanner"
    case 45: "Unsegmented Framed Mode"
    case 46: "Channel Sounding"
    case 47: "Channel Sounding (Host Support)"
    case 48: "Channel Sounding Tone Quality Indication"
    case 63: "LL Extended Feature Set"
    default: code < 64 ? nil : leFeatures1Name(code - 64)
    }
  }

  /// LE features from bit 64 on, numbered from there.
  static func leFeatures1Name(_ code: UInt64) -> StaticString? {
    switch code {
    case 0: "Monitoring Advertisers"
    case 1: "Frame Space Update"
    case 2: "UTP OTA Mode"
    case 3: "UTP HCI Mode"
    case 4: "LL_OTA_UTP_IND Maximum Length, low bit"
    case 5: "LL_OTA_UTP_IND Maximum Length, high bit"
    case 8: "Shorter Connection Intervals"
    case 9: "Shorter Connection Intervals (Host Support)"
    case 10: "LE Flushable ACL Data"
    default: nil
    }
  }
}
