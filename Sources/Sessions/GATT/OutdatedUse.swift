package import Bluetooth

/// The use of attributes that are known only from an earlier connection, on a connection that shows
/// that they have changed: the values may belong to other attributes.
package struct OutdatedUse: Equatable, Sendable {
  /// What shows that a server's attributes have changed.
  package enum Sign: Equatable, Sendable {
    /// A request is refused: Database Out Of Sync, or Invalid Handle.
    case refusal(ATTErrorCode)
    /// The Database Hash is another one.
    case hash
    /// The server sends Service Changed.
    case serviceChanged
    /// A discovery finds other attributes at the same handles.
    case discovery

    /// The name in the JSON contract.
    package var key: StaticString {
      switch self {
      case .refusal: "error"
      case .hash: "database_hash"
      case .serviceChanged: "service_changed"
      case .discovery: "discovery"
      }
    }

    /// The refusal.
    package var error: ATTErrorCode? {
      if case .refusal(let error) = self { error } else { nil }
    }

    /// Whether another cause is possible: a handle that was never valid.
    package var isDoubtful: Bool { error?.rawValue == 0x01 }
  }

  package let connection: Int
  /// The first packet on it that used such an attribute.
  package let first: Int
  package let sign: Sign
  /// The packet with the sign.
  package let packet: Int
}

/// A detector of `OutdatedUse` for one server. It keeps what happened on the latest connection.
struct OutdatedUses: Sendable {
  /// The latest outdated use.
  private(set) var found: OutdatedUse?
  /// The handles known from earlier connections that were used, and the first packet.
  private var use: (connection: Int, packet: Int, handles: HandleRanges)?
  private var sign: (connection: Int, packet: Int, what: OutdatedUse.Sign)?

  /// Records that an attribute known only from an earlier connection was used.
  mutating func use(_ handle: UInt16, on connection: Int, packet: Int) {
    if use?.connection != connection { use = (connection, packet, HandleRanges()) }
    _ = use?.handles.insert(handle, handle)
    conclude()
  }

  /// Records a sign that attributes in a range have changed.
  mutating func note(
    _ what: OutdatedUse.Sign, _ handles: ClosedRange<UInt16> = 1...UInt16.max,
    on connection: Int, packet: Int
  ) {
    // Without an earlier use only a refusal leaves attributes in use.
    if what.error == nil {
      guard let use, use.connection == connection,
        use.handles.ranges.contains(where: { $0.overlaps(handles) })
      else { return }
    }
    if let known = sign, known.connection == connection { return }
    sign = (connection, packet, what)
    conclude()
  }

  private mutating func conclude() {
    guard let use, let sign, use.connection == sign.connection,
      found?.connection != use.connection
    else { return }
    found = OutdatedUse(
      connection: use.connection, first: use.packet, sign: sign.what, packet: sign.packet)
  }
}
