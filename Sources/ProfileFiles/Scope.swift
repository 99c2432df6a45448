import Decoders

/// The names that an expression or a text can use at one place: those of one list of fields, and of the
/// lists around it.
final class Scope {
  /// What a name stands for.
  struct Entry {
    /// Where its number is kept.
    var slot: Int
    /// Whether it is an integer, wherever it is there.
    var isInteger: Bool
    /// The names inside: a group's fields, a number's bits.
    var members: Scope?
  }

  /// The names of this list, and of what is spliced into it.
  var entries: [String: Entry] = [:]
  /// The names of bits, which stand beside those of fields in the output.
  var bitNames: Set<String> = []
  /// Not held: a group's scope is held by the entry of that group in this one, which lives as long as a
  /// definition is read.
  private weak var outer: Scope?
  /// The names in the object of the output that the fields stand in.
  let output: OutputNames

  /// The names of a list inside another, or of one that stands alone.
  init(inside outer: Scope? = nil, output: OutputNames = OutputNames()) {
    self.outer = outer
    self.output = output
  }

  /// What a name with dots stands for.
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

  /// All names with their dots, for suggestions.
  func names(prefix: String = "") -> [String] {
    var names: [String] = []
    for (name, entry) in entries {
      names.append(prefix + name)
      names += entry.members?.names(prefix: "\(prefix)\(name).") ?? []
    }
    return prefix.isEmpty ? names + (outer?.names() ?? []) : names
  }
}
