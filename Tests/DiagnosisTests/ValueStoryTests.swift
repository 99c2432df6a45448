// The story's part about values.

import Bluetooth
import Diagnosis
import Histories
import MadeTraffic
import Testing

@Suite("The story of values") struct ValueStoryTests {
  /// Returns the lines of the story after the connection's, without their packets and times.
  private func story(_ build: (inout Traffic) -> Void) throws -> [String] {
    try page {
      $0.connect()
      build(&$0)
    }.filter { $0.hasPrefix("  #") }.dropFirst().map {
      $0.split(separator: " ", omittingEmptySubsequences: true).dropFirst(2).joined(separator: " ")
    }
  }

  @Test("a response between an indication and its confirmation does not hide the confirmation")
  func confirmedLate() throws {
    let reported = try story {
      $0.received("1d 10 00 01")
      $0.sent("1e")
      $0.sent("12 15 00 01")
      $0.received("1d 10 00 02")
      $0.received("13")
      $0.sent("1e")
      $0.disconnect()
    }
    #expect(reported.contains { $0.contains("all confirmed") }, "\(reported)")
    #expect(!reported.contains { $0.contains("of them confirmed") }, "\(reported)")
  }

  @Test("a long write is executed, refused, cancelled or abandoned: each is reported as such")
  func longWrites() throws {
    let parts = { (traffic: inout Traffic) in
      traffic.ask("16 15 00 00 00 01 02", "17 15 00 00 00 01 02")
      traffic.ask("16 15 00 02 00 03", "17 15 00 02 00 03")
    }
    let cases: [(String, String, String)] = [
      ("18 01", "19", "1 write to 0x0015 in 2 parts"),
      // The code is on the next line.
      (
        "18 01", "01 18 15 00 0d",
        "long write of 3 bytes to 0x0015 in 2 parts refused: Invalid Attribute Value Length"
      ),
      ("18 00", "19", "the prepared write to 0x0015 in 2 parts was cancelled"),
      (
        "0a 13 00", "0b 01",
        "prepared write to 0x0015 in 2 parts, neither executed nor cancelled"
      ),
    ]
    for (request, answer, words) in cases {
      let reported = try story {
        parts(&$0)
        $0.ask(request, answer)
      }
      #expect(reported.first == words, "\(reported)")
    }
  }

  @Test("reads of declarations are not reads of the values") func declarations() throws {
    let one = try story {
      $0.discoverHeartRate()
      $0.ask("0a 0f 00", "0b 10 10 00 37 2a")
    }
    #expect(one.contains("1 read of the declaration of 2a37 answered"))
    let both = try story {
      $0.discoverHeartRate()
      $0.ask("0a 13 00", "0b 01")
      $0.ask("0a 0f 00", "0b 10 10 00 37 2a")
      $0.ask("0a 12 00", "0b 02 13 00 38 2a")
    }
    let words = "3 reads of 2a38 and the declarations of 2a37 and 2a38 answered"
    #expect(both.contains { $0.hasPrefix(words) }, "\(both)")
  }

