// ATT's sequential protocol: on a bearer, one request and one indication may be open in each
// direction (Core, Vol 3, Part F, 3.3.2).

package import Bluetooth
import Bytes
import Dissectors

/// A request or command that waits for its answer, or that an answer belongs to.
package struct Request: Sendable {
  /// The time in nanoseconds after which an ATT transaction times out (Core, Vol 3, Part F, 3.3.3).
  package static let timeout: Int64 = 30_000_000_000

  package let packet: Int
  /// The time at which it was sent.
  package let time: Timestamp?
  package var opcode = ATTOpcode(rawValue: 0)
  /// ATT: the attribute that it refers to.
  package var handle: UInt16?
  /// ATT: the first handle of the requested range.
  package var startHandle: UInt16?
  /// ATT: the last handle of the requested range.
  package var endHandle: UInt16?
  /// ATT: the requested attribute type.
  package var type: BluetoothUUID?
  /// ATT: the service that a Find By Type Value Request for primary services asks for.
  package var service: BluetoothUUID?
  /// ATT: the offset of the part of a value that it requests or carries.
  package var offset: UInt16?
  /// ATT: the MTU that it offers.
  var mtu: UInt16?
  /// ATT: whether an earlier request for the same type on the same link found something.
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

  /// Creates the request of a response whose request is missing, if the response alone implies it.
  init?(evident response: ATTOpcode, packet: Int) {
    guard response == .findInformationResponse else { return nil }
    self.init(packet: packet, time: nil)
    opcode = .findInformationRequest
  }

  /// The meaning of an Attribute Not Found error.
  package enum NothingFound: Sendable {
    /// A discovery procedure has reached its end.
    case endOfDiscovery
    /// There is no attribute of the requested type: nothing was found from the first handle on.
    case none
  }

  /// The meaning of Attribute Not Found as an answer to this request. It is never a failure, since
  /// this is how a server reports that there is nothing more (Core, Vol 3, Part G, 4.4 to 4.7).
  package var meaningOfNotFound: NothingFound? {
    switch opcode {
    case .readByGroupTypeRequest, .findByTypeValueRequest, .findInformationRequest:
      .endOfDiscovery
    case .readByTypeRequest:
      // Handles do not show where a search began, since hosts search within one service.
      type == .characteristic || type == .include || isContinued
        ? .endOfDiscovery : NothingFound.none
    default: nil
    }
  }

  /// Returns the time until the answer, in nanoseconds; nil if a time is unknown.
  func latency(until time: Timestamp?) -> Int64? {
    guard let time, let sent = self.time else { return nil }
    // A negative value means that the clock was set in between, so the time is unknown.
    let nanoseconds = time.nanoseconds(since: sent)
    return nanoseconds < 0 ? nil : nanoseconds
  }

  /// Returns whether an answer about the attribute `handle` can belong to this request; nil: the
  /// request does not name its attributes.
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
  /// Places in which a request or indication was sent before the previous one was answered.
  var doubts: [Doubt] = []
  /// For each direction, the type of the last Read By Type Request that found something.
  private var found = InlineArray<2, BluetoothUUID?>(repeating: nil)

  private static func place(_ direction: Direction, isIndication: Bool) -> Int {
    (isIndication ? 2 : 0) + Int(direction.rawValue)
  }

  /// Whether several requests are open in one direction, so that it matters which one a response
  /// can answer.
  var hasDoubts: Bool { !doubts.isEmpty }

  /// Returns the requests of a direction that are open at the same time, oldest first.
  func waiting(_ direction: Direction) -> [Request] {
    let place = Self.place(direction, isIndication: false)
    return doubts.first { $0.place == place }?.requests ?? []
  }

  /// Calls `body` for each request of a direction that waits for its response, without creating an
  /// array.
  func forEachOpen(_ direction: Direction, _ body: (Request) -> Void) {
    let place = Self.place(direction, isIndication: false)
    if !doubts.isEmpty, let doubt = doubts.first(where: { $0.place == place }) {
      doubt.requests.forEach(body)
    } else if let request = open[place] {
      body(request)
    }
  }

  /// Forgets what is open: records were lost that may contain the answers.
  mutating func forgetOpen() {
    open = InlineArray(repeating: nil)
    doubts.removeAll()
  }

  /// Records a PDU and returns the request or indication that it answers.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that the slices of `fields` count from.
  ///   - impossible: one bit for each of `waiting` that the PDU's value cannot answer.
  ///   - isAnswerable: whether the capture has the direction of the answers; otherwise none counts
  ///     as missing.
  ///   - doubt: receives what the answer leaves open or settles.
  mutating func observe(
    _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, _ direction: Direction,
    packet: Int, time: Timestamp?, impossible: UInt8 = 0, isAnswerable: Bool,
    _ doubt: inout ResponseDoubt, _ problems: inout Problems
  ) -> Request? {
    // Even an unknown request is answered, with Request Not Supported.
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
    // Both may still be answered; if the capture has one direction only, no answer is missing.
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
      // The waiting request may still get its own answer.
      problems.add(Problem(.responseMismatch, waiting.packet))
      return nil
    }
    open[place] = nil
    return waiting
  }
}

/// What the answer of the current packet leaves open: it may belong to another request, or show
/// that earlier answers did. It is a single array, since what `Memory` keeps is copied with it for
/// each packet.
package struct ResponseDoubt: Sendable {
  /// A response that was first assigned to another request.
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

  /// Creates an empty doubt.
  init() {}

  /// Whether nothing is left open.
  package var isEmpty: Bool { notes.isEmpty }

  /// Requests that the packet may answer as well as the one it is assigned to: if another response
  /// follows before another request, it answered one of these.
  package var alternatives: [Request] {
    if notes.isEmpty { return [] }
    return notes.compactMap { if case .alternative(let request) = $0 { request } else { nil } }
  }

  /// Earlier responses that this one shows to have answered other requests.
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
