// Vendors' frames: their problems, and an application's own pairing.

import Bluetooth
import Bytes
import Captures
import Decoders
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import ProfileFiles
import Sessions
import Testing

/// A vendor's protocol that is not built in.
enum Trial {
  /// Start, command, payload, and the sum of all bytes; 83 announces a number of 84s; 81 answers
  /// 01.
  static let profile = """
    profile: trial
    applies_to: [{characteristic: "fff6"}, {characteristic: "fff7"}]
    channels: {requests: write, responses: notify}
    frame:
      start: "a6"
      length: {at: 1, type: u8, counts: frame}
      command: {at: 2, type: u8}
      payload: [3, -1]
      checksum: {at: -1, algorithm: sum8}
      reassemble: {timeout_ms: 2000}
    exchange: {request: "command & 0x80 == 0", response: "command | 0x80"}
    messages:
      - {command: 0x01, name: login.request, direction: request, fields: [{name: token, type: u8}]}
      - {command: 0x81, name: login.response, direction: response, fields: [{name: result, type: u8}]}
      - {command: 0x03, name: count.request, direction: request, fields: []}
      - command: 0x83
        name: count.response
        direction: response
        fields: [{name: total, type: u8}]
        series: {count: total, command: 0x84, index: number, first: 1, timeout_ms: 5000}
      - {command: 0x84, name: data, unsolicited: true, fields: [{name: number, type: u8}]}
    """

  /// Returns knowledge with the trial's profile.
  static func knowledge() throws -> ProfileKnowledge {
    let file = ProfileReader().read([UInt8](profile.utf8), name: "trial.yaml")
    #expect(file.errors.map(\.description) == [])
    var profiles = SuppliedProfiles()
    profiles.vendors = [try #require(file.profile?.vendor)]
    return ProfileKnowledge(profiles)
  }
}

@Suite("Vendors' frames") struct VendorRuleTests {
  private func frame(_ command: UInt8, _ payload: [UInt8] = [], isBad: Bool = false) -> [UInt8] {
    let frame = [0xa6, UInt8(payload.count + 4), command] + payload
    return frame + [frame.reduce(0, &+) &+ (isBad ? 1 : 0)]
  }

  /// Returns the findings about frames that this host writes to fff6 (0x0010) and the peer sends
  /// from fff7 (0x0012), with the trial's profile unless `knows` is false.
  private func found(
    knows: Bool = true, connects: Bool = true, isEncrypted: Bool = false, completes: Int = 0,
    _ frames: [(isWritten: Bool, bytes: [UInt8])]
  ) throws -> [Finding] {
    var traffic = Traffic()
    if connects { traffic.connect() }
    traffic.ask("10 01 00 ff ff 00 28", "11 06 0e 00 13 00 f0 ff")
    traffic.ask("08 0e 00 13 00 03 28", "09 07 0f 00 0c 10 00 f6 ff 11 00 10 12 00 f7 ff")
    if isEncrypted { traffic.encrypted() }
    for frame in frames {
      let handle: UInt8 = frame.isWritten ? 0x10 : 0x12
      traffic.acl(
        l2cap([frame.isWritten ? 0x52 : 0x1b, handle, 0] + frame.bytes),
        frame.isWritten ? .sent : .received)
    }
    if completes > 0 { traffic.completed(completes) }
    traffic.wait(10_000)
    traffic.disconnect()
    var source = MemorySource(traffic)
    let evidence = evidence(of: &source, knowledge: knows ? try Trial.knowledge() : .builtIn)
    if knows { Triggers.record(traffic.records, isTrial: true, evidence) }
    return attributeFindings(in: evidence)
  }

  private func names(_ findings: [Finding]) -> [String] { findings.map(\.rule.description) }

  @Test("a wrong checksum and its consequence; a correct one, and an unknown protocol")
  func checksum() throws {
    let bad = try found([(true, frame(0x03, isBad: true)), (false, frame(0xff, [1]))])
    #expect(names(bad) == ["frame_checksum"])
    #expect(bad.first?.evidence == [6, 7])
    #expect(
      bad.first.whyText.hasSuffix(
        " Command 0x03 had no answer; 1 ms later the peer sent \"command ff, payload 01\" (#7)."))
    #expect(names(try found([(true, frame(0x03)), (false, frame(0x83, [0]))])) == [])
    #expect(
      names(
        try found(knows: false, [(true, frame(0x03, isBad: true)), (false, frame(0xff, [1]))]))
        == [])
  }

  @Test("a transfer of three frames of which two arrive; all three are nothing") func incomplete()
    throws
  {
    let some = [(true, frame(0x03)), (false, frame(0x83, [3]))]
    let two = try found(some + [(false, frame(0x84, [1])), (false, frame(0x84, [3]))])
    #expect(names(two) == ["frame_transfer_incomplete"])
    #expect(
      two.first?.why.text == "Of the transfer that #7 started, 2 of 3 arrived. Missing: 2.",
      "\(two.first?.why.text ?? "nothing")")
    let three = try found(
      some + [(false, frame(0x84, [1])), (false, frame(0x84, [2])), (false, frame(0x84, [3]))])
    #expect(names(three) == [])
  }

  @Test("one request of two is answered: a note; both are nothing") func unanswered() throws {
    let pair = [(true, frame(0x03)), (false, frame(0x83, [0]))]
    let one = try found(pair + [(true, frame(0x03))])
    #expect(names(one) == ["frame_unanswered"])
    #expect(one.first?.evidence == [8])
    #expect(names(try found(pair + pair)) == [])
  }

  @Test("a login is the first frame without pairing; nothing on an encrypted link or later")
  func login() throws {
    let login = [(true, frame(0x01, [7])), (false, frame(0x81, [0]))]
    let reported = try found(login)
    #expect(names(reported) == ["app_level_pairing"])
    #expect(reported.first.whyText.contains("the profile trial calls the first message"))
    #expect(reported.first?.certainty == .certain)
    // Records or the beginning are missing, so there may have been a pairing.
    #expect(try found(completes: 60, login).last?.certainty == .likely)
    #expect(names(try found(connects: false, login)) == [])
    #expect(names(try found(isEncrypted: true, login)) == [])
    #expect(names(try found([(true, frame(0x03)), (false, frame(0x83, [0]))] + login)) == [])
  }

  @Test("a frame in three notifications: the MTU is 23") func joined() throws {
    let long = frame(0xf0, [UInt8](repeating: 5, count: 40))
    let parts = [long[..<20], long[20..<40], long[40...]].map { (false, Array($0)) }
    let findings = try found([(true, frame(0x70))] + parts)
    #expect(names(findings) == ["att_mtu_default"])
    #expect(
      findings.first?.what.text
        == "Messages of 44 bytes took 3 notifications each: the MTU is 23")
  }
}
