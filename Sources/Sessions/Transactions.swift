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
  /// ATT: where the part of a value begins that it asks for or brings.
  package var offset: UInt16?
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
    offset = fields.offset
    mtu = fields.mtu
  }

  /// The request of a response that is not in the capture, where the response alone says what it is about.
  init?(evident response: ATTOpcode, packet: Int) {
    guard response == .findInformationResponse else { return nil }
    self.init(packet: packet, time: nil)
    opcode = .findInformationRequest
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

  /// How long the answer took, in nanoseconds; nil where a time is not known.
  func latency(until time: Timestamp?) -> Int64? {
    guard let time, let sent = self.time else { return nil }
    // Below zero the clock was set meanwhile, and the time between is not known.
    let nanoseconds = time.nanoseconds(since: sent)
    return nanoseconds < 0 ? nil : nanoseconds
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
  var open = InlineArray<4, Request?>(repeating: nil)
  /// Where one was sent before the one before was answered.
  var doubts: [Doubt] = []
  /// The type of the last Read By Type Request of each direction that found something.
  private var found = InlineArray<2, BluetoothUUID?>(repeating: nil)

  private static func place(_ direction: Direction, isIndication: Bool) -> Int {
    (isIndication ? 2 : 0) + Int(direction.rawValue)
  }

  /// Whether several requests are open in one direction: then it matters what a response can answer.
  var hasDoubts: Bool { !doubts.isEmpty }

  /// The requests of a direction that are open side by side, the oldest first.
  func waiting(_ direction: Direction) -> [Request] {
    let place = Self.place(direction, isIndication: false)
    return doubts.first { $0.place == place }?.requests ?? []
  }

  /// Calls back for each request of a direction that waits for its response. No array is made of them.
  func forEachOpen(_ direction: Direction, _ body: (Request) -> Void) {
    let place = Self.place(direction, isIndication: false)
    if !doubts.isEmpty, let doubt = doubts.first(where: { $0.place == place }) {
      doubt.requests.forEach(body)
    } else if let request = open[place] {
      body(request)
    }
  }

  /// Forgets what is open: records were lost, and answers may be among them.
  mutating func forgetOpen() {
    open = InlineArray(repeating: nil)
    doubts.removeAll()
  }

  /// Notes a PDU and gives the request or indication that it answers.
  ///
  /// - Parameters:
  ///   - bytes: what the slices of `fields` count from.
  ///   - impossible: of `waiting`, those that the PDU's value cannot be the answer to, a bit for each.
  ///   - isAnswerable: whether the capture has the direction of the answers: else none is missing.
  ///   - doubt: takes in what the answer leaves open, or settles.
  mutating func observe(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, _ direction: Direction,
    packet: Int, time: Timestamp?, impossible: UInt8 = 0, isAnswerable: Bool,
    _ doubt: inout ResponseDoubt, _ problems: inout Problems
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
        Self.place(direction, isIndication: false), .requestBeforeResponse, request,
        isAnswerable: isAnswerable, &problems)
    case .indication:
      begin(
        Self.place(direction, isIndication: true), .indicationBeforeConfirmation,
        Request(packet: packet, time: time, opcode, fields), isAnswerable: isAnswerable, &problems)
    case .response:
      let request = end(
        Self.place(direction.reversed, isIndication: false), .responseWithoutRequest,
        Response(packet, opcode, fields, bytes, impossible: impossible), &doubt, &problems)
      if opcode == .readByTypeResponse, let type = request?.type {
        found[Int(direction.reversed.rawValue)] = type
      }
      return request
    case .confirmation:
      return end(
        Self.place(direction.reversed, isIndication: true), .confirmationWithoutIndication,
        Response(packet, opcode, fields, bytes, impossible: 0), &doubt, &problems)
    case .unacknowledged: break
    }
    return nil
  }

  private mutating func begin(
    _ place: Int, _ problem: Problem.Code, _ request: Request, isAnswerable: Bool,
    _ problems: inout Problems
  ) {
    // Both may still be answered; but in one direction alone no answer is missing.
    if open[place] != nil || !doubts.isEmpty {
      overtake(place, isAnswerable ? problem : nil, request, &problems)
    }
    open[place] = request
  }

  private mutating func end(
    _ place: Int, _ problem: Problem.Code, _ response: Response, _ doubt: inout ResponseDoubt,
    _ problems: inout Problems
  ) -> Request? {
    if !doubts.isEmpty, let index = doubts.firstIndex(where: { $0.place == place }) {
      return choose(index, problem, response, &doubt, &problems)
    }
    guard let waiting = open[place] else {
      problems.add(Problem(problem))
      return nil
    }
    guard response.isKind(of: waiting) else {
      // The request that waits may still get its own answer.
      problems.add(Problem(.responseMismatch, waiting.packet))
      return nil
    }
    open[place] = nil
    return waiting
  }
}

/// What the answer of the current packet leaves open: it may be another request's, or it shows that
/// answers before it were. One array, since what `Memory` keeps is copied with it for each packet.
package struct ResponseDoubt: Sendable {
  /// A response that was given to another request when it came.
  package struct Correction: Sendable {
    /// The response's packet.
    package let response: Int
    /// The request that it answers.
    package let request: Request
  }

  private enum Note: Sendable {
    case alternative(Request)
    case correction(Correction)
  }

  private var notes: [Note] = []

  /// Nothing open.
  init() {}

  /// Whether there is nothing to say.
  package var isEmpty: Bool { notes.isEmpty }

  /// Requests that the packet may answer as well as the one that it is given to: where another response
  /// follows before another request it was one of these.
  package var alternatives: [Request] {
    if notes.isEmpty { return [] }
    return notes.compactMap { if case .alternative(let request) = $0 { request } else { nil } }
  }

  /// Responses before this one that, as it shows, were the answers to other requests.
  package var corrections: [Correction] {
    if notes.isEmpty { return [] }
    return notes.compactMap { if case .correction(let correction) = $0 { correction } else { nil } }
  }

  mutating func mayAnswer(_ request: Request) { notes.append(.alternative(request)) }

  mutating func correct(_ response: Int, to request: Request) {
    notes.append(.correction(Correction(response: response, request: request)))
  }

  mutating func clear() { notes.removeAll() }
}
