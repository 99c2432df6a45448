import Dissectors

/// The filters with which a controller selects the advertising it reports, as set by Android's
/// commands. There are at most 256, since an index has one byte.
struct ContentFilters: Sendable {
  private var isOn = false
  private var choosing: Set<UInt8> = []
  private var passing: Set<UInt8> = []

  /// The number of filters in force; 0 if there are none, or one passes everything.
  var inForce: Int { isOn && passing.isEmpty ? choosing.count : 0 }

  /// Applies a command that was not refused.
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
    case .addService, .removeServices: break
    }
  }

  private mutating func remove(_ index: UInt8) {
    choosing.remove(index)
    passing.remove(index)
  }
}
