// Periodic advertising: which train a report belongs to, and data without its first part.

import Bluetooth
import Bytes
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

extension Traffic {
  /// Appends an LE Periodic Advertising Sync Established, version 1 or 2.
  fileprivate mutating func sync(
    _ handle: Int, from address: Int = 0xc011_2233_4455, type: UInt8 = 1, sid: UInt8 = 3,
    status: UInt8 = 0, isVersion2: Bool = false
  ) {
    meta(
      isVersion2 ? 0x24 : 0x0e,
      [status] + little(handle) + train(address, type, sid) + (isVersion2 ? [1, 6, 2, 8] : []))
  }

  /// Appends an LE Periodic Advertising Sync Transfer Received, version 1 or 2.
  fileprivate mutating func transfer(_ handle: Int, sid: UInt8 = 3, isVersion2: Bool = false) {
    meta(
      isVersion2 ? 0x26 : 0x18,
      [0] + little(0x40) + little(0xabcd) + little(handle) + train(0xc011_2233_4455, 1, sid)
        + (isVersion2 ? [1, 6, 2, 8] : []))
  }

  private func train(_ address: Int, _ type: UInt8, _ sid: UInt8) -> [UInt8] {
    [sid, type] + little(address, width: 6) + [1] + little(0x50) + [0]
  }

  /// Appends an LE Periodic Advertising Report; status 0 complete, 1 more to come, 2 truncated.
  fileprivate mutating func report(
    _ handle: Int, _ data: [UInt8], _ status: UInt8 = 0, subevent: UInt8? = nil
  ) {
    let head = little(handle) + [127, 127, 0xff]
    let tail = [status, UInt8(data.count)] + data
    if let subevent {
      meta(0x25, head + [5, 0, subevent] + tail)
    } else {
      meta(0x0f, head + tail)
    }
  }

  /// Appends an LE Periodic Advertising Response Report with one response.
  fileprivate mutating func response(
    set: UInt8 = 0, subevent: UInt8 = 0, slot: UInt8 = 0, _ data: [UInt8], _ status: UInt8 = 0
  ) {
    meta(0x28, [set, subevent, 0, 1, 127, 127, 0xff, slot, status, UInt8(data.count)] + data)
  }

  /// Appends an LE Extended Advertising Report with one report; status 0 complete, 1 more to come.
  fileprivate mutating func extended(
    _ data: [UInt8], _ status: Int, from address: Int = 0xc011_2233_4455
  ) {
    meta(
      0x0d,
      [1] + little(status << 5) + [1] + little(address, width: 6) + [1, 1, 1, 127, 127]
        + [UInt8](repeating: 0, count: 9) + [UInt8(data.count)] + data)
  }
}

@Suite struct PeriodicTests {
  private let train = PeriodicTrain(
    address: DeviceAddress(value: 0xc011_2233_4455), addressType: .random, sid: 3)

