// Rules about connections that do not come about.

extension Rule {
  /// Rules about connections that do not come about.
  static let connecting: [Rule] = []
}
