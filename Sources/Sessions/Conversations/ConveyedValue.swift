package import Bluetooth
package import Bytes

/// How a value crosses, or was to cross, a link.
package enum ValueOperation: UInt8, Sendable, CaseIterable {
  case advertisement, read, write, writeWithoutResponse, signedWrite, preparedWrite
  case notification, indication

  /// As the JSON contract names it.
  package var key: StaticString {
    switch self {
    case .advertisement: "advertisement"
    case .read: "read"
    case .write: "write"
    case .writeWithoutResponse: "write_without_response"
    case .signedWrite: "signed_write"
    case .preparedWrite: "prepared_write"
    case .notification: "notification"
    case .indication: "indication"
    }
  }

  /// Whether the client gives the value, not the server.
  package var isWrite: Bool {
    switch self {
    case .write, .writeWithoutResponse, .signedWrite, .preparedWrite: true
    case .advertisement, .read, .notification, .indication: false
    }
  }
}

/// What became of a value.
package enum ValueOutcome: Equatable, Sendable {
  /// It has crossed, and where an answer belongs to that, the answer has come.
  case done
  /// The server refused it.
  case refused(ATTErrorCode)
  /// No answer came, or none that is in the capture.
  case noResponse(Reason)
  /// A prepared write: the client gave it up (Execute Write Request, 0x00).
  case cancelled
  /// A prepared write: the link ended, or the capture, before it was executed.
  case notExecuted(Reason)

  /// Why nothing more can come.
  package enum Reason: UInt8, Sendable {
    /// The connection has ended.
    case connectionEnded
    /// The connection has ended, after ATT's transaction timeout of 30 s (Core, Vol 3, Part F, 3.3.3).
    case timedOut
    /// Others followed on the same bearer, and were answered.
    case overtaken
    /// The capture lacks records; the answer may be among them.
    case recordsLost
    /// The capture ends.
    case captureEnded
    /// There was no room to wait for the answer.
    case forgotten

    /// As a JSON key.
    package var key: StaticString {
      switch self {
      case .connectionEnded: "connection_ended"
      case .timedOut: "timed_out"
      case .overtaken: "overtaken"
      case .recordsLost: "records_lost"
      case .captureEnded: "capture_ended"
      case .forgotten: "forgotten"
      }
    }
  }

  /// The error that the JSON contract has for an outcome without an error code of ATT's.
  package var errorKey: StaticString? {
    switch self {
    case .done, .refused: nil
    case .noResponse: "no_response"
    case .cancelled: "cancelled"
    case .notExecuted: "not_executed"
    }
  }

  /// Why nothing more can come.
  package var reason: Reason? {
    switch self {
    case .noResponse(let reason), .notExecuted(let reason): reason
    case .done, .refused, .cancelled: nil
    }
  }
}

/// On which link a value crossed, and between whom.
package struct ValueParties: Equatable, Sendable {
  /// The connection's number; 0 where there is none.
  package var connection = 0
  /// The controller's index.
  package var adapter: UInt16 = 0
  /// The other device's address, as used for the connection or the advertisement.
  package var peer: DeviceAddress?
  /// Its identity address, where it gave one.
  package var identity: DeviceAddress?
  /// The resolvable address that it used, where `peer` is what the controller resolved that to.
  package var resolvable: DeviceAddress?

  /// The identity address, where it is another one than `peer`.
  package var otherIdentity: DeviceAddress? { identity == peer ? nil : identity }
}

/// A value that has crossed a link in one or more packets, or an attempt of which it is now known what
/// became of it.
package struct ConveyedValue: Sendable {
  /// How.
  package var operation: ValueOperation
  /// What became of it.
  package var outcome = ValueOutcome.done
  /// Whose value.
  package var attribute: AttributeIdentity
  /// Who talked.
  package var parties: ValueParties
  /// Which way the value went; of a refused or unanswered read, the request.
  package var direction: Direction?
  /// The packet that carried the value's last byte; of an attempt without a value, the request's.
  package var packet: Int
  /// And its time.
  package var time: Timestamp?
  /// The packet that told the outcome, where that is another one.
  package var response: Int?
  /// How long the answer took, in nanoseconds; nil where there is none, or its time is not known.
  package var latency: Int64?
  /// The value, in `Conversations.bytes`; nil of an attempt without one.
  package var value: Slice?
  /// The packets that carried it, in `Conversations.packets`; nil where it was one.
  package var packets: Range<Int>?
  /// Where in the attribute's value these bytes begin.
  package var offset = 0
  /// Whether the capture lacks a part of the bytes.
  package var isCut = false
  /// Whether the value fills the last PDU, so that there may be more of it that nobody asked for.
  package var mayGoOn = false
  /// Whether the server repeated other bytes, or another place for them, than it was given.
  package var isEchoWrong = false
  /// Of an attempt of the captured host's without an answer: whether the peer acknowledged the packet
  /// on the air; nil where that is not known.
  package var isAcknowledged: Bool?
  /// Attributes whose values stand in `value` one after the other with no telling where each ends:
  /// their handles, two bytes each, in `Conversations.bytes`.
  package var handles: Slice?
  /// Of manufacturer data in an advertisement: the company.
  package var company: UInt16?
  /// The AD type of a value in an advertisement.
  package var adType: ADType?
  /// Whether advertising data around the value holds a secret, or the value may be another attribute's that
  /// does: then nobody knows what this is.
  package var isSecret = false
  /// Whether the attribute is one whose values are secret, or hold secrets.
  package var isOfSecretType = false

  /// Whether the value belongs to a series of values: it is one, and whole.
  package var isPlain: Bool {
    outcome == .done && value != nil && offset == 0 && !isCut && handles == nil
  }
}
