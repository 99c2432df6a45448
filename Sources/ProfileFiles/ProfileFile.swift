import Bluetooth
package import Decoders

/// A profile: the content of one file.
package struct Profile: Sendable {
  /// Its name, and a short title for users.
  package var name: String
  package var title: String
  /// The definitions of characteristics, descriptors and advertisements.
  package var definitions: [Definition]
  /// The lines of the file with these definitions.
  package var definitionLines: [Int] = []
  /// A vendor's protocol, if the file has one.
  package var vendor: VendorProtocol?
  /// The lines of its messages, except for one that the file does not have.
  package var messageLines: [Int] = []
  /// Bytes with their expected results.
  package var examples: [Example]
}

/// Bytes, and their expected result.
package struct Example: Sendable {
  /// The definition that decodes the bytes: the index among the profile's definitions, or among the
  /// messages of its protocol.
  package enum Target: Sendable {
    case definition(Int), message(Int)
  }

  package var target: Target
  /// The mapping in the file.
  let node: SourceNode
}

/// The result of reading a profile's file.
package struct ProfileFile: Sendable {
  /// The correct parts of the profile; nil if not even its name is correct.
  package var profile: Profile?
  /// The errors, in the order of the file.
  package var errors: [ProfileError]
}
