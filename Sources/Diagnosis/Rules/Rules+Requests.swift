// Rules about requests that nobody answers.

extension Rule {
  /// Rules about requests that nobody answers.
  static let requests: [Rule] = []
}
