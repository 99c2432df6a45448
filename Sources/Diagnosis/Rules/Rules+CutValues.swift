import Bluetooth
import Sessions
import Words

// A rule about values that end where a PDU does.

extension Rule {
  /// The rule about values that are cut.
  static let cutValues: [Rule] = [
    Rule(
      "gatt-value-cut", .warning, .meaning, "Values are cut to what one PDU holds",
      when:
        """
        three or more values of a characteristic have exactly as many bytes as a notification or \
        write holds with the MTU, or, if they are read, 22 although the MTU is larger; each is \
        text that opens a bracket and does not close it, and the next begins anew. Less certain: \
        each of three other texts of this length is sent again
        """, needs: [.bothDirections, .opening],
      do:
        """
        Exchange a larger MTU before the values are sent (on Android requestMtu(517), with Zephyr \
        bt_gatt_exchange_mtu(), in Arduino for ESP32 BLEDevice::setMTU() on both sides), or split \
        the value into several and join them at the receiver.
        """
    ) { connection, _ in
      guard !connection.isIncomplete else { return [] }
      return Finding.together(
        connection.attributes.usages.flatMap { usage in
          usage.cuts.compactMap { connection.cut($0, usage) }
        })
    }
  ]
}

extension ConnectionHistory {
  fileprivate func cut(_ cut: CutValues, _ usage: AttributeUsage) -> Finding? {
    guard cut.areUnclosed || cut.areRepeated else { return nil }
    let all = cut.areUnclosed ? cut.unclosed : cut.plain
    guard let first = all.first, let last = all.last else { return nil }
    let holder: Wording =
      switch cut.transfer {
      case .read: "what a read holds with the smallest MTU"
      case .written: "what one write holds with MTU \(cut.mtu)"
      case .sent: "what one notification holds with MTU \(cut.mtu)"
      }
    let form: Wording =
      cut.areUnclosed
      ? "Each opens a bracket and does not close it, and the next one begins anew."
      : "They are \(cut.texts) different texts, each of which is repeated and never continued."
    let way: Wording =
      switch cut.transfer {
      case .read: "were read"
      case .written: "were written"
      case .sent: "were sent"
      }
    var finding = Finding(
      "Values of \(usage.named) seem to be cut to \(cut.length) bytes",
      headline:
        "values of \(usage.named) seem to be cut to \(cut.length) bytes, \(holder) (\(packet: first.packet))",
      why: Wording(
        sentences:
          "\(all.count) values of text \(way), all of exactly \(cut.length) bytes: \(holder). \(form)",
        cut.transfer == .read ? "The MTU is \(cut.mtu)." : ""),
      cut.areUnclosed ? .likely : .possible,
      evidence: PacketSet([first.packet, last.packet]))
    if cut.transfer == .read {
      finding.remedy =
        "Fix the server's read handler: give the whole value and let the stack cut it to the MTU, and answer Read Blob Requests from their offset on (Core, Vol 3, Part F, 3.4.4.5)."
    }
    finding.attribute = usage.named
    return finding
  }
}
