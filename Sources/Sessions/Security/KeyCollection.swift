package import Bluetooth
package import Bytes
package import Captures
import Cryptography
import Dissectors

/// Collects the keys that a capture contains, for decrypting another one: those that pairings
/// distribute, those that hosts give their controllers, and those of Secure Connections that follow
/// from a private key.
///
/// It prints nothing. Bounded by the keys that are known, of which one connection has at least one.
package struct KeyCollection: PacketReport, ~Copyable {
  /// Why a capture has no key.
  package enum Lack: Sendable {
    /// It has no pairing, and no host gives its controller a key.
    case nothing
    /// LE Secure Connections: the key never crosses the air.
    case secureConnections
    /// A pairing on the air was not decrypted.
    case undecrypted
    /// A pairing distributed no key.
    case notDistributed
  }

  /// The addresses by which the two sides of a connection are known for good, by side.
  private struct Ends {
    var identities = InlineArray<2, Device?>(repeating: nil)
    var peer: Device?
  }

  private struct Device: Hashable {
    let address: DeviceAddress
    let isRandom: Bool

    init?(_ address: DeviceAddress?, _ type: AddressType?) {
      guard let address, address != .zero else { return nil }
      self.address = address
      isRandom = (type?.rawValue ?? 0) & 1 == 1
    }
  }

  private static let mostConnections = Limits().keys

  private let file: String
  private let privateKeys: [P256Coordinate]
  private var ends: [Int: Ends] = [:]
  private var hasPairing = false
  /// The devices with their keys; a device has several if one key replaced another.
  package private(set) var bonds: [Bond] = []
  /// Why `bonds` is empty.
  package private(set) var lack = Lack.nothing

  /// - Parameters:
  ///   - file: the capture's name, for the origin of the keys.
  ///   - bonds: what is known from other sources: private keys.
  package init(file: String, _ bonds: [Bond]) {
    self.file = file
    privateKeys = LinkKeys(bonds).privateKeys
  }

  package var isSatisfied: Bool { false }
  package var wantsProblems: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    guard let pdu = packet.dissection.smp, let link = packet.answer.link,
      let direction = packet.record.direction
    else { return }
    hasPairing = true
    guard pdu.opcode.distributesKeys else { return }
    let connection = memory.links.connection(link)
    guard ends.count < Self.mostConnections || ends[connection.id] != nil else { return }
    ends[connection.id, default: Ends()].peer = Device(connection.peer, connection.peerType)
    if case .identityAddressInformation(let found) = pdu {
      let side = Int(Side(sent: direction).rawValue)
      ends[connection.id, default: Ends()].identities[side] = Device(
        found.address, found.addressType)
    }
  }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    // These come first: their devices are known.
    for link in memory.air.all where link.stream == .connection {
      guard let found = link.secureConnectionsKey(privateKeys) else { continue }
      let peer = Device(link.peripheral?.address, link.peripheral?.type)
      add(to: ends[link.connection]?.identities[Int(Side.peer.rawValue)] ?? peer) {
        $0.add(Bond.LongTermKey(found.littleEndian))
      }
    }
    for key in memory.keys.keys where !key.source.isGiven { add(key) }
    for key in memory.keys.encrypting { add(key) }
    if bonds.isEmpty { explain(memory) }
  }

  /// Adds a key to its device.
  private mutating func add(_ key: KnownKeys.Key) {
    let known = key.connection.flatMap { ends[$0] }
    let peer = known?.identities[Int(Side.peer.rawValue)]
    switch key.kind {
    case .longTerm:
      var found = Bond.LongTermKey(key.bytes)
      (found.ediv, found.rand) = (key.ediv, key.rand)
      (found.isAuthenticated, found.size) = (key.isAuthenticated, key.size)
      found.isForPeripheral = key.side == .local
      let device = peer ?? Device(key.address, key.type) ?? known?.peer
      let isKnown = bonds.contains { $0.longTermKeys.contains { $0.bytes == key.bytes } }
      if device == nil, isKnown { return }
      add(to: device) { $0.add(found) }
    case .shortTerm:
      add(to: nil) { bond in
        if !bond.sniffer.shortTerm.contains(key.bytes) { bond.sniffer.shortTerm.append(key.bytes) }
        return true
      }
    case .identityResolving:
      // Without its identity, the key is of no use.
      guard
        let owner = Device(key.address, key.type) ?? known?.identities[Int(key.side.rawValue)]
      else { return }
      add(to: owner) { Self.set(&$0.identityResolvingKey, key.bytes) }
    case .link:
      add(to: Device(key.address, key.type)) { Self.set(&$0.linkKey, key.bytes) }
    case .signature, .diffieHellman, .unknown: break
    }
  }

  /// Sets a key. Returns false if there is another one.
  private static func set(_ key: inout [UInt8]?, _ bytes: [UInt8]) -> Bool {
    if let known = key { return known == bytes }
    key = bytes
    return true
  }

  /// Adds something to the bond of a device, or to a new one if `change` has no room in it.
  ///
  /// - Parameter device: nil: any device.
  private mutating func add(to device: Device?, _ change: (inout Bond) -> Bool) {
    let address = device?.address ?? .zero
    let type: AddressType = device?.isRandom ?? false ? .random : .public
    for index in bonds.indices
    where bonds[index].address == address && bonds[index].type == type {
      if change(&bonds[index]) { return }
    }
    var bond = Bond(address, type, file: file)
    bond.isFromCapture = true
    _ = change(&bond)
    bonds.append(bond)
  }

  private mutating func explain(_ memory: borrowing Memory) {
    let pairings = memory.air.all.filter { !$0.pairing.isEmpty }
    if pairings.contains(where: { $0.pairing.isSecureConnections }) {
      lack = .secureConnections
    } else if pairings.contains(where: { link in !link.periods.contains { $0.decrypted > 0 } }) {
      lack = .undecrypted
    } else if hasPairing {
      lack = .notDistributed
    }
  }
}

extension Bond {
  /// Adds a long term key, unless it is known. Returns true.
  fileprivate mutating func add(_ key: LongTermKey) -> Bool {
    let isKnown = longTermKeys.contains {
      $0.bytes == key.bytes && $0.ediv == key.ediv && $0.rand == key.rand
    }
    if !isKnown { longTermKeys.append(key) }
    return true
  }
}

extension AirLink {
  /// Returns the long-term key of the latest pairing with Secure Connections, if the private key of
  /// one side is known.
  fileprivate func secureConnectionsKey(_ privateKeys: [P256Coordinate]) -> PairingValue? {
    guard pairing.isSecureConnections else { return nil }
    return pairing.longTermKey(privateKeys: privateKeys, central, peripheral)?.key
  }
}
