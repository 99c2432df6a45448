package import Bluetooth
import Cryptography
import Dissectors

/// A device that takes part in a connection on the air.
package struct AirParty: Equatable, Sendable {
  package var address: DeviceAddress
  package var type: AddressType
}

/// Counts of one side's packets on an access address.
package struct AirSide: Sendable {
  /// Packets with a right CRC, or one that cannot be checked; among them those below.
  package var packets = 0
  package var empty = 0
  /// Packets that repeat the side's packet before.
  package var resent = 0
  package var crcErrors = 0
  /// PDUs that are known to be missing: a lower bound, unless the connection is decrypted.
  package var missed = 0
  /// Encrypted PDUs that were not decrypted, and those that were.
  package var undecrypted = 0
  package var decrypted = 0
  package var firstPacket = 0
  package var lastPacket = 0
  package var lastTime: Timestamp?
  package var rssi = SignalCounts()
}

/// Signal strengths, counted per dBm.
package struct SignalCounts: Sendable {
  /// Counts for −128 to 127 dBm; empty until the first one, so that a copy costs little.
  private var counts: [UInt32] = []
  package private(set) var total = 0

  package mutating func count(_ rssi: Int8) {
    if counts.isEmpty { counts = [UInt32](repeating: 0, count: 256) }
    counts[Int(rssi) + 128] &+= 1
    total &+= 1
  }

  /// Returns the value below which this share of all values lies, in per cent; nil: no values.
  package func percentile(_ share: Int) -> Int8? {
    guard total > 0 else { return nil }
    var sum = 0
    for index in counts.indices {
      sum += Int(counts[index])
      if sum * 100 > total * share { return Int8(index - 128) }
    }
    return Int8.max
  }
}

/// Why PDUs of a connection stayed encrypted.
package enum UndecryptedReason: UInt8, Sendable {
  /// LL_ENC_REQ or LL_ENC_RSP was not captured: half of the session key's input is missing.
  case requestMissing, responseMissing
  /// The connection was encrypted when the capture began.
  case beganBefore
  /// LE Secure Connections: the key never crosses the air.
  case secureConnections
  /// The key is of an earlier bond: EDIV and Rand identify it.
  case earlierBond
  /// Legacy pairing with a passkey: its values were not captured.
  case pairingIncomplete
  /// Legacy pairing with out-of-band data, which cannot be searched.
  case outOfBand
  /// None of the keys given fits.
  case keysDoNotFit
  /// The key fitted up to a packet, then no longer.
  case lostCounter
}

/// The encryption of a connection, from one LL_ENC_REQ to the next.
package struct EncryptionPeriod: Sendable {
  /// Where the key that fits came from.
  package enum KeySource: UInt8, Sendable {
    /// A pairing in this capture whose temporary key is known: zero (Just Works), or out-of-band.
    case pairing
    /// A key that was distributed in a pairing in this capture.
    case distributed
    /// A key, a passkey or another file that was given.
    case supplied
    /// A search for the passkey.
    case search
    /// The debug key of Secure Connections.
    case debugKey
    /// The sniffer decrypted it, or it was decrypted before it was saved.
    case sniffer
  }

  /// The packets of LL_ENC_REQ, LL_ENC_RSP, LL_START_ENC_REQ, and of the first encrypted PDU; 0:
  /// not seen.
  package var request = 0
  package var response = 0
  package var start = 0
  package var firstEncrypted = 0
  package var ediv: UInt16 = 0
  package var rand: UInt64 = 0
  /// SKD_C and IV_C of LL_ENC_REQ, SKD_P and IV_P of LL_ENC_RSP, as numbers.
  package var centralDiversifier: UInt64 = 0
  package var peripheralDiversifier: UInt64 = 0
  package var centralVector: UInt32 = 0
  package var peripheralVector: UInt32 = 0
  package var keySource: KeySource?
  /// PDUs that were decrypted, and not.
  package var decrypted = 0
  package var undecrypted = 0
  package var firstUndecrypted = 0
  package var lastUndecrypted = 0
  package var reason: UndecryptedReason?
  /// How many keys were tried.
  package var keysTried = 0
  /// How many of them were given.
  package var keysGiven = 0
}

