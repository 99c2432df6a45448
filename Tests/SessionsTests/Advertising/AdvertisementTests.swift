import Bluetooth
import Bytes
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

/// Returns AD structures with a complete (9) or shortened (8) name.
private func name(_ text: String, type: UInt8 = 9) -> [UInt8] {
  [UInt8(text.utf8.count + 1), type] + Array(text.utf8)
}

extension Traffic {
  /// Appends an LE Advertising Report with one report.
  fileprivate mutating func advertise(
    _ data: [UInt8], from address: Int = 0xc011_2233_4455, type: UInt8 = 1, event: UInt8 = 0
  ) {
    meta(
      0x02,
      [1, event, type] + little(address, width: 6) + [UInt8(data.count)] + data + [0xc4])
  }

  /// Appends an LE Extended Advertising Report with one report; `status` 0 complete, 1 more to
  /// come, 2 truncated.
  fileprivate mutating func extended(
    _ data: [UInt8], _ status: Int, from address: Int = 0xc011_2233_4455, sid: UInt8 = 1,
    properties: Int = 0, type: UInt8 = 1
  ) {
    let report =
      little(status << 5 | properties) + [type] + little(address, width: 6) + [1, 1, sid, 127, 127]
      + [UInt8](repeating: 0, count: 9) + [UInt8(data.count)] + data
    meta(0x0d, [1] + report)
  }

  /// Appends an LE Periodic Advertising Report.
  fileprivate mutating func periodic(_ data: [UInt8], _ status: UInt8, sync: Int = 1) {
    meta(0x0f, little(sync) + [127, 127, 0xff, status, UInt8(data.count)] + data)
  }
}

@Suite struct AdvertisementTests {
  private let address = DeviceAddress(value: 0xc011_2233_4455)

