// Rules about bonds that are lost, and keys.

extension Rule {
  /// Rules about bonds that are lost, and keys.
  static let bonds: [Rule] = []
}
