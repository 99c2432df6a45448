// The output of `values --rate`: why transfers are not faster, names, what is omitted.

import Bluetooth
import MadeTraffic
import Sessions
import Testing

@testable import Reports

private func rates(
  json isJSON: Bool = false, limits: Limits = Limits(), _ build: (inout Traffic) -> Void
) throws -> [String] {
  var traffic = Traffic()
  build(&traffic)
  var source = MemorySource(traffic.records)
  var report = RateReport(ValuesOptions(), json: isJSON, limits: limits)
  return Rendering.run(&source, &report).split(separator: "\n").map(String.init)
}

/// What limits transfers, as lines say.
private func limits(_ build: (inout Traffic) -> Void) throws -> [String] {
  try rates(build).filter { $0.contains("limited by") }.map {
    $0.split(separator: " ", omittingEmptySubsequences: true).dropFirst(2).joined(separator: " ")
  }
}

private func write(_ index: Int) -> [UInt8] {
  l2cap([0x52, 0x10, 0] + little(index) + [UInt8](repeating: 1, count: 18))
}

@Suite("values --rate")
struct RateReportTests {
  /// Twenty-four writes, then a read that is answered after `trip` milliseconds, while the
  /// controller nearly always holds some of them.
  private func reads(_ trip: Int, opens: Bool = true) -> (inout Traffic) -> Void {
    { traffic in
      if opens { traffic.connect() }
      for round in 0..<60 {
        for index in 0..<24 { traffic.acl(write(24 * round + index), .sent) }
        traffic.sent("0a 12 00")
        for _ in 0..<25 {
          traffic.wait(trip / 25 - 1)
          traffic.completed(1)
        }
        traffic.received("0b 01")
      }
    }
  }

  @Test("Reads between values limit them, and the row of the values says so")
  func readsBetween() throws {
    let found = try limits(reads(250))
    let words = "the reads between its values: one for every 24, each answered after "
    #expect(found.first?.hasPrefix(words) == true, "\(found)")
    #expect(found.last == "a round trip for each value", "\(found)")
    // On a link that was open before, it is unknown what the controller holds.
    #expect(try limits(reads(250, opens: false)) == ["a round trip for each value"])
    let json = try rates(json: true, reads(250))
    #expect(
      json.first?.contains(#""limited_by":"round_trips","waits_for":"read""#) == true, "\(json)")
  }

  @Test("This host is the reason if its controller mostly had nothing to send")
  func host() throws {
    func writes(
      _ hold: Int, _ pause: Int, hears: Bool = true
    ) -> (inout Traffic) -> Void {
      { traffic in
        traffic.connect()
        if hears { traffic.received("1b 20 00 01") }
        for index in 0..<60 {
          traffic.acl(write(index), .sent)
          traffic.wait(hold)
          traffic.completed(1)
          traffic.wait(pause)
        }
      }
    }
    let words = "this host, since the controller had nothing to send most of the time"
    #expect(try limits(writes(10, 80)) == [words])
    #expect(try rates(json: true, writes(10, 80))[0].contains(#""limited_by":"host""#))
    // The controller had something else to send.
    let shared = try limits { traffic in
      traffic.connect()
      traffic.received("1b 20 00 01")
      for index in 0..<60 {
        traffic.acl(write(index), .sent)
        traffic.wait(10)
        traffic.completed(1)
        if index == 30 {
          traffic.sent("52 20 00 01 02 03")
          traffic.completed(1)
        }
        traffic.wait(80)
      }
    }
    #expect(shared == [])
    // What the host waited for may be missing from the capture.
    #expect(try limits(writes(10, 80, hears: false)) == [])
    // The host may wait until the controller has room.
    #expect(try limits(writes(80, 10)) == [])
    // Without completed packets, nothing shows what the controller held.
    #expect(
      try limits { traffic in
        traffic.connect()
        for index in 0..<60 {
          traffic.acl(write(index), .sent)
          traffic.wait(90)
        }
      } == [])
  }

