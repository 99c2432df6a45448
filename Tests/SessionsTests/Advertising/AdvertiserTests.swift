// The advertisers and advertisements that `Advertisers` collects from reports.

import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

/// Collects what `devices` shows, without its text output.
struct DeviceRecording: PacketReport {
  var advertisers: Advertisers
  /// The packets whose reports count.
  var counted: ClosedRange<Int> = 1...Int.max

  var isSatisfied: Bool { false }

  mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    advertisers.observe(packet, memory, isCounted: counted.contains(packet.record.number))
  }

  mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    advertisers.finish(memory)
  }
}

extension Advertisers {
  /// The devices in the order of their first packets.
  var all: [Advertiser] { order.map { devices[$0] } }
}

/// Returns the advertisers in the records of `build`.
func devices(
  limits: Limits = Limits(), counted: ClosedRange<Int> = 1...Int.max,
  _ build: (inout Traffic) -> Void
) -> Advertisers {
  var traffic = Traffic()
  build(&traffic)
  var recording = DeviceRecording(advertisers: Advertisers(limits), counted: counted)
  traffic.report(to: &recording, limits)
  return recording.advertisers
}

extension Traffic {
  /// Appends a command and its Command Complete.
  mutating func done(_ opcode: Int, _ parameters: [UInt8], status: UInt8 = 0) {
    command(opcode, parameters)
    complete(opcode, [status])
  }

  /// Appends LE Set Scan Parameters (active or passive, an interval of 100 ms, and a window of 100
  /// ms by default, in slots) and LE Set Scan Enable.
  mutating func scan(filter: UInt8 = 0, isActive: Bool = true, window: Int = 160) {
    done(0x200b, [isActive ? 1 : 0] + little(160) + little(window) + [0, 0])
    done(0x200c, [1, filter])
  }

  /// Appends an LE Set Scan Enable that stops scanning.
  mutating func stopScan() { done(0x200c, [0, 0]) }

  /// Appends an LE Advertising Report with one report; event 0 ADV_IND, 3 ADV_NONCONN_IND, 4
  /// SCAN_RSP.
  mutating func heard(
    _ data: [UInt8] = [], from address: Int = 0xc011_2233_4455, type: UInt8 = 1,
    event: UInt8 = 0, rssi: Int8 = -60
  ) {
    meta(
      0x02,
      [1, event, type] + little(address, width: 6) + [UInt8(data.count)] + data
        + [UInt8(bitPattern: rssi)])
  }
}

/// Returns the minimum, median and maximum level.
func levels(_ signals: SignalLevels?) -> [Int]? {
  signals?.range.map { [$0.min, $0.median, $0.max] }
}

func structure(_ type: UInt8, _ data: [UInt8]) -> [UInt8] { [UInt8(data.count + 1), type] + data }

@Suite struct AdvertiserTests {
  /// ADV_IND, ADV_NONCONN_IND (3) and SCAN_RSP (4) of one device: only the first is scannable.
  @Test func scanResponsesOfWhatIsScannable() {
    let results = devices { traffic in
      traffic.scan()
      traffic.heard(hex("02 01 06"))
      traffic.heard(hex("03 ff 4c 00"), event: 3)
      traffic.heard(structure(9, Array("ABC".utf8)), event: 4)
    }
    #expect(results.all.map { $0.joins.map(\.advertisement) } == [[0]])
    #expect(results.all.map { $0.joins.map(\.response) } == [[2]])
    let lonely = devices { traffic in
      traffic.scan()
      traffic.heard(hex("03 ff 4c 00"), event: 3)
      traffic.heard(structure(9, Array("ABC".utf8)), event: 4)
    }
    #expect(lonely.all.map(\.joins.count) == [0])
  }

  /// Some controllers set upper bits of Event_Type, which the specification reserves.
  @Test func reservedTypes() {
    let results = devices { traffic in
      traffic.scan()
      traffic.heard(hex("02 01 06"), event: 0x10)
      traffic.heard(hex("02 01 06"), event: 0x20)
    }
    #expect(results.all.map { $0.counts[.reserved] } == [2])
    #expect(results.all.map(\.reports) == [2])
    #expect(results.all.map { $0.wasConnectable || $0.wasNotConnectable } == [false])
  }

