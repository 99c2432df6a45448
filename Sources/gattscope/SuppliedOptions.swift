import ArgumentParser
import Bluetooth
import Decoders
import Sessions

/// The options for what is known besides the capture: services, profiles and keys.
struct SuppliedOptions: ParsableArguments {
  @Option(name: .long, help: MapArgument.help, completion: .file())
  var map: [String] = []

  @Option(name: .long, help: ProfileArgument.help, completion: ProfileArgument.completion)
  var profile: [String] = []

  @Option(name: .long, help: KeysArgument.help, completion: .file())
  var keys: [String] = []

  func maps() throws -> [SuppliedMap] { try MapArgument.maps(map) }

  func profiles() throws -> SuppliedProfiles { try ProfileArgument.profiles(profile) }

  func bonds() throws -> [Bond] { try KeysArgument.bonds(keys) }
}
