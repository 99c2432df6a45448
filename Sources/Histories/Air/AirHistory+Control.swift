import Bluetooth
import Captures
import Dissectors
import Sessions

// The Link Layer's control PDUs (Core, Vol 6, Part B, 2.4.2).

extension AirHistory {
  /// Records a control PDU that was read, and is not resent.
  mutating func observe(
    _ control: LinkControl, _ opcode: LinkOpcode, _ moment: Moment, from side: Side, _ fact: AirFact
  ) {
    switch control {
    case .terminate(let reason): noteTermination(moment, by: side, reason)
    case .connectionUpdate(let update): announce(opcode, moment, fact, instant: update.instant)
    case .channelMap(_, let instant): announce(opcode, moment, fact, instant: instant)
    case .phyUpdate(let central, let peripheral, let instant) where central | peripheral != 0:
      announce(opcode, moment, fact, instant: instant)
    default: break
    }
    switch control {
    case .reject(let rejected, let reason):
      answer(opcode, moment, from: side, refusal: reason) { $0.opcode == rejected ?? $0.opcode }
    case .unknownResponse(let unknown):
      answer(opcode, moment, from: side, refusal: .unsupportedRemoteFeature) {
        $0.opcode == unknown
      }
    default:
      let isAnswer = answer(opcode, moment, from: side, refusal: nil) {
        $0.opcode.answers.has(opcode)
      }
      // Each side sends its version once.
      if opcode.answers.rawValue != 0, !(isAnswer && opcode.answers.has(opcode)) {
        begin(opcode, moment, by: side, fact)
      }
    }
  }

  private mutating func begin(
    _ opcode: LinkOpcode, _ moment: Moment, by side: Side, _ fact: AirFact
  ) {
    if procedures.count >= Self.most { procedures.removeLast() }
    procedures.append(AirProcedure(opcode, by: side, moment, event: fact.event))
  }

  /// Records the answer to the latest procedure of the other side that is meant. Returns whether
  /// there is one.
  @discardableResult
  private mutating func answer(
    _ opcode: LinkOpcode, _ moment: Moment, from side: Side, refusal: StatusCode?,
    _ isMeant: (AirProcedure) -> Bool
  ) -> Bool {
    let position = procedures.lastIndex {
      $0.side != side && $0.answered == nil && isMeant($0)
    }
    guard let position else { return false }
    procedures[position].answered = moment
    procedures[position].answer = opcode
    procedures[position].refusal = refusal
    return true
  }

  // MARK: Instants

  private mutating func announce(
    _ opcode: LinkOpcode, _ moment: Moment, _ fact: AirFact, instant: UInt16
  ) {
    if changes.count >= Self.most { changes.removeLast() }
    changes.append(AirChange(opcode, moment, fact, instant: instant))
  }

  /// Records that the central sends its latest PDU again, which may be a change.
  mutating func repeatChange(_ moment: Moment, event: UInt16?) {
    guard let last = changes.indices.last, !changes[last].isAcknowledged else { return }
    changes[last].last = moment
    changes[last].lastEvent = event
    changes[last].count &+= 1
  }

  /// Records that the peripheral has acknowledged the central's latest PDU.
  mutating func acknowledgeChange() {
    guard let last = changes.indices.last else { return }
    changes[last].isAcknowledged = true
  }
}
