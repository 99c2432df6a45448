package import Bluetooth
package import Bytes
import Dissectors

/// What is known about a link so far. It has only plain values: a copy is a snapshot.
package struct Connection: Sendable {
  /// The kind of a link.
  package enum Transport: JSONKey, Sendable {
    case le = "le", brEDR = "br_edr"
    /// SCO, eSCO, CIS or BIS: it has a handle but carries no L2CAP and gets no `id`.
    case synchronous = "synchronous"
    /// Unknown: the capture begins in the middle of the link.
    case unknown = "unknown"
  }

  /// Who or what ended a link.
  package enum Ending: JSONKey, Sendable {
    /// The captured host requested it.
    case localHost = "local_host"
    /// The peer's host requested it.
    case peer = "peer"
    /// Nothing was heard for the supervision timeout.
    case timeout = "timeout"
    /// The peer never answered at all.
    case neverEstablished = "never_established"
    /// The controllers found that the keys or the data do not match.
    case micFailure = "mic_failure"
    /// The controller was reset or removed.
    case reset = "reset"
    /// The controller ended it for another reason.
    case controller = "controller"
    /// A connection with the same handle began, although this one was not reported to have ended.
    case replaced = "replaced"
    /// It has ended, but the capture lacks the reason.
    case unknown = "unknown"
    /// Too many links were open to follow all: this one was dropped.
    case forgotten = "forgotten"
    /// It was open at the end of its file, and the next file begins at another time.
    case fileEnded = "file_ended"
  }

  /// The number of the connection, from 1 in the order in which connections opened or were first
  /// seen; 0 for links that are not connections.
  package var id: Int { didSet { changes &+= 1 } }
  package let key: LinkKey
  /// Whether it was recorded on the air, between two devices: its central is the local side, its
  /// peripheral the peer, and no host was captured.
  package var isOnAir = false
  package var vantage: Vantage { isOnAir ? .air : .host }
  /// On the air: the central's address, if the capture has the packet that opened the connection.
  package internal(set) var localAddress: DeviceAddress?
  package internal(set) var localType: AddressType?
  /// On the air: the central's identity address, if it differs and a key resolves the address, or
  /// the central sent it when the two paired.
  package internal(set) var localIdentity: DeviceAddress?
  package var transport: Transport
  /// Whether the transport is inferred from the channels that the data uses, since the opening is
  /// missing.
  package var isTransportInferred = false
  /// The peer's address as used for the connection.
  package var peer: DeviceAddress? { didSet { changes &+= 1 } }
  package var peerType: AddressType? { didSet { changes &+= 1 } }
  /// The identity address, with its type, that the peer sent when the two paired.
  package var identity: (address: DeviceAddress, type: AddressType)? { didSet { changes &+= 1 } }
  /// The resolvable private address that the peer uses, if `peer` is the identity that the
  /// controller resolved it to: the peer advertised with it.
  package var peerResolvable: DeviceAddress? { didSet { changes &+= 1 } }
  /// The end that is the central; nil: unknown.
  package var central: Side? { didSet { changes &+= 1 } }
  /// Whether this host asked to end it, but the controller reports that the peer was no longer
  /// heard.
  package var endedUnheard: Bool { ending == .localHost && reason == .connectionTimeout }

  /// Returns the least time that can pass until a controller reports this supervision timeout, in
  /// nanoseconds: the clocks of controllers and of the capture differ a little.
  package static func leastSilence(timeout: Int64) -> Int64 {
    timeout - min(timeout / 4, 500_000_000)
  }

  /// Whether the link was dead before this host asked to end it: the controller reports that the
  /// supervision timeout passed, but less time had passed since the command.
  package var wasDeadBefore: Bool {
    guard endedUnheard, transport == .le, let supervisionTimeout, let disconnectTime,
      let passed = lastTime?.nanoseconds(since: disconnectTime), passed >= 0
    else { return false }
    return passed < Self.leastSilence(timeout: Int64(supervisionTimeout) * 10_000_000)
  }

  /// The packet that opened it, or in which it was first seen.
  package let firstPacket: Int
  package let firstTime: Timestamp?
  /// Whether the opening is missing from the capture.
  package var isOpeningMissing: Bool
  /// Whether the missing opening may be among lost records instead of before the capture.
  package let isOpeningLost: Bool
  /// Whether the peer was heard: until then the link is created but not established.
  package var isEstablished = false
  /// Whether the captured host has sent data, and so knew of the link.
  private(set) var isUsed = false
  /// Whether a supplied map was already looked for, which is done once.
  var hasLookedForMap = false
  /// The connection interval, in units of 1.25 ms.
  package var interval: UInt16? { didSet { figures.note(interval: interval) } }
  /// The number of connection events that the peripheral may skip.
  package var latency: UInt16?
  /// The supervision timeout, in units of 10 ms.
  package var supervisionTimeout: UInt16?
  /// ATT_MTU in force on the unenhanced bearer, once exchanged.
  package var mtu: UInt16?
  /// Whether the sides began to exchange the MTU, and its outcome has not been seen.
  private(set) var isMTUOpen = false
  /// The largest ATT PDUs seen on the unenhanced bearer, in bytes.
  package var largestReceivedATT: UInt16 = 0
  var largestSentATT: UInt16 = 0
  /// The largest one that shows the MTU to be no smaller: without an exchange, this host may send
  /// what is too long.
  package var largestATT: UInt16 {
    knownMTU == nil ? max(largestReceivedATT, largestSentATT) : largestReceivedATT
  }
  /// Whether it can only have opened on LE 1M, and no command since then asks for another PHY.
  var opensOn1M = false
  /// Whether events report when the data length changes.
  var reportsLengths = true
  /// How the link carries data, and how much.
  package var figures = LinkFigures()
  /// ACL packets that the captured host has sent.
  package var sentPackets = 0
  /// ACL packets that the captured host has received.
  package var receivedPackets = 0
  /// The number of sent packets that the controller reports as completed: on LE, acknowledged by
  /// the peer (Core, Vol 4, Part E, 7.7.19).
  package var completedPackets = 0
  /// Whether records were lost while the link was open: then the two counts cannot be compared.
  package var hasLostPackets = false
  /// On the air, the last packet before which others of the link may be missing, or which was not
  /// read; 0: none. What waited for an answer before it may have got one.
  package var mayMissBefore = 0
  /// Whether the recorder truncated data of the link.
  package var isDataCut = false
  /// Whether the link is encrypted; nil: unknown, since its opening is missing, or since encryption
  /// was started and its outcome has not been seen.
  package var isEncrypted: Bool?
  /// The packet of the Disconnect command that has not taken effect yet, or that asked for the end.
  package var disconnectPacket: Int?
  /// The time of that command.
  var disconnectTime: Timestamp?
  /// How it ended; nil while it is open.
  package var ending: Ending?
  /// The reason that the controller reported.
  package var reason: StatusCode?
  package var lastPacket: Int?
  package var lastTime: Timestamp?
  /// The peer's name, as a position in `Names`.
  package var name: Names.Entry? { didSet { changes &+= 1 } }

  /// How often the identifying properties have changed: its number, the peer, the role.
  package private(set) var changes = 0

  /// The controller's index.
  package var adapter: AdapterIndex { key.adapter }
  package var handle: UInt16 { key.handle }

  package var isOpen: Bool { ending == nil }

  /// Returns the role of one end; nil: unknown.
  package func role(of side: Side) -> LinkRole? {
    central.map { $0 == side ? .central : .peripheral }
  }

  /// Records the role of the captured host.
  mutating func set(localRole role: LinkRole?) {
    central = role.map { $0 == .central ? .local : .peer }
  }

  /// The peer's identity address, if it differs from the address that it uses.
  package var otherIdentity: DeviceAddress? {
    guard let identity, identity.address != peer else { return nil }
    return identity.address
  }

  /// The kind of the peer's address.
  package var peerKind: AddressKind? {
    guard let peer, let peerType else { return nil }
    return AddressKind(peer, peerType)
  }

  init(
    id: Int, _ key: LinkKey, _ transport: Transport, packet: Int, time: Timestamp?,
    isOpeningMissing: Bool, isOpeningLost: Bool
  ) {
    self.id = id
    self.key = key
    self.transport = transport
    firstPacket = packet
    firstTime = time
    self.isOpeningMissing = isOpeningMissing
    self.isOpeningLost = isOpeningLost
    isEncrypted = isOpeningMissing ? nil : false
  }

  /// Infers the transport if a channel that carries data exists on only one (Core, Vol 3, Part A,
  /// 2.1, tables 2.1 and 2.2).
  mutating func inferTransport(from channel: ChannelID) {
    guard let only = channel.transport else { return }
    (transport, isTransportInferred) = (only, true)
  }

  /// Marks the link as established if features or a version came from the peer: on success, or if
  /// it answered that it does not know the request. These procedures also end, with the link's
  /// reason, on a link that was never established.
  mutating func hear(_ status: StatusCode) {
    if status == .success || status == .unsupportedRemoteFeature { isEstablished = true }
  }

  /// Returns whether the capture has no data so far from the side that would answer data in a
  /// direction.
  func isOneSided(_ direction: Direction) -> Bool {
    (direction == .sent ? receivedPackets : sentPackets) == 0
  }

  /// Counts an ACL packet with this many bytes of data.
  mutating func count(_ direction: Direction, bytes: Int, isCut: Bool) {
    figures.count(bytes, isSent: direction == .sent)
    if direction == .received {
      isEstablished = true
      receivedPackets &+= 1
    } else {
      isUsed = true
      sentPackets &+= 1
    }
    if isCut { isDataCut = true }
  }

  /// Follows the exchange of the MTU. Both sides then use the smaller of the two, never less than
  /// 23 (Core, Vol 3, Part F, 3.4.2.2).
  ///
  /// - Parameters:
  ///   - own: the MTU in the PDU.
  ///   - request: the request that the PDU answers.
  mutating func exchangeMTU(_ opcode: ATTOpcode, _ own: UInt16?, _ request: Request?) {
    if let own, let offered = request?.mtu { mtu = max(BearerMTU.byDefault, min(offered, own)) }
    switch opcode {
    case .exchangeMTURequest, .exchangeMTUResponse: isMTUOpen = mtu == nil
    case .errorResponse where request?.opcode == .exchangeMTURequest: isMTUOpen = false
    default: break
    }
  }

  /// Records that encryption was started: its outcome decides whether the link is encrypted.
  mutating func beginEncryption() { if isEncrypted == false { isEncrypted = nil } }

  /// Records that this failed.
  mutating func failEncryption() {
    if isEncrypted == nil, !isOpeningMissing { isEncrypted = false }
  }

  /// Returns who ended a link that the controller reports as disconnected. If a Disconnect command
  /// is pending, the captured host did, whatever the reason is.
  func ending(for reason: StatusCode?) -> Ending {
    if disconnectPacket != nil { return .localHost }
    guard let reason else { return .unknown }
    switch reason {
    case .connectionTerminatedByLocalHost: return .localHost
    case .remoteUserTerminated, .remoteLowResources, .remotePowerOff: return .peer
    case .connectionTimeout: return .timeout
    case .connectionFailedToBeEstablished: return .neverEstablished
    case .micFailure: return .micFailure
    // A host may give these to its Disconnect command, too (Core, Vol 4, Part E, 7.1.6); on LE no
    // controller ends a link for them on its own.
    case .authenticationFailure, .unsupportedRemoteFeature, .unitKeyNotSupported,
      .unacceptableConnectionParameters:
      return transport == .brEDR ? .controller : .peer
    default: return .controller
    }
  }
}

extension ChannelID {
  /// The transport of a fixed channel that exists on only one.
  fileprivate var transport: Connection.Transport? {
    switch self {
    case .attribute, .leSignalling, .securityManager: .le
    case .signalling, .brEDRSecurityManager: .brEDR
    default: nil
    }
  }
}
