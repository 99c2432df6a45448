import Bluetooth
import Decoders
import Platforms
import Sessions

/// The files that a user provides with a capture.
struct Supplies: Sendable {
  /// User profiles.
  var profiles = SuppliedProfiles()
  var bonds: [Bond] = []
  /// The maps of devices.
  var maps: [SuppliedMap] = []
  /// The log that an app wrote meanwhile.
  var log: AppLog?
}
