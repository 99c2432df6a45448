import Bluetooth
import Bytes
import Decoders

/// Definitions of which none is more specific than the other.
package enum ProfileTies {
  /// What is wrong with profiles that are used together: of each tie an error that names both.
  package static func find(_ profiles: [(file: String, profile: Profile)]) -> [ProfileError] {
    var errors: [ProfileError] = []
    var first: [[UInt8]: (file: String, name: String)] = [:]
    for (file, profile) in profiles {
      for definition in profile.definitions {
        var writer = TableWriter()
        var subject = definition.subject
        subject.uuid = subject.uuid.shortest
        subject.write(&writer)
        if let other = first[writer.bytes] {
          errors.append(
            ProfileError(
              file: file, line: 0, key: "",
              message:
                "`\(definition.name)` is of the same bytes as `\(other.name)` in \(other.file)"))
        } else {
          first[writer.bytes] = (file, definition.name)
        }
      }
      for error in commandTies(profile) { errors.append(error.with(file)) }
    }
    return errors
  }

  /// Messages of one protocol that have one command in one direction.
  private static func commandTies(_ profile: Profile) -> [ProfileError] {
    var errors: [ProfileError] = []
    let messages = profile.vendor?.messages ?? []
    for (place, message) in messages.enumerated() {
      for other in messages[..<place] where overlap(message, other) {
        errors.append(
          ProfileError(
            file: "", line: 0, key: "",
            message: "`\(message.definition.name)` has a command of `\(other.definition.name)`"))
      }
    }
    return errors
  }

  private static func overlap(
    _ left: VendorProtocol.Message, _ right: VendorProtocol.Message
  ) -> Bool {
    if let one = left.isRequest, let other = right.isRequest, one != other { return false }
    guard let commands = left.commands, let others = right.commands else {
      return left.commands == nil && right.commands == nil && left.isRequest == right.isRequest
    }
    return commands.overlaps(others)
  }
}

extension ProfileError {
  fileprivate func with(_ file: String) -> ProfileError {
    ProfileError(file: file, line: line, key: key, message: message)
  }
}
