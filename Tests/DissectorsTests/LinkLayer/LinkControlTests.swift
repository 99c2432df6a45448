import Bluetooth
import Bytes
import Testing

@testable import Dissectors

/// Control PDUs with their fields. Those with a mark are from captures, and tshark reads the same;
/// the others are by hand.
private let fixtures: [(payload: String, name: String, fields: String)] = [
  (
    "00 03 2200 2400 0000 2a00 af00", "LL_CONNECTION_UPDATE_IND",
    "Window_Size 3, Window_Offset 34, Connection_Interval 36, Peripheral_Latency 0, "
      + "Supervision_Timeout 42, Instant 175"
  ),
  ("01 00f8ffff1f 2c01", "LL_CHANNEL_MAP_IND", "Channel_Map bytes 00f8ffff1f, Instant 300"),
  ("02 13", "LL_TERMINATE_IND", "Error_Code 19"),
  (
    "03 9078563412efcdab 7424 1302f1e0dfcebdac 24abdcba", "LL_ENC_REQ",
    "Random_Number bytes 9078563412efcdab, Encrypted_Diversifier 0x2474, SKD_C secret of 8, "
      + "IV_C secret of 4"
  ),
  ("04 7968574635241302 bebaafde", "LL_ENC_RSP", "SKD_P secret of 8, IV_P secret of 4"),
  ("05", "LL_START_ENC_REQ", ""), ("06", "LL_START_ENC_RSP", ""),
  ("07 28", "LL_UNKNOWN_RSP", "Unknown_Type 0x28"),
  ("08 ff79010000000000", "LL_FEATURE_REQ", "LE_Features 0x00000000000179ff"),
  ("09 2d41000000010000", "LL_FEATURE_RSP", "LE_Features 0x000001000000412d"),
  ("0a", "LL_PAUSE_ENC_REQ", ""), ("0b", "LL_PAUSE_ENC_RSP", ""),
  (
    "0c 0c 0f00 4502", "LL_VERSION_IND",
    "Version 12, Company_Identifier 0x000f, Subversion 0x0245"
  ),
  ("0d 06", "LL_REJECT_IND", "Error_Code 6"),
  (
    "0e 0d4900f701010000", "LL_PERIPHERAL_FEATURE_REQ", "LE_Features 0x00000101f700490d"
  ),
  (
    "0f 5000a00000005802 00 0000 ffff ffffffffffffffffffff", "LL_CONNECTION_PARAM_REQ",
    "Connection_Interval_Min 80, Connection_Interval_Max 160, Max_Latency 0, "
      + "Supervision_Timeout 600, Preferred_Periodicity 0, Reference_Conn_Event_Count 0, "
      + "Offset_0 65535, Offset_1 65535, Offset_2 65535, Offset_3 65535, Offset_4 65535, "
      + "Offset_5 65535"
  ),
  ("11 14 2a", "LL_REJECT_EXT_IND", "Reject_Opcode 0x14, Error_Code 42"),
  ("12", "LL_PING_REQ", ""), ("13", "LL_PING_RSP", ""),
  (
    "14 fb00 9042 1b00 4801", "LL_LENGTH_REQ",
    "Max_RX_Octets 251, Max_RX_Time 17040, Max_TX_Octets 27, Max_TX_Time 328"
  ),
  ("16 02 02", "LL_PHY_REQ", "TX_PHYs 0x02, RX_PHYs 0x02"),
  ("18 02 00 1000", "LL_PHY_UPDATE_IND", "PHY_C_To_P 2, PHY_P_To_C 0, Instant 16"),
  ("19 01 05", "LL_MIN_USED_CHANNELS_IND", "PHYs 0x01, Min_Used_Channels 5"),
  ("1a 94", "LL_CTE_REQ", "Min_CTE_Length 20, CTE_Type 2"), ("1b", "LL_CTE_RSP", ""),
  ("1d 05", "LL_CLOCK_ACCURACY_REQ", "Clock_Accuracy 5"),
  (
    "1f 00 00 02 02 7880 0000 102700 102700 7800 0000 03 860300 01 02 01 0800 571a00 571a00 6400",
    "LL_CIS_REQ",
    "CIG_ID 0, CIS_ID 0, PHY_C_To_P 0x02, PHY_P_To_C 0x02, Max_SDU_C_To_P 120, Framing 1, "
      + "Max_SDU_P_To_C 0, SDU_Interval_C_To_P 10000, SDU_Interval_P_To_C 10000, "
      + "Max_PDU_C_To_P 120, Max_PDU_P_To_C 0, NSE 3, Sub_Interval 902, BN_C_To_P 1, BN_P_To_C 0, "
      + "FT_C_To_P 2, FT_P_To_C 1, ISO_Interval 8, CIS_Offset_Min 6743, CIS_Offset_Max 6743, "
      + "Conn_Event_Count 100"
  ),
  (
    "20 571a00 571a00 6400", "LL_CIS_RSP",
    "CIS_Offset_Min 6743, CIS_Offset_Max 6743, Conn_Event_Count 100"
  ),
  (
    "21 1e77c235 571a00 241500 920a00 6700", "LL_CIS_IND",
    "Access_Address 0x35c2771e, CIS_Offset 6743, CIG_Sync_Delay 5412, CIS_Sync_Delay 2706, "
      + "Conn_Event_Count 103"
  ),
  ("22 01 02 13", "LL_CIS_TERMINATE_IND", "CIG_ID 1, CIS_ID 2, Error_Code 19"),
  ("23 02 fd 08", "LL_POWER_CONTROL_REQ", "PHY 0x02, Delta -3, TX_Power 8"),
  ("24 01 fd f8 ff", "LL_POWER_CONTROL_RSP", "Limits 0x01, Delta -3, TX_Power -8, APR 255"),
  ("25 01 02 04 08", "LL_POWER_CHANGE_IND", "PHY 0x01, Limits 0x02, Delta 4, TX_Power 8"),
  (
    "26 0100 0400 0200 0100 6400", "LL_SUBRATE_REQ",
    "Subrate_Min 1, Subrate_Max 4, Max_Latency 2, Continuation_Number 1, Supervision_Timeout 100"
  ),
  (
    "27 0400 1000 0200 0100 6400", "LL_SUBRATE_IND",
    "Subrate_Factor 4, Subrate_Base_Event 16, Peripheral_Latency 2, Continuation_Number 1, "
      + "Supervision_Timeout 100"
  ),
  ("28 01 05 0a", "LL_CHANNEL_REPORTING_IND", "Enable 1, Min_Spacing 5, Max_Delay 10"),
  (
    "2a 0000 f80cff00ffffffffbf9d6c35da23b8a23901 0c00 3801 b0 02 835fc7d34e11 0c00 "
      + "c4621793 05 30 05 50", "LL_PERIODIC_SYNC_WR_IND",
    "ID 0x0000, Sync_Packet_Offset 3320, Sync_Offset_Units 0, Offset_Adjust 0, "
      + "Periodic_Advertising_Interval 255, Sync_Channel_Map 0x1fffffffff, "
      + "Sync_Clock_Accuracy 5, Sync_Access_Address 0xda356c9d, Sync_CRC_Init 0xa2b823, "
      + "Periodic_Event_Counter 313, Conn_Event_Count 12, Last_Periodic_Event_Counter 312, "
      + "Advertising_SID 0, Advertiser_Address_Type 1, Clock_Accuracy 5, PHY 0x02, "
      + "Advertiser_Address 114ed3c75f83, Sync_Conn_Event_Count 12, "
      + "Response_Access_Address 0x931762c4, Num_Subevents 5, Subevent_Interval 48, "
      + "Response_Slot_Delay 5, Response_Slot_Spacing 80"
  ),
  (
    "3b 9600 9600 03 0100", "LL_FRAME_SPACE_REQ",
    "Frame_Space_Min 150, Frame_Space_Max 150, PHYs 0x03, Spacing_Types 0x0001"
  ),
  (
    "3f 0000 5000 1000 0100 0000 0000 6400", "LL_CONNECTION_RATE_IND",
    "Window_Offset 0, Connection_Interval 80, Instant 16, Subrate_Factor 1, Peripheral_Latency 0, "
      + "Continuation_Number 0, Supervision_Timeout 100"
  ),
]

