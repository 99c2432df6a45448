package import Bluetooth

/// The keys of bonds that are known so far: from files, the Security Manager, HCI and the
/// management interface. The keys themselves are printed only if requested.
///
/// Bounded by `Limits`: of too many different keys, later ones are not remembered.
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
    /// Another capture, by its name; its host may be another one.
    case capture(String)

    /// Whether the user gave it, besides the capture.
    package var isGiven: Bool {
      switch self {
      case .file, .capture: true
      case .pairing, .controller, .event, .management: false
      }
    }
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

    package init(_ kind: Kind, _ bytes: [UInt8], _ source: Source, packet: Int) {
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
  /// most the first few.
  package private(set) var zeros: [Int] = []
  /// The long term keys that a pairing on another connection gave again: the position in `keys`,
  /// the packet and the connection; as many as of `zeros`.
  package private(set) var repeated: [(key: Int, packet: Int, connection: Int)] = []

  /// The keys that the host gave its controller to encrypt links, for decrypting what a sniffer
  /// recorded. Of too many, later ones are not remembered.
  package private(set) var encrypting: [Key] = []
  /// The key that a controller asked its host for last.
  var requested: (link: LinkKey, ediv: UInt16, rand: UInt64)?

  private let shared: SharedLimits

  package init() { self.init([], SharedLimits(Limits())) }

  /// Creates the set of keys from files.
  init(_ bonds: [Bond], _ shared: SharedLimits) {
    self.shared = shared
    for bond in bonds {
      func add(_ kind: Kind, _ bytes: [UInt8]?, _ change: (inout Key) -> Void = { _ in }) {
        guard let bytes else { return }
        let source: Source = bond.isFromCapture ? .capture(bond.file) : .file(bond.file)
        var key = Key(kind, bytes, source, packet: 0)
        if !bond.isAnyDevice { (key.address, key.type) = (bond.address, bond.type) }
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
  package mutating func add(_ key: Key) {
    guard key.bytes.contains(where: { $0 != 0 }) else {
      if key.source == .pairing, zeros.count < shared.values.zeroKeys { zeros.append(key.packet) }
      return
    }
    if let position = keys.firstIndex(where: { $0.isSame(as: key) }) {
      noteRepetition(of: position, key)
      return
    }
    if key.kind == .unknown,
      keys.count(where: { $0.kind == .unknown }) >= shared.values.unknownKeys
        || keys.contains(where: { $0.bytes == key.bytes })
    {
      return
    }
    guard keys.count < shared.values.keys else {
      isFull = true
      return
    }
    keys.append(key)
  }

  /// Records that a pairing gives a key that an earlier one gave.
  private mutating func noteRepetition(of position: Int, _ key: Key) {
    guard key.kind == .longTerm, key.source == .pairing, keys[position].source == .pairing,
      let connection = key.connection, connection != keys[position].connection,
      repeated.count < shared.values.zeroKeys
    else { return }
    repeated.append((position, key.packet, connection))
  }

  /// Adds a key that the host gave its controller to encrypt a link.
  mutating func add(encrypting key: Key) {
    let isKnown = encrypting.contains {
      $0.bytes == key.bytes && $0.ediv == key.ediv && $0.rand == key.rand
        && $0.address == key.address
    }
    if isKnown || encrypting.count >= shared.values.keys { return }
    encrypting.append(key)
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

  /// Removes the keys that do not satisfy a condition.
  package mutating func keep(where isKept: (Key) -> Bool) {
    let known = keys
    keys = known.filter(isKept)
    repeated = repeated.compactMap { again in
      guard isKept(known[again.key]) else { return nil }
      return (known[..<again.key].count(where: isKept), again.packet, again.connection)
    }
  }
}
