import Bluetooth
import Bytes
import Testing

@testable import Dissectors

@Suite("CRC, whitening, channels and durations") struct LinkArithmeticTests {
  @Test("The CRC of the advertising PDU 00 03 42 4c 45 is 29 0a ce")
  func crc() {
    let pdu = octets("0003424c45")
    let crc = CRC24.compute(init: CRC24.advertising, pdu.bytes)
    #expect(little(Int(crc), width: 3) == octets("290ace"))
    #expect(CRC24.initial(of: pdu.bytes, crc: crc) == CRC24.advertising)
    // From a capture, whose CONNECT_IND has the same value.
    #expect(CRC24.compute(init: 0x252e63, octets("03060c0c0f004502").bytes) == 0x2c5294)
    #expect(CRC24.compute(init: 0, [UInt8]().bytes) == 0)
  }

  @Test("The computation backwards gives every initial value")
  func backwards() {
    var random = SystemRandomNumberGenerator()
    for length in 0..<260 {
      let initial = UInt32.random(in: 0...0xff_ffff, using: &random)
      let pdu = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let crc = CRC24.compute(init: initial, pdu.bytes)
      #expect(crc <= 0xff_ffff && CRC24.initial(of: pdu.bytes, crc: crc) == initial)
    }
  }

  @Test(
    "The whitening sequence begins as it should",
    arguments: [
      (37, "8dd257a13da766b075311148 9677f8e3"), (0, "40b2bcc31f374a5f"), (23, "af427b4ecd60eb62"),
    ] as [(UInt8, String)])
  func whitening(_ channel: UInt8, _ expected: String) {
    var sequence = Whitening(channel: channel)
    let bytes = octets(expected)
    #expect(bytes.map { _ in sequence.next() } == bytes)
  }

  @Test("A whitened packet is read after its whitening is removed")
  func whitened() {
    let plain = airPacket(connectIndication)
    var sequence = Whitening(channel: 38)
    let packet = plain.prefix(4) + plain.dropFirst(4).map { $0 ^ sequence.next() }
    let bytes = pseudoHeader([UInt8](packet), channel: 12, flags: 0x0c02)
    var dissection = air(.pseudoHeader, bytes)
    #expect(words(dissection) == "cut" && dissection.problems.isEmpty)
    guard let read = dissection.air else { return #expect(Bool(false), "no packet") }
    #expect(read.header.isWhitened && read.isAdvertising && read.pdu.count == 39)
    var buffer: [UInt8] = [1]
    Whitening.remove(read, bytes.bytes, channel: 38, into: &buffer)
    #expect(buffer == plain)
    dissection.clear()
    dissection.read(dewhitened: buffer.bytes, header: read.header, isTruncated: false)
    #expect(words(dissection) == "adv 5 of 34" && dissection.air?.header.isWhitened == false)
  }

  @Test("Channel Selection Algorithm #1")
  func algorithm1() {
    var selection = ChannelSelection(hop: 10, map: ChannelSelection.allChannels)
    #expect(selection.channel(ofEvent: 99) == 1 && selection.channel(ofEvent: 100) == 11)
    selection.use(0x1f_ffff_f7ff)
    #expect(selection.channel(ofEvent: 100) == 12)
    // Beyond 16 bits it goes on.
    #expect(
      (65536..<65573).map { selection.channel(ofEvent: $0) }
        == (65536 - 37 * 1771..<65573 - 37 * 1771).map { selection.channel(ofEvent: $0) })
  }

  @Test("Channel Selection Algorithm #2 (Core, Vol 6, Part C, 3)")
  func algorithm2() {
    var selection = ChannelSelection(
      accessAddress: 0x8e89_bed6, map: ChannelSelection.allChannels)
    #expect((0..<4).map { selection.channel(ofEvent: $0) } == [25, 20, 6, 21])
    // Channels 9, 10, 21 to 23, and 33 to 36.
    selection.use(0x1e_00e0_0600)
    #expect((6..<9).map { selection.channel(ofEvent: $0) } == [23, 9, 34])
  }

  @Test("No map, hop or event traps")
  func hostileSelections() {
    for map in [0, 1, 1 << 36, UInt64.max] {
      for event in [Int.min, -1, 0, 65535, 65536, Int.max] {
        let first = ChannelSelection(hop: 255, map: map).channel(ofEvent: event)
        let second = ChannelSelection(accessAddress: .max, map: map).channel(ofEvent: event)
        #expect(first < 37 && second < 37)
        if map == 1 { #expect(first == 0 && second == 0) }
      }
    }
  }

  @Test("Positions in RF order and channel indices")
  func rfOrder() {
    let indices = (0...40 as ClosedRange<UInt8>).map { RFChannel.index(ofPosition: $0) }
    #expect(indices[0] == 37 && indices[12] == 38 && indices[39] == 39 && indices[40] == nil)
    #expect(indices[1] == 0 && indices[11] == 10 && indices[13] == 11 && indices[38] == 36)
    for position in 0..<40 as Range<UInt8> {
      #expect(
        RFChannel.index(ofPosition: position).flatMap { RFChannel.position(ofIndex: $0) }
          == position)
    }
    #expect(RFChannel.position(ofIndex: 40) == nil)
    #expect(RFChannel.frequency(ofPosition: 39) == 2480)
  }

  @Test(
    "Durations",
    arguments: [
      (0, 1, nil, nil, 80), (37, nil, nil, nil, 376), (27, 2, nil, nil, 152), (0, 3, 0, nil, 720),
      (255, 3, 0, nil, 17040), (10, 3, 1, nil, 622), (0, 1, nil, 0x14, 248),
    ] as [(Int, UInt8?, UInt8?, UInt8?, Int)])
  func durations(
    _ length: Int, _ phy: UInt8?, _ indicator: UInt8?, _ cte: UInt8?, _ expected: Int
  ) {
    #expect(
      AirTime.microseconds(length: length, phy: phy, codingIndicator: indicator, cteInfo: cte)
        == expected)
  }
}
