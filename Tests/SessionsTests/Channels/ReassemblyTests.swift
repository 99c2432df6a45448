import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Dissectors
@testable import Sessions

@Suite struct ReassemblyTests {
  @Test func wholeInOneRecord() {
    let told = run { traffic in
      traffic.connect()
      traffic.received("1b 0e 00 06 48")
    }
    #expect(told[2].att == "Handle Value Notification")
    #expect(told[2].attBytes == hex("1b 0e 00 06 48"))
    let fate = told[2].answer.fragment
    #expect(!fate.isFragment && !fate.isJoined && !fate.isTruncated && fate.start == 5)
    #expect(told.problems == [])
  }

  /// Two, three and many fragments, the first of which may be shorter than L2CAP's header.
  @Test(arguments: [
    [27], [27, 27], [4], [3], [2], [1], [1, 1, 1, 1, 1], [5, 1], [60], [0], [0, 0, 3, 0],
  ])
  func inPieces(_ sizes: [Int]) {
    let pdu = notification(55)
    let told = run { traffic in
      traffic.connect()
      traffic.split(pdu, sizes)
      traffic.received("1b 0e 00 01")
    }
    let last = told.packets.count - 1
    #expect(told[last].pdu == pdu)
    #expect(told[last].att == "Handle Value Notification")
    #expect(told[last].answer.fragment.isJoined)
    #expect(told[last].fragments == Array(2...last))
    #expect(told[last].answer.fragment.start == 0)
    for number in 2..<last {
      #expect(told[number].answer.fragment.isFragment && told[number].att == nil)
    }
    #expect(told[last + 1].attBytes == hex("1b 0e 00 01"))
    // Without an exchange the MTU is 23.
    #expect(told.problems == ["sduTooLong(58,23)"])
  }

  @Test func progressAndChannel() {
    let told = run { traffic in
      traffic.split(notification(55), [3, 20])
    }
    #expect(told[1].answer.fragment.channel == nil)
    #expect(told[1].answer.fragment.progress == (3, 0))
    #expect(told[2].answer.fragment.channel == .attribute)
    #expect(told[2].answer.fragment.progress == (23, 62))
  }

  @Test func linksInterleaved() {
    let told = run { traffic in
      let (first, second) = (notification(30), notification(40, handle: 0x20))
      traffic.acl(Array(first[..<10]), .received, handle: 0x40)
      traffic.acl(Array(second[..<10]), .received, handle: 0x41)
      traffic.acl(Array(second[10...]), .received, .more, handle: 0x41)
      traffic.acl(Array(first[10...]), .received, .more, handle: 0x40)
    }
    #expect(told[3].pdu == notification(40, handle: 0x20) && told[3].fragments == [2, 3])
    #expect(told[4].pdu == notification(30) && told[4].fragments == [1, 4])
    #expect(told.problems == [])
  }

