package import Bluetooth
package import Dissectors
import Sessions

/// A procedure of the Link Layer on the air: a request, and its answer.
package struct AirProcedure: Sendable {
  /// The request.
  package let opcode: LinkOpcode
  package let side: Side
  package let asked: Moment
  /// The connection event in which it was sent.
  package let event: UInt16?
  /// The PDU that answers it.
  package internal(set) var answered: Moment?
  package internal(set) var answer: LinkOpcode?
  /// Why it was rejected.
  package internal(set) var refusal: StatusCode?

  init(_ opcode: LinkOpcode, by side: Side, _ asked: Moment, event: UInt16?) {
    (self.opcode, self.side, self.asked, self.event) = (opcode, side, asked, event)
  }

  /// The packets that show it.
  package var packets: PacketSet { PacketSet(of: asked, answered) }
}

/// A change that the central announced for a connection event (Core, Vol 6, Part B, 5.5).
package struct AirChange: Sendable {
  /// LL_CONNECTION_UPDATE_IND, LL_CHANNEL_MAP_IND or LL_PHY_UPDATE_IND.
  package let opcode: LinkOpcode
  package let announced: Moment
  /// The last time that it was sent, if it was not acknowledged at once.
  package internal(set) var last: Moment
  /// How many times the capture has it.
  package internal(set) var count = 1
  /// The event in which it was sent last.
  package internal(set) var lastEvent: UInt16?
  /// Whether more than the time gives the number of that event.
  package let isEventSure: Bool
  /// The event from which on it applies.
  package let instant: UInt16
  /// Whether the peripheral acknowledged it.
  package internal(set) var isAcknowledged = false

  init(_ opcode: LinkOpcode, _ moment: Moment, _ fact: AirFact, instant: UInt16) {
    (self.opcode, announced, last) = (opcode, moment, moment)
    (lastEvent, isEventSure) = (fact.event, fact.eventEvidence != .clock)
    self.instant = instant
  }

  /// Whether the event had passed when it was sent last; nil: unknown.
  package var isLate: Bool? {
    lastEvent.map { Int16(truncatingIfNeeded: Int(instant) - Int($0)) < 0 }
  }

  package var packets: PacketSet { PacketSet(of: announced, last) }
}

/// How a connection on the air ended, as far as its packets show.
package enum AirEnd: Equatable, Sendable {
  /// It was in use until the end of the capture.
  case open
  /// LL_TERMINATE_IND.
  case terminated
  /// An encrypted control PDU that was not read and is as long as LL_TERMINATE_IND.
  case terminatedUnread
  /// The central sent for a supervision timeout, and the peripheral did not acknowledge it.
  case peripheralSilent
  /// The peripheral never answered, and the central gave up.
  case neverEstablished
  /// Nothing of either side was captured any more, although the capture continues.
  case unseen
}
