// Rules about controllers that fail or refuse.

extension Rule {
  /// Rules about controllers that fail or refuse.
  static let controller: [Rule] = []
}