  @Test func connectionsBehindTheFirstFew() {
    var numbers = ConnectionNumbers()
    for connection in [3, 3, 1, 5, 5, 5, 6, 5, 6, 7, 7] { numbers.note(connection, limit: 2) }
    #expect(numbers.first == [3, 1] && numbers.count == 5 && numbers.latest == 7)
    var others = ConnectionNumbers()
    for connection in [1, 2] { others.note(connection, limit: 2) }
    numbers.absorb(others, limit: 2)
    #expect(numbers.first == [1, 2] && numbers.count == 6)
  }

  /// Twenty connections with one device, then its identity for many private addresses.
  @Test func connectionsAreCountedOnce() {
    let results = devices { traffic in
      for _ in 0..<20 {
        traffic.connect()
        traffic.ask("0a 03 00", "0b 01")
        traffic.disconnect()
      }
    }
    #expect(results.all.map(\.connectionCount) == [20])
    #expect(results.all.map(\.connections) == [Array(1...16)])
    // LE Enhanced Connection Complete (0x0a): identity, and the resolvable address 40:00:…
    let united = devices { traffic in
      for device in 0..<20 {
        let address = little(0x4000_0000_0000 + device, width: 6)
        for _ in 0..<10 { traffic.connect(peer: 0x4000_0000_0000 + device) }
        traffic.meta(
          0x0a,
          [0, 0x40, 0, 0, 2] + [1, 1, 1, 1, 1, 1] + [0, 0, 0, 0, 0, 0] + address
            + hex("18 00 00 00 48 00 00"))
      }
    }
    #expect(united.all.map(\.connectionCount) == [220], "\(united.all.map(\.connectionCount))")
    #expect(united.all.map(\.connections.count) == [16])
  }

  // MARK: Signal strength and interval

  @Test func signalsOnlyWithDuplicates() throws {
    let results = devices { traffic in
      traffic.scan()
      for rssi: Int8 in [-70, -50, -61, -60, 127] { traffic.heard(rssi: rssi) }
    }
    // 127 means no signal; of the four others, the second is the median.
    #expect(levels(results.all.first?.signals) == [-70, -61, -50])
    let filtered = devices { traffic in
      traffic.scan(filter: 1)
      traffic.heard(rssi: -70)
      traffic.heard(rssi: -50)
    }
    #expect(filtered.all.first?.signals.range == nil)
    #expect(filtered.all.first?.filteredReports == 2 && filtered.all.first?.gaps == nil)
    #expect(filtered.all.first?.firstSignal == -70)
    let unknown = devices { $0.heard() }
    #expect(unknown.all.first?.signals.range == nil && unknown.all.first?.doubtfulReports == 1)
  }

  @Test func theMedian() {
    var levels = SignalLevels()
    for level: Int8 in [5, -100, 5, 5, -30] { levels.add(level) }
    #expect(SessionsTests.levels(levels) == [-100, 5, 5])
    var others = SignalLevels()
    others.add(-128)
    levels.absorb(others)
    #expect(SessionsTests.levels(levels) == [-128, -30, 5] && levels.count == 6)
    var alike = SignalLevels()
    #expect(alike.range == nil)
    for _ in 0..<3 { alike.add(-40) }
    #expect(SessionsTests.levels(alike) == [-40, -40, -40] && alike.count == 3)
    alike.absorb(SignalLevels())
    alike.absorb(others)
    alike.absorb(alike)
    #expect(SessionsTests.levels(alike) == [-128, -40, -40] && alike.count == 8)
  }

  /// Milliseconds between reports, and the advertising interval behind them.
  @Test(
    arguments: [
      ([100, 100, 100], 100), ([100], nil), ([100, 101], 100),
      // Missed events make the gap a multiple.
      ([103, 206, 105, 310, 104, 102], 103),
      // The same event, received on three channels within milliseconds.
      ([1, 1, 98, 1, 1, 98, 1, 1, 98], 100),
      // Out of range for a while.
      ([20, 21, 22, 20, 21, 70_000, 20, 22], 20),
    ] as [([Int], Int?)])
  func interval(_ gaps: [Int], _ expected: Int?) {
    let results = devices { traffic in
      traffic.scan()
      traffic.heard()
      for gap in gaps {
        traffic.clock += gap - 1
        traffic.heard()
      }
    }
    let estimate = results.all.first?.gaps?.estimate
    #expect(estimate.map { $0 / 1000 } == expected)
    #expect(results.all.first?.scanPaused == false)
  }

