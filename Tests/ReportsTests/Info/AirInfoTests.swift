// What `info`, `devices`, `map`, `values`, `trace`, `table` and `report` print of captures from the
// air, whose truth is known.

import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Meanings

import Testing

@testable import Documents
@testable import Platforms
@testable import Reports
@testable import Sessions

/// Returns traffic in which a central discovers nothing, reads and is notified.
private func air(
  seed: UInt64 = 1, _ build: (inout AirTraffic) -> Void
) -> AirTraffic {
  var traffic = AirTraffic(seed: seed)
  build(&traffic)
  return traffic
}

/// Returns what a report prints of the records of a sniffer.
private func printed<Report: PacketReport & ~Copyable>(
  _ traffic: AirTraffic, _ form: AirForm = AirForm(.nordic3),
  _ makeReport: (CaptureSummary) -> Report
) -> String {
  var source = MemorySource(traffic.records(form))
  var report = makeReport(source.summary)
  return Rendering.run(&source, &report)
}

private func info(
  _ traffic: AirTraffic, _ form: AirForm = AirForm(.nordic3), json: Bool = false
) -> String {
  printed(traffic, form) { InfoReport("x", $0, json: json, glyphs: .utf8) }
}

private let key = [UInt8](repeating: 0x5a, count: 16)

@Suite("Captures from the air in all reports") struct AirInfoTests {
  @Test("Packets are counted by kind, and errors by side", arguments: 1...8 as ClosedRange<UInt64>)
  func counts(seed: UInt64) {
    let traffic = air(seed: seed) {
      ($0.radio.missed, $0.radio.damaged) = (30, 60)
      $0.advertise(10)
      $0.connect(heard: true)
      $0.run(events: 200)
      $0.disconnect()
    }
    let heard = traffic.heard
    let advertising = heard.filter(\.isAdvertising)
    let data = heard.filter { !$0.isAdvertising }
    let damaged = { (packets: [AirTransmission]) in packets.count { $0.hearing == .damaged } }
    let text = info(traffic)
    var words = "nRF Sniffer (protocol 3), \(heard.count) records: \(advertising.count) advertising"
    if damaged(advertising) > 0 { words += " (\(damaged(advertising)) with CRC errors)" }
    #expect(text.contains(words + ", \(data.count) data"), "\(text)")
    let json = info(traffic, json: true)
    #expect(json.contains("\"air\":{\"format\":\"nordic_ble\",\"protocol\":3"))
    #expect(
      json.contains(
        "\"crc_errors\":{\"advertising\":\(damaged(advertising)),\"data\":\(damaged(data))}"),
      "\(json)")
    // Of an event with a damaged packet, it is known that it took place.
    let allEvents = Set(data.map(\.event))
    let events = Set(data.filter { $0.hearing == .heard }.map(\.event))
    if let first = events.min(), let last = events.max() {
      #expect(text.contains("events \(first)–\(last)"), "\(text)")
      let missed = (first...last).count { !allEvents.contains($0) }
      if missed > 0 { #expect(text.contains("\(missed) missed ("), "\(missed): \(text)") }
      #expect(json.contains("\"missed\":\(missed),"))
    }
  }

