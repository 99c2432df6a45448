import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// PDUs with their fields, from captures: tshark reads the same.
private let fixtures: [(pdu: String, name: String, fields: String)] = [
  (
    "6018 b89df5ff48c0 0201060e094e6f726469635f4c76345f4a57", "ADV_IND",
    "Ch_Sel 1, Tx_Add 1, Length 24, AdvA c048fff59db8, "
      + "Adv_Data AD 0201060e094e6f726469635f4c76345f4a57"
  ),
  (
    "e10c dc8245382448 fd34142a7d61", "ADV_DIRECT_IND",
    "Ch_Sel 1, Tx_Add 1, Rx_Add 1, Length 12, AdvA 4824384582dc, TargetA 617d2a1434fd"
  ),
  (
    "c522 f949c551947a b89df5ff48c0 6f656550 632e25 03 1700 1800 0000 4800 00f8ffff1f 2e",
    "CONNECT_IND",
    "Ch_Sel 0, Tx_Add 1, Rx_Add 1, Length 34, InitA 7a9451c549f9, AdvA c048fff59db8, "
      + "Access_Address 0x5065656f, CRC_Init 0x252e63, Window_Size 3, Window_Offset 23, "
      + "Connection_Interval 24, Peripheral_Latency 0, Supervision_Timeout 72, "
      + "Channel_Map bytes 00f8ffff1f, Hop_Increment 14, Clock_Accuracy 1"
  ),
  (
    "0707 46 18 5003 532120", "ADV_EXT_IND",
    "Tx_Add 0, Rx_Add 0, Length 7, Extended_Header_Length 6, Adv_Mode 1, "
      + "Extended_Header_Flags 0x18, Advertising_DID 848, Advertising_SID 0, "
      + "Aux_Channel_Index 19, Aux_Clock_Accuracy 1, Aux_Offset_Units 0, Aux_Offset 33, Aux_PHY 1"
  ),
  (
    "0720 1f 28 600b cd02ff00ffffffffbf9d6c35da23b8a22101 0932c462179305300550", "ADV_EXT_IND",
    "Tx_Add 0, Rx_Add 0, Length 32, Extended_Header_Length 31, Adv_Mode 0, "
      + "Extended_Header_Flags 0x28, Advertising_DID 2912, Advertising_SID 0, "
      + "Sync_Packet_Offset 717, Sync_Offset_Units 0, Offset_Adjust 0, "
      + "Periodic_Advertising_Interval 255, Sync_Channel_Map 0x1fffffffff, "
      + "Sync_Clock_Accuracy 5, Sync_Access_Address 0xda356c9d, Sync_CRC_Init 0xa2b823, "
      + "Periodic_Event_Counter 289, ACAD AD 0932c462179305300550"
  ),
  (
    "c80e 0d 03 94176617e954 7cdc7587be67", "AUX_CONNECT_RSP",
    "Tx_Add 1, Rx_Add 1, Length 14, Extended_Header_Length 13, Adv_Mode 0, "
      + "Extended_Header_Flags 0x03, AdvA 54e917661794, TargetA 67be8775dc7c"
  ),
  // By hand.
  (
    "0207 010203040506 00", "ADV_NONCONN_IND",
    "Tx_Add 0, Length 7, AdvA 060504030201, Adv_Data AD 00"
  ),
  (
    "830c 010203040506 0708090a0b0c", "SCAN_REQ",
    "Tx_Add 0, Rx_Add 1, Length 12, ScanA 060504030201, AdvA 0c0b0a090807"
  ),
  ("0406 010203040506", "SCAN_RSP", "Tx_Add 0, Length 6, AdvA 060504030201"),
  ("4606 010203040506", "ADV_SCAN_IND", "Tx_Add 1, Length 6, AdvA 060504030201"),
  ("0700", "ADV_EXT_IND", "Tx_Add 0, Rx_Add 0, Length 0"),
  (
    "0701 80", "ADV_EXT_IND",
    "Tx_Add 0, Rx_Add 0, Length 1, Extended_Header_Length 0, Adv_Mode 2"
  ),
  (
    "0709 07 44 8a f4 020106 ff aa", "ADV_EXT_IND",
    "Tx_Add 0, Rx_Add 0, Length 9, Extended_Header_Length 7, Adv_Mode 0, "
      + "Extended_Header_Flags 0x44, CTE_Time 10, CTE_Type 2, TX_Power -12, ACAD AD 020106ff, "
      + "Adv_Data AD aa"
  ),
  ("0903 01aabb", "ADV_DECISION_IND", "Tx_Add 0, Rx_Add 0, Length 3, Decision bytes 01aabb"),
]