  @Test func trainsAreKnownByTheirHandles() {
    let other = PeriodicTrain(
      address: DeviceAddress(value: 0x1122_3344_5566), addressType: .public, sid: 1)
    let results = run { traffic in
      traffic.report(1, [])
      traffic.sync(1)
      traffic.sync(2, from: 0x1122_3344_5566, type: 0, sid: 1, isVersion2: true)
      traffic.report(1, [])
      traffic.report(2, [], subevent: 0)
      traffic.report(3, [])
      // LE BIGInfo Advertising Report.
      traffic.meta(0x22, little(2) + [UInt8](repeating: 0, count: 17))
    }
    #expect(results[1].trains == [nil] && results[6].trains == [nil])
    #expect(
      results[4].trains == [train] && results[5].trains == [other] && results[7].trains == [other])
    #expect(results.problems == [])
  }

  @Test(arguments: [false, true])
  func trainsThatWerePassedOn(_ isVersion2: Bool) {
    let results = run { traffic in
      traffic.transfer(1, isVersion2: isVersion2)
      traffic.report(1, [])
    }
    #expect(results[2].trains == [train])
  }

  @Test func anonymousTrains() {
    let results = run { traffic in
      traffic.sync(1, type: 0xff)
      traffic.report(1, [])
    }
    #expect(results[2].trains == [PeriodicTrain(address: nil, addressType: .anonymous, sid: 3)])
  }

  @Test func trainsEnd() {
    let results = run { traffic in
      traffic.sync(1, status: 0x3e)
      traffic.report(1, [])
      traffic.sync(1)
      traffic.meta(0x10, little(1))
      traffic.report(1, [])
      traffic.sync(1)
      traffic.adapter = 1
      traffic.report(1, [])
      traffic.adapter = 0
      // Reset.
      traffic.complete(0x0c03)
      traffic.report(1, [])
      // A handle is reused for another train.
      traffic.sync(1)
      traffic.sync(1, sid: 9)
      traffic.report(1, [])
    }
    #expect([2, 5, 7, 9].map { results[$0].trains } == [[nil], [nil], [nil], [nil]])
    #expect(results[12].trains.map { $0?.sid } == [9])
  }

  @Test func trainsAreBounded() {
    var limits = Limits()
    limits.periodicTrains = 3
    let results = run(limits: limits) { traffic in
      for handle in 0..<20 { traffic.sync(handle) }
      for handle in 16..<20 { traffic.report(handle, []) }
    }
    #expect(results.packets[20...].flatMap(\.trains) == [nil, train, train, train])
    #expect(results.problems == ["limitReached(3,9)"])
  }

  // MARK: Parts

  @Test func partsOfATrainAreJoined() {
    let results = run { traffic in
      traffic.report(1, [4, 0x30, 0x61], 1)
      traffic.report(2, [4, 0x30, 0x62], 1, subevent: 7)
      traffic.report(1, [0x62, 0x63])
      // Another subevent of the same train is separate.
      traffic.report(2, [2, 1, 6], subevent: 8)
      traffic.report(2, [0x63, 0x64], subevent: 7)
    }
    #expect(
      results[3].advertised == [[4, 0x30, 0x61, 0x62, 0x63]] && results[3].chains == [[1, 3]])
    #expect(results[4].advertised == [[2, 1, 6]] && results[4].chains == [[]])
    #expect(
      results[5].advertised == [[4, 0x30, 0x62, 0x63, 0x64]] && results[5].chains == [[2, 5]])
    #expect(results.problems == [])
  }

  @Test func responsesAreToldApartBySlot() {
    let results = run { traffic in
      traffic.response(slot: 1, [3, 9, 0x61], 1)
      traffic.response(slot: 2, [3, 9, 0x62], 1)
      traffic.response(subevent: 1, slot: 1, [2, 1, 6])
      traffic.response(slot: 1, [0x63])
      traffic.response(slot: 2, [0x64])
      traffic.response(slot: 2, [], 0xff)
    }
    #expect(results[3].chains == [[]])
    #expect(
      results[4].advertised == [[3, 9, 0x61, 0x63]]
        && results[5].advertised == [[3, 9, 0x62, 0x64]])
    #expect(results[6].chains == [[]] && results.problems == [])
  }

  // MARK: Missing first parts

  private let middle: [UInt8] = [0x68, 0x65, 0x20, 0x62, 0x61, 0x6c, 0x63, 0x6f, 0x6e, 0x79]

  @Test func aCaptureThatBeginsBetweenParts() {
    let results = run { traffic in
      traffic.extended(middle, 1)
      traffic.extended(middle, 0)
      traffic.extended([2, 1, 6], 0)
      traffic.report(1, middle)
      traffic.report(2, middle, 1)
      traffic.report(2, [2, 1, 6])
      traffic.report(2, [2, 1, 6])
      // The controller lost the rest.
      traffic.report(3, middle, 2)
    }
    #expect(
      [1, 2, 4, 5, 8].map { results[$0].lacksFirstPart } == Array(repeating: [true], count: 5))
    #expect([1, 2, 4, 5, 8].allSatisfy { results[$0].mayHoldSecret })
    // The end of an abandoned chain is not an advertisement.
    #expect(results[6].lacksFirstPart == [true] && results[6].chains == [[]])
    #expect(results[3].lacksFirstPart == [false] && results[7].lacksFirstPart == [false])
    #expect(results.problems == [])
  }

  /// A capture begins with the first record that is read, whose number may be above 1: in a pcapng
  /// file, packets of another interface may precede it.
  @Test func aCaptureThatBeginsWithWhatIsLeftOut() {
    let results = run { traffic in
      traffic.leftOut = 2
      traffic.extended(middle, 0)
      traffic.clock += 6000
      traffic.extended(middle, 0, from: 1)
    }
    #expect(results.packets.map(\.number) == [3, 4])
    #expect(results[1].lacksFirstPart == [true] && results[2].lacksFirstPart == [false])
    #expect(results.problems == ["advertisingStructureTooLong(104,9)"])
  }

  /// Advertisers' mistakes are not taken for later parts, even at the start of the capture:
  /// malformed data is reported where it occurs.
  @Test(
    arguments: [
      ([2, 1, 6, 0x1e, 9, 0x41, 0x63], "advertisingStructureTooLong(30,3)"),
      ([0x1e, 9, 0x41, 0x63], "advertisingStructureTooLong(30,3)"),
      ([4, 3, 0x0d, 0x18, 0x0f], "leftOver(1,0)"), ([2, 0xff, 0x4c], "tooShort(2,1)"),
      ([2, 1, 6, 2, 0x33, 0], nil), ([2, 0x33, 0], nil), ([2, 0x33, 0, 2, 1, 6], nil),
    ] as [([UInt8], String?)])
  func mistakesAreNoParts(_ data: [UInt8], _ problem: String?) {
    let results = run { traffic in
      traffic.extended(data, 0)
      traffic.report(1, data)
      traffic.response(data)
    }
    for number in 1...3 {
      #expect(
        results[number].lacksFirstPart == [false] && !results[number].mayHoldSecret, "\(number)")
      #expect(results[number].problems == (problem.map { [$0] } ?? []), "\(number)")
    }
  }

  /// Regardless of the bytes, a report that follows another of the same advertisement continues it
  /// or begins anew, and a reset controller has nothing to continue.
  @Test func whatCannotLackItsFirstPart() {
    let results = run { traffic in
      traffic.extended([2, 1, 6], 0)
      traffic.extended(middle, 0)
      traffic.extended(middle, 0, from: 1)
      traffic.extended(middle, 0, from: 1)
      traffic.adapter = 1
      traffic.complete(0x0c03)
      traffic.extended(middle, 0)
      traffic.report(1, middle)
      traffic.adapter = 0
      traffic.report(1, middle)
    }
    #expect([2, 4, 6, 7].map { results[$0].lacksFirstPart } == Array(repeating: [false], count: 4))
    #expect([3, 8].map { results[$0].lacksFirstPart } == [[true], [true]])
    #expect(
      results.problems == Array(repeating: "advertisingStructureTooLong(104,9)", count: 4))
  }

  /// The remembered starts are bounded; beyond the limit the bytes decide.
  @Test func startsAreBounded() {
    var limits = Limits()
    limits.advertisingChains = 3
    let results = run(limits: limits) { traffic in
      for index in 0..<5 { traffic.extended([2, 1, 6], 0, from: index) }
      for index in 0..<5 { traffic.extended(middle, 0, from: index) }
    }
    #expect(
      (6...10).map { results[$0].lacksFirstPart } == [[false], [false], [false], [true], [true]])
    let starts = part("starts", of: results.memory.advertisements)
    #expect(starts.map { entries("seen", of: $0) } == 3)
  }

  /// A report that the capture truncated still ends its chain.
  @Test func cutAtTheEndOfAChain() {
    let results = run { traffic in
      traffic.report(1, [4, 0x30, 0x61], 1)
      let data: [UInt8] = [0x62, 0x63]
      let event = little(1) + [127, 127, 0xff, 0, UInt8(data.count)] + data
      traffic.event(0x3e, [0x0f] + event, kept: 12)
      traffic.report(1, [2, 1, 6])
    }
    #expect(results[2].chains == [[]] && results[2].mayHoldSecret)
    #expect(results[3].advertised == [[2, 1, 6]] && !results[3].mayHoldSecret)
  }

  /// If nothing can be missing, malformed data is reported.
  @Test func laterItIsBroken() {
    let results = run { traffic in
      traffic.command(0x0c03)
      traffic.clock += 6000
      traffic.extended(middle, 0)
      traffic.extended(middle, 1)
      traffic.extended([1], 0)
    }
    #expect(results[2].lacksFirstPart == [false])
    #expect(results[2].problems == ["advertisingStructureTooLong(104,9)"])
    #expect(results[3].lacksFirstPart == [false] && results[4].chains == [[3, 4]])
  }

  /// A gap ends open chains, and later parts may follow it again.
  @Test func recordsThatWereLost() {
    let results = run { traffic in
      traffic.command(0x0c03)
      traffic.clock += 6000
      traffic.extended([20, 9, 0x74], 1)
      let lost = [1, 0x0c, 0x03].count
      traffic.add([1, 3, 0x0c, 0], .sent, drops: UInt64(lost))
      traffic.extended(middle, 0)
      traffic.extended([2, 1, 6], 0)
    }
    #expect(results[4].lacksFirstPart == [true] && results[4].chains == [[]])
    #expect(results[5].lacksFirstPart == [false] && results[5].problems == [])
  }

  @Test func whatWasForgottenIsMissing() {
    var limits = Limits()
    limits.advertisingChains = 1
    let results = run(limits: limits) { traffic in
      traffic.command(0x0c03)
      traffic.clock += 6000
      traffic.extended([20, 9, 0x74], 1, from: 1)
      traffic.extended([20, 9, 0x74], 1, from: 2)
      traffic.extended(middle, 0, from: 1)
    }
    #expect(results[4].lacksFirstPart == [true])
  }
}
