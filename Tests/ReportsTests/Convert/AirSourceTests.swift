import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Reports
import Sessions
import Testing

/// Packets from sniffers in other forms, compared with what was sent.
struct AirSourceTests {
  private static let key = [UInt8](repeating: 0x11, count: 16)

  /// The keys of the traffic.
  private static var bonds: [Bond] {
    var bond = Bond(DeviceAddress(value: UInt64(Traffic.peer)), .random, file: "keys")
    var longTermKey = Bond.LongTermKey(key.reversed())
    (longTermKey.ediv, longTermKey.rand) = (5, 9)
    bond.longTermKeys = [longTermKey]
    return [bond]
  }

  /// Returns a connection that is encrypted after a while, of which some packets are missed, sent
  /// again and damaged.
  private static func traffic(seed: UInt64, losses: Bool) -> AirTraffic {
    var air = AirTraffic(seed: seed)
    if losses {
      (air.radio.missed, air.radio.damaged, air.radio.refused, air.radio.lost) = (20, 20, 30, 30)
      // What a key depends on is heard.
      air.hears = { $0.isAdvertising || $0.llid == 3 ? .heard : nil }
    }
    air.advertise(2)
    air.connect(heard: true)
    air.exchangeFeatures()
    for index in 0..<6 { air.send(notification(index * 9), index % 3 == 0 ? .sent : .received) }
    air.encrypt(key, ediv: 5, rand: 9)
    for index in 0..<12 { air.send(notification(index * 9), index % 3 == 0 ? .sent : .received) }
    air.updateConnection(interval: 12, latency: 0)
    air.changePHY(central: 2, peripheral: 2)
    for index in 0..<4 { air.send(notification(index), index % 2 == 0 ? .sent : .received) }
    air.disconnect()
    return air
  }

  private static func notification(_ count: Int) -> [UInt8] {
    let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    return l2cap([0x1b, 0x10, 0x00] + value)
  }

  private static func l2cap(_ pdu: [UInt8]) -> [UInt8] {
    [UInt8(pdu.count), 0, 4, 0] + pdu
  }

  /// A packet of link type 256.
  private struct Packet {
    var channel: UInt8
    var signal: Int8
    var flags: UInt16
    var accessAddress: UInt32
    var pdu: [UInt8]
    var crc: [UInt8]

    init(_ bytes: [UInt8]) {
      channel = bytes[0]
      signal = Int8(bitPattern: bytes[1])
      flags = UInt16(bytes[8]) | UInt16(bytes[9]) << 8
      accessAddress = (0..<4).reduce(0) { $0 | UInt32(bytes[10 + $1]) << UInt32(8 * $1) }
      pdu = Array(bytes[(flags >> 14 == 2 ? 15 : 14)..<(bytes.count - 3)])
      crc = bytes.suffix(3)
    }

    /// Advertising or of unknown direction: 0; auxiliary advertising: 1; data of the central: 2; of
    /// the peripheral: 3.
    var kind: UInt16 { flags >> 7 & 7 }
  }

  /// Returns the records of a source.
  private static func records(
    _ records: [StoredRecord], _ form: AirSource.Form, bonds: [Bond] = bonds
  ) throws -> [StoredRecord] {
    var source = AirSource(MemorySource(records), form, bonds: bonds)
    var found: [StoredRecord] = []
    while let record = try source.next() {
      found.append(
        StoredRecord(
          bytes: record.bytes.array, direction: record.direction, adapter: record.adapter,
          framing: record.framing, time: record.time, originalLength: record.originalLength))
    }
    return found
  }

