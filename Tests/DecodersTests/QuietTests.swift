import Testing

@testable import Decoders
@testable import ProfileFiles

/// Values that are decoded although none of their fields appears in the text.
struct QuietTests {
  @Test(
    "A line describes every valid value",
    arguments: [
      ("- {name: a, type: u8, quiet: true}", "01", "nothing of note"),
      ("- {name: a, type: u8, quiet: [1]}", "01", "nothing of note"),
      ("- {name: a, type: u8, quiet: [1]}", "02", "2"),
      ("- {name: a, type: u8, bits: [{bit: 0, name: b}]}", "00", "nothing set"),
      ("- {name: a, type: u8, optional: true}", "", "empty"), ("", "", "empty"),
      ("- {name: a, type: u8}\n- {name: rest, type: bytes, optional: true}", "16", "a 22"),
      ("- {name: a, type: u8}\n- {name: rest, type: bytes}", "1601", "a 22, rest 01"),
      (
        "- {name: a, type: bytes, size: 0}\n- {name: b, type: u8, quiet: true}", "01",
        "nothing of note"
      ),
      ("- {name: a, type: bytes}", "", "empty"), ("- {name: a, type: utf8}", "", "\"\""),
      ("- {name: a, type: u8}", "", ""),
    ])
  func line(_ fields: String, _ hex: String, _ expected: String) throws {
    let found = try Decoding.decode(fields, hex).line
    #expect(found == expected, "expected \(expected), got \(found)")
  }

  @Test("A message without fields shows its name")
  func message() throws {
    let text = """
      profile: x
      applies_to: [{service: fff0}]
      frame: {command: {at: 0, type: u8}}
      messages: [{command: 1, name: ping.request, examples: [{hex: "01", text: ping request}]}]
      """
    let profile = try #require(Decoding.read(text).profile)
    #expect(profile.examples.flatMap { $0.check(profile) }.map(\.description) == [])
    #expect(profile.vendor?.messages.count == 2)
    #expect(profile.vendor?.messageCount == 1)
    let vendor = try #require(profile.vendor)
    #expect(VendorProtocol(stored: vendor.stored)?.messageCount == 1)
  }
}
