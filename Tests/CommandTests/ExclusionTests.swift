import Foundation
import ProgramRunner
import Testing

/// A verb, a selector with a value, and the capture.
private struct Row: CustomTestStringConvertible, Sendable {
  let verb: String
  let option: String
  let value: String
  let capture: String

  init(_ verb: String, _ option: String, _ value: String, _ capture: String) {
    (self.verb, self.option, self.value, self.capture) = (verb, option, value, capture)
  }

  var testDescription: String { "\(verb) \(option) \(value) \(capture)" }
}

@Suite("Values after ! are excluded")
struct ExclusionTests {
  private static let ofPackets: [Row] =
    ["show", "trace", "convert", "devices"].flatMap { verb in
      [
        Row(verb, "--device", "HRM-7", "heart-rate"),
        Row(verb, "--device", "F1:F1:*", "heart-rate"),
        Row(verb, "--connection", "1", "write-refused"), Row(verb, "--adapter", "hci1", "monitor"),
        Row(verb, "--uuid", "2a37,180d", "heart-rate"), Row(verb, "--handle", "0x10", "heart-rate"),
        Row(verb, "--layer", "adv", "heart-rate"), Row(verb, "--layer", "att,smp", "write-refused"),
        Row(verb, "--opcode", "0x12,0x52", "heart-rate"),
        Row(verb, "--opcode", "Write Request", "heart-rate"),
        Row(verb, "--event", "Disconnection", "heart-rate"),
        Row(verb, "--event", "0x0e,0x3e:0x02", "heart-rate"),
        Row(verb, "--text", "heart", "heart-rate"), Row(verb, "--value", "06 *", "heart-rate"),
        Row(verb, "--direction", "sent", "monitor"),
        Row(verb, "--packets", "34,97-140", "heart-rate"),
      ]
    }

  private static let ofValues: [Row] = [
    Row("values", "--device", "F2:*", "enhanced-connection"),
    Row("values", "--connection", "1", "wristband"),
    Row("values", "--uuid", "2a37", "heart-rate"),
    Row("values", "--uuid", "180f", "heart-rate"),
    Row("values", "--handle", "0x10-0x12", "heart-rate"),
    Row("values", "--layer", "adv", "wristband"),
    Row("values", "--operation", "notification,read", "heart-rate"),
    Row("values", "--value", "00 48", "heart-rate"),
    Row("values", "--direction", "sent", "heart-rate"),
    Row("values", "--packets", "100-145", "heart-rate"),
  ]

