import Histories
import Bluetooth
import Dissectors
package import Meanings
import Sessions

// Words that several rules about links share.

extension Wording {
  /// Joins sentences with spaces; empty ones are omitted.
  init(sentences: Wording...) { self.init(sentences.filter { !$0.isEmpty }, joinedBy: " ") }

  /// The number of times after other words: `, 3 times`; empty for one.
  package static func times(_ count: Int, isLeast: Bool = false) -> Wording {
    count > 1 ? ", \(count, isLeast: isLeast) times" : ""
  }

  /// The same in parentheses: ` (3 times)`.
  package static func timesAside(_ count: Int) -> Wording { count > 1 ? " (\(count) times)" : "" }

  /// Creates a list of the first elements and the number of the others: `a, b and c and 2 more`.
  init<Element>(first most: Int, of all: [Element], _ words: (Element) -> Wording) {
    let shown = Wording(listing: all.prefix(most).map(words))
    self = all.count > most ? "\(shown) and \(all.count - most) more" : shown
  }
}

extension Sequence {
  /// Returns the packets of all, in the order of the elements.
  func packets(_ packets: (Element) -> PacketSet) -> PacketSet {
    reduce(PacketSet()) { $0.union(packets($1)) }
  }

  /// Returns the elements in groups that share a key, in the order of each group's first element.
  func grouped(by key: (Element) -> some Hashable) -> [[Element]] {
    var places: [AnyHashable: Int] = [:]
    return reduce(into: []) { groups, element in
      let place = places[key(element), default: groups.count]
      if place == groups.count {
        places[key(element)] = place
        groups.append([])
      }
      groups[place].append(element)
    }
  }
}

extension StatusCode {
  /// The part of the name that applies to LE, and the code.
  package var linkWords: Wording {
    let words: Wording =
      switch rawValue {
      case 0x22: "LL Response Timeout (0x22)"
      case 0x23: "LL Procedure Collision (0x23)"
      case 0x1e: "Invalid LL Parameters (0x1e)"
      case 0x20: "Unsupported LL Parameter Value (0x20)"
      case 0x3e: "Connection Failed to be Established (0x3e)"
      default: "\(self)"
      }
    return words.naming(NamedCode(UInt64(rawValue), name))
  }

  /// Whether a Link Layer procedure was not answered, or collided with another.
  var isProcedureTrouble: Bool {
    switch rawValue {
    case 0x22, 0x23, 0x28, 0x2a: true
    default: false
    }
  }

  /// Whether the reason concerns keys and encryption.
  var isOfSecurity: Bool {
    switch rawValue {
    case 0x05, 0x06, 0x18, 0x25, 0x2f, 0x37, 0x3d: true
    default: false
    }
  }
}

extension Connection {
  var lastMoment: Moment? { lastPacket.map { Moment(packet: $0, time: lastTime) } }
}

extension ConnectionHistory {
  typealias FailedProcedure = (
    name: StaticString, status: StatusCode, packets: PacketSet, isUpdate: Bool
  )

  var length: Int64? {
    guard let opened = link.opened else { return nil }
    return link.ended?.nanoseconds(since: opened)
  }

  /// The end of a wait, as a clause: `until this host ended the link`.
  var untilItsEnd: Wording {
    switch connection.ending {
    case .localHost: "until this host ended the link"
    case .peer: "until the peer ended the link"
    default: "until the link ended"
    }
  }

  /// Returns whether a moment is when a lost link fell silent, one supervision timeout before its
  /// end, or up to `before` nanoseconds earlier or `after` later.
  private func isSilence(_ moment: Moment, before: Int64 = 0, after: Int64 = 0) -> Bool {
    guard let timeout = link.supervisionTimeout, let passed = link.ended?.nanoseconds(since: moment)
    else { return false }
    return (timeout - after...timeout + before).contains(passed)
  }

  /// Whether the last sign of the peer is the last packet that was heard, so that the link was not
  /// idle when it was lost. An idle link is kept open by empty packets, which HCI does not show.
  private var endsWithSign: Bool {
    link.lastSign.map { isSilence($0, before: Self.aftermath, after: .max / 2) } ?? false
  }

