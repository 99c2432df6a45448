// Pairing on the air, with values that fit (Core, Vol 3, Part H, 2.2 and 2.3.5.5).

import Bluetooth
import Bytes

/// How two devices pair by LE legacy pairing.
package enum AirPairingMethod: Sendable { case justWorks, passkey, outOfBand }

extension AirTraffic {
  /// Pairs by LE legacy pairing.
  ///
  /// - Parameter temporaryKey: 16 bytes, most significant first.
  /// - Returns: the short-term key.
  package mutating func pair(_ method: AirPairingMethod, _ temporaryKey: [UInt8]) -> [UInt8] {
    // Input and output, OOB data flag, authentication requirements.
    let (initiator, responder): ([UInt8], [UInt8]) =
      switch method {
      case .justWorks: ([3, 0, 1], [3, 0, 1])
      case .passkey: ([4, 0, 5], [0, 0, 5])
      case .outOfBand: ([4, 1, 5], [0, 1, 5])
      }
    let request = [1] + initiator + [16, 1, 1]
    let response = [2] + responder + [16, 1, 1]
    send(l2cap(request, cid: 6), .sent)
    send(l2cap(response, cid: 6), .received)
    let randoms = [random.bytes(16), random.bytes(16)]
    let confirms = randoms.map { confirm(temporaryKey, $0, request, response) }
    for (code, values) in [(UInt8(3), confirms), (4, randoms)] {
      send(l2cap([code] + values[0].reversed(), cid: 6), .sent)
      send(l2cap([code] + values[1].reversed(), cid: 6), .received)
    }
    // s1: the less significant halves of both random values, the responder's first.
    return ReferenceAES(key: temporaryKey).encrypt(
      Array(randoms[1].suffix(8)) + randoms[0].suffix(8))
  }

  /// The confirm value generation function c1; all values have their most significant byte first.
  private func confirm(
    _ key: [UInt8], _ random: [UInt8], _ request: [UInt8], _ response: [UInt8]
  ) -> [UInt8] {
    let cipher = ReferenceAES(key: key)
    let types: [UInt8] = [settings.peripheralIsRandom ? 1 : 0, settings.centralIsRandom ? 1 : 0]
    let first = response.reversed() + request.reversed() + types
    let second =
      [0, 0, 0, 0] + little(settings.central, width: 6).reversed()
      + little(settings.peripheral, width: 6).reversed()
    let inner = cipher.encrypt(zip(random, first).map { $0 ^ $1 })
    return cipher.encrypt(zip(inner, second).map { $0 ^ $1 })
  }

  /// Distributes a long-term key of the peripheral, most significant byte first.
  package mutating func distribute(_ key: [UInt8], ediv: Int, rand: UInt64) {
    send(l2cap([6] + key.reversed(), cid: 6), .received)
    let number = (0..<8).map { UInt8(truncatingIfNeeded: rand >> (8 * $0)) }
    send(l2cap([7] + little(ediv) + number, cid: 6), .received)
  }
}
