import Bluetooth
import Bytes
package import Decoders
import Sessions
import Synchronization

/// What profiles say of protocols and of errors: people's own, and behind them the program's.
package final class ProfileKnowledge: Sendable {
  /// The protocols; their places tell them apart.
  let vendors: [VendorProtocol]
  /// The definitions that were looked for so far: each is read from its table once.
  private let library: Mutex<ProfileLibrary>

  /// The program's own profiles.
  package static let builtIn = ProfileKnowledge(SuppliedProfiles())

  /// People's profiles, before the program's.
  package init(_ own: SuppliedProfiles) {
    let library = ProfileLibrary(own: own.definitions, vendors: own.vendors)
    vendors = library.vendors
    self.library = Mutex(library)
  }

  /// The protocols that may be spoken on an attribute.
  func claims(
    _ attribute: AttributeIdentity, _ device: [UInt8]?
  ) -> [(vendor: Int, isByFrame: Bool)] {
    vendors.claims(attribute.uuid, service: attribute.service) { device?.fits($0) ?? false }
  }

  /// What a profile calls an error; nil where none does.
  func errorName(_ error: ATTErrorCode, of subject: ErrorSubject) -> [UInt8]? {
    library.withLock { library in
      subject.name(of: error) { library.definitions($0, $1) }
    }
  }
}