@Suite("Advertising PDUs") struct AdvertisingPDUTests {
  @Test("Fields", arguments: fixtures)
  func fields(_ pdu: String, _ name: String, _ fields: String) {
    let (dissection, bytes) = advertising(octets(pdu))
    let found = walk(dissection, bytes)
    #expect(found.entries.joined(separator: ", ") == fields && found.isConsistent)
    #expect(dissection.parameters?.row?.name.description == name)
    // A length of 0 is not enough for what the row describes.
    #expect(problems(dissection) == (pdu == "0700" ? ["tooShort@6(1,0)"] : []))
  }

  @Test("Addresses have the types of the header")
  func addressTypes() {
    struct Types: FieldVisitor {
      var all: [Bool] = []
      mutating func field(
        _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
        at slice: Slice
      ) {
        if case .address(_, let isRandom) = value { all.append(isRandom) }
      }
    }
    for (header, expected) in [
      (0x03, [false, false]), (0x43, [true, false]), (0x83, [false, true]),
    ] {
      let (dissection, bytes) = advertising(
        [UInt8(header), 12] + [UInt8](repeating: 1, count: 12))
      var types = Types()
      if let found = dissection.parameters, let row = found.row {
        var fields = FieldWalk(bytes.bytes, found.outer)
        try? fields.walk(row.parameters, &types)
      }
      #expect(types.all == expected)
    }
  }

  @Test("Prefixes of a payload are too short, and never trap", arguments: fixtures)
  func prefixes(_ pdu: String, _ name: String, _ fields: String) {
    let whole = octets(pdu)
    for count in 0..<whole.count - 2 {
      let (dissection, bytes) = advertising(
        [whole[0], UInt8(count)] + whole.dropFirst(2).prefix(count))
      let found = walk(dissection, bytes)
      #expect(found.isConsistent && found.slices.allSatisfy { $0.end <= bytes.count })
      if case .advertising(let pdu) = dissection.content {
        _ = pdu.parties(bytes.bytes)
        #expect(pdu.data(bytes.bytes).end <= bytes.count)
        #expect(ConnectIndication(pdu, bytes.bytes) == nil)
      }
    }
  }

  @Test("Reserved types are not read")
  func reservedTypes() {
    for type in 10..<16 as Range<UInt8> {
      let (dissection, _) = advertising([type, 1, 0])
      #expect(problems(dissection) == ["unknownOpcode@4(\(type),0)"])
      #expect(dissection.parameters?.row == nil)
    }
  }

  @Test("Names depend on the channel")
  func names() {
    func name(_ type: UInt8, _ channel: UInt8?, _ kind: UInt8? = nil) -> String? {
      let pdu = AdvertisingPDU(flags: type, length: 0, payload: .empty)
      return pdu.name(AdvertisingPDU.place(channel: channel, auxiliaryKind: kind))?.description
    }
    #expect(name(7, 37, 1) == "ADV_EXT_IND" && name(7, 5) == "AUX_ADV_IND")
    #expect(name(7, 5, 1) == "AUX_CHAIN_IND" && name(7, nil, 2) == "AUX_SYNC_IND")
    #expect(name(7, 36, 3) == "AUX_SCAN_RSP" && name(7, nil) == "ADV_EXT_IND")
    #expect(name(3, 38) == "SCAN_REQ" && name(3, 8) == "AUX_SCAN_REQ")
    #expect(name(5, 39) == "CONNECT_IND" && name(5, 0) == "AUX_CONNECT_REQ")
    #expect(name(0, 5) == "ADV_IND" && name(12, 37) == nil)
  }

  // MARK: CONNECT_IND

  private func connection(_ pdu: [UInt8]) -> ConnectIndication? {
    let (dissection, bytes) = advertising(pdu)
    guard case .advertising(let pdu) = dissection.content else { return nil }
    return ConnectIndication(pdu, bytes.bytes)
  }

