import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Sessions

@Suite("What was done with one attribute") struct AttributeUseTests {
  @Test("uses under two addresses of a device are one: the later value, each outcome once")
  func absorbed() throws {
    var early = AttributeUse(3, packet: 1)
    early.note(.read, .unencrypted, nil, packet: 2)
    early.add(.read, [1, 2].bytes, packet: 2)
    var later = AttributeUse(3, packet: 5)
    later.note(.read, .unencrypted, nil, packet: 6)
    later.note(.read, .encrypted, ATTErrorCode(rawValue: 8), packet: 7)
    for (one, other) in [(early, later), (later, early)] {
      var both = one
      both.absorb(other)
      #expect(both.value == [1, 2] && both.valuePacket == 2)
      #expect(both.count(of: .read) == 3 && both.packets == 1...5)
      #expect(both.accesses.map(\.packet) == [2, 7])
      #expect(both.lengths == 2...2)
    }
    later.add(.read, [3].bytes, packet: 6)
    early.absorb(later)
    #expect(early.value == [3] && early.lengths == 1...2)
  }

  @Test("nothing shows whether a command was obeyed, nor what became of an unanswered request")
  func outcomes() {
    var use = AttributeUse(3, packet: 1)
    use.note(.writeWithoutResponse, .unencrypted, nil, packet: 1)
    use.note(.read, .unencrypted, nil, packet: 2)
    use.note(unanswered: [1], packet: 3)
    use.takeUnanswered()
    #expect(use.accesses.map(\.isOutcomeKnown) == [false, true, false])
  }
}