  @Test func intervalsAreOfOneScan() {
    let results = devices { traffic in
      traffic.scan(window: 80)
      traffic.heard()
      traffic.clock += 99
      traffic.heard()
      traffic.stopScan()
      traffic.scan(window: 80)
      traffic.clock += 5000
      traffic.heard()
      traffic.clock += 99
      traffic.heard()
    }
    #expect(results.all.first?.gaps?.estimate == 100_000 && results.all.first?.gaps?.count == 2)
    // The scanner listened for half of the time.
    #expect(results.all.first?.scanPaused == true)
  }

  // MARK: Data

  @Test func scanResponsesAreJoined() throws {
    let response = structure(9, Array("HRM".utf8))
    let results = devices { traffic in
      traffic.scan()
      traffic.heard(response, event: 4)
      for value: UInt8 in [1, 1, 2] {
        traffic.heard(structure(0xff, [0x59, 0, value]))
        traffic.heard(response, event: 4)
      }
      traffic.heard(structure(0xff, [0x59, 0, 2]), from: 0xc0ff_ffff_ffff)
    }
    let device = try #require(results.all.first)
    #expect(device.payloads.all.map(\.count) == [4, 2, 1])
    // The first response came before any advertisement; another device's does not count.
    #expect(device.joins.map(\.advertisement) == [1, 2])
    #expect(device.joins.map(\.response) == [0, 0] && device.joins.map(\.count) == [2, 1])
    #expect(device.counts[.advInd] == 3 && device.counts[.scanRsp] == 4 && device.reports == 7)
    #expect(results.all.count == 2 && results.all[1].joins.isEmpty)
  }

  @Test func whenDataChanged() throws {
    let results = devices { traffic in
      traffic.scan()
      for value: UInt8 in [1, 1, 2, 2, 1] { traffic.heard([2, 10, value]) }
      // Data in another kind of report is not a change.
      traffic.heard([2, 10, 9], event: 3)
    }
    let device = try #require(results.all.first)
    #expect(device.changes == 2 && device.lastChange == 9)
    #expect(device.payloads.all.map(\.firstPacket) == [5, 7, 10])
    #expect(device.payloads.all.map(\.lastPacket) == [9, 8, 10])
    #expect(device.wasConnectable && device.wasNotConnectable)
  }

  @Test func distinctDataIsBounded() throws {
    var limits = Limits()
    limits.otherPayloads = 50
    let results = devices(limits: limits) { traffic in
      for value in 0..<40 { traffic.heard([2, 10, UInt8(value)]) }
      for value in 0..<40 { traffic.heard([2, 10, UInt8(value)]) }
    }
    let device = try #require(results.all.first)
    #expect(device.payloads.all.count == 16 && device.payloads.otherCount == 24)
    #expect(!device.payloads.hasMoreOthers && device.changes == 79)
    limits.otherPayloads = 10
    limits.payloadBytes = 9
    let fewer = devices(limits: limits) { traffic in
      for value in 0..<40 { traffic.heard([2, 10, UInt8(value)]) }
    }
    #expect(fewer.all.first?.payloads.all.count == 3)
    #expect(fewer.all.first?.payloads.otherCount == 10)
    #expect(fewer.all.first?.payloads.hasMoreOthers == true)
  }

  @Test func onlyWhatIsAskedForCounts() {
    let results = devices(counted: 6...7) { traffic in
      traffic.scan()
      for rssi: Int8 in [-10, -20, -30, -40] { traffic.heard(rssi: rssi) }
    }
    #expect(results.all.first?.reports == 2 && results.all.first?.firstReport == 6)
    #expect(results.scans.all.first?.reports == 2)
    #expect(levels(results.all.first?.signals) == [-30, -30, -20])
  }

  // MARK: Identities and connections

