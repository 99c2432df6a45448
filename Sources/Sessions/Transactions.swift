// ATT's rule of one at a time: on a bearer and in each direction one request and one indication may
// be open (Core, Vol 3, Part F, 3.3.2).

package import Bluetooth
import Dissectors

/// A request or command that waits for its answer, or the one that an answer belongs to.
package struct Request: Sendable {
  /// Its packet.
  package let packet: Int
  /// When it was sent.
  package let time: Timestamp?
  /// ATT: its opcode.
  package var opcode = ATTOpcode(rawValue: 0)
  /// ATT: the attribute that it is about.
  package var handle: UInt16?
  /// ATT: the first handle of the range that it asks for.
  package var startHandle: UInt16?
  /// ATT: the last.
  package var endHandle: UInt16?
  /// ATT: the attribute type that it asks for.
  package var type: BluetoothUUID?

  init(packet: Int, time: Timestamp?) {
    self.packet = packet
    self.time = time
  }

  init(packet: Int, time: Timestamp?, _ opcode: ATTOpcode, _ fields: ATTFields) {
    self.init(packet: packet, time: time)
    self.opcode = opcode
    handle = fields.handle
    startHandle = fields.startHandle
    endHandle = fields.endHandle
    type = fields.type
  }

  /// How the answer Attribute Not Found reads.
  package enum NothingFound: Sendable {
    /// A discovery procedure has come to its end.
    case endOfDiscovery
    /// There is no attribute of the type asked for: nothing was found from the first handle on.
    case none
  }

  /// What Attribute Not Found means as an answer to this request: never an error, since that is how
  /// a server says that there is no more (Core, Vol 3, Part G, 4.4 to 4.7).
  package var meaningOfNotFound: NothingFound? {
    switch opcode {
    case .readByGroupTypeRequest, .findByTypeValueRequest, .findInformationRequest:
      .endOfDiscovery
    case .readByTypeRequest:
      // A search that has gone on from its first handle found something before.
      type == .characteristic || type == .include || startHandle.map { $0 > 1 } ?? false
        ? .endOfDiscovery : NothingFound.none
    default: nil
    }
  }
}

/// The open transactions of one bearer.
struct Transactions: Sendable {
  /// Requests in the first two places, indications in the last two; sent before received.
  private var open = InlineArray<4, Request?>(repeating: nil)
  /// Those that another one followed before they were answered: a server that takes both answers
  /// them first.
  private var overtaken = InlineArray<4, Request?>(repeating: nil)

  private static func place(_ direction: Direction, isIndication: Bool) -> Int {
    (isIndication ? 2 : 0) + Int(direction.rawValue)
  }

  /// Notes a PDU and gives the request or indication that it answers.
  mutating func observe(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ direction: Direction, packet: Int,
    time: Timestamp?, _ problems: inout Problems
  ) -> Request? {
    // A request that nobody knows is answered too: Request Not Supported.
    guard opcode.name != nil || opcode.role == .request else { return nil }
    switch opcode.role {
    case .request:
      begin(
        Self.place(direction, isIndication: false), .requestBeforeResponse,
        Request(packet: packet, time: time, opcode, fields), &problems)
    case .indication:
      begin(
        Self.place(direction, isIndication: true), .indicationBeforeConfirmation,
        Request(packet: packet, time: time, opcode, fields), &problems)
    case .response:
      return end(
        Self.place(direction.reversed, isIndication: false), .responseWithoutRequest,
        answering: fields.requestOpcode, opcode, &problems)
    case .confirmation:
      return end(
        Self.place(direction.reversed, isIndication: true), .confirmationWithoutIndication,
        answering: nil, opcode, &problems)
    case .unacknowledged: break
    }
    return nil
  }

  private mutating func begin(
    _ place: Int, _ problem: Problem.Code, _ request: Request, _ problems: inout Problems
  ) {
    if let waiting = open[place] {
      problems.add(Problem(problem, waiting.packet))
      overtaken[place] = waiting
    }
    open[place] = request
  }

  /// - Parameter answering: the request's opcode, where an Error Response repeats it.
  private mutating func end(
    _ place: Int, _ problem: Problem.Code, answering: ATTOpcode?, _ opcode: ATTOpcode,
    _ problems: inout Problems
  ) -> Request? {
    guard let waiting = open[place] else {
      problems.add(Problem(problem))
      return nil
    }
    if let first = overtaken[place], Self.answers(opcode, answering, first) {
      overtaken[place] = nil
      return first
    }
    guard Self.answers(opcode, answering, waiting) else {
      // The request that waits may still get its own answer.
      problems.add(Problem(.responseMismatch, waiting.packet))
      return nil
    }
    open[place] = nil
    overtaken[place] = nil
    return waiting
  }

  private static func answers(
    _ opcode: ATTOpcode, _ answering: ATTOpcode?, _ request: Request
  ) -> Bool {
    switch opcode {
    case .errorResponse: answering == request.opcode
    case .handleValueConfirmation: true
    default: opcode == request.opcode.response
    }
  }
}
