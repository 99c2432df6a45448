import Bluetooth
import Dissectors

/// Decides which side of a connection sent a packet.
///
/// Neither packets nor most captures say it. From the first event on, both sides' sequence numbers
/// alternate: the central sends SN = NESN and the peripheral SN ≠ NESN, as long as every packet is
/// acknowledged. A packet that is refused turns this over for both sides (Core, Vol 6, Part B,
/// 4.5.9).
struct Sides: Sendable {
  /// What is known of a packet beside its sequence numbers.
  struct Evidence: Sendable {
    /// The only side that may send its opcode.
    var opcode: Direction?
    /// The capture's header.
    var claim: Direction?
    /// Its start and end in microseconds, if these are exact.
    var start: Int64?
    var end: Int64?
    /// The difference from the predicted start of its event, if it is the first one in it.
    var lateness: Int64?
    var isNewEvent = true
  }

  /// Whether the sequence numbers are turned over.
  private var isTurned = false
  /// For the last packets, whether the claim agreed with what is known otherwise, one bit each.
  private var agreement: UInt64 = 0
  private var compared = 0
  private var last: (direction: Direction, sequenceNumber: UInt8, end: Int64?)?
  /// Packets whose claim is proven wrong, and the first of them.
  private(set) var wrongClaims = 0
  private(set) var firstWrongClaim = 0

  /// Returns the side that sent a packet, and how it is known.
  mutating func decide(
    _ pdu: LinkPDU, _ evidence: Evidence, packet: Int
  ) -> (Direction, AirFact.DirectionEvidence) {
    if !evidence.isNewEvent, let last, pdu.nextExpectedSequenceNumber == last.sequenceNumber,
      timing(evidence) != last.direction, evidence.claim != last.direction
    {
      // The packet before was refused.
      isTurned.toggle()
    }
    let isEqual = pdu.sequenceNumber == pdu.nextExpectedSequenceNumber
    let parity: Direction = isEqual != isTurned ? .sent : .received
    let timing = timing(evidence)
    let (direction, via) = choose(evidence, timing, parity)
    if let claim = evidence.claim {
      let known = evidence.opcode ?? timing ?? parity
      agreement = agreement << 1 | (claim == known ? 1 : 0)
      compared = min(64, compared + 1)
      // Two independent kinds of evidence prove it.
      if claim != direction, evidence.opcode != nil || timing != nil && timing == parity {
        noteWrongClaim(packet)
      }
    }
    if via != .acknowledgement, via != .capture || timing == direction {
      isTurned = (isEqual ? .sent : .received) != direction
    }
    if via == .capture, timing == nil, parity != direction, trustsClaims {
      isTurned = (isEqual ? .sent : .received) != direction
    }
    last = (direction, pdu.sequenceNumber, evidence.end)
    return (direction, via)
  }

  /// Corrects the side of the last packet, which its MIC proves.
  mutating func correct(_ pdu: LinkPDU, to direction: Direction, claim: Direction?, packet: Int) {
    let isEqual = pdu.sequenceNumber == pdu.nextExpectedSequenceNumber
    isTurned = (isEqual ? .sent : .received) != direction
    last?.direction = direction
    if let claim, claim != direction { noteWrongClaim(packet) }
  }

  private mutating func noteWrongClaim(_ packet: Int) {
    if wrongClaims == 0 { firstWrongClaim = packet }
    wrongClaims += 1
  }

  /// Whether the claims agree with what is known otherwise in most packets.
  private var trustsClaims: Bool {
    compared < 8 || agreement.nonzeroBitCount * 2 > compared
  }

  private func choose(
    _ evidence: Evidence, _ timing: Direction?, _ parity: Direction
  ) -> (Direction, AirFact.DirectionEvidence) {
    if let opcode = evidence.opcode { return (opcode, .opcode) }
    if let claim = evidence.claim, trustsClaims {
      let isRefuted = timing != nil && timing != claim && parity != claim
      if !isRefuted { return (claim, .capture) }
    }
    if let timing { return (timing, .timing) }
    return (parity, .acknowledgement)
  }

  /// Two empty packets on LE 2M, and three pauses before and after them, in microseconds.
  private static let roomForTwo: Int64 = 2 * 44 + 3 * 150

  /// Returns the side by the packet's place in its event: a packet follows the other side's after
  /// 150 µs; after a longer pause, an answer was missed, and the same side sent again. The
  /// peripheral's packet alone comes as much later than the event begins. Where two packets have
  /// room, both may have been missed, and the time shows nothing.
  private func timing(_ evidence: Evidence) -> Direction? {
    guard let start = evidence.start else { return nil }
    if evidence.isNewEvent {
      guard let late = evidence.lateness else { return nil }
      if -100...100 ~= late { return .sent }
      return 150..<Self.roomForTwo - 150 ~= late ? .received : nil
    }
    guard let last, let end = last.end else { return nil }
    let pause = start - end
    if 90...210 ~= pause { return last.direction.reversed }
    return 230..<Self.roomForTwo ~= pause ? last.direction : nil
  }
}
