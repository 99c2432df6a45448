import Foundation
import ProgramRunner
import Testing

private let real = Program.sharedCaptures.appending(path: "real")

/// What an attribute of a capture conveyed, in one direction.
private struct Stream {
  var bytes: [UInt8] = []
  /// The decoded fields of the complete messages of a profile, by name of the message, in order.
  var messages: [(name: String, fields: [String: Any])] = []
}

/// Returns what the server sent on each attribute of each connection of a capture.
private func streams(_ capture: String, _ profile: String) throws -> [Stream] {
  let run = try Program.run(["values", "--json", real.appending(path: capture).path])
  #expect(run.errors.split(separator: "\n").allSatisfy { $0.contains("incomplete") })
  var streams: [String: Stream] = [:]
  for value in run.objects.compactMap(\.self) where value["type"] as? String == "value" {
    guard value["direction"] as? String == "received", let hex = value["value"] as? String
    else { continue }
    let key = "\(value["connection"] ?? 0) \(value["handle"] ?? "")"
    streams[key, default: Stream()].bytes += bytes(hex)
    guard let decoded = value["decoded"] as? [String: Any],
      decoded["profile"] as? String == profile, let name = decoded["name"] as? String,
      name != "part", let fields = decoded["fields"] as? [String: Any]
    else { continue }
    streams[key, default: Stream()].messages.append((name, fields))
  }
  return streams.sorted { $0.key < $1.key }.map(\.value)
}

private func bytes(_ hex: String) -> [UInt8] {
  let digits = Array(hex.utf8)
  return stride(from: 0, to: digits.count - 1, by: 2).map { index in
    UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
  }
}

