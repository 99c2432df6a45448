// Two devices on the air, and a sniffer that hears most of what they send. What was sent is known,
// so everything that is concluded from the capture can be checked.

package import Bluetooth
import Bytes
import Captures

/// One packet on the air.
package struct AirTransmission: Sendable {
  /// What the sniffer made of it.
  package enum Hearing: Sendable { case heard, damaged, missed }

  /// The start of the packet, in microseconds since 1970, and the time it takes.
  package var time: Int64
  package var duration: Int
  /// The channel index.
  package var channel: UInt8
  /// The PHY, numbered as in HCI: 1 LE 1M, 2 LE 2M, 3 LE Coded.
  package var phy: UInt8
  package var accessAddress: UInt32
  package var crcInitial: UInt32
  /// The index of the connection; nil: advertising.
  package var link: Int?
  /// The connection event, and what the sniffer believes it to be.
  package var event = 0
  package var snifferEvent = 0
  /// Sent: by the central; nil: advertising.
  package var side: Direction?
  /// The PDU with its header, as on the air, and before its encryption.
  package var pdu: [UInt8]
  package var plain: [UInt8]
  /// The packet counter, if it is encrypted.
  package var counter: UInt64?
  /// Whether the same PDU was sent before.
  package var isResent = false
  /// Whether the receiver did not take it, although it heard it.
  package var isRefused = false
  /// Whether the receiver did not hear it.
  package var isLost = false
  package var hearing = Hearing.heard
  package var rssi: Int8
  /// The number of its record; nil: the sniffer missed it.
  package internal(set) var record: Int?

  /// The CRC as sent.
  package var crc: [UInt8] { AirBits.crc(pdu, initial: crcInitial) }
  package var isAdvertising: Bool { accessAddress == AirBits.advertisingAddress }
  /// Of a data PDU: 1 continuation or empty, 2 start, 3 control.
  package var llid: UInt8 { pdu[0] & 3 }
  package var isEmpty: Bool { !isAdvertising && pdu[1] == 0 }
  /// The end of the packet, in microseconds since 1970.
  package var end: Int64 { time + Int64(duration) }
}

/// The facts of one connection.
package struct AirConnection: Sendable {
  package var accessAddress: UInt32
  package var crcInitial: UInt32
  package var hop: Int
  package var usesSelection2: Bool
  /// The current interval in units of 1.25 ms, latency, and supervision timeout in units of 10 ms.
  package var interval: Int
  package var latency: Int
  package var timeout: Int
  package var channelMap: UInt64
  /// The PHYs of central and peripheral.
  package var phys: (central: UInt8, peripheral: UInt8)
  /// The index of CONNECT_IND in `AirTraffic.sent`.
  package var request: Int
  /// The next connection event, and how often its number has begun again from 0.
  package var event = 0
  package var rounds = 0
  /// The start of the next event, in microseconds since 1970.
  package var anchor: Int64
  package var isOpen = true

  /// The channel of the next event. Algorithm #1 continues where the number begins again.
  var channel: UInt8 {
    usesSelection2
      ? AirBits.channel2(event: event, accessAddress: accessAddress, map: channelMap)
      : AirBits.channel1(event: event + rounds << 16, hop: hop, map: channelMap)
  }

  /// Goes on to the event after the next one.
  mutating func advance() {
    event = (event + 1) & 0xffff
    if event == 0 { rounds += 1 }
    anchor += Int64(interval) * 1250
  }
}

