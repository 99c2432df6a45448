// Who is behind resolvable private addresses.

package import Bluetooth
import Bytes
import Cryptography

/// The identity resolving keys that a capture holds, and whose addresses they resolve. Bounded: the key
/// learnt first goes first.
package struct Identities: Sendable {
  /// A device and its key.
  private struct Device: Sendable {
    let key: IdentityResolvingKey
    let address: DeviceAddress
    let type: AddressType
  }

  private var devices: [Device] = []
  /// Counts the keys that were learnt.
  package private(set) var generation = 0
  /// The resolvable addresses that were seen, and whose they are: a position in `devices`, -1 for
  /// nobody known.
  private var resolved: [UInt64: Int] = [:]
  /// The key that a peer has given, whose address follows.
  private var pending: (connection: Int, key: IdentityResolvingKey)?
  private let limit: Int
  private let addressLimit: Int

  init(_ limits: Limits) {
    limit = max(1, limits.identities)
    addressLimit = max(1, limits.resolvedAddresses)
  }

  /// Whether there is no key.
  package var isEmpty: Bool { devices.isEmpty }

  /// The identity address behind a resolvable one that a packet has brought, where a key tells it.
  package func identity(of address: DeviceAddress) -> (address: DeviceAddress, type: AddressType)? {
    guard !devices.isEmpty, let position = resolved[address.value],
      devices.indices.contains(position)
    else { return nil }
    return (devices[position].address, devices[position].type)
  }

  /// The same, which tries the keys.
  mutating func resolve(
    _ address: DeviceAddress
  ) -> (address: DeviceAddress, type: AddressType)? {
    guard !devices.isEmpty, address.value >> 46 == 0b01 else { return nil }
    if resolved[address.value] == nil {
      if resolved.count >= addressLimit { resolved.removeAll(keepingCapacity: true) }
      resolved[address.value] = devices.firstIndex { $0.key.resolves(address) } ?? -1
    }
    return identity(of: address)
  }

  /// The same for any address at the end of a capture, whether or not it came before the key that
  /// resolves it: those that are not remembered are tried.
  package func search(_ address: DeviceAddress) -> (address: DeviceAddress, type: AddressType)? {
    guard !devices.isEmpty, address.value >> 46 == 0b01 else { return nil }
    if resolved[address.value] != nil { return identity(of: address) }
    return devices.first { $0.key.resolves(address) }.map { ($0.address, $0.type) }
  }

  /// Takes in a key and whose it is.
  ///
  /// - Returns: whether it is new.
  mutating func learn(_ key: RawSpan, _ address: DeviceAddress, _ type: AddressType) -> Bool {
    IdentityResolvingKey(key).map { learn($0, address, type) } ?? false
  }

  private mutating func learn(
    _ key: IdentityResolvingKey, _ address: DeviceAddress, _ type: AddressType
  ) -> Bool {
    guard address != .zero else { return false }
    let isKnown = devices.contains {
      $0.address == address && $0.type.rawValue & 1 == type.rawValue & 1 && $0.key.equals(key)
    }
    if isKnown { return false }
    if devices.count >= limit { devices.removeFirst() }
    devices.append(
      Device(key: key, address: address, type: AddressType(rawValue: type.rawValue & 1)))
    generation += 1
    // It may resolve what none has resolved before.
    resolved.removeAll(keepingCapacity: true)
    return true
  }

  /// Takes in what is known from elsewhere.
  mutating func learn(_ bonds: [Bond]) {
    for bond in bonds {
      guard let key = bond.identityResolvingKey.flatMap({ IdentityResolvingKey($0.bytes) }) else {
        continue
      }
      _ = learn(key, bond.address, bond.type)
    }
  }

  /// Takes in the key that the peer of a connection gives, whose address follows.
  mutating func expect(_ key: RawSpan, connection: Int) {
    pending = IdentityResolvingKey(key).map { (connection, $0) }
  }

  /// Takes in the address that belongs to it.
  mutating func complete(
    _ address: DeviceAddress, _ type: AddressType, connection: Int
  ) -> Bool {
    guard let pending, pending.connection == connection else { return false }
    self.pending = nil
    return learn(pending.key, address, type)
  }
}