  @Test("A request waits for its response, not for the values that come before it")
  func requests() throws {
    let found = try limits { traffic in
      traffic.connect()
      for index in 0..<60 {
        traffic.acl(
          l2cap([0x12, 0x10, 0] + little(index) + [UInt8](repeating: 1, count: 18)), .sent)
        traffic.wait(10)
        traffic.completed(1)
        traffic.received("1b 12 00 01")
        traffic.wait(60)
        traffic.received("13")
        traffic.wait(3)
      }
    }
    #expect(found == ["a round trip for each value"], "\(found)")
  }

  @Test("Nothing is reckoned for a link whose PHY and data length are not known")
  func unknownLink() throws {
    func writes(_ traffic: inout Traffic) {
      for index in 0..<60 {
        traffic.acl(write(index), .sent)
        traffic.wait(30)
        traffic.completed(1)
      }
    }
    let known = try rates {
      $0.askToConnect()
      $0.connect()
      writes(&$0)
    }
    #expect(known.contains { $0.contains("allowed") }, "\(known)")
    #expect(known[0].contains("LE 1M by default, 27 bytes"), "\(known)")
    let earlier = try rates(writes)
    #expect(earlier.contains { $0.contains("transfer") }, "\(earlier)")
    #expect(!earlier.contains { $0.contains("allowed") || $0.contains("fit in") }, "\(earlier)")
    let coded = try rates {
      $0.askToConnect(phys: 4)
      $0.connect()
      writes(&$0)
    }
    #expect(!coded.contains { $0.contains("LE 1M") || $0.contains("allowed") }, "\(coded)")
  }

  @Test("An MTU that was not exchanged is 23, even if this host sends more")
  func longWrite() throws {
    let found = try rates {
      $0.connect()
      $0.acl(l2cap([0x12, 0x10, 0] + [UInt8](repeating: 1, count: 100)), .sent)
      $0.received("01 12 10 00 0d")
    }
    #expect(found[0].hasSuffix("MTU 23 (not exchanged)"), "\(found)")
  }

  @Test("A queue in the controller shows that the link is the reason, even without its interval")
  func queue() throws {
    let found = try limits { traffic in
      traffic.connect()
      for index in 0..<8 { traffic.acl(write(index), .sent) }
      for index in 8..<80 {
        traffic.wait(20)
        traffic.completed(1)
        traffic.acl(write(index), .sent)
      }
      traffic.wait(20)
      traffic.completed(8)
    }
    #expect(
      found == ["the link, since the controller nearly always had packets waiting"], "\(found)")
  }

  @Test("Attributes have the names of the table")
  func names() throws {
    // What the control point of Apple's notifications is, is discovered after it is used.
    func build(_ traffic: inout Traffic) {
      traffic.connect()
      traffic.ask("12 20 00 01 02 03", "13", by: .received)
      traffic.sent("1b 22 00 00 01 02 03 04 05 06 07")
      traffic.ask(
        "10 01 00 ff ff 00 28",
        "11 14 1e 00 2f 00 d0 00 2d 12 1e 4b 0f a4 99 4e ce b5 31 f4 05 79", by: .received)
      traffic.ask(
        "08 1e 00 2f 00 03 28",
        "09 15 21 00 10 22 00 bd 1d a2 99 e6 25 58 8c d9 42 01 63 0d 12 bf 9f", by: .received)
    }
    let found = try rates(build)
    #expect(
      found.contains { $0.contains("9fbf120d-… ANCS Notification Source, notification") },
      "\(found)")
    var traffic = Traffic()
    build(&traffic)
    var source = MemorySource(traffic.records)
    var report = ValuesReport(ValuesOptions())
    let text = Rendering.run(&source, &report)
    #expect(text.contains("9fbf120d-… ANCS Notification Source"))
  }

  @Test("JSON reports connections that have no line")
  func omitted() throws {
    var limits = Limits()
    limits.listedConnections = 1
    let lines = try rates(json: true, limits: limits) { traffic in
      for _ in 0..<3 {
        traffic.connect()
        traffic.sent("52 10 00 01")
        traffic.disconnect()
      }
    }
    #expect(lines.count == 2, "\(lines)")
    #expect(lines.last == #"{"type":"omitted","connections":2}"#, "\(lines)")
  }
}
