import Bluetooth
import Bytes
import Testing

@testable import Dissectors

@Suite("Records of sniffers") struct AirHeaderTests {
  private static let formats: [SnifferFormat] = [.linkLayer, .pseudoHeader, .nordic, .ppi]

  private static func record(_ format: SnifferFormat, _ packet: [UInt8]) -> [UInt8] {
    switch format {
    case .linkLayer: packet
    case .pseudoHeader: pseudoHeader(packet)
    case .nordic: nordic(packet)
    case .ppi: ppi(packet)
    }
  }

  @Test("The packet is found after every header", arguments: formats)
  func packets(_ format: SnifferFormat) {
    let bytes = Self.record(format, airPacket(connectIndication))
    let dissection = air(format, bytes)
    #expect(words(dissection) == "adv 5 of 34" && dissection.problems.isEmpty)
    #expect(dissection.air?.accessAddress == AirPacket.advertising)
    #expect(dissection.air?.pdu == Slice(start: bytes.count - 39, count: 36))
    #expect(dissection.body == Slice(start: bytes.count - 37, count: 34))
    #expect(dissection.air?.crc == 0xae8c2e)
  }

  @Test("A record that is cut at any byte keeps what was read", arguments: formats)
  func prefixes(_ format: SnifferFormat) {
    for pdu in [connectIndication, emptyPDU, octets("0b 02 0213")] {
      let whole = Self.record(
        format, airPacket(pdu, accessAddress: pdu.count > 10 ? 0x8e89_bed6 : 0x5065_656f))
      for count in 0..<whole.count {
        let bytes = [UInt8](whole.prefix(count))
        let cut = air(format, bytes, isTruncated: true)
        #expect(cut.problems.isEmpty, "\(count)")
        let short = air(format, bytes)
        #expect(short.problems.count >= 1, "\(count)")
        #expect(short.air != nil && short.body.end <= count && short.air?.crc == nil)
        let hasHeader = count >= whole.count - 3 - pdu.count + 2
        #expect((words(short) == "cut") == !hasHeader, "\(count): \(words(short))")
      }
    }
  }

