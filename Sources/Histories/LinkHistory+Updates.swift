package import Bluetooth
import Bytes
import Captures
package import Dissectors

/// A change of a link's parameters: who requested it, how, and its result.
package struct ParameterUpdate: Sendable {
  /// How it was requested.
  package enum Procedure: UInt8, Sendable {
    /// L2CAP Connection Parameter Update Request: a peripheral asks the central's host (Core, Vol
    /// 3, Part A, 4.20).
    case signalling
    /// The captured host's LE Connection Update command.
    case command
    /// LE Remote Connection Parameter Request: the peer's controller asks (Core, Vol 6, Part B,
    /// 5.1.7).
    case linkLayer
    /// The central, which is not a captured host, changed them.
    case unasked
  }

  package var procedure: Procedure
  package var side: Side
  /// The request; the event if there was none, or the answer if the request is missing.
  package var asked: Moment
  /// The requested parameters; nil if none were requested, or they were cut off.
  package var wanted: WantedParameters?
  /// The answer of the other host: response, reply or negative reply.
  package internal(set) var answered: Moment?
  /// Whether the answer granted it; nil: no answer.
  package internal(set) var isGranted: Bool?
  /// The reason for a refusal, if the answer contains it.
  package internal(set) var refusal: StatusCode?
  /// The LE Connection Update command that carries it out.
  package internal(set) var command: Moment?
  /// LE Connection Update Complete.
  package internal(set) var completed: Moment?
  /// Whether that is the Command Status of this host's controller, which refused the command.
  package internal(set) var isRefusedAtOnce = false
  /// The status of that event.
  package internal(set) var status: StatusCode?
  /// The parameters that the link uses afterwards.
  package internal(set) var result: LinkParameters?
  /// The parameters that it used before, if known.
  package internal(set) var before: LinkParameters?

  init(_ procedure: Procedure, by side: Side, _ asked: Moment, _ wanted: WantedParameters? = nil) {
    (self.procedure, self.side, self.asked, self.wanted) = (procedure, side, asked, wanted)
  }

  /// Whether an LE Connection Update Complete is still expected.
  var isOpen: Bool { completed == nil && isGranted != false }

  /// Returns whether a command for these parameters may carry out this request. Some hosts narrow
  /// the interval, and one that has granted the request may still choose the latency and the
  /// timeout. If either is cut off, they cannot be distinguished.
  func isCarriedOut(by command: WantedParameters?) -> Bool {
    guard let wanted, let command else { return true }
    return
      (isGranted == true || wanted.latency == command.latency && wanted.timeout == command.timeout)
      && wanted.intervalMin <= command.intervalMax && command.intervalMin <= wanted.intervalMax
  }

  /// Whether only the answer shows that there was a request.
  package var lacksRequest: Bool { answered?.packet == asked.packet }

  package var isRefused: Bool { isGranted == false || status.map { $0 != .success } ?? false }

  /// The last packet that concerns it.
  package var lastPacket: Int {
    completed?.packet ?? command?.packet ?? answered?.packet ?? asked.packet
  }

  package var evidence: PacketSet { PacketSet(of: asked, answered, command, completed) }
}

extension LinkHistory {
  /// A captured host that is the peripheral learns of changes only from the event.
  private static let mostUpdates = 32

  mutating func add(_ update: ParameterUpdate) {
    guard updates.count < Self.mostUpdates else {
      omittedUpdates += 1
      return
    }
    var update = update
    update.before = current
    updates.append(update)
  }

  // MARK: Signalling

  /// Records an LE signalling frame, which contains one command.
  mutating func observeSignalling(
    _ moment: Moment, _ side: Side, _ dissection: Dissection, _ bytes: RawSpan, _ request: Int?
  ) {
    guard dissection.l2cap?.cid == .leSignalling else { return }
    var commands = SignallingCommands(dissection.body)
    guard let command = commands.next(bytes) else { return }
    var rest = Slice.empty
    let pdu = try? SignallingPDU(command, bytes, rest: &rest)
    // Who asks is known even if the parameters are cut off.
    if command.code == .parameterUpdateRequest {
      add(ParameterUpdate(.signalling, by: side, moment, pdu?.wanted))
    }
    guard let pdu else { return }
    switch pdu.code {
    case .parameterUpdateResponse:
      if request == nil {
        // If the identifier matches no request, the response answers one that is missing.
        guard
          !updates.contains(where: {
            $0.procedure == .signalling && $0.side == side.other && $0.answered == nil
          })
        else { return }
        add(ParameterUpdate(.signalling, by: side.other, moment))
      }
      answerUpdate(moment, by: side, grants: pdu.result?.code == 0, to: request, .signalling, nil)
    case .commandReject:
      // Only if it is known that it rejects such a request.
      guard let request, updates.contains(where: { $0.asked.packet == request }) else { return }
      answerUpdate(moment, by: side, grants: false, to: request, .signalling, nil)
    default: break
    }
  }

