import Bluetooth
import Bytes
import Captures
import Sessions
import Testing

@testable import Reports

/// What `info` prints of received events.
private func info(json isJSON: Bool = false, links: Int = 2, _ events: [String]) -> String {
  var limits = Limits()
  limits.links = links
  let records = events.map { event in
    TestRecord(
      bytes: event.split(separator: " ").compactMap { UInt8($0, radix: 16) }, direction: .received)
  }
  var source = RecordList(records)
  var report = InfoReport("x", source.summary, json: isJSON, glyphs: .utf8, limits: limits)
  var output = Output()
  var pass = Pass(limits)
  do throws(CaptureFailure) {
    try pass.run(&source, &report, into: &output)
  } catch {
    Issue.record("\(error)")
  }
  return String(decoding: output.bytes.array, as: UTF8.self)
}

/// LE Connection Complete.
private func connect(_ handle: String) -> String {
  "04 3e 13 01 00 \(handle) 00 00 01 55 44 33 22 11 c0 18 00 00 00 48 00 00"
}

@Suite struct InfoTests {
  private let reset = "04 0e 04 01 03 0c 00"

  /// Others have taken the slots before the end of the capture.
  @Test func connectionsThatWereResetAreNotOpen() {
    let page = info([connect("40"), reset, connect("41"), connect("42")])
    #expect(page.contains("ended by a reset of the controller"))
    #expect(page.split(separator: "created, peer never heard").count == 3)
  }

  @Test func connectionsThatWereReplacedAreNotOpen() {
    let page = info(links: 1, [connect("40"), connect("40")])
    #expect(page.contains(", not encrypted; its end is not in the capture\n"))
  }

  @Test func connectionsThatWereForgottenAreNotOpen() {
    let page = info(links: 1, [connect("40"), connect("41")])
    #expect(page.contains(", not encrypted; not followed to its end\n"))
    let document = info(json: true, links: 1, [connect("40"), connect("41")])
    #expect(document.contains("\"ended_by\":\"forgotten\""))
  }

  @Test func reasonsThatTheCaptureCut() {
    let page = info([connect("40"), "04 05 04 00 40 00"])
    #expect(page.contains("; ended for a reason that is not in the capture\n"))
    let document = info(json: true, [connect("40"), "04 05 04 00 40 00"])
    #expect(document.contains("\"ended_by\":\"unknown\"") && !document.contains("\"reason\""))
  }
}