/// What two devices send, packet by packet.
///
///     var air = AirTraffic(seed: 7)
///     air.radio.missed = 20
///     air.advertise()
///     air.connect()
///     air.att("02 17 00", .sent)
///     air.att("03 17 00", .received)
///     air.disconnect()
///     let records = air.records(AirForm(.nordic3))
package struct AirTraffic: Sendable {
  /// What happens to packets, in thousandths.
  package struct Radio: Sendable {
    /// Packets that the sniffer does not hear, or hears with wrong bits.
    package var missed = 0
    package var damaged = 0
    /// Packets that the receiver hears but does not take, and those that it does not hear.
    package var refused = 0
    package var lost = 0
    /// By how many microseconds the sniffer's times are wrong at most.
    package var jitter = 0
    package var rssi: (central: Int8, peripheral: Int8) = (-48, -61)

    package init() {}
  }

  /// The parameters of the next connection.
  package struct Settings: Sendable {
    package var central = 0x5f11_2233_4455
    package var centralIsRandom = true
    package var peripheral = Traffic.peer
    package var peripheralIsRandom = true
    package var accessAddress: UInt32 = 0x5065_5c67
    package var crcInitial: UInt32 = 0x1b_3c5d
    package var hop = 7
    /// Whether the advertisement and CONNECT_IND offer Channel Selection Algorithm #2; it is used
    /// if both do.
    package var advertisesSelection2 = false
    package var requestsSelection2 = false
    package var interval = 24
    package var latency = 0
    package var timeout = 72
    package var windowOffset = 3
    package var channelMap: UInt64 = 0x1f_ffff_ffff
    /// The largest payload of a data PDU.
    package var mostOctets = 27
    /// The data of the advertisement.
    package var advertisement: [UInt8] = [2, 1, 6]

    package init() {}
  }

  package var settings = Settings()
  package var radio = Radio()
  /// Whether the sniffer hears nothing for a while.
  package var isDeaf = false
  /// Whether the peripheral has stopped: it neither listens nor sends.
  package var peripheralIsGone = false
  /// Whether the sniffer reads encrypted updates of interval, channels and PHY; otherwise it goes
  /// on as before them.
  package var snifferDecrypts = true
  /// Decides what the sniffer hears of a packet, instead of chance; nil: chance decides.
  package var hears: (@Sendable (AirTransmission) -> AirTransmission.Hearing?)?
  /// Decides whether the receiver refuses a packet, instead of chance; nil: chance decides.
  package var refuses: (@Sendable (AirTransmission) -> Bool?)?

  /// All packets, in the order of time.
  package internal(set) var sent: [AirTransmission] = []
  /// All connections.
  package internal(set) var connections: [AirConnection] = []
  /// The L2CAP PDUs of the sides (sent: the central), in the order in which they were queued.
  package internal(set) var pdus: [(side: Direction, bytes: [UInt8])] = []
  /// The time, in microseconds since 1970.
  package var clock: Int64 = 1_700_000_000_000_000
  var random: SeededRandom
  var recordCount = 0
  var link = AirLinkState()

  /// Creates silence. The same seed gives the same packets.
  package init(seed: UInt64 = 1) { random = SeededRandom(seed: seed) }

  /// The packets that the sniffer has records of, in the order of the records.
  package var heard: [AirTransmission] { sent.filter { $0.record != nil } }

  /// The packets that the sniffer missed.
  package var missed: [AirTransmission] { sent.filter { $0.record == nil } }

  /// Advances the time by milliseconds, without any packet.
  package mutating func wait(_ milliseconds: Int) {
    precondition(!link.isOpen, "during a connection, time passes with its events")
    clock += Int64(milliseconds) * 1000
  }

  // MARK: Advertising

  /// Advertises on all three channels, `count` times, every 100 ms.
  package mutating func advertise(_ count: Int = 1) {
    for _ in 0..<count {
      for channel: UInt8 in 37...39 {
        var flags: UInt8 = settings.peripheralIsRandom ? 0x40 : 0
        if settings.advertisesSelection2 { flags |= 0x20 }
        advertising(
          flags, little(settings.peripheral, width: 6) + settings.advertisement, channel,
          rssi: radio.rssi.peripheral)
        clock += 400
      }
      clock += 98_000
    }
  }

  /// Advertises, and answers a request for more: SCAN_REQ and SCAN_RSP.
  package mutating func scan(_ response: [UInt8]) {
    advertiseOn(37)
    let types: UInt8 =
      (settings.centralIsRandom ? 0x40 : 0) | (settings.peripheralIsRandom ? 0x80 : 0)
    clock += 150
    advertising(
      types | 3, little(settings.central, width: 6) + little(settings.peripheral, width: 6), 37,
      rssi: radio.rssi.central)
    clock += 150
    advertising(
      settings.peripheralIsRandom ? 0x44 : 4, little(settings.peripheral, width: 6) + response, 37,
      rssi: radio.rssi.peripheral)
    clock += 98_000
  }

  /// Advertises on one channel.
  private mutating func advertiseOn(_ channel: UInt8) {
    var flags: UInt8 = settings.peripheralIsRandom ? 0x40 : 0
    if settings.advertisesSelection2 { flags |= 0x20 }
    advertising(
      flags, little(settings.peripheral, width: 6) + settings.advertisement, channel,
      rssi: radio.rssi.peripheral)
  }

  /// Sends a PDU with the first byte `flags` on an advertising channel.
  package mutating func advertising(
    _ flags: UInt8, _ payload: [UInt8], _ channel: UInt8, rssi: Int8 = -60
  ) {
    let pdu = [flags, UInt8(payload.count)] + payload
    transmit(
      AirTransmission(
        time: clock, duration: AirBits.microseconds(length: payload.count, phy: 1),
        channel: channel, phy: 1, accessAddress: AirBits.advertisingAddress,
        crcInitial: AirBits.advertisingCRC, pdu: pdu, plain: pdu, rssi: rssi))
    clock += Int64(AirBits.microseconds(length: payload.count, phy: 1))
  }

  // MARK: Connections

  /// Advertises on channel 37, and connects by CONNECT_IND.
  ///
  /// - Parameter heard: whether the sniffer hears CONNECT_IND; nil: chance decides.
  package mutating func connect(heard: Bool? = nil) {
    precondition(!link.isOpen, "one connection at a time")
    advertiseOn(37)
    clock += 150
    let settings = settings
    let types: UInt8 =
      (settings.centralIsRandom ? 0x40 : 0) | (settings.peripheralIsRandom ? 0x80 : 0)
    let fields =
      little(Int(settings.accessAddress), width: 4) + little(Int(settings.crcInitial), width: 3)
      + [2] + little(settings.windowOffset) + little(settings.interval)
      + little(settings.latency) + little(settings.timeout)
      + little(Int(settings.channelMap), width: 5) + [UInt8(settings.hop) | 5 << 5]
    let wasDeaf = isDeaf
    if let heard { isDeaf = !heard }
    advertising(
      types | (settings.requestsSelection2 ? 0x20 : 0) | 5,
      little(settings.central, width: 6) + little(settings.peripheral, width: 6) + fields, 37,
      rssi: radio.rssi.central)
    isDeaf = wasDeaf
    // Within the transmit window, which begins 1.25 ms after the packet and the offset.
    let anchor = clock + 1250 + Int64(settings.windowOffset) * 1250 + 400
    connections.append(
      AirConnection(
        accessAddress: settings.accessAddress, crcInitial: settings.crcInitial, hop: settings.hop,
        usesSelection2: settings.advertisesSelection2 && settings.requestsSelection2,
        interval: settings.interval, latency: settings.latency, timeout: settings.timeout,
        channelMap: settings.channelMap, phys: (1, 1), request: sent.count - 1, anchor: anchor))
    link = AirLinkState(connections[connections.count - 1], isOpen: true)
  }

  /// The connection that is open, or the last one.
  package var connection: AirConnection {
    get { connections[connections.count - 1] }
    set { connections[connections.count - 1] = newValue }
  }

  // MARK: The sniffer

  /// Adds a packet, as far as the sniffer hears it.
  mutating func transmit(_ packet: AirTransmission) {
    var packet = packet
    // Chance is asked for every packet, so that one choice changes no other.
    let isMissed = random.happens(perMille: radio.missed)
    let isDamaged = random.happens(perMille: radio.damaged)
    let chance: AirTransmission.Hearing = isMissed ? .missed : isDamaged ? .damaged : .heard
    if radio.jitter > 0 {
      packet.time += Int64(random.next() % UInt64(2 * radio.jitter + 1)) - Int64(radio.jitter)
    }
    packet.hearing = isDeaf ? .missed : hears?(packet) ?? chance
    if packet.hearing != .missed {
      recordCount += 1
      packet.record = recordCount
    }
    sent.append(packet)
  }
}