  /// What is known of a link that was lost, as a clause: `nothing came from the peer after #50`.
  var silenceWords: Wording {
    guard let sign = link.lastSign else {
      return isWhole ? "nothing came from the peer" : "this host no longer heard the peer"
    }
    guard endsWithSign else { return "this host no longer heard the peer" }
    let words: Wording = "nothing came from the peer after \(packet: sign.packet)"
    guard let since = link.unacknowledgedSince, link.unacknowledged ?? 0 > 0 else { return words }
    return "\(words), which did not acknowledge what was sent (\(packet: since.packet))"
  }

  /// Sentences about the supervision timeout, and who requested it if it is short.
  var timeoutWords: Wording {
    let timeout: Wording = link.supervisionTimeout.map { " of \($0 / 1_000_000) ms" } ?? ""
    if let length, length < link.supervisionTimeout ?? 0 {
      return
        "The link ended \(duration: length) after it was opened (\(packet: connection.firstPacket)), with a supervision timeout\(timeout)\(link.lastSign == nil ? ": nothing was heard from the peer since" : "" as Wording)."
    }
    let heard: Wording = "Nothing was heard from the peer for the supervision timeout\(timeout)."
    guard hasShortTimeout, let current = link.current else { return heard }
    let origin: Wording =
      timeoutRequest.map { "; \($0.side.words) requested it (\(packet: $0.packet))" }
      ?? (current.timeout == link.parameters?.timeout ? "; the link was opened with it" : "")
    return
      "\(heard) That is short, since the peripheral may be silent for \(duration: current.longestPause) anyway\(origin)."
  }

  /// Whether few lost packets end the link.
  var hasShortTimeout: Bool {
    link.current.map { Int64($0.timeout) * 10_000_000 < $0.longestPause * 6 } ?? false
  }

  /// The change from which the supervision timeout in force comes; nil: the link opened with it.
  private var timeoutChange: ParameterUpdate? {
    link.updates.last {
      $0.result.map { $0.timeout == link.current?.timeout } ?? false
        && $0.before?.timeout != $0.result?.timeout
    }
  }

  /// Who requested it, and where. A central that grants a request may choose another timeout.
  /// If no command or request is in the capture, the central changed it, unless that is this host,
  /// which may have granted a request. The requests of a peripheral are data, unlike the commands
  /// that grant them.
  var timeoutRequest: (side: Side, packet: Int)? {
    timeoutChange.flatMap { change in
      if change.procedure == .unasked, connection.central != .peer { return nil }
      if change.procedure == .command, lacksData { return nil }
      return
        change.wanted.map { $0.timeout == change.result?.timeout } ?? true
        ? (change.side, change.asked.packet)
        : (connection.central ?? change.side.other, change.command?.packet ?? change.lastPacket)
    }
  }

  /// A sentence that the link ended as long after its opening as the supervision timeout that it
  /// had then, although a shorter one was in force; empty if it did not.
  private var firstTimeout: Wording {
    guard let first = openingTimeout, let timeout = link.supervisionTimeout, timeout < first,
      let length, abs(length - first) <= Self.aftermath / 20
    else { return "" }
    return
      "The link ended \(duration: length) after it was opened (\(packet: connection.firstPacket)): this host's controller may have waited for the supervision timeout of then, \(first / 1_000_000) ms, although \(timeout / 1_000_000) ms were in force\((timeoutChange?.completed).map { " since \(packet: $0.packet)" } ?? "")."
  }

  /// Sentences about the last sign of the peer, and whether the link was idle after it.
  var lastSignWords: Wording {
    guard let sign = link.lastSign, let ended = link.ended else {
      return isWhole ? "The capture has no sign of it on this connection." : ""
    }
    let kind: StaticString =
      switch sign.packet {
      case link.heardLast?.packet: "data"
      case link.acknowledgedLast?.packet: "an acknowledgement"
      default: "an event"
      }
    let ago = ended.nanoseconds(since: sign)
    var words: Wording =
      "The last sign of it is \(kind) (\(packet: sign.packet))\(ago.map { ", \(duration: $0) before the end" } ?? "")."
    // Just before the end a controller completes what it discards.
    if let late = link.acknowledgedLate, let left = ended.nanoseconds(since: late),
      left > Self.aftermath / 2
    {
      words =
        "\(words) The controller reported an acknowledgement later (\(packet: late.packet)), \(duration: left) before the end."
    }
    guard let ago, let timeout = link.supervisionTimeout, ago - Self.aftermath > timeout,
      connection.reason == .connectionTimeout
    else { return words }
    // It had left, or the controller waited for another timeout.
    if departure?.left ?? 0 > timeout || !firstTimeout.isEmpty {
      return Wording(sentences: words, firstTimeout)
    }
    return
      "\(words) The link was idle then: empty packets, which HCI does not show, kept it open until about \(duration: timeout) before the end."
  }

