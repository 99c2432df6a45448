import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Reports
import Sessions
import Testing

@testable import Redaction

/// Captures from sniffers.
struct AirTests {
  private static let key = [UInt8](repeating: 0x11, count: 16)
  private static let name = Array("MY-KITCHEN-LAMP".utf8)
  private static let secrets = [
    Array("INVENTED-LTK-(P)".utf8), Array("INVENTED-IRK-(P)".utf8),
    Array("INVENTED-CSRK(P)".utf8),
  ]
  private static let ediv = 0x1d2c
  private static let rand: UInt64 = 0x3839_2d41_4e2d_4944
  /// Found in no pseudonym: the values of attributes that stay.
  private static let value = Array("VALUE-OF-A-SENSOR".utf8)

  private static var bonds: [Bond] {
    var bond = Bond(DeviceAddress(value: UInt64(Traffic.peer)), .random, file: "keys")
    var longTermKey = Bond.LongTermKey(key.reversed())
    (longTermKey.ediv, longTermKey.rand) = (UInt16(ediv), rand)
    bond.longTermKeys = [longTermKey]
    return [bond]
  }

  private static func address(_ number: Int) -> [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Returns two devices that advertise, connect, encrypt and exchange keys.
  private static func traffic(seed: UInt64, losses: Bool) -> AirTraffic {
    var air = AirTraffic(seed: seed)
    if losses {
      (air.radio.missed, air.radio.damaged, air.radio.refused, air.radio.lost) = (20, 40, 40, 40)
    }
    air.settings.advertisement = [2, 1, 6, UInt8(name.count + 1), 9] + name
    air.advertise(2)
    air.scan([UInt8(name.count - 3), 8] + name.prefix(name.count - 4))
    // ADV_EXT_IND with an address, and one of a reserved type.
    air.advertising(0x47, [7, 1] + address(air.settings.peripheral), 37)
    air.advertising(0x4b, address(air.settings.central) + name.prefix(6), 38)
    air.connect()
    air.exchangeFeatures()
    air.att("0a 03 00", .sent)
    air.send(l2cap([0x0b] + name), .received)
    // Connections begin and end with what follows; a sniffer decrypts with the key of a bond.
    air.encrypt(key, ediv: ediv, rand: rand)
    for (opcode, secret) in zip([6, 8, 10] as [UInt8], secrets) {
      air.send(l2cap([opcode] + secret, cid: 6), .received)
    }
    air.send(l2cap([9, 1] + address(air.settings.peripheral), cid: 6), .received)
    for index in 0..<6 {
      air.send(l2cap([0x1b, 0x20, 0] + value.prefix(6 + 2 * index)), .received)
    }
    air.send(l2cap([0x12, 0x20, 0] + name), .sent)
    air.disconnect()
    return air
  }

  private static func l2cap(_ pdu: [UInt8], cid: UInt8 = 4) -> [UInt8] {
    [UInt8(pdu.count), 0, cid, 0] + pdu
  }

  /// Returns all that must not remain: pieces of six bytes.
  private static func forbidden(_ air: AirTraffic) -> Set<[UInt8]> {
    var all = secrets + [name]
    all += [address(air.settings.central), address(air.settings.peripheral)]
    for packet in air.sent where packet.llid == 3 && !packet.isAdvertising {
      let payload = Array(packet.plain.dropFirst(2))
      // Rand, then EDIV and SKD_C; SKD_P.
      if payload.first == 3 { all += [Array(payload[1..<9]), Array(payload[11..<19])] }
      if payload.first == 4 { all.append(Array(payload[1..<9])) }
    }
    return Set(
      all.flatMap { bytes in
        (0...bytes.count - 6).flatMap { start in
          let piece = Array(bytes[start..<start + 6])
          return [piece, piece.reversed()]
        }
      })
  }

  /// Returns the records redacted, and the report.
  private static func redact(
    _ records: [StoredRecord], bonds: [Bond] = bonds,
    _ options: RedactionOptions = RedactionOptions()
  ) throws -> (plain: [[UInt8]], redacted: [[UInt8]], report: RedactionReport) {
    func open() -> AirSource {
      AirSource(MemorySource(records), .pseudoHeader(decrypts: true), bonds: bonds)
    }
    let plan = try plan(options, open)
    var source = RedactedSource(open(), plan.redaction)
    var redacted: [[UInt8]] = []
    while let record = try source.next() { redacted.append(record.bytes.array) }
    return (try RedactionTests.records(open), redacted, source.report)
  }

  private static func leaks(_ records: [[UInt8]], _ forbidden: Set<[UInt8]>) -> [Int] {
    records.indices.filter { index in
      let bytes = records[index]
      guard bytes.count >= 6 else { return false }
      return (0...bytes.count - 6).contains { forbidden.contains(Array(bytes[$0..<$0 + 6])) }
    }
  }

  /// Nothing that identifies a device remains, whatever was lost, cut or recorded twice.
  @Test(arguments: AirForm.Layout.allCases, 1...6 as ClosedRange<UInt64>)
  func nothingRemains(layout: AirForm.Layout, seed: UInt64) throws {
    let air = Self.traffic(seed: seed, losses: true)
    let forbidden = Self.forbidden(air)
    var records = air.records(AirForm(layout))
    for bonds in [Self.bonds, []] {
      let found = try Self.redact(records, bonds: bonds)
      #expect(Self.leaks(found.redacted, forbidden) == [])
      #expect(found.redacted.map(\.count) == found.plain.map(\.count))
      #expect(!Self.leaks(found.plain, forbidden).isEmpty)
    }
    var random = SeededRandom(seed: seed)
    var disturbed: [StoredRecord] = []
    for record in records {
      if random.happens(perMille: 50) { continue }
      disturbed.append(record)
      if random.happens(perMille: 50) { disturbed.append(record) }
      guard random.happens(perMille: 80) else { continue }
      let count = Int(random.next() % UInt64(record.bytes.count))
      disturbed[disturbed.count - 1] = StoredRecord(
        bytes: Array(record.bytes.prefix(count)), direction: nil, adapter: 0,
        framing: record.framing, time: record.time, originalLength: record.bytes.count)
    }
    records = disturbed
    // Of an address, a name or a value that stays, a cut leaves what no field has.
    let secret = Set(
      Self.secrets.flatMap { secret in (0...10).map { Array(secret[$0..<$0 + 6]) } })
    #expect(Self.leaks(try Self.redact(records).redacted, secret) == [])
  }

  /// The structure stays: headers, opcodes, handles, values; and CRCs are right or wrong as before.
  @Test(arguments: [AirForm.Layout.pseudoHeader, .nordic3])
  func structureStays(layout: AirForm.Layout) throws {
    let air = Self.traffic(seed: 11, losses: false)
    let found = try Self.redact(air.records(AirForm(layout)))
    #expect(found.report.encrypted == 0 && found.report.damaged == 0)
    for (packet, bytes) in zip(air.heard, found.redacted) {
      #expect(Array(bytes[14..<16]) == Array(packet.plain.prefix(2)))
      let pdu = Array(bytes[14..<bytes.count - 3])
      #expect(bytes.suffix(3) == AirBits.crc(pdu, initial: packet.crcInitial)[...])
    }
    let before = found.plain.flatMap { $0 }
    let after = found.redacted.flatMap { $0 }
    #expect(before.firstRange(of: Self.value.prefix(16)) != nil)
    #expect(after.firstRange(of: Self.value.prefix(16)) != nil)
  }

  /// The pseudonym of an address and of a name is the same everywhere.
  @Test func pseudonyms() throws {
    let air = Self.traffic(seed: 12, losses: false)
    let found = try Self.redact(air.records(AirForm(.nordic3)))
    let advertisement = found.redacted[0]
    let advertiser = Array(advertisement[16..<22])
    #expect(advertiser[5] >> 6 == 3 && advertiser != Self.address(air.settings.peripheral))
    let request = try #require(
      zip(air.heard, found.redacted).first { $0.0.isAdvertising && $0.0.pdu[0] & 15 == 5 }?.1)
    #expect(Array(request[22..<28]) == advertiser)
    // Access address, CRCInit and all parameters.
    let index = try #require(found.redacted.firstIndex(of: request))
    #expect(request[28..<50] == found.plain[index][28..<50])
    let name = Array(advertisement[27..<27 + Self.name.count])
    #expect(found.redacted.count { $0.firstRange(of: name) != nil } >= 7)
    let values = try Self.redact(air.records(AirForm(.nordic3)), valuesGone).redacted
    #expect(!contain(values, Array(Self.value.prefix(16))))
  }

