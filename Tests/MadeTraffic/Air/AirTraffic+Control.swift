// The procedures of the Link Layer (Core, Vol 6, Part B, 5.1).

package import Bluetooth
import Bytes

extension AirTraffic {
  /// Exchanges versions and features.
  package mutating func exchangeFeatures() {
    control(0x0c, hex("0c 0f 00 01 00"), by: .sent)
    control(0x0c, hex("0b 59 00 02 00"), by: .received)
    control(0x08, hex("ff 01 00 00 00 00 00 00"), by: .sent)
    control(0x09, hex("3f 00 00 00 00 00 00 00"), by: .received)
  }

  /// Agrees on longer packets.
  package mutating func extendLengths(to octets: Int) {
    let fields = little(octets) + little(AirBits.microseconds(length: octets + 4, phy: 1))
    control(0x14, fields + fields, by: .sent)
    control(0x15, fields + fields, by: .received)
    settings.mostOctets = octets
  }

  /// Changes the connection's parameters `events` after the next event, and runs until they hold.
  ///
  /// - Returns: the instant.
  @discardableResult
  package mutating func updateConnection(
    interval: Int, latency: Int = 0, timeout: Int = 72, windowOffset: Int = 2, after events: Int = 8
  ) -> Int {
    let instant = (connection.event + events) & 0xffff
    change(
      instant,
      .parameters(
        interval: interval, latency: latency, timeout: timeout, windowOffset: windowOffset),
      0x00,
      [1] + little(windowOffset) + little(interval) + little(latency) + little(timeout)
        + little(instant))
    return instant
  }

  /// Changes the channel map.
  ///
  /// - Returns: the instant.
  @discardableResult
  package mutating func changeMap(_ map: UInt64, after events: Int = 8) -> Int {
    let instant = (connection.event + events) & 0xffff
    change(instant, .channelMap(map), 0x01, little(Int(map), width: 5) + little(instant))
    return instant
  }

  /// Changes the PHYs: LL_PHY_REQ, LL_PHY_RSP and LL_PHY_UPDATE_IND.
  ///
  /// - Returns: the instant.
  @discardableResult
  package mutating func changePHY(
    central: UInt8, peripheral: UInt8, after events: Int = 12
  ) -> Int {
    control(0x16, [7, 7], by: .sent)
    control(0x17, [7, 7], by: .received)
    let instant = (connection.event + events) & 0xffff
    let bits = [central, peripheral].map { UInt8(1) << ($0 - 1) }
    change(
      instant, .phys(central: central, peripheral: peripheral), 0x18, bits + little(instant))
    return instant
  }

  /// Sends an update, and runs until its instant has passed.
  private mutating func change(
    _ instant: Int, _ change: AirChange, _ opcode: UInt8, _ parameters: [UInt8]
  ) {
    var before = connection
    link.pending.append((instant, change))
    control(opcode, parameters, by: .sent)
    precondition(
      link.pending.contains { $0.instant == instant }, "the instant passed before the update")
    let goesAstray = link.central.cipher != nil && !snifferDecrypts && link.astray == nil
    while link.isOpen, link.pending.contains(where: { $0.instant == instant }) {
      if goesAstray, connection.event == instant {
        before.event = instant
        before.anchor = connection.anchor
        link.astray = before
      }
      runEvent()
    }
  }

  /// Starts encryption with a key, 16 bytes, most significant first (5.1.3.1).
  ///
  /// - Parameters:
  ///   - has: whether the peripheral has the key; otherwise it refuses with PIN or Key Missing.
  ///   - queued: whether the peripheral sends a feature request between LL_ENC_REQ and its answer.
  ///   - differs: whether the peripheral has another key, so that it leaves at the first packet.
  package mutating func encrypt(
    _ key: [UInt8], ediv: Int = 0, rand: UInt64 = 0, has: Bool = true, queued: Bool = false,
    differs: Bool = false
  ) {
    let (central, peripheral) = (random.bytes(8), random.bytes(8))
    let (centralVector, peripheralVector) = (random.bytes(4), random.bytes(4))
    let number = (0..<8).map { UInt8(truncatingIfNeeded: rand >> (8 * $0)) }
    control(0x03, number + little(ediv) + central + centralVector, by: .sent)
    if queued { control(0x0e, hex("ff 01 00 00 00 00 00 00"), by: .received) }
    control(0x04, peripheral + peripheralVector, by: .received)
    guard has else { return control(0x0d, [0x06], by: .received) }
    // The host looks up the key.
    run(events: 2)
    control(0x05, by: .received)
    let cipher = ReferenceCCM(
      key: key, diversifier: central + peripheral, vector: centralVector + peripheralVector)
    for side in [Direction.sent, .received] {
      link[side].cipher = cipher
      link[side].counter = 0
    }
    if differs {
      queueControl(0x06, by: .sent)
      return losePeripheral()
    }
    control(0x06, by: .sent)
    control(0x06, by: .received)
  }

  /// Pauses encryption (5.1.3.2), and starts it again with a key.
  package mutating func encryptAgain(_ key: [UInt8]) {
    control(0x0a, by: .sent)
    control(0x0b, by: .received)
    link.central.cipher = nil
    link.peripheral.cipher = nil
    control(0x0b, by: .sent)
    encrypt(key)
  }

  /// Ends the connection: LL_TERMINATE_IND, and its acknowledgement.
  package mutating func disconnect(reason: UInt8 = 0x13, by side: Direction = .sent) {
    guard link.isOpen else { return }
    control(0x02, [reason], by: side)
    if link.isOpen { close() }
  }

  /// Has the peripheral stop, and runs until the connection is lost.
  package mutating func losePeripheral() {
    peripheralIsGone = true
    while link.isOpen { runEvent() }
    peripheralIsGone = false
  }
}