/// Returns the number of two or four bytes.
private func number(_ bytes: [UInt8], _ at: Int, _ width: Int, big: Bool = false) -> Int {
  let part = bytes[at..<at + width]
  return (big ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
}

private func signed(_ number: Int, _ width: Int) -> Int {
  number >= 1 << (8 * width - 1) ? number - 1 << (8 * width) : number
}

/// Returns whether a decoded number is a raw one, divided.
/// Returns the number of a decoded field.
private func amount(_ field: Any?) -> Double? { (field as? [String: Any])?["number"] as? Double }

/// Returns the elements of a decoded field.
private func list(_ field: Any?) -> [Any]? { (field as? [String: Any])?["list"] as? [Any] }

private func isSame(_ field: Any?, _ raw: Int, _ divisor: Double) -> Bool {
  guard let value = amount(field) else { return false }
  return abs(value - Double(raw) / divisor) < 0.0001
}

@Suite(
  "Vendors' protocols in captures of real devices, whose frames the test reads itself",
  .enabled(
    if: FileManager.default.fileExists(atPath: real.path), "the shared captures are not there"))
struct VendorCaptureTests {
  /// dd 03 00 1d VOLTAGE CURRENT REMAINING CAPACITY … CHARGE at 19, temperatures from 23.
  @Test(
    "JBD: each answer with basic information or cell voltages",
    arguments: [
      ("esphome-jbd-bms-btsnoop_hci-mosfets-onoff.log", 51),
      ("esphome-jbd-bms-btsnoop_hci_jbd-sp04s034-l4s-200a-b-u.log", 66),
      ("esphome-jbd-bms-JBD-SP04S034L4S200A-btsnoop_hci.log", 13),
    ])
  func jbd(capture: String, count: Int) throws {
    var basics = 0
    for stream in try streams(capture, "jbd") {
      let basic = stream.messages.filter { $0.name == "basic.response" }.map(\.fields)
      let cells = stream.messages.filter { $0.name == "cells.response" }.map(\.fields)
      let all = stream.bytes
      var (basicCount, cellCount) = (0, 0)
      for at in all.indices where all[at...].starts(with: [0xdd, 0x03, 0x00, 0x1d]) {
        let data = Array(all[(at + 4)...].prefix(29))
        let fields = try #require(basic.dropFirst(basicCount).first)
        #expect(isSame(fields["voltage"], number(data, 0, 2, big: true), 100))
        #expect(isSame(fields["current"], signed(number(data, 2, 2, big: true), 2), 100))
        #expect(isSame(fields["remaining_capacity"], number(data, 4, 2, big: true), 100))
        #expect(isSame(fields["charge"], Int(data[19]), 1))
        #expect(
          (fields["charge_fet"] as? [String: Any])?["word"] as? String
            == (data[20] & 1 == 1 ? "on" : "off"))
        let temperatures = try #require(list(fields["temperatures"]))
        #expect(temperatures.count == 3)
        for (index, temperature) in temperatures.enumerated() {
          let raw = number(data, 23 + 2 * index, 2, big: true) - 2731
          #expect(isSame(temperature, raw, 10))
        }
        basicCount += 1
      }
      for at in all.indices where all[at...].starts(with: [0xdd, 0x04, 0x00, 0x08]) {
        let voltages = try #require(list(cells.dropFirst(cellCount).first?["voltages"]))
        #expect(voltages.count == 4)
        for (index, voltage) in voltages.enumerated() {
          #expect(isSame(voltage, number(all, at + 4 + 2 * index, 2, big: true), 1000))
        }
        cellCount += 1
      }
      #expect(basic.count == basicCount && cells.count == cellCount)
      basics += basicCount
    }
    #expect(basics == count)
  }

  /// The voltage at 118, the current at 126, the charge at 141; cells from 6.
  @Test(
    "JK02 with 24 cells: each frame of 300 bytes",
    arguments: [
      ("esphome-jk-bms-btsnoop_hci_jk-b1a20s15p_hw10xw_sw1007.log", 30),
      ("esphome-jk-bms-btsnoop_hci_jk-bd6a17s6p_hw72_sw710h.log", 106),
      ("esphome-jk-bms-btsnoop_hci_jk-bd6a24s10p_hw8x_sw806g.log", 53),
    ])
  func jk(capture: String, count: Int) throws {
    var total = 0
    for stream in try streams(capture, "jk") {
      let cells = stream.messages.filter { $0.name == "cells_24" }.map(\.fields)
      #expect(!stream.messages.contains { $0.name == "cells_32" || $0.name == "cells_jk04" })
      let all = stream.bytes
      var frames = 0
      for at in all.indices where all[at...].starts(with: [0x55, 0xaa, 0xeb, 0x90, 0x02]) {
        let frame = Array(all[at...].prefix(300))
        let sum = frame.dropLast().reduce(0) { $0 &+ $1 }
        guard frame.count == 300, sum == frame[299] else { continue }
        let fields = try #require(cells.dropFirst(frames).first)
        #expect(isSame(fields["voltage"], number(frame, 118, 4), 1000))
        #expect(isSame(fields["current"], signed(number(frame, 126, 4), 4), 1000))
        #expect(isSame(fields["state_of_charge"], Int(frame[141]), 1))
        #expect(isSame(fields["mosfet_temperature"], signed(number(frame, 134, 2), 2), 10))
        // The cells add up to the voltage, so they are where the profile expects them.
        let voltages = try #require(list(fields["voltages"])).compactMap(amount)
        let sumOfCells = voltages.reduce(0, +)
        #expect(abs(sumOfCells - Double(number(frame, 118, 4)) / 1000) < 0.2)
        frames += 1
      }
      #expect(cells.count == frames)
      total += frames
    }
    #expect(total == count)
  }

  @Test("JK04: the voltages are floating-point numbers with the average that the frame contains")
  func jk04() throws {
    let capture = "esphome-jk-bms-btsnoop_hci_jk-b2a16s_hw30_sw330.log"
    let frames = try streams(capture, "jk").flatMap(\.messages).filter { $0.name == "cells_jk04" }
    #expect(frames.count == 49)
    for (_, fields) in frames {
      let voltages = try #require(list(fields["voltages"])).compactMap(amount).filter { $0 > 0 }
      let average = try #require(amount(fields["average"]))
      #expect(voltages.count == 16)
      #expect(abs(voltages.reduce(0, +) / 16 - average) < 0.002)
    }
  }

  @Test("LEDnetWF and BJ_LED: all values of the lights are explained")
  func lights() throws {
    for (capture, profile, uuids) in [
      ("zengge_lednetwf-music_mode.log", "lednetwf", ["ff01", "ff02"]),
      ("zengge_lednetwf-smear.log", "lednetwf", ["ff01", "ff02"]),
      ("bj_led-btsnoop_hci.full.log", "bj_led", ["ee01"]),
      ("bj_led-btsnoop_hci.2.log", "bj_led", ["ee01"]),
    ] {
      let run = try Program.run(["profiles", "match", "--json", real.appending(path: capture).path])
      let subjects = try #require(run.objects.first??["subjects"] as? [[String: Any]])
      for uuid in uuids {
        let subject = try #require(subjects.first { $0["uuid"] as? String == uuid })
        let profiles = try #require(subject["profiles"] as? [[String: Any]])
        #expect(profiles.map { $0["profile"] as? String } == [profile], "\(capture) \(uuid)")
        #expect(subject["unexplained"] == nil && subject["problems"] == nil, "\(capture) \(uuid)")
      }
    }
  }

  /// A start byte and a checksum of a byte fit something else now and then.
  @Test("No other capture has values of these protocols")
  func nothingElse() throws {
    let vendors: [String: String] = [
      "ant": "-", "bj_led": "bj_led", "daly": "-", "elk_bledom": "-", "govee_sensor": "-",
      "jbd": "esphome-jbd", "jbd_login": "esphome-jbd", "jk": "esphome-jk",
      "lednetwf": "zengge_lednetwf", "ninebot_scooter": "-", "seplos": "-",
      "xiaomi_scooter": "-",
    ]
    let folders = ["real", "phone", "generated"].map { Program.sharedCaptures.appending(path: $0) }
    for folder in folders {
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
      for name in names ?? [] where !["md", "tsv", "txt", "json"].contains(extensionOf(name)) {
        let run = try Program.run(
          ["profiles", "match", "--json", folder.appending(path: name).path])
        let subjects = run.objects.first??["subjects"] as? [[String: Any]] ?? []
        for subject in subjects {
          for found in subject["profiles"] as? [[String: Any]] ?? [] {
            guard let profile = found["profile"] as? String, let prefix = vendors[profile]
            else { continue }
            #expect(name.hasPrefix(prefix), "\(name): \(profile)")
          }
        }
      }
    }
  }

  private func extensionOf(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? ""
  }
}
