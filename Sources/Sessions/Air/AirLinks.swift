package import Bluetooth
import Captures
import Dissectors

/// The connections and streams on the air, by interface and access address.
package struct AirLinks: Sendable {
  /// What the sniffer's header claims that is known to be wrong, and other facts about the capture.
  package struct CaptureClaims: Sendable {
    /// Records from the air.
    package var records = 0
    package var advertising = 0
    package var data = 0
    package var crcErrors = 0
    /// Of these, on advertising channels.
    package var advertisingErrors = 0
    package var resent = 0
    package var empty = 0
    /// Whether channels are indices although the format counts in RF order; nil: undecided.
    package var isChannelIndex: Bool?
    /// Packets whose CRC claim is wrong, and the first of them.
    package var wrongCRCClaims = 0
    package var firstWrongCRCClaim = 0
    /// Whether the CRCs were not recorded.
    package var lacksCRCs = false
    package var clockGoesBack = 0
    /// Records that the sniffer's own count shows to be lost between sniffer and file.
    package var sniffersLosses = 0
    /// The format and protocol version of the first record.
    package var format: SnifferFormat?
    package var version: UInt8 = 0
  }

  package private(set) var claims = CaptureClaims()
  /// The connections and streams, open and ended; bounded, oldest first.
  package private(set) var all: [AirLink] = []

  init() {}

  /// Whether any record came from the air.
  package var isEmpty: Bool { claims.records == 0 }

  /// Returns the connection with this number.
  package func link(connection: Int) -> AirLink? {
    all.first { $0.connection == connection && $0.stream == .connection }
  }
}
