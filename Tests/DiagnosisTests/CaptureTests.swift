import Diagnosis
import Foundation
import MadeTraffic
import Testing

@Suite("Links in captures") struct CaptureTests {
  /// The rules about links, controllers and captures.
  private static let table = Rule.all.filter { rule in
    ["capture_", "hci_", "connect_", "link_"].contains { rule.id.description.hasPrefix($0) }
  }

  /// Captures with failed links: each error was checked against the packets.
  private static let failing: Set<String> = [
    "connecting-fails.btsnoop",
    // Disconnection Complete with Connection Timeout (0x08).
    "NovaX-Escooter-btsnoop_hci.log",
    "Reverse-Engineering-Bluetooth-Protocols-BTServer_-_with_alerts.pklg",
    "blefun-btsnoop_hci.log", "btsnooper-btsnoop_hci.log", "dsp408-tuner-btsnoop_hci.log",
    // Disconnection Complete with LL Response Timeout (0x22).
    "bj_led-btsnoop_hci.full.log",
    // Attempts of 30 s that this host cancelled, to devices that never answered.
    "OPPO-Earbuds-btsnoop_fresh.log", "fossibot-bluetooth-btsnoop_hci.log",
    "fuut-btsnoop_hci20241230_1.log",
    // LE Create Connection while another attempt is pending: Command Disallowed (0x0c).
    "hciparse-test00.pklg",
  ]

  @Test("the links of a key fob at the edge of its range, each with its packets") func edge() throws
  {
    guard let evidence = try evidence(ofCapture: "connecting-fails.btsnoop") else { return }
    let found = evidence.findings(by: Self.table).map { "\($0.rule) \($0.packets)" }
    #expect(
      found == [
        "link_supervision_timeout #78 #79 #82 #92",
        "capture_cached_discovery #78 #81",
        "connect_timeout #13 #16 #18 #20",
        "connect_not_established #30 #34 #44 #48 #58 #62",
      ])
  }

  @Test("a lock that disconnects after the same time, three times") func leaves() throws {
    guard let evidence = try evidence(ofCapture: "peer-leaves.btsnoop") else { return }
    #expect(evidence.packets(of: "link_peer_leaves") == ["#142 #76 #124 #172"])
  }

  @Test("captures of working sessions have no errors of these families")
  func working() throws {
    var seen = 0
    for isBeside in [false, true] {
      for folder in isBeside ? ["generated", "kernel", "real", "damaged"] : [""] {
        let place = (isBeside ? otherCaptures : project.appending(path: "captures")).appending(
          path: folder)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        for file in files.sorted() {
          let name = folder.isEmpty ? file : folder + "/" + file
          guard let evidence = try? evidence(ofCapture: name, beside: isBeside) else { continue }
          seen += 1
          for finding in evidence.findings(by: Self.table) where finding.severity == .error {
            #expect(Self.failing.contains(file), "\(name): \(finding.rule), \(finding.line)")
          }
        }
      }
    }
    #expect(seen >= 20, "only \(seen) captures were found")
  }
}
