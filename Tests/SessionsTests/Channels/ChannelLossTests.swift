// L2CAP's tables with missing records, with too many entries, and with random bytes.

import Bluetooth
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

/// Returns a session with every feature: signalling with responses, bearers in parallel, SDUs in
/// several frames, and a channel that closes before another opens with the same identifiers.
private func session() -> [StoredRecord] {
  var traffic = Traffic()
  traffic.connect()
  traffic.signal("12 01 08 00 18 00 28 00 00 00 2a 00", .received)
  traffic.signal("13 01 02 00 00 00", .sent)
  traffic.openBearers()
  traffic.signal("14 02 0a 00 80 00 45 00 64 00 1e 00 09 00", .sent)
  traffic.signal("15 02 0a 00 46 00 40 00 17 00 09 00 00 00", .received)
  for round in 0..<4 {
    traffic.sdu("01 02", .sent, cid: 0x46)
    traffic.sdu("0a 0\(round) 00", .sent, cid: 0x51)
    traffic.sdu("12 0\(round) 01 aa", .sent, cid: 0x50)
    traffic.sent("0a 0\(round) 02")
    traffic.first(30, [0x0b] + [UInt8](repeating: 7, count: 19), .received, cid: 0x40)
    traffic.acl(l2cap([UInt8](repeating: 8, count: 10), cid: 0x40), .received)
    traffic.sdu("13", .received, cid: 0x41)
    traffic.received("0b cc")
    traffic.signal("16 2\(round) 04 00 40 00 02 00", .sent)
    traffic.signal("08 3\(round) 01 00 0\(round)", .sent, cid: 1)
    traffic.signal("09 3\(round) 01 00 0\(round)", .received, cid: 1)
  }
  traffic.signal("06 04 04 00 51 00 40 00", .sent)
  traffic.signal("07 04 04 00 51 00 40 00", .received)
  traffic.signal("17 05 0a 00 27 00 40 00 40 00 08 00 40 00", .sent)
  traffic.signal("18 05 0a 00 50 00 50 00 08 00 00 00 51 00", .received)
  traffic.sdu("0a 01 00", .sent, cid: 0x51)
  traffic.sdu("0b aa", .received, cid: 0x40)
  traffic.disconnect()
  return traffic.records
}

@Suite struct ChannelLossTests {
  /// If any single record is missing, no later packet answers a different request than before.
  @Test func oneRecordIsLost() {
    var all = session()
    for index in all.indices { all[index].number = index + 1 }
    let whole = run(all)
    #expect(whole.problems == [])
    let known = Dictionary(uniqueKeysWithValues: whole.packets.map { ($0.number, $0) })
    for lost in all.indices {
      var rest = all
      rest.remove(at: lost)
      for seen in run(rest).packets where seen.number > lost + 1 {
        let request = seen.answer.request?.packet
        let before = known[seen.number]?.answer.request?.packet
        #expect(request == nil || request == before, "\(seen.number) without \(lost + 1)")
      }
    }
  }

  /// The same with two channels whose opening is missing.
  @Test func oneRecordIsLostOfInferredChannels() {
    var traffic = Traffic()
    traffic.connect()
    for round in 1...5 {
      traffic.sdu("0a 0\(round) 00", .sent, cid: 0x51)
      traffic.sdu("0b 0\(round)", .received, cid: 0x40)
      traffic.sdu("12 0\(round) 01 aa", .sent, cid: 0x52)
      traffic.sdu("13", .received, cid: 0x41)
    }
    var all = traffic.records
    for index in all.indices { all[index].number = index + 1 }
    let known = Dictionary(uniqueKeysWithValues: run(all).packets.map { ($0.number, $0) })
    #expect(known.values.contains { $0.answer.request != nil })
    for lost in all.indices {
      var rest = all
      rest.remove(at: lost)
      for seen in run(rest).packets where seen.number > lost + 1 {
        let request = seen.answer.request?.packet
        let before = known[seen.number]?.answer.request?.packet
        #expect(
          request == nil || before == nil || request == before, "\(seen.number) without \(lost + 1)"
        )
      }
    }
  }

  /// 300 random captures of 60 records, seed 612: commands and frames with few identifiers, so that
  /// they collide, valid, malformed and truncated. Nothing traps, tables stay bounded, and
  /// responses follow requests.
  @Test func randomTraffic() {
    var random = Numbers(seed: 612)
    var limits = Limits()
    limits.channels = 6
    limits.signallingRequests = 4
    limits.fragmentNumbers = 5
    limits.links = 2
    for round in 0..<300 {
      var traffic = Traffic()
      for _ in 0..<60 { random.add(to: &traffic) }
      let results = run(traffic.records, limits)
      #expect(results.packets.count == traffic.records.count)
      for seen in results.packets {
        if let request = seen.answer.request { #expect(request.packet < seen.number, "\(round)") }
        #expect(seen.fragments.count <= 5, "\(round)")
      }
      #expect(entries("slots", of: results.memory.channels) ?? 99 <= 6, "\(round)")
      #expect(entries("index", of: results.memory.channels) ?? 99 <= 12, "\(round)")
      #expect(entries("waiting", of: results.memory.signals) ?? 99 <= 4, "\(round)")
    }
  }
}