  mutating func answerUpdate(
    _ moment: Moment, by side: Side, grants: Bool, to request: Int?,
    _ procedure: ParameterUpdate.Procedure, _ refusal: StatusCode?
  ) {
    let position = updates.lastIndex {
      $0.procedure == procedure && $0.side == side.other && $0.answered == nil
        && (request == nil || $0.asked.packet == request)
    }
    guard let position else { return }
    updates[position].answered = moment
    updates[position].isGranted = grants
    updates[position].refusal = refusal
  }

  // MARK: Commands and events

  /// Records LE Connection Update.
  mutating func observeUpdateCommand(_ moment: Moment, _ bytes: RawSpan, _ body: Slice) {
    var cursor = Cursor(bytes, body)
    let wanted = (try? LEConnectionParameterRequest(parsing: &cursor))?.wanted
    // A central uses it to carry out what the peer's host requested, often before its response is
    // on its way, or to change the parameters on its own initiative in the meantime.
    if let position = updates.lastIndex(where: {
      $0.procedure == .signalling && $0.side == .peer && $0.command == nil && $0.isOpen
        && $0.isCarriedOut(by: wanted)
    }) {
      updates[position].command = moment
    } else {
      add(ParameterUpdate(.command, by: .local, moment, wanted))
    }
  }

  /// Records the Command Status of LE Connection Update.
  mutating func observeUpdateStatus(_ moment: Moment, _ status: StatusCode, _ request: Int?) {
    guard status != .success, let request,
      let position = updates.lastIndex(where: {
        $0.completed == nil && ($0.command?.packet == request || $0.asked.packet == request)
      })
    else { return }
    updates[position].completed = moment
    updates[position].isRefusedAtOnce = true
    updates[position].status = status
  }

  mutating func observeRemoteRequest(_ moment: Moment, _ request: LEConnectionParameterRequest) {
    add(ParameterUpdate(.linkLayer, by: .peer, moment, request.wanted))
  }

  /// Records the host's reply to that request, or its negative reply.
  mutating func observeRemoteReply(
    _ moment: Moment, grants: Bool, _ bytes: RawSpan, _ body: Slice
  ) {
    var cursor = Cursor(bytes, body)
    let refusal = grants ? nil : try? LEConnectionParameterNegativeReply(parsing: &cursor)
    answerUpdate(moment, by: .local, grants: grants, to: nil, .linkLayer, refusal?.reason)
  }

  /// Records LE Connection Update Complete.
  mutating func observeUpdateComplete(_ moment: Moment, _ update: LEConnectionUpdateComplete) {
    complete(
      moment, update.status,
      LinkParameters(
        interval: update.interval, latency: update.latency, timeout: update.supervisionTimeout),
      by: .peer)
  }

  /// Records the parameters that are used from now on, or that a change failed.
  ///
  /// - Parameter central: the side that changes them if neither asked for it.
  mutating func complete(
    _ moment: Moment, _ status: StatusCode, _ result: LinkParameters, by central: Side
  ) {
    let isDone = status == .success
    let position =
      updates.firstIndex { $0.isOpen && ($0.procedure == .command || $0.command != nil) }
      ?? updates.firstIndex { $0.isOpen && $0.isGranted == true }
      // A central may carry it out before it answers.
      ?? updates.firstIndex {
        $0.isOpen && $0.procedure == .signalling && $0.side == central.other
      }
    if let position {
      updates[position].completed = moment
      updates[position].status = status
      if isDone { updates[position].result = result }
    } else if !isDone || current != result {
      var change = ParameterUpdate(.unasked, by: central, moment)
      change.completed = moment
      change.status = status
      if isDone { change.result = result }
      add(change)
    }
    if isDone { current = result }
  }
}
