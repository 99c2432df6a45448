// The captured host's scans, and its own advertising.

import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

@Suite struct ScanTests {
  @Test func aScanFromCommandToCommand() throws {
    let results = devices { traffic in
      traffic.scan(filter: 1, isActive: false, window: 80)
      traffic.heard()
      traffic.stopScan()
      // Received after the command to stop, but part of the same scan.
      traffic.heard()
    }
    #expect(results.scans.all.count == 1)
    let scan = try #require(results.scans.all.first)
    #expect(scan.firstPacket == 3 && scan.lastPacket == 6 && scan.ending == .host)
    #expect(scan.parameters?.le1M == ScanSetting(isActive: false, interval: 160, window: 80))
    #expect(scan.filterDuplicates == 1 && scan.reports == 2 && scan.isPaused)
  }

  @Test func endsOfScans() {
    let results = devices { traffic in
      traffic.scan()
      traffic.scan(filter: 1)
      traffic.meta(0x11, [])
      traffic.scan()
      traffic.done(0x0c03, [])
      traffic.done(0x200c, [1, 0])
      // Repeating the command changes nothing.
      traffic.done(0x200c, [1, 0])
    }
    #expect(results.scans.all.map(\.ending) == [.replaced, .timeout, .reset, nil])
    // A reset clears the host's parameters.
    #expect(results.scans.all.map { $0.parameters == nil } == [false, false, false, true])
    #expect(results.scans.all.last?.lastPacket == 19)
  }

  @Test func scansThatWereRefused() {
    let results = devices { traffic in
      traffic.done(0x200c, [1, 0], status: 0x0c)
      traffic.begin(0x200c, [1, 0], status: 0x01)
      traffic.scan()
      traffic.done(0x200c, [0, 0], status: 0x0c)
      traffic.heard()
    }
    #expect(results.scans.all.map(\.refusal?.rawValue) == [0x0c, 0x01, nil])
    #expect(results.scans.all.last?.ending == nil && results.scans.all.last?.reports == 1)
  }

  @Test func beginningsThatAreMissing() throws {
    let results = devices { traffic in
      traffic.heard()
      traffic.heard()
      traffic.stopScan()
      traffic.clock += 2000
      traffic.heard()
    }
    #expect(results.scans.all.map(\.isOpeningMissing) == [true, true])
    #expect(results.scans.all.map(\.reports) == [2, 1])
    #expect(results.scans.all.map(\.ending) == [.host, nil])
    #expect(results.scans.all.map(\.lastPacket) == [3, 5])
  }

  /// If the response is missing, a report shows that the scan has begun.
  @Test func answersThatAreMissing() throws {
    let results = devices { traffic in
      traffic.command(0x200b, [1] + little(160) + little(160) + [0, 0])
      traffic.command(0x200c, [1, 0])
      traffic.heard(rssi: -40)
      traffic.command(0x200c, [0, 0])
    }
    #expect(results.scans.all.count == 1 && results.scans.all.first?.parameters != nil)
    #expect(results.scans.all.first?.ending == .host)
    #expect(levels(results.all.first?.signals) == [-40, -40, -40])
  }

  /// A command with a lost response takes effect before commands that are answered later.
  @Test func answersThatWereLost() {
    let results = devices { traffic in
      traffic.scan()
      traffic.command(0x200c, [0, 0])
      traffic.done(0x200c, [1, 1])
      traffic.heard()
    }
    #expect(results.scans.all.map(\.ending) == [.host, nil])
    #expect(results.scans.all.map(\.firstPacket) == [3, 6])
    #expect(results.scans.all.map(\.reports) == [0, 1])
  }

