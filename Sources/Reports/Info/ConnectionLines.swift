package import Bluetooth
import Bytes
import Captures
import Dissectors
import Meanings
package import Sessions

/// A line for each connection, or for several of one peer that follow each other: device, time,
/// link, rates, encryption and end, for `info` and the page of `report`.
package struct ConnectionLines: ~Copyable {
  /// The parts of a line, in order; `noun` is the word `peer`.
  package enum Part: Sendable { case numbers, noun, device, packets, link, traffic, security, end }

  private let connections: [Connection]
  private let latest: Timestamp?
  /// Whether the capture has no HCI events, so that the beginnings and ends of connections are
  /// unknown.
  private let lacksEvents: Bool
  /// Whether the beginning of the capture could not be read.
  private let lacksBeginning: Bool
  private var pairingFailures: [CaptureFacts.FailedPairing] = []
  private var encryptionFailures: [CaptureFacts.FailedEncryption] = []
  /// Whether a line has what would help to read encrypted packets.
  private(set) var showsRemedies = false
  /// The changes of connections on the air.
  private(set) var changes: [AirChange] = []
  /// The connections that are never in a line with others.
  private let alone: Set<Int>
  /// Whether the connections belong to more than one adapter.
  let hasSeveralAdapters: Bool
  let glyphs: Glyphs
  private var place = 0
  var out = Output()
  private var starts: [(part: Part, offset: Int)] = []

  /// The number of connections of one peer, one after the other, that have a line each.
  private static let mostAlike = 3

  /// - Parameters:
  ///   - latest: the time until which an open connection is open.
  ///   - alone: the connections that are never in a line with others.
  package init(
    _ connections: [Connection], until latest: Timestamp?, alone: Set<Int>, lacksEvents: Bool,
    lacksBeginning: Bool, _ glyphs: Glyphs
  ) {
    (self.connections, self.latest, self.alone) = (connections, latest, alone)
    (self.lacksEvents, self.lacksBeginning) = (lacksEvents, lacksBeginning)
    self.glyphs = glyphs
    hasSeveralAdapters = connections.contains { $0.adapter != connections[0].adapter }
  }

  /// Creates the lines of `info`, which have the reasons of failed pairings and encryptions, too.
  init(_ facts: CaptureFacts, _ source: CaptureSummary, _ glyphs: Glyphs) {
    self.init(
      facts.connections, until: facts.latest,
      alone: Set(
        facts.pairingFailures.map(\.connection) + facts.encryptionFailures.map(\.connection)),
      lacksEvents: facts.lacksEvents,
      lacksBeginning: source.holes.contains { $0.after == nil }, glyphs)
    (pairingFailures, encryptionFailures) = (facts.pairingFailures, facts.encryptionFailures)
    (showsRemedies, changes) = (true, facts.changes)
  }

  /// The current line.
  var text: RawSpan { out.bytes }

  /// The parts of the current line that are not empty, without what separates them.
  package func forEachPart(_ body: (Part, RawSpan) -> Void) {
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1].offset : out.count
      var first = start.offset
      while first < end, [0x20, 0x2c, 0x3b].contains(out.bytes.byte(at: first)) { first += 1 }
      var last = end
      while first < last, out.bytes.byte(at: last - 1) == 0x20 { last -= 1 }
      if first < last { body(start.part, out.bytes.part(Slice(start: first, count: last - first))) }
    }
  }

  /// The connections of the current line.
  package private(set) var current: ArraySlice<Connection> = []

  /// Returns the name of the peer of the current line, if known.
  func name(_ memory: borrowing Memory) -> [UInt8]? {
    current.last { $0.name != nil }?.name.flatMap { memory.names[$0] }.map { $0.bytes.array }
  }

  /// Writes the next line; returns false after the last one.
  package mutating func writeNext(_ memory: borrowing Memory) -> Bool {
    out.clear()
    starts.removeAll(keepingCapacity: true)
    guard place < connections.count else { return false }
    let run = reconnections(from: place)
    current = run.count > Self.mostAlike ? run : connections[place...place]
    if current.count > 1 {
      line(run, memory)
    } else if connections[place].isOnAir {
      airLine(connections[place], memory)
    } else {
      line(connections[place], memory)
    }
    place = current.endIndex
    return true
  }

  mutating func begin(_ part: Part) { starts.append((part, out.count)) }

  /// Returns the connections from a position on that are like the first one, and whose line would
  /// report nothing but their times and ends.
  private func reconnections(from start: Int) -> ArraySlice<Connection> {
    let first = connections[start]
    let key = Attributes.key(of: .peer, first)
    return connections[start...].prefix {
      $0.peer != nil && Attributes.key(of: .peer, $0) == key && $0.adapter == first.adapter
        && $0.transport == first.transport && $0.central == first.central
        && $0.isTransportInferred == first.isTransportInferred && $0.hasKnownEnd
        && ($0.ending != .reset || $0.disconnectPacket == nil) && !$0.endedUnheard
        && !$0.isOpeningMissing && !$0.isOnAir && !alone.contains($0.id)
    }
  }

  /// Appends connections of one peer, one after the other, as one line.
  private mutating func line(_ run: ArraySlice<Connection>, _ memory: borrowing Memory) {
    guard let first = run.first, var shown = run.last else { return }
    begin(.numbers)
    out.write("  \(first.id)\(glyphs.to)\(shown.id)  ")
    let lastPacket = shown.lastPacket ?? shown.firstPacket
    shown.name = run.last { $0.name != nil }?.name
    if !run.allSatisfy({ $0.peer == shown.peer && $0.peerResolvable == shown.peerResolvable }) {
      // It used several private addresses, which are omitted.
      if let identity = shown.identity { (shown.peer, shown.peerType) = identity }
      shown.peerResolvable = nil
    }
    subject(shown, memory)
    begin(.packets)
    out.write(", \(packet: first.firstPacket)\(glyphs.to)\(packet: lastPacket)")
    out.write(", \(run.count) connections")
    let durations = run.compactMap(\.duration)
    if let shortest = durations.min(), let longest = durations.max() {
      let (from, to): (Wording, Wording) = ("\(duration: shortest)", "\(duration: longest)")
      out.write(" of \(from == to ? from : "\(duration: shortest, to: longest)")")
    }
    begin(.link)
    if let mtu = first.shownMTU, run.allSatisfy({ $0.shownMTU == mtu }) { out.mtu(mtu) }
    let sent = run.reduce(0) { $0 &+ $1.figures.bytes.sent }
    let received = run.reduce(0) { $0 &+ $1.figures.bytes.received }
    let hasTraffic = sent &+ received > 0
    begin(.traffic)
    if hasTraffic { out.write("; \(bytes: sent) sent, \(bytes: received) received") }
    let encrypted = run.count { $0.isEncrypted == true }
    begin(.security)
    if encrypted > 0 || run.allSatisfy({ $0.isEncrypted == false }) {
      out.text(hasTraffic ? "; " : ", ")
      if encrypted > 0, encrypted < run.count { out.write("\(encrypted) ") }
      out.text(encrypted > 0 ? "encrypted" : "not encrypted")
    }
    var endings: [(words: [UInt8], count: Int)] = []
    for connection in run {
      let start = out.count
      ending(connection)
      let words = out.bytes.part(Slice(start: start, count: out.count - start)).array
      out.shorten(to: start)
      if let known = endings.firstIndex(where: { $0.words == words }) {
        endings[known].count += 1
      } else {
        endings.append((words, 1))
      }
    }
    begin(.end)
    out.text(endings.count == 1 ? "; all ended " : "; ended: ")
    out.listed(endings.sorted { $0.count > $1.count }) { out, ending in
      if endings.count > 1 { out.write("\(ending.count) ") }
      out.raw(ending.words.bytes)
    }
  }

  private mutating func line(_ connection: Connection, _ memory: borrowing Memory) {
    begin(.numbers)
    out.write("  \(connection.id)  ")
    subject(connection, memory)
    begin(.packets)
    if let last = connection.lastPacket {
      out.write(", \(packet: connection.firstPacket)\(glyphs.to)\(packet: last)")
    } else {
      out.write(", from \(packet: connection.firstPacket) on")
    }
    if let duration = connection.duration {
      out.text(connection.ending == .fileEnded ? ", at least " : ", ")
      out.duration(nanoseconds: duration)
    } else if connection.isOpen, !lacksEvents, let first = connection.firstTime,
      let latest, latest.nanoseconds(since: first) >= 0
    {
      out.write(", at least \(duration: latest.nanoseconds(since: first))")
    }
    begin(.link)
    let link = connection.linkWords
    if !link.isEmpty { out.write(", \(link)") }
    if let mtu = connection.shownMTU { out.mtu(mtu) }
    let hasTraffic = connection.sentPackets &+ connection.receivedPackets > 0
    begin(.traffic)
    if hasTraffic { out.write("; \(connection.trafficWords(until: latest))") }
    begin(.security)
    if let isEncrypted = connection.isEncrypted {
      out.text(hasTraffic ? "; " : ", ")
      out.text(isEncrypted ? "encrypted" : "not encrypted")
    }
    if connection.isEncrypted != true,
      let failure = encryptionFailures.last(where: { $0.connection == connection.id })
    {
      out.write(", encryption failed: \(failure.status), \(packet: failure.packet)")
    }
    pairingFailure(of: connection)
    begin(.end)
    if lacksEvents, connection.isOpeningMissing, connection.isOpen {
      out.text(", when it was opened and closed is not known: the capture has no HCI events")
      return
    }
    if connection.isOpeningMissing {
      let isLost = connection.isOpeningLost || lacksBeginning
      out.text(isLost ? ", its opening is missing" : ", already open when the capture begins")
    }
    if connection.isOpen {
      // If the opening of a link is missing, the peer may have been heard before.
      let wasHeard = connection.isEstablished || connection.isOpeningMissing
      if let asked = connection.disconnectPacket {
        out.write(
          ", this host asks to disconnect, \(packet: asked), and the end is not in the capture")
      } else {
        out.text(wasHeard ? ", still open at the end" : ", created, peer never heard")
      }
    } else {
      out.text(connection.hasKnownEnd ? "; ended " : "; ")
      ending(connection)
      if connection.ending == .reset, let asked = connection.disconnectPacket {
        out.write(", after this host asked to disconnect, \(packet: asked)")
      }
    }
  }

  /// Appends why pairing failed, if it did.
  mutating func pairingFailure(of connection: Connection) {
    guard let failure = pairingFailures.last(where: { $0.connection == connection.id }) else {
      return
    }
    out.write(", pairing failed: \(failure.reason)")
    if let direction = failure.direction {
      let side = Side(sent: direction)
      out.text(", by ")
      out.text(side.words(connection.vantage))
    }
    out.write(", \(packet: failure.packet)")
  }

  /// Appends the controller if there are several, the peer, the role and the transport.
  private mutating func subject(_ connection: Connection, _ memory: borrowing Memory) {
    begin(hasSeveralAdapters ? .device : .noun)
    if hasSeveralAdapters, let number = connection.adapter.number {
      out.write("hci\(number), ")
    }
    out.text("peer ")
    if !hasSeveralAdapters { begin(.device) }
    if !out.peer(connection) { out.write("unknown, handle \(handle: connection.handle)") }
    if let entry = connection.name, let name = memory.names[entry] {
      out.write(" \(quoted: name)")
    }
    if let role = connection.role(of: .local) { out.write(", this host is \(role.key)") }
    if connection.transport == .brEDR { out.text(", BR/EDR") }
    if connection.isTransportInferred {
      if connection.transport == .le { out.text(", LE") }
      out.text(" (inferred)")
    }
  }

  private mutating func ending(_ connection: Connection) {
    var sentence = Sentence(showsKeys: false, glyphs: glyphs)
    switch connection.ending {
    case .timeout, .neverEstablished, .micFailure, .controller: sentence.output.text("with ")
    case .localHost where connection.endedUnheard: sentence.output.text("with ")
    default: break
    }
    sentence.ending(connection)
    sentence.output.copy(into: &out)
  }
}

extension Connection {
  /// The ATT MTU, or what packets show of it; nil if they show nothing.
  var shownMTU: BearerMTU? {
    let mtu = attMTU
    if mtu.isExchanged { return mtu }
    return largestATT > (mtu.isLowerBound ? BearerMTU.byDefault : 0) ? mtu : nil
  }

  /// Whether it ended in the capture.
  fileprivate var hasKnownEnd: Bool {
    switch ending {
    case .replaced, .forgotten, .fileEnded, nil: false
    default: true
    }
  }

  /// How long it lasted, in nanoseconds; nil: unknown, since the clock may go back.
  fileprivate var duration: Int64? {
    guard let firstTime, let lastTime else { return nil }
    let duration = lastTime.nanoseconds(since: firstTime)
    return duration >= 0 ? duration : nil
  }
}
