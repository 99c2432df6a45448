/// A set of codes or of flag bits whose members have names, for parameters that hold one of them.
package enum CodeSet: UInt8, Sendable, CaseIterable {
  case status
  case role
  case addressType
  case phy
  case phys

  /// The name of a code, or of a bit by its number; nil where the specification gives none.
  package func name(of code: UInt64) -> StaticString? {
    switch self {
    case .status: StatusCode(rawValue: UInt8(truncatingIfNeeded: code)).name
    default: nil
    }
  }
}
