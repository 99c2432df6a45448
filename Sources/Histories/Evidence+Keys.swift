// The keys of devices.

import Bluetooth
package import Sessions

extension Evidence {
  /// Adds the keys that a connection was encrypted with.
  mutating func learnKeys(from history: ConnectionHistory) {
    for attempt in history.encryption.attempts {
      guard let bytes = attempt.key else { continue }
      let isShortTerm = attempt.origin == .pairing(isSecureConnections: false)
      var key = KnownKeys.Key(
        isShortTerm ? .shortTerm : .longTerm, bytes, .controller,
        packet: attempt.start == .command
          ? attempt.moment.packet : attempt.reply?.packet ?? attempt.moment.packet)
      key.connection = history.id
      (key.ediv, key.rand, key.size) = (attempt.ediv, attempt.rand, attempt.keySize)
      keys.add(key)
    }
  }

  /// Returns the keys of a connection's peer.
  package func keys(of history: ConnectionHistory) -> [KnownKeys.Key] {
    let addresses = history.connection.addresses
    return keys.keys.filter { isKey($0, of: history, addresses) }
  }

  /// Keeps only the keys of the peers of these connections.
  package mutating func keepKeys(of histories: [ConnectionHistory]) {
    let (all, known) = (self, histories.map { ($0, $0.connection.addresses) })
    keys.keep { key in known.contains { all.isKey(key, of: $0, $1) } }
  }

  /// Returns whether a key belongs to the device at the other end of a connection, which has these
  /// addresses.
  private func isKey(
    _ key: KnownKeys.Key, of history: ConnectionHistory, _ addresses: [DeviceAddress]
  ) -> Bool {
    if let address = key.address, addresses.contains(address) { return true }
    return key.connection.flatMap { devices[$0] } == history.device
  }
}

extension Connection {
  /// The addresses by which the peer is known.
  fileprivate var addresses: [DeviceAddress] {
    [peer, identity?.address, peerResolvable].compactMap(\.self)
  }
}