  /// Returns what a verb prints about each packet, value, callback or device, in order.
  private func items(_ row: Row, _ selection: [String]) throws -> [String] {
    let sample = Program.sample(row.capture)
    guard row.verb == "convert" else {
      let run = try Program.run([row.verb, "--json"] + selection + [sample])
      #expect(run.status == 0, "\(run.errors)")
      guard row.verb == "devices" else {
        return run.lines.filter { !$0.hasPrefix("{\"type\":\"exchange\"") }
      }
      return run.objects.filter { $0?["type"] as? String == "device" }
        .map { "\($0?["address"] ?? "")" }
    }
    // The other packets are there for context.
    let folder = try Folder()
    let run = try Program.run(["convert"] + selection + [sample, folder.path("out.btsnoop")])
    let count = try #require(run.errors.firstMatch(of: /(\d+) packets? selected/)?.1)
    return Array(repeating: "", count: try #require(Int(count)))
  }

  @Test(
    "A selection and its exclusion share the packets, values, callbacks and devices",
    arguments: ofPackets + ofValues)
  private func complementary(row: Row) throws {
    let wanted = try items(row, [row.option, row.value])
    let excluded = try items(row, [row.option, "!\(row.value)"])
    let everything =
      row.verb == "convert"
      ? try items(row, ["--packets", "1-"]) : try items(row, [])
    if row.verb == "devices", row.option != "--device" {
      // A device has several packets.
      #expect(Set(wanted).union(excluded) == Set(everything))
    } else if row.verb == "trace" {
      // Lines count requests.
      #expect(wanted.count + excluded.count == everything.count)
    } else {
      #expect((wanted + excluded).sorted() == everything.sorted())
    }
    if row.verb == "show" || row.verb == "convert" || row.verb == "values" {
      #expect(wanted.count > 0 && excluded.count > 0)
    }
    // With both, nothing is left.
    guard row.verb != "convert" else { return }
    let both = try items(row, [row.option, row.value, row.option, "!\(row.value)"])
    if row.verb != "devices" || row.option == "--device" { #expect(both.isEmpty) }
  }

  private func numbers(_ options: String, _ capture: String = "heart-rate") throws -> [Int] {
    let words = options.split(separator: " ").map(String.init)
    return try Program.run(["show", "--json"] + words + [Program.sample(capture)]).packets
  }

  @Test(
    "A ! applies to the values after it, and each may have its own",
    arguments: [
      ("--layer !att,adv", "--layer !att --layer !adv"),
      ("--layer !att,!adv", "--layer !att --layer !adv"),
      ("--packets 1-50,!34,35", "--packets 1-33,36-50"),
      ("--opcode !0x12,0x1b", "--opcode !0x12 --opcode !0x1b"),
      ("--opcode 0x12,!0x1b", "--opcode 0x12 --opcode !0x1b"),
      ("--event !0x0e,!0x13", "--event !0x0e --event !0x13"),
      ("--uuid 180d,!2a37", "--uuid 180d --uuid !2a37"),
      ("--status 0x80 --status !0", "--status 0x80"),
    ])
  func lists(_ one: String, _ other: String) throws {
    let found = try numbers(one)
    #expect(!found.isEmpty)
    #expect(try numbers(other) == found)
  }

  @Test("Packets without the property stay, except for --status")
  func without() throws {
    let all = try numbers("")
    #expect(try numbers("--uuid !2aff") == all)
    let directed = try numbers("--direction sent,received", "monitor")
    let others = try numbers("--direction !sent,received", "monitor")
    #expect(!others.isEmpty && others == (1...28).filter { !directed.contains($0) })
    #expect(try numbers("--status !0") == [163])
    #expect(try numbers("--status !0 --status !0x80") == [])
  }

  @Test("A device that is selected and excluded is excluded")
  func devices() throws {
    let sample = Program.sample("heart-rate")
    for verb in ["map", "devices", "explain"] {
      let options = ["--device", "F1:*", "--device", "!HRM-7"]
      let run = try Program.run([verb] + options + [sample])
      #expect(!run.text.contains("F1:F1"), "\(run.text)")
    }
    #expect(try numbers("--device F1:F1:* --device !hrm*") == [])
  }

  @Test(
    "A name that begins with ! is written with a backslash",
    arguments: [("\\!dea", 0), ("!dea", 167 - 1), ("!!dea", 167 - 1)])
  func literal(_ value: String, _ count: Int) throws {
    let run = try Program.run(["show", "--text", value, Program.sample("heart-rate")])
    #expect(max(0, run.lines.count - 1) == count)
  }

  @Test("map leaves out what is excluded")
  func map() throws {
    let sample = Program.sample("heart-rate")
    func uuids(_ options: [String]) throws -> Set<String> {
      let text = try Program.run(["map", "--json"] + options + [sample]).text
      return Set(text.matches(of: /"uuid": ?"([^"]+)"/).map { String($0.1) })
    }
    let all = try uuids([])
    #expect(try all.subtracting(uuids(["--uuid", "!2a37,2a05"])) == ["2a37", "2a05"])
    #expect(try uuids(["--uuid", "180d", "--uuid", "!2a37"]).contains("2a38"))
    #expect(try uuids(["--handle", "!0x0010-0xffff"]).isSubset(of: all))
    #expect(try !uuids(["--uuid", "!180d"]).contains("2a37"))
    #expect(try uuids(["--connection", "!1"]).isEmpty)
  }

  @Test("explain and diff leave out the connections that are excluded")
  func connections() throws {
    let sample = Program.sample("write-refused")
    func explained(_ connection: String) throws -> String {
      try Program.run(["explain", "--json", "--connection", connection, sample]).text
    }
    #expect(try explained("!1") == explained("2-"))
    func compared(_ connection: String) throws -> String {
      let options = ["--left-connection", "1", "--right-connection", connection]
      return try Program.run(["diff", "--json"] + options + [sample]).text
    }
    #expect(try compared("!1") == compared("2-"))
  }

  @Test(
    "A wrong value after ! gets the message of the same value without it",
    arguments: [
      ["show", "--layer", "nonsense"], ["show", "--uuid", "1"], ["show", "--handle", "x"],
      ["show", "--opcode", "nonsense"], ["show", "--event", "nonsense"],
      ["show", "--status", "nonsense"], ["show", "--value", "xy"], ["show", "--adapter", "x"],
      ["show", "--direction", "up"], ["show", "--device", "F1:F1:F1"], ["show", "--packets", "x"],
      ["show", "--connection", "0"], ["values", "--operation", "x"],
      ["diff", "--left-connection", "x"],
    ])
  func refused(words: [String]) throws {
    func complaint(_ mark: String) throws -> String {
      let run = try Program.run([words[0], words[1], mark + words[2], Program.sample("monitor")])
      #expect(run.status == 64)
      return String(run.errors.split(separator: "\n").first ?? "").replacing("!", with: "")
    }
    #expect(try complaint("!") == complaint(""))
  }

  @Test("A table of selected values does not claim that nothing else arrived")
  func footer() throws {
    let all = try Program.run(["values", Program.sample("heart-rate")]).text
    #expect(all.contains("values arrived from each"))
    for operation in ["write", "!notification"] {
      let run = try Program.run(["values", "--operation", operation, Program.sample("heart-rate")])
      #expect(run.text.contains("subscribed to") && !run.text.contains("nothing was received"))
    }
  }
}
