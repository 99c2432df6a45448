// The output about devices that appear and change, without a terminal.

import Bytes
import Captures
import MadeTraffic
import Sessions
import Testing

@testable import Reports

private func lines(isJSON: Bool = false, _ write: (inout Traffic) -> Void) -> [String] {
  var traffic = Traffic()
  write(&traffic)
  var options = DevicesOptions()
  options.isJSON = isJSON
  let report = DeviceLines(options, MemorySource(traffic).summary)
  return watched(traffic, TestClock(), silence: { _ in 0 }, report).split(separator: "\n")
    .map(String.init)
}

extension Traffic {
  /// Records an advertising report of the peer of `connect`.
  fileprivate mutating func heard(_ data: String, event: UInt8 = 0, level: Int8 = -60) {
    let data = hex(data)
    meta(
      0x02,
      [1, event, 1] + little(Traffic.peer, width: 6) + [UInt8(data.count)] + data
        + [UInt8(bitPattern: level)])
  }
}

@Suite("Devices in live captures") struct DeviceLinesTests {
  @Test("First heard, named by its scan response, connected") func news() {
    let lines = lines { traffic in
      for _ in 0..<3 {
        traffic.heard("02 01 06 03 03 0d 18")
        traffic.heard("04 09 48 52 4d", event: 4)
      }
      traffic.connect()
    }
    #expect(
      lines == [
        "    #      time  device",
        "    1    0.0000  C0:11:22:33:44:55  random static, connectable; RSSI -60 dBm; "
          + "180d Heart Rate; general discoverable, LE only",
        "    2    0.0010  C0:11:22:33:44:55  name \"HRM\"; SCAN_RSP: \"HRM\"",
        "    7    0.0060  C0:11:22:33:44:55 \"HRM\"  connection 1",
      ])
  }

  @Test("Data that changes continually is printed every ten seconds") func data() {
    let lines = lines { traffic in
      for second in 0..<25 {
        traffic.heard("03 ff \(String(second + 0x10, radix: 16)) 00")
        traffic.wait(999)
      }
    }
    #expect(lines.count == 1 + 3, "got \(lines)")
    #expect(lines[2].contains("10.0000"), "got \(lines[2])")
    #expect(lines[2].hasSuffix("(changed 10 times)"), "got \(lines[2])")
  }

  @Test("A signal level that differs and stays is printed, a fluctuating one is not") func signal()
  {
    let lines = lines { traffic in
      for second in 0..<40 {
        traffic.heard("02 01 06", level: second < 20 ? (second % 2 == 0 ? -66 : -54) : -30)
        traffic.wait(999)
      }
    }
    // The second line comes ten seconds later, when the level is stable.
    #expect(lines.count == 1 + 3, "got \(lines)")
    #expect(lines[2].hasSuffix("C0:11:22:33:44:55  RSSI -47 dBm, was -66"), "got \(lines)")
    #expect(lines[3].contains("31.0000") && lines[3].hasSuffix("RSSI -31 dBm, was -47"), "\(lines)")
  }

  @Test("As JSON: the known device, and the news about it") func json() {
    let lines = lines(isJSON: true) { traffic in
      traffic.heard("02 01 06")
      traffic.heard("02 01 06")
      traffic.heard("04 09 48 52 4d", event: 4)
    }
    #expect(lines.count == 2, "got \(lines)")
    #expect(
      lines[0].hasPrefix(
        #"{"type":"device","news":["device"],"address":"C0:11:22:33:44:55","#),
      "got \(lines[0])")
    #expect(lines[1].contains(#""news":["name","data"]"#), "got \(lines[1])")
    #expect(
      lines[1].contains(#""name":"HRM""#) && lines[1].contains(#""last_packet":3"#), "\(lines[1])")
  }

  @Test("Only the selection") func selection() {
    var traffic = Traffic()
    traffic.advertise(peer: 0xc000_0000_0001)
    traffic.advertise(peer: 0xc000_0000_0002)
    var options = DevicesOptions()
    options.show.selection.devices = [try? DevicePattern("C0:00:00:00:00:02")].compactMap(\.self)
    let report = DeviceLines(options, MemorySource(traffic).summary)
    let text = watched(traffic, TestClock(), silence: { _ in 0 }, report)
    #expect(text.contains("00:02") && !text.contains("00:01"), "got \(text)")
  }
}
