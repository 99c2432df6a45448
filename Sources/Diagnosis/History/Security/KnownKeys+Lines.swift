// The list of the known keys.

import Bluetooth
package import Sessions
import Words

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
  /// Returns a line for each distinct key: its kind, its owner and its source. The key itself is
  /// included only if keys are requested.
  package func lines(_ evidence: Evidence) -> [Finding.Detail] {
    var lines: [KeyLine] = []
    var positions: [KeyLine.Value: Int] = [:]
    for key in keys {
      let value = KeyLine.Value(kind: key.kind, bytes: key.bytes)
      if let position = positions[value] {
        lines[position].add(key, evidence)
      } else {
        positions[value] = lines.count
        lines.append(KeyLine(key, evidence))
      }
    }
    return lines.map { line in
      Finding.Detail(
        line.value.kind.label, hidden: "<hidden>, \(line.description)",
        revealed: "\(key: line.value.bytes), \(line.description)")
    }
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

/// A key with all its owners and all the packets that contain it.
private struct KeyLine {
  /// What identifies a key.
  struct Value: Hashable {
    let kind: KnownKeys.Kind
    let bytes: [UInt8]
  }

  let value: Value
  private var owners: [Wording] = []
  private var traits: [Wording] = []
  private var places: [Place] = []

  /// Packets that contained a key in the same way.
  private struct Place {
    let source: KnownKeys.Source
    var packets: [Int]
  }

  init(_ key: KnownKeys.Key, _ evidence: Evidence) {
    value = Value(kind: key.kind, bytes: key.bytes)
    add(key, evidence)
  }

  mutating func add(_ key: KnownKeys.Key, _ evidence: Evidence) {
    Self.add(key.owner(evidence), to: &owners)
    for trait in key.traits { Self.add(trait, to: &traits) }
    if let position = places.firstIndex(where: { $0.source == key.source }) {
      if !places[position].packets.contains(key.packet) {
        places[position].packets.append(key.packet)
      }
    } else {
      places.append(Place(source: key.source, packets: [key.packet]))
    }
  }

  private static func add(_ words: Wording, to all: inout [Wording]) {
    if !words.isEmpty, !all.contains(where: { $0.text == words.text }) { all.append(words) }
  }

  /// Such as `long term key of F1:F1:F1:F1:F1:F1, authenticated, given in #57`.
  var description: Wording {
    var words: Wording = "\(value.kind.words)"
    if !owners.isEmpty { words = "\(words) \(Wording(listing: owners))" }
    for trait in traits { words = "\(words), \(trait)" }
    for place in places { words = "\(words), \(Self.words(place))" }
    return words
  }

  private static func words(_ place: Place) -> Wording {
    let packets = Wording(listing: place.packets.map { "\(packet: $0)" })
    return switch place.source {
    case .pairing: "given in \(packets)"
    case .controller: "given to the controller in \(packets)"
    case .event: "reported by the controller in \(packets)"
    case .management: "from the kernel in \(packets)"
    case .file(let file): "from \(quoted: Array(file.utf8))"
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

  /// Its other properties.
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
