import Bluetooth
import Bytes
import Meanings
import Sessions

/// The line of a connection that a sniffer recorded.
extension ConnectionLines {
  mutating func airLine(_ connection: Connection, _ memory: borrowing Memory) {
    let link = memory.air.link(connection: connection.id)
    begin(.numbers)
    out.write("  \(connection.id)  ")
    subject(connection, link, memory)
    begin(.packets)
    stretch(connection, link)
    begin(.link)
    if let link, connection.peer != nil {
      out.write(", access address \(link.accessAddressWords)")
    }
    let words = connection.linkWords
    if !words.isEmpty { out.write(", \(words)") }
    write(changes.filter { $0.connection == connection.id })
    if let mtu = connection.shownMTU { out.mtu(mtu) }
    begin(.traffic)
    let traffic = connection.trafficWords(until: link?.lastTime)
    if !traffic.isEmpty { out.write("; \(traffic)") }
    if let link { out.write("; \(link.radioWords)") }
    begin(.security)
    security(connection, link)
    pairingFailure(of: connection)
    begin(.end)
    end(connection)
  }

  /// Appends the interface if there are several, the peripheral, and the central.
  private mutating func subject(
    _ connection: Connection, _ link: AirLink?, _ memory: borrowing Memory
  ) {
    begin(.device)
    if hasSeveralAdapters, let number = connection.adapter.number {
      out.write("interface \(number), ")
    }
    if !out.peer(connection) {
      out.write(link.map { "access address \($0.accessAddressWords)" } ?? "unknown devices")
    }
    if let entry = connection.name, let name = memory.names[entry] {
      out.write(" \(quoted: name)")
    }
    if let central = link?.central {
      let opened: StaticString = connection.isOpeningMissing ? ", central " : ", opened by "
      out.write("\(opened)\(central.address) \(central.kind)")
      if let identity = connection.localIdentity { out.write(" (\(identity))") }
    }
  }

  /// Appends the first and the last packet, and the time between them.
  private mutating func stretch(_ connection: Connection, _ link: AirLink?) {
    out.write(", \(packet: connection.firstPacket)")
    let last = connection.lastPacket ?? link?.lastPacket ?? 0
    if last > connection.firstPacket { out.write("\(glyphs.to)\(packet: last)") }
    guard let first = connection.firstTime, let end = connection.lastTime ?? link?.lastTime else {
      return
    }
    let duration = end.nanoseconds(since: first)
    guard duration > 0 else { return }
    out.text(connection.isOpen || connection.ending == .fileEnded ? ", at least " : ", ")
    out.duration(nanoseconds: duration)
  }

  /// Appends when the interval and the PHYs changed: ` (45 ms from event 175, #1142)`.
  private mutating func write(_ changes: [AirChange]) {
    guard !changes.isEmpty else { return }
    out.text(" (")
    out.listed(changes.prefix(Self.mostChanges)) { out, change in
      out.write("\(change.words) from event \(change.event), \(packet: change.packet)")
    }
    out.andMore(changes.count - Self.mostChanges)
    out.byte(0x29)
  }

  /// The number of changes that are listed for a connection.
  private static let mostChanges = 4

  private mutating func security(_ connection: Connection, _ link: AirLink?) {
    let words = link?.encryptionWords(showsRemedies: showsRemedies) ?? []
    if !words.isEmpty {
      out.write("; \(Wording(words, joinedBy: "; "))")
    } else if let isEncrypted = connection.isEncrypted {
      out.text(isEncrypted ? "; encrypted" : "; not encrypted")
    }
  }

  private mutating func end(_ connection: Connection) {
    switch connection.ending {
    case .localHost, .peer:
      out.text("; ended by ")
      out.text((connection.ending == .peer ? Side.peer : .local).words(.air))
      // The usual reason says nothing.
      if let reason = connection.reason, reason != .remoteUserTerminated {
        out.write(", \(reason)")
      }
    case .timeout, .micFailure, .controller:
      out.write("; ended\(connection.reason.map { " with \($0)" } ?? "")")
    case .neverEstablished: out.text("; never established")
    case .forgotten: out.text("; not followed to its end")
    case .fileEnded: out.text("; still open where its file ends")
    case .reset, .replaced, .unknown, nil:
      return out.text(
        connection.isOpeningMissing
          ? "; neither its opening nor its end is in the capture"
          : "; its end is not in the capture"
      )
    }
    if connection.isOpeningMissing { out.text("; its opening is not in the capture") }
  }
}
