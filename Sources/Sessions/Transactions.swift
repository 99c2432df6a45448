// ATT's rule of one at a time: on a bearer and in each direction one request and one indication may
// be open (Core, Vol 3, Part F, 3.3.2).

package import Bluetooth
import Bytes
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
  /// ATT: the service that a search for primary services by their UUID asks for.
  package var service: BluetoothUUID?
  /// ATT: the MTU that it offers.
  var mtu: UInt16?
  /// ATT: whether a search for the same type on the same link has found something before.
  var isContinued = false

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
    mtu = fields.mtu
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
      // Handles do not tell where a search began: hosts ask inside of one service.
      type == .characteristic || type == .include || isContinued
        ? .endOfDiscovery : NothingFound.none
    default: nil
    }
  }

  /// Whether an answer that names the attribute `handle` can be this request's; nil: the request
  /// does not say which attributes it is about.
  func covers(_ handle: UInt16) -> Bool? {
    if let own = self.handle { return own == handle }
    guard let startHandle, let endHandle else { return nil }
    return startHandle <= handle && handle <= endHandle
  }
}

/// The open transactions of one bearer.
struct Transactions: Sendable {
  /// Requests in the first two places, indications in the last two; sent before received.
  private var open = InlineArray<4, Request?>(repeating: nil)
  /// Those that another one followed before they were answered: their answer was lost, or the
  /// client did not wait for it.
  private var overtaken = InlineArray<4, Request?>(repeating: nil)
  /// The type of the last Read By Type Request of each direction that found something.
  private var found = InlineArray<2, BluetoothUUID?>(repeating: nil)

  private static func place(_ direction: Direction, isIndication: Bool) -> Int {
    (isIndication ? 2 : 0) + Int(direction.rawValue)
  }

  /// Forgets what is open: records were lost, and answers may be among them.
  mutating func forgetOpen() {
    open = InlineArray(repeating: nil)
    overtaken = InlineArray(repeating: nil)
  }

  /// Notes a PDU and gives the request or indication that it answers.
  ///
  /// - Parameter bytes: what the slices of `fields` count from.
  mutating func observe(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, _ direction: Direction,
    packet: Int, time: Timestamp?, _ problems: inout Problems
  ) -> Request? {
    // A request that nobody knows is answered too: Request Not Supported.
    guard opcode.name != nil || opcode.role == .request else { return nil }
    switch opcode.role {
    case .request:
      var request = Request(packet: packet, time: time, opcode, fields)
      if opcode == .readByTypeRequest, let type = request.type {
        request.isContinued = found[Int(direction.rawValue)] == type
      } else if opcode == .findByTypeValueRequest, let value = fields.value,
        case .service(let uuid) = DeclaredAttribute(bytes.part(value), request.type)
      {
        request.service = uuid
      }
      begin(
        Self.place(direction, isIndication: false), .requestBeforeResponse, request, &problems)
    case .indication:
      begin(
        Self.place(direction, isIndication: true), .indicationBeforeConfirmation,
        Request(packet: packet, time: time, opcode, fields), &problems)
    case .response:
      let request = end(
        Self.place(direction.reversed, isIndication: false), .responseWithoutRequest,
        answering: fields.requestOpcode, about: Self.subject(fields, bytes), opcode, &problems)
      if opcode == .readByTypeResponse, let type = request?.type {
        found[Int(direction.reversed.rawValue)] = type
      }
      return request
    case .confirmation:
      return end(
        Self.place(direction.reversed, isIndication: true), .confirmationWithoutIndication,
        answering: nil, about: nil, opcode, &problems)
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

  /// The attribute that a response names: an error's or an echo's, or that of a list's first item.
  private static func subject(_ fields: ATTFields, _ bytes: RawSpan) -> UInt16? {
    // An Error Response says 0 where it is about none.
    if let handle = fields.handle { return handle == 0 ? nil : handle }
    guard let items = fields.items, items.list.count >= 2 else { return nil }
    switch items.layout {
    case .typed, .range, .group, .valued:
      return bytes.littleEndianU16(at: Int(items.list.start))
    default: return nil
    }
  }

  /// A response goes to the newest request that it can answer: where one of two was never answered
  /// its answer was lost, and an answer given to it would push all later ones to wrong requests.
  ///
  /// - Parameters:
  ///   - answering: the request's opcode, where an Error Response repeats it.
  ///   - subject: the attribute that the response names, which may tell two requests apart.
  private mutating func end(
    _ place: Int, _ problem: Problem.Code, answering: ATTOpcode?, about subject: UInt16?,
    _ opcode: ATTOpcode, _ problems: inout Problems
  ) -> Request? {
    guard let waiting = open[place] else {
      problems.add(Problem(problem))
      return nil
    }
    let isNewest = Self.answers(opcode, answering, waiting)
    if let first = overtaken[place], Self.answers(opcode, answering, first) {
      let isFirst = subject.map { first.covers($0) == true && waiting.covers($0) == false }
      if !isNewest || isFirst ?? false {
        overtaken[place] = nil
        return first
      }
    }
    guard isNewest else {
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