/// A connection as a sniffer recorded it. The connection itself, with its peer and parameters, is
/// in `Links`: its central is the local side, its peripheral the peer.
package struct AirLink: Sendable {
  /// The number of the connection in `Links`; 0: none yet.
  package internal(set) var connection = 0
  package let interface: AdapterIndex
  package let accessAddress: UInt32
  /// What the access address is used for.
  package var stream = AirFact.Stream.unknown
  /// For an isochronous stream: the connection that it belongs to, if known.
  package var owner = 0
  /// For a periodic train, its responses and broadcast streams: the train's advertiser.
  package var train: PeriodicTrain?
  /// Whether it has the responses to a periodic train.
  package var answersTrain = false
  package var central: AirParty?
  package var peripheral: AirParty?
  /// The packet of CONNECT_IND or AUX_CONNECT_REQ; 0: missing.
  package var opening = 0
  package var firstPacket = 0
  /// The value that the CRC starts with: stated, or found from packets.
  package var crcInit: UInt32?
  package var isCRCInitFound = false
  package var hop: UInt8?
  /// Channel Selection Algorithm 1 or 2; 0: unknown.
  package var channelSelection: UInt8 = 0
  package var channelMap: UInt64 = 0
  /// The PHYs in use, numbered as in HCI; 0: unknown.
  package var phyFromCentral: UInt8 = 0
  package var phyFromPeripheral: UInt8 = 0
  /// Index 0: the central, 1: the peripheral, 2: unknown side.
  package var sides: [AirSide] {
    guard !areEventsKnown || isFiltered else { return counts }
    // Sequence numbers that were made up, or of which some were removed, show no missing PDUs.
    return counts.map {
      var side = $0
      side.missed = 0
      return side
    }
  }
  var counts: [AirSide] = [AirSide(), AirSide(), AirSide()]
  /// Packets and CRC errors per channel index (0–39), for each side: 40 × (packets, errors) × 2;
  /// empty until used.
  package var cells: [UInt32] = []
  /// The first and the last connection event with a packet.
  package var firstEvent: Int? { areEventsKnown ? earliestEvent : nil }
  package var lastEvent: Int?
  var earliestEvent: Int?
  /// Whether the packets are on the channels of the events that they are counted in. Those of a
  /// sniffer that is itself the central are not.
  package var areEventsKnown: Bool { eventsSeen < 8 || clock.lostHops * 4 < eventsSeen }
  /// Events with a packet, and those between the first and the last without one.
  package var eventsSeen = 0
  /// Events of which only damaged packets were recorded; neither seen nor missed.
  package var eventsDamaged = 0
  package var eventsMissed: Int {
    // Without any empty packet, they may have been removed.
    let isWhole = !isFiltered && counts.contains { $0.empty > 0 }
    return areEventsKnown && isWhole ? eventsWithout : 0
  }
  var eventsWithout = 0
  package var eventsOnlyCentral = 0
  package var eventsOnlyPeripheral = 0
  /// The longest run of events without a packet, with the packet after it.
  package var longestHole = 0
  package var longestHolePacket = 0
  /// Whether nearly all empty packets were removed from the capture, so that gaps show nothing.
  package var isFiltered: Bool {
    let empty = counts.reduce(0) { $0 + $1.empty }
    let all = counts.reduce(0) { $0 + $1.packets }
    return all >= 20 && empty * 20 < all
  }
  /// The event from which on the sniffer followed a wrong interval or channel map, the packet, and
  /// the encrypted control PDU that it could not read.
  package var lostTrack: (event: Int, packet: Int, cause: Int)?
  /// The events with a packet before that.
  package var eventsSeenBeforeLoss = 0
  /// The accuracy of its sleep clock that the central declared (0 500 ppm to 7 20 ppm), if the
  /// opening is in the capture.
  package var clockAccuracy: UInt8?
  /// How much later than the interval gives the central began its connection events, by a clock of
  /// the sniffer that is exact, and the time in which this was measured, in microseconds.
  package var drift: (deviation: Int64, time: Int64) = (0, 0)
  /// The time since the event to which that was measured last.
  var driftPause: Int64 = 0
  /// Direction claims of the capture that are proven wrong, and the first of them.
  package var wrongDirections: Int { direction.wrongClaims }
  package var firstWrongDirection: Int { direction.firstWrongClaim }
  /// The encryption periods; the last 8.
  package var periods: [EncryptionPeriod] = []
  /// Whether the connection has ended.
  package internal(set) var isEnded = false

  // How the connection is followed.

  /// The link in `Links`; valid while the connection is open.
  var slot: LinkSlot?
  var handle: UInt16 = 0
  var clock: EventClock
  var direction = Sides()
  var acknowledgements = InlineArray<2, Acknowledgement>(repeating: Acknowledgement())
  var security = LinkSecurity()
  var pairing = AirPairing()
  /// The searches for a temporary key so far.
  var searches = 0
  var checks = CRCChecks()
  /// The last packet with its access address.
  var latestPacket = 0
  /// The latest control PDU that may change the interval and that the sniffer could not read.
  var latestUpdate = 0
  /// The event of such a PDU that nothing decrypts, and the number of events seen until then.
  var unreadUpdate: (event: Int, seen: Int)?
  /// Events after the latest one of which only damaged packets were recorded so far.
  var damagedEvents: [Int] = []
  /// The long-term key that a pairing with Secure Connections gave, until it is remembered.
  var learnedKey: PairingValue?
  /// Which sides were heard in the latest event: bit 0 the central, bit 1 the peripheral.
  var heard: UInt8 = 0
  /// The last packet before which others may be missing, or which was not read; 0: none.
  var gap = 0
  /// Whether the peripheral has not answered the central's latest packet.
  var awaitsPeripheral = false
  /// Pauses between two packets of an event that fit the Link Layer's, and others.
  var pauses: (fitting: Int, other: Int) = (0, 0)
  var latestEnd: Int64?
  /// Packets whose channel is the predicted one as an index by algorithms 1 and 2, and in RF order.
  var channelFits = InlineArray<4, Int>(repeating: 0)
  /// PDUs of a connection whose opening is missing that look encrypted, and plain.
  var looks: (encrypted: Int, plain: Int) = (0, 0)

  init(_ interface: AdapterIndex, _ accessAddress: UInt32, packet: Int) {
    self.interface = interface
    self.accessAddress = accessAddress
    firstPacket = packet
    clock = EventClock(accessAddress: accessAddress)
  }
}
