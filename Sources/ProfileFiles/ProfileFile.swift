import Bluetooth
package import Decoders

/// A profile: the content of one file.
package struct Profile: Sendable {
  /// Its name, and a short title for users.
  package var name: String
  package var title: String
  /// The file that contains it.
  package var file = ""
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
  package private(set) var errors: [ProfileError]

  /// The most definitions and messages of a file, and the most examples.
  static let mostDefinitions = 2048
  static let mostExamples = 1024
  /// The most errors that are found in a file.
  static let mostErrors = 100

  /// Whether no further errors are searched for.
  var isGivenUp: Bool { errors.count > Self.mostErrors }

  /// Adds an error; those beyond the limit are one. What an alias repeats has its errors once.
  mutating func fail(_ error: ProfileError) {
    guard !isGivenUp, errors.last != error else { return }
    let isLast = errors.count == Self.mostErrors
    errors.append(
      isLast
        ? ProfileError(
          file: error.file, line: error.line, key: "",
          message: "has more errors, from this line on, than the \(Self.mostErrors) that are listed"
        )
        : error)
  }

  /// Adds the examples of a definition.
  mutating func add(_ examples: [SourceNode], _ target: Example.Target) throws(ProfileError) {
    for example in examples {
      guard (profile?.examples.count ?? 0) < Self.mostExamples else {
        throw example.error("a file has up to \(Self.mostExamples) examples")
      }
      profile?.examples.append(Example(target: target, node: example))
    }
  }

  /// Decodes the examples, and adds what is wrong with them to the errors.
  package mutating func checkExamples() {
    guard let profile else { return }
    for example in profile.examples where !isGivenUp {
      for error in example.check(profile) { fail(error) }
    }
  }
}