  @Test("Bytes after the CRC are left over; a length beyond the end is too large")
  func lengths() {
    #expect(problems(air(.linkLayer, airPacket(emptyPDU) + [1])) == ["leftOver@9(1,0)"])
    #expect(
      problems(air(.linkLayer, octets("d6be898e 00ff 010203 040506"))) == [
        "lengthTooLarge@6(255,6)"
      ])
    #expect(problems(air(.linkLayer, octets("d6be898e 4003 010203 0405"))) == ["tooShort@9(3,2)"])
    // The length of a damaged packet is as damaged as all of it.
    #expect(
      problems(air(.pseudoHeader, pseudoHeader(octets("d6be898e 00ff 01"), flags: 0x0403))) == [])
  }

  @Test("Nothing of a packet from the air remains when the dissection is cleared")
  func cleared() {
    let bytes = airPacket(connectIndication)
    var dissection = air(.linkLayer, bytes)
    dissection.readAdvertising(bytes.bytes, isTruncated: false)
    #expect(dissection.parameters != nil && dissection.air != nil)
    dissection.clear()
    #expect(dissection.parameters == nil && dissection.air == nil && dissection.body.isEmpty)
    #expect(words(dissection) == "cut" && dissection.problems.isEmpty)
  }

  // MARK: 251

  @Test("A coding indicator is there if the packet fits only with it")
  func codingIndicators() {
    for length in [0, 1, 20, 255] {
      let pdu = [0x42, UInt8(length)] + [UInt8](repeating: 0x55, count: length)
      for accessAddress in [AirPacket.advertising, 0x5065_656f] {
        let plain = air(.linkLayer, airPacket(pdu, accessAddress: accessAddress))
        #expect(plain.air?.codingIndicator == nil && plain.air?.header.phy == nil)
        #expect(plain.body.count == length && plain.problems.isEmpty)
        for indicator in [0, 1] as [UInt8] {
          let coded = air(
            .linkLayer, airPacket(pdu, accessAddress: accessAddress, codingIndicator: indicator))
          #expect(coded.air?.codingIndicator == indicator && coded.air?.header.phy == 3)
          #expect(coded.body.count == length && coded.problems.isEmpty)
        }
      }
    }
  }

  @Test("If a packet fits with and without a coding indicator, the CRC decides")
  func ambiguousCodingIndicator() {
    // With an indicator: 00, then header 06 05. Without: header 00 06, then 05.
    let coded = airPacket(octets("06 05 0102030405"), codingIndicator: 0)
    #expect(air(.linkLayer, coded).air?.codingIndicator == 0)
    let plain = airPacket(octets("00 06 050102030405"))
    #expect(air(.linkLayer, plain).air?.codingIndicator == nil)
    #expect(plain.count == coded.count)
  }

  // MARK: 256

  @Test("All flags of the pseudo header")
  func pseudoHeaderFlags() throws {
    let packet = airPacket(emptyPDU, accessAddress: 0x5065_656f)
    func header(_ flags: UInt16, channel: UInt8 = 12, signal: UInt8 = 0xc4) throws -> AirHeader {
      try #require(
        air(
          .pseudoHeader, pseudoHeader(packet, channel: channel, signal: signal, flags: flags)
        ).air?.header)
    }
    var read = try header(0x0001)
    #expect(read.channel == 12 && read.isRFOrder && read.rssi == nil && read.noise == nil)
    #expect(read.kind == .unknown && read.direction == nil && read.crc == .none)
    #expect(read.mic == .none && !read.isDecrypted && !read.isWhitened && read.phy == 1)
    #expect(try header(0x0001, channel: 62).channel == nil)
    read = try header(0x0007)
    #expect(read.rssi == -60 && read.noise == -128)
    #expect(try header(0x0003, signal: 0).rssi == nil)
    #expect(try header(0x0009).isDecrypted)
    read = try header(0x0101)
    #expect(read.kind == .dataFromCentral && read.direction == .sent)
    read = try header(0x0181)
    #expect(read.kind == .dataFromPeripheral && read.direction == .received)
    read = try header(0x3081)
    #expect(read.kind == .auxiliaryAdvertising && read.auxiliaryKind == 3 && read.mic == .none)
    #expect(try header(0x0301).kind == .broadcastStream && header(0x0381).kind == .reserved)
    #expect(try header(0x0201).direction == .sent && header(0x0281).direction == .received)
    #expect(try header(0x0401).crc == .wrong && header(0x0c01).crc == .right)
    #expect(try header(0x0801).crc == .right, "right without checked, as btlejack writes it")
    #expect(try header(0x1001).mic == .wrong && header(0x3001).mic == .right)
    #expect(try header(0x2001).mic == .none)
    #expect(try header(0x4001).phy == 2 && header(0xc001).phy == nil)
    let coded = air(
      .pseudoHeader,
      pseudoHeader(
        airPacket(emptyPDU, accessAddress: 0x5065_656f, codingIndicator: 1), flags: 0x8001))
    #expect(coded.air?.header.phy == 3 && coded.air?.codingIndicator == 1)
    #expect(words(coded) == "data 1 of 0" && coded.problems.isEmpty)
  }

  // MARK: 272

  @Test("The three forms of an nRF Sniffer's header", arguments: 0...3 as ClosedRange<UInt8>)
  func nordicVersions(_ version: UInt8) throws {
    let packet = airPacket(octets("0b 02 0213"), accessAddress: 0x5065_656f)
    let bytes = nordic(packet, version: version, flags: 0x13, channel: 21)
    let dissection = air(.nordic, bytes)
    let header = try #require(dissection.air?.header)
    #expect(words(dissection) == "data 3 of 2" && dissection.problems.isEmpty)
    #expect(header.version == version && header.board == (version == 0 ? 0 : 4))
    #expect(header.counter == 0x1122 && header.message == 6 && header.eventCounter == 7)
    #expect(header.channel == 21 && !header.isRFOrder && header.rssi == -60 && header.phy == 2)
    #expect(header.clock == (version == 3 ? 0x0102_0304 : nil))
    #expect(header.delay == (version == 3 ? nil : 0x0102_0304))
    #expect(header.direction == .sent && header.crc == .right && header.mic == .none)
    #expect(header.clockPeriod == 1 << 32)
  }

  @Test("Encrypted and MIC right on a packet that is not empty: the sniffer decrypted it")
  func decryptedByFirmware() throws {
    func header(_ flags: UInt8, _ pdu: [UInt8]) throws -> AirHeader {
      try #require(
        air(.nordic, nordic(airPacket(pdu, accessAddress: 1), flags: flags)).air?.header)
    }
    let data = octets("02 01 00")
    #expect(try header(0x0d, data).isDecrypted && !header(0x05, data).isDecrypted)
    #expect(try !header(0x09, data).isDecrypted && header(0x09, data).mic == .none)
    #expect(try !header(0x0d, emptyPDU).isDecrypted && header(0x0d, emptyPDU).isEncrypted)
  }

  @Test("Only messages 2 and 6 contain packets; in version 2 also 0, if one fits")
  func nordicMessages() {
    let packet = airPacket(emptyPDU, accessAddress: 1)
    func isPacket(_ version: UInt8, _ message: UInt8, _ packet: [UInt8]) -> Bool {
      let dissection = air(.nordic, nordic(packet, version: version, message: message))
      #expect(dissection.air?.header.message == message && dissection.problems.isEmpty)
      #expect(
        dissection.body.end == nordic(packet, version: version).count
          - (words(dissection) == "cut" ? 0 : 3))
      return words(dissection) != "cut"
    }
    #expect(isPacket(3, 2, packet) && isPacket(3, 6, packet) && isPacket(1, 6, packet))
    #expect(!isPacket(3, 0, packet) && !isPacket(2, 2, packet) && !isPacket(3, 5, packet))
    #expect(isPacket(2, 0, packet) && !isPacket(2, 0, packet + [1]))
  }

  @Test("The bits of advertising in version 3")
  func nordicAdvertising() {
    let bytes = nordic(airPacket(octets("0700")), message: 2, flags: 0x05, channel: 5)
    let header = air(.nordic, bytes).air?.header
    #expect(header?.kind == .auxiliaryAdvertising && header?.auxiliaryKind == 2)
    #expect(header?.direction == nil && header?.isEncrypted == false)
    let primary = air(.nordic, nordic(airPacket(octets("0700")), message: 2, flags: 0x07))
    #expect(primary.air?.header.kind == .unknown && primary.air?.header.auxiliaryKind == nil)
  }

  @Test("Headers that are not known")
  func unknownHeaders() {
    #expect(problems(air(.nordic, octets("04 1000 09 0000 06 0a"))) == ["unknownAirHeader@3(9,0)"])
    #expect(
      problems(air(.nordic, octets("04 1000 03 0000 06 02"))) == ["unknownAirHeader@7(2,0)"])
    let wifi = air(.ppi, ppi([1, 2, 3], linkType: 105))
    #expect(problems(wifi) == ["unknownAirHeader@4(105,0)"] && words(wifi) == "cut")
    #expect(
      problems(air(.ppi, octets("0000 0700 93000000 d6be898e"))) == ["unknownAirHeader@2(7,0)"])
  }

  @Test("A longer header of an nRF Sniffer is skipped")
  func longerNordicHeader() {
    var bytes = nordic(airPacket(emptyPDU, accessAddress: 1))
    bytes[7] = 12
    bytes.insert(contentsOf: [9, 9], at: 17)
    #expect(words(air(.nordic, bytes)) == "data 1 of 0")
  }

  // MARK: 192

  @Test("Ubertooth's field")
  func ubertooth() throws {
    let packet = airPacket(connectIndication)
    let header = try #require(air(.ppi, ppi(packet, linkType: 147, frequency: 2426)).air?.header)
    #expect(header.channel == 12 && header.isRFOrder && header.rssi == -64)
    #expect(header.clock == 100 && header.clockUnit == 100 && header.clockPeriod == 3_276_800_000)
    #expect(header.crc == .none && header.direction == nil && header.phy == nil)
    // Some files have positive signals, and none measured.
    #expect(air(.ppi, ppi(packet, highest: 40)).air?.header.rssi == nil)
    #expect(air(.ppi, ppi(packet, count: 0)).air?.header.rssi == nil)
    #expect(air(.ppi, ppi(packet, average: 0)).air?.header.rssi == -56)
    for frequency in [0, 2401, 2403, 2482, 65535] {
      #expect(air(.ppi, ppi(packet, frequency: frequency)).air?.header.channel == nil)
    }
  }

  // MARK: The PDU

  @Test("CTEInfo is taken if the packet fits only then")
  func cteInfo() {
    func read(_ pdu: [UInt8]) -> LinkPDU? {
      let bytes = airPacket(pdu, accessAddress: 1)
      guard case .linkData(let pdu) = air(.linkLayer, bytes).content else { return nil }
      return pdu
    }
    #expect(read(octets("22 02 14 aabb"))?.cteInfo == 0x14)
    #expect(read(octets("22 02 14 aabb"))?.payload == Slice(start: 7, count: 2))
    #expect(read(octets("22 02 aabb"))?.cteInfo == nil)
    let header = read(octets("1e 00"))
    #expect(header?.llid == 2 && header?.nextExpectedSequenceNumber == 1)
    #expect(header?.sequenceNumber == 1 && header?.hasMoreData == true && header?.isEmpty == true)
  }

  @Test("Random bytes never trap", arguments: formats)
  func randomBytes(_ format: SnifferFormat) {
    var random = SystemRandomNumberGenerator()
    for round in 0..<4000 {
      var bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if format == .nordic, bytes.count > 7, round & 1 == 0 { bytes[3] = UInt8.random(in: 0...3) }
      if format == .ppi, bytes.count > 8, round & 1 == 0 {
        bytes.replaceSubrange(4..<8, with: [147, 0, 0, 0])
        bytes[3] = 0
      }
      var dissection = air(format, bytes, isTruncated: round & 2 == 0)
      #expect(dissection.air != nil && dissection.body.end <= bytes.count)
      dissection.readAdvertising(bytes.bytes, isTruncated: false)
      if case .linkData(let pdu) = dissection.content {
        dissection.readControl(pdu, bytes.bytes, isTruncated: false)
        _ = LinkControl(bytes.bytes, pdu.payload)
        #expect(dissection.problems.count <= 4)
      }
      #expect(walk(dissection, bytes).isConsistent)
    }
  }
}
