// Captures of real sniffers beside the project: decrypted PDUs, and facts about connections.

import Bluetooth
import Bytes
import Captures
import Foundation
import MadeTraffic
import Testing

@testable import Sessions

private let table = otherCaptures.appending(path: "air/decrypted.tsv")
private let isThere = FileManager.default.fileExists(atPath: table.path)

/// A decrypted PDU as another implementation read it.
private struct Row {
  var packet: Int
  var accessAddress: UInt32
  var direction: Direction
  var counter: UInt64
  var llid: UInt8
  var plain: [UInt8]
}

/// The rows of the table, by file.
private let rows: [String: [Row]] = {
  guard let text = try? String(contentsOf: table, encoding: .utf8) else { return [:] }
  var rows: [String: [Row]] = [:]
  for line in text.split(separator: "\n").dropFirst() {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 7, let packet = Int(fields[1]),
      let accessAddress = UInt32(fields[2], radix: 16), let counter = UInt64(fields[4]),
      let llid = UInt8(fields[5])
    else { continue }
    rows[fields[0], default: []].append(
      Row(
        packet: packet, accessAddress: accessAddress,
        direction: fields[3] == "central_to_peripheral" ? .sent : .received, counter: counter,
        llid: llid, plain: bytes(fields[6])))
  }
  return rows
}()

/// Returns the bytes of hexadecimal digits.
private func bytes(_ digits: String) -> [UInt8] {
  let values = digits.compactMap(\.hexDigitValue)
  return stride(from: 0, to: values.count - 1, by: 2).map {
    UInt8(values[$0] << 4 | values[$0 + 1])
  }
}

/// The keys that are not in the captures themselves.
private func bonds(of file: String) -> [Bond] {
  switch file {
  case "real/crackle-known_ltk.pcap": return [bond(bytes("7f62c053f104a5bbe68b1d896a2ed49c"))]
  case "real/whad-client-comm.pcap": return [bond(bytes("0e0596ef16cf17cc48357ee19da96728"))]
  case "air/bsniffhub-lp-oob.pcap":
    var bond = Bond(.zero, .random, file: "keys")
    bond.sniffer.temporary = [bytes("27ed9a71eca9a123242287a91724885e").reversed()]
    return [bond]
  default: return []
  }
}

/// Follows a capture beside the project.
private func follow(_ file: String) throws -> Following {
  var source = try CaptureReader(
    path: otherCaptures.appending(path: file).path(percentEncoded: false))
  return follow(&source, bonds: bonds(of: file))
}

@Suite(
  "Real captures from the air",
  .enabled(if: isThere, "no ../shared/captures/air"))
struct AirTableTests {
  @Test(
    "every PDU that another implementation decrypted is decrypted", arguments: rows.keys.sorted())
  func decrypted(file: String) throws {
    let expected = rows[file] ?? []
    let found = try follow(file)
    for row in expected {
      let seen = found[row.packet]
      #expect(seen.number == row.packet && seen.fact.encryption == .decrypted, "\(file) \(row)")
      #expect(seen.direction == row.direction && seen.fact.packetCounter == row.counter)
      #expect(
        seen.bytes == row.plain
          || seen.isJoined && seen.bytes.suffix(row.plain.count) == row.plain[...])
      let link = found.air.all.first { $0.connection == seen.connection }
      #expect(link?.accessAddress == row.accessAddress)
    }
    let decrypted = found.packets.count { $0.fact.encryption == .decrypted }
    #expect(decrypted == expected.count)
  }

  @Test("the table is complete") func complete() {
    #expect(rows.count == 11 && rows.values.reduce(0) { $0 + $1.count } == 296)
  }
}

/// What is true of a connection in a capture.
private struct Truth: Sendable {
  var file: String
  /// Records on advertising channels, data records, and empty ones with a right CRC among these.
  var advertising: Int
  var data: Int
  var empty: Int?
  /// Records with a wrong CRC, and the one that is shorter than its length.
  var errors: Int
  var accessAddress: UInt32
  var parties: (central: UInt64, peripheral: UInt64)?
  /// Interval, latency, timeout as in CONNECT_IND, and the hop.
  var parameters: (Int, Int, Int, hop: UInt8)?
  var selection: UInt8
  var crcInit: UInt32
  /// The last event, and how many were missed.
  var events: (last: Int, missed: Int)?
}

