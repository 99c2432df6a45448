import Foundation
import ProgramRunner
import Testing

/// Two hosts in one machine, recorded by both: each packet stands there twice. One of them does not wait for
/// answers on its enhanced bearers.
private let capture = Program.sharedCaptures
  .appending(path: "kernel/pair-gatt-coc-612.btsnoop").path

@Suite(
  "Requests that are open side by side",
  .enabled(
    if: FileManager.default.fileExists(atPath: capture), "the shared captures are not there"))
struct SideBySideTests {
  /// What the host's own log says of these: PnP ID 02 6b 1d 46 02 42 05, Volume State 00 00 00.
  @Test("Each response is told with the request that it answers")
  func requests() throws {
    let told = try Program.run(["show", "--json", "--packets", "1866,1869,1886,1887", capture])
    let answers = told.objects.map { object -> String in
      let att = object?["att"] as? [String: Any]
      return "\(att?["request"] ?? "none") \(att?["uuid"] ?? "none") \(att?["value"] ?? "none")"
    }
    #expect(
      answers == [
        "1834 2a50 026b1d46024205", "1833 2a50 026b1d46024205", "1854 2b7d 000000",
        "1853 2b7d 000000",
      ])
  }

  @Test("values has each value where it belongs")
  func values() throws {
    let told = try Program.run(["values", "--json", "--packets", "1866,1869,1886,1887", capture])
    #expect(told.objects.count == 4)
    let values = Set(
      told.objects.compactMap { object in
        (object?["value"] as? String).map { "\(object?["uuid"] ?? "none") \($0)" }
      })
    #expect(values == ["2a50 026b1d46024205", "2b7d 000000"])
  }
}
