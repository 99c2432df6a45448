import Bluetooth
import Bytes
import Captures
import Diagnosis
import Differences
import Reports
import Sessions
import Words

/// Records what is known only at the end: how connections begin, are encrypted and end, and the
/// identity of attributes.
extension OperationRecorder {
  /// Completes the record after the capture was read to its end.
  mutating func finish(
    _ connections: [ConnectionHistory], _ devices: [MapDevice], _ memory: borrowing Memory
  ) {
    for index in identities.indices where identities[index].mayBeKnownBetter {
      guard let handle = identities[index].handle else { continue }
      let name = identities[index].profileName
      identities[index] = memory.identity(
        of: handle, identities[index].server, isLocal: identities[index].isLocal, connection: 0)
      identities[index].profileName = name
    }
    judgeUnanswered(connections, memory)
    let twins = TwinAttributes(devices)
    session.roles = identities.map { Session.Role($0, twins, memory) }
    for history in connections {
      addEnds(
        of: history, hasEvents: memory.coverage.parts(of: history.connection).contains(.events))
    }
    for id in operations.keys {
      operations[id] = operations[id]?.enumerated().sorted {
        ($0.element.settled, $0.offset) < ($1.element.settled, $1.offset)
      }.map(\.element)
    }
  }

  /// Adds how a connection begins and ends, and how it is encrypted.
  private mutating func addEnds(of history: ConnectionHistory, hasEvents: Bool) {
    let connection = history.connection
    let id = history.id
    let isCentral = connection.localRole.map { $0 == .central }
    var connect = Differences.Operation(
      .connect, connection: id, packet: connection.firstPacket, time: connection.firstTime)
    connect.isByCentral = isCentral == nil ? nil : true
    connect.isByHost = isCentral
    var added = connection.isOpeningMissing ? [] : [connect]
    for attempt in history.encryption.attempts {
      var encryption = Differences.Operation(
        .encryption, connection: id, packet: attempt.moment.packet, time: attempt.moment.time)
      encryption.isByHost = attempt.starter.map { $0 == .local }
      encryption.isByCentral = attempt.starter.flatMap { side in
        isCentral.map { (side == .local) == $0 }
      }
      encryption.lastPacket = attempt.end?.packet ?? attempt.moment.packet
      if attempt.ediv != 0 || attempt.rand != 0 {
        encryption.random = keep([
          ("random_number", "\(code: attempt.rand, digits: 16)"),
          ("encrypted_diversifier", "\(code: attempt.ediv, digits: 4)"),
        ])
      }
      if let status = attempt.failure {
        encryption.failure = keep("\(status)")
      } else if attempt.isKeyMissingHere {
        // This is what the central's controller is told.
        encryption.failure = keep("\(StatusCode.pinOrKeyMissing)")
      } else if attempt.outcome == .off {
        encryption.text = keep("off")
        encryption.value = encryption.text
      } else if attempt.outcome == nil {
        if connection.hasEndedInCapture {
          encryption.failure = keep("no answer before the connection ended")
        } else {
          encryption.unknown = keep(hasEvents ? Self.captureEnds : Self.notCaptured)
        }
      }
      added.append(encryption)
    }
    added.append(end(of: history, hasEvents: hasEvents))
    operations[id, default: []] = Array(added.dropLast()) + (operations[id] ?? []) + added.suffix(1)
  }

  /// Determines the results of requests that were never answered: the client waits for an answer
  /// before it continues, and the link has to exist.
  private mutating func judgeUnanswered(
    _ connections: [ConnectionHistory], _ memory: borrowing Memory
  ) {
    let hasAnswers = memory.hasHeard(.sent) && memory.hasHeard(.received)
    for history in connections {
      let id = history.id
      for (packet, request) in (unanswered[id] ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard operations[id]?[request.place].failure == nil else { continue }
        let isOvertaken = (lastAnswered[id]?[request.isByCentral] ?? 0) > packet
        let isOver = isOvertaken || history.connection.hasEndedInCapture
        if !hasAnswers {
          let words = keep(Self.notCaptured)
          operations[id]?[request.place].unknown = words
        } else if isOver {
          fail(request, id, "no response")
        } else {
          let words = keep(Self.captureEnds)
          operations[id]?[request.place].unknown = words
        }
      }
    }
  }

  private mutating func end(
    of history: ConnectionHistory, hasEvents: Bool
  ) -> Differences.Operation {
    let connection = history.connection
    var end = Differences.Operation(
      .end, connection: history.id, packet: connection.lastPacket ?? .max, time: connection.lastTime
    )
    let words: Wording
    // The reason, by which ends are compared beside the device.
    var value: Wording?
    switch connection.ending {
    case .localHost, .peer:
      let isLocal = connection.ending == .localHost
      let who: Wording =
        connection.localRole.map { $0 == .central ? isLocal : !isLocal }
        .map { $0 ? "by the central" : "by the peripheral" }
        ?? (isLocal ? "by this host" : "by the peer")
      // The usual reasons only mean that one side ended the link.
      let isUsual =
        connection.reason == .remoteUserTerminated
        || connection.reason == .connectionTerminatedByLocalHost
      let reason: Wording =
        isUsual ? "" : connection.reason.map { (code: StatusCode) -> Wording in ": \(code)" } ?? ""
      words = "\(who)\(reason)"
      value = reason
      end.isByHost = isLocal
      end.isByCentral = connection.localRole.map { ($0 == .central) == isLocal }
    case nil, .forgotten, .fileEnded:
      words =
        hasEvents ? "still open when the capture ends" : "its end is not in the capture: no events"
      end.unknown = keep(words)
    case .unknown, .replaced: words = "for a reason that is not in the capture"
    case .timeout, .neverEstablished, .micFailure, .reset, .controller:
      words = connection.reason.map { "\($0)" } ?? "the controller ends the link"
      end.failure = keep(words)
    }
    end.text = keep(words)
    end.value = value.map { keep($0) } ?? end.text
    return end
  }
}

extension Connection {
  /// Whether its end is in the capture.
  fileprivate var hasEndedInCapture: Bool {
    ending != nil && ending != .forgotten && ending != .fileEnded
  }
}

extension Differences.Operation {
  /// The packet by which it is ordered: the one that completes it. A server answers in the same
  /// order at both ends of a link, while requests on several bearers overtake each other's answers.
  fileprivate var settled: Int { kind == .discovery ? packet : max(packet, lastPacket) }
}