  /// Sentences about the signal on the link, or that it was weak when the peer advertised.
  var signalWords: Wording {
    Wording(
      sentences: link.nearTimeout.map {
        "The controller reported that half of the supervision timeout had passed without a packet (\(packet: $0.packet))."
      } ?? "",
      link.quality.map { quality in
        let again: Wording =
          quality.retransmissions.map { $0 > 0 ? ", and \($0) packets sent again" : "" } ?? ""
        return
          "This host's controller reported a signal of \(Int(quality.rssi)) dBm\(again) (\(packet: quality.moment.packet)\(link.ended?.nanoseconds(since: quality.moment).map { ", \(duration: $0) before the end" } ?? ""))."
      } ?? link.seen?.weakSignal.map {
        "The peer's signal was weak when it advertised before: \(Int($0)) dBm at best, near the sensitivity limit of receivers."
      } ?? "")
  }

  /// Returns when the peer was connected to again, if that was soon.
  func reconnection(_ evidence: Evidence) -> (opened: Moment, passed: Int64)? {
    guard let ended = link.ended,
      let later = evidence.later(than: self).first(where: { $0.connection.isEstablished }),
      let opened = later.link.opened, let passed = opened.nanoseconds(since: ended),
      passed <= 30_000_000_000
    else { return nil }
    return (opened, passed)
  }

  /// A sentence that the peer advertised while this host still had the link, the advertisement, and
  /// how long before the end it was; nil if it did not.
  var departure: (words: Wording, moment: Moment, left: Int64)? {
    // Earlier than a supervision timeout before the end, the peer advertised beside the link.
    let longest = max(link.supervisionTimeout ?? 0, openingTimeout ?? 0) + Self.aftermath
    // A central may advertise beside the link.
    guard connection.central == .local, let away = link.away,
      away.moment.packet > link.lastSign?.packet ?? 0,
      let left = link.ended?.nanoseconds(since: away.moment), left <= longest
    else { return nil }
    let signal: Wording = away.signal.map { ", \(Int($0)) dBm" } ?? ""
    return (
      "The peer dropped the link without terminating it, as a device does when it restarts: it advertised again (\(packet: away.moment.packet)\(signal)), \(duration: left) before the link ended here.",
      away.moment, left
    )
  }

  /// The supervision timeout with which the link opened, in nanoseconds.
  private var openingTimeout: Int64? { link.parameters.map { Int64($0.timeout) * 10_000_000 } }

  /// The silence of this host's controller, with its length, that covers half of the time since the
  /// peer was last heard.
  var controllerStall: (opcode: UInt16, asked: Moment, ended: Moment, length: Int64)? {
    guard let stall = link.controllerStall, let since = link.lastSign ?? link.opened,
      let length = stall.ended.nanoseconds(since: stall.asked), stall.ended.packet > since.packet,
      stall.ended.packet < link.ended?.packet ?? 0,
      length * 2 >= link.ended?.nanoseconds(since: since) ?? .max
    else { return nil }
    return (stall.opcode, stall.asked, stall.ended, length)
  }

  /// The peer falls silent within this time after what may be the reason, in nanoseconds.
  private static let aftermath: Int64 = 1_000_000_000

  /// The last request of this host, in words: `write 1e to 0x0010`.
  var lastAct: (act: Wording, moment: Moment)? {
    attributes.lastAsked.map { (attributes.words(of: $0), $0.moment) }
  }

  /// What this host requested just before the peer fell silent. Not if it sent something else
  /// later, and not what it requested when the peer was silent already.
  var askedBeforeSilence: (act: Wording, packet: Int)? {
    // A later request may be missing.
    guard let asked = lastAct, !connection.hasLostPackets,
      isSilence(
        asked.moment, before: Self.aftermath,
        after: Self.aftermath / 2 + (link.current?.longestPause ?? 0))
    else { return nil }
    return (asked.act, asked.moment.packet)
  }

  var askedLast: Wording {
    askedBeforeSilence.map {
      "The last thing this host requested was to \($0.act) (\(packet: $0.packet))."
    } ?? ""
  }

