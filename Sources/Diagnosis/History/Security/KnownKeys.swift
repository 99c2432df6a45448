package import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The keys of bonds that are known: from the Security Manager, HCI, the management interface and
/// files. The keys themselves are printed only if requested.
///
/// Bounded: of more than `most` different keys, later ones are not remembered.
package struct KnownKeys: Sendable {
  /// What a key is for.
  package enum Kind: UInt8, Sendable {
    /// Encrypts links of a bond.
    case longTerm
    /// Encrypts one link, until legacy pairing has distributed long term keys.
    case shortTerm
    case identityResolving
    case signature
    /// Encrypts BR/EDR links.
    case link
    /// The shared secret that both sides of Secure Connections computed.
    case diffieHellman
    /// A key that the host used to encrypt something: its own data, or a step of pairing.
    case unknown

    package var words: StaticString {
      switch self {
      case .longTerm: "long term key"
      case .shortTerm: "short term key"
      case .identityResolving: "identity resolving key"
      case .signature: "signature key"
      case .link: "link key"
      case .diffieHellman: "Diffie-Hellman key"
      case .unknown: "key given to LE Encrypt"
      }
    }

    /// In one word, as the lines of a finding are labelled.
    var label: StaticString {
      switch self {
      case .longTerm: "ltk"
      case .shortTerm: "stk"
      case .identityResolving: "irk"
      case .signature: "csrk"
      case .link: "linkkey"
      case .diffieHellman: "dhkey"
      case .unknown: "key"
      }
    }
  }

  /// Where a key was found.
  package enum Source: Equatable, Sendable {
    /// One side gave it to the other in pairing.
    case pairing
    /// The host gave it to its controller.
    case controller
    /// The controller gave it to the host.
    case event
    /// The Linux kernel's management interface: the kernel stored it, or received a stored key.
    case management
    /// A file, by its name.
    case file(String)
  }

  package struct Key: Sendable {
    package var kind: Kind
    /// Its bytes, least significant first.
    package var bytes: [UInt8]
    /// The owner; the peer by default.
    package var side = Side.peer
    /// The device at the other end, if the packet or file names it.
    package var address: DeviceAddress?
    /// The type of that address.
    package var type: AddressType?
    /// The connection that it was seen on; nil for none.
    package var connection: Int?
    /// The device at the other end, if the connection that it was used on identifies it.
    var device: UInt64?
    /// For a long term key: the Encrypted Diversifier that identifies it.
    package var ediv: UInt16 = 0
    /// The Random Number that belongs to it.
    package var rand: UInt64 = 0
    /// Whether pairing protected against a man in the middle; nil: unknown.
    package var isAuthenticated: Bool?
    /// Its effective size in bytes; nil: unknown.
    package var size: UInt8?
    /// Where it was found first.
    package var source: Source
    /// The packet; 0 for a file.
    package var packet: Int

    init(_ kind: Kind, _ bytes: [UInt8], _ source: Source, packet: Int) {
      self.kind = kind
      self.bytes = bytes
      self.source = source
      self.packet = packet
    }

    /// Returns whether both keys are equal and have the same owner.
    fileprivate func isSame(as other: Key) -> Bool {
      kind == other.kind && bytes == other.bytes && side == other.side
        && (address == other.address || address == nil && connection == other.connection)
    }
  }

  /// The keys, in the order in which they were found; those of files come first.
  package private(set) var keys: [Key] = []
  /// Whether there were more.
  package private(set) var isFull = false
  /// The packets in which one side gave the other an invalid key, all of whose bytes are zero; at
  /// most the first `mostZeros`.
  package private(set) var zeros: [Int] = []

  private static let most = 256
  /// Only a few of the keys that hosts pass to LE Encrypt again and again are listed.
  private static let mostUnknown = 16
  private static let mostZeros = 8

  package init() {}

  /// Creates the set of keys from files.
  package init(_ bonds: [Bond]) {
    for bond in bonds {
      func add(_ kind: Kind, _ bytes: [UInt8]?, _ change: (inout Key) -> Void = { _ in }) {
        guard let bytes else { return }
        var key = Key(kind, bytes, .file(bond.file), packet: 0)
        (key.address, key.type) = (bond.address, bond.type)
        change(&key)
        self.add(key)
      }
      for key in bond.longTermKeys {
        add(.longTerm, key.bytes) {
          ($0.ediv, $0.rand, $0.isAuthenticated) = (key.ediv, key.rand, key.isAuthenticated)
          $0.size = key.size
          $0.side = key.isForPeripheral ? .local : .peer
        }
      }
      add(.identityResolving, bond.identityResolvingKey)
      add(.signature, bond.signatureKey)
      add(.signature, bond.ownSignatureKey) { $0.side = .local }
      add(.link, bond.linkKey)
    }
  }

  /// Adds a key, unless it is already known or invalid: all its bytes are zero.
  mutating func add(_ key: Key) {
    guard key.bytes.contains(where: { $0 != 0 }) else {
      if key.source == .pairing, zeros.count < Self.mostZeros { zeros.append(key.packet) }
      return
    }
    if keys.contains(where: { $0.isSame(as: key) }) { return }
    if key.kind == .unknown,
      keys.count(where: { $0.kind == .unknown }) >= Self.mostUnknown
        || keys.contains(where: { $0.bytes == key.bytes })
    {
      return
    }
    guard keys.count < Self.most else {
      isFull = true
      return
    }
    keys.append(key)
  }

  /// Records the devices of connections, after everything that identifies them is known.
  mutating func learn(_ devices: [Int: UInt64]) {
    for index in keys.indices {
      guard keys[index].device == nil, let id = keys[index].connection else { continue }
      keys[index].device = devices[id]
    }
  }

  /// Records the keys that a connection was encrypted with.
  mutating func learn(from history: ConnectionHistory) {
    for attempt in history.encryption.attempts {
      guard let bytes = attempt.key else { continue }
      var kind = Kind.longTerm
      if attempt.origin == .pairing(isSecureConnections: false) { kind = .shortTerm }
      var key = Key(
        kind, bytes, .controller,
        packet: attempt.start == .command
          ? attempt.moment.packet : attempt.reply?.packet ?? attempt.moment.packet)
      (key.connection, key.device) = (history.id, history.device)
      (key.ediv, key.rand, key.size) = (attempt.ediv, attempt.rand, attempt.keySize)
      // The same key again: another connection with the device adds nothing.
      let isKnown = keys.contains {
        $0.kind == kind && $0.bytes == bytes && $0.device == history.device
      }
      if isKnown { continue }
      add(key)
    }
  }

  /// Sets the identification of the long term key that was given last on a connection; it follows
  /// the key.
  mutating func identify(
    connection: Int, _ side: Side, ediv: UInt16, rand: UInt64
  ) {
    guard
      let position = keys.lastIndex(where: {
        $0.kind == .longTerm && $0.source == .pairing && $0.connection == connection
          && $0.side == side
      })
    else { return }
    (keys[position].ediv, keys[position].rand) = (ediv, rand)
  }

  /// Returns the keys of a connection's peer.
  package func keys(of history: ConnectionHistory) -> [Key] {
    let addresses = history.connection.addresses
    return keys.filter { $0.belongs(to: history, addresses) }
  }

  /// Keeps only the keys of the peers of these connections.
  package mutating func keep(of histories: [ConnectionHistory]) {
    let known = histories.map { ($0, $0.connection.addresses) }
    keys = keys.filter { key in known.contains { key.belongs(to: $0, $1) } }
  }
}

extension KnownKeys.Key {
  /// Returns whether the key belongs to the device at the other end of a connection, which has
  /// these addresses.
  fileprivate func belongs(to history: ConnectionHistory, _ addresses: [DeviceAddress]) -> Bool {
    if let address, addresses.contains(address) { return true }
    return device == history.device
  }
}

extension Connection {
  /// The addresses by which the peer is known.
  fileprivate var addresses: [DeviceAddress] {
    [peer, identity?.address, peerResolvable].compactMap(\.self)
  }
}
