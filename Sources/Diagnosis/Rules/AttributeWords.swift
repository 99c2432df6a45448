import Bluetooth
import Sessions
import Words

// What rules about attributes share.

extension Finding {
  /// Creates a finding with a verdict in the same words: with a packet, in lower case.
  init(
    _ what: Wording, at packet: Int, why: Wording, evidence: PacketSet,
    of attribute: NamedAttribute? = nil, restsOnAbsence: Bool = false
  ) {
    self.init(
      what.capitalized, headline: "\(what.asClause) (\(packet: packet))", why: why,
      evidence: evidence)
    self.attribute = attribute
    self.restsOnAbsence = restsOnAbsence
  }
}

extension PacketSet {
  /// Creates a set of the moments that exist.
  init(of moments: Moment?...) { self.init(moments.compactMap { $0?.packet }) }
}

extension AttributeHistory {
  /// Returns the words for an attribute.
  func name(_ handle: UInt16, of server: Side) -> Wording {
    identity(handle, of: server).map { "\($0)" } ?? "\(handle: handle)"
  }
}

extension ATTOpcode {
  /// The name of the PDU, or its code if it has none.
  var words: Wording { name.map { "\($0)" } ?? "PDU \(code: rawValue, digits: 2)" }
}