  /// Every packet has the header that its transmission deserves, the plain PDU, and its CRC.
  @Test(arguments: AirForm.Layout.allCases, [1, 2, 3] as [UInt64])
  func decrypts(layout: AirForm.Layout, seed: UInt64) throws {
    let air = Self.traffic(seed: seed, losses: true)
    let recorded = air.records(AirForm(layout))
    let written = try Self.records(recorded, .pseudoHeader(decrypts: true))
    #expect(written.count == air.heard.count)
    for ((packet, record), before) in zip(zip(air.heard, written), recorded) {
      #expect(record.framing == .air(.pseudoHeader) && record.time == before.time)
      let found = Packet(record.bytes)
      #expect(found.accessAddress == packet.accessAddress)
      #expect(found.flags & 1 == 1)
      if layout != .linkLayer {
        #expect(found.channel == AirBits.position(ofChannel: packet.channel))
        #expect(found.signal == packet.rssi && found.flags & 2 == 2)
      } else {
        #expect(found.channel == 0xff && found.flags & 2 == 0)
      }
      // Without a PHY in the header, all that is known is whether it is coded.
      if layout != .linkLayer && layout != .ppi {
        #expect(found.flags >> 14 == UInt16(packet.phy - 1))
      }
      guard packet.hearing == .heard else {
        // Only a verdict shows that a length is wrong.
        let hasVerdict = layout != .linkLayer && layout != .ppi
        if packet.isEmpty, !hasVerdict { continue }
        #expect(found.flags & 0x0c00 == 0x0400)
        #expect(found.pdu != packet.pdu)
        continue
      }
      #expect(found.flags & 0x0c00 == 0x0c00)
      #expect(found.pdu == packet.plain)
      #expect(found.crc == AirBits.crc(packet.plain, initial: packet.crcInitial))
      let isDecrypted = packet.counter != nil
      #expect(found.flags & 0x3008 == (isDecrypted ? 0x3008 : 0))
      if let side = packet.side, layout == .pseudoHeader || layout == .nordic3 {
        #expect(found.kind == (side == .sent ? 2 : 3))
      } else if packet.isAdvertising {
        #expect(found.kind == 0)
      }
    }
  }

  /// Without decryption, the PDUs stay, and what the sniffer decrypted is called so.
  @Test(arguments: [AirForm.Layout.pseudoHeader, .nordic2, .nordic3], [false, true])
  func keepsPDUs(layout: AirForm.Layout, isDecrypted: Bool) throws {
    let air = Self.traffic(seed: 4, losses: false)
    var form = AirForm(layout)
    form.isDecrypted = isDecrypted
    let written = try Self.records(air.records(form), .pseudoHeader(decrypts: false))
    #expect(written.count == air.heard.count)
    for (packet, record) in zip(air.heard, written) {
      let found = Packet(record.bytes)
      let pdu = isDecrypted ? packet.plain : packet.pdu
      #expect(found.pdu == pdu)
      // The firmware keeps the CRC of what was sent.
      #expect(found.crc == AirBits.crc(pdu, initial: packet.crcInitial))
      #expect(found.flags & 0x3008 == (isDecrypted && packet.counter != nil ? 0x3008 : 0))
    }
  }

  /// Without the key, what is encrypted stays as it is.
  @Test func lacksKey() throws {
    let air = Self.traffic(seed: 5, losses: false)
    let written = try Self.records(
      air.records(AirForm(.nordic3)), .pseudoHeader(decrypts: true), bonds: [])
    for (packet, record) in zip(air.heard, written) {
      let found = Packet(record.bytes)
      #expect(found.pdu == packet.pdu && found.flags & 0x3008 == 0)
      #expect(found.crc == packet.crc)
    }
  }

  /// A record that is cut keeps its length, and none is too short.
  @Test(arguments: AirForm.Layout.allCases)
  func cut(layout: AirForm.Layout) throws {
    let air = Self.traffic(seed: 6, losses: false)
    let whole = air.records(AirForm(layout))
    for count in 0..<40 {
      let cut = whole.map { record in
        StoredRecord(
          bytes: Array(record.bytes.prefix(count)), direction: nil, adapter: 0,
          framing: record.framing, time: record.time, originalLength: record.bytes.count)
      }
      for form in [AirSource.Form.pseudoHeader(decrypts: true), .host(hasComments: true)] {
        for record in try Self.records(cut, form) {
          #expect(record.originalLength >= record.bytes.count)
        }
      }
    }
  }

