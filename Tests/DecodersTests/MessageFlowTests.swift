import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

@Suite("Several frames in a value, frames without a length, requests and responses")
struct MessageFlowTests {
  private static let sized = """
    frame:
      start: "a6"
      length: {at: 1, type: u8}
      command: {at: 2, type: u8}
      payload: [3, -1]
      checksum: {at: -1, algorithm: xor8}
      reassemble: {timeout_ms: 2000}
    messages: [{command: 0x90, name: event, unsolicited: true, fields: [{name: data, type: bytes}]}]
    """

  private func frame(_ payload: [UInt8]) -> [UInt8] {
    let frame = [0xa6, UInt8(payload.count + 4), 0x90] + payload
    return frame + [frame.reduce(0, ^)]
  }

  private func payloads(_ first: VendorSighting?, _ trial: ProtocolTrial) -> [[UInt8]?] {
    ([first].compactMap { $0 } + trial.messages.following).map { ProtocolTrial.payload($0) }
  }

  @Test("Each frame of a value is a message, and the remaining bytes start the next")
  func several() throws {
    var trial = try ProtocolTrial(Self.sized)
    let first = trial.accept(frame([1]) + frame([2, 3]) + frame([]))
    #expect(payloads(first, trial) == [[1], [2, 3], []])
    let begun = trial.accept(frame([4]) + frame([5, 6])[0..<3])
    #expect(payloads(begun, trial) == [[4], nil])
    #expect(trial.messages.following.last?.total == 6)
    let rest = trial.accept(frame([5, 6])[3...] + frame([7]) + [1, 2])
    #expect(payloads(rest, trial) == [[5, 6], [7]])
    #expect(rest?.packets == [2, 3])
    #expect(trial.messages.following.last?.trailing.count == 2)
    // Nothing is left over.
    _ = trial.accept(frame([8]))
    #expect(trial.messages.following.isEmpty)
  }

  @Test("If only frames identify the protocol, all frames of a value must be valid")
  func evidence() throws {
    var trial = try ProtocolTrial(Self.sized, isByFrame: true)
    #expect(trial.accept(frame([1]) + [0, 0], isByFrame: true) == nil)
    var wrong = frame([2])
    wrong[wrong.count - 1] ^= 1
    #expect(trial.accept(frame([1]) + wrong, isByFrame: true) == nil)
    #expect(trial.accept(frame([1]) + frame([2]), isByFrame: true) != nil)
    #expect(trial.accept(frame([1]) + wrong, isByFrame: true) != nil)
  }

  /// Apple Notification Center Service, Get Notification Attributes: iOS splits the response into
  /// as many notifications as needed, and it has no length field.
  @Test("A response without a length ends with its fields; a request is one write")
  func openEnded() throws {
    var trial = try ProtocolTrial(named: "ancs")
    let request = Decoding.bytes("00 2a 00 00 00 00 01 20 00")
    #expect(trial.accept(request, isWritten: true)?.message != nil)
    let answer = Decoding.bytes(
      "00 2a 00 00 00 00 09 00 63 6f 6d 2e 61 2e 62 2e 63 01 05 00 48 65 6c 6c 6f")
    #expect(trial.accept([UInt8](answer[..<20]))?.message == nil)
    let whole = trial.accept([UInt8](answer[20...]))
    #expect(whole?.bytes == answer && whole?.packets == [2, 3] && whole?.request == 1)
    // A part without a continuation is abandoned after the timeout.
    _ = trial.accept([UInt8](answer[..<20]), milliseconds: 10)
    let next = trial.accept(answer, milliseconds: 2011)
    #expect(next?.isJoined == false && next?.message != nil)
    // Too long for a frame.
    var endless = answer[..<20] + [1, 0xff, 0xff]
    for _ in 0..<300 {
      _ = trial.accept([UInt8](endless), milliseconds: 3000)
      endless = [UInt8](repeating: 0x20, count: 20)[...]
    }
    #expect((trial.messages.channels.map(\.open.count).max() ?? 0) <= 4096)
  }

