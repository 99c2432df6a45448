/// The outcomes of the requests and series of one protocol, or of one control point, with one
/// device.
package struct VendorTally: Sendable {
  package let conversation: UInt64
  /// The protocol's name, or the characteristic's.
  package let title: String
  /// The index of a protocol, or below 0 a control point.
  package let owner: Int
  /// The number of requests that expect an answer, how many were answered, and how many the server
  /// refused.
  package internal(set) var requests = 0
  package internal(set) var answered = 0
  package internal(set) var refused = 0
  /// The requests without an answer, up to a limit.
  package internal(set) var unanswered: [Int] = []
  /// Whether that list has reached its limit.
  package var omitsUnanswered: Bool { unanswered.count >= Self.mostListed }
  /// The most of them that are listed.
  static let mostListed = 64
  /// The number of announced series, and how many are complete.
  package internal(set) var series = 0
  package internal(set) var completed = 0
  /// The number of messages in several frames that are incomplete.
  package internal(set) var incompleteMessages = 0
  /// The incomplete series and messages, up to a limit.
  package internal(set) var unfinished: [Unfinished] = []

  /// The number of incomplete series and messages.
  package var unfinishedCount: Int { series - completed + incompleteMessages }

  /// Forgets the requests, whose outcome is not known.
  package mutating func forgetRequests() {
    requests = 0
    unanswered = []
  }

  /// Whether there is nothing to report.
  package var isEmpty: Bool { requests == 0 && series == 0 && incompleteMessages == 0 }
}