/// The lengths of the payloads, from the specification: 0 if they vary.
private let lengths: [Int] = [
  12, 8, 2, 23, 13, 1, 1, 2, 9, 9, 1, 1, 6, 2, 9, 24, 24, 3, 1, 1, 9, 9, 3, 3, 5, 3, 2, 1, 35, 2,
  2, 36, 9, 16, 4, 4, 5, 5, 11, 11, 4, 11, 43, 27, 27, 21, 26, 26, 28, 2, 29, 22, 19, 5, 1, 73, 13,
  21, 5, 8, 6, 0, 0, 15,
]

@Suite("Link Layer control PDUs") struct LinkControlTests {
  @Test("Fields", arguments: fixtures)
  func fields(_ payload: String, _ name: String, _ fields: String) {
    let bytes = octets(payload)
    let dissection = control(bytes)
    let found = walk(dissection, bytes)
    #expect(found.entries.joined(separator: ", ") == fields && found.isConsistent)
    #expect(dissection.parameters?.row?.name.description == name)
    #expect(words(dissection) == "control of \(bytes.count)" && dissection.problems.isEmpty)
    #expect(LinkControl(bytes.bytes, Slice(start: 0, count: bytes.count)) != nil)
  }

  @Test("Prefixes are too short, longer PDUs have bytes left over", arguments: fixtures)
  func lengthsOfFixtures(_ payload: String, _ name: String, _ fields: String) {
    let bytes = octets(payload)
    for count in 0..<bytes.count {
      let prefix = [UInt8](bytes.prefix(count))
      let short = control(prefix)
      #expect(short.problems.count == 1 && short.problems[0].code == .tooShort)
      #expect(control(prefix, isTruncated: true).problems.isEmpty)
      #expect(walk(short, prefix).isConsistent)
      let read = LinkControl(prefix.bytes, Slice(start: 0, count: count))
      if case .other? = read { continue }
      #expect(read == nil || count > 1)
    }
    #expect(problems(control(bytes + [9])) == ["leftOver@\(bytes.count)(1,0)"])
  }

