import Foundation
import ProgramRunner
import Testing

/// Two hosts in one machine, recorded by both, so each packet appears twice. One of them does not
/// wait for responses on its enhanced bearers.
private let capture = Program.sharedCaptures
  .appending(path: "kernel/pair-gatt-coc-612.btsnoop").path

@Suite(
  "Requests that are open at the same time",
  .enabled(
    if: FileManager.default.fileExists(atPath: capture), "the shared captures are not there"))
struct SideBySideTests {
  /// The host's own log has these values: PnP ID 02 6b 1d 46 02 42 05, Volume State 00 00 00.
  @Test("Each response names the request that it answers")
  func requests() throws {
    let reported = try Program.run(["show", "--json", "--packets", "1866,1869,1886,1887", capture])
    let answers = reported.objects.map { object -> String in
      let att = object?["att"] as? [String: Any]
      return "\(att?["request"] ?? "none") \(att?["uuid"] ?? "none") \(att?["value"] ?? "none")"
    }
    #expect(
      answers == [
        "1834 2a50 026b1d46024205", "1833 2a50 026b1d46024205", "1854 2b7d 000000",
        "1853 2b7d 000000",
      ])
  }

  /// One of the hosts joins the ends of its two channels the wrong way round, and responds on the
  /// other one: #3957 and #3959 are the PnP ID, requested in #3918 and #3913, on the channel of a
  /// read of Volume State.
  @Test(
    "A response on another channel names its request, and is not another attribute's value")
  func crossedChannels() throws {
    let reported = try Program.run(["show", "--json", "--packets", "3957,3959", capture])
    let requests = reported.objects.map {
      (($0?["att"] as? [String: Any])?["request"] as? Int) ?? 0
    }
    #expect(requests == [3918, 3913])
    let values = try Program.run(["values", "--json", "--uuid", "2b7d", capture])
    let wrong = values.objects.compactMap { $0?["value"] as? String }.filter { $0.count != 6 }
    #expect(!values.objects.isEmpty && wrong.isEmpty, "\(wrong)")
    let orphans = try Program.run(["values", capture])
    #expect(!orphans.text.contains("the request is missing"))
  }

  @Test("values assigns each value to its attribute")
  func values() throws {
    let reported = try Program.run([
      "values", "--json", "--packets", "1866,1869,1886,1887", capture,
    ])
    #expect(reported.objects.count == 4)
    let values = Set(
      reported.objects.compactMap { object in
        (object?["value"] as? String).map { "\(object?["uuid"] ?? "none") \($0)" }
      })
    #expect(values == ["2a50 026b1d46024205", "2b7d 000000"])
  }
}
