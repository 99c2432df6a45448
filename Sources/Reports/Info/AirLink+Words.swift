package import Bluetooth
import Bytes
package import Meanings
package import Sessions

// What a sniffer recorded of a connection, in words.

extension AirLink {
  /// The packets of both sides, with a right CRC or one that cannot be checked.
  package var packets: Int { sides.reduce(0) { $0.adding(clamped: $1.packets) } }
  package var crcErrors: Int { sides.reduce(0) { $0.adding(clamped: $1.crcErrors) } }
  package var resent: Int { sides.reduce(0) { $0.adding(clamped: $1.resent) } }
  package var undecrypted: Int { sides.reduce(0) { $0.adding(clamped: $1.undecrypted) } }
  /// The last packet of either side.
  var lastPacket: Int { max(opening, sides.map(\.lastPacket).max() ?? 0) }
  var lastTime: Timestamp? {
    sides.filter { $0.lastPacket > 0 }.max { $0.lastPacket < $1.lastPacket }?.lastTime
  }

  /// The access address as an identifier: `0x5065656f`.
  package var accessAddressWords: Wording { "\(code: accessAddress, digits: 8)" }

  /// The packets, the connection events, the errors and the gaps: `1233 packets; events 0–666, 52
  /// missed (7.8 %), up to 9 in a row (#1400); 7 CRC errors: 1 central, 6 peripheral; 12 resent`.
  package var radioWords: Wording {
    var pieces: [Wording] = ["\(count: packets, "packet", "packets")"]
    if let events = eventWords { pieces.append(events) }
    let errors = crcErrors
    if errors > 0 {
      pieces.append("\(count: errors, "CRC error", "CRC errors")\(bySide(errors, \.crcErrors))")
    }
    if resent > 0 { pieces.append("\(resent) resent") }
    let missed = sides.reduce(0) { $0.adding(clamped: $1.missed) }
    if missed > 0, !isFiltered {
      pieces.append("at least \(count: missed, "PDU", "PDUs") missed")
    }
    if let lost = lostTrack {
      let cause: Wording =
        lost.cause > 0 ? ", since the sniffer could not read \(packet: lost.cause)" : ""
      pieces.append("on a wrong track from \(packet: lost.packet)\(cause)")
    }
    return Wording(pieces, joinedBy: "; ")
  }

  /// The connection events: `events 0–666, 52 missed (7.8 %), up to 9 in a row (#1400)`; nil if
  /// they are unknown.
  private var eventWords: Wording? {
    if isFiltered { return "empty packets were filtered out" }
    guard let first = firstEvent, let last = lastEvent, last >= first else { return nil }
    let events: Wording = first == last ? "event \(first)" : "events \(first)–\(last)"
    guard eventsMissed > 0 else { return events }
    let all = eventsSeen.adding(clamped: eventsMissed)
    let tenths = eventsMissed.multiplied(clamped: 1000).adding(clamped: all / 2) / max(1, all)
    let hole: Wording =
      longestHole > 1 && longestHole < eventsMissed
      ? ", up to \(longestHole) in a row (\(packet: longestHolePacket))" : ""
    return "\(events), \(eventsMissed) missed (\(decimal: tenths.multiplied(clamped: 10)) %)\(hole)"
  }

  /// Returns how a number is divided among the sides: `: 1 central, 6 peripheral`.
  private func bySide(_ sum: Int, _ count: KeyPath<AirSide, Int>) -> Wording {
    let known = zip(sides, ["central", "peripheral"] as [StaticString]).compactMap { side, name in
      side[keyPath: count] > 0 ? "\(side[keyPath: count]) \(name)" as Wording : nil
    }
    return known.isEmpty ? "" : ": \(Wording(known, joinedBy: ", "))"
  }

  /// How the packets were encrypted, and why some stay so: `encrypted, decrypted with a supplied
  /// key`, `18 packets (#1376–#1999) are encrypted: …`.
  ///
  /// - Parameter showsRemedies: whether what would help is added.
  package func encryptionWords(showsRemedies: Bool) -> [Wording] {
    var words: [Wording] = []
    for period in periods {
      if let source = period.keySource, period.decrypted > 0 {
        let decrypted: Wording = "encrypted, \(source.words)"
        if words.last != decrypted { words.append(decrypted) }
      }
      guard period.undecrypted > 0 else { continue }
      let count: Wording = "\(count: period.undecrypted, "packet", "packets")"
      let remedy: Wording = showsRemedies ? period.remedy : ""
      let verb: StaticString = period.undecrypted == 1 ? "is" : "are"
      words.append("\(count) (\(period.undecryptedRange)) \(verb) encrypted\(period.why)\(remedy)")
    }
    return words
  }
}

extension AirParty {
  package var kind: AddressKind { AddressKind(address, type) }
}