  /// Cut between two attributes, the first part has all required fields, but not all requested
  /// attributes.
  @Test("A response without a length continues until its list is as long as the request's")
  func asked() throws {
    var trial = try ProtocolTrial(named: "ancs")
    let request = Decoding.bytes("00 2a 00 00 00 00 01 20 00 03 80 00")
    let first = Decoding.bytes("00 2a 00 00 00 00 09 00 63 6f 6d 2e 61 2e 62 2e 63")
    let second = Decoding.bytes("01 05 00 48 65 6c 6c 6f")
    let third = Decoding.bytes("03 02 00 48 69")
    _ = trial.accept(request, isWritten: true)
    #expect(trial.accept(first)?.message == nil)
    #expect(trial.accept(second)?.message == nil)
    let whole = trial.accept(third)
    #expect(whole?.bytes == first + second + third && whole?.packets == [2, 3, 4])
    #expect(whole?.request == 1)
    // Without a request, the response is complete when its fields are.
    #expect(trial.accept(first)?.message != nil)
    // The phone returns fewer attributes than requested; the next request ends the response.
    _ = trial.accept(request, isWritten: true, milliseconds: 100)
    #expect(trial.accept(first, milliseconds: 110)?.message == nil)
    _ = trial.accept(Decoding.bytes("00 2b 00 00 00 00"), isWritten: true, milliseconds: 120)
    var other = first
    other[1] = 0x2b
    let next = trial.accept(other, milliseconds: 130)
    #expect(next?.isJoined == false)
  }

  /// Returns a response with a notification's attributes: the app identifier, and optionally a
  /// title.
  private func answer(_ notification: UInt8, title: Bool = false) -> [UInt8] {
    [0, notification, 0, 0, 0, 0, 5, 0] + Array("com.a".utf8)
      + (title ? [1, 2, 0, 0x48, 0x69] : [])
  }

  private func ask(_ notification: UInt8, title: Bool = false) -> [UInt8] {
    [0, notification, 0, 0, 0, 0] + (title ? [1, 32, 0] : [])
  }

  @Test("A lost or short response does not affect the next ones")
  func lost() throws {
    // Never answered: the request expires.
    var trial = try ProtocolTrial(named: "ancs")
    _ = trial.accept(ask(42, title: true), isWritten: true)
    _ = trial.accept(ask(43), isWritten: true, milliseconds: 8000)
    let late = trial.accept(answer(43), milliseconds: 8010)
    #expect(late?.message != nil && late?.request == 2)
    // Not expired, but the response repeats its own request's number.
    trial = try ProtocolTrial(named: "ancs")
    _ = trial.accept(ask(42, title: true), isWritten: true)
    _ = trial.accept(ask(43), isWritten: true, milliseconds: 1000)
    let other = trial.accept(answer(43), milliseconds: 1010)
    #expect(other?.message != nil && other?.request == 2)
    // Half a response, without its other half.
    trial = try ProtocolTrial(named: "ancs")
    _ = trial.accept(ask(42, title: true), isWritten: true)
    #expect(trial.accept(answer(42))?.message == nil)
    for turn in 1...3 {
      let time = Int64(turn) * 3000
      _ = trial.accept(ask(43, title: true), isWritten: true, milliseconds: time)
      let next = trial.accept(answer(43, title: true), milliseconds: time + 10)
      #expect(next?.isJoined == false && next?.request == 2 * turn + 1, "answer \(turn)")
      #expect(next?.unfinished.map(\.packet) == (turn == 1 ? [2] : []), "answer \(turn)")
    }
    #expect(trial.messages.leftOpen.isEmpty)
  }

