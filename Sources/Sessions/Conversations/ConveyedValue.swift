package import Bluetooth
package import Bytes

/// How a value is conveyed over a link, or was meant to be.
package enum ValueOperation: UInt8, Sendable, CaseIterable {
  case advertisement, read, write, writeWithoutResponse, signedWrite, preparedWrite
  case notification, indication
  /// Bytes on a serial channel.
  case data

  /// The name in the JSON contract.
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
    case .data: "data"
    }
  }

  /// Whether a response of the server decides the outcome.
  package var hasResponse: Bool {
    switch self {
    case .read, .write, .preparedWrite: true
    case .advertisement, .writeWithoutResponse, .signedWrite, .notification, .indication, .data:
      false
    }
  }

  /// Whether the sender has to wait for a response or a confirmation before the next one (Core,
  /// Vol 3, Part F, 3.3.2).
  package var isAcknowledged: Bool { hasResponse || self == .indication }

  /// Whether the value comes from the client rather than the server. Data goes either way.
  package var isWrite: Bool {
    switch self {
    case .write, .writeWithoutResponse, .signedWrite, .preparedWrite: true
    case .advertisement, .read, .notification, .indication, .data: false
    }
  }
}

package enum ValueOutcome: Equatable, Sendable {
  /// It was conveyed, and the answer, if one is due, has come.
  case done
  /// The server refused it.
  case refused(ATTErrorCode)
  /// No answer came, or none that is in the capture.
  case noResponse(Reason)
  /// A prepared write that the client cancelled (Execute Write Request, 0x00).
  case cancelled
  /// A prepared write that was not executed before the link or the capture ended.
  case notExecuted(Reason)

  /// Why nothing more can come.
  package enum Reason: UInt8, Sendable {
    /// The connection has ended.
    case connectionEnded
    /// The connection has ended, after ATT's transaction timeout of 30 s (Core, Vol 3, Part F,
    /// 3.3.3).
    case timedOut
    /// Later requests on the same bearer were answered.
    case overtaken
    /// The capture lacks records; the answer may be among them.
    case recordsLost
    /// The capture ends.
    case captureEnded
    /// There was no room to wait for the answer.
    case forgotten

    /// The key in JSON.
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

  /// Why the attempt failed, in JSON and tables; nil if it did not.
  package var failureKey: StaticString? {
    switch self {
    case .done: nil
    case .refused: "refused"
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

/// The link on which a value was conveyed, and the peer.
package struct ValueParties: Equatable, Sendable {
  /// The connection's number; 0 if there is none.
  package var connection = 0
  /// The controller's index.
  package var adapter = AdapterIndex.unknown
  /// The other device's address, as used for the connection or the advertisement.
  package var peer: DeviceAddress?
  /// Its identity address, if it sent one.
  package var identity: DeviceAddress?
  /// The resolvable address that it used, if the controller resolved it to `peer`.
  package var resolvable: DeviceAddress?
  /// Where the connection was recorded.
  package var vantage = Vantage.host

  /// The identity address, if it differs from `peer`.
  package var otherIdentity: DeviceAddress? { identity == peer ? nil : identity }
}

/// A value that was conveyed over a link in one or more packets, or an attempt whose outcome is now
/// known.
package struct ConveyedValue: Sendable {
  package var operation: ValueOperation
  package var outcome = ValueOutcome.done
  package var attribute: AttributeIdentity
  package var parties: ValueParties
  /// The direction of the value; for a refused or unanswered read, of the request.
  package var direction: Direction?
  /// The packet that carried the value's last byte; for an attempt without a value, the request's.
  package var packet: Int
  package var time: Timestamp?
  /// The packet that decided the outcome, if it is another one.
  package var response: Int?
  /// Whether the link was encrypted when the response came; nil: unknown, or there was no
  /// response.
  package var isEncrypted: Bool?
  /// The time until the answer, in nanoseconds; nil if there is none or its time is unknown.
  package var latency: Int64?
  /// The value, in `Conversations.bytes`; nil for an attempt without one.
  package var value: Slice?
  /// The packet that completed the first part of a value that came in parts.
  package var first: Int?
  /// The packets that carried it, in `Conversations.packets`; nil if there was one.
  package var packets: Range<Int>?
  /// The offset in the attribute's value at which these bytes begin.
  package var offset = 0
  /// Whether the capture lacks some of the bytes.
  package var isCut = false
  /// Whether the value fills the last PDU, so that the attribute may have more bytes that were not
  /// read.
  package var mayGoOn = false
  /// For a value read in parts, whether it ends at the end of a PDU because the server refused to
  /// read on: Invalid Offset, which may also mean that there is no more.
  package var isRestRefused = false
  /// The error with which the server refused to read on, and its packet.
  package var restRefusal: (error: ATTErrorCode, packet: Int)?
  /// Whether the read was one by type, so that a refusal may refer to a range instead of the
  /// attribute.
  package var isByType = false
  /// Whether the server echoed other bytes, or another offset, than it was sent.
  package var isEchoWrong = false
  /// For an attempt of the captured host without an answer: whether the peer acknowledged the
  /// packet on the air; nil if unknown.
  package var isAcknowledged: Bool?
  /// The handles of several attributes whose values follow each other in `value` without
  /// separators: two bytes each, in `Conversations.bytes`.
  package var handles: Slice?
  /// For manufacturer data in an advertisement: the company.
  package var company: UInt16?
  /// The AD type of a value in an advertisement.
  package var adType: ADType?
  /// Whether the advertising data around the value holds a secret, or the value may belong to an
  /// attribute whose values do, so that its meaning is uncertain.
  package var isSecret = false
  /// Whether the attribute's values are secret, or hold secrets.
  package var isOfSecretType = false

  /// Whether the value comes from the client rather than the server.
  package var isWritten: Bool {
    operation.isWrite
      || operation == .data && direction.map { Side(sent: $0) != attribute.side } ?? false
  }

  /// Whether a write counts as done only because the capture has no answers.
  package var lacksAnswer: Bool { operation == .write && outcome == .done && response == nil }

  /// Whether the capture has the refusal only, and not the request.
  package var lacksRequest: Bool {
    if case .refused = outcome { return (response ?? packet) == packet }
    return false
  }

  /// Whether the value is a whole one that can be part of a series of values.
  package var isPlain: Bool {
    outcome == .done && value != nil && offset == 0 && !isCut && handles == nil
  }
}
