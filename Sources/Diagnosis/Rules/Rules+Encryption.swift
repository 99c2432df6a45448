// Rules about encryption that fails.

extension Rule {
  /// Rules about encryption that fails.
  static let encryption: [Rule] = []
}
