// The identities behind resolvable private addresses.

package import Bluetooth
import Bytes
import Cryptography
import Dissectors

/// The identity resolving keys that a capture contains, and the addresses they resolve. Bounded:
/// the key that was learnt first is dropped first.
package struct Identities: Sendable {
  /// A device and its key.
  private struct Device: Sendable {
    let key: IdentityResolvingKey
    /// How many keys were learnt before.
    let number: Int
    let address: DeviceAddress
    let type: AddressType
  }

  private var devices: [Device] = []
  /// The number of keys learnt so far.
  package private(set) var generation = 0
  /// The resolvable addresses that were seen, each with the index of its device in `devices`; -1:
  /// no known device.
  private var resolved: [UInt64: Int] = [:]
  /// The key that a peer has sent; its address follows.
  private var pending: (connection: Int, key: IdentityResolvingKey)?
  private let limit: Int
  private let addressLimit: Int

  init(_ limits: Limits) {
    limit = max(1, limits.identities)
    addressLimit = max(4, limits.resolvedAddresses)
  }

  /// Whether no key is known.
  package var isEmpty: Bool { devices.isEmpty }

  /// Returns the identity address of a resolvable one that a packet contained, if a key resolves
  /// it.
  package func identity(of address: DeviceAddress) -> (address: DeviceAddress, type: AddressType)? {
    guard !devices.isEmpty, let position = resolved[address.value],
      devices.indices.contains(position)
    else { return nil }
    return (devices[position].address, devices[position].type)
  }

  /// Returns the identity address of a resolvable one, trying the keys if necessary.
  mutating func resolve(
    _ address: DeviceAddress
  ) -> (address: DeviceAddress, type: AddressType)? {
    guard !devices.isEmpty, address.value >> 46 == 0b01 else { return nil }
    if resolved[address.value] == nil {
      if resolved.count >= addressLimit { resolved.removeAll(keepingCapacity: true) }
      resolved[address.value] = Int(owners(of: SIMD4(repeating: address.value))[0])
    }
    return identity(of: address)
  }

  /// Resolves the addresses of advertisers.
  mutating func resolve(_ advertisements: Advertisements) {
    guard !devices.isEmpty else { return }
    var some = SomeAddresses()
    for index in advertisements.reports.indices {
      guard let address = advertisements.reports[index].report.address,
        advertisements.reports[index].report.addressType == .random, address.value >> 46 == 0b01,
        resolved[address.value] == nil
      else { continue }
      if some.add(address.value) { remember(some.takeAll()) }
    }
    if some.count > 0 { remember(some.takeAll()) }
  }

  private mutating func remember(_ addresses: SIMD4<UInt64>) {
    let owners = owners(of: addresses)
    if resolved.count > addressLimit - 4 { resolved.removeAll(keepingCapacity: true) }
    for lane in addresses.indices { resolved[addresses[lane]] = Int(owners[lane]) }
  }

  /// Returns the index in `devices` of the first key that resolves each of four resolvable
  /// addresses; -1: none does.
  private func owners(of addresses: SIMD4<UInt64>) -> SIMD4<Int32> {
    var owners = SIMD4<Int32>(repeating: -1)
    for position in devices.indices {
      let found = devices[position].key.resolves(addresses, place: devices[position].number)
      owners.replace(with: Int32(truncatingIfNeeded: position), where: found .& (owners .< 0))
      if all(owners .>= 0) { break }
    }
    return owners
  }

  /// Returns the identity address of any address at the end of a capture, even if it came before
  /// its key. Addresses that are not remembered are tried.
  package func search(_ address: DeviceAddress) -> (address: DeviceAddress, type: AddressType)? {
    guard !devices.isEmpty, address.value >> 46 == 0b01 else { return nil }
    if resolved[address.value] != nil { return identity(of: address) }
    let owner = Int(owners(of: SIMD4(repeating: address.value))[0])
    return owner < 0 ? nil : (devices[owner].address, devices[owner].type)
  }

  /// Searches the identity addresses of many addresses, and calls `found` for those that have one.
  package func search(
    _ addresses: some Sequence<DeviceAddress>,
    _ found: (DeviceAddress, (address: DeviceAddress, type: AddressType)) -> Void
  ) {
    guard !devices.isEmpty else { return }
    var some = SomeAddresses()
    func finish() {
      let count = some.count
      let all = some.takeAll()
      let owners = owners(of: all)
      for lane in 0..<count where owners[lane] >= 0 {
        let device = devices[Int(owners[lane])]
        found(DeviceAddress(value: all[lane]), (device.address, device.type))
      }
    }
    for address in addresses where address.value >> 46 == 0b01 {
      if resolved[address.value] != nil {
        if let known = identity(of: address) { found(address, known) }
      } else if some.add(address.value) {
        finish()
      }
    }
    if some.count > 0 { finish() }
  }

  /// Records the key of a device.
  ///
  /// - Returns: whether it is new.
  mutating func learn(_ key: RawSpan, _ address: DeviceAddress, _ type: AddressType) -> Bool {
    IdentityResolvingKey(key).map { learn($0, address, type) } ?? false
  }

  /// Learns from LE Add Device To Resolving List.
  ///
  /// - Returns: whether the key is new.
  mutating func learn(_ command: HCICommand, _ bytes: RawSpan, _ body: Slice) -> Bool {
    guard command.opcode == HCICommand.leAddDeviceToResolvingList else { return false }
    var cursor = Cursor(bytes, body)
    guard let device = try? LEResolvingListDevice(parsing: &cursor) else { return false }
    return learn(bytes.part(device.peerKey), device.address, device.type)
  }

  private mutating func learn(
    _ key: IdentityResolvingKey, _ address: DeviceAddress, _ type: AddressType
  ) -> Bool {
    guard address != .zero else { return false }
    let isKnown = devices.contains {
      $0.address == address && $0.type.rawValue & 1 == type.rawValue & 1 && $0.key == key
    }
    if isKnown { return false }
    if devices.count >= limit { devices.removeFirst() }
    devices.append(
      Device(
        key: key, number: generation, address: address,
        type: AddressType(rawValue: type.rawValue & 1))
    )
    generation += 1
    // The key may resolve addresses that no key has resolved before.
    resolved.removeAll(keepingCapacity: true)
    return true
  }

  /// Records the keys of bonds from other sources.
  mutating func learn(_ bonds: [Bond]) {
    for bond in bonds where !bond.isAnyDevice {
      guard let key = bond.identityResolvingKey.flatMap({ IdentityResolvingKey($0.bytes) }) else {
        continue
      }
      _ = learn(key, bond.address, bond.type)
    }
  }

  /// Records a key that the peer of a connection sends; its address follows.
  mutating func expect(_ key: RawSpan, connection: Int) {
    pending = IdentityResolvingKey(key).map { (connection, $0) }
  }

  /// Records the address that belongs to the peer's key.
  mutating func complete(
    _ address: DeviceAddress, _ type: AddressType, connection: Int
  ) -> Bool {
    guard let pending, pending.connection == connection else { return false }
    self.pending = nil
    return learn(pending.key, address, type)
  }
}

/// Up to four addresses that are resolved at once, which costs hardly more than one of them.
private struct SomeAddresses {
  private var addresses = SIMD4<UInt64>()
  private(set) var count = 0

  /// Adds an address. Returns true if there is no more room.
  mutating func add(_ address: UInt64) -> Bool {
    addresses[count] = address
    count += 1
    return count == 4
  }

  /// Returns the addresses, and repeats the first in the places that are free.
  mutating func takeAll() -> SIMD4<UInt64> {
    for lane in count..<4 { addresses[lane] = addresses[0] }
    count = 0
    return addresses
  }
}
