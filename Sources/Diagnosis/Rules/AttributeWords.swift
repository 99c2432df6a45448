import Histories
import Bluetooth
import Meanings
import Sessions

// What rules about attributes share.

extension Finding {
  /// Creates a finding with a verdict in the same words: with a packet, in lower case.
  init(
    _ what: Wording, at packet: Int, why: Wording, evidence: PacketSet,
    of attribute: NamedAttribute? = nil, _ severity: Severity? = nil, restsOnAbsence: Bool = false,
    do remedy: Wording? = nil, group: Wording? = nil, fault: Side? = nil
  ) {
    self.init(
      what.capitalized, headline: "\(what.asClause) (\(packet: packet))", why: why,
      evidence: evidence, severity, restsOnAbsence: restsOnAbsence, do: remedy, group: group,
      fault: fault)
    self.attribute = attribute
  }

  /// Adds a sentence to the explanation, and the packets that show it.
  mutating func add(_ sentence: Wording, _ packets: Int?...) {
    why = "\(why) \(sentence)"
    for packet in packets { evidence.insert(packet) }
  }

  /// Adds a packet before the others that show it.
  mutating func lead(with packet: Int) { evidence = PacketSet([packet]).union(evidence) }

  /// Marks it as put right later, which lowers its severity.
  mutating func resolve(_ severity: Severity = .note) {
    (self.severity, isResolved) = (severity, true)
  }
}

extension ConnectionHistory {
  /// Returns the end of the connection, or of the capture.
  func end(_ evidence: Evidence) -> Moment {
    Moment(
      packet: connection.lastPacket ?? .max, time: connection.lastTime ?? evidence.extent.latest)
  }
}

extension Configuration {
  /// Whether it subscribes, and the server accepted it.
  var isInForce: Bool { accepted != nil && value & 3 != 0 }

  /// Returns whether both are values of one CCCD.
  func isSame(as other: Self) -> Bool {
    descriptor.handle == other.descriptor.handle && server == other.server
  }
}

extension AttributeHistory {
  /// Returns how the characteristic was used whose CCCD was written.
  func usage(of configuration: Configuration) -> AttributeUsage? {
    configuration.owner?.handle.flatMap { usage($0, of: configuration.server) }
  }

  /// Returns whether a server sent a value of a service after a packet, or one was read.
  func hasValues(of service: BluetoothUUID?, _ server: Side, after packet: Int) -> Bool {
    usages.contains { usage in
      usage.server == server && usage.identity.service == service
        && [usage.notifications.last, usage.indications.last, usage.reads.last].contains {
          $0?.packet ?? 0 > packet
        }
    }
  }

  func name(_ handle: UInt16, of server: Side) -> Wording {
    identity(handle, of: server).map { "\($0)" } ?? "\(handle: handle)"
  }
}

extension ATTOpcode {
  /// The name of the PDU, or its code if it has none.
  var words: Wording { name.map { "\($0)" } ?? "PDU \(code: rawValue, digits: 2)" }
}
