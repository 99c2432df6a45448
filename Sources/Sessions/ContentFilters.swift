import Dissectors

/// The filters by which a controller chooses what advertising it reports, as Android's commands set them.
/// There are at most 256: an index has one byte.
struct ContentFilters: Sendable {
  private var isOn = false
  private var choosing: Set<UInt8> = []
  private var passing: Set<UInt8> = []

  /// How many filters choose; 0 where there is none, or one that lets everything pass.
  var inForce: Int { isOn && passing.isEmpty ? choosing.count : 0 }

  /// Carries out a command that was not refused.
  mutating func apply(_ change: ContentFilterChange) {
    switch change {
    case .enable(let isOn): self.isOn = isOn
    case .add(let index, let passesAll):
      remove(index)
      if passesAll { passing.insert(index) } else { choosing.insert(index) }
    case .remove(let index): remove(index)
    case .clear:
      choosing = []
      passing = []
    }
  }

  private mutating func remove(_ index: UInt8) {
    choosing.remove(index)
    passing.remove(index)
  }
}
