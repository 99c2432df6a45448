/// What the answer of the current packet leaves open: it may belong to another request, or show
/// that earlier answers did.
package struct ResponseDoubt: Sendable {
  /// A response that was first assigned to another request.
  package struct Correction: Sendable {
    /// The response's packet.
    package let response: Int
    /// The request that it answers.
    package let request: Request
  }

  /// Requests that the packet may answer as well as the one it is assigned to: if another response
  /// follows before another request, it answered one of these.
  package private(set) var alternatives: [Request] = []
  /// Earlier responses that this one shows to have answered other requests.
  package private(set) var corrections: [Correction] = []

  init() {}

  /// Whether nothing is left open.
  package var isEmpty: Bool { alternatives.isEmpty && corrections.isEmpty }

  mutating func mayAnswer(_ request: Request) { alternatives.append(request) }

  mutating func correct(_ response: Int, to request: Request) {
    corrections.append(Correction(response: response, request: request))
  }

  mutating func clear() { (alternatives, corrections) = ([], []) }
}