/// Every full table is reported once.
@Suite struct FullTableTests {
  @Test func channels() {
    var limits = Limits()
    limits.channels = 3
    let results = capture(limits) { traffic in
      traffic.connect()
      for cid in 0x40..<0x48 { traffic.sdu("01 02", .sent, cid: cid) }
    }
    #expect(results.problems == ["limitReached(3,4)"])
    #expect(results[5].problems == ["limitReached(3,4)"])
  }

  /// Channels whose opening is missing are dropped before opened ones.
  @Test func openedChannelsStay() {
    var limits = Limits()
    limits.channels = 3
    let results = capture(limits) { traffic in
      traffic.connect()
      traffic.openBearers()
      for cid in 0x60..<0x68 { traffic.sdu("01 02", .sent, cid: cid) }
      traffic.sdu("0a 01 00", .sent, cid: 0x51)
    }
    #expect(results[12].att == "Read Request")
  }

  /// A full log continues at once in the next file, which answers its last requests.
  @Test func nextFileAtOnce() {
    let results = capture(Limits()) { traffic in
      traffic.connect()
      traffic.sent("0a 03 00")
      traffic.file = 1
      traffic.received("0b 01")
    }
    #expect(results[3].answers == "answers 2 after 1 ms")
  }

  /// A request at the end of a file is not answered by a file that begins later.
  @Test func nextFile() {
    let results = capture(Limits()) { traffic in
      traffic.connect()
      traffic.sent("0a 03 00")
      traffic.signal("12 07 08 00 18 00 28 00 00 00 2a 00", .received)
      traffic.acl(Array(notification(30).prefix(20)), .received)
      traffic.file = 1
      traffic.clock += 31_000
      traffic.received("0b 01")
      traffic.signal("13 07 02 00 00 00", .sent)
      traffic.acl(Array(notification(30).dropFirst(20)), .received, .more)
      traffic.ask("0a 03 00", "0b 01")
    }
    #expect(results[5].problems == ["responseWithoutRequest(0,0)"])
    #expect(results[6].problems == ["responseWithoutRequest(0,0)"])
    #expect(results[7].problems == ["continuationWithoutStart(0,0)"])
    #expect(results[9].answers == "answers 8 after 1 ms")
    // The next file begins half a minute later, so it may be another connection.
    #expect(results.memory.links.count == 2)
  }

  /// Endless PDUs share a limit: the oldest is abandoned, which is reported once.
  @Test func joinedBytes() {
    var limits = Limits()
    limits.joinedBytes = 20_000
    let results = capture(limits) { traffic in
      for handle in 1...6 {
        traffic.connect(handle)
        traffic.acl(
          little(0xff00) + little(4) + [UInt8](repeating: 7, count: 8000), .received,
          handle: handle)
      }
      traffic.acl([1, 2, 3], .received, .more, handle: 1)
      traffic.acl([1, 2, 3], .received, .more, handle: 6)
    }
    #expect(results.problems == ["limitReached(20000,6)", "continuationWithoutStart(0,0)"])
    #expect(results[13].problems == ["continuationWithoutStart(0,0)"])
    #expect(results[14].answer.fragment.isFragment)
  }