private let truths = [
  Truth(
    file: "real/crackle-known_ltk.pcap", advertising: 29, data: 274, empty: 252, errors: 12,
    accessAddress: 0x5065_4ca7, parties: (0x083e_8ee1_0b3e, 0x78c5_e56e_dde8),
    parameters: (54, 0, 42, 10), selection: 1, crcInit: 0x21_5b18),
  Truth(
    file: "real/crackle-le_secure_connections.pcapng", advertising: 44, data: 259, empty: 124,
    errors: 2, accessAddress: 0x5065_4a27, parties: (0x5cf3_7073_3ef4, 0x7d43_8242_2316),
    parameters: (54, 0, 42, 5), selection: 1, crcInit: 0x2e_d45d, events: (112, 0)),
  Truth(
    file: "real/whad-client-ble_pairing.pcap", advertising: 1, data: 1603, empty: 1415, errors: 0,
    accessAddress: 0x92dd_a6f5, parties: (0x635b_46e8_b381, 0x74da_ea91_47e3),
    parameters: (36, 0, 500, 6), selection: 1, crcInit: 0x0a_2f85, events: (976, 182)),
  Truth(
    file: "real/idealLED-set_collection.pcapng", advertising: 0, data: 145, errors: 1,
    accessAddress: 0xe5c2_df55, selection: 1, crcInit: 0xe7_8ed6),
  Truth(
    file: "air/crackle-pairing_and_ltk_exchange.pcap", advertising: 516, data: 197, empty: 185,
    errors: 0, accessAddress: 0xaf9a_9394, parties: (0x083e_8ee1_0b3e, 0x78c5_e56e_dde8),
    parameters: (54, 0, 42, 8), selection: 1, crcInit: 0xac_1369),
  Truth(
    file: "real/whad-client-comm.pcap", advertising: 1, data: 314, empty: 299, errors: 0,
    accessAddress: 0x90c5_ee5b, parties: (0x6aaf_b4e3_753d, 0x74da_ea91_47e3),
    parameters: (36, 0, 500, 6), selection: 1, crcInit: 0x27_0650, events: (194, 38)),
  Truth(
    file: "air/bsniffhub-connection-update.pcap", advertising: 12, data: 276, empty: 249,
    errors: 0, accessAddress: 0xbd9e_6699, parties: (0x04ee_034a_8a2f, 0x04ee_034a_8b38),
    parameters: (80, 0, 2000, 15), selection: 1, crcInit: 0xe1_408e, events: (137, 0)),
  Truth(
    file: "air/bsniffhub-phy-changed.pcap", advertising: 182, data: 515, empty: 494, errors: 0,
    accessAddress: 0xd82e_1b89, parties: (0x04ee_034a_8a2f, 0x04ee_034a_8b38),
    parameters: (80, 0, 2000, 15), selection: 1, crcInit: 0xff_b267, events: (257, 0)),
  Truth(
    file: "air/bsniffhub-lp-passkey-123456.pcap", advertising: 86, data: 365, empty: 335,
    errors: 0, accessAddress: 0xcd37_53d5, parameters: (80, 0, 2000, 8), selection: 2,
    crcInit: 0xdb_c3ad, events: (182, 0)),
  Truth(
    file: "air/bsniffhub-lp-oob.pcap", advertising: 186, data: 260, empty: 230, errors: 0,
    accessAddress: 0x336b_eccf, parameters: (80, 0, 2000, 14), selection: 2, crcInit: 0x67_97e3,
    events: (130, 0)),
  Truth(
    file: "air/bsniffhub-sc-numericcomparison-380717.pcap", advertising: 83, data: 362,
    empty: 333, errors: 0, accessAddress: 0x363a_4e9e, parameters: (80, 0, 2000, 11),
    selection: 2, crcInit: 0x6e_2a82, events: (181, 1)),
  Truth(
    file: "air/Tesi_BLE-Lv4_JW.pcapng", advertising: 811, data: 1233, empty: 1149, errors: 113,
    accessAddress: 0x5065_656f, parties: (0x7a94_51c5_49f9, 0xc048_fff5_9db8),
    parameters: (24, 0, 72, 14), selection: 1, crcInit: 0x25_2e63, events: (666, 52)),
  Truth(
    file: "real/BLE_TEST-mode1_auth_bonding_pairing_select_08_09_.pcapng", advertising: 4848,
    data: 1355, empty: 1283, errors: 26, accessAddress: 0x29cf_ceca,
    parties: (0x491a_3724_e7d0, 0x00a0_5000_001d), parameters: (40, 0, 500, 14), selection: 1,
    crcInit: 0x0c_939e),
  Truth(
    file: "real/BLE_TEST-mode1_unauth_bonding_pairing_select_08_08_.pcapng", advertising: 1070,
    data: 1734, empty: 1648, errors: 8, accessAddress: 0x2bc6_cdcc,
    parameters: (40, 0, 500, 6), selection: 1, crcInit: 0x1f_fbb6, events: (1024, 172)),
]

