import Bluetooth
import Diagnosis
import Histories
import Dissectors
import Meanings
import Sessions

extension ConnectionHistory {
  /// Returns how the link opened, what was changed, and how it ended. What every link does in the
  /// same way, the exchange of features and versions, is omitted.
  func linkStory(_ evidence: Evidence) -> [StoryLine] {
    var lines = [beginning(evidence)].compactMap(\.self)
    let hasEvents = !evidence.hasDataAlone && !connection.isOnAir
    lines += link.updates.map { Self.line($0, hasEvents: hasEvents) }
    if link.omittedUpdates > 0, let last = link.updates.last {
      lines.append(
        StoryLine(
          Moment(packet: last.lastPacket, time: last.completed?.time),
          "\(link.omittedUpdates) more parameter changes follow"))
    }
    lines += link.phys.map { change in
      StoryLine(
        change.moment,
        change.sent == change.received
          ? "PHY: \(phy: change.sent) in both directions"
          : "PHY: this host sends on \(phy: change.sent), the peer on \(phy: change.received)"
      )
    }
    lines += link.subrates.map { change in
      StoryLine(change.asked ?? change.moment, to: change.moment.packet, Self.words(change))
    }
    if let expired = link.payloadTimeouts.first {
      let times = Wording.timesAside(link.payloadTimeouts.count)
      lines.append(
        StoryLine(
          expired, to: link.payloadTimeouts.last?.packet ?? expired.packet,
          "no authenticated packet came from the peer: Authenticated Payload Timeout Expired\(times)"
        ))
    }
    lines += link.lengths.map { change in
      let phy = link.phys.last { $0.moment.packet < change.moment.packet }
      let sent = words(change.sent, onPHY: phy?.sent ?? 1)
      let received = words(change.received, onPHY: phy?.received ?? 1)
      return StoryLine(
        change.moment,
        sent == received
          ? "data length: \(sent) in both directions"
          : "data length: \(sent) to the peer, \(received) from it")
    }
    if let end = end(evidence, behind: lines) { lines.append(end) }
    return lines
  }

  // MARK: The beginning

  private func beginning(_ evidence: Evidence) -> StoryLine? {
    guard let opened = link.opened else {
      let moment = Moment(packet: connection.firstPacket, time: connection.firstTime)
      if evidence.hasDataAlone {
        return StoryLine(moment, "first data: the start of the connection is not in the capture")
      }
      if connection.isOpeningMissing {
        return StoryLine(
          moment,
          evidence.mayHaveBegunUnseen(self)
            ? "first seen: the start of the connection is not in the capture"
            : "first seen: the connection was open before the capture began")
      }
      return connection.transport == .brEDR ? StoryLine(moment, "connected over BR/EDR") : nil
    }
    var consequences: [Wording] = []
    if connection.ending != .neverEstablished, let heard = link.established,
      let silence = heard.nanoseconds(since: opened), silence > longestSilence
    {
      consequences.append(
        "the peer is first heard at \(packet: heard.packet), \(duration: silence) later")
    }
    let parameters: Wording = link.parameters.map { ": \($0.words)" } ?? ""
    return StoryLine(opened, "connected\(parameters)", consequences)
  }

  /// A peer that is present is heard within six intervals (Core, Vol 6, Part B, 4.5.2); a silence
  /// of a second is worth reporting.
  private var longestSilence: Int64 {
    max(1_000_000_000, Int64(link.parameters?.interval ?? 0) * 7_500_000)
  }

  // MARK: Changes

  /// Returns `251 bytes`, or fewer if the time for a packet holds no more on the PHY in force.
  private func words(_ length: PacketLength, onPHY phy: UInt8) -> Wording {
    let held = length.effective(onPHY: phy)
    return held == length.octets
      ? "\(held) bytes"
      : "\(held) bytes (\(length.octets) were agreed on, but \(length.time) µs hold no more on \(phy: phy))"
  }

  private static func words(_ change: LinkHistory.SubrateChange) -> Wording {
    guard change.asked != nil else {
      return change.result.map { "the subrate changes: \(words($0))" }
        ?? "a subrate change not requested by this host fails: \(change.status)"
    }
    let wanted: Wording =
      change.wanted.map { wanted in
        let factors: Wording =
          wanted.leastFactor == wanted.mostFactor
          ? "\(wanted.mostFactor)" : "\(wanted.leastFactor)–\(wanted.mostFactor)"
        return
          "subrate \(factors), \(words(wanted.latency, wanted.continuation, wanted.supervisionTimeout))"
      } ?? "another subrate"
    guard let result = change.result else {
      return "this host requests \(wanted): failed, \(change.status)"
    }
    let isAsAsked =
      change.wanted.map {
        $0.latency == result.latency && $0.continuation == result.continuation
          && $0.supervisionTimeout == result.supervisionTimeout
      } ?? false
    return
      "this host requests \(wanted): accepted, subrate \(isAsAsked ? "\(result.factor)" : words(result))"
  }

