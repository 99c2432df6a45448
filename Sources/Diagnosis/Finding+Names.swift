package import Bluetooth
package import Histories
package import Meanings
import Sessions

// Rules know the ends of a link only as this host and the peer; reports call them by their names.

extension Evidence {
  /// The captured host in a few words, if the capture shows that it is a phone.
  private var phone: Wording? {
    EndNames.phone(
      isBtsnooz: extent.isOfBtsnooz, isAndroid: host.isAndroid, adapters: adapters.count)
  }

  /// The name of the captured host in texts that are not about a connection; on the air, those of
  /// both ends.
  package var hostName: EndNames {
    vantage == .air ? .onAir : EndNames(local: phone, peer: nil)
  }

  /// Returns the names of the two ends of connections: what the capture shows of them, else their
  /// roles, if all connections have these in common.
  ///
  /// - Parameter isNamed: false to use names only where there is no host.
  package func names(of histories: [ConnectionHistory], isNamed: Bool = true) -> EndNames {
    guard let first = histories.first else {
      return isNamed || vantage == .air ? hostName : EndNames(local: nil, peer: nil)
    }
    let vantage = first.connection.vantage
    // The ends of connections from both vantages have no name in common.
    guard histories.allSatisfy({ $0.connection.vantage == vantage }) else {
      return EndNames(local: "one side", peer: "the other side")
    }
    let isOneDevice = isNamed && histories.allSatisfy { $0.device == first.device }
    let name = isOneDevice ? histories.lazy.compactMap(\.name).first : nil
    let peer = name.flatMap { EndNames.phrase($0) }
    if vantage == .air { return EndNames(onAir: peer) }
    guard isNamed else { return EndNames(local: nil, peer: nil) }
    let role = first.connection.role(of: .local)
    let roles = histories.allSatisfy { $0.connection.role(of: .local) == role } ? role : nil
    return EndNames(
      local: phone ?? roles.map { "the \($0.key)" },
      peer: peer ?? roles.map { "the \($0.other.key)" })
  }
}

extension Evidence {
  /// Returns where what a finding is about was recorded.
  package func vantage(of finding: Finding) -> Vantage {
    guard let id = finding.connections.first else { return vantage }
    return connections.first { $0.id == id }?.connection.vantage ?? vantage
  }
}

extension Finding {
  /// Returns the same finding with the names of the two ends in all its texts.
  package func naming(_ ends: EndNames) -> Finding {
    var finding = self
    finding.what = what.naming(ends)
    finding.headline = headline.naming(ends)
    finding.why = why.naming(ends)
    finding.remedy = remedy?.naming(ends)
    finding.note = note?.naming(ends)
    finding.alternatives = alternatives.map { $0.naming(ends) }
    for index in details.indices {
      finding.details[index].text = details[index].text.naming(ends)
      finding.details[index].revealed = details[index].revealed?.naming(ends)
    }
    return finding
  }
}