@Suite("Facts of real captures from the air", .enabled(if: isThere, "no ../shared/captures/air"))
struct AirFactTests {
  @Test(
    "records, errors, parameters and events are as another implementation found them",
    arguments: truths.indices)
  func facts(index: Int) throws {
    let truth = truths[index]
    let found = try follow(truth.file)
    let claims = found.air.claims
    #expect(claims.advertising == truth.advertising && claims.data == truth.data, "\(truth.file)")
    #expect(claims.crcErrors == truth.errors, "\(truth.file)")
    if let empty = truth.empty { #expect(claims.empty == empty, "\(truth.file)") }
    let link = try #require(
      found.air.all.first { $0.accessAddress == truth.accessAddress }, "\(truth.file)")
    #expect(link.crcInit == truth.crcInit, "\(truth.file)")
    #expect(link.clock.algorithm == truth.selection, "\(truth.file)")
    if let parties = truth.parties {
      #expect(link.central?.address.value == parties.central)
      #expect(link.peripheral?.address.value == parties.peripheral)
    }
    if let (interval, latency, timeout, hop) = truth.parameters {
      #expect(link.hop == hop)
      let request = found.packets[link.opening - 1].bytes
      // LLData ends 14 bytes before the CRC: interval, latency, timeout, channels, hop.
      let end = request.count - 3
      let numbers = [12, 10, 8].map { Int(request[end - $0]) | Int(request[end - $0 + 1]) << 8 }
      let expected = [interval, latency, timeout]
      #expect(numbers == expected)
    }
    if let events = truth.events {
      #expect(link.lastEvent == events.last && link.eventsMissed == events.missed, "\(truth.file)")
    }
  }

  @Test("three connections of the same devices are told apart") func three() throws {
    let found = try follow("air/bsniffhub-bonding.pcap")
    #expect(found.air.claims.lacksCRCs && found.air.claims.empty == 807)
    #expect(found.air.all.map(\.accessAddress) == [0x20c1_92ee, 0xedb0_2bc4, 0x5d21_84be])
    #expect(found.air.all.map(\.lastEvent) == [156, 151, 169])
    #expect(found.air.all.map(\.eventsMissed) == [1, 0, 0])
    #expect(found.air.all.map(\.clock.hop) == [14, 6, 6])
  }

  @Test("claims of direction that are wrong are found") func directions() throws {
    let found = try follow("real/whad-client-ble_pairing.pcap")
    #expect(found.air.claims.isChannelIndex == true)
    #expect(found.link.wrongDirections == 5)
  }

  @Test(
    "a sniffer lost track at an update",
    arguments: [
      ("real/BLE_TEST-mode1_auth_bonding_pairing_select_08_09_.pcapng", 782),
      ("real/BLE_TEST-mode2_auth_datasign_bonding_pairing_select_08_09.pcapng", 932),
      ("real/BLE_TEST-mode2_unauth_datasign_bonding_pairing_select_08_09.pcapng", 778),
    ])
  func lostTrack(file: String, instant: Int) throws {
    let found = try follow(file)
    let lost = try #require(found.air.all.compactMap(\.lostTrack).first, "\(file)")
    #expect(
      lost.event >= instant && lost.event < instant + 400 && lost.cause > 0, "\(file) \(lost)")
  }

  @Test("isochronous streams and trains are told from connections") func streams() throws {
    let unicast = try follow(
      "real/blesniff-nrf5340_audio_unicast_client_with_unicast_server_3.pcap")
    let link = try #require(unicast.air.all.first { $0.accessAddress == 0x9396_4617 })
    #expect(link.stream == .connection && link.crcInit == 0x62_46d4 && link.hop == 9)
    #expect(link.lastEvent == 152 && link.eventsMissed == 0)
    let stream = try #require(unicast.air.all.first { $0.accessAddress == 0x35c2_771e })
    #expect(stream.stream == .connectedIsochronous)
    #expect(stream.sides.reduce(0) { $0 + $1.packets } == 938)
    let broadcast = try follow("real/blesniff-nrf5340_audio_broadcast_source_2.pcap")
    let streams = broadcast.air.all.filter { $0.stream == .broadcastIsochronous }
    #expect(Set(streams.map(\.accessAddress)).isSuperset(of: [0x6de3_3952, 0x91d5_3952]))
    #expect(
      broadcast.air.all.contains {
        $0.accessAddress == 0x39e7_6963 && $0.stream == .periodicAdvertising
      })
    let train = try follow("real/blesniff-periodic_adv_rsp_with_periodic_sync_rsp_1.pcap")
    let links = train.air.all.filter { $0.stream == .connection }
    #expect(links.map(\.accessAddress) == [0xdc9e_2c61, 0x9348_5fb4])
    #expect(links.map(\.hop) == [10, 12] && links.map(\.eventsMissed) == [2, 3])
    #expect(links.map(\.lastEvent) == [25, 26])
  }
}
