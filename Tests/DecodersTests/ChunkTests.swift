import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

@Suite("Messages in several frames")
struct ChunkTests {
  private static let counted = """
    frame:
      start: "b0"
      command: {at: 1, type: u8}
      payload: [4, -1]
      checksum: {at: -1, algorithm: sum8}
      chunk: {index: {at: 2, type: u8}, first: 1, count: {at: 3, type: u8}, timeout_ms: 1000, max: 64}
    messages: [{command: 0x81, name: text, fields: [{name: text, type: utf8}]}]
    """
  private static let marked = """
    frame:
      command: {at: 0, type: u8}
      payload: [2, 0]
      chunk: {index: {at: 1, type: u8}, last: 0xff}
    messages: [{command: 0x81, name: text, fields: [{name: text, type: utf8}]}]
    """

  private var trial: ProtocolTrial

  init() throws { trial = try ProtocolTrial(Self.counted) }

  private func frame(
    _ index: UInt8, of count: UInt8, _ text: String, command: UInt8 = 0x81
  ) -> [UInt8] {
    let frame = [0xb0, command, index, count] + [UInt8](text.utf8)
    return frame + [frame.reduce(0, &+)]
  }

  private func text(_ sighting: VendorSighting?) -> String? {
    ProtocolTrial.payload(sighting).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("The frame that completes a message has the joined payload")
  mutating func joined() {
    let first = trial.accept(frame(1, of: 3, "one "))
    #expect(first?.frame == nil && first?.chunk == ChunkNote(number: 1, count: 3))
    #expect(trial.accept(frame(2, of: 3, "two "))?.chunk?.number == 2)
    let whole = trial.accept(frame(3, of: 3, "three"))
    #expect(text(whole) == "one two three")
    #expect(whole?.packets == [1, 2, 3] && whole?.isJoined == true)
    // A message of a single frame is not joined.
    let alone = trial.accept(frame(1, of: 1, "alone"))
    #expect(text(alone) == "alone" && alone?.isJoined == false)
  }

  @Test("Gaps, repetitions and wrong order are reported, and late frames are used")
  mutating func disorder() {
    _ = trial.accept(frame(1, of: 4, "a"))
    let ahead = trial.accept(frame(4, of: 4, "d"))?.chunk
    #expect(ahead?.firstMissing == 2 && ahead?.missing == 2)
    #expect(trial.accept(frame(4, of: 4, "d"))?.chunk?.isRepeated == true)
    #expect(trial.accept(frame(2, of: 4, "b"))?.chunk?.isLate == true)
    let whole = trial.accept(frame(3, of: 4, "c"))
    #expect(text(whole) == "abcd" && whole?.chunk?.isLate == true)
    #expect(whole?.packets == [1, 2, 4, 5])
    #expect(trial.accept(frame(9, of: 4, "x"))?.chunk?.isBeyond == true)
    #expect(trial.accept(frame(0, of: 4, "x"))?.chunk?.isBeyond == true)
  }

  @Test("A message interrupted by another is reported as incomplete")
  mutating func overtaken() {
    let expected = Unfinished(kind: .parts, packet: 1, count: 3, received: 1, missing: [2, 3])
    _ = trial.accept(frame(1, of: 3, "a"))
    // Different content under the same number, a different count, and a timeout.
    let other = trial.accept(frame(1, of: 3, "b"))
    #expect(other?.unfinished == [expected])
    #expect(trial.accept(frame(2, of: 2, "c"))?.unfinished.first?.packet == 2)
    let late = trial.accept(frame(1, of: 2, "d"), milliseconds: 1001)
    #expect(late?.unfinished.first?.missing == [1])
    trial.messages.finish()
    let tally = trial.messages.tallies.first
    #expect(tally?.incompleteMessages == 4 && tally?.unfinished.last?.missing == [2])
  }

  @Test("The marked frame is the last of the received frames")
  mutating func mark() throws {
    trial = try ProtocolTrial(Self.marked)
    #expect(trial.accept([0x81, 0, 0x61])?.chunk == ChunkNote(number: 1, count: nil))
    #expect(trial.accept([0x81, 1, 0x62])?.chunk?.number == 2)
    #expect(text(trial.accept([0x81, 0xff, 0x63])) == "abc")
    // With a gap, the message stays open until the missing frame arrives.
    _ = trial.accept([0x81, 0, 0x61])
    _ = trial.accept([0x81, 2, 0x63])
    let last = trial.accept([0x81, 0xff, 0x64])
    #expect(last?.frame == nil && last?.chunk?.count == 4)
    #expect(text(trial.accept([0x81, 1, 0x62])) == "abcd")
    #expect(text(trial.accept([0x81, 0xff, 0x65])) == "e")
  }

  @Test("One wrong checksum makes the whole message's checksum wrong")
  mutating func damaged() {
    var wrong = frame(1, of: 2, "a")
    wrong[wrong.count - 1] ^= 1
    #expect(trial.accept(wrong)?.badChecksum?.found == UInt32(wrong[wrong.count - 1]))
    let whole = trial.accept(frame(2, of: 2, "b"))
    #expect(text(whole) == "ab" && whole?.frame?.isSound == false)
    #expect(ProtocolTrial.decode(whole, [])?.problems == ["bad_checksum"])
  }

  @Test("64-bit numbers do not trap")
  mutating func numbers() throws {
    let text = """
      frame:
        command: {at: 0, type: u8}
        payload: [17, 0]
        chunk: {index: {at: 1, type: u64}, count: {at: 9, type: u64}}
      messages: [{command: 0x81, name: text, fields: [{name: text, type: bytes}]}]
      """
    trial = try ProtocolTrial(text)
    let numbers: [UInt64] = [0, 1, 1 << 62, .max >> 1, (.max >> 1) - 1, 1 << 63, .max]
    for index in numbers {
      for count in numbers {
        var bytes: [UInt8] = [0x81]
        for number in [index, count] {
          bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let sighting = trial.accept(bytes + [1])
        #expect(sighting?.chunk?.isBeyond == true || index < 1024, "\(index) of \(count)")
      }
    }
    trial.messages.finish()
  }

  @Test("Endless parts use bounded memory")
  mutating func bounds() throws {
    for round in 0..<2000 {
      _ = trial.accept(frame(UInt8(round % 250 + 1), of: 255, "0123456789"))
    }
    #expect((trial.messages.channels.first?.chunks?.unfinished.received ?? 0) <= 6)
    var wide = try ProtocolTrial(
      Self.marked.replacing("type: u8}, last", with: "type: u32}, last").replacing(
        "[2, 0]", with: "[5, 0]"))
    for index in 0..<5000 {
      let number = UInt32(index)
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      _ = wide.accept([0x81] + bytes)
      _ = wide.accept([0x81] + [0xf0, 0xff, 0xff, UInt8(index & 0xff)])
    }
    #expect((wide.messages.channels.first?.chunks?.unfinished.received ?? 0) <= 1024)
  }
}
