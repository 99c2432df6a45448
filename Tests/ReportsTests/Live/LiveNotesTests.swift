import Bluetooth
import Captures
import Testing

@testable import Reports

@Suite("Records that only live sources have") struct LiveNotesTests {
  /// New Index of hci0: primary, virtual, 00:AA:01:01:00:01, "hci0" (like the kernel's emulated
  /// controllers).
  private static let newIndex = TestRecord(
    bytes: [0, 1, 1, 0, 1, 1, 0xaa, 0] + Array("hci0\0\0\0\0".utf8),
    framing: .monitor(opcode: 0))

  @Test("The replay after a bind is told apart, as text and as JSON") func replayed() {
    var before = Self.newIndex
    before.isReplayed = true
    let text = Rendering.text([before, Self.newIndex]).split(separator: "\n").map(String.init)
    #expect(text.count == 3 && text[1].hasSuffix(" (from before)"), "got \(text)")
    #expect(!text[2].contains("from before"), "got \(text)")
    let json = Rendering.json([before, Self.newIndex]).split(separator: "\n").map(String.init)
    #expect(json.map { $0.contains(#""replayed":true"#) } == [true, false], "got \(json)")
  }

  @Test("A marker is shown as such; other loggers are named") func markers() {
    func log(_ speaker: String, _ text: String) -> TestRecord {
      TestRecord(
        bytes: [6, UInt8(speaker.utf8.count + 1)] + Array(speaker.utf8) + [0] + Array(text.utf8)
          + [0], framing: .monitor(opcode: 13), adapter: .unknown)
    }
    let records = [
      log("gattscope", "pressed connect"), log("gattscoped", "x"), log("bluetoothd", "y"),
    ]
    let json = Rendering.json(records).split(separator: "\n").map(String.init)
    let summaries = [
      "Marker: pressed connect", "User Log: gattscoped: x", "User Log: bluetoothd: y",
    ]
    for (line, summary) in zip(json, summaries) {
      #expect(line.contains("\"summary\":\"\(summary)\""), "expected \(summary), got \(line)")
    }
  }

  @Test("A passkey in a log is hidden, and shown if keys are requested") func passkeyInLog() {
    let text = "passkey 562297 entered 0"
    let record = TestRecord(
      bytes: [6, 2, 0x62, 0] + Array(text.utf8) + [0], framing: .monitor(opcode: 13),
      adapter: .unknown)
    for hidden in [Rendering.text([record]), Rendering.json([record])] {
      #expect(
        hidden.contains("passkey <hidden> entered 0") && !hidden.contains("562297"), "got \(hidden)"
      )
    }
    var options = ShowOptions()
    options.showsKeys = true
    let shown = Rendering.text([record], options)
    #expect(shown.contains(text), "expected \(text), got \(shown)")
  }
}
