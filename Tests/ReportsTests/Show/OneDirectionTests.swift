import Bluetooth
import MadeTraffic
import Platforms
import Testing

@Suite("Captures of one direction: nothing is invented") struct OneDirectionTests {
  private static func writes(_ traffic: inout Traffic) {
    traffic.sent("12 17 00 01")
    traffic.sent("12 17 00 02")
    traffic.sent("12 17 00 03")
  }

  @Test("a trace has no callback for a write whose response the capture cannot contain")
  func callbacks() throws {
    for platform in [Platform.corebluetooth, .android] {
      let lines = try trace(platform, { _ in }, Self.writes)
      #expect(
        !lines.contains { $0.contains("didWriteValueFor") || $0.contains("onCharacteristicWrite") },
        "\(lines)")
      #expect(lines.contains { $0.contains("no answer to any request") }, "\(lines)")
    }
    // The other direction is there, so the response counts.
    let answered = try events(.corebluetooth) { traffic in
      traffic.ask("12 17 00 01", "13")
    }
    #expect(answered.contains { $0.contains("didWriteValueFor") }, "\(answered)")
  }
}
