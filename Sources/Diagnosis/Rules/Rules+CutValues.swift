import Histories
import Bluetooth
import Meanings
import Sessions

// A rule about values that end where a PDU does.

extension Rule {
  static let cutValues: [Rule] = [
    Symptom(
      "gatt_value_cut", .warning, .meaning, "Values are cut to what one PDU holds",
      when:
        "three or more values of a characteristic have exactly as many bytes as a notification or write holds with the MTU, or, if they are read, 22 although the MTU is larger; each is text that opens a bracket and does not close it, and the next begins anew; or each of three other texts of this length is sent again",
      do:
        "Exchange a larger MTU before the values are sent (on Android requestMtu(517), with Zephyr bt_gatt_exchange_mtu(), in Arduino for ESP32 BLEDevice::setMTU() on both sides), or split the value into several and join them at the receiver."
    ).needing([.bothDirections, .opening]).onConnection(
      about: CutValues.self, merges: true,
      elsewise: [
        Alternative<CutValues>(always: "the application itself shortens its texts to this length"),
        Alternative("the texts have this length by chance") { cut, _ in cut.areUnclosed },
      ]
    ) { connection, _ in
      guard !connection.isIncomplete else { return [] }
      return connection.attributes.usages.flatMap { usage in
        usage.cuts.compactMap { cut in connection.cut(cut, usage).map { (cut, $0) } }
      }
    },
    Symptom(
      "gatt_message_cut", .note, .meaning,
      "Messages of several notifications end with one that fills a PDU",
      when:
        "after a write a server sends two or more notifications, each of them as long as the MTU permits, the last one too; no message ends with a shorter one",
      do:
        "Compare the length of the message with what arrives: after splitting it, a server has to send the rest, too."
    ).needing([.bothDirections, .events, .opening]).onConnection(
      merges: true,
      elsewise: [
        Alternative(always: "its length is a multiple of what one notification holds"),
        Alternative(always: "the rest was not sent, because the client or the server stopped"),
      ]
    ) { connection, evidence in
      connection.attributes.usages.compactMap { connection.cutMessages($0, evidence) }
    },
  ]
}

extension ConnectionHistory {
  fileprivate func cutMessages(_ usage: AttributeUsage, _ evidence: Evidence) -> Finding? {
    let messages = usage.messages
    guard !isIncomplete, !messages.isRefuted else { return nil }
    var (count, last) = (messages.ended.count, messages.ended.last)
    // The message at the end is complete if there was time for more.
    if let current = messages.current, current.count > 1,
      openTime(after: current.last, evidence) ?? 0 >= Self.answerTime
    {
      (count, last) = (count + 1, current.last)
    }
    guard count > 0, let last, usage.notifications.count > 2 else { return nil }
    return Finding(
      "every notification of \(usage.named) has \(messages.length) bytes, also the last of \(count == 1 ? "its message" : "each of \(count) messages" as Wording)",
      at: last.packet,
      why:
        "\(messages.length) bytes fill a notification. The last part of a longer value usually has fewer, so its end may have been cut off.",
      evidence: PacketSet(of: messages.ended.first, last), of: usage.named)
  }

  fileprivate func cut(_ cut: CutValues, _ usage: AttributeUsage) -> Finding? {
    guard cut.areUnclosed || cut.areRepeated else { return nil }
    let all = cut.areUnclosed ? cut.unclosed : cut.plain
    guard let first = all.first, let last = all.last else { return nil }
    let (way, holder): (StaticString, Wording) =
      switch cut.transfer {
      case .read: ("were read", "what a read holds with the smallest MTU")
      case .written: ("were written", "what one write holds with MTU \(cut.mtu)")
      case .sent: ("were sent", "what one notification holds with MTU \(cut.mtu)")
      }
    let form: Wording =
      cut.areUnclosed
      ? "Each opens a bracket and does not close it, and the next one begins anew."
      : "They are \(cut.texts) different texts, each of which is repeated and never continued."
    var finding = Finding(
      "values of \(usage.named) seem to be cut to \(cut.length) bytes", at: first.packet,
      why: Wording(
        sentences:
          "\(all.count) values of text \(way), all of exactly \(cut.length) bytes: \(holder). \(form)",
        cut.transfer == .read ? "The MTU is \(cut.mtu)." : ""),
      evidence: PacketSet(of: first, last), of: usage.named)
    if cut.transfer == .read {
      finding.remedy =
        "Fix the server's read handler: give the whole value and let the stack cut it to the MTU, and answer Read Blob Requests from their offset on (Core, Vol 3, Part F, 3.4.4.5)."
    }
    return finding
  }
}
