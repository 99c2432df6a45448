// Rules about what the capture lacks.

extension Rule {
  /// Rules about what the capture lacks.
  static let capture: [Rule] = []
}