  @Test func extendedScans() throws {
    let results = devices { traffic in
      // 1M active 100 ms of 100 ms, Coded passive 30 ms of 60 ms.
      traffic.done(0x2041, hex("00 01 05 01 a0 00 a0 00 00 60 00 30 00"))
      traffic.done(0x2042, hex("01 02 64 00 02 00"))
    }
    let scan = try #require(results.scans.all.first)
    #expect(scan.parameters?.le1M == ScanSetting(isActive: true, interval: 160, window: 160))
    #expect(scan.parameters?.leCoded == ScanSetting(isActive: false, interval: 96, window: 48))
    #expect(scan.parameters?.filterPolicy == 1 && scan.filterDuplicates == 2)
    #expect(scan.duration == 100 && scan.period == 2)
  }

  @Test func adaptersScanByThemselves() {
    let results = devices { traffic in
      traffic.scan(filter: 1)
      traffic.adapter = 1
      traffic.scan()
      traffic.heard()
      traffic.adapter = 0
      traffic.heard(from: 0xc0ff_ffff_ffff)
    }
    #expect(results.scans.all.map(\.reports) == [1, 1])
    #expect(results.all.map(\.signals.count) == [1, 0])
  }

  @Test func scansAreBounded() {
    var limits = Limits()
    limits.scans = 8
    let results = devices(limits: limits) { traffic in
      for _ in 0..<50 {
        traffic.scan()
        traffic.stopScan()
      }
    }
    #expect(results.scans.all.count <= 8 && results.scans.all.count + results.scans.forgotten == 50)
    #expect(results.scans.all.last?.ending == .host)
  }

  // MARK: The kernel's scans

  @Test func theKernelsDiscovery() {
    func found(_ traffic: inout Traffic) {
      // Device Found: address, LE random, -61 dBm, flags, 3 bytes.
      traffic.note(
        17,
        hex("00 00 00 00 12 00 55 44 33 22 11 c0 02 c3 00 00 00 00 03 00 02 01 06"))
    }
    let results = devices { traffic in
      traffic.note(17, hex("00 00 00 00 13 00 06 01"))
      found(&traffic)
      traffic.note(17, hex("00 00 00 00 13 00 06 00"))
    }
    #expect(results.scans.all.map(\.discovery) == [6] && results.scans.all.first?.ending == .host)
    #expect(results.all.first?.counts[.management] == 1 && results.all.first?.firstSignal == -61)
    let both = devices { traffic in
      traffic.scan()
      traffic.note(17, hex("00 00 00 00 13 00 06 01"))
      traffic.heard()
      found(&traffic)
    }
    #expect(both.scans.all.map(\.discovery) == [nil])
    #expect(both.all.first?.reports == 1 && both.all.first?.counts[.management] == 0)
  }

  // MARK: The host's own advertising

  @Test func legacyAdvertising() throws {
    let results = devices { traffic in
      traffic.done(0x2005, little(0xc0ff_ee00_0001, width: 6))
      // 100 to 150 ms, ADV_IND, own address random.
      traffic.done(0x2006, hex("a0 00 f0 00 00 01 00 00 00 00 00 00 00 07 00"))
      traffic.done(0x2008, [3] + hex("02 01 06") + [UInt8](repeating: 0, count: 28))
      traffic.done(0x2009, [5] + structure(9, Array("HRM".utf8)) + [UInt8](repeating: 0, count: 26))
      traffic.done(0x200a, [1])
      traffic.done(0x2008, [3] + hex("02 01 04") + [UInt8](repeating: 0, count: 28))
      traffic.connect(role: 1)
    }
    #expect(results.own.all.count == 1)
    let set = try #require(results.own.all.first)
    #expect(set.set == AdvertisingSet(.legacy, 0) && set.isSetUp && set.wasOn)
    #expect(set.parameters?.interval == 160...240 && set.parameters?.properties == 0x13)
    #expect(set.randomAddress?.value == 0xc0ff_ee00_0001)
    #expect(set.payloads.all.map(\.data.count) == [3, 5, 3] && set.changes == 1)
    #expect(set.payloads.all.map(\.stream.isScanResponse) == [false, true, false])
    #expect(set.periods.map(\.firstPacket) == [9] && set.periods.map(\.lastPacket) == [13])
    #expect(set.periods.first?.ending == .connection(1))
  }