  @Test("a refused execute does not belong to the next write") func afterRefusal() throws {
    let reported = try story {
      $0.ask("16 15 00 00 00 01", "17 15 00 00 00 01")
      $0.ask("18 01", "01 18 15 00 0d")
      $0.ask("16 15 00 00 00 02", "17 15 00 00 00 02")
      $0.ask("18 00", "19")
      $0.ask("12 15 00 01", "13")
    }
    #expect(
      Array(reported.dropFirst().prefix(2)) == [
        "the prepared write to 0x0015 in 1 part was cancelled", "1 write to 0x0015",
      ], "\(reported)")
  }

  @Test("a read and its parts are one read; a part of another attribute does not belong to it")
  func longReads() throws {
    let whole = try story {
      $0.ask("0a 13 00", "0b 01 02")
      $0.ask("0c 13 00 02 00", "0d 03")
    }
    #expect(whole.first == "1 read of 0x0013 answered in 2 parts", "\(whole)")
    let other = try story {
      $0.ask("0a 13 00", "0b 01 02")
      $0.ask("0c 15 00 02 00", "0d 03")
    }
    #expect(other.first?.hasPrefix("2 reads of 0x0013 and 0x0015 answered") == true, "\(other)")
  }

  @Test("several values that are read at once are named") func readMultiple() throws {
    let reported = try story { $0.ask("0e 13 00 15 00", "0f 01 02") }
    #expect(reported.first == "1 read of 0x0013 and 0x0015 answered", "\(reported)")
  }

  @Test("notifications and indications have their attributes") func sent() throws {
    let reported = try story {
      $0.discoverHeartRate()
      $0.discoverThermometer()
      $0.received("1b 10 00 06 48")
      $0.received("1d 18 00 00")
      $0.sent("1e")
      $0.received("1b 10 00 06 48")
    }
    #expect(reported.contains("2 notifications of 2a37, 1 indication of 2a1c, confirmed"))
  }

  @Test("writes and writes without response have their attributes") func written() throws {
    let reported = try story {
      $0.ask("12 15 00 01", "13")
      $0.sent("52 13 00 01")
    }
    #expect(
      reported.first == "1 write to 0x0015, 1 write without response to 0x0013", "\(reported)")
  }

  @Test("times that differ are a range; equal ones are one") func latencies() throws {
    func answered(_ second: Int) throws -> String? {
      try story {
        $0.ask("0a 13 00", "0b 01")
        $0.sent("0a 13 00")
        $0.wait(second)
        $0.received("0b 01")
      }.first
    }
    #expect(try answered(0) == "2 reads of 0x0013 answered, 1 ms each")
    // A range may not round to two equal numbers.
    let near = try story {
      for delay in [58, 59] {
        $0.sent("0a 13 00")
        $0.wait(delay)
        $0.received("0b 01")
      }
    }
    #expect(near.first == "2 reads of 0x0013 answered, 59–60 ms", "\(near)")
    #expect(try answered(450) == "2 reads of 0x0013 answered, 1–451 ms")
  }

  @Test("reads that are answered in another order begin with the first request")
  func crossingReads()
    throws
  {
    let lines = try page {
      $0.connect()
      $0.openBearers()
      $0.sdu("0a 12 00", .sent, cid: 0x50)
      $0.sdu("0a 14 00", .sent, cid: 0x51)
      $0.sdu("0b 01", .received, cid: 0x40)
      $0.sdu("0b 02", .received, cid: 0x41)
    }
    #expect(lines.contains("  #4–7  0.003  2 reads of 0x0014 and 0x0012 answered, 1–3 ms"))
  }

  @Test("the MTU stays 23 only if no larger PDU was seen") func largerPDU() throws {
    let small = try story { $0.discoverHeartRate() }
    #expect(small.first?.hasSuffix("; MTU stays 23") == true, "\(small)")
    let large = try story {
      $0.discoverHeartRate()
      $0.received("1b 10 00" + String(repeating: " 01", count: 40))
    }
    #expect(large.first?.hasPrefix("discovered") == true, "\(large)")
    #expect(large.first?.contains("MTU") == false, "\(large)")
  }

  @Test("a subscription that is turned off and on again keeps its order") func changedSubscription()
    throws
  {
    func changes(_ values: [String]) throws -> [String] {
      try story {
        $0.discoverHeartRate()
        for value in values { $0.ask("12 11 00 \(value) 00", "13") }
      }.filter { $0.contains("notifications") }
    }
    #expect(
      try changes(["00", "01", "00"]).first?.hasPrefix(
        "notifications and indications of 2a37 off, notifications of 2a37 on, ") == true)
    #expect(try changes(["01"]) == ["notifications of 2a37 on"])
  }

  @Test("a subscription without a response is one line, and the peer's actions name the peer")
  func unanswered() throws {
    let reported = try story {
      $0.discoverHeartRate(by: .received)
      $0.ask("12 13 00 01", "01 12 13 00 03", by: .received)
      $0.ask("0a 13 00", "0b 01", by: .received)
      $0.received("12 11 00 01 00")
      $0.wait(31_000)
      $0.disconnect()
    }
    #expect(
      Array(reported.prefix(4)) == [
        "the peripheral discovered 1 service, 3 characteristics, 1 descriptor; MTU stays 23",
        "the peripheral's write to 2a38 Body Sensor Location refused: Write Not Permitted",
        "the peripheral: 1 read of 2a38 Body Sensor Location answered",
        "the peripheral turns notifications of 2a37 on, not answered",
      ], "\(reported)")
    #expect(!reported.contains { $0.contains("Write Request") }, "\(reported)")
  }

  @Test("many runs become few lines, and no line follows one of its kind") func folded() throws {
    let reported = try story {
      for _ in 0..<40 {
        $0.ask("0a 13 00", "0b 01")
        $0.ask("12 15 00 01", "13")
      }
    }
    #expect(reported.count <= 14, "\(reported)")
  }

  @Test("what the servers on both sides sent and received is never one sum") func bothServers()
    throws
  {
    let rounds = 40
    let reported = try story {
      for round in 0..<rounds {
        // This host writes and is notified, then the peer is.
        $0.sent("52 15 00 01")
        $0.received("1b 10 00 01")
        $0.ask("12 25 00 0\(round % 2)", "13", by: .received)
        $0.sent("1b 20 00 01")
      }
    }
    #expect(reported.count <= 14, "\(reported)")
    var sums: [String: Int] = [:]
    for line in reported {
      for part in line.split(separator: "; ") {
        let words = part.split(separator: ": ")
        guard words.count == 2 else { continue }
        for piece in words[1].split(separator: ", ") {
          let kinds = ["write", "without response", "notification"]
          guard let kind = kinds.last(where: { piece.contains($0) }) else { continue }
          sums["\(words[0]) \(kind)", default: 0] += Int(piece.prefix { $0.isNumber }) ?? 0
        }
      }
    }
    #expect(
      sums == [
        "the central without response": rounds, "the peripheral notification": rounds,
        "the peripheral write": rounds, "the central notification": rounds,
      ], "\(reported)")
  }

  @Test("steady traffic is one line") func steady()
    throws
  {
    let reported = try story {
      for _ in 0..<200 {
        $0.sent("52 15 00 01")
        $0.received("1b 10 00 01")
      }
    }
    #expect(
      reported.filter { $0.contains("without response") } == [
        "the central: 200 writes without response; the peripheral: 200 notifications"
      ], "\(reported)")
  }
}
