import Bluetooth
import Dissectors
import Sessions
package import Words

// Words that several rules about links share.

extension Wording {
  /// Joins sentences with spaces; empty ones are omitted.
  init(sentences: Wording...) {
    self.init(sentences.filter { !$0.isEmpty }, joinedBy: " ")
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

extension ConnectionHistory {
  /// A procedure that failed.
  typealias FailedProcedure = (
    name: StaticString, status: StatusCode, packets: PacketSet, isUpdate: Bool
  )

  /// How long the link was open, in nanoseconds.
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

  /// What is known of a link that was lost, as a clause: `no data came from the peer after #50`.
  var silenceWords: Wording {
    var words: Wording = "this host no longer heard the peer"
    if let current = link.current, WantedParameters(current).fault == .timeoutTooShort {
      words =
        "\(words), and the supervision timeout of \(Int(current.timeout) * 10) ms is too short for the interval and latency"
    } else if let heard = link.heardLast {
      words = "no data came from the peer after \(packet: heard.packet)"
      if let since = link.unacknowledgedSince, link.unacknowledged ?? 0 > 0 {
        words = "\(words), nor did the peer acknowledge what was sent (\(packet: since.packet))"
      }
    } else if !connection.isOpeningMissing, !connection.hasLostPackets {
      words = "the peer never sent any data"
    }
    return words
  }

  /// A sentence that the signal was weak when the peer advertised.
  var weakness: Wording {
    guard let rssi = link.seen?.weakSignal else { return "" }
    return
      "Its signal was weak when it advertised before: \(Int(rssi)) dBm at best, near the sensitivity limit of receivers."
  }

  /// Returns a sentence that the peer could soon be connected to again.
  func returnWords(_ evidence: Evidence) -> Wording {
    guard let ended = link.ended,
      let later = evidence.later(than: self).first(where: { $0.connection.isEstablished }),
      let opened = later.link.opened, let passed = opened.nanoseconds(since: ended),
      passed <= 30_000_000_000
    else { return "" }
    return
      "A connection to it was possible again \(duration: passed) later (\(packet: opened.packet)), so it was in range: either it had restarted, or packets were lost for that long."
  }

  /// A sentence that the peer advertised while this host still had the link, or nil if it did not.
  var departure: Wording? {
    guard let away = link.seenAway, let seen = away.lastConnectable, let ended = link.ended else {
      return nil
    }
    let signal: Wording = away.signal.map { ", \(Int($0)) dBm" } ?? ""
    let early: Wording =
      ended.nanoseconds(since: seen).map { ", \(duration: $0) before the link ended here" } ?? ""
    return
      "The peer dropped the link without terminating it, as a device does when it restarts: it advertised again (\(packet: seen.packet)\(signal))\(early)."
  }

  /// The time within which the peer falls silent after a request that may be the reason.
  private static let aftermath: Int64 = 2_000_000_000

  /// What this host requested just before the peer fell silent: `write 1e to 0x0010`.
  var askedBeforeSilence: (act: Wording, packet: Int)? {
    // A later request may be missing.
    guard let asked = attributes.lastAsked, !connection.hasLostPackets else { return nil }
    if let sign = link.lastSign, sign.packet > asked.moment.packet,
      sign.nanoseconds(since: asked.moment) ?? .max > Self.aftermath
    {
      return nil
    }
    return (attributes.words(of: asked), asked.moment.packet)
  }

  /// The same as a sentence.
  var askedLast: Wording {
    guard let asked = askedBeforeSilence else { return "" }
    return "The last thing this host requested was to \(asked.act) (\(packet: asked.packet))."
  }

  /// What Number Of Completed Packets shows at the end, as a sentence; empty if it shows nothing.
  var acknowledgement: Wording {
    guard let left = link.unacknowledged else { return "" }
    if left == 0 {
      return link.sent == 0 ? "" : "Everything this host sent was acknowledged."
    }
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
    let last = [link.heardLast, link.acknowledgedLast].compactMap { $0?.packet }.max() ?? 0
    return last > failed.last ?? 0
      ? "The link continued unchanged." : "The peer is not heard after that."
  }

  /// The packet of the procedure that was under way or completed last.
  var lastProcedurePacket: Int? {
    [
      link.updates.last?.lastPacket, link.phys.last?.moment.packet,
      link.lengths.last?.moment.packet,
    ]
    .compactMap(\.self).max()
  }

  /// A sentence that this procedure was the last.
  var lastProcedure: Wording {
    guard let packet = lastProcedurePacket else { return "" }
    let what: Wording
    switch packet {
    case link.updates.last?.lastPacket: what = "a connection parameter change"
    case link.phys.last?.moment.packet: what = "a PHY change"
    default: what = "a data length change"
    }
    return "The last procedure was \(what) (\(packet: packet))."
  }

  /// The procedure after which nothing was heard until the link was lost.
  var fatalProcedure: (words: Wording, moment: Moment)? {
    guard let ended = link.ended else { return nil }
    var procedures: [(words: Wording, moment: Moment)] = []
    if let update = link.updates.last {
      let words: Wording =
        update.procedure == .linkLayer || update.procedure == .signalling
        ? "the connection parameter request of \(update.side.words)"
        : "a connection parameter change"
      let moments = [update.asked, update.answered, update.command, update.completed]
      if let last = moments.compactMap(\.self).max(by: { $0.packet < $1.packet }) {
        procedures.append((words, last))
      }
    }
    if let change = link.phys.last {
      let name: StaticString =
        switch change.received {
        case 1: "LE 1M"
        case 2: "LE 2M"
        case 3: "LE Coded"
        default: "other"
        }
      procedures.append(("the change to the \(name) PHY", change.moment))
    }
    if let change = link.lengths.last {
      procedures.append(("a data length change", change.moment))
    }
    guard let last = procedures.max(by: { $0.moment.packet < $1.moment.packet }),
      link.heardLast.map({ $0.packet < last.moment.packet }) ?? true,
      link.acknowledgedLast.map({ $0.packet < last.moment.packet }) ?? true,
      let passed = ended.nanoseconds(since: last.moment)
    else { return nil }
    let timeout = Int64(link.current?.timeout ?? 0) * 10_000_000
    return passed <= timeout + 2_000_000_000 ? last : nil
  }

  /// What the peer may have been waiting for when it ended the link, in sentences, and the packet
  /// that shows it.
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
      return (
        Wording(
          sentences: "This host did not answer its request (\(packet: request)).", silence),
        request
      )
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

  /// Returns the last request of a side that stayed open: an ATT request, an indication, or a
  /// request for a channel.
  private func lastOpen(of side: Side) -> Int? {
    let attributes = attributes.unanswered.last { Side(sent: $0.direction) == side }?.packet
    let channels = channels.open.last { $0.side == side }?.asked.packet
    return [attributes, channels].compactMap(\.self).max()
  }

  /// How long nothing was sent before the end, as a sentence; empty if that is half a second or
  /// less.
  private var silence: Wording {
    let last = [link.sentLast, link.heardLast].compactMap(\.self).max { $0.packet < $1.packet }
    guard let last, let silence = link.ended?.nanoseconds(since: last), silence > 500_000_000 else {
      return ""
    }
    return
      "Nothing was sent in the last \(duration: silence) before the end (last \(packet: last.packet))."
  }
}

extension AttributeHistory {
  /// Returns the request as a clause: `write 1e to 0x0010`, `read 2a00 Device Name`.
  fileprivate func words(of asked: Asked) -> Wording {
    let attribute: Wording =
      asked.handle == 0
      ? "" : identity(asked.handle, of: .peer).map { "\($0)" } ?? "\(handle: asked.handle)"
    switch asked.opcode {
    case .writeRequest, .writeCommand, .signedWriteCommand:
      let value: Wording? =
        asked.value.map { "\(hex: $0)" } ?? asked.length.map { "\(count: $0, "byte", "bytes")" }
      return value.map { "write \($0) to \(attribute)" } ?? "write to \(attribute)"
    case .readRequest, .readBlobRequest: return "read \(attribute)"
    default: return "get an answer to \(Wording("\(asked.opcode)"))"
    }
  }

  /// The write that makes the peer restart, as a sentence's subject, if it was the last request.
  var restart: Wording? {
    guard let asked = lastAsked, asked.opcode != .readRequest,
      let uuid = identity(asked.handle, of: .peer)?.uuid, let value = asked.value,
      let row = RestartRequest.all.first(where: { $0.uuid == uuid && value.starts(with: $0.value) })
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

/// A write that ends a firmware update, after which the device restarts.
private struct RestartRequest {
  /// The characteristic.
  let uuid: BluetoothUUID
  /// The first bytes of the value.
  let value: [UInt8]
  /// Its description.
  let words: Wording

  /// [mem], from the vendors' sources: Telink's OTA, Nordic's legacy and buttonless DFU.
  static let all: [RestartRequest] = [
    RestartRequest(
      uuid: BluetoothUUID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_2b12),
      value: [0x02, 0xff],
      words: "The end of a firmware update (Telink's OTA)"),
    RestartRequest(
      uuid: BluetoothUUID(high: 0x0000_1531_1212_efde, low: 0x1523_785f_eabc_d123), value: [0x05],
      words: "The end of a firmware update (Nordic's DFU, Activate and Reset)"),
    RestartRequest(
      uuid: BluetoothUUID(high: 0x0000_1531_1212_efde, low: 0x1523_785f_eabc_d123), value: [0x06],
      words: "System Reset of Nordic's DFU"),
    RestartRequest(
      uuid: BluetoothUUID(high: 0x8ec9_0003_f315_4f60, low: 0x9fb8_8388_30da_ea50), value: [0x01],
      words: "Nordic's command to enter the bootloader"),
    RestartRequest(
      uuid: BluetoothUUID(high: 0x8ec9_0004_f315_4f60, low: 0x9fb8_8388_30da_ea50), value: [0x01],
      words: "Nordic's command to enter the bootloader"),
  ]
}

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
  /// Whether a procedure with this status failed because the link ended, even if the capture lacks
  /// its end.
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