  private func text(
    _ results: Recording, _ address: Int = 0xc011_2233_4455, _ type: AddressType = .random
  )
    -> String?
  {
    let entry = results.memory.names.find(DeviceAddress(value: UInt64(address)), type)
    return entry.flatMap { results.memory.names[$0] }.map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Names

  @Test func namesAreLearnt() {
    let results = run { traffic in
      traffic.advertise([2, 1, 6] + name("gatt"))
      traffic.connect()
      traffic.connect(0x41, type: 0)
    }
    let names = results.memory.names
    #expect(results[2].connection?.name.flatMap { names[$0] } == Array("gatt".utf8))
    // A public address with the same number belongs to another device.
    #expect(results[3].connection?.name == nil)
  }

  @Test func namesOfBREDRLinks() {
    let results = run { traffic in
      traffic.advertise(name("dual"), from: 0x1122_3344_5566, type: 0)
      traffic.event(0x03, hex("00 01 00 66 55 44 33 22 11 01 00"))
    }
    #expect(results[2].connection?.name.flatMap { results.memory.names[$0] } == Array("dual".utf8))
  }

  @Test func shortenedNamesNeverReplaceCompleteOnes() {
    #expect(text(run { $0.advertise(name("ga", type: 8)) }) == "ga")
    let results = run { traffic in
      traffic.advertise(name("ga", type: 8))
      traffic.advertise(name("gatt"))
      traffic.advertise(name("ga", type: 8))
    }
    #expect(text(results) == "gatt")
    let renamed = run { traffic in
      traffic.advertise(name("gatt"))
      traffic.advertise(name("scope"), event: 4)
    }
    #expect(text(renamed) == "scope")
  }

  @Test func namesThatAreNone() {
    #expect(text(run { $0.advertise(name("")) }) == nil)
    #expect(text(run { $0.advertise([9, 9, 0x61]) }) == nil)
    #expect(text(run { $0.advertise([]) }) == nil)
    // A name without an owner.
    let anonymous = run { $0.advertise(name("x"), type: 0xff) }
    #expect(entries("names", of: anonymous.memory.names) == 0)
  }

  @Test func resolvedAddressesAreTheSameDevice() {
    let results = run { $0.advertise(name("gatt"), type: 3) }
    #expect(text(results, 0xc011_2233_4455, .random) == "gatt")
    #expect(text(results, 0xc011_2233_4455, .public) == nil)
  }

  // MARK: Fragments

  @Test(arguments: [[3], [3, 5], [1, 1, 1, 1], [9], [0]])
  func fragments(_ sizes: [Int]) {
    let data = [2, 1, 6] + name("fragmented")
    let results = run { traffic in
      var left = data[...]
      for size in sizes {
        traffic.extended(Array(left.prefix(size)), 1)
        left = left.dropFirst(size)
      }
      traffic.extended(Array(left), 0)
      traffic.extended(name("alone"), 0, from: 0xc0ff_ffff_ffff)
    }
    let last = sizes.count + 1
    #expect(results[last].advertised == [data] && results[last].chains == [Array(1...last)])
    #expect(text(results) == "fragmented")
    #expect(results[last + 1].chains == [[]])
    #expect(results.problems == [])
  }

  /// A later fragment may begin anywhere: bytes in it that look like a name are not one.
  @Test func fragmentsAloneTeachNothing() {
    let results = run { traffic in
      traffic.extended([20, 0xff, 1, 2], 1)
      traffic.extended(name("wrong"), 1)
    }
    #expect(text(results) == nil)
  }

  /// Chains are separate by advertiser, set, scan response and adapter.
  @Test func interleaved() {
    let results = run { traffic in
      traffic.extended([1], 1)
      traffic.extended([2], 1, from: 0xc0ff_ffff_ffff)
      traffic.extended([3], 1, sid: 2)
      traffic.extended([4], 1, properties: 8)
      traffic.adapter = 1
      traffic.extended([5], 1)
      traffic.extended([50], 0)
      traffic.adapter = 0
      traffic.extended([40], 0, properties: 8)
      traffic.extended([30], 0, sid: 2)
      traffic.extended([20], 0, from: 0xc0ff_ffff_ffff)
      traffic.extended([10], 0)
    }
    #expect(
      results.packets[5...].flatMap(\.advertised) == [
        [5, 50], [4, 40], [3, 30], [2, 20], [1, 10],
      ])
    #expect(
      results.packets[5...].flatMap(\.chains) == [[5, 6], [4, 7], [3, 8], [2, 9], [1, 10]])
  }

  /// Reports before a reset do not continue after it.
  @Test func resetForgetsWhatIsOpen() {
    let results = run { traffic in
      traffic.extended([1], 1)
      traffic.complete(0x0c03)
      traffic.extended([2], 1)
      traffic.extended([3], 0)
    }
    #expect(results[4].advertised == [[2, 3]] && results[4].chains == [[3, 4]])
  }

  @Test func fragmentsOfOneEvent() {
    let results = run { traffic in
      func report(_ data: [UInt8], _ status: Int) -> [UInt8] {
        little(status << 5) + [1] + little(0xc011_2233_4455, width: 6) + [1, 1, 1, 127, 127]
          + [UInt8](repeating: 0, count: 9) + [UInt8(data.count)] + data
      }
      traffic.meta(0x0d, [2] + report([1], 1) + report([2], 0))
    }
    #expect(results[1].advertised == [[1], [1, 2]] && results[1].chains == [[], [1, 1]])
  }

  @Test func truncatedByTheController() {
    let results = run { traffic in
      traffic.extended(name("whole") + [9, 9], 1)
      traffic.extended([0x61], 2)
      traffic.extended([1], 0)
    }
    #expect(results[2].advertised == [name("whole") + [9, 9, 0x61]])
    #expect(text(results) == "whole")
    #expect(results[3].chains == [[]])
  }

  @Test func periodic() {
    let results = run { traffic in
      traffic.periodic([1], 1)
      traffic.periodic([2], 1, sync: 2)
      traffic.periodic([10], 0)
      traffic.periodic([20], 2, sync: 2)
    }
    #expect(results.packets.flatMap(\.advertised) == [[1], [2], [1, 10], [2, 20]])
  }

  @Test func legacyReportsAreWhole() {
    let results = run { traffic in
      traffic.advertise([1], event: 0x20)
      traffic.advertise([2], event: 0)
    }
    #expect(results[2].advertised == [[2]] && results[2].chains == [[]])
  }

  // MARK: Malformed reports

  /// A wrong count is a single problem, and the reports before it are kept.
  @Test func countsThatLie() {
    let results = run { traffic in
      let report = [0, 1] + little(0xc011_2233_4455, width: 6) + [0, 0xc4]
      traffic.meta(0x02, [2] + report)
      traffic.meta(0x02, [1] + report + [1, 2])
    }
    #expect(results[1].problems == ["tooShort(1,0)"] && results[1].advertised == [[]])
    #expect(results[2].problems == ["leftOver(2,0)"])
  }

  @Test func cutByTheCapture() {
    let results = run { traffic in
      traffic.event(0x3e, [0x02, 1, 0, 1] + little(1, width: 6) + [3, 1, 2, 3, 0xc4], kept: 14)
    }
    // The rest of the report is kept: the advertiser.
    #expect(results.problems == ["truncated(14,18)"] && results[1].advertised == [[]])
  }

  /// Only complete data can be malformed, and is reported once.
  @Test func onlyWholeDataIsBroken() {
    let results = run { traffic in
      traffic.advertise([2, 1, 6, 5, 9, 0x41])
      traffic.extended([2, 1, 6, 5, 9, 0x41], 1)
      traffic.extended([0x42, 0x43, 0x44], 0)
      traffic.extended([5, 9, 0x41], 1)
      traffic.extended([0x42], 0)
      traffic.extended([5, 9, 0x41], 2)
    }
    #expect(results[1].problems == ["advertisingStructureTooLong(5,2)"])
    #expect(results[2].problems == [] && results[3].problems == [] && results[4].problems == [])
    #expect(results[5].problems == ["advertisingStructureTooLong(5,3)"])
    #expect(results[6].problems == [])
  }

  @Test func reportsAreOfOnePacket() {
    let results = run { traffic in
      traffic.advertise([2, 1, 6])
      traffic.command(0x0c03)
    }
    #expect(results[1].advertised.count == 1 && results[2].advertised == [])
  }

  // MARK: Limits

  /// A chain over the limit is abandoned, and its end is not an advertisement of its own.
  @Test func bytesOfAChainAreBounded() {
    var limits = Limits()
    limits.advertisingBytes = 100
    let results = run(limits: limits) { traffic in
      for _ in 0..<4 { traffic.extended(name(String(repeating: "7", count: 38)), 1) }
      traffic.extended(name("wrong"), 0)
      traffic.extended(name("right"), 0)
    }
    #expect(results[3].problems == ["advertisementTooLong(100,0)"] && results[4].problems == [])
    #expect(results[5].problems == [])
    #expect(results[5].chains == [[]])
    #expect(results[6].problems == [] && text(results) == "right")
    let second = run(limits: limits) { traffic in
      for _ in 0..<4 { traffic.extended(name(String(repeating: "7", count: 38)), 1) }
      traffic.extended(name("wrong"), 0)
    }
    #expect(text(second) == nil)
  }

  /// Empty fragments are bounded in number like fragments of ACL data.
  @Test func packetsOfAChainAreBounded() {
    var limits = Limits()
    limits.fragmentNumbers = 5
    let results = run(limits: limits) { traffic in
      for _ in 0..<50 { traffic.extended([], 1) }
      traffic.extended([1], 0)
    }
    #expect(results[51].advertised == [[1]] && results[51].chains == [[1, 2, 3, 4, 5, 51]])
  }

  @Test func chainsAreBounded() {
    var limits = Limits()
    limits.advertisingChains = 3
    let results = run(limits: limits) { traffic in
      for index in 0..<30 { traffic.extended([3, 8, UInt8(index)], 1, from: index) }
      // The oldest were forgotten; 27, 28 and 29 are remembered.
      for index in 26..<30 { traffic.extended([0], 0, from: index) }
    }
    #expect(
      results.packets[30...].flatMap(\.advertised) == [
        [0], [3, 8, 27, 0], [3, 8, 28, 0], [3, 8, 29, 0],
      ])
    #expect(entries("chains", of: results.memory.advertisements) == 3)
    // Reported once, however many follow.
    #expect(results.problems == ["limitReached(3,8)"])
  }

  @Test func namesAreBounded() {
    var limits = Limits()
    limits.names = 4
    let results = run(limits: limits) { traffic in
      for index in 0..<40 { traffic.advertise(name("n\(index)"), from: index) }
      traffic.connect(peer: 39)
      traffic.connect(0x41, peer: 35)
      // An open link's name may be forgotten, but is never replaced by another's.
      for index in 40..<44 { traffic.advertise(name("n\(index)"), from: index) }
    }
    let names = results.memory.names
    #expect(entries("names", of: names) == 4 && entries("index", of: names) == 4)
    #expect((0..<44).filter { text(results, $0) != nil } == [40, 41, 42, 43])
    #expect(results[42].connection?.name == nil)
    #expect(results[41].connection?.name != nil)
    #expect(results[41].connection?.name.flatMap { names[$0] } == nil)
  }
}
