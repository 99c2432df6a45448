// Rules about requests that are refused.

extension Rule {
  /// Rules about requests that are refused.
  static let access: [Rule] = []
}
