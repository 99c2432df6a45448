/// The part of a 128-bit UUID that is shown because it distinguishes the UUID from all others of a
/// server. Vendors number their UUIDs at the beginning or at the end.
package enum UUIDPart: UInt8, Sendable {
  /// The first groups of digits: `6e400003-…`.
  case oneGroup = 1, twoGroups, threeGroups, fourGroups
  /// The first and the last four digits: `fd47…75cf`.
  case ends
  case whole
}
