import Bluetooth
import Captures
import Cryptography
import Sessions

// Which connections are the two ends of one link.

extension Evidence {
  /// Returns whether the capture may contain the other end of a link: a link of another controller
  /// at the same time and with the other role. If so, the actions of the other host are known and
  /// explain more than this end can.
  package func hasOtherEnd(of history: ConnectionHistory) -> Bool {
    mayHaveBothEnds && connections.contains { mayBeEnds(history.connection, $0.connection) }
  }

  /// Whether the capture covers several controllers, in one file or in a file for each host.
  private var mayHaveBothEnds: Bool { adapters.count > 1 || files.count > 1 }

  /// The files, if there are several.
  private var files: [CaptureSummary.File] { extent.summary?.files ?? [] }

  /// Returns the index of the file that a packet is from. Packets are numbered across all files.
  private func file(of packet: Int) -> Int {
    var last = 0
    for (index, file) in files.enumerated() {
      last += file.records
      if packet <= last { return index }
    }
    return files.count
  }

  /// Returns whether two connections may be the two ends of one link.
  private func mayBeEnds(_ one: Connection, _ other: Connection) -> Bool {
    guard let central = one.central, other.central == central.other else { return false }
    // Packet numbers in two files do not show that packets were sent at the same time, and each
    // file may have a controller 0.
    if files.count > 1, file(of: one.firstPacket) != file(of: other.firstPacket) {
      return one.began(beforeTheEndOf: other) && other.began(beforeTheEndOf: one)
    }
    return one.adapter != other.adapter && other.firstPacket <= one.lastPacket ?? .max
      && one.firstPacket <= other.lastPacket ?? .max
  }

  /// The connections that are the two ends of one link, each mapped to the other. Their addresses
  /// match, too.
  package var ends: [Int: Int] {
    guard mayHaveBothEnds else { return [:] }
    var peripherals: [UInt64: [ConnectionHistory]] = [:]
    for history in connections where history.connection.central == .peer {
      guard let own = history.pairing.ownAddress?.address else { continue }
      peripherals[own.value, default: []].append(history)
    }
    var ends: [Int: Int] = [:]
    for history in connections where history.connection.central == .local {
      guard let own = history.pairing.ownAddress?.address, let peer = history.connection.peer else {
        continue
      }
      for other in peripherals[peer.value] ?? []
      where ends[other.id] == nil && other.connection.peer == own
        && mayBeEnds(history.connection, other.connection)
      {
        (ends[history.id], ends[other.id]) = (other.id, history.id)
        break
      }
    }
    return ends
  }
}

extension Connection {
  /// Returns whether this connection began before another one ended, according to the clocks of
  /// their captures, or false if a time is unknown.
  fileprivate func began(beforeTheEndOf other: Connection) -> Bool {
    guard let began = firstTime else { return false }
    return other.lastTime.map { began.nanoseconds(since: $0) <= 0 } ?? (other.firstTime != nil)
  }
}
