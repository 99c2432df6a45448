// ATT's sequential protocol: on a bearer, one request and one indication may be open in each
// direction (Core, Vol 3, Part F, 3.3.2).
//
// Requests that are open at the same time on one bearer, which ATT does not allow. Usually the
// capture lacks one answer, but some clients do not wait for the answer. The rules are:
//
// - A response only answers a request that it can answer, judged by its kind, the attribute that it
//   names, and the length of its value.
// - If it can answer several, it is assigned to the newest. A missing record is far likelier than a
//   client that does not wait, and assigning an answer to a request that has none would shift all
//   later ones to wrong requests.
// - A response that can only answer a request that was passed does so: the server answered out of
//   order.
// - If another response follows with no request in between, both requests were open, and a server
//   answers in the order in which it was asked: the earlier response belongs to the older request.

import Bluetooth
import Bytes
import Captures
import Dissectors

/// The open transactions of one bearer.
struct Transactions: Sendable {
  /// The requests of one client, or the indications of one server.
  private enum State: Sendable {
    case idle
    /// One waits for its answer.
    case waiting(Request)
    case several(Several)

    /// Returns whether all that waits was sent before a packet.
    func waits(before packet: Int) -> Bool {
      switch self {
      case .idle: true
      case .waiting(let request): request.packet < packet
      case .several(let several): several.requests.last.map { $0.packet < packet } ?? true
      }
    }
  }

  /// What shows which request a response answers.
  struct Response {
    let packet: Int
    let opcode: ATTOpcode
    /// The request's opcode, which an Error Response repeats unless it is cut.
    let requestOpcode: ATTOpcode?
    /// The attribute that it names: that of an error or an echo, or of a list's first item.
    let subject: UInt16?
    /// The offset of the part of a value that it repeats.
    let offset: UInt16?
    /// The length of a list's values.
    let itemLength: Int?

    init(_ packet: Int, _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan) {
      (self.packet, self.opcode) = (packet, opcode)
      (requestOpcode, offset) = (fields.requestOpcode, fields.offset)
      var (subject, itemLength) = (UInt16?.none, Int?.none)
      if let handle = fields.handle {
        // An Error Response has 0 if it refers to none.
        subject = handle == 0 ? nil : handle
      } else if let items = fields.items, items.list.count >= 2 {
        switch items.layout {
        case .typed, .range:
          subject = bytes.littleEndianU16(at: Int(items.list.start))
        case .group(let length), .valued(let length):
          subject = bytes.littleEndianU16(at: Int(items.list.start))
          itemLength = length
        default: break
        }
      }
      (self.subject, self.itemLength) = (subject, itemLength)
    }

    /// Returns whether it answers requests of this kind.
    func isKind(of request: Request) -> Bool {
      switch opcode {
      // If the request's opcode is cut off, it may be any.
      case .errorResponse: requestOpcode == nil || requestOpcode == request.opcode
      case .handleValueConfirmation: true
      default: opcode == request.opcode.response
      }
    }

    /// Returns whether it names what was requested, if it names anything.
    func names(_ request: Request) -> Bool {
      if let subject, request.covers(subject) == false { return false }
      if let offset, let asked = request.offset, offset != asked { return false }
      return true
    }

    /// Returns whether the lengths of its values are possible for what was requested.
    func fits(_ request: Request) -> Bool {
      guard let itemLength, let type = request.type, type.isDeclaration else { return true }
      // The lengths of declarations, preceded by one handle or two (Core, Vol 3, Part G, 3.1 to
      // 3.3).
      switch (request.opcode, type) {
      case (.readByGroupTypeRequest, _): return itemLength == 6 || itemLength == 20
      case (_, .characteristic): return itemLength == 7 || itemLength == 21
      case (_, .include): return itemLength == 6 || itemLength == 8
      default: return itemLength == 4 || itemLength == 18
      }
    }
  }

  /// The most open requests that are remembered; beyond that, the oldest is dropped.
  static let depth = 4

  /// Requests in the first two places, indications in the last two; sent before received.
  private var states = InlineArray<4, State>(repeating: .idle)
  /// For each direction, the type of the last Read By Type Request that found something.
  private var found = InlineArray<2, BluetoothUUID?>(repeating: nil)

  private static func place(_ direction: Direction, isIndication: Bool) -> Int {
    (isIndication ? 2 : 0) + Int(direction.rawValue)
  }

  /// Returns whether several requests of a direction are open, so that it matters which one a
  /// response can answer.
  func hasSeveral(_ direction: Direction) -> Bool {
    if case .several = states[Self.place(direction, isIndication: false)] { true } else { false }
  }

  /// Calls `body` for each request of a direction that waits for its response, without creating an
  /// array.
  func forEachOpen(_ direction: Direction, _ body: (Request) -> Void) {
    switch states[Self.place(direction, isIndication: false)] {
    case .idle: break
    case .waiting(let request): body(request)
    case .several(let several): several.requests.forEach(body)
    }
  }