  @Test func extendedSets() throws {
    let parameters = hex(
      "01 13 00 a0 00 00 a0 00 00 07 00 00 00 00 00 00 00 00 00 7f 01 00 02 05 00")
    let results = devices { traffic in
      traffic.perform(0x2036, parameters, returns: [0, 0])
      // In two fragments.
      traffic.done(0x2037, [1, 1, 0, 2] + hex("04 09"))
      traffic.done(0x2037, [1, 2, 0, 3] + Array("abc".utf8))
      // Unchanged data.
      traffic.done(0x2037, [1, 4, 0, 0])
      traffic.done(0x2039, hex("01 01 01 00 00 00"), status: 0x12)
      traffic.done(0x2039, hex("01 01 01 64 00 00"))
      // The duration has passed: Advertising Timeout.
      traffic.meta(0x12, hex("3c 01 00 00 00"))
      traffic.done(0x2039, hex("01 01 01 64 00 00"))
      traffic.done(0x203d, [])
      traffic.done(0x2035, [2] + little(0xc0ff_ee00_0002, width: 6))
    }
    let set = try #require(results.own.all.first)
    #expect(results.own.all.map(\.isSetUp) == [true, false])
    #expect(set.payloads.all.map(\.data) == [structure(9, Array("abc".utf8))])
    #expect(set.payloads.all.first?.stream.isLegacy == true)
    #expect(set.periods.map(\.refusal?.rawValue) == [0x12, nil, nil])
    #expect(set.periods.map(\.ending) == [nil, .controller(StatusCode(rawValue: 0x3c)), .host])
    #expect(set.parameters?.secondaryPHY == 0)
  }

  /// The last fragment of a key must not be taken for complete data: operations 1 first, 0
  /// intermediate, 2 last (Core, Vol 4, Part E, 7.8.54).
  @Test func partsWithoutABeginning() {
    func sent(_ build: (inout Traffic) -> Void) -> [[UInt8]]? {
      let results = devices { traffic in
        build(&traffic)
        traffic.done(0x2037, [1, 2, 0, 3] + Array("abc".utf8))
      }
      return results.own.all.first?.payloads.all.map(\.data)
    }
    let first: [UInt8] = [1, 1, 0, 2] + hex("04 09")
    #expect(sent { $0.done(0x2037, first) } == [structure(9, Array("abc".utf8))])
    #expect(sent { _ in } == [])
    #expect(sent { $0.done(0x2037, first, status: 0x12) } == [])
    let middleIsRefused = sent { traffic in
      traffic.done(0x2037, first)
      traffic.done(0x2037, [1, 0, 0, 2] + hex("04 09"), status: 0x07)
    }
    #expect(middleIsRefused == [])
    let isLost = sent { traffic in
      traffic.done(0x2037, first)
      traffic.add([1, 0x09, 0x10, 0], .sent, drops: 1)
    }
    #expect(isLost == [])
  }

  /// Data that the capture truncated: 10 of 31 bytes, and only the fragments before the first gap.
  @Test func dataThatIsCut() {
    let results = devices { traffic in
      let data = hex("02 01 06 1b ff 4c 00") + [UInt8](repeating: 0, count: 24)
      traffic.add([1] + little(0x2008) + [32, 31] + data, .sent, kept: 15)
      traffic.complete(0x2008)
      traffic.add([1] + little(0x2037) + [10, 1, 1, 0, 6] + data.prefix(6), .sent, kept: 10)
      traffic.complete(0x2037)
      traffic.done(0x2037, [1, 2, 0, 3] + hex("02 0a 04"))
    }
    let payloads = results.own.all.flatMap(\.payloads.all)
    #expect(payloads.map(\.isTruncated) == [true, true])
    #expect(payloads.map(\.data) == [hex("02 01 06 1b ff 4c 00 00 00 00"), hex("02 01")])
  }

