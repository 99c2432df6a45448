// Rules about lengths, frames and transfers.

extension Rule {
  /// Rules about lengths, frames and transfers.
  static let traffic: [Rule] = []
}
