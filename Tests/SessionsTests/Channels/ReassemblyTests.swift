import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

@Suite struct ReassemblyTests {
  @Test func wholeInOneRecord() {
    let results = run { traffic in
      traffic.connect()
      traffic.received("1b 0e 00 06 48")
    }
    #expect(results[2].att == "Handle Value Notification")
    #expect(results[2].attBytes == hex("1b 0e 00 06 48"))
    let fate = results[2].answer.fragment
    #expect(!fate.isFragment && !fate.isJoined && !fate.isTruncated && fate.start == 5)
    #expect(results.problems == [])
  }

  /// Two, three and many fragments, the first of which may be shorter than L2CAP's header.
  @Test(arguments: [
    [27], [27, 27], [4], [3], [2], [1], [1, 1, 1, 1, 1], [5, 1], [60], [0], [0, 0, 3, 0],
  ])
  func inPieces(_ sizes: [Int]) {
    let pdu = notification(55)
    let results = run { traffic in
      traffic.connect()
      traffic.split(pdu, sizes)
      traffic.received("1b 0e 00 01")
    }
    let last = results.packets.count - 1
    #expect(results[last].pdu == pdu)
    #expect(results[last].att == "Handle Value Notification")
    #expect(results[last].answer.fragment.isJoined)
    #expect(results[last].fragments == Array(2...last))
    #expect(results[last].answer.fragment.start == 0)
    for number in 2..<last {
      #expect(results[number].answer.fragment.isFragment && results[number].att == nil)
    }
    #expect(results[last + 1].attBytes == hex("1b 0e 00 01"))
    // Without an exchange the MTU is 23.
    #expect(results.problems == ["sduTooLong(58,23)"])
  }

  @Test func progressAndChannel() {
    let results = run { traffic in
      traffic.split(notification(55), [3, 20])
    }
    #expect(results[1].answer.fragment.channel == nil)
    #expect(results[1].answer.fragment.progress == (3, 0))
    #expect(results[2].answer.fragment.channel == .attribute)
    #expect(results[2].answer.fragment.progress == (23, 62))
  }

  @Test func linksInterleaved() {
    let results = run { traffic in
      let (first, second) = (notification(30), notification(40, handle: 0x20))
      traffic.acl(Array(first[..<10]), .received, handle: 0x40)
      traffic.acl(Array(second[..<10]), .received, handle: 0x41)
      traffic.acl(Array(second[10...]), .received, .more, handle: 0x41)
      traffic.acl(Array(first[10...]), .received, .more, handle: 0x40)
    }
    #expect(results[3].pdu == notification(40, handle: 0x20) && results[3].fragments == [2, 3])
    #expect(results[4].pdu == notification(30) && results[4].fragments == [1, 4])
    #expect(results.problems == [])
  }

  /// The same handle on two adapters, and both directions of one link.
  @Test func adaptersAndDirectionsInterleaved() {
    let results = run { traffic in
      let pdu = notification(30)
      traffic.acl(Array(pdu[..<10]), .received)
      traffic.acl(Array(pdu[..<20]), .sent)
      traffic.adapter = 1
      traffic.acl(Array(pdu[..<30]), .received)
      traffic.acl(Array(pdu[30...]), .received, .more)
      traffic.adapter = 0
      traffic.acl(Array(pdu[20...]), .sent, .more)
      traffic.acl(Array(pdu[10...]), .received, .more)
    }
    #expect(results[4].fragments == [3, 4] && results[5].fragments == [2, 5])
    #expect(results[6].fragments == [1, 6] && results[6].pdu == notification(30))
    #expect(results.problems == [])
  }

  // MARK: Loss

