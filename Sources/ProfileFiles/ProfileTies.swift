import Bluetooth
import Bytes
import Decoders

/// Definitions of which none is more specific than the other.
package enum ProfileTies {
  /// Returns an error for each tie between profiles that are used together, which names both
  /// definitions.
  package static func find(_ profiles: [(file: String, profile: Profile)]) -> [ProfileError] {
    var errors: [ProfileError] = []
    var first: [[UInt8]: (place: String, name: String)] = [:]
    for (file, profile) in profiles {
      for (definition, line) in zip(profile.definitions, profile.definitionLines) {
        var writer = TableWriter()
        var subject = definition.subject
        subject.uuid = subject.uuid.shortest
        subject.write(&writer)
        if let other = first[writer.bytes] {
          errors.append(
            ProfileError(
              file: file, line: line, key: "",
              message:
                "`\(definition.name)` is of the same bytes as `\(other.name)` in \(other.place)"))
        } else {
          first[writer.bytes] = ("\(file):\(line)", definition.name)
        }
      }
      errors += commandTies(profile, file)
    }
    return errors
  }

  /// Returns an error for each pair of messages of one protocol with the same command in the same
  /// direction.
  private static func commandTies(_ profile: Profile, _ file: String) -> [ProfileError] {
    var errors: [ProfileError] = []
    let messages = Array(zip(profile.vendor?.messages ?? [], profile.messageLines))
    for (place, (message, line)) in messages.enumerated() {
      for (other, otherLine) in messages[..<place] where overlap(message, other) {
        errors.append(
          ProfileError(
            file: file, line: line, key: "",
            message:
              "`\(message.definition.name)` has a command of `\(other.definition.name)` in \(file):\(otherLine)"
          ))
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
