// Rules about links that end, and their parameters.

extension Rule {
  /// Rules about links that end, and their parameters.
  static let link: [Rule] = []
}