  @Test("A connection has its devices, and when it changed") func changes() {
    var instants = (interval: 0, phy: 0)
    let traffic = air {
      $0.advertise(2)
      $0.connect()
      $0.run(events: 3)
      instants.interval = $0.updateConnection(interval: 12)
      instants.phy = $0.changePHY(central: 2, peripheral: 1)
      $0.run(events: 3)
      $0.disconnect(by: .received)
    }
    let text = info(traffic)
    #expect(text.contains(", opened by 5F:11:22:33:44:55 random resolvable, #"), "\(text)")
    #expect(text.contains("access address 0x50655c67"))
    #expect(text.contains("30→15 ms (15 ms from event \(instants.interval), #"), "\(text)")
    #expect(
      text.contains(
        "LE 2M from the central, LE 1M from the peripheral from event \(instants.phy), #"),
      "\(text)")
    #expect(text.contains("; ended by the peripheral\n"))
    for words in ["this host", "peer ", "hci", "handle"] { #expect(!text.contains(words)) }
    let json = info(traffic, json: true)
    #expect(
      json.contains("\"central\":\"5F:11:22:33:44:55\",\"central_type\":\"random_resolvable\""))
    #expect(json.contains("\"ended_by\":\"peripheral\""))
    #expect(json.contains("{\"interval_ms\":15,\"packet\":"))
    #expect(json.contains("\"event\":\(instants.interval)}"))
    for key in ["\"handle\"", "\"local_role\"", "\"sent\"", "\"received\""] {
      #expect(!json.contains(key), "\(json)")
    }
  }

  @Test("What the sniffer claims wrongly is stated once") func claims() {
    let traffic = air {
      $0.advertise(2)
      $0.connect()
      for _ in 0..<20 { $0.att("1b 0e 00 01", .received) }
      $0.disconnect()
    }
    var form = AirForm(.pseudoHeader)
    #expect(!info(traffic, form).contains("indices"))
    form.hasChannelIndex = true
    #expect(info(traffic, form).contains("its channel numbers are indices"))
    #expect(info(traffic, form, json: true).contains("\"channel_is_index\":true"))
    form.hasCRC = false
    #expect(info(traffic, form).contains("CRCs were not recorded"))
    #expect(info(traffic, form, json: true).contains("\"crc_not_recorded\":true"))
  }

  @Test("Packets that stay encrypted are explained at the end of each report") func encrypted() {
    let traffic = air {
      $0.advertise(2)
      $0.connect()
      $0.run(events: 2)
      $0.encrypt(key, ediv: 0x7343, rand: 5)
      $0.att("0a 10 00", .sent)
      $0.att("0b 57", .received)
      $0.run(events: 2)
    }
    let remark =
      "are encrypted with the key of an earlier bond (EDIV 0x7343); give it with --keys, or the capture of the pairing"
    let text = info(traffic)
    #expect(text.contains(remark) && text.contains("4 packets (#"), "\(text)")
    #expect(
      info(traffic, json: true).contains(
        "\"not_decrypted\":{\"reason\":\"earlier_bond\",\"packets\":4,"))
    let values = printed(traffic) { _ in ValuesReport(ValuesOptions()) }
    #expect(values.hasPrefix("this capture contains no attribute value\n#"), "\(values)")
    #expect(values.hasSuffix(": 4 packets \(remark).\n"), "\(values)")
    let map = printed(traffic) { _ in MapReport(MapOptions()) }
    #expect(map.contains("\nno attribute is in the capture\n"), "\(map)")
    #expect(map.hasSuffix(": 4 packets \(remark).\n"), "\(map)")
    var source = MemorySource(traffic.records(AirForm(.nordic3)))
    var report = TraceReport(TraceOptions(), source.summary)
    _ = Rendering.run(&source, &report)
    #expect(report.remark?.hasSuffix("\(remark).") ?? false)
  }

  @Test(
    "Each reason has a sentence and a name",
    arguments: [
      (.requestMissing, ": LL_ENC_REQ was not captured", "request_missing"),
      (.responseMissing, ": LL_ENC_RSP was not captured", "response_missing"),
      (.beganBefore, ": the connection was already encrypted", "began_before"),
      (.secureConnections, ": with LE Secure Connections", "secure_connections"),
      (.earlierBond, " with the key of an earlier bond;", "earlier_bond"),
      (.pairingIncomplete, ": packets of the pairing", "pairing_incomplete"),
      (.outOfBand, ": the pairing used out-of-band data", "out_of_band"),
      (.keysDoNotFit, ": none of the 3 keys fits;", "keys_do_not_fit"),
      (.lostCounter, ": the key fits the packets before them", "lost_counter"),
    ] as [(UndecryptedReason, String, String)])
  func reasons(_ reason: UndecryptedReason, _ words: String, _ name: String) {
    var period = EncryptionPeriod()
    #expect(period.remark == nil)
    (period.undecrypted, period.firstUndecrypted, period.lastUndecrypted) = (8, 18, 239)
    (period.reason, period.keysTried) = (reason, 3)
    let remark = period.remark?.text ?? ""
    #expect(remark.hasPrefix("#18–#239: 8 packets are encrypted\(words)"), "\(remark)")
    #expect(remark.hasSuffix(".") && !remark.hasSuffix(".."))
    // A page is for readers who may not have this program.
    #expect(period.remark?.withoutHint.text.contains("--keys") == false)
    #expect("\(reason.key)" == name)
  }

  @Test("Advertisers have their channels, and no scan heard them") func devices() {
    let traffic = air {
      $0.settings.advertisement = [2, 1, 6, 3, 9, 0x41, 0x42]
      $0.advertise(5)
      $0.scan([2, 0x0a, 4])
      $0.connect()
      $0.run(events: 5)
      $0.disconnect()
    }
    let text = printed(traffic) { DevicesReport(DevicesOptions(), $0) }
    #expect(text.hasPrefix("1 advertiser, 18 reports\n\n"), "\(text)")
    #expect(text.contains("\n  channels 37–39\n") && text.contains("\"AB\""), "\(text)")
    #expect(text.contains("; at most about 99.6 ms apart; RSSI -61"), "\(text)")
    for words in ["scan  ", "this host", "5F:11", "duplicates"] { #expect(!text.contains(words)) }
    var options = DevicesOptions()
    options.isJSON = true
    let json = printed(traffic) { DevicesReport(options, $0) }
    #expect(json.split(separator: "\n").count == 1)
    #expect(json.contains("\"channels\":[37,38,39]") && json.contains("\"interval_ms\":99."))
  }

  @Test("The server of a central is named by its role") func servers() {
    let traffic = air {
      $0.connect()
      $0.att("0a 03 00", .received)
      $0.att("0b 41", .sent)
      $0.disconnect()
    }
    let values = printed(traffic) { _ in ValuesReport(ValuesOptions()) }
    #expect(values.contains("\nthe central 5F:11:22:33:44:55, used by "), "\(values)")
    let map = printed(traffic) { _ in MapReport(MapOptions()) }
    #expect(map.contains("the central, 5F:11:22:33:44:55, as a server, connection 1"), "\(map)")
    let lines = printed(traffic) { ValueLines(ValuesOptions(), .json, $0) }
    #expect(
      lines.contains("\"server\":\"central\"")
        && lines.contains("\"direction\":\"central_to_peripheral\""), "\(lines)")
  }

  @Test("The app of a trace is on the central") func trace() {
    let traffic = air {
      $0.advertise(1)
      $0.connect()
      $0.run(events: 2)
      $0.att("1b 0e 00 01", .received)
      $0.updateConnection(interval: 12)
      $0.disconnect()
    }
    var options = TraceOptions()
    options.time = .none
    options.platform = .android
    let text = printed(traffic) { TraceReport(options, $0) }
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasSuffix("Android of an app on the central") ?? false, "\(text)")
    let names = ["connectGatt", "STATE_CONNECTED", "onCharacteristicChanged", "interval 12"]
    let places = names.map { name in lines.firstIndex { $0.contains(name) } }
    #expect(!places.contains(nil) && places.compactMap(\.self).sorted() == places, "\(text)")
    #expect(lines.last?.contains("STATE_DISCONNECTED") ?? false)
    #expect(!text.contains("onScanResult"))
  }

  @Test("Rows have the names of the sides, and a sniffer lacks no commands") func table() {
    let traffic = air {
      $0.connect()
      $0.att("0a 03 00", .sent)
      $0.att("0b 41", .received)
      $0.disconnect()
    }
    let sinks = RowSinks(.json, .all)
    _ = printed(traffic) {
      RowsReport(RowsFile(Array("x".utf8)), $0, RowsOptions(), to: sinks)
    }
    var output = Output()
    sinks.copy(into: &output)
    let rows = output.string.split(separator: "\n")
    let connection = rows.first { $0.contains("\"kind\":\"connections\"") } ?? ""
    #expect(connection.contains("\"local_role\":null") && connection.contains("\"phy\":\"LE 1M\""))
    #expect(connection.contains("\"ended_by\":\"central\""), "\(connection)")
    let operation = rows.first { $0.contains("\"kind\":\"operations\"") } ?? ""
    #expect(operation.contains("\"direction\":\"peripheral_to_central\""), "\(operation)")
    let capture = rows.first { $0.contains("\"kind\":\"captures\"") } ?? ""
    #expect(capture.contains("\"source\":\"air\",\"lacks\":\"\""), "\(capture)")
  }

  @Test("A page states what the sniffer recorded, and who sent what") func page() {
    let traffic = air {
      $0.advertise(2)
      $0.connect()
      $0.run(events: 5)
      $0.att("1b 0e 00 01", .received)
      $0.disconnect()
    }
    let page = printed(traffic) { PageReport(PageOptions(), $0) }
    #expect(page.contains("<dt>from the air</dt><dd>nRF Sniffer (protocol 3), "))
    #expect(page.contains("packets from the central") && page.contains("<span>the central</span>"))
    #expect(!page.contains("this host"))
  }
}
