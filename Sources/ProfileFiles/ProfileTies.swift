import Bluetooth
import Bytes
import Decoders

/// Definitions of which none is more specific than the other.
package enum ProfileTies {
  /// The most errors that are found.
  private static let most = 100

  /// Returns errors for ties between profiles that are used together, each of which names both
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
        guard errors.count < most else { return errors }
      }
      errors += commandTies(profile, file).prefix(most - errors.count)
    }
    return errors
  }

  /// Returns an error for each group of messages of a protocol whose commands overlap in one
  /// direction. Those that something else tells apart are in no group.
  private static func commandTies(_ profile: Profile, _ file: String) -> [ProfileError] {
    // After the file's messages there may be one that it does not have.
    guard let messages = profile.vendor?.messages.prefix(profile.messageLines.count) else {
      return []
    }
    let places = messages.indices.filter { place in
      let message = messages[place]
      return message.condition == nil && message.definition.subject.match.isEmpty
        && message.definition.subject.sizes == nil
    }
    var groups = Set<[Int]>()
    for isRequest in [true, false] {
      let those = places.filter { messages[$0].isRequest ?? isRequest == isRequest }
      groups.formUnion(
        overlapping(
          those.compactMap { place in
            messages[place].commands.map { (commands: $0, place: place) }
          }))
    }
    // A message for all other commands of both directions may be beside one of each.
    for isRequest in [true, false, nil] {
      groups.insert(
        places.filter { messages[$0].commands == nil && messages[$0].isRequest == isRequest })
    }
    return groups.filter { $0.count > 1 }.sorted { $0[1] < $1[1] }.map { group in
      func name(_ place: Int) -> String { "`\(messages[place].definition.name)`" }
      let message: String
      if group.count == 2 {
        message =
          "\(name(group[1])) has a command of \(name(group[0])) in \(file):\(profile.messageLines[group[0]])"
      } else {
        let first = group.prefix(mostNamed).map { "\(name($0)) (line \(profile.messageLines[$0]))" }
        let others = group.count - first.count
        message =
          "the commands of \(first.joined(separator: ", "))\(others > 0 ? " and \(others) other messages" : "") overlap"
      }
      return ProfileError(
        file: file, line: profile.messageLines[group[1]], key: "", message: message)
    }
  }

  /// The most messages of a group that its error names.
  private static let mostNamed = 4

  /// Returns the groups of ranges that overlap, each by the places of its members in ascending
  /// order.
  private static func overlapping(
    _ ranges: [(commands: ClosedRange<Int>, place: Int)]
  ) -> [[Int]] {
    var groups: [[Int]] = []
    var end: Int?
    for (commands, place) in ranges.sorted(by: { $0.commands.lowerBound < $1.commands.lowerBound })
    {
      if let last = end, commands.lowerBound <= last {
        groups[groups.count - 1].append(place)
      } else {
        groups.append([place])
      }
      end = max(end ?? commands.upperBound, commands.upperBound)
    }
    return groups.map { $0.sorted() }
  }
}
