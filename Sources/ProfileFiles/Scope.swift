import Decoders

/// The names that an expression or a text can use at one position: those of one list of fields, and
/// of the lists around it.
final class Scope {
  /// What a name refers to.
  struct Entry {
    /// The slot of its number.
    var slot: Int
    /// Whether it is an integer wherever it is present.
    var isInteger: Bool
    /// The names inside: a group's fields, a number's bits.
    var members: Scope?
  }

  /// The names of this list, and of what is spliced into it.
  var entries: [String: Entry] = [:]
  /// The names of bits, which are beside those of fields in the output.
  var bitNames: Set<String> = []
  /// Weak: a group's scope is held by the group's entry in this one, which lives as long as a
  /// definition is being read.
  private weak var outer: Scope?
  /// The names in the object of the output that contains the fields.
  let output: OutputNames

  /// Creates the names of a list inside another, or of one on its own.
  init(inside outer: Scope? = nil, output: OutputNames = OutputNames()) {
    self.outer = outer
    self.output = output
  }

  /// Returns what a name with dots refers to.
  func find(_ path: String) -> Entry? {
    var parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !parts.isEmpty else { return nil }
    let first = parts.removeFirst()
    guard var entry = entries[first] else { return outer?.find(path) }
    for part in parts {
      guard let inner = entry.members?.entries[part] else { return nil }
      entry = inner
    }
    return entry
  }

  /// Returns all names with their dots, for suggestions.
  func names(prefix: String = "") -> [String] {
    var names: [String] = []
    for (name, entry) in entries {
      names.append(prefix + name)
      names += entry.members?.names(prefix: "\(prefix)\(name).") ?? []
    }
    return prefix.isEmpty ? names + (outer?.names() ?? []) : names
  }
}