  @Test(
    "A response to another request ends an open frame, and its own request determines its length"
  )
  func repeated() throws {
    // Fewer attributes than requested, then the next response, which is complete.
    var trial = try ProtocolTrial(named: "ancs")
    _ = trial.accept(ask(42, title: true), isWritten: true)
    #expect(trial.accept(answer(42))?.message == nil)
    _ = trial.accept(ask(43), isWritten: true, milliseconds: 100)
    let next = trial.accept(answer(43), milliseconds: 110)
    #expect(next?.isJoined == false && next?.request == 3)
    #expect(next?.unfinished.map(\.packet) == [2])
    trial.messages.finish()
    let tally = try #require(trial.messages.tallies.first)
    #expect(tally.requests == 2 && tally.answered == 2 && tally.unanswered == [])
    #expect(tally.incompleteMessages == 1)
    // Cut inside an attribute, after both requests.
    trial = try ProtocolTrial(named: "ancs")
    _ = trial.accept(ask(42), isWritten: true)
    _ = trial.accept(ask(43), isWritten: true)
    #expect(trial.accept(Array(answer(42)[..<10]))?.message == nil)
    let cut = trial.accept(answer(43), milliseconds: 10)
    #expect(cut?.isJoined == false && cut?.request == 2)
    // A continuation of the first response repeats no number, even after the second request.
    trial = try ProtocolTrial(named: "ancs")
    _ = trial.accept(ask(42, title: true), isWritten: true)
    #expect(trial.accept(answer(42))?.message == nil)
    _ = trial.accept(ask(43), isWritten: true)
    let rest = trial.accept([1, 2, 0, 0x48, 0x69])
    #expect(rest?.bytes == answer(42, title: true) && rest?.request == 1)
  }

  @Test("A frame that is still open at the end is reported if the protocol is known")
  func leftOpen() throws {
    var trial = try ProtocolTrial(named: "ancs")
    _ = trial.accept(ask(42), isWritten: true)
    _ = trial.accept(Array(answer(42)[..<10]))
    #expect(trial.messages.leftOpen.map(\.what.packet) == [2])
    trial.messages.finish()
    #expect(trial.messages.tallies.map(\.incompleteMessages) == [1])
    var guess = try ProtocolTrial(Self.sized, isByFrame: true)
    _ = guess.accept(frame([1, 2, 3])[..<4].map { $0 }, isByFrame: true)
    #expect(guess.messages.hasOpenFrames && guess.messages.leftOpen.isEmpty)
  }

  @Test("A header number and its bits identify requests")
  func header() throws {
    var trial = try ProtocolTrial(named: "mcumgr")
    // Operation 2 is a write request, 3 its response; the sequence number is 0x2a.
    let request = Decoding.bytes("02 00 00 01 00 00 2a 00 a0")
    let response = Decoding.bytes("03 00 00 01 00 00 2a 00 a0")
    #expect(trial.accept(request)?.isRequest == true)
    #expect(trial.accept(response, isWritten: true)?.request == 1)
    let wrong = Decoding.read(
      """
      profile: wrong
      applies_to: [{characteristic: "fff7"}]
      frame: {header: [{name: kind, type: u8}], command: {at: 1, type: u8}}
      exchange: {request: knd == 1}
      messages: [{command: 1, name: one, fields: []}]
      """)
    #expect(
      wrong.errors.map(\.description) == [
        "test.yaml:4: exchange.request: in the expression, only `command` and the header's numbers can be used, found `knd`"
      ])
  }

  @Test("Padding is not a field, and only valid padding is ignored")
  func padding() throws {
    var trial = try ProtocolTrial(named: "govee")
    var bytes = Decoding.bytes("33 01 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 33")
    let plain = ProtocolTrial.decode(trial.accept(bytes, isWritten: true), bytes)
    #expect(plain?.problems == [])
    #expect(plain?.fields == #"{"command":"0x3301","power":"on","checksum":"ok"}"#)
    bytes[10] = 7
    bytes[19] ^= 7
    let filled = ProtocolTrial.decode(trial.accept(bytes, isWritten: true), bytes)
    #expect(filled?.problems == ["trailing_bytes"])
  }
}

@Suite("Examples of messages that take several values")
struct JoinedExampleTests {
  private func errors(_ hex: String, _ text: String) -> [String] {
    let file = Decoding.read(
      """
      profile: trial
      applies_to: [{characteristic: fff7}]
      frame:
        command: {at: 0, type: u8}
        payload: [2, 0]
        chunk: {index: {at: 1, type: u8}, last: 0xff}
      messages:
        - command: 0x81
          name: text
          fields: [{name: text, type: utf8}]
          examples: [{hex: \(hex), fields: {text: \(text)}}]

      """)
    guard let profile = file.profile else { return ["no profile"] }
    return file.errors.map(\.description)
      + profile.examples.flatMap { $0.check(profile) }.map(\.description)
  }

