import Bluetooth
package import Bytes
import Decoders
import Meanings
package import Sessions

/// The lines below the table.
extension ValuesTable {
  /// Appends the subscriptions, and whether their values arrived.
  package mutating func footer(_ memory: borrowing Memory, into output: inout Output) {
    for server in facts.servers where !server.isAdvertiser {
      let all = facts.subscriptions.filter { $0.server == server.key }
      guard !all.isEmpty else { continue }
      let silent = all.filter { $0.isOn && !facts.isHeard($0) }
      let several = facts.servers.count { !$0.isAdvertiser } > 1
      if several {
        if server.side == .local {
          out.localServer(server.vantage, connection: server.connections.first, memory)
          if server.address != nil { out.text(", ") }
        }
        if let address = server.address {
          out.address(address)
        } else if server.side == .peer {
          out.text(server.unknown)
          if let connection = server.connections.first {
            out.text(", connection ")
            out.decimal(connection)
          }
        }
        out.text(": ")
      }
      let on = all.filter(\.isOn)
      if !on.isEmpty {
        out.text("subscribed to ")
        list(on, memory)
        if silent.isEmpty {
          out.text(on.count == 1 ? "; values arrived from it" : "; values arrived from each")
        } else if options.showsEverything {
          out.text("; nothing was received for ")
          list(silent, memory)
        }
      }
      let off = all.filter { !$0.isOn }
      if !off.isEmpty {
        out.text(on.isEmpty ? "not subscribed at the end to " : "; not subscribed at the end to ")
        list(off, memory)
      }
      finishLine(into: &output)
    }
    if facts.omitted > 0 {
      out.count(facts.omitted, "value", "values")
      out.text(" of more attributes than are counted")
      finishLine(into: &output)
    }
    if facts.omittedResults > 0 {
      out.count(facts.omittedResults, "value", "values")
      out.text(" with results of more kinds than are counted")
      finishLine(into: &output)
    }
  }

  private mutating func list(_ subscriptions: [ValueFacts.Subscription], _ memory: borrowing Memory)
  {
    for (index, subscription) in subscriptions.enumerated() {
      if index > 0 { out.text(", ") }
      let side = facts.servers.first { $0.key == subscription.server }?.side ?? .peer
      let identity = memory.identity(
        of: subscription.handle, subscription.server, side, connection: 0)
      if let uuid = identity.uuid {
        out.uuid(uuid, identity.part, ellipsis: glyphs.ellipsis)
      } else {
        out.handle(subscription.handle)
      }
      out.text(" (")
      if subscription.on > 0 { out.packet(subscription.on) }
      if !subscription.isOn {
        out.text(subscription.on > 0 ? ", off " : "off ")
        out.packet(subscription.off)
      }
      out.byte(0x29)
    }
  }

  /// Appends the results of the requests of vendor protocols.
  mutating func write(_ tallies: [VendorTally], into output: inout Output) {
    for tally in tallies where !tally.isEmpty {
      out.string(tally.title)
      if tallies.count > 1 {
        out.text(", connection ")
        out.decimal(Int(tally.conversation >> 1))
      }
      out.text(": ")
      out.requests(of: tally, glyphs)
      finishLine(into: &output)
      for one in tally.unfinished {
        out.text("  ")
        out.unfinished(one)
        finishLine(into: &output)
      }
      if tally.unfinishedCount > tally.unfinished.count {
        out.text("  and ")
        out.decimal(tally.unfinishedCount - tally.unfinished.count)
        out.text(" more that are not complete")
        finishLine(into: &output)
      }
    }
  }

  /// Appends which limits were reached.
  mutating func write(
    _ notes: [(what: Conversations.Limited, limit: Int)], into output: inout Output
  ) {
    for note in notes {
      switch note.what {
      case .bearers:
        out.text("more than ")
        out.decimal(note.limit)
        out.text(" ATT bearers at the same time: the ones that were silent longest were given up")
      case .preparedParts:
        out.text("a queue of prepared writes held more than ")
        out.decimal(note.limit)
        out.text(" parts, or more bytes than are kept: the rest was left out")
      }
      finishLine(into: &output)
    }
  }
}