  @Test func onesWithoutAdvertising() {
    let results = devices { traffic in
      traffic.heard()
      traffic.connect()
      traffic.connect(0x41, peer: 0xc0ff_ffff_ffff)
      traffic.sent("0a 03 00", handle: 0x50)
    }
    #expect(results.all.map(\.connections) == [[1], [2]])
    #expect(results.all.map(\.reports) == [1, 0])
    #expect(results.unknownPeers.map(\.connection) == [3])
  }

  @Test func addressesOfOneIdentity() throws {
    let (first, second, identity) = (0x4011_2233_4455, 0x5011_2233_4455, 0xc011_2233_4455)
    let results = devices { traffic in
      traffic.scan()
      for (address, rssi) in [(first, Int8(-50)), (second, -60)] {
        traffic.heard([2, 10, 1], from: address, rssi: rssi)
        // LE Enhanced Connection Complete: the peer's identity, then its resolvable address.
        traffic.meta(
          0x0a,
          [0] + little(0x40) + [0, 3] + little(identity, width: 6)
            + [UInt8](repeating: 0, count: 6) + little(address, width: 6)
            + hex("18 00 00 00 48 00 00"))
        traffic.disconnect()
      }
    }
    #expect(results.all.count == 1)
    let device = try #require(results.all.first)
    #expect(device.address?.value == UInt64(identity) && device.addressKind == .randomIdentity)
    #expect(device.otherAddresses.map { Int($0.value) } == [first, second])
    #expect(device.reports == 2 && device.connections == [1, 2])
    #expect(device.payloads.all.map(\.count) == [2] && device.firstSignal == -50)
    #expect(levels(device.signals) == [-60, -60, -50])
  }

  // MARK: Parts

  @Test func partsAreOneAdvertisement() throws {
    func part(_ data: [UInt8], _ status: Int) -> [UInt8] {
      [1] + little(status << 5) + [1] + little(0xc011_2233_4455, width: 6)
        + [1, 2, 3, 127, 0xc4] + [UInt8](repeating: 0, count: 9) + [UInt8(data.count)] + data
    }
    let data = structure(9, Array("in two parts".utf8))
    let results = devices { traffic in
      traffic.done(0x2041, hex("00 00 01 01 a0 00 a0 00"))
      traffic.done(0x2042, hex("01 00 00 00 00 00"))
      traffic.meta(0x0d, part(Array(data.prefix(5)), 1))
      traffic.meta(0x0d, part(Array(data.dropFirst(5)), 0))
      traffic.meta(0x0d, part([2, 1], 2))
    }
    let device = try #require(results.all.first)
    #expect(device.counts[.extended] == 2 && device.signals.count == 2)
    #expect(device.payloads.all.map(\.data) == [data, [2, 1]])
    #expect(device.payloads.all.map(\.isTruncated) == [false, true])
    #expect(device.lastPacket == 7 && device.secondaryPHYs == 4)
    #expect(results.scans.all.first?.reports == 2)
  }

  // MARK: Floods

  @Test func aFloodOfAddressesIsBounded() {
    var limits = Limits()
    limits.listedAdvertisers = 100
    let results = devices(limits: limits) { traffic in
      traffic.scan()
      for number in 0..<2000 {
        traffic.heard([2, 10, 1], from: 0xc000_0000_0000 + number)
        // A device that is always present is kept.
        if number % 20 == 0 { traffic.heard([2, 10, 2], from: 0xd0d0_d0d0_d0d0) }
      }
    }
    #expect(results.all.count == 100)
    #expect(results.forgotten == 1901)
    #expect(results.all.first?.address?.value == 0xd0d0_d0d0_d0d0)
    #expect(results.all.first?.reports == 100)
    // The memory of forgotten advertisers is free again.
    #expect(results.budget.bytes == limits.payloadBytes - 300)
  }

  @Test func anonymousAndCutReports() {
    let results = devices { traffic in
      traffic.heard([2, 10, 1], type: 0xff)
      traffic.event(0x3e, hex("02 01 00 01 55 44 33 22 11 c0 05 02"))
      traffic.event(0x3e, hex("02 ff"))
      traffic.event(0x3e, hex("0d 01"))
      traffic.event(0x02, hex("02 01 02"))
    }
    #expect(results.all.map(\.address?.value) == [nil, 0xc011_2233_4455])
    #expect(results.all.last?.payloads.all.first?.isTruncated == true)
  }
}