  @Test("They are joined, and the last must complete them")
  func check() {
    #expect(errors("[\"81 00 61\", \"81 01 62\", \"81 ff 63\"]", "abc") == [])
    #expect(
      errors("[\"81 00 61\", \"81 01 62\"]", "ab") == [
        "test.yaml:11: messages.examples: the last of the values does not complete a message"
      ])
    #expect(errors("[\"81 00 61\", \"81 ff 62\"]", "xy").count == 1)
  }
}

@Suite("Control points")
struct ControlPointTests {
  private var messages = VendorMessages()
  private let definition: Definition

  init() throws {
    definition = try #require(
      BuiltInProfiles.definitions(.characteristic, BluetoothUUID(0x2a52)).first {
        $0.subject.service == BluetoothUUID(0x1808)
      })
  }

  private mutating func accept(
    _ bytes: [UInt8], isWritten: Bool = false, packet: Int, milliseconds: Int64 = 0
  ) -> ExchangeNote? {
    guard let exchange = definition.exchange else { return nil }
    let channel = VendorChannel(control: 0x22, conversation: 2, isWritten: isWritten)
    return messages.acceptControl(
      definition, exchange, on: channel, bytes.bytes, packet: packet,
      time: Timestamp(microseconds: milliseconds * 1000))
  }

  /// Record Access Control Point: 1 requests records, 3 aborts, 4 requests their number; 5 is the
  /// number, 6 the response to the operation in its third byte.
  @Test("A response answers the request that it names, or the oldest")
  mutating func pairs() {
    #expect(accept([4, 1], isWritten: true, packet: 1) == nil)
    let number = accept([5, 0, 12, 0], packet: 2, milliseconds: 7)
    #expect(number?.request == 1 && number?.latency == 7_000_000)
    _ = accept([1, 1], isWritten: true, packet: 3)
    _ = accept([3, 0], isWritten: true, packet: 4)
    #expect(accept([6, 0, 3, 1], packet: 5)?.request == 4)
    #expect(accept([6, 0, 1, 1], packet: 6)?.request == 3)
    #expect(accept([6, 0, 1, 1], packet: 7)?.isOrphan == true)
  }

  @Test("A request that was overtaken is answered only if no other one fits")
  mutating func overtaken() {
    _ = accept([1, 1], isWritten: true, packet: 1)
    _ = accept([3, 0], isWritten: true, packet: 2)
    #expect(accept([6, 0, 3, 1], packet: 3)?.request == 2)
    // Sent again, since #1 was lost.
    _ = accept([1, 1], isWritten: true, packet: 4)
    #expect(accept([6, 0, 1, 1], packet: 5)?.request == 4)
    #expect(accept([6, 0, 1, 1], packet: 6)?.request == 1)
  }

  @Test("A refused request awaits no response; other requests may remain unanswered")
  mutating func unanswered() {
    _ = accept([1, 1], isWritten: true, packet: 1)
    messages.refuse(1)
    _ = accept([1, 1], isWritten: true, packet: 3)
    // The profile's timeout is 30 s.
    #expect(accept([6, 0, 1, 1], packet: 4, milliseconds: 30_001)?.isOrphan == true)
    messages.finish()
    let tally = messages.tallies.first
    #expect(tally?.requests == 2 && tally?.refused == 1 && tally?.unanswered == [3])
    #expect(tally?.title == "Record Access Control Point")
  }

  @Test("Every built-in control point with responses defines how they match requests")
  func builtIn() {
    // Control points with responses defined by a specification; the others are only written to.
    let answering: [UInt16] = [
      0x2a52, 0x2a55, 0x2a66, 0x2a6b, 0x2a9f, 0x2aac, 0x2ac5, 0x2ac6, 0x2ad9, 0x2ba4, 0x2bbe,
      0x2bc6,
    ]
    for uuid in answering {
      let found = BuiltInProfiles.definitions(.characteristic, BluetoothUUID(uuid))
      #expect(!found.isEmpty && found.allSatisfy { $0.exchange != nil }, "\(uuid)")
    }
  }
}