  /// Returns `4, latency 1, continuation 2, supervision timeout 6000 ms`.
  private static func words(_ change: LESubrateChange) -> Wording {
    "\(change.factor), \(words(change.latency, change.continuation, change.supervisionTimeout))"
  }

  private static func words(_ latency: UInt16, _ continuation: UInt16, _ timeout: UInt16) -> Wording
  {
    "latency \(latency), continuation \(continuation), supervision timeout \(Int(timeout) * 10) ms"
  }

  private static func line(_ update: ParameterUpdate, hasEvents: Bool) -> StoryLine {
    StoryLine(update.asked, to: update.lastPacket, words(update, hasEvents: hasEvents))
  }

  private static func words(_ update: ParameterUpdate, hasEvents: Bool) -> Wording {
    let outcome: Wording
    if let result = update.result {
      outcome = result.words
    } else if let status = update.status, status != .success {
      outcome = "failed, \(status.linkWords)"
    } else if update.isGranted == false {
      outcome =
        update.refusal.map { "\(update.side.other.words) refuses: \($0)" }
        ?? "\(update.side.other.words) refuses"
    } else if update.isGranted == true {
      // A change is reported by an event.
      outcome =
        "\(update.side.other.words) accepts\(hasEvents ? ", but nothing changes" : "" as StaticString)"
    } else {
      outcome = update.procedure == .signalling ? "no answer" : "no outcome"
    }
    guard update.procedure != .unasked else {
      return "\(update.side.words) changes the parameters: \(outcome)"
    }
    guard let wanted = update.wanted else {
      let missing: StaticString =
        update.lacksRequest
        ? " (the request is not in the capture)" : " (which ones is not in the capture)"
      let accepted: StaticString = update.result == nil ? "" : "accepted, "
      return "\(update.side.words) requests new parameters\(missing): \(accepted)\(outcome)"
    }
    // If the request was granted exactly, the result is not repeated.
    if let result = update.result, WantedParameters(result) == wanted {
      return "\(update.side.words) requests \(wanted.words): accepted"
    }
    if let result = update.result {
      return
        "\(update.side.words) requests \(wanted.words): accepted, \(differing(result, wanted))"
    }
    return "\(update.side.words) requests \(wanted.words): \(outcome)"
  }

  /// Returns what is used of the request: only the interval, if the rest is as requested.
  private static func differing(_ result: LinkParameters, _ wanted: WantedParameters) -> Wording {
    result.latency == wanted.latency && result.timeout == wanted.timeout
      ? "interval \(interval: result.interval)" : result.words
  }

  // MARK: The end

  private func end(_ evidence: Evidence, behind lines: [StoryLine]) -> StoryLine? {
    guard let ending = connection.ending, let ended = link.ended else {
      guard connection.ending == nil, !evidence.hasDataAlone, let last = lastSeen(lines) else {
        return nil
      }
      return stayingOpen(after: last, evidence)
    }
    if let words = airEndWords { return StoryLine(ended, words) }
    if ending == .localHost { return ownEnd(ended, evidence) }
    if ending == .reset, let disconnect = link.disconnect { return asks(disconnect, evidence) }
    return endWords(ending, evidence).map { StoryLine(ended, $0) }
  }

  /// What the packets of a connection on the air show of its end; nil if it was ended.
  private var airEndWords: Wording? {
    switch air?.end {
    case .terminatedUnread?:
      air?.unreadControl.map {
        "\($0.side.words) probably disconnects: an encrypted control PDU as long as LL_TERMINATE_IND is the last (\(packet: $0.moment.packet))"
      }
    case .unseen?: "nothing of either side follows: the end is not in the capture"
    case .peripheralSilent?:
      air?.unanswered.map {
        "the peer no longer answers, and this host gives up after \(count: $0.count, "packet", "packets")"
      }
    case .neverEstablished?: "the peer never answers, and this host gives up"
    case .open?, .terminated?, nil: nil
    }
  }

