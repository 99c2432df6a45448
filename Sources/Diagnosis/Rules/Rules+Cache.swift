// Rules about maps that are out of date.

extension Rule {
  /// Rules about maps that are out of date.
  static let cache: [Rule] = []
}
