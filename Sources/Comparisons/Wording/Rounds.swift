import Bytes
import Meanings

/// Steps that only one side has and that come again at once, as in a loop that polls.
struct Rounds {
  /// The steps of the first round.
  let first: Range<Int>
  /// How often they come again.
  let repeats: Int
  /// Whether values are others in later rounds.
  let hasOtherValues: Bool

  var end: Int { first.upperBound + repeats * first.count }
  /// The steps of the last round.
  var last: Range<Int> { end - first.count..<end }
}

extension Difference {
  /// The most steps of a round.
  private static let mostInRound = 8
  /// How often a round has to come again, with the same values or with others.
  private static let leastRepeats = (same: 2, other: 3)

  /// Returns the rounds that begin with a step, if it is the first of some.
  func rounds(from start: Int) -> Rounds? {
    for length in 1...Self.mostInRound {
      guard start + length * (1 + Self.leastRepeats.same) <= steps.count else { return nil }
      var end = start + length
      while end < steps.count, isAgain(steps[end - length], steps[end]) { end += 1 }
      let repeats = (end - start) / length - 1
      guard repeats >= Self.leastRepeats.same else { continue }
      let rest = start + length..<start + length * (1 + repeats)
      let hasOtherValues = rest.contains { outcome(steps[$0 - length]) != outcome(steps[$0]) }
      guard !hasOtherValues || repeats >= Self.leastRepeats.other else { continue }
      return Rounds(
        first: start..<start + length, repeats: repeats, hasOtherValues: hasOtherValues)
    }
    return nil
  }

  /// Returns whether a step does the same as another, with any value.
  private func isAgain(_ one: Step, _ other: Step) -> Bool {
    guard one.kind == other.kind, one.kind == .removed || one.kind == .added,
      one.counterpart == nil, other.counterpart == nil,
      let here = operations(of: one, isLeft: one.kind == .removed).first,
      let there = operations(of: other, isLeft: one.kind == .removed).first,
      (here.value == nil) == (there.value == nil)
    else { return false }
    // PDUs of pairing are summarised.
    if case .pairing = here.kind { return false }
    return here.kind == there.kind && here.role == there.role
      && here.isByCentral == there.isByCentral && here.hasFailed == there.hasFailed
      && (!here.hasFailed || outcome(one) == outcome(other))
  }

  private func outcome(_ step: Step) -> String {
    side(of: step, isLeft: step.kind == .removed)?.words.text ?? ""
  }
}