  /// The same handle on two adapters, and both directions of one link.
  @Test func adaptersAndDirectionsInterleaved() {
    let told = run { traffic in
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
    #expect(told[4].fragments == [3, 4] && told[5].fragments == [2, 5])
    #expect(told[6].fragments == [1, 6] && told[6].pdu == notification(30))
    #expect(told.problems == [])
  }

  // MARK: Loss

  /// 20 of 37 bytes arrived.
  @Test func startWhileIncomplete() {
    let told = run { traffic in
      traffic.acl(Array(notification(30)[..<20]), .received)
      traffic.received("1b 0e 00 01")
      traffic.acl(Array(notification(30)[..<2]), .received)
      traffic.acl(Array(notification(30)[..<20]), .received, .flushable)
      traffic.acl(Array(notification(30)[20...]), .received, .more)
    }
    #expect(told[2].problems == ["fragmentLost(20,37)"])
    #expect(told[2].attBytes == hex("1b 0e 00 01"))
    // Without a complete header the length is unknown.
    #expect(told[4].problems == ["fragmentLost(2,0)"])
    #expect(told[5].pdu == notification(30))
  }

  @Test func continuationWithoutStart() {
    let told = run { traffic in
      traffic.connect()
      traffic.acl([1, 2, 3], .received, .more)
      traffic.received("1b 0e 00 01")
      traffic.acl([1, 2, 3], .received, .more)
    }
    #expect(told[2].problems == ["continuationWithoutStart(0,0)"])
    #expect(!told[2].answer.fragment.isFragment && told[2].att == nil)
    #expect(told[3].problems == [])
    #expect(told[4].problems == ["continuationWithoutStart(0,0)"])
  }

  /// The PDU ends at its length, and extra bytes are reported.
  @Test func tooManyBytes() {
    let told = run { traffic in
      traffic.acl(notification(3) + [0xee, 0xee], .received)
      traffic.acl(Array(notification(30)[..<20]), .received)
      traffic.acl(Array(notification(30)[20...]) + [0xee], .received, .more)
      traffic.received("1b 0e 00 01")
    }
    #expect(told[1].pdu == notification(3))
    #expect(told[1].problems == ["fragmentTooLong(12,10)"])
    #expect(told[3].pdu == notification(30))
    #expect(told[3].problems == ["fragmentTooLong(18,17)"])
    #expect(told[4].problems == [])
  }

  @Test func emptyFragments() {
    let told = run { traffic in
      traffic.acl([], .received)
      traffic.acl(notification(3), .received, .more)
      traffic.acl([], .received, .more)
    }
    #expect(told[1].answer.fragment.isFragment)
    #expect(told[2].pdu == notification(3) && told[2].fragments == [1, 2])
    #expect(told[3].problems == ["continuationWithoutStart(0,0)"])
  }

  /// The header's length exceeds a record that the capture did not truncate.
  @Test func lengthThatLies() {
    let told = run { traffic in
      traffic.acl(notification(10), .received, claimed: 200)
      traffic.acl(Array(notification(30)[..<20]), .received, claimed: 37)
      traffic.received("1b 0e 00 01")
    }
    #expect(told[1].problems.first == "lengthTooLarge(200,17)")
    #expect(told[1].pdu == notification(10))
    #expect(told[2].problems == ["lengthTooLarge(37,20)"])
    #expect(told[2].attBytes.count == 16)
    #expect(told[3].problems == [])
  }

  // MARK: Truncated captures

  @Test func truncatedWhole() {
    let told = run { traffic in
      traffic.acl(notification(100), .received, kept: 20)
      traffic.acl(notification(100), .received, kept: 2)
      traffic.received("1b 0e 00 01")
    }
    #expect(told[1].answer.fragment.isTruncated && !told[1].answer.fragment.isFragment)
    #expect(told[1].att == "Handle Value Notification")
    #expect(told[1].attBytes == Array(notification(100)[4..<20]))
    #expect(told[1].problems == ["truncated(25,112)"])
    // Without L2CAP's header the PDU's end is unknown, so no continuation is awaited.
    #expect(told[2].att == nil && told[2].problems == ["truncated(7,112)"])
    #expect(told[2].answer.fragment.isTruncated && !told[2].answer.fragment.isFragment)
    #expect(told[3].att == "Handle Value Notification" && told[3].problems == [])
  }

  /// A truncated header opens nothing, but ends the open PDU.
  @Test func truncatedBeforeTheHeaderIsThere() {
    let told = run { traffic in
      traffic.acl(Array(notification(30)[..<20]), .received)
      traffic.acl(notification(10), .received, kept: 3)
      traffic.acl([1, 2, 3], .received, .more)
      traffic.received("1b 0e 00 01")
    }
    #expect(told[2].problems == ["truncated(8,22)", "fragmentLost(20,37)"])
    #expect(told[3].problems == ["continuationWithoutStart(0,0)"])
    #expect(told[4].problems == [] && told[4].att == "Handle Value Notification")
  }

  /// A gap in the first, middle and last fragment: the bytes before it are kept, the ones after it
  /// only counted.
  @Test(arguments: [0, 1, 2])
  func truncatedWithinFragments(_ cut: Int) {
    let pdu = notification(93)
    let told = run { traffic in
      for index in 0..<3 {
        let piece = Array(pdu[(40 * index)..<min(100, 40 * index + 40)])
        traffic.acl(
          piece, .received, index == 0 ? .start : .more, kept: index == cut ? 10 : nil)
      }
      traffic.received("1b 0e 00 01")
    }
    #expect(told[3].answer.fragment.isTruncated && told[3].answer.fragment.isJoined)
    #expect(told[3].pdu == Array(pdu[..<(40 * cut + 10)]))
    #expect(told[3].fragments == [1, 2, 3])
    #expect(told[4].problems == [])
    #expect(
      told.problems.count == 1 && told[cut + 1].problems.first?.hasPrefix("truncated") == true)
  }

  /// Data beyond the PDU's length is too long, whether the capture kept it or not.
  @Test func truncatedAndTooLong() {
    let told = run { traffic in
      traffic.acl(notification(3) + [0xee, 0xee], .received, kept: 9)
    }
    #expect(told[1].problems == ["truncated(14,17)", "fragmentTooLong(12,10)"])
  }

  // MARK: Links that end

  @Test func handleThatIsUsedAgain() {
    let told = run { traffic in
      traffic.connect()
      traffic.acl(Array(notification(30)[..<20]), .received)
      traffic.disconnect()
      traffic.connect()
      traffic.acl(Array(notification(30)[20...]), .received, .more)
      traffic.received("1b 0e 00 01")
    }
    #expect(told[5].problems == ["continuationWithoutStart(0,0)"])
    #expect(told[6].problems == [] && told[6].connection?.id == 2)
  }

  // MARK: Limits

  @Test func largestPDU() {
    let pdu = notification(65_532)
    #expect(pdu.count == 65_539)
    let told = run { traffic in
      traffic.connect()
      traffic.split(pdu, [UInt8](repeating: 0, count: 255).map { _ in 251 })
      traffic.received("1b 0e 00 01")
    }
    let last = told.packets.count - 1
    #expect(told[last].pdu == pdu && told[last].problems == ["sduTooLong(65535,23)"])
    #expect(told[last + 1].problems == [])
  }

  /// 10 000 empty continuations add no more packet numbers than the limit.
  @Test func numbersOfFragmentsAreBounded() {
    var limits = Limits()
    limits.fragmentNumbers = 3
    let told = run(limits: limits) { traffic in
      traffic.acl(Array(notification(30)[..<20]), .received)
      for _ in 0..<30 { traffic.acl([], .received, .more) }
      traffic.acl(Array(notification(30)[20...]), .received, .more)
    }
    #expect(told[32].pdu == notification(30))
    #expect(told[32].fragments == [1, 2, 3])
  }

  /// A PDU's bytes are kept up to the limit; its end is still found.
  @Test func bytesAreBounded() {
    var limits = Limits()
    limits.pduBytes = 40
    let told = run(limits: limits) { traffic in
      traffic.split(notification(393), [30, 30, 30, 30, 30])
      traffic.received("1b 0e 00 01")
    }
    #expect(told[6].answer.fragment.isTruncated)
    #expect(told[6].pdu == Array(notification(393)[..<40]))
    #expect(told[7].problems == [] && told[7].attBytes == hex("1b 0e 00 01"))
  }
}