  /// 20 of 37 bytes arrived.
  @Test func startWhileIncomplete() {
    let results = run { traffic in
      traffic.acl(Array(notification(30)[..<20]), .received)
      traffic.received("1b 0e 00 01")
      traffic.acl(Array(notification(30)[..<2]), .received)
      traffic.acl(Array(notification(30)[..<20]), .received, .flushable)
      traffic.acl(Array(notification(30)[20...]), .received, .more)
    }
    #expect(results[2].problems == ["fragmentLost(20,37)"])
    #expect(results[2].attBytes == hex("1b 0e 00 01"))
    // Without a complete header the length is unknown.
    #expect(results[4].problems == ["fragmentLost(2,0)"])
    #expect(results[5].pdu == notification(30))
  }

  @Test func continuationWithoutStart() {
    let results = run { traffic in
      traffic.connect()
      traffic.acl([1, 2, 3], .received, .more)
      traffic.received("1b 0e 00 01")
      traffic.acl([1, 2, 3], .received, .more)
    }
    #expect(results[2].problems == ["continuationWithoutStart(0,0)"])
    #expect(!results[2].answer.fragment.isFragment && results[2].att == nil)
    #expect(results[3].problems == [])
    #expect(results[4].problems == ["continuationWithoutStart(0,0)"])
  }

  /// The PDU ends at its length, and extra bytes are reported.
  @Test func tooManyBytes() {
    let results = run { traffic in
      traffic.acl(notification(3) + [0xee, 0xee], .received)
      traffic.acl(Array(notification(30)[..<20]), .received)
      traffic.acl(Array(notification(30)[20...]) + [0xee], .received, .more)
      traffic.received("1b 0e 00 01")
    }
    #expect(results[1].pdu == notification(3))
    #expect(results[1].problems == ["fragmentTooLong(12,10)"])
    #expect(results[3].pdu == notification(30))
    #expect(results[3].problems == ["fragmentTooLong(18,17)"])
    #expect(results[4].problems == [])
  }

  @Test func emptyFragments() {
    let results = run { traffic in
      traffic.acl([], .received)
      traffic.acl(notification(3), .received, .more)
      traffic.acl([], .received, .more)
    }
    #expect(results[1].answer.fragment.isFragment)
    #expect(results[2].pdu == notification(3) && results[2].fragments == [1, 2])
    #expect(results[3].problems == ["continuationWithoutStart(0,0)"])
  }

  /// The header's length exceeds a record that the capture did not truncate.
  @Test func lengthThatLies() {
    let results = run { traffic in
      traffic.acl(notification(10), .received, claimed: 200)
      traffic.acl(Array(notification(30)[..<20]), .received, claimed: 37)
      traffic.received("1b 0e 00 01")
    }
    #expect(results[1].problems.first == "lengthTooLarge(200,17)")
    #expect(results[1].pdu == notification(10))
    #expect(results[2].problems == ["lengthTooLarge(37,20)"])
    #expect(results[2].attBytes.count == 16)
    #expect(results[3].problems == [])
  }

  // MARK: Truncated captures

  @Test func truncatedWhole() {
    let results = run { traffic in
      traffic.acl(notification(100), .received, kept: 20)
      traffic.acl(notification(100), .received, kept: 2)
      traffic.received("1b 0e 00 01")
    }
    #expect(results[1].answer.fragment.isTruncated && !results[1].answer.fragment.isFragment)
    #expect(results[1].att == "Handle Value Notification")
    #expect(results[1].attBytes == Array(notification(100)[4..<20]))
    #expect(results[1].problems == ["truncated(25,112)"])
    // Without L2CAP's header the PDU's end is unknown, so no continuation is awaited.
    #expect(results[2].att == nil && results[2].problems == ["truncated(7,112)"])
    #expect(results[2].answer.fragment.isTruncated && !results[2].answer.fragment.isFragment)
    #expect(results[3].att == "Handle Value Notification" && results[3].problems == [])
  }