  @Test func signallingRequests() {
    var limits = Limits()
    limits.signallingRequests = 2
    let results = capture(limits) { traffic in
      traffic.connect()
      for identifier in 1...5 { traffic.signal("08 0\(identifier) 00 00", .sent, cid: 1) }
      traffic.signal("09 01 00 00", .received, cid: 1)
      traffic.signal("09 05 00 00", .received, cid: 1)
    }
    #expect(results.problems == ["limitReached(2,5)", "responseWithoutRequest(0,0)"])
    #expect(results[8].answers == "answers 6 after 2 ms")
  }

  @Test func commands() {
    var limits = Limits()
    limits.commands = 2
    let results = capture(limits) { traffic in
      for _ in 0..<5 { traffic.command(0x1001) }
    }
    #expect(results.problems == ["limitReached(2,1)"])
  }

  @Test func names() {
    var limits = Limits()
    limits.names = 2
    let results = capture(limits) { traffic in
      for device in 1...5 {
        let name = [3, 0x09, 0x61, UInt8(0x60 + device)]
        traffic.meta(
          0x02, [1, 0, 0] + little(device, width: 6) + [UInt8(name.count)] + name + [0xc0])
      }
    }
    #expect(results.problems == ["limitReached(2,2)"])
  }

  /// The packets of a PDU and of an SDU.
  @Test func fragmentNumbers() {
    var limits = Limits()
    limits.fragmentNumbers = 3
    let results = capture(limits) { traffic in
      traffic.connect()
      traffic.split(notification(20), [4, 4, 4, 4, 4])
      traffic.split(notification(20), [4, 4, 4, 4, 4])
      traffic.openBearers()
      traffic.first(25, [0x1b] + [UInt8](repeating: 1, count: 4), .received, cid: 0x40)
      for _ in 0..<4 { traffic.acl(l2cap([1, 2, 3, 4, 5], cid: 0x40), .received) }
    }
    #expect(results.problems == ["limitReached(3,3)", "limitReached(3,3)"])
    #expect(results.packets.last?.fragments.count == 3)
    #expect(results.packets.last?.att == "Handle Value Notification")
  }
}

/// Calls the other files' `run`, which this file's own hides.
private func capture(_ limits: Limits, _ build: (inout Traffic) -> Void) -> Recording {
  var traffic = Traffic()
  build(&traffic)
  return run(traffic.records, limits)
}

/// Reproducible random numbers (SplitMix64), and traffic made of them.
private struct Numbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next(below limit: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in
      // Small numbers collide more often.
      next(below: 3) == 0 ? UInt8(next(below: 256)) : [0, 0x40, 0x41, 1, 2, 3][next(below: 6)]
    }
  }

  /// Adds mostly data: signalling with every code, and frames on few channels, fragmented or
  /// truncated.
  mutating func add(to traffic: inout Traffic) {
    let direction = next(below: 2) == 0 ? Direction.sent : .received
    let handle = [0x40, 0x40, 0x41][next(below: 3)]
    switch next(below: 24) {
    case 0: traffic.connect(handle)
    case 1: traffic.disconnect(handle)
    case 2: traffic.complete(0x0c03)
    case 3: traffic.connectClassic()
    case 4: traffic.add(hex("04 13 00"), .received, drops: 1)
    case 5: traffic.openBearers()
    case 6: traffic.openChannel()
    case 7...14:
      let data = bytes(next(below: 14))
      let length = next(below: 8) == 0 ? next(below: 20) : data.count
      let command = [UInt8(next(below: 0x1c)), UInt8(next(below: 4))] + little(length) + data
      let cid = next(below: 2) == 0 ? 1 : 5
      traffic.acl(
        l2cap(command, cid: cid), direction, handle: handle,
        kept: next(below: 10) == 0 ? next(below: command.count) : nil)
    default:
      let cid = [0x40, 0x41, 0x50, 0x51, 0x45, 0x46][next(below: 6)]
      let data = bytes(next(below: 30))
      let whole = next(below: 2) == 0 ? little(data.count) + data : data
      if next(below: 4) == 0 {
        traffic.split(l2cap(whole, cid: cid), [next(below: 9)], direction, handle: handle)
      } else {
        traffic.acl(
          l2cap(whole, cid: cid), direction, handle: handle,
          kept: next(below: 10) == 0 ? next(below: whole.count + 4) : nil)
      }
    }
  }
}
