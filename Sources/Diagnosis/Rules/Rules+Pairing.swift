// Rules about pairing that fails.

extension Rule {
  /// Rules about pairing that fails.
  static let pairing: [Rule] = []
}
