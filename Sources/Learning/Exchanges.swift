// Requests and their answers: which byte of an answer repeats, or follows from, which byte of its
// request.

import Glibc

/// How a byte of an answer follows from one of its request.
package enum AnswerRule: Sendable, Equatable {
  case same, highBit
  /// The difference, 1 to 255.
  case plus(UInt8)

  func apply(_ byte: UInt8) -> UInt8 {
    switch self {
    case .same: byte
    case .highBit: byte | 0x80
    case .plus(let number): byte &+ number
    }
  }
}

/// What connects two channels.
package struct LearntExchange: Sendable {
  /// A rule, with its places in the request and in the answer.
  package struct Rule: Sendable {
    package var request: Int
    package var answer: Int
    package var rule: AnswerRule
    /// The number of pairs, of those that agree, and of different bytes of requests.
    package var pairs: Int
    package var matches: Int
    package var different: Int
    package var confidence: Confidence
    /// Whether the byte counts up from request to request.
    package var isCounter: Bool
  }

  /// The number of requests, and of those that something answered.
  package var requests: Int
  package var answered: Int
  /// The median time to the answer, in nanoseconds.
  package var latency: Int64?
  package var rules: [Rule] = []

  /// The rule that connects commands, and the one that connects sequence numbers.
  package var command: Rule? { rules.first { !$0.isCounter } }
  package var sequence: Rule? { rules.first { $0.isCounter && $0.rule == .same } }
}

/// A frame with its time, as pairing needs it.
package struct TimedFrame: Sendable {
  package var bytes: [UInt8]
  package var time: Int64?
  package var packet: Int
  package var connection: Int

  package init(_ bytes: [UInt8], time: Int64?, packet: Int, connection: Int) {
    self.bytes = bytes
    self.time = time
    self.packet = packet
    self.connection = connection
  }
}

package enum ExchangeSearch {
  /// The last place that is compared, and how long an answer may take.
  private static let lastPlace = 11
  private static let longestWait: Int64 = 5_000_000_000
  private static let leastPairs = 5

  /// Learns how answers follow from requests.
  ///
  /// - Parameters:
  ///   - requestPlaces: the bytes of requests that are compared: not those of lengths, checksums
  ///     and the start.
  package static func learn(
    requests: [TimedFrame], answers: [TimedFrame], requestPlaces: (Int) -> Bool,
    answerPlaces: (Int) -> Bool
  ) -> LearntExchange {
    let pairs = pair(requests, answers)
    var exchange = LearntExchange(requests: requests.count, answered: pairs.count)
    let times = pairs.compactMap { one, other in
      one.time.flatMap { start in other.time.map { $0 - start } }
    }.sorted()
    if !times.isEmpty { exchange.latency = times[times.count / 2] }
    guard pairs.count >= leastPairs else { return exchange }
    for answer in 0...lastPlace where answerPlaces(answer) {
      for request in 0...lastPlace where requestPlaces(request) {
        if let rule = rule(pairs, request, answer) { exchange.rules.append(rule) }
      }
    }
    exchange.rules.sort { first, second in
      if first.different != second.different { return first.different > second.different }
      return first.matches != second.matches
        ? first.matches > second.matches
        : (first.request, first.answer) < (second.request, second.answer)
    }
    return exchange
  }

  /// Returns each request with the answer that came next, if no other request came before it.
  private static func pair(
    _ requests: [TimedFrame], _ answers: [TimedFrame]
  ) -> [(TimedFrame, TimedFrame)] {
    var pairs: [(TimedFrame, TimedFrame)] = []
    var next = 0
    for (index, request) in requests.enumerated() {
      while next < answers.count, answers[next].packet <= request.packet { next += 1 }
      guard next < answers.count else { break }
      let answer = answers[next]
      if index + 1 < requests.count, requests[index + 1].packet < answer.packet { continue }
      guard answer.connection == request.connection else { continue }
      if let start = request.time, let end = answer.time, end - start > longestWait { continue }
      pairs.append((request, answer))
    }
    return pairs
  }

  private static func rule(
    _ pairs: [(TimedFrame, TimedFrame)], _ request: Int, _ answer: Int
  ) -> LearntExchange.Rule? {
    var bytes: [(UInt8, UInt8)] = []
    var frequencies = ByteFrequencies()
    for (one, other) in pairs where request < one.bytes.count && answer < other.bytes.count {
      bytes.append((one.bytes[request], other.bytes[answer]))
      frequencies.add(other.bytes[answer])
    }
    guard bytes.count * 10 >= pairs.count * 9, frequencies.different >= 2 else { return nil }
    var rules: [AnswerRule] = [.same, .highBit]
    let difference = bytes[0].1 &- bytes[0].0
    if difference != 0, difference != 0x80 { rules.append(.plus(difference)) }
    let chances = frequencies.bits()
    for rule in rules {
      let agreeing = bytes.filter { rule.apply($0.0) == $0.1 }
      guard Evidence.isEnough(agreeing.count, of: bytes.count) else { continue }
      let different = Set(agreeing.map(\.0)).count
      guard different >= 2 else { continue }
      let exceptions = bytes.count - agreeing.count
      var bits = agreeing.reduce(0) { $0 + chances[Int($1.1)] }
      bits -= 9 + Evidence.cost(exceptions: exceptions, of: bytes.count)
      var isFree = false
      if case .plus = rule {
        bits -= 8
        isFree = true
      }
      // A few requests that were repeated prove little: the answers are always the same.
      bits = min(bits, 14 * Double(different) - (isFree ? 8 : 0))
      let evidence = Evidence(matches: agreeing.count, frames: bytes.count, bits: bits)
      guard let confidence = evidence.confidence(isFree: isFree) else { continue }
      let steps = zip(bytes, bytes.dropFirst()).count { $0.0 &+ 1 == $1.0 }
      return LearntExchange.Rule(
        request: request, answer: answer, rule: rule, pairs: bytes.count,
        matches: agreeing.count, different: different, confidence: confidence,
        isCounter: different >= 8 && steps * 4 >= (bytes.count - 1) * 3)
    }
    return nil
  }
}