  // MARK: HCI

  /// The host sees the L2CAP PDUs of both sides, and what its controller reports about the
  /// connection.
  @Test func host() throws {
    let air = Self.traffic(seed: 7, losses: false)
    let written = try Self.records(
      air.records(AirForm(.nordic3)), .host(hasComments: false))
    for side in [Direction.sent, .received] {
      let data = written.filter { $0.direction == side && $0.bytes[0] == 2 }
      #expect(
        data.flatMap { $0.bytes.dropFirst(5) }
          == air.pdus.filter { $0.side == side }.flatMap(\.bytes))
      for packet in data {
        #expect(packet.bytes[1] == 1 && packet.bytes[3] == packet.bytes.count - 5)
      }
    }
    let others = written.filter { $0.bytes[0] != 2 }
    // LE Set Random Address and LE Create Connection with their answers, LE Connection Complete,
    // Read Remote Version Information Complete, LE Read Remote Features Complete, Encryption
    // Change, LE Connection Update Complete, LE PHY Update Complete; Disconnect, its answer,
    // Disconnection Complete.
    #expect(
      others.map { Array($0.bytes.prefix($0.bytes[1] == 0x3e ? 4 : 3)) }.map {
        $0.filter { $0 > 0 }
      }
        == [
          [1, 5, 0x20], [4, 0x0e, 4], [1, 0x0d, 0x20], [4, 0x0f, 4], [4, 0x3e, 19, 1],
          [4, 0x0c, 8], [4, 0x3e, 12, 4], [4, 8, 4], [4, 0x3e, 10, 3], [4, 0x3e, 6, 0x0c],
          [1, 6, 4],
          [4, 0x0f, 4], [4, 5, 4],
        ])
    #expect(others.allSatisfy { ($0.direction == .sent) == ($0.bytes[0] == 1) })
    let complete = others[4].bytes
    let peer = (0..<6).map { UInt8(truncatingIfNeeded: Traffic.peer >> (8 * $0)) }
    #expect(complete[4...] == [0, 1, 0, 0, 1] + peer[...] + [24, 0, 0, 0, 72, 0, 0])
    #expect(others[12].bytes == [4, 5, 4, 0, 1, 0, 0x16])
  }

  /// The peripheral ends the connection, or refuses to encrypt it.
  @Test func refusal() throws {
    var air = AirTraffic(seed: 8)
    air.connect(heard: true)
    air.encrypt(Self.key, ediv: 5, rand: 9, has: false)
    air.disconnect(reason: 0x05, by: .received)
    let written = try Self.records(air.records(AirForm(.nordic3)), .host(hasComments: false))
    #expect(written.suffix(2).map(\.bytes) == [[4, 8, 4, 6, 1, 0, 0], [4, 5, 4, 0, 1, 0, 5]])
  }

  /// What is not in the capture has a comment.
  @Test func comments() throws {
    let air = Self.traffic(seed: 9, losses: false)
    var source = AirSource(
      MemorySource(air.records(AirForm(.nordic3))), .host(hasComments: true), bonds: Self.bonds)
    var number = 0
    while let record = try source.next() {
      number += 1
      #expect(record.number == number)
      var position = 0
      let isData = record.bytes.byte(at: 0) == 2
      if let comment = record.options.nextComment(&position) {
        let text = String(decoding: comment.array, as: UTF8.self)
        #expect(text.hasPrefix("not recorded: made by gattscope from packet #"))
        #expect(!isData)
      } else {
        #expect(isData)
      }
    }
    #expect(number > 20)
    #expect(source.report.losses.count == 1 && source.report.remarks().count == 1)
  }
}
