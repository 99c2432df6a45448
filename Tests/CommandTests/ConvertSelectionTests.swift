import Foundation
import ProgramRunner
import Testing

@Suite("A part of a capture that is complete on its own")
struct ConvertSelectionTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// A packet in the output of show, without anything that depends on the other packets.
  private struct Told: Equatable {
    var raw: String
    var summary: String
    var connection: String
    var attribute: String

    init(_ object: [String: Any]?) {
      raw = "\(object?["direction"] ?? "") \(object?["raw"] ?? "")"
      // Without packet numbers, and without the time since a request that another packet made.
      summary = "\(object?["summary"] ?? "")".replacing(#/#\d+/#, with: "#")
      func part(_ key: String, _ names: [String]) -> String {
        let values = object?[key] as? [String: Any]
        return names.map { "\($0) \(values?[$0] ?? "")" }.joined(separator: ", ")
      }
      connection = part(
        "connection", ["id", "handle", "peer", "peer_type", "identity", "name", "local_role"])
      attribute = part("att", ["uuid", "service", "name", "kind", "handle"])
    }
  }

  private func reported(_ arguments: String...) throws -> [Told] {
    try Program.run(["show", "--json", "--raw", "--show-keys"] + arguments, in: folder).objects
      .map(Told.init)
  }

  /// Captures with some of everything: reconnections, chains of reports, channels, fragments,
  /// BR/EDR.
  private static let captures = [
    "heart-rate", "heart-rate.peripheral", "wristband", "enhanced-connection", "enhanced-bearers",
    "channels", "pairing-all-keys", "android-phone", "periodic", "classic", "monitor",
  ].map { URL(filePath: Program.sample($0)) }

  @Test(
    "Connections, peers, roles, UUIDs and values are those of the whole capture",
    arguments: [
      ["--layer", "att"], ["--uuid", "2a37,fff7"], ["--errors"], ["--layer", "smp,l2cap"],
      ["--direction", "sent"], ["--connection", "2"], ["--limit", "40"],
    ])
  func sameWords(_ selection: [String]) throws {
    var compared = 0
    for capture in Self.captures {
      let name = capture.lastPathComponent
      let ending = try Program.run(
        ["convert", "--force"] + selection + [capture.path, "out.btsnoop"], in: folder)
      let whole = try reported(capture.path)
      let chosen = try Program.run(["show", "--json"] + selection + [capture.path]).packets
      if chosen.isEmpty {
        #expect(ending.status == 64 || ending.status == 65, "\(name): \(ending.errors)")
        continue
      }
      #expect(ending.status == 0 || ending.status == 65, "\(name): \(ending.errors)")
      let part = try reported("out.btsnoop")
      // The part has its packets in the order of the whole.
      var places: [Int: Told] = [:]
      var next = 0
      for packet in part {
        guard let place = whole[next...].firstIndex(where: { $0.raw == packet.raw }) else {
          Issue.record("\(name): \(packet.summary) is not in the whole")
          break
        }
        places[place + 1] = packet
        next = place + 1
      }
      for number in chosen {
        guard let found = places[number] else {
          Issue.record("\(name) \(selection): #\(number) is missing")
          break
        }
        compared += 1
        if found != whole[number - 1] {
          Issue.record("\(name) \(selection) #\(number): \(found), not \(whole[number - 1])")
          break
        }
      }
    }
    #expect(compared > 0)
  }

  @Test("The part has the selected packets, complete and with their responses")
  func wholeness() throws {
    for capture in Self.captures {
      let chosen = try Program.run(["show", "--json", "--layer", "att", capture.path]).packets
      let ending = try Program.run(
        ["convert", "--force", "--layer", "att", capture.path, "out.btsnoop"], in: folder)
      guard !chosen.isEmpty else { continue }
      let packets = chosen.count == 1 ? "1 packet" : "\(chosen.count) packets"
      #expect(
        ending.errors.contains(": \(packets) selected; "),
        "\(capture.lastPathComponent): \(ending.errors)")
      let again = try Program.run(["show", "--json", "--layer", "att", "out.btsnoop"], in: folder)
      #expect(again.packets.count == chosen.count, "\(capture.lastPathComponent)")
    }
  }

  @Test("A part of a PDU selects the others, a request its response, a connection its beginning")
  func companions() throws {
    let capture = Program.sample("heart-rate")
    let ending = try Program.run(
      ["convert", "--packets", "104", capture, "out.btsnoop"], in: folder)
    #expect(ending.status == 0)
    let lines = try Program.run(["show", "out.btsnoop"], in: folder).text
    for words in [
      "LE Create Connection", "LE Enhanced Connection Complete", "Disconnection Complete",
    ]
    where try Program.run(["show", capture]).text.contains(words) {
      #expect(lines.contains(words), "\(words): \(lines)")
    }
  }

  @Test("If nothing is selected, nothing is written, and an existing file stays")
  func nothingChosen() throws {
    let capture = Program.sample("heart-rate")
    try folder.write("old.btsnoop", [1, 2, 3])
    for out in ["old.btsnoop", "new.btsnoop"] {
      let ending = try Program.run(
        ["convert", "--force", "--uuid", "ffff", capture, out], in: folder)
      #expect(ending.status == 64)
      #expect(
        ending.errors
          == "gattscope: \(capture): no packet matches the selection; \(out) was not written\n"
      )
    }
    #expect(folder.bytes("old.btsnoop") == [1, 2, 3])
    #expect(!FileManager.default.fileExists(atPath: folder.path("new.btsnoop")))
  }

  @Test(
    "A vendor's request selects its complete response, with every selecting option",
    arguments: [
      ["--packets"], ["--text", "command 04, payload 01 00"],
      ["--value", "a5 06 04 01 00 *", "--direction", "sent"],
    ])
  func vendorAnswer(_ selection: [String]) throws {
    let capture = Program.sample("wristband")
    let packets = try Program.run(["show", "--json", capture]).objects
    let request = try #require(
      packets.firstIndex { "\($0?["summary"] ?? "")".contains("command 04, payload 01 00") })
    let number = selection.count == 1 ? ["\(request + 1)"] : []
    let ending = try Program.run(
      ["convert"] + selection + number + [capture, "part.btsnoop"], in: folder)
    #expect(ending.status == 0 && ending.errors.contains("1 packet selected"), "\(ending.errors)")
    let lines = try Program.run(["show", "part.btsnoop"], in: folder).lines
    let answers = lines.filter { $0.contains(/answers #\d+/) }
    #expect(answers.count == 1 && answers.allSatisfy { $0.contains("command 84") }, "\(lines)")
  }

  @Test("A damaged vendor message selects the frame that identifies its protocol")
  func vendorRecognition() throws {
    let capture = Program.sample("wristband")
    let packets = try Program.run(["show", "--json", capture]).objects
    let damaged = try #require(
      packets.firstIndex { "\($0?["summary"] ?? "")".contains("checksum 00, not bf") })
    let ending = try Program.run(
      ["convert", "--packets", "\(damaged + 1)", capture, "part.btsnoop"], in: folder)
    #expect(ending.status == 0, "\(ending.errors)")
    let lines = try Program.run(["show", "part.btsnoop"], in: folder).lines
    #expect(lines.contains { $0.contains("checksum 00, not bf") }, "\(lines)")
  }
}
