// Links that the peer left without ending them, and why.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Meanings
import Testing

@Suite("A peer that leaves silently") struct DepartureTests {
  /// Returns the finding of a link that is lost after `build`, by the supervision timeout.
  private func lost(_ build: (inout Traffic) -> Void) -> Finding? {
    evidence {
      $0.connect(timeout: 550)
      $0.discoverHeartRate()
      build(&$0)
      $0.clock += 4000
      $0.disconnect(reason: 0x08)
    }.finding("link_supervision_timeout")
  }

  @Test("a peer that advertises while this host still waits for it has left the link")
  func advertises() throws {
    let finding = try #require(
      lost {
        $0.clock += 2000
        $0.advertise(rssi: -48)
      })
    #expect(
      finding.what.text
        == "The peer dropped the link without terminating it: Connection Timeout (0x08)")
    #expect(
      finding.why.text.contains(
        "it advertised again (#8, -48 dBm), 4.0 s before the link ended here"))
    #expect(finding.line.contains(" #8"))
    #expect(finding.certainty == .likely)
  }

  @Test("an advertisement from before its last packet proves nothing") func before() throws {
    let finding = try #require(
      lost {
        $0.advertise()
        $0.ask("0a 13 00", "0b 01")
        $0.clock += 1500
      })
    #expect(finding.what.text == "The link was lost: Connection Timeout (0x08)")
    #expect(!finding.why.text.contains("advertised again"), "\(finding.why.text)")
  }

  @Test("a peer that advertised before the timeout began may still have kept the link")
  func beside() throws {
    let finding = try #require(
      lost {
        $0.clock += 1000
        $0.advertise(rssi: -48)
        $0.clock += 1500
      })
    #expect(
      finding.what.text
        == "The peer dropped the link without terminating it: Connection Timeout (0x08)")
    #expect(finding.certainty == .likely)
  }

  @Test("the first advertisement counts, unless the link lived on for longer than its timeout")
  func firstOfSeveral() throws {
    let finding = try #require(
      lost {
        $0.clock += 1000
        $0.advertise(rssi: -48)
        $0.clock += 300
        $0.advertise(rssi: -50)
      })
    #expect(
      finding.why.text.contains(
        "it advertised again (#8, -48 dBm), 4.3 s before the link ended here"))
    let beside = try #require(
      lost {
        $0.clock += 1000
        $0.advertise(rssi: -48)
        $0.clock += 20_000
      })
    #expect(!beside.why.text.contains("advertised again"), "\(beside.why.text)")
    #expect(beside.why.text.contains("kept it open"))
  }

  @Test("an advertisement after this host asked to disconnect proves nothing") func disconnected()
    throws
  {
    func dead(before: Bool) throws -> Finding {
      try #require(
        evidence {
          $0.connect(timeout: 500)
          $0.received("1b 03 00 01")
          $0.wait(4000)
          if before { $0.advertise(rssi: -48) }
          $0.askToDisconnect()
          $0.advertise(rssi: -50)
          $0.wait(1000)
          $0.disconnect(reason: 0x08)
        }.finding("link_dead_at_disconnect"))
    }
    let left = try dead(before: true)
    #expect(left.why.text.contains("it advertised again (#3, -48 dBm), 1.0 s before"))
    #expect(left.certainty == .likely)
    #expect(left.remedy?.text.hasPrefix("Find out why the peer restarted") == true)
    let silent = try dead(before: false)
    #expect(!silent.why.text.contains("advertised again"), "\(silent.why.text)")
    #expect(silent.certainty == .certain, "a fact")
  }

  @Test("this host's last request is only named if the peer fell silent soon afterwards")
  func asked() throws {
    let write = "The last thing this host requested was to write 01 to"
    let soon = try #require(
      lost {
        $0.sent("52 13 00 01")
        $0.wait(1500)
      })
    #expect(soon.why.text.contains(write))
    let late = try #require(
      lost {
        $0.sent("52 13 00 01")
        $0.wait(3000)
        $0.received("1b 10 00 16 48")
        $0.wait(1500)
      })
    #expect(!late.why.text.contains(write), "\(late.why.text)")
    let silent = try #require(lost { $0.sent("52 13 00 01") })
    #expect(!silent.why.text.contains(write), "the peer was silent already")
  }

  /// Records a discovery of one service with one characteristic, and a write to it before the link
  /// is lost.
  private func restart(characteristic: String, value: String) -> Finding? {
    evidence {
      $0.connect()
      $0.ask("10 01 00 ff ff 00 28", "11 06 20 00 25 00 0d 18")
      $0.ask("08 20 00 25 00 03 28", "09 15 21 00 04 22 00 \(characteristic)")
      $0.sent("52 22 00 \(value)")
      $0.clock += 4000
      $0.disconnect(reason: 0x08)
    }.finding("link_supervision_timeout")
  }

  @Test(
    "a peer that was told to restart is expected to leave",
    arguments: [
      ("12 2b 0d 0c 0b 0a 09 08 07 06 05 04 03 02 01 00", "02 ff", "Telink's OTA"),
      ("23 d1 bc ea 5f 78 23 15 de ef 12 12 31 15 00 00", "05", "Nordic's DFU"),
    ])
  func restarts(characteristic: String, value: String, maker: String) throws {
    let finding = try #require(restart(characteristic: characteristic, value: value))
    #expect(
      finding.what.text == "The peer restarted as requested: Connection Timeout (0x08)")
    #expect(finding.severity == .note)
    #expect(finding.why.text.contains(maker))
  }

  @Test("another value of the same characteristic is not such a command") func firmwareData() throws
  {
    let finding = try #require(
      restart(characteristic: "12 2b 0d 0c 0b 0a 09 08 07 06 05 04 03 02 01 00", value: "01 ff"))
    #expect(finding.what.text == "The link was lost: Connection Timeout (0x08)")
  }

  @Test("several losses after the same request name it, those after different ones do not")
  func repeatedly() throws {
    func twice(_ values: [String]) -> Finding? {
      evidence { traffic in
        for value in values {
          traffic.connectToHeartRate()
          traffic.sent("52 13 00 \(value)")
          traffic.clock += 1000
          traffic.disconnect(reason: 0x08)
        }
      }.finding("link_lost_repeatedly")
    }
    let same = try #require(twice(["01", "01"]))
    #expect(same.why.text.contains("In 2 of 2 cases"))
    let other = try #require(twice(["01", "02"]))
    #expect(!other.why.text.contains("cases"), "\(other.why.text)")
  }

  @Test("LL Response Timeout on a link younger than its 40 s is reported as a loss") func early()
    throws
  {
    func timeout(after milliseconds: Int) -> Finding? {
      evidence {
        $0.establish()
        $0.clock += milliseconds
        $0.disconnect(reason: 0x22)
      }.finding("link_lmp_timeout")
    }
    let early = try #require(timeout(after: 1000))
    #expect(early.certainty == .likely)
    #expect(early.why.text.contains("has 40 s to answer"))
    let late = try #require(timeout(after: 41_000))
    #expect(late.certainty == .likely, "the capture has no commands")
    #expect(!late.why.text.contains("40 s"), "\(late.why.text)")
  }

  @Test("a command sets the supervision timeout of a BR/EDR link") func classic()
    throws
  {
    let finding = try #require(
      evidence {
        $0.connectClassic()
        $0.perform(0x0c37, little(0x40) + little(8000), returns: [0] + little(0x40))
        $0.clock += 5000
        $0.disconnect(reason: 0x08)
      }.finding("link_supervision_timeout"))
    #expect(finding.why.text.contains("supervision timeout of 5000 ms"))
  }
}
