/// Profiles of people's own, beside the program's.
package struct SuppliedProfiles: Sendable {
  /// Their definitions, in the order in which they are preferred.
  package var definitions: [Definition] = []
  /// Their protocols, likewise.
  package var vendors: [VendorProtocol] = []

  /// None.
  package init() {}
}
