import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

@Suite("Series of messages that another message announces")
struct SeriesTests {
  private var trial: ProtocolTrial

  /// Start, command and payload, then the sum of them all.
  private static let text = """
    frame:
      start: "a6"
      command: {at: 1, type: u8}
      payload: [2, -1]
      checksum: {at: -1, algorithm: sum8}
    exchange: {response: command | 0x80}
    messages:
      - command: 0x83
        name: count
        fields: [{name: total, type: u16}]
        series: {count: total * 2, command: 0x84, index: number, first: 1, timeout_ms: 1000}
      - {command: 0x84, name: data, unsolicited: true, fields: [{name: number, type: u16}]}
      - command: 0x93
        name: plain_count
        fields: [{name: total, type: i64}]
        series: {count: total, command: 0x94}
      - {command: 0x94, name: plain_data, unsolicited: true, fields: []}
      - {command: 0x90, name: event, unsolicited: true, fields: []}
    """

  init() throws { trial = try ProtocolTrial(Self.text) }

  private func frame(_ command: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
    let frame = [0xa6, command] + payload
    return frame + [frame.reduce(0, &+)]
  }

  private mutating func count(_ number: UInt8, at milliseconds: Int64 = 0) -> VendorSighting? {
    trial.accept(frame(0x83, [number, 0]), milliseconds: milliseconds)
  }

  private mutating func data(_ number: UInt8, at milliseconds: Int64 = 0) -> SeriesNote? {
    trial.accept(frame(0x84, [number, 0]), milliseconds: milliseconds)?.series
  }

  @Test("The last message completes a series, in any order")
  mutating func complete() {
    let announcement = count(2)?.series
    #expect(announcement?.count == 4 && announcement?.isAnnouncement == true)
    for (place, number) in [1, 4, 3].enumerated() {
      let note = data(UInt8(number))
      #expect(note?.received == place + 1 && note?.isComplete == false)
    }
    let last = data(2)
    #expect(last?.isComplete == true && last?.announcement == 1)
    // Later messages do not belong to it.
    #expect(data(5) == nil)
    trial.messages.finish()
    #expect(trial.messages.tallies.first?.series == 1)
    #expect(trial.messages.tallies.first?.completed == 1)
    #expect(trial.messages.tallies.first?.unfinished == [])
  }

  @Test("Repeated, misplaced and damaged messages do not count")
  mutating func wrong() {
    _ = count(1)
    #expect(data(1)?.received == 1)
    #expect(data(1)?.isRepeated == true)
    #expect(data(3)?.isBeyond == true)
    #expect(data(0)?.isBeyond == true)
    var damaged = frame(0x84, [2, 0])
    damaged[damaged.count - 1] ^= 0xff
    #expect(trial.accept(damaged)?.series == nil)
    #expect(data(2)?.isComplete == true)
  }

  @Test("Missing messages are reported by the message that reveals them")
  mutating func incomplete() {
    _ = count(2)
    _ = data(2)
    _ = data(4)
    // Within the timeout an event proves nothing.
    #expect(trial.accept(frame(0x90), milliseconds: 900)?.unfinished == [])
    let expected = Unfinished(
      kind: .series, packet: 1, count: 4, received: 2, missing: [1, 3])
    #expect(trial.accept(frame(0x90), milliseconds: 1001)?.unfinished == [expected])
    // A repeated announcement reveals them too.
    _ = count(1, at: 2000)
    let again = count(1, at: 2001)
    #expect(again?.unfinished.first?.missing == [1, 2])
    // Late messages are accepted.
    _ = data(1, at: 2002)
    let late = data(2, at: 9000)
    #expect(late?.isLate == true && late?.isComplete == true)
    _ = count(3, at: 9001)
    trial.messages.finish()
    let tally = trial.messages.tallies.first
    #expect(tally?.series == 4 && tally?.completed == 1 && tally?.unfinishedCount == 3)
    #expect(tally?.unfinished.last?.missing == [1, 2, 3, 4, 5, 6])
  }

  @Test("Messages without numbers are counted per conversation")
  mutating func unnumbered() {
    let three: [UInt8] = [3, 0, 0, 0, 0, 0, 0, 0]
    #expect(trial.accept(frame(0x93, three))?.series?.count == 3)
    #expect(trial.accept(frame(0x94), conversation: 4)?.series == nil)
    #expect(trial.accept(frame(0x94))?.series?.received == 1)
    #expect(trial.accept(frame(0x94))?.series?.received == 2)
    #expect(trial.accept(frame(0x94))?.series?.isComplete == true)
    // An announcement of no messages opens nothing.
    #expect(trial.accept(frame(0x93, [UInt8](repeating: 0, count: 8)))?.series?.isComplete == true)
    #expect(trial.accept(frame(0x94))?.series == nil)
  }

  @Test("Hostile counts and numbers neither trap nor use much memory")
  mutating func hostile() {
    let counts: [[UInt8]] = [
      [UInt8](repeating: 0xff, count: 8), [0, 0, 0, 0, 0, 0, 0, 0x80],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
    ]
    for count in counts {
      let note = trial.accept(frame(0x93, count))?.series
      #expect(note == nil || (note?.count ?? 0) > 0)
      #expect(trial.accept(frame(0x94))?.series?.isComplete != true)
    }
    for packet in 0..<20_000 {
      _ = trial.accept(
        frame(0x83, [0xff, 0x7f]), conversation: UInt64(packet), handle: 0x12)
      _ = trial.accept(frame(0x84, [0xfe, 0xff]), conversation: UInt64(packet))
    }
    #expect(trial.messages.series.count <= 64)
    #expect(trial.messages.tallies.count <= 256)
    trial.messages.finish()
    #expect(trial.messages.tallies.allSatisfy { $0.unfinished.count <= 16 })
  }
}
