package import Bluetooth

/// A link as it is known so far. Plain numbers: a copy is a snapshot.
package struct Connection: Sendable {
  /// What the link is.
  package enum Transport: UInt8, Sendable {
    case le, brEDR
    /// SCO, eSCO, CIS or BIS: a handle, but nothing that L2CAP runs over; it gets no `id`.
    case synchronous
    /// Not known: the capture begins in its middle.
    case unknown
  }

  /// The part that the captured host plays.
  package enum Role: UInt8, Sendable {
    case central, peripheral

    /// As the JSON contract names it.
    package var key: StaticString { self == .central ? "central" : "peripheral" }
  }

  /// Who or what ended a link.
  package enum Ending: UInt8, Sendable {
    /// The captured host asked for it.
    case localHost
    /// The peer's host asked for it.
    case peer
    /// Nothing was heard for the supervision timeout.
    case timeout
    /// The peer never answered at all.
    case neverEstablished
    /// The controllers found that the keys or the data do not agree.
    case micFailure
    /// The controller was reset, or went away.
    case reset
    /// The controller, for another reason.
    case controller
    /// A connection of the same handle began without an end of this one.
    case replaced
    /// It has ended, and the capture does not have the reason.
    case unknown
    /// Too many links were open to follow all: this one was left.
    case forgotten
    /// It was open where its file ends, and the next file begins at another time.
    case fileEnded
  }

  /// Counts connections from 1 in the order in which they opened or were first seen; 0 for links
  /// that are not connections.
  package var id: Int { didSet { changes &+= 1 } }
  /// The controller's index.
  package let adapter: UInt16
  /// The connection handle.
  package let handle: UInt16
  /// What the link is.
  package var transport: Transport
  /// Whether the transport follows from the channels that its data uses, since its opening is missing.
  package var isTransportInferred = false
  /// The peer's address as used for the connection.
  package var peer: DeviceAddress? { didSet { changes &+= 1 } }
  /// And its type.
  package var peerType: AddressType? { didSet { changes &+= 1 } }
  /// The identity address that the peer gave when the two paired, and its type.
  package var identity: (address: DeviceAddress, type: AddressType)? { didSet { changes &+= 1 } }
  /// The resolvable private address that the peer uses, where `peer` is the identity that the
  /// controller has resolved it to: the peer advertised under it.
  package var peerResolvable: DeviceAddress? { didSet { changes &+= 1 } }
  /// The part that the captured host plays.
  package var localRole: Role? { didSet { changes &+= 1 } }
  /// The packet that opened it, or in which it was first seen.
  package let firstPacket: Int
  /// And when.
  package let firstTime: Timestamp?
  /// Whether the opening is not in the capture.
  package var isOpeningMissing: Bool
  /// Whether the peer was heard: until then the link is created, but not established.
  package var isEstablished = false
  /// Whether the captured host has sent data: then it knew of the link.
  var isUsed = false
  /// Whether a supplied map was looked for: that is done once.
  var hasLookedForMap = false
  /// Raw units of 1.25 ms.
  package var interval: UInt16?
  /// Connection events that the peripheral may skip.
  package var latency: UInt16?
  /// Raw units of 10 ms.
  package var supervisionTimeout: UInt16?
  /// ATT_MTU in force on the unenhanced bearer, once exchanged.
  package var mtu: UInt16?
  /// The largest ATT PDU seen on the unenhanced bearer, in bytes: the MTU is no smaller.
  package var largestATT: UInt16 = 0
  /// ACL packets that the captured host has sent.
  package var sentPackets = 0
  /// ACL packets that it has received.
  package var receivedPackets = 0
  /// How many of those the controller says were completed: on LE, acknowledged by the peer (Core, Vol 4,
  /// Part E, 7.7.19).
  package var completedPackets = 0
  /// Whether records were lost while the link was open: then the two counts say nothing of each other.
  package var hasLostPackets = false
  /// Whether the link is encrypted; nil: not known, since its opening is missing.
  package var isEncrypted: Bool?
  /// The Disconnect command that waits for its effect: its packet.
  package var disconnectPacket: Int?
  /// How it ended; nil while it is open.
  package var ending: Ending?
  /// The reason that the controller gave.
  package var reason: StatusCode?
  /// The packet that ended it.
  package var lastPacket: Int?
  /// And when.
  package var lastTime: Timestamp?
  /// Where in `Names` the peer's name stands.
  package var name: Names.Entry? { didSet { changes &+= 1 } }

  /// How often what says which connection this is has changed: its number, the peer, the role.
  package private(set) var changes = 0

  /// Whether the link is open.
  package var isOpen: Bool { ending == nil }

  /// The peer's identity address, where it is another than the one that it uses.
  package var otherIdentity: DeviceAddress? {
    guard let identity, identity.address != peer else { return nil }
    return identity.address
  }

  /// What the peer's address is.
  package var peerKind: AddressKind? {
    guard let peer, let peerType else { return nil }
    return AddressKind(peer, peerType)
  }

  init(
    id: Int, adapter: UInt16, handle: UInt16, transport: Transport, packet: Int,
    time: Timestamp?, isOpeningMissing: Bool
  ) {
    self.id = id
    self.adapter = adapter
    self.handle = handle
    self.transport = transport
    firstPacket = packet
    firstTime = time
    self.isOpeningMissing = isOpeningMissing
    isEncrypted = isOpeningMissing ? nil : false
  }

  /// Who ended a link that the controller reports as disconnected: a Disconnect command that waits
  /// is the captured host's doing, whatever the reason says.
  func ending(for reason: StatusCode?) -> Ending {
    if disconnectPacket != nil { return .localHost }
    guard let reason else { return .unknown }
    switch reason {
    case .connectionTerminatedByLocalHost: return .localHost
    case .remoteUserTerminated, .remoteLowResources, .remotePowerOff: return .peer
    case .connectionTimeout: return .timeout
    case .connectionFailedToBeEstablished: return .neverEstablished
    case .micFailure: return .micFailure
    // A host may give these to its Disconnect command too (Core, Vol 4, Part E, 7.1.6); on LE no
    // controller ends a link for them by itself.
    case .authenticationFailure, .unsupportedRemoteFeature, .unitKeyNotSupported,
      .unacceptableConnectionParameters:
      return transport == .brEDR ? .controller : .peer
    default: return .controller
    }
  }
}
