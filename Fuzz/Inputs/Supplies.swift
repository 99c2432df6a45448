import Bluetooth
import Decoders
import Reports
import Sessions

/// What people hand in beside a capture.
struct Supplies: Sendable {
  /// Profiles of their own.
  var profiles = SuppliedProfiles()
  /// Keys of bonds.
  var bonds: [Bond] = []
  /// What devices have.
  var maps: [SuppliedMap] = []
  /// What an app wrote meanwhile.
  var log: AppLog?
}
