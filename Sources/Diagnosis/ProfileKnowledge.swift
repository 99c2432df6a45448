import Bluetooth
import Bytes
package import Decoders
import Sessions

/// What profiles say of protocols and of errors: people's own, and behind them the program's.
package final class ProfileKnowledge: Sendable {
  /// The protocols; their places tell them apart.
  let vendors: [VendorProtocol]
  private let own: SuppliedProfiles

  /// The program's own profiles.
  package static let builtIn = ProfileKnowledge(SuppliedProfiles())

  /// People's profiles, before the program's.
  package init(_ own: SuppliedProfiles) {
    self.own = own
    vendors = ProfileLibrary(own: own.definitions, vendors: own.vendors).vendors
  }

  /// The protocols that may be spoken on an attribute.
  func claims(
    _ attribute: AttributeIdentity, _ device: [UInt8]?
  ) -> [(vendor: Int, isByFrame: Bool)] {
    vendors.claims(attribute.uuid, service: attribute.service) { device?.fits($0) ?? false }
  }

  /// What a profile calls an error; nil where none does.
  func errorName(_ error: ATTErrorCode, of subject: ErrorSubject) -> [UInt8]? {
    var library = ProfileLibrary(own: own.definitions, vendors: own.vendors)
    return subject.name(of: error) { library.definitions($0, $1) }
  }
}