  /// What Number Of Completed Packets shows at the end, as a sentence; empty if it shows nothing.
  var acknowledgement: Wording {
    guard let left = link.unacknowledged else { return "" }
    if left == 0 { return link.sent == 0 ? "" : "Everything this host sent was acknowledged." }
    let first = link.unacknowledgedSince?.packet
    return left == 1
      ? "The last packet this host sent\(first.map { " (\(packet: $0))" as Wording } ?? "") was never acknowledged."
      : "\(left) packets this host sent\(first.map { " since \(packet: $0)" as Wording } ?? "") were never acknowledged."
  }

  /// The procedures that failed: Link Layer procedures, and parameter changes.
  var failedProcedures: [FailedProcedure] {
    // A link that ends aborts the procedures under way, which is not a separate failure.
    link.failures.filter { $0.status != connection.reason && !$0.status.endsLink }.map {
      ($0.name, $0.status, PacketSet([$0.moment.packet]), false)
    }
      + link.updates.compactMap { update in
        guard let status = update.status, status != .success, status != connection.reason,
          !status.endsLink
        else { return nil }
        return ("LE Connection Update", status, update.evidence, true)
      }
  }

  /// Returns how the link continued after a procedure had failed, as a sentence.
  func course(after failed: PacketSet) -> Wording {
    lastSignPacket > failed.last ?? 0
      ? "The link continued unchanged." : "The peer is not heard after that."
  }

  private var lastSignPacket: Int {
    max(link.heardLast?.packet ?? 0, link.acknowledgedLast?.packet ?? 0)
  }

  /// A procedure after which a link may be lost.
  enum Procedure: Hashable, Sendable {
    /// A request for other parameters, or the change itself.
    case request(Side), parameters
    case phy(UInt8), length

    var words: Wording {
      switch self {
      case .request(let side): "the connection parameter request of \(side.words)"
      case .parameters: "a connection parameter change"
      case .phy(let phy): "the change to the \(phy: phy) PHY"
      case .length: "a data length change"
      }
    }
  }

  /// The procedure that was under way or completed last.
  var lastProcedure: (procedure: Procedure, moment: Moment)? {
    let procedures: [(procedure: Procedure, moment: Moment)?] = [
      link.updates.last.flatMap { update in
        let isRequest = update.procedure == .linkLayer || update.procedure == .signalling
        return [update.asked, update.answered, update.command, update.completed]
          .compactMap(\.self).max { $0.packet < $1.packet }.map {
            (isRequest ? .request(update.side) : .parameters, $0)
          }
      }, link.phys.last.map { (.phy($0.received), $0.moment) },
      link.lengths.last.map { (.length, $0.moment) },
    ]
    return procedures.compactMap(\.self).max { $0.moment.packet < $1.moment.packet }
  }

  /// A sentence that this procedure was the last.
  var lastProcedureWords: Wording {
    lastProcedure.map {
      "The last procedure was \($0.procedure.words) (\(packet: $0.moment.packet))."
    } ?? ""
  }

  /// The procedure after which nothing was heard until the link was lost.
  var fatalProcedure: (procedure: Procedure, moment: Moment)? {
    guard let last = lastProcedure, lastSignPacket < last.moment.packet,
      // A change is announced some events before it takes effect.
      isSilence(
        last.moment, before: Self.aftermath,
        after: Self.aftermath + 8 * (link.current?.longestPause ?? 0))
    else { return nil }
    return last
  }

  /// What the peer may have waited for when it ended the link, and the packet that shows it.
  var lastWish: (words: Wording, packet: Int?) {
    if let request = pairing.securityRequests.last, request.side == .peer, request.answer == nil {
      return (
        Wording(
          sentences:
            "Its Security Request (\(packet: request.last.packet)) had no effect: it wants the link encrypted, but this host neither paired nor encrypted.",
          silence), request.last.packet
      )
    }
    if let request = lastOpen(of: .peer) {
      let words: Wording = "This host did not answer its request (\(packet: request))."
      return (Wording(sentences: words, silence), request)
    }
    if link.sent == 0 {
      return ("This host sent it nothing: it may end connections that are not used.", nil)
    }
    if let request = lastOpen(of: .local) {
      return (
        "It had not answered this host's request (\(packet: request)) when it disconnected.",
        request
      )
    }
    let unpaired = security.pairing == nil && connection.isEncrypted == false
    return (
      Wording(
        // If records are missing or cut, a request may be among them.
        sentences: connection.hasLostPackets || connection.isDataCut
          ? "" : "On the last connection no request was pending on either side.",
        unpaired ? "The devices did not pair." : "", silence), nil
    )
  }