  /// A truncated header opens nothing, but ends the open PDU.
  @Test func truncatedBeforeTheHeaderIsThere() {
    let results = run { traffic in
      traffic.acl(Array(notification(30)[..<20]), .received)
      traffic.acl(notification(10), .received, kept: 3)
      traffic.acl([1, 2, 3], .received, .more)
      traffic.received("1b 0e 00 01")
    }
    #expect(results[2].problems == ["truncated(8,22)", "fragmentLost(20,37)"])
    #expect(results[3].problems == ["continuationWithoutStart(0,0)"])
    #expect(results[4].problems == [] && results[4].att == "Handle Value Notification")
  }

  /// A gap in the first, middle and last fragment: the bytes before it are kept, the ones after it
  /// only counted.
  @Test(arguments: [0, 1, 2])
  func truncatedWithinFragments(_ cut: Int) {
    let pdu = notification(93)
    let results = run { traffic in
      for index in 0..<3 {
        let piece = Array(pdu[(40 * index)..<min(100, 40 * index + 40)])
        traffic.acl(
          piece, .received, index == 0 ? .start : .more, kept: index == cut ? 10 : nil)
      }
      traffic.received("1b 0e 00 01")
    }
    #expect(results[3].answer.fragment.isTruncated && results[3].answer.fragment.isJoined)
    #expect(results[3].pdu == Array(pdu[..<(40 * cut + 10)]))
    #expect(results[3].fragments == [1, 2, 3])
    #expect(results[4].problems == [])
    #expect(
      results.problems.count == 1 && results[cut + 1].problems.first?.hasPrefix("truncated") == true
    )
  }

  /// Data beyond the PDU's length is too long, whether the capture kept it or not.
  @Test func truncatedAndTooLong() {
    let results = run { traffic in
      traffic.acl(notification(3) + [0xee, 0xee], .received, kept: 9)
    }
    #expect(results[1].problems == ["truncated(14,17)", "fragmentTooLong(12,10)"])
  }

  // MARK: Links that end

  @Test func handleThatIsUsedAgain() {
    let results = run { traffic in
      traffic.connect()
      traffic.acl(Array(notification(30)[..<20]), .received)
      traffic.disconnect()
      traffic.connect()
      traffic.acl(Array(notification(30)[20...]), .received, .more)
      traffic.received("1b 0e 00 01")
    }
    #expect(results[5].problems == ["continuationWithoutStart(0,0)"])
    #expect(results[6].problems == [] && results[6].connection?.id == 2)
  }

  // MARK: Limits

  @Test func largestPDU() {
    let pdu = notification(65_532)
    #expect(pdu.count == 65_539)
    let results = run { traffic in
      traffic.connect()
      traffic.split(pdu, [UInt8](repeating: 0, count: 255).map { _ in 251 })
      traffic.received("1b 0e 00 01")
    }
    let last = results.packets.count - 1
    #expect(results[last].pdu == pdu && results[last].problems == ["sduTooLong(65535,23)"])
    #expect(results[last + 1].problems == [])
  }

  /// 10 000 empty continuations add no more packet numbers than the limit.
  @Test func numbersOfFragmentsAreBounded() {
    var limits = Limits()
    limits.fragmentNumbers = 3
    let results = run(limits: limits) { traffic in
      traffic.acl(Array(notification(30)[..<20]), .received)
      for _ in 0..<30 { traffic.acl([], .received, .more) }
      traffic.acl(Array(notification(30)[20...]), .received, .more)
    }
    #expect(results[32].pdu == notification(30))
    #expect(results[32].fragments == [1, 2, 3])
  }

  /// A PDU's bytes are kept up to the limit; its end is still found.
  @Test func bytesAreBounded() {
    var limits = Limits()
    limits.pduBytes = 40
    let results = run(limits: limits) { traffic in
      traffic.split(notification(393), [30, 30, 30, 30, 30])
      traffic.received("1b 0e 00 01")
    }
    #expect(results[6].answer.fragment.isTruncated)
    #expect(results[6].pdu == Array(notification(393)[..<40]))
    #expect(results[7].problems == [] && results[7].attBytes == hex("1b 0e 00 01"))
  }
}
