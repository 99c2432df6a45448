// Rules about values that do not arrive.

extension Rule {
  /// Rules about values that do not arrive.
  static let subscriptions: [Rule] = []
}