  /// Forgets what is open: records were lost that may contain the answers.
  mutating func forgetOpen() { states = InlineArray(repeating: .idle) }

  /// Records a PDU and returns the request or indication that it answers.
  ///
  /// - Parameters:
  ///   - gap: what waits since before this packet may have been answered, unseen.
  ///   - impossible: the packets of requests that the PDU's value cannot answer.
  ///   - isAnswerable: whether the capture has the direction of the answers; otherwise none counts
  ///     as missing.
  ///   - doubt: receives what the answer leaves open or settles.
  mutating func observe(
    _ opcode: ATTOpcode, _ packet: inout Packet, _ direction: Direction, since gap: Int,
    impossible: [Int], isAnswerable: Bool, _ doubt: inout ResponseDoubt
  ) -> Request? {
    let (fields, bytes) = (packet.dissection.attFields, packet.bytes)
    let (number, time) = (packet.record.number, packet.record.time)
    // Even an unknown request is answered, with Request Not Supported.
    guard opcode.name != nil || opcode.role == .request else { return nil }
    switch opcode.role {
    case .request:
      var request = Request(packet: number, time: time, opcode, fields)
      if opcode == .readByTypeRequest, let type = request.type {
        request.isContinued = found[Int(direction.rawValue)] == type
      } else if opcode == .findByTypeValueRequest, let value = fields.value,
        case .service(let uuid) = DeclaredAttribute(bytes.part(value), request.type)
      {
        request.service = uuid
      }
      begin(
        Self.place(direction, isIndication: false), .requestBeforeResponse, request, since: gap,
        isAnswerable: isAnswerable, &packet.dissection.problems)
    case .indication:
      begin(
        Self.place(direction, isIndication: true), .indicationBeforeConfirmation,
        Request(packet: number, time: time, opcode, fields), since: gap,
        isAnswerable: isAnswerable, &packet.dissection.problems)
    case .response:
      let request = end(
        Self.place(direction.reversed, isIndication: false), .responseWithoutRequest,
        Response(number, opcode, fields, bytes), but: impossible, &doubt,
        &packet.dissection.problems)
      if opcode == .readByTypeResponse, let type = request?.type {
        found[Int(direction.reversed.rawValue)] = type
      }
      return request
    case .confirmation:
      return end(
        Self.place(direction.reversed, isIndication: true), .confirmationWithoutIndication,
        Response(number, opcode, fields, bytes), but: [], &doubt, &packet.dissection.problems)
    case .unacknowledged: break
    }
    return nil
  }

  private mutating func begin(
    _ place: Int, _ problem: Problem.Code, _ request: Request, since gap: Int, isAnswerable: Bool,
    _ problems: inout Problems
  ) {
    if case .idle = states[place] {
      states[place] = .waiting(request)
    } else if gap > 0, states[place].waits(before: gap) {
      // A client goes on once it has its answer, which may be among what is missing.
      states[place] = .waiting(request)
    } else {
      // Both may still be answered; if the capture has one direction only, no answer is missing.
      overtake(place, isAnswerable ? problem : nil, request, &problems)
    }
  }

  /// Records a request while others are open, or were until the last response.
  @inline(never)
  private mutating func overtake(
    _ place: Int, _ problem: Problem.Code?, _ request: Request, _ problems: inout Problems
  ) {
    var several: Several
    switch states[place] {
    case .waiting(let before): several = Several(requests: [before])
    case .several(let known) where known.isWaiting: several = known
    // No other response followed: provisional assignments become final, and passed requests stay
    // passed.
    case .idle, .several: return states[place] = .waiting(request)
    }
    if let problem, let newest = several.requests.last {
      problems.add(Problem(problem, newest.packet))
    }
    several.add(request)
    states[place] = .several(several)
  }

  private mutating func end(
    _ place: Int, _ problem: Problem.Code, _ response: Response, but impossible: [Int],
    _ doubt: inout ResponseDoubt, _ problems: inout Problems
  ) -> Request? {
    switch states[place] {
    case .idle: problems.add(Problem(problem))
    case .waiting(let request) where response.isKind(of: request):
      states[place] = .idle
      return request
    // The waiting request may still get its own answer.
    case .waiting(let request): problems.add(Problem(.responseMismatch, request.packet))
    case .several: return choose(place, problem, response, but: impossible, &doubt, &problems)
    }
    return nil
  }

  /// Returns the request that a response answers if several are open, or were before the last
  /// response.
  @inline(never)
  private mutating func choose(
    _ place: Int, _ problem: Problem.Code, _ response: Response, but impossible: [Int],
    _ doubt: inout ResponseDoubt, _ problems: inout Problems
  ) -> Request? {
    guard case .several(var several) = states[place] else { return nil }
    let request = several.answer(response, but: impossible, problem, &doubt, &problems)
    if several.isSingle, let only = several.requests.first {
      states[place] = .waiting(only)
    } else {
      states[place] = several.isOver ? .idle : .several(several)
    }
    return request
  }
}

