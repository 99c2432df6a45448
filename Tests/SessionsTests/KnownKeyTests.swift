// The keys that the pass knows while it reads.

import Bluetooth
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct KnownKeyTests {
  private static func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

  /// The keys that links are encrypted with: kind, first byte, connection.
  private static func used(_ recording: Recording) -> [String] {
    recording.memory.keys.used.map { "\($0.kind) \($0.bytes[0]) \($0.connection ?? 0)" }
  }

  @Test("a link's keys: the short term key of legacy pairing, then the one that it distributed")
  func used() {
    let recording = run { traffic in
      traffic.connect()
      traffic.pairLegacy()
      traffic.startEncryption(key: 1)
      traffic.encrypted()
      traffic.smp([6] + Self.key(2), .received)
      traffic.startEncryption(key: 2, ediv: 7)
      traffic.disconnect()
      traffic.connect()
      traffic.startEncryption(key: 2, ediv: 7)
    }
    #expect(Self.used(recording) == ["shortTerm 1 1", "longTerm 2 1"], "the device's key is known")
    #expect(recording.memory.keys.used.last?.ediv == 7)
    #expect(recording.memory.keys.keys.map(\.source) == [.pairing])
  }

  @Test("a peripheral replies to its controller with the key") func reply() {
    let recording = run { traffic in
      traffic.connect(role: 1)
      traffic.meta(5, little(0x40) + little(0, width: 10))
      traffic.command(0x201a, little(0x40) + Self.key(3))
    }
    #expect(Self.used(recording) == ["longTerm 3 1"])
  }

  @Test("of many keys that links are encrypted with the latest are kept") func bounded() {
    let recording = run { traffic in
      for number in 1...100 {
        traffic.connect(peer: 0xc000_0000_0000 + number)
        traffic.startEncryption(key: UInt8(number))
        traffic.disconnect()
      }
    }
    #expect(recording.memory.keys.used.map { Int($0.bytes[0]) } == Array(37...100))
  }
}