  @Test("All opcodes below 0x40 have a name and the specification's length")
  func opcodes() {
    var names: Set<String> = []
    for (opcode, length) in lengths.enumerated() {
      let row = LinkTable.control(UInt8(opcode))
      names.insert(row?.name.description ?? "none")
      #expect(
        row?.parameters.size.map { $0 + 1 } ?? 0 == length, "0x\(digits(opcode, 2))")
    }
    #expect(names.count == 64)
    for opcode in [0x40, 0xf0, 0xff] as [UInt8] {
      #expect(problems(control([opcode, 1])) == ["unknownOpcode@0(\(opcode),0)"])
      #expect(LinkOpcode(rawValue: opcode).name == nil)
      #expect(LinkOpcode(rawValue: opcode).answers == [])
    }
  }

  @Test("Names of fields are unique in a PDU, and code sets have names")
  func names() {
    func parts(_ parameters: [Parameter]) -> [Parameter] {
      parameters.flatMap { [$0] + parts($0.items) }
    }
    let rows = (linkControlRows0 + linkControlRows1).map(\.row) + broadcastControlRows
    for row in rows + advertisingRows {
      let parts = parts(row.parameters ?? [])
      let names = parts.filter { !$0.isStructure }.map(\.name.description)
      #expect(Set(names).count == names.count, "\(row.name)")
      for part in parts {
        switch part.kind {
        case .unsigned(_, .code(let set)), .unsigned(_, .flags(let set)), .bits(_, .code(let set)),
          .selector(_, .flags(let set)):
          #expect((0..<8).contains { set.name(of: $0) != nil }, "\(row.name) \(part.name)")
        case .packed(let width, _):
          let bits = part.items.reduce(0) { sum, item in
            switch item.kind {
            case .bits(let count, _), .lengthBits(let count), .unusedBits(let count):
              sum + Int(count)
            default: sum
            }
          }
          #expect(bits == 8 * Int(width), "\(row.name)")
        default: break
        }
      }
    }
  }

  @Test("Control PDUs of broadcast streams")
  func broadcast() {
    let map = octets("00 00f8ffff1f 2c01")
    let dissection = control(map, isBroadcast: true)
    #expect(dissection.parameters?.row?.name == "BIG_CHANNEL_MAP_IND")
    #expect(walk(dissection, map).entries == ["Channel_Map bytes 00f8ffff1f", "Instant 300"])
    #expect(control(octets("01 16 0100"), isBroadcast: true).problems.isEmpty)
    #expect(problems(control([2], isBroadcast: true)) == ["unknownOpcode@0(2,0)"])
  }

  @Test("Values")
  func values() {
    func read(_ text: String) -> LinkControl? {
      let bytes = octets(text)
      return LinkControl(bytes.bytes, Slice(start: 0, count: bytes.count))
    }
    guard
      case .encryptionRequest(let request)? = read(
        "03 9078563412efcdab 7424 1302f1e0dfcebdac 24abdcba")
    else { return #expect(Bool(false)) }
    #expect(request.rand == 0xabcd_ef12_3456_7890 && request.ediv == 0x2474)
    #expect(request.diversifier == 0xacbd_cedf_e0f1_0213 && request.vector == 0xbadc_ab24)
    guard
      case .encryptionResponse(let diversifier, let vector)? = read(
        "04 7968574635241302 bebaafde")
    else { return #expect(Bool(false)) }
    #expect(diversifier == 0x0213_2435_4657_6879 && vector == 0xdeaf_babe)
    guard case .connectionUpdate(let update)? = read("00 03 2200 2400 0000 2a00 af00") else {
      return #expect(Bool(false))
    }
    #expect(update.windowSize == 3 && update.windowOffset == 34 && update.interval == 36)
    #expect(update.timeout == 42 && update.instant == 175)
    guard case .reject(let opcode?, let error)? = read("11 14 2a") else {
      return #expect(Bool(false))
    }
    #expect(opcode == .lengthRequest && error.rawValue == 0x2a)
    guard case .channelMap(let map, let instant)? = read("01 00f8ffffff 2c01") else {
      return #expect(Bool(false))
    }
    #expect(map == 0x1f_ffff_f800 && instant == 300)
    guard
      case .cisRequest(let stream)? = read(
        "1f 01 02 02 02 7880 0000 102700 102700 7800 0000 03 860300 01 02 01 0800 571a00 571a00 6400"
      )
    else { return #expect(Bool(false)) }
    #expect(stream.cig == 1 && stream.cis == 2 && stream.interval == 8)
    guard case .cisIndication(let indication)? = read("21 1e77c235 571a00 241500 920a00 6700")
    else { return #expect(Bool(false)) }
    #expect(indication.accessAddress == 0x35c2_771e && indication.eventCount == 103)
    guard case .other(let other)? = read("ff 01") else { return #expect(Bool(false)) }
    #expect(other.rawValue == 0xff)
  }

  @Test("Who may send a PDU, and what answers it")
  func procedures() {
    #expect(
      LinkOpcode.connectionUpdate.sender == .central && LinkOpcode.connectionUpdate.hasInstant)
    #expect(LinkOpcode.encryptionResponse.sender == .peripheral)
    #expect(LinkOpcode.terminate.sender == .either && !LinkOpcode.terminate.hasInstant)
    #expect(
      LinkOpcode.Sender.central.allows(.central) && !LinkOpcode.Sender.central.allows(.peripheral))
    #expect(LinkOpcode.phyRequest.answers.has(.phyResponse))
    #expect(LinkOpcode.phyRequest.answers.has(.phyUpdate))
    #expect(LinkOpcode.encryptionRequest.answers.has(.reject))
    #expect(!LinkOpcode.encryptionRequest.answers.has(LinkOpcode(rawValue: 0x44)))
    #expect(LinkOpcode.terminate.answers == [])
    let instants = (0..<64 as Range<UInt8>).filter { LinkOpcode(rawValue: $0).hasInstant }
    #expect(instants == [0x00, 0x01, 0x18, 0x27, 0x38, 0x3f])
  }

  @Test("What an encrypted PDU can be by its length")
  func candidates() {
    func only(_ length: Int, _ role: LinkRole?) -> String? {
      LinkOpcode.candidates(length: length, from: role).only?.name?.description
    }
    #expect(only(12, .central) == "LL_CONNECTION_UPDATE_IND" && only(12, .peripheral) == nil)
    #expect(only(16, nil) == "LL_CIS_IND" && only(36, nil) == "LL_CIS_REQ")
    #expect(only(43, nil) == "LL_PERIODIC_SYNC_WR_IND" && only(35, nil) == "LL_PERIODIC_SYNC_IND")
    #expect(only(15, .central) == "LL_CONNECTION_RATE_IND")
    let eight = LinkOpcode.candidates(length: 8, from: .central)
    #expect(eight.has(.channelMap) && eight.rawValue.nonzeroBitCount == 2)
    #expect(!LinkOpcode.candidates(length: 9, from: .central).has(.cisResponse))
    #expect(LinkOpcode.candidates(length: 9, from: .peripheral).has(.cisResponse))
    let one = LinkOpcode.candidates(length: 1, from: nil)
    #expect(one.has(.startEncryptionResponse) && !one.has(.startEncryptionRequest))
    #expect(LinkOpcode.candidates(length: 23, from: nil) == [])
    #expect(LinkOpcode.candidates(length: 0, from: nil).has(.connectionRate) == false)
  }
}
