// Comparisons that other modules make for every packet. They are written out because other modules
// reach a derived one, and the generic one for optionals, only through the protocol's witness
// table.

extension Subject.Kind {
  package static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
  package static func == (left: Self?, right: Self) -> Bool {
    if let left { left == right } else { false }
  }
}
