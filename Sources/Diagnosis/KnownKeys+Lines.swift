// The list of the known keys.

package import Histories
import Bluetooth
import Meanings
package import Sessions

extension KnownKeys.Kind {
  package var words: StaticString {
    switch self {
    case .longTerm: "long term key"
    case .shortTerm: "short term key"
    case .identityResolving: "identity resolving key"
    case .signature: "signature key"
    case .link: "link key"
    case .diffieHellman: "Diffie-Hellman key"
    case .unknown: "key given to LE Encrypt"
    }
  }

  /// In one word, as the lines of a finding are labelled.
  var label: StaticString {
    switch self {
    case .longTerm: "ltk"
    case .shortTerm: "stk"
    case .identityResolving: "irk"
    case .signature: "csrk"
    case .link: "linkkey"
    case .diffieHellman: "dhkey"
    case .unknown: "key"
    }
  }
}

extension KnownKeys {
  /// Returns a line for each distinct key: its kind, its owners and its sources, such as `long term
  /// key of F1:F1:F1:F1:F1:F1, authenticated, given in #57`. The key itself is included only if
  /// keys are requested.
  package func lines(_ evidence: Evidence) -> [Finding.Detail] {
    var positions: [Value: Int] = [:]
    var groups: [[Key]] = []
    for key in keys {
      let value = Value(kind: key.kind, bytes: key.bytes)
      if let position = positions[value] {
        groups[position].append(key)
      } else {
        positions[value] = groups.count
        groups.append([key])
      }
    }
    return groups.compactMap { same in
      guard let first = same.first else { return nil }
      let owners = Self.distinct(same.map { $0.owner(evidence) })
      let owned: Wording = owners.isEmpty ? "" : " \(Wording(listing: owners))"
      var sources: [(source: Source, packets: [Wording])] = []
      for key in same {
        let packet: Wording = "\(packet: key.packet)"
        if let known = sources.firstIndex(where: { $0.source == key.source }) {
          if !sources[known].packets.contains(packet) { sources[known].packets.append(packet) }
        } else {
          sources.append((key.source, [packet]))
        }
      }
      let words = Wording(
        ["\(first.kind.words)\(owned)"] + Self.distinct(same.flatMap(\.traits))
          + sources.map { $0.source.words(Wording(listing: $0.packets)) }, joinedBy: ", ")
      return Finding.Detail(
        first.kind.label, hidden: "<hidden>, \(words)", revealed: "\(key: first.bytes), \(words)")
    }
  }

  /// What identifies a key.
  private struct Value: Hashable {
    let kind: Kind
    let bytes: [UInt8]
  }

  private static func distinct(_ words: [Wording]) -> [Wording] {
    words.reduce(into: []) { if !$1.isEmpty, !$0.contains($1) { $0.append($1) } }
  }

  /// The keys that are not in the list, as sentences each followed by a space; empty if all are
  /// listed.
  var leftOut: Wording {
    var words: Wording = isFull ? "These are the first ones; there are more. " : ""
    if !zeros.isEmpty {
      let packets = Wording(listing: zeros.map { "\(packet: $0)" })
      words =
        zeros.count == 1
        ? "\(words)The key given in \(packets) is omitted: it is all zeros. "
        : "\(words)The keys given in \(packets) are omitted: they are all zeros. "
    }
    return words
  }
}

extension KnownKeys.Source {
  /// Returns where the key is from, given the packets in words.
  fileprivate func words(_ packets: Wording) -> Wording {
    switch self {
    case .pairing: "given in \(packets)"
    case .controller: "given to the controller in \(packets)"
    case .event: "reported by the controller in \(packets)"
    case .management: "from the kernel in \(packets)"
    case .file(let file), .capture(let file): "from \(quoted: Array(file.utf8))"
    }
  }
}

extension KnownKeys.Key {
  /// Returns the owner: `of F1:F1:F1:F1:F1:F1`; empty if unknown.
  fileprivate func owner(_ evidence: Evidence) -> Wording {
    let peer = connection.flatMap { id in
      evidence.connections.first { $0.id == id }.flatMap {
        $0.connection.identity?.address ?? $0.connection.peer
      }
    }
    return switch (side, address ?? peer) {
    case (.local, let peer?): "that this host gave \(peer)"
    case (.local, nil): "of this host"
    case (.peer, let peer?): "of \(peer)"
    case (.peer, nil): ""
    }
  }

  fileprivate var traits: [Wording] {
    var traits: [Wording] = []
    if ediv != 0 || rand != 0 { traits.append("EDIV \(code: ediv, digits: 4)") }
    if let isAuthenticated {
      traits.append("\(isAuthenticated ? "authenticated" : "unauthenticated" as StaticString)")
    }
    if let size, size < 16 {
      traits.append("\(count: Int(size), "byte", "bytes") of it significant")
    }
    return traits
  }
}
