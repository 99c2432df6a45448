// The keys that the pass knows while it reads.

import Bluetooth
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct KnownKeyTests {
  @Test("keys of pairing are known as soon as they are distributed, with their identification")
  func distributed() {
    let recording = run { traffic in
      traffic.connect()
      traffic.pairLegacy()
      traffic.startEncryption(key: 1)
      traffic.encrypted()
      traffic.smp([6] + [UInt8](repeating: 2, count: 16), .received)
      traffic.smp("07 07 00 09 00 00 00 00 00 00 00", .received)
    }
    let keys = recording.memory.keys.keys
    #expect(keys.map(\.source) == [.pairing])
    #expect(keys.first?.ediv == 7)
    #expect(keys.first?.side == .peer)
  }
}
