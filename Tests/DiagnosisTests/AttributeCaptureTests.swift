// Findings of the attribute rules in captures: the same from both sides' files, with reversed
// wording.

import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("Attributes in captures") struct AttributeCaptureTests {
  /// Returns the findings of the attribute rules, with their packets.
  private func found(_ name: String, beside: Bool = true) throws -> [String]? {
    try evidence(ofCapture: name, beside: beside)?.findings().filter {
      ["att", "gatt", "frame", "app"].contains(
        $0.rule.description.split(separator: "_").first.map(String.init) ?? "")
    }.map { finding in
      let packets = finding.line.split(separator: " ").filter {
        // The evidence; packets within a sentence are followed by punctuation.
        $0.hasPrefix("#") && $0.last?.isNumber == true
      }
      return ([finding.rule.description] + packets.map(String.init)).joined(separator: " ")
    }
  }

  @Test(
    "generated captures",
    arguments: [
      ("hrm.btsnoop", ["att_application_error #159 #161", "att_not_in_properties #118 #120"]),
      (
        "hrm.peripheral.btsnoop",
        ["att_application_error #172 #173", "att_not_in_properties #123 #124"]
      ),
      (
        "wristband_a5.btsnoop",
        ["frame_checksum #111 #113", "att_mtu_default #103-105 #108-110"]
      ),
      ("cdd1_text.btsnoop", []), ("pair_sc_justworks.btsnoop", []),
      ("bond_privacy_reconnect.btsnoop", []), ("bond_privacy_reconnect.peripheral.btsnoop", []),
      ("long_write.btsnoop", ["att_invalid_length #124 #159 #160 #162"]),
      (
        "misc_att_errors.btsnoop",
        [
          "att_authorization #100 #102", "att_invalid_handle #85 #87",
          "att_invalid_handle #91 #93", "att_invalid_handle #94 #96", "att_invalid_offset #88 #90",
        ]
      ),
    ])
  func generated(_ name: String, _ expected: [String]) throws {
    guard let found = try found("generated/\(name)") else { return }
    #expect(found == expected, "\(name)")
  }

  @Test("the project's captures: refused and allowed after pairing; frames; application errors")
  func own() throws {
    #expect(
      try found("write-refused.btsnoop", beside: false)?.first?.hasPrefix(
        "att_insufficient_authentication #78 #80") == true)
    #expect(
      try found("wristband.btsnoop", beside: false) == [
        "frame_checksum #109 #111", "att_mtu_default #101-103 #106-108",
      ])
    #expect(
      try found("heart-rate.btsnoop", beside: false) == ["att_application_error #161 #163"])
  }

  @Test("a frame with a wrong checksum: its consequence, and its sender")
  func checksum() throws {
    for (name, who, next) in [
      (
        "wristband_a5.btsnoop", "This host",
        "\"packet count for 11-20?\" had no answer; 4.5 ms later the peer sent \"command ff, payload 01\" (#113)."
      ),
      (
        "wristband_a5.peripheral.btsnoop", "The peer",
        "this host sent \"command ff, payload 01\" (#118)."
      ),
    ] {
      guard let evidence = try evidence(ofCapture: "generated/\(name)", beside: true) else {
        return
      }
      let reported = evidence.finding("frame_checksum")
      #expect(reported.whatText.hasPrefix("\(who) sent a frame"))
      #expect(reported.whyText.contains(next))
    }
  }

  @Test("captures of real devices have no errors about attributes")
  func real() throws {
    for (name, expected) in [
      ("bj_led-full.pcapng", []),
      // A note: its Device Name offers notifications without a CCCD.
      ("blue_heron-btstack_govee_btled.pklg", ["gatt_cccd_missing #225 #264"]),
      ("peripage-tool-peripage_capture.pklg", []), ("revcar-cli-btsnoop_hci.log", []),
    ] {
      guard let found = try found("real/\(name)") else { return }
      #expect(found == expected, "\(name)")
    }
  }

  @Test(
    "captures made for one failure each, from both sides",
    arguments: [
      ("server-silent.btsnoop", ["att_request_unanswered #75 #77"]),
      ("server-silent.peripheral.btsnoop", ["att_request_unanswered #72 #73"]),
      ("mitm-demanded.btsnoop", ["att_mitm_demanded #103 #105"]),
      ("lost-subscription.btsnoop", ["gatt_cccd_lost #100 #103 #136"]),
      ("lost-subscription.peripheral.btsnoop", ["gatt_cccd_lost #99 #102 #129"]),
      (
        "wrong-use.btsnoop",
        ["att_not_permitted #75 #77", "att_not_permitted #78 #80", "gatt_wrong_cccd_bits #81 #83"]
      ),
    ])
  func failures(_ name: String, _ expected: [String]) throws {
    guard let found = try found(name, beside: false) else { return }
    #expect(found == expected, "\(name)")
  }
}
