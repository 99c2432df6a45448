import Bluetooth
import Dissectors
import Sessions

/// What was done with packets from the air, for messages.
package struct AirReport: Sendable {
  private let form: AirSource.Form
  /// Packets from the air, and of these the damaged ones, those of advertising, and those of
  /// streams or of an unknown kind.
  private var packets = 0
  private var damaged = 0
  private var advertising = 0
  private var streams = 0
  /// PDUs that were decrypted here, and those that stay encrypted.
  private var decrypted = 0
  private var unread = 0
  /// Packets whose event counters or clocks have no room.
  private var clocks = 0
  /// The sniffers' reports about themselves, which are left out.
  var messages = 0
  /// Commands and events that the capture does not have.
  var made = 0

  init(_ form: AirSource.Form) { self.form = form }

  /// Whether any packet came from the air.
  package var hasPackets: Bool { packets > 0 }

  /// Counts a packet.
  ///
  /// - Parameter opens: whether it opened a connection.
  mutating func count(_ seen: AirObservation, opens: Bool) {
    packets += 1
    switch seen.payload {
    case .plain: break
    case .decrypted: decrypted += 1
    case .unread: unread += 1
    }
    if seen.packet.header.eventCounter != nil || seen.packet.header.clock != nil { clocks += 1 }
    if seen.fact.crc == .wrong {
      damaged += 1
    } else if opens {
      return
    } else if seen.packet.isAdvertising || seen.fact.stream == .periodicAdvertising {
      advertising += 1
    } else if seen.fact.stream != .connection {
      streams += 1
    }
  }

  /// The number of records of which nothing is written.
  package var leftOut: Int {
    switch form {
    case .pseudoHeader: messages
    case .host: messages + advertising + damaged + streams + unread
    }
  }

  /// What there is no room for, one sentence each.
  package var losses: [String] {
    var losses: [String] = []
    if messages > 0 {
      losses.append(
        messages == 1
          ? "1 record of a sniffer that is not a packet was left out"
          : "\(messages) records of sniffers that are not packets were left out")
    }
    switch form {
    case .pseudoHeader:
      if clocks > 0 {
        losses.append(
          "\(clocks) \(clocks == 1 ? "packet" : "packets") lost the sniffer's event counter and clock: the link type has no room for them"
        )
      }
    case .host:
      let left = [
        (advertising, "of advertising"), (damaged, "damaged"), (streams, "of other streams"),
        (unread, "encrypted"),
      ].filter { $0.0 > 0 }
      guard !left.isEmpty else { break }
      let count = left.reduce(0) { $0 + $1.0 }
      let words = left.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
      losses.append(
        "\(count) \(count == 1 ? "packet was" : "packets were") left out: \(words)"
      )
    }
    return losses
  }

  /// Returns what was done, as sentences.
  ///
  /// - Parameter isRedacted: whether what stays encrypted is removed, which its own report counts.
  package func remarks(isRedacted: Bool = false) -> [String] {
    switch form {
    case .pseudoHeader(decrypts: false): return []
    case .pseudoHeader(decrypts: true) where isRedacted && decrypted == 0: return []
    case .pseudoHeader(decrypts: true):
      if packets == 0 { return ["the capture has no packets from a sniffer to decrypt"] }
      var words =
        "\(decrypted) encrypted \(decrypted == 1 ? "packet was" : "packets were") decrypted"
      if unread > 0, !isRedacted {
        words +=
          "; \(unread) \(unread == 1 ? "stays" : "stay") encrypted (gattscope info shows why)"
      }
      return [words]
    case .host:
      if packets == 0 { return ["the capture has no packets from a sniffer to write as HCI"] }
      if made == 0 { return [] }
      return [
        "\(made) \(made == 1 ? "command or event is" : "commands and events are") not in the capture: made from what the Link Layer shows"
      ]
    }
  }
}