/// Requests or indications that are open at once, or were until the last response.
private struct Several: Sendable {
  /// All of them, oldest first.
  private(set) var requests: [Request]
  /// The responses that the last of them were assigned, in order, if others could have had them.
  private var given: [Given] = []
  /// The packet of a request that had no room any more: a later response may be its answer.
  private var lost: Int?
  /// Requests that were passed by the answer to a later one. Servers should answer in order, but
  /// some do not.
  private var passed: [Request] = []

  /// A response that is assigned to a request for now.
  private struct Given: Sendable {
    let packet: Int
    /// The indices of the requests that it can answer.
    let possible: [Int]
  }

  init(requests: [Request]) { self.requests = requests }

  /// Whether the newest waits for its answer.
  var isWaiting: Bool { given.isEmpty && !requests.isEmpty }
  /// Whether nothing is remembered but one that waits.
  var isSingle: Bool { isWaiting && requests.count == 1 && lost == nil && passed.isEmpty }
  /// Whether nothing is remembered.
  var isOver: Bool { requests.isEmpty && passed.isEmpty }

  /// Adds a request.
  mutating func add(_ request: Request) {
    if requests.count >= Transactions.depth { lost = requests.removeFirst().packet }
    requests.append(request)
  }

  /// Returns the request that a response answers, and records that.
  ///
  /// - Parameter impossible: the packets of requests that its value cannot answer.
  mutating func answer(
    _ response: Transactions.Response, but impossible: [Int], _ problem: Problem.Code,
    _ doubt: inout ResponseDoubt, _ problems: inout Problems
  ) -> Request? {
    let ofKind = requests.indices.filter { response.isKind(of: requests[$0]) }
    let named = ofKind.filter { response.names(requests[$0]) }
    let fitting = named.filter {
      response.fits(requests[$0]) && !impossible.contains(requests[$0].packet)
    }
    var possible = fitting.isEmpty ? named : fitting
    // What that request asked for is unknown.
    if let lost { doubt.mayAnswer(Request(packet: lost, time: nil)) }
    if !isWaiting, !requests.isEmpty {
      return shift(possible, problem, response, &doubt, &problems)
    }
    // A response that names something no request asked for is only matched by its kind.
    if possible.isEmpty { possible = ofKind }
    guard let chosen = possible.last else {
      if let request = takePassed(response) {
        problems.add(Problem(.answersLate, request.packet))
        return request
      }
      // The waiting request may still get its own answer.
      problems.add(requests.last.map { Problem(.responseMismatch, $0.packet) } ?? Problem(problem))
      return nil
    }
    let request = requests[chosen]
    if chosen < requests.count - 1 || possible.count == 1 && lost == nil {
      // A server answers in order: requests sent before that one get no answer any more, or a late
      // one.
      passed.append(contentsOf: requests[..<chosen])
      passed.removeFirst(max(0, passed.count - Transactions.depth))
      requests.removeFirst(chosen + 1)
    } else {
      given = [Given(packet: response.packet, possible: possible)]
      for position in possible.dropLast() { doubt.mayAnswer(requests[position]) }
    }
    return request
  }

  /// Removes and returns the only passed request that a response can answer, if there is exactly
  /// one.
  private mutating func takePassed(_ response: Transactions.Response) -> Request? {
    let fitting = passed.indices.filter {
      response.isKind(of: passed[$0]) && response.names(passed[$0]) && response.fits(passed[$0])
    }
    guard fitting.count == 1, let only = fitting.first else { return nil }
    return passed.remove(at: only)
  }

  /// Reassigns after another response with no request in between: it answers the last of the
  /// requests, and the responses before it answer those before, if each of them can. If one more
  /// request was open than is remembered, the shift is unknown and nothing is assigned.
  ///
  /// - Parameter possible: the indices of the requests that the response can answer.
  private mutating func shift(
    _ possible: [Int], _ problem: Problem.Code, _ response: Transactions.Response,
    _ doubt: inout ResponseDoubt, _ problems: inout Problems
  ) -> Request? {
    let first = requests.count - 1 - given.count
    guard lost == nil, first >= 0, let last = requests.last,
      possible.last == requests.count - 1,
      given.indices.allSatisfy({ given[$0].possible.contains(first + $0) })
    else {
      problems.add(Problem(problem))
      return nil
    }
    for (position, earlier) in given.enumerated() {
      let request = requests[first + position]
      doubt.correct(earlier.packet, to: request)
      problems.add(Problem(.answersEarlier, earlier.packet, request.packet))
    }
    if first == 0 {
      self = Several(requests: [])
    } else {
      given.append(Given(packet: response.packet, possible: possible))
      for request in requests.dropLast() { doubt.mayAnswer(request) }
    }
    return last
  }
}
