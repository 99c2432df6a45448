import Foundation
import ProgramRunner
import Testing

@Suite("map: the direction of the last value, and its message")
struct MapMessagesTests {
  private static let profile = """
    profile: band
    applies_to: [{characteristic: fff6}, {characteristic: fff7}]
    frame:
      start: "a6"
      length: {at: 1, type: u8}
      command: {at: 2, type: u8}
      payload: [3, 0]
      reassemble: {timeout_ms: 2000}
    messages: [{command: 1, name: text, fields: [{name: said, type: utf8}]}]
    characteristics:
      - uuid: fff5
        name: Lock
        fields:
          - {name: asked, type: u8, when: written}
          - {name: told, type: u8, when: "!written"}

    """

  /// Returns the characteristics that `map` lists, by UUID, as text and as JSON.
  private static func map(_ talk: Talk) throws -> (text: String, json: [String: [String: Any]]) {
    let folder = try Folder()
    let capture = try folder.write("talk.btsnoop", talk.file.bytes)
    let file = try folder.write("band.yaml", [UInt8](profile.utf8))
    let text = try Program.run(["map", "--profile", file, capture])
    #expect(text.status == 0 && text.errors.isEmpty, "\(text.errors)")
    let document = try #require(
      try Program.run(["map", "--json", "--profile", file, capture]).objects.first ?? nil)
    let devices = try #require(document["devices"] as? [[String: Any]])
    var found: [String: [String: Any]] = [:]
    for service in devices[0]["services"] as? [[String: Any]] ?? [] {
      for one in service["characteristics"] as? [[String: Any]] ?? [] {
        found[one["uuid"] as? String ?? ""] = one
      }
    }
    return (text.text, found)
  }

  @Test("A value that a client wrote is decoded as a written one", arguments: [true, false])
  func written(_ isLast: Bool) throws {
    var talk = Talk()
    talk.discover(0xfff0, 1...9, [(3, 0xfff5)])
    if isLast { talk.read(3, [2]) }
    talk.request(3, [1])
    if !isLast { talk.read(3, [2]) }
    let (text, json) = try Self.map(talk)
    #expect(text.contains(isLast ? "asked 1, written\n" : "told 2\n"), "\(text)")
    #expect(json["fff5"]?["value_operation"] as? String == (isLast ? "write" : "read"))
    let decoded = json["fff5"]?["decoded"] as? [String: Any]
    #expect(decoded?["text"] as? String == (isLast ? "asked 1" : "told 2"))
  }

  @Test("The last part of a message is shown as the message, an earlier one as a part")
  func parts() throws {
    var talk = Talk()
    talk.discover(0xfff0, 1...9, [(3, 0xfff6), (5, 0xfff7)])
    talk.notify(3, [0xa6, 7, 1, 0x61])
    talk.notify(3, [0x62, 0x63, 0x64])
    talk.notify(5, [0xa6, 7, 1, 0x61])
    let (text, json) = try Self.map(talk)
    #expect(text.contains("indicate  text: \"abcd\"\n"), "\(text)")
    #expect(text.contains("0x0005       fff7 band "), "\(text)")
    #expect(text.contains("command 01, bytes 1–4 of 7\n"), "\(text)")
    let whole = json["fff6"]?["decoded"] as? [String: Any]
    #expect((whole?["fields"] as? [String: [String: String]])?["said"] == ["text": "abcd"])
    #expect(whole?["reassembled_from"] as? [Int] == [5, 6])
    #expect((json["fff7"]?["decoded"] as? [String: Any])?["name"] as? String == "part")
  }
}
