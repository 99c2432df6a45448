import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

@Suite("The state of protocols stays bounded for any input")
struct HostileMessagesTests {
  private static let delimited = """
    frame:
      start: "7e"
      end: "7f 7f"
      command: {at: 1, type: u8}
      reassemble: {timeout_ms: 600000, max: 65535}
    messages: [{command: 1, name: one, fields: [{name: data, type: bytes}]}]
    """

  /// Searching for the end from the start each time would take minutes here.
  @Test("An endless frame is abandoned at the limit", .timeLimit(.minutes(1)))
  func endless() throws {
    var trial = try ProtocolTrial(Self.delimited)
    _ = trial.accept([0x7e, 1])
    let piece = [UInt8](repeating: 0x7e, count: 20)
    for _ in 0..<20_000 {
      _ = trial.accept(piece)
      guard (trial.messages.channels.first?.open.count ?? 0) <= 65_535 else {
        Issue.record("the frame is longer than its protocol allows")
        return
      }
    }
    // The end marker is found if it is split across two pieces.
    trial = try ProtocolTrial(Self.delimited)
    _ = trial.accept([0x7e, 1, 0x41, 0x7f])
    #expect(trial.accept([0x7f])?.isJoined == true)
  }

  @Test("Endless starts open a bounded number of channels")
  func starts() throws {
    var trial = try ProtocolTrial(named: "wristband")
    let start: [UInt8] = [0xa5, 200, 1, 2]
    for index in 0..<50_000 {
      let sighting = trial.accept(
        start, isByFrame: true, milliseconds: Int64(index),
        handle: UInt16(truncatingIfNeeded: index & 0x3ff))
      guard sighting == nil else {
        Issue.record("\(index) was matched to an unrecognised protocol")
        return
      }
    }
    #expect(trial.messages.channels.count <= 256)
    #expect(trial.messages.channels.allSatisfy { $0.open.count <= 512 && $0.packets.count <= 64 })
  }

  @Test("The frames of a value are separated up to a limit")
  func many() throws {
    var trial = try ProtocolTrial(named: "wristband")
    let frame: [UInt8] = [0xa5, 4, 0x81, 0xa5 ^ 4 ^ 0x81]
    let value = [[UInt8]](repeating: frame, count: 5000).flatMap { $0 }
    let first = trial.accept(value)
    #expect(first != nil && trial.messages.following.count == 63)
    #expect(trial.messages.following.last?.trailing.count == Int32(value.count - 64 * 4))
  }

  @Test("Random bytes on all protocols do not trap")
  func random() throws {
    var generator = Seeded(20_261_122)
    for vendor in BuiltInProfiles.vendors {
      var trial = try ProtocolTrial(named: vendor.profile)
      for round in 0..<20_000 {
        var value = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        // Most begin like a frame.
        for (offset, byte) in vendor.frames[0].start.enumerated() where offset < value.count {
          if round % 4 > 0, let byte { value[offset] = byte }
        }
        let sighting = trial.accept(
          value, isWritten: round % 3 == 0, milliseconds: Int64(round),
          handle: UInt16(round % 5))
        _ = ProtocolTrial.decode(sighting, value)
      }
      trial.messages.finish()
      #expect(!trial.messages.hasRequests)
    }
  }
}
