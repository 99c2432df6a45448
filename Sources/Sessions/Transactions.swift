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
  /// Those that another one followed before they were answered, the oldest first: the client did not
  /// wait for the answer, or the answer is not in the capture.
  private var earlier: [Earlier] = []
  /// Whether an earlier one was given an answer since the newest was sent that the newest could have had.
  private var isAssumed = InlineArray<4, Bool>(repeating: false)
  /// The type of the last Read By Type Request of each direction that found something.
  private var found = InlineArray<2, BluetoothUUID?>(repeating: nil)

  /// A request or an indication that another one followed.
  private struct Earlier: Sendable {
    let place: Int
    let request: Request
  }

  /// How many requests of one client, or indications of one server, are remembered side by side; where
  /// there are more the oldest goes.
  static let depth = 4
  /// ATT's transaction timeout: what came later is no answer (Core, Vol 3, Part F, 3.3.3).
  static let longestWait: Int64 = 30_000_000_000

  private static func place(_ direction: Direction, isIndication: Bool) -> Int {
    (isIndication ? 2 : 0) + Int(direction.rawValue)
  }

  /// Forgets what is open: records were lost, and answers may be among them.
  mutating func forgetOpen() {
    open = InlineArray(repeating: nil)
    earlier.removeAll()
    isAssumed = InlineArray(repeating: false)
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
        answering: fields.requestOpcode, about: Self.subject(fields, bytes), opcode, time, &problems
      )
      if opcode == .readByTypeResponse, let type = request?.type {
        found[Int(direction.reversed.rawValue)] = type
      }
      return request
    case .confirmation:
      return end(
        Self.place(direction.reversed, isIndication: true), .confirmationWithoutIndication,
        answering: nil, about: nil, opcode, time, &problems)
    case .unacknowledged: break
    }
    return nil
  }

  private mutating func begin(
    _ place: Int, _ problem: Problem.Code, _ request: Request, _ problems: inout Problems
  ) {
    if let waiting = open[place] {
      problems.add(Problem(problem, waiting.packet))
      if isAssumed[place] {
        // A client that again did not wait, or one that has had its answer: then one is missing in the
        // capture, and each request from here on would get the answer to the next one.
        earlier.removeAll { $0.place == place }
      } else {
        if earlier.count(where: { $0.place == place }) >= Self.depth - 1,
          let oldest = earlier.firstIndex(where: { $0.place == place })
        {
          earlier.remove(at: oldest)
        }
        earlier.append(Earlier(place: place, request: waiting))
      }
    }
    open[place] = request
    isAssumed[place] = false
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

  /// A response goes to the oldest request that it can answer: a server answers the requests of a bearer
  /// one after the other (Core, Vol 3, Part F, 3.3.2). What was sent before that one has no answer.
  ///
  /// - Parameters:
  ///   - answering: the request's opcode, where an Error Response repeats it.
  ///   - subject: the attribute that the response names, which may tell two requests apart.
  ///   - time: when the response came.
  private mutating func end(
    _ place: Int, _ problem: Problem.Code, answering: ATTOpcode?, about subject: UInt16?,
    _ opcode: ATTOpcode, _ time: Timestamp?, _ problems: inout Problems
  ) -> Request? {
    guard let newest = open[place] else {
      problems.add(Problem(problem))
      return nil
    }
    let isNewest = Self.answers(opcode, answering, newest)
    if !earlier.isEmpty,
      let chosen = oldest(place, opcode, answering, subject, time, orNewest: isNewest, newest)
    {
      let request = earlier[chosen].request
      // An answer that names its attribute leaves no doubt.
      if isNewest, Self.mayCover(newest, subject) { isAssumed[place] = true }
      for index in (0...chosen).reversed() where earlier[index].place == place {
        earlier.remove(at: index)
      }
      return request
    }
    guard isNewest else {
      // The request that waits may still get its own answer.
      problems.add(Problem(.responseMismatch, newest.packet))
      return nil
    }
    open[place] = nil
    if !earlier.isEmpty { earlier.removeAll { $0.place == place } }
    return newest
  }

  /// The oldest of the earlier ones that a response can answer; nil where it is the newest's.
  private func oldest(
    _ place: Int, _ opcode: ATTOpcode, _ answering: ATTOpcode?, _ subject: UInt16?,
    _ time: Timestamp?, orNewest isNewest: Bool, _ newest: Request
  ) -> Int? {
    let fitting = earlier.indices.filter { index in
      let request = earlier[index].request
      guard earlier[index].place == place, Self.answers(opcode, answering, request) else {
        return false
      }
      guard let time, let sent = request.time else { return true }
      return time.nanoseconds(since: sent) < Self.longestWait
    }
    if let covering = fitting.first(where: { Self.mayCover(earlier[$0].request, subject) }) {
      return covering
    }
    // What is named is nobody's: the order alone tells.
    return isNewest && Self.mayCover(newest, subject) ? nil : fitting.first
  }

  /// Whether an answer that names `subject` can be this request's, as far as that is known.
  private static func mayCover(_ request: Request, _ subject: UInt16?) -> Bool {
    subject.map { request.covers($0) != false } ?? true
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