  @Test("LLData")
  func linkData() {
    let read = connection(connectIndication)
    #expect(read?.initiator.value == 0x7a94_51c5_49f9 && read?.initiatorType == .random)
    #expect(read?.advertiser.value == 0xc048_fff5_9db8 && read?.advertiserType == .random)
    #expect(read?.accessAddress == 0x5065_656f && read?.crcInit == 0x252e63)
    #expect(read?.windowSize == 3 && read?.windowOffset == 23 && read?.interval == 24)
    #expect(read?.latency == 0 && read?.timeout == 72 && read?.channelMap == 0x1f_ffff_f800)
    #expect(read?.hop == 14 && read?.clockAccuracy == 1 && read?.supportsAlgorithm2 == false)
    #expect(read?.invalid == nil)
  }

  @Test("Every change of one bit changes what is read, and no more than one value")
  func changedBits() {
    let whole = connection(connectIndication)
    for bit in 0..<connectIndication.count * 8 {
      var pdu = connectIndication
      pdu[bit / 8] ^= 1 << UInt8(bit % 8)
      let (dissection, bytes) = advertising(pdu)
      let read = connection(pdu)
      switch bit {
      // The reserved bit of the header.
      case 4: #expect(read == whole)
      // The type, and the length.
      case 0...3: #expect(read == nil)
      case 8..<16:
        let isShorter = pdu[1] < 34
        #expect((read == nil) == isShorter)
        #expect(!dissection.problems.isEmpty, "bit \(bit)")
      // The bits of the channel map that no channel has.
      case 32 * 8 + 16 + 5..<33 * 8 + 16: #expect(read == whole)
      default: #expect(read != nil && read != whole, "bit \(bit)")
      }
      #expect(walk(dissection, bytes).isConsistent)
    }
  }

  @Test(
    "Values that are not allowed",
    arguments: [
      (14, "d6be898e", "invalidValue@18(2391391958,0)"), (24, "0000", "invalidValue@28(0,0)"),
      (28, "0000", "invalidValue@32(0,0)"), (30, "00000000e0", "invalidValue@34(0,0)"),
      (35, "24", "invalidValue@39(4,0)"), (35, "31", "invalidValue@39(17,0)"),
    ] as [(Int, String, String)])
  func invalidValues(_ offset: Int, _ bytes: String, _ problem: String) {
    var pdu = connectIndication
    for (index, byte) in octets(bytes).enumerated() { pdu[offset + index] = byte }
    #expect(problems(advertising(pdu).dissection) == [problem])
  }

  // MARK: Extended advertising

  private func header(_ pdu: String) -> ExtendedHeader? {
    let (dissection, bytes) = advertising(octets(pdu))
    return ExtendedHeader(bytes.bytes, dissection.body)
  }

  @Test("The extended header")
  func extendedHeader() {
    var read = header("0707 46 18 5003 532120")
    #expect(read?.isConnectable == true && read?.sid == 0 && read?.did == 848)
    #expect(read?.auxiliary?.channel == 19 && read?.auxiliary?.offset == 990)
    #expect(read?.auxiliary?.phy == 2 && read?.auxiliary?.isAccurate == true)
    #expect(read?.auxiliary?.unit == 30 && read?.continues == true && read?.isCut == false)
    read = header("0720 1f 28 600b cd02ff00ffffffffbf9d6c35da23b8a22101 0932c462179305300550")
    #expect(read?.sync?.accessAddress == 0xda35_6c9d && read?.sync?.crcInit == 0xa2b823)
    #expect(read?.sync?.interval == 255 && read?.sync?.offset == 21510)
    #expect(read?.sync?.clockAccuracy == 5 && read?.sync?.eventCounter == 289)
    #expect(read?.acad.count == 10 && read?.data.isEmpty == true)
    read = header("c80e 0d 03 94176617e954 7cdc7587be67")
    #expect(read?.advertiser?.value == 0x54e9_1766_1794)
    #expect(read?.target?.value == 0x67be_8775_dc7c && read?.continues == false)
    #expect(header("0700") == nil && header("0701 80")?.isScannable == true)
    // The header ends within AdvA, and the PDU within the header.
    #expect(header("0704 03 01 0102")?.isCut == true && header("0703 06 08 10")?.isCut == true)
  }