  /// Returns the line about a link whose end is not in the capture.
  private func stayingOpen(after last: Moment, _ evidence: Evidence) -> StoryLine {
    if let last = air?.last {
      // An unread control PDU near the end may have ended it.
      if let unread = air?.unreadControl?.moment, unread.packet + 4 >= last.packet {
        return StoryLine(
          last,
          "the capture ends, after an encrypted control PDU that may end the connection (\(packet: unread.packet))"
        )
      }
      return StoryLine(last, "still open when the capture ends")
    }
    if let disconnect = link.disconnect { return asks(disconnect, evidence) }
    // An adapter has at most one link with a device.
    let again = evidence.later(than: self).first {
      $0.connection.peer != nil && $0.connection.peer == connection.peer
        && $0.connection.transport == connection.transport
        && $0.connection.adapter == connection.adapter && !$0.connection.isOpeningMissing
        && !connection.isOnAir
    }
    if let again {
      return StoryLine(
        last,
        "last seen: the same device connects again in \(packet: again.connection.firstPacket), so this connection ended before, unseen"
      )
    }
    let extent = evidence.extent
    let isLast = extent.lastPacket <= last.packet
    let use: Wording = isLast ? "" : "; last used in \(packet: last.packet)"
    return StoryLine(
      isLast ? last : Moment(packet: extent.lastPacket, time: extent.latest ?? last.time),
      "still open when the capture ends\(use)\(unused(evidence))")
  }

  private var reasonWords: Wording { connection.reason.map { ": \($0.linkWords)" } ?? "" }

  /// Returns the line about how this host ended the link.
  private func ownEnd(_ ended: Moment, _ evidence: Evidence) -> StoryLine {
    let words: Wording =
      if connection.wasDeadBefore {
        "this host disconnects, but the link is dead already\(reasonWords)\(unused(evidence))"
      } else if connection.endedUnheard {
        "this host disconnects, and the peer is no longer heard\(reasonWords)\(unused(evidence))"
      } else if connection.reason == .connectionTimeout || connection.reason == .responseTimeout {
        "this host disconnects, but the peer does not confirm it\(reasonWords)"
      } else {
        "this host disconnects\(unused(evidence))"
      }
    return StoryLine(link.disconnect ?? ended, to: ended.packet, words)
  }

  /// Returns words for the end of the link; nil if this host ended it or it was no longer followed.
  private func endWords(_ ending: Connection.Ending, _ evidence: Evidence) -> Wording? {
    switch ending {
    case .localHost, .forgotten: return nil
    case .peer:
      let why: Wording =
        connection.reason == .remoteUserTerminated
        ? "" : connection.reason.map { ": \($0)" } ?? ""
      return "the peer disconnects\(why)\(unused(evidence))"
    case .timeout:
      let timeout: Wording = link.current.map { " of \(Int($0.timeout) * 10) ms" } ?? ""
      let heard: Wording = link.heardLast.map { ", no data since \(packet: $0.packet)" } ?? ""
      return "the link is lost: supervision timeout\(timeout)\(heard)"
    case .neverEstablished:
      return connection.role(of: .local) == .peripheral
        ? "the central was not heard again: Connection Failed to be Established (0x3e)"
        : "the peer never answered: Connection Failed to be Established (0x3e)"
    case .micFailure: return "the controllers end the link\(reasonWords)"
    case .reset: return "the controller is reset, which ends the link"
    case .controller: return "the controller ends the link\(reasonWords)\(unused(evidence))"
    case .replaced:
      return connection.isOnAir
        ? "another connection gets the same access address: this one ended before, unseen"
        : "another connection gets the same handle: this one ended before, unseen"
    case .unknown: return "the link ends, for a reason that is not in the capture"
    case .fileEnded: return "the file ends; the link is still open"
    }
  }

  private func asks(_ disconnect: Moment, _ evidence: Evidence) -> StoryLine {
    StoryLine(
      disconnect,
      "this host asks to disconnect; whether it did is not in the capture\(unused(evidence))")
  }

  /// Returns the last data, or the last line about the link.
  private func lastSeen(_ lines: [StoryLine]) -> Moment? {
    let shown = lines.map { Moment(packet: $0.packets.lowerBound, time: $0.time) }
    return ([link.sentLast, link.heardLast, link.opened].compactMap(\.self) + shown).max {
      $0.packet < $1.packet
    }
  }

  /// Returns what was never done on the link, if all of it is in the capture.
  private func unused(_ evidence: Evidence) -> Wording {
    guard connection.transport == .le, !connection.isOpeningMissing, !connection.hasLostPackets,
      connection.isEncrypted == false, evidence.extent.truncatedData == 0,
      !evidence.lacksData
    else { return "" }
    if attributes.sentByLocal + attributes.sentByPeer == 0, !channels.isUsed {
      return "; the link was never encrypted, and no attribute was used"
    }
    return security.pairing == nil
      ? "; neither paired nor encrypted" : "; never encrypted"
  }
}
