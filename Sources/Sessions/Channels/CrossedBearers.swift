import Bluetooth
import Bytes
import Dissectors

/// Responses on another enhanced bearer than their request.
///
/// Several channels are opened at once, and some hosts pair the two lists of ends in another order
/// than they were sent in (Core, Vol 3, Part A, 4.25 and 4.26). Such a host answers on the channel
/// that it takes for the request's. This shows when a response cannot answer its own channel's
/// request, but is exactly what one other channel waits for.
extension Channels {
  /// Returns the bearer whose request a response answers: the one it came on, except for hosts that
  /// cross bearers.
  ///
  /// - Parameters:
  ///   - own: the bearer that it came on.
  ///   - isWhole: whether the capture has all of it.
  ///   - key: its server.
  @inline(never)
  mutating func answeredBearer(
    _ own: Int, _ response: Transactions.Response, _ fields: ATTFields, _ direction: Direction,
    isWhole: Bool, _ attributes: Attributes, of key: UInt64
  ) -> Int {
    let length =
      isWhole && response.opcode == .readResponse ? fields.value.map { Int($0.count) } : nil
    let arrived = CrossedResponse(
      response: response, length: length, direction: direction, attributes: attributes, server: key)
    let partner = partner(of: own, direction)
    if let partner, arrived.fit(self[transactions: partner]) > .impossible { return partner }
    let fit = arrived.fit(self[transactions: own])
    guard fit < .possible, partner == nil, self[own].isWhollyKnown else { return own }
    // If nothing waits, the request may be missing from the capture.
    let least = fit == .otherKind ? CrossedResponse.Fit.possible : .exact
    var found: Int?
    for other in bearers(beside: own) where arrived.fit(self[transactions: other]) >= least {
      guard found == nil else { return own }
      found = other
    }
    guard let found else { return own }
    cross(own, found, direction)
    return found
  }

  /// Returns the other ATT bearers of a channel's connection that are open and wholly known.
  private func bearers(beside slot: Int) -> [Int] {
    let connection = self[slot].connection
    return indices.filter {
      $0 != slot && self[$0].connection == connection && self[$0].closedBy == nil
        && self[$0].psm == .eatt && self[$0].isWhollyKnown
    }
  }

  /// Returns the channel whose requests are answered on another one, if this applies to responses
  /// that go in `direction`.
  private func partner(of slot: Int, _ direction: Direction) -> Int? {
    let serial = self[slot].partners[Int(direction.rawValue)]
    guard serial != 0 else { return nil }
    return indices.first { self[$0].serial == serial && self[$0].closedBy == nil }
  }

  /// Records that the requests of either channel are answered on the other.
  private mutating func cross(_ one: Int, _ other: Int, _ direction: Direction) {
    self[one].partners[Int(direction.rawValue)] = self[other].serial
    self[other].partners[Int(direction.rawValue)] = self[one].serial
  }
}

/// A response that may have come on another bearer than its request.
private struct CrossedResponse {
  /// How well it fits what waits on a bearer.
  enum Fit: Int, Comparable {
    /// Nothing waits.
    case nothing
    /// The waiting request is of another kind.
    case otherKind
    /// It is of the right kind, but its content is impossible for the request's attribute.
    case impossible
    /// It can be the answer.
    case possible
    /// It names the requested attribute, or has exactly the length of its value.
    case exact

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  let response: Transactions.Response
  /// The length of the value that it carries, if that is known.
  let length: Int?
  let direction: Direction
  let attributes: Attributes
  /// The key of its server.
  let server: UInt64

  func fit(_ transactions: Transactions) -> Fit {
    var best = Fit.nothing
    transactions.forEachOpen(direction.reversed) { best = max(best, fit($0)) }
    return best
  }

  private func fit(_ request: Request) -> Fit {
    guard response.isKind(of: request) else { return .otherKind }
    guard response.names(request), response.fits(request) else { return .impossible }
    // An Error Response to a search names the first handle of the searched range.
    let isError = response.opcode == .errorResponse
    let asked = isError ? request.handle ?? request.startHandle : request.handle
    if let subject = response.subject, subject == asked { return .exact }
    guard let length, let handle = request.handle,
      let expected = attributes.valueLength(handle, of: server)
    else { return .possible }
    return expected == length ? .exact : .impossible
  }
}

extension Channel {
  /// Whether the capture has everything that was sent over it.
  fileprivate var isWhollyKnown: Bool { mode == .creditBased && !isInferred }
}