  @Test("Fields beyond the extended header's length are an error")
  func shortExtendedHeader() {
    let (dissection, _) = advertising(octets("0709 02 01 010203040506 aa"))
    #expect(problems(dissection) == ["tooShort@9(5,0)"])
  }

  @Test("BIGInfo gives the access addresses of the streams")
  func bigInfo() {
    // From a capture whose streams have these addresses.
    let acad = octets(
      "222c a6000410 23a20200 e6073078 005239e5 9010278007 d5deffffffff3f 1400000000")
    let info = TrainData.bigInfo(acad.bytes, Slice(start: 0, count: acad.count))
    #expect(info?.streams == 2 && info?.interval == 8 && info?.seedAccessAddress == 0x90e5_3952)
    #expect(info?.accessAddress(ofStream: 1) == 0x6de3_3952)
    #expect(info?.accessAddress(ofStream: 2) == 0x91d5_3952)
    #expect(info?.crcInit(ofStream: 2) == 0xded502 && info?.isEncrypted == false)
    #expect(info?.phy == 2 && info?.sduInterval == 10000 && info?.maxSDU == 120)
    #expect(TrainData.bigInfo(acad.bytes, Slice(start: 0, count: 20)) == nil)
  }

  @Test("Periodic advertising with responses")
  func responses() {
    let acad = octets("0932c462179305300550")
    let timing = TrainData.responses(acad.bytes, Slice(start: 0, count: acad.count))
    #expect(timing?.accessAddress == 0x9317_62c4 && timing?.subevents == 5)
    #expect(timing?.subeventInterval == 48 && timing?.slotDelay == 5 && timing?.slotSpacing == 80)
  }

  // MARK: Reports

  private func report(
    _ pdu: String, _ place: AdvertisingPDU.Place = .primary, phy: UInt8? = 1
  ) -> AdvertisingReport? {
    let (dissection, bytes) = advertising(octets(pdu))
    guard case .advertising(let pdu) = dissection.content else { return nil }
    var header = AirHeader()
    header.rssi = -61
    header.phy = phy
    return pdu.report(bytes.bytes, header, place)
  }

  @Test("Legacy PDUs become legacy reports")
  func legacyReports() {
    for (pdu, type) in [
      ("4007 010203040506 00", 0), ("c10c 010203040506 0708090a0b0c", 1),
      ("4607 010203040506 00", 2), ("4207 010203040506 00", 3), ("4407 010203040506 00", 4),
    ] {
      let report = report(pdu)
      #expect(report?.kind == .legacy && report?.eventType == UInt16(type))
      #expect(report?.address?.value == 0x0605_0403_0201 && report?.addressType == .random)
      #expect(report?.rssi == -61 && report?.isCut == false)
      #expect(report?.data.count == (type == 1 ? 0 : 1))
      #expect((report?.directAddress != nil) == (type == 1))
    }
    #expect(report("030c 010203040506 0708090a0b0c") == nil && report("0003 010203") == nil)
  }

  @Test("Extended PDUs become extended reports")
  func extendedReports() {
    #expect(report("0707 46 18 5003 532120") == nil, "its contents are elsewhere")
    let auxiliary = report("470e 49 09 94176617e954 5073 020106aa", .auxiliary, phy: 2)
    #expect(auxiliary?.kind == .extended && auxiliary?.eventType == 1 && auxiliary?.sid == 7)
    #expect(auxiliary?.address?.value == 0x54e9_1766_1794 && auxiliary?.addressType == .random)
    #expect(auxiliary?.secondaryPHY == 2 && auxiliary?.primaryPHY == nil)
    #expect(auxiliary?.data.count == 4 && auxiliary?.dataStatus == .complete)
    let chain = report("0709 06 18 5073 532120 aabb", .chain)
    #expect(chain?.address == nil && chain?.dataStatus == .incomplete && chain?.data.count == 2)
    #expect(chain?.eventType == 0x20)
    #expect(report("0704 03 08 5073", .scanResponse)?.eventType == 0xa)
    let lone = report("0708 07 01 010203040506")
    #expect(lone?.address != nil && lone?.secondaryPHY == 0)
    let sync = report("0704 00 020106", .sync)
    #expect(sync?.kind == .periodic && sync?.data.count == 3 && sync?.cteType == 0xff)
  }
}