  private var valuesGone: RedactionOptions {
    var options = RedactionOptions()
    options.values = .all
    return options
  }

  /// Without the key, the content of encrypted packets is replaced, and what is sent again is still
  /// the same.
  @Test func encrypted() throws {
    var air = AirTraffic(seed: 13)
    (air.radio.refused, air.radio.lost) = (100, 100)
    air.connect(heard: true)
    air.encrypt(Self.key, ediv: Self.ediv, rand: Self.rand)
    for _ in 0..<40 { air.send(Self.l2cap([0x1b, 0x20, 0, 1, 2]), .received) }
    let found = try Self.redact(air.records(AirForm(.nordic3)), bonds: [])
    var resent = 0
    var last: [Direction: [UInt8]] = [:]
    for (packet, bytes) in zip(air.heard, found.redacted) {
      guard let side = packet.side, packet.counter != nil else { continue }
      let content = Array(bytes[16..<bytes.count - 3])
      let pdu = Array(bytes[14..<bytes.count - 3])
      #expect(content.count == packet.pdu.count - 2 && content != Array(packet.pdu.dropFirst(2)))
      #expect(bytes.suffix(3) == AirBits.crc(pdu, initial: packet.crcInitial)[...])
      #expect((last[side] == content) == packet.isResent)
      if packet.isResent { resent += 1 }
      last[side] = content
    }
    #expect(resent > 3 && found.report.encrypted > 30)
    #expect(
      found.report.lines().contains {
        $0.hasPrefix("removed: the content of \(found.report.encrypted) packets from sniffers")
      })
  }

  /// A damaged packet loses its content, and stays damaged.
  @Test func damaged() throws {
    var air = AirTraffic(seed: 14)
    air.hears = { $0.isAdvertising ? .damaged : nil }
    air.advertise(2)
    let found = try Self.redact(air.records(AirForm(.pseudoHeader)))
    #expect(found.report.damaged == 6)
    for (packet, bytes) in zip(air.heard, found.redacted) {
      #expect(bytes[16..<bytes.count - 3].allSatisfy { $0 == 0 })
      let pdu = Array(bytes[14..<bytes.count - 3])
      #expect(bytes.suffix(3) != AirBits.crc(pdu, initial: packet.crcInitial)[...])
    }
  }

  /// A packet whose bits are whitened is dewhitened; if its channel is unknown, it shows nothing,
  /// and loses all of them.
  @Test func whitened() throws {
    let air = Self.traffic(seed: 15, losses: false)
    var form = AirForm(.pseudoHeader)
    form.isWhitened = true
    var records = air.records(form)
    let found = try Self.redact(records).redacted
    #expect(Self.leaks(found, Self.forbidden(air)) == [])
    #expect(zip(air.heard, found).allSatisfy { $0.plain.prefix(2) == $1[14..<16] })
    for index in records.indices { records[index].bytes[0] = 0xff }
    for bytes in try Self.redact(records).redacted {
      #expect(bytes[14...].allSatisfy { $0 == 0 })
    }
  }

  /// As HCI, too, nothing remains. The name is a value of unknown type there, since nothing was
  /// advertised.
  @Test func host() throws {
    let air = Self.traffic(seed: 16, losses: true)
    let records = air.records(AirForm(.nordic3))
    func open() -> AirSource {
      AirSource(MemorySource(records), .host(hasComments: false), bonds: Self.bonds)
    }
    let plan = try plan(valuesGone, open)
    let after = try RedactionTests.records { RedactedSource(open(), plan.redaction) }
    #expect(after.count > 20 && Self.leaks(after, Self.forbidden(air)) == [])
  }
}