  /// Returns a side's last open request: an ATT request, an indication, or one for a channel.
  private func lastOpen(of side: Side) -> Int? {
    let attributes = attributes.unanswered.last { Side(sent: $0.direction) == side }?.packet
    let channels = channels.open.last { $0.side == side }?.asked.packet
    return [attributes, channels].compactMap(\.self).max()
  }

  /// How long nothing was sent before the end, if that is more than half a second.
  private var silence: Wording {
    let last = [link.sentLast, link.heardLast].compactMap(\.self).max { $0.packet < $1.packet }
    guard let last, let silence = link.ended?.nanoseconds(since: last), silence > 500_000_000
    else { return "" }
    return
      "Nothing was sent in the last \(duration: silence) before the end (last \(packet: last.packet))."
  }
}

extension AttributeHistory {
  /// Returns the request as a clause: `write 1e to 0x0010`, `read 2a00 Device Name`.
  fileprivate func words(of asked: Asked) -> Wording {
    let attribute: Wording = asked.handle == 0 ? "" : name(asked.handle, of: .peer)
    switch asked.opcode {
    case .writeRequest, .writeCommand, .signedWriteCommand:
      let value: Wording? =
        asked.value.map { "\(hex: $0)" } ?? asked.length.map { "\(count: $0, "byte", "bytes")" }
      return value.map { "write \($0) to \(attribute)" } ?? "write to \(attribute)"
    case .readRequest, .readBlobRequest: return "read \(attribute)"
    default: return "have \(Wording("\(asked.opcode)")) answered"
    }
  }

  /// The write that makes the peer restart, as a sentence's subject, if it was the last request.
  var restart: Wording? {
    guard let asked = lastAsked, asked.opcode != .readRequest,
      let uuid = identity(asked.handle, of: .peer)?.uuid, let value = asked.value,
      let row = restartRequests.first(where: { $0.uuid == uuid && value.starts(with: $0.value) })
    else { return nil }
    return "\(row.words) (\(packet: asked.moment.packet))"
  }
}

extension AttributeHistory.Asked {
  /// The value that it writes; nil if that is long, or may be secret.
  fileprivate var value: [UInt8]? {
    guard let head, let length, length <= AttributeHistory.mostHead else { return nil }
    return (0..<length).map { UInt8(truncatingIfNeeded: head >> UInt32(8 * $0)) }
  }
}

private let telink = BluetoothUUID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_2b12)
private let nordic = BluetoothUUID(high: 0x0000_1531_1212_efde, low: 0x1523_785f_eabc_d123)
private let buttonless: Wording = "Nordic's command to enter the bootloader"

/// The writes after which a device restarts: characteristic, first bytes of the value, description.
/// [mem], from the vendors' sources: Telink's OTA, Nordic's legacy and buttonless DFU.
private let restartRequests: [(uuid: BluetoothUUID, value: [UInt8], words: Wording)] = [
  (telink, [0x02, 0xff], "The end of a firmware update (Telink's OTA)"),
  (nordic, [0x05], "The end of a firmware update (Nordic's DFU, Activate and Reset)"),
  (nordic, [0x06], "System Reset of Nordic's DFU"),
  (BluetoothUUID(high: 0x8ec9_0003_f315_4f60, low: 0x9fb8_8388_30da_ea50), [0x01], buttonless),
  (BluetoothUUID(high: 0x8ec9_0004_f315_4f60, low: 0x9fb8_8388_30da_ea50), [0x01], buttonless),
]

extension LinkHistory {
  /// Returns whether a side's request for other parameters was neither answered nor carried out.
  func hasOpenRequest(of side: Side) -> Bool {
    updates.contains {
      $0.side == side && $0.procedure == .signalling && $0.answered == nil && $0.command == nil
        && $0.completed == nil
    }
  }
}

extension StatusCode {
  /// Whether a procedure with this status failed only because the link ended.
  fileprivate var endsLink: Bool {
    switch self {
    case .unknownConnectionIdentifier, .connectionTimeout, .remoteUserTerminated,
      .remoteLowResources, .remotePowerOff, .connectionTerminatedByLocalHost, .micFailure,
      .connectionFailedToBeEstablished:
      true
    default: false
    }
  }
}