  /// Records that are in two files are processed and counted once.
  @Test func recordsOfTwoFiles() {
    let results = devices { traffic in
      traffic.done(0x2008, [3] + hex("02 01 06") + [UInt8](repeating: 0, count: 28))
      traffic.heard(hex("02 01 06"))
      traffic.file = 1
      traffic.again(1...3)
    }
    #expect(results.own.all.flatMap(\.payloads.all).map(\.count) == [1])
    #expect(results.all.map(\.reports) == [1] && results.scans.all.map(\.reports) == [1])
  }

  /// High duty cycle directed advertising ends after at most 1.28 s (Core, Vol 4, Part E, 7.8.9).
  @Test func directedAdvertisingThatTimesOut() {
    let results = devices { traffic in
      traffic.done(0x2006, hex("20 00 20 00 01 00 00 01 02 03 04 05 06 07 00"))
      traffic.done(0x200a, [1])
      traffic.connect(0, peer: 0, type: 0, role: 1, status: 0x3c)
      traffic.done(0x1009, [])
    }
    let periods = results.own.all.flatMap(\.periods)
    #expect(periods.map(\.ending) == [.controller(StatusCode(rawValue: 0x3c))])
    #expect(periods.map(\.lastPacket) == [5])
  }

  @Test func androidsInstances() throws {
    let results = devices { traffic in
      traffic.perform(
        0xfd54,
        [1] + hex("a0 00 a0 00 00 01") + little(0x4011_2233_4455, width: 6)
          + hex("00 00 00 00 00 00 00 07 00 03 f9"), returns: [0, 1])
      traffic.perform(
        0xfd54, [2, 3] + hex("02 01 06") + [UInt8](repeating: 0, count: 28) + [3], returns: [0, 2])
      traffic.perform(0xfd54, hex("05 01 03"), returns: [0, 5])
      traffic.event(0xff, hex("55 03 00 40 00"))
    }
    let set = try #require(results.own.all.first)
    #expect(set.set == AdvertisingSet(.android, 3))
    #expect(set.randomAddress?.value == 0x4011_2233_4455)
    #expect(set.payloads.all.map(\.data) == [hex("02 01 06")])
    #expect(set.periods.first?.ending == .connection(nil) && set.periods.first?.lastPacket == 7)
  }

  @Test func ownSetsAreBounded() {
    var limits = Limits()
    limits.ownSets = 3
    limits.ownPeriods = 2
    let results = devices(limits: limits) { traffic in
      for handle: UInt8 in 0..<10 {
        for _ in 0..<4 {
          traffic.done(0x2039, [1, 1, handle, 0, 0, 0])
          traffic.done(0x2039, [0, 1, handle, 0, 0, 0])
        }
      }
    }
    #expect(results.own.all.count == 3 && results.own.hasMore)
    #expect(results.own.all.map(\.furtherPeriods) == [2, 2, 2])
    #expect(results.own.all.first?.periods.last?.ending == .host)
  }

  /// Commands with truncated or wrong parameters.
  @Test func commandsThatAreCut() {
    let whole: [(Int, [UInt8])] = [
      (0x200b, hex("01 a0 00 a0 00 00 00")),
      (0x2041, hex("00 01 05 01 a0 00 a0 00 00 60 00 30 00")),
      (0x2042, hex("01 02 64 00 02 00")), (0x200c, [1, 0]),
      (0x2006, hex("f0 00 a0 00 01 01 00 00 00 00 00 00 00 07 00")), (0x2008, hex("ff 01 02")),
      (0x2037, hex("01 03 00 ff 01 02")), (0x2039, hex("01 ff 00 00 00 00")),
      (0xfd54, hex("02 ff 01 02")), (0xfd54, [9]), (0x203f, hex("01 03 01 00")), (0x2040, [1, 1]),
    ]
    for (opcode, parameters) in whole {
      for count in 0...parameters.count {
        let results = devices { $0.done(opcode, Array(parameters.prefix(count))) }
        #expect(results.all.isEmpty)
      }
    }
  }
}
