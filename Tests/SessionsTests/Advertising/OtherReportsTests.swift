// Scans that were on before the capture, and devices from sources other than advertising reports.

import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

@Suite("Scans begun before the capture, batch scans, the kernel's instances")
struct OtherReportsTests {
  /// The same data from the same device within a second: a controller that filters duplicates would
  /// report it once.
  @Test("Repeated reports prove that duplicates are reported from the start")
  func proven() throws {
    let results = devices { traffic in
      for rssi in [Int8(-50), -60, -70, -80] {
        traffic.heard([2, 1, 6], rssi: rssi)
        traffic.clock += 100
      }
      traffic.heard([2, 1, 6], from: 0xc0ff_ffff_ffff, rssi: -40)
    }
    let scan = try #require(results.scans.all.first)
    #expect(scan.isOpeningMissing && scan.hasDuplicates)
    let device = try #require(results.all.first)
    #expect(levels(device.signals) == [-80, -70, -50] && device.doubtfulReports == 0)
    #expect(device.gaps?.count == 3, "\(String(describing: device.gaps))")
    #expect(device.scanPaused, "the scanner may have paused")
    #expect(levels(results.all.last?.signals) == [-40, -40, -40], "proven for the entire scan")
  }

  @Test(
    "Other data, another device, or a late repetition proves nothing",
    arguments: [
      ([2, 1, 6], [2, 1, 4], 0xc011_2233_4455, 0),
      ([2, 1, 6], [2, 1, 6], 0xc011_2233_4456, 0),
      ([2, 1, 6], [2, 1, 6], 0xc011_2233_4455, 2000),
    ] as [([UInt8], [UInt8], Int, Int)])
  func notProven(_ first: [UInt8], _ second: [UInt8], _ address: Int, _ pause: Int) {
    let results = devices { traffic in
      traffic.heard(first)
      traffic.clock += pause
      traffic.heard(second, from: address)
    }
    #expect(results.scans.all.map(\.hasDuplicates) == [false])
    #expect(results.all.allSatisfy { $0.signals.count == 0 && $0.gaps == nil })
    #expect(results.all.reduce(0) { $0 + $1.doubtfulReports } == 2)
  }

  @Test("Reports do not override a command")
  func filtered() {
    let results = devices { traffic in
      traffic.scan(filter: 1)
      traffic.heard()
      traffic.heard()
    }
    #expect(results.scans.all.map(\.hasDuplicates) == [false])
    #expect(results.all.first?.filteredReports == 2)
  }

  /// Read Results of a batch scan: form 2 has data, form 1 does not.
  @Test("Android's batch scan results are devices with a count of their own")
  func batch() throws {
    func record(_ address: Int) -> [UInt8] {
      little(address, width: 6) + [1, 0x7f, 0xba, 0x14, 0]
    }
    let results = devices { traffic in
      traffic.perform(
        0xfd56, [4, 2],
        returns: [0, 4, 2, 2] + record(0xc011_2233_4455) + [3, 2, 1, 6, 4]
          + structure(9, Array("Hi".utf8)) + record(0xc0ff_ffff_ffff) + [0, 0])
      traffic.perform(0xfd56, [4, 1], returns: [0, 4, 1, 1] + record(0xc011_2233_4455))
      // A refused result, and one with a wrong count.
      traffic.complete(0xfd56, [1, 4, 1, 1] + record(0xc0ee_eeee_eeee))
      traffic.complete(0xfd56, [0, 4, 1, 255] + record(0xc0ff_ffff_ffff))
    }
    #expect(results.all.map { $0.counts[.batch] } == [2, 2])
    let device = try #require(results.all.first)
    #expect(device.reports == 2 && device.counts.advertising == 0)
    #expect(device.firstSignal == nil && device.signals.count == 0 && device.gaps == nil)
    #expect(device.payloads.all.map(\.data) == [[2, 1, 6], structure(9, Array("Hi".utf8))])
    #expect(device.joins.map(\.count) == [1])
    #expect(results.scans.all.isEmpty)
  }

  /// Add Extended Advertising Parameters (0x0054) and Data (0x0055), then Remove Advertising
  /// (0x003f). The flags 0x4101 mean connectable, LE 2M and intervals present.
  @Test("The kernel's instances: parameters, data, and how they end")
  func instances() throws {
    func command(_ code: Int, _ parameters: [UInt8], status: UInt8, _ traffic: inout Traffic) {
      traffic.note(16, little(1, width: 4) + little(code) + parameters)
      traffic.note(17, little(1, width: 4) + little(1) + little(code) + [status, parameters[0]])
    }
    let results = devices { traffic in
      command(
        0x54,
        [2] + little(0x4101, width: 4) + [0, 0, 0, 0] + little(160, width: 4)
          + little(240, width: 4) + [0x7f], status: 0, &traffic)
      command(0x55, [2, 3, 0, 2, 1, 6], status: 0, &traffic)
      command(
        0x3e, [3] + little(0, width: 4) + [0, 0, 0, 0, 3, 0, 2, 1, 4], status: 0x0b, &traffic)
      command(0x3f, [0], status: 0, &traffic)
    }
    #expect(results.own.all.map(\.set) == [AdvertisingSet(.management, 2)], "the other was refused")
    let set = try #require(results.own.all.first)
    #expect(set.parameters?.interval == 160...240 && set.parameters?.properties == 1)
    #expect(set.payloads.all.map(\.data) == [[2, 1, 6]])
    #expect(set.payloads.all.map(\.stream.isLegacy) == [false])
    #expect(set.periods.map(\.firstPacket) == [3] && set.periods.map(\.lastPacket) == [7])
    #expect(set.periods.map(\.ending) == [.host])
  }

  @Test("Truncated or short commands to the kernel have no effect")
  func shortCommands() {
    let whole = [UInt8]([1]) + little(1, width: 4) + [0, 0, 0, 0, 2, 1, 7, 7, 7]
    for code in [0x3e, 0x3f, 0x54, 0x55] as [UInt16] {
      for length in 0...whole.count {
        _ = try? AdvertisingCommand(control: code, Array(whole.prefix(length)).bytes)
      }
      #expect((try? AdvertisingCommand(control: code, [UInt8]().bytes)) == nil)
    }
  }
}
