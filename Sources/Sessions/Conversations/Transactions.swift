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
  /// Requests of one client, or indications of one server, that are open on a bearer at once.
  struct Doubt: Sendable {
    /// The place, as in `open`.
    let place: Int
    /// All of them, oldest first.
    var requests: [Request]
    /// The responses that the last of them were assigned, in order, if others could have had them.
    var given: [Given] = []
    /// The packet of a request that had no room any more: a later response may be its answer.
    var lost: Int?
    /// Requests that were passed by the answer to a later one. Servers should answer in order, but
    /// some do not.
    private(set) var passed: [Request] = []

    /// Adds requests that were passed.
    mutating func pass(_ requests: ArraySlice<Request>) {
      passed.append(contentsOf: requests)
      if passed.count > Self.depth { passed.removeFirst(passed.count - Self.depth) }
    }

    /// Removes and returns the only passed request that a response can answer, if there is exactly
    /// one.
    mutating func takePassed(_ response: Response) -> Request? {
      let fitting = passed.indices.filter {
        response.isKind(of: passed[$0]) && response.names(passed[$0]) && response.fits(passed[$0])
      }
      guard fitting.count == 1, let only = fitting.first else { return nil }
      return passed.remove(at: only)
    }

    /// How many requests are remembered; beyond that the oldest is dropped.
    static let depth = 4
  }

  /// A response that is assigned to a request for now.
  struct Given: Sendable {
    let packet: Int
    /// The requests that it can answer, one bit each.
    let mask: UInt8
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
    /// The requests that its value cannot answer, one bit each.
    let impossible: UInt8

    init(
      _ packet: Int, _ opcode: ATTOpcode, _ fields: ATTFields, _ bytes: RawSpan, impossible: UInt8
    ) {
      (self.packet, self.opcode, self.impossible) = (packet, opcode, impossible)
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

    /// Returns whether the length of its items is possible for what was requested.
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

  /// Requests in the first two places, indications in the last two; sent before received.
  private var open = InlineArray<4, Request?>(repeating: nil)
  /// Places in which a request or indication was sent before the previous one was answered.
  private var doubts: [Doubt] = []
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
  ///   - impossible: one bit for each of `waiting` that the PDU's value cannot answer.
  ///   - isAnswerable: whether the capture has the direction of the answers; otherwise none counts
  ///     as missing.
  ///   - doubt: receives what the answer leaves open or settles.
  mutating func observe(
    _ opcode: ATTOpcode, _ packet: inout Packet, _ direction: Direction, impossible: UInt8 = 0,
    isAnswerable: Bool, _ doubt: inout ResponseDoubt
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
        Self.place(direction, isIndication: false), .requestBeforeResponse, request,
        isAnswerable: isAnswerable, &packet.dissection.problems)
    case .indication:
      begin(
        Self.place(direction, isIndication: true), .indicationBeforeConfirmation,
        Request(packet: number, time: time, opcode, fields), isAnswerable: isAnswerable,
        &packet.dissection.problems)
    case .response:
      let request = end(
        Self.place(direction.reversed, isIndication: false), .responseWithoutRequest,
        Response(number, opcode, fields, bytes, impossible: impossible), &doubt,
        &packet.dissection.problems)
      if opcode == .readByTypeResponse, let type = request?.type {
        found[Int(direction.reversed.rawValue)] = type
      }
      return request
    case .confirmation:
      return end(
        Self.place(direction.reversed, isIndication: true), .confirmationWithoutIndication,
        Response(number, opcode, fields, bytes, impossible: 0), &doubt, &packet.dissection.problems)
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

  // MARK: Several that are open at once

  /// Records a request while others are open, or were until the last response.
  @inline(never)
  private mutating func overtake(
    _ place: Int, _ problem: Problem.Code?, _ request: Request, _ problems: inout Problems
  ) {
    var index = doubts.firstIndex { $0.place == place }
    if let known = index, !doubts[known].given.isEmpty || doubts[known].requests.isEmpty {
      // No other response followed: provisional assignments become final, and passed requests stay
      // passed.
      doubts.remove(at: known)
      index = nil
    }
    guard let waiting = open[place] else { return }
    if let problem { problems.add(Problem(problem, waiting.packet)) }
    guard let index else {
      doubts.append(Doubt(place: place, requests: [waiting, request]))
      return
    }
    if doubts[index].requests.count >= Doubt.depth {
      doubts[index].lost = doubts[index].requests.removeFirst().packet
    }
    doubts[index].requests.append(request)
  }

  /// Returns the request that a response answers if several are open, or were before the last
  /// response.
  @inline(never)
  private mutating func choose(
    _ index: Int, _ problem: Problem.Code, _ response: Response, _ doubt: inout ResponseDoubt,
    _ problems: inout Problems
  ) -> Request? {
    let (place, requests) = (doubts[index].place, doubts[index].requests)
    var (kind, named, fitting) = (UInt8(0), UInt8(0), UInt8(0))
    for (position, request) in requests.enumerated() where response.isKind(of: request) {
      let bit = UInt8(1) << UInt8(position)
      kind |= bit
      guard response.names(request) else { continue }
      named |= bit
      if response.impossible & bit == 0, response.fits(request) { fitting |= bit }
    }
    if fitting == 0 { fitting = named }
    // What that request asked for is unknown.
    if let lost = doubts[index].lost { doubt.mayAnswer(Request(packet: lost, time: nil)) }
    guard let newest = open[place] else {
      if requests.isEmpty {
        if let request = answerLate(index, response, &problems) { return request }
        problems.add(Problem(problem))
        return nil
      }
      return shift(index, fitting, problem, response, &doubt, &problems)
    }
    // A response that names something no request asked for is only matched by its kind.
    let mask = fitting == 0 ? kind : fitting
    guard mask != 0 else {
      if let request = answerLate(index, response, &problems) { return request }
      // The waiting request may still get its own answer.
      problems.add(Problem(.responseMismatch, newest.packet))
      return nil
    }
    let chosen = 7 - mask.leadingZeroBitCount
    guard chosen == requests.count - 1 else {
      // A server answers in order: requests sent before that one get no answer any more, or a late
      // one.
      doubts[index].pass(requests[..<chosen])
      doubts[index].requests.removeFirst(chosen + 1)
      if doubts[index].requests.count == 1, doubts[index].lost == nil,
        doubts[index].passed.isEmpty
      {
        doubts.remove(at: index)
      }
      return requests[chosen]
    }
    open[place] = nil
    if mask.nonzeroBitCount == 1, doubts[index].lost == nil {
      doubts[index].pass(requests.dropLast())
      if doubts[index].passed.isEmpty {
        doubts.remove(at: index)
      } else {
        doubts[index].requests.removeAll()
      }
    } else {
      doubts[index].given = [Given(packet: response.packet, mask: mask)]
      for (position, request) in requests.dropLast().enumerated()
      where mask >> UInt8(position) & 1 == 1 {
        doubt.mayAnswer(request)
      }
    }
    return newest
  }

  /// Returns the request that a response answers after the answer to a later one, and reports it.
  private mutating func answerLate(
    _ index: Int, _ response: Response, _ problems: inout Problems
  ) -> Request? {
    guard let request = doubts[index].takePassed(response) else { return nil }
    if doubts[index].passed.isEmpty, doubts[index].requests.count < 2, doubts[index].lost == nil {
      doubts.remove(at: index)
    }
    problems.add(Problem(.answersLate, request.packet))
    return request
  }

  /// Reassigns after another response with no request in between: it answers the last of the
  /// requests, and the responses before it answer those before, if each of them can. If one more
  /// request was open than is remembered, the shift is unknown and nothing is assigned.
  private mutating func shift(
    _ index: Int, _ mask: UInt8, _ problem: Problem.Code, _ response: Response,
    _ doubt: inout ResponseDoubt, _ problems: inout Problems
  ) -> Request? {
    let (requests, given) = (doubts[index].requests, doubts[index].given)
    let first = requests.count - 1 - given.count
    guard doubts[index].lost == nil, first >= 0, let last = requests.last,
      mask >> UInt8(requests.count - 1) & 1 == 1,
      given.indices.allSatisfy({ given[$0].mask >> UInt8(first + $0) & 1 == 1 })
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
      doubts.remove(at: index)
    } else {
      doubts[index].given.append(Given(packet: response.packet, mask: mask))
      for request in requests.dropLast() { doubt.mayAnswer(request) }
    }
    return last
  }
}
