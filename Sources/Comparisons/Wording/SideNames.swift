import Meanings

/// What the two sides are called in sentences: left and right, or the names of their files.
struct SideNames: Sendable {
  private let files: (left: String, right: String)?

  /// Left and right.
  static let plain = SideNames(files: nil)

  /// - Parameter files: printable names of the files; nil: left and right.
  init(files: (left: String, right: String)?) { self.files = files }

  /// Returns where something is: `on the left`, `in first.log`.
  func place(isLeft: Bool) -> Wording {
    name(isLeft).map { "in \($0)" } ?? (isLeft ? "on the left" : "on the right")
  }

  /// Returns the side: `the left side`, `first.log`.
  func side(isLeft: Bool) -> Wording {
    name(isLeft) ?? (isLeft ? "the left side" : "the right side")
  }

  private func name(_ isLeft: Bool) -> Wording? {
    files.map { Wording(stringLiteral: isLeft ? $0.left : $0.right) }
  }
}
