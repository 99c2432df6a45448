import Histories
import Bluetooth
import Meanings
import Sessions

// Rules about the ATT_MTU and the lengths that it allows (Core, Vol 3, Part F, 3.2.8, 3.2.9 and
// 3.4.2).

extension Rule {
  static let mtu: [Rule] = [
    Symptom(
      "att_mtu_asymmetric", .warning, .meaning,
      "A device offers different MTUs as a client and as a server",
      when:
        "both sides exchange the MTU, a side's request and response name different MTUs, and so the two exchanges have different results",
      do:
        "Offer the same MTU in the request and in the response (Core, Vol 3, Part F, 3.4.2.1). Until then, exchange it from one side only."
    ).needing([.bothDirections, .events, .opening]).onConnection { connection, _ in
      connection.isWhole ? connection.asymmetricMTU.map { [$0] } ?? [] : []
    },
    Symptom(
      "att_mtu_changed", .warning, .meaning,
      "A client exchanges the MTU twice, with different results",
      when: "a client's second MTU exchange on a connection has another result than its first",
      do:
        "Send one Exchange MTU Request on a connection (Core, Vol 3, Part F, 3.4.2.1), and ask for the final size at once. As a server, keep the first result."
    ).needing([.bothDirections, .events, .opening]).onConnection { connection, _ in
      connection.isWhole ? connection.changedMTU.map { [$0] } ?? [] : []
    },
    Symptom(
      "att_pdu_too_long", .warning, .meaning, "A server sends a PDU that is longer than the MTU",
      when:
        "a response, notification or indication on the link's own bearer has more bytes than the MTU that was exchanged on this connection",
      do:
        "Limit the server's PDUs to the MTU of the connection: a notification has room for 3 bytes less, a read for 1 byte less. Receivers drop a longer PDU, or end the link."
    ).needing([.bothDirections, .events, .opening]).onConnection(merges: true) { connection, _ in
      // After a gap, a longer PDU shows rather that an exchange is missing.
      guard connection.isWhole, connection.asymmetricMTU == nil, connection.changedMTU == nil
      else { return [] }
      return connection.attributes.faults.longPDUs.map(connection.tooLong)
    },
    Symptom(
      "att_value_too_long", .warning, .fact, "A server sends a value of more than 512 bytes",
      when:
        "a notification or an indication has more than 512 bytes, or a read reaches beyond byte 512",
      do:
        "Split the value: no attribute value has more than 512 bytes, whatever the MTU is (Core, Vol 3, Part F, 3.2.9). Many clients drop a longer one, or cut it."
    ).onConnection(merges: true) { connection, _ in
      let repeated = connection.attributes.faults.repeated
      return connection.attributes.faults.longValues.filter { value in
        // A server that ignores the offset has no such value.
        !value.isRead
          || !repeated.contains {
            $0.handle == value.handle && $0.server == value.server && !$0.isRefuted
          }
      }.map(connection.tooLong)
    },
  ]

  /// It costs only time, so it comes after the rules about links.
  static let mtuUnused = Symptom(
    "att_mtu_unused", .note, .meaning, "A client writes 20-byte pieces although the MTU is larger",
    when:
      "ten or more consecutive writes to an attribute have exactly 20 bytes, with pauses of at most 500 ms, after a larger MTU was exchanged; not if they are numbered, or the messages of a known protocol",
    do:
      "Split values by the MTU that was exchanged, not by 20 bytes: CoreBluetooth reports the limit in maximumWriteValueLength(for:), Android in onMtuChanged()."
  ).needing([.bothDirections]).onConnection(
    merges: true,
    elsewise: [
      Alternative(always: "they are a protocol's messages of this length"),
      Alternative(always: "the server accepts no longer values"),
    ]
  ) { connection, _ in connection.attributes.usages.compactMap(connection.pieces) }
}

extension ConnectionHistory {
  /// Whether its opening is in the capture, and no records are missing: several links with one
  /// handle look like one if the capture lacks the end of one and the beginning of another.
  var isWhole: Bool { !connection.isOpeningMissing && !connection.hasLostPackets }

  /// The PDUs that are longer than the MTU, as a sentence, and their packets.
  private func longPDUs(after packet: Int) -> (words: Wording, packets: PacketSet)? {
    let found = attributes.faults.longPDUs.first { $0.moment.packet > packet }
    return found.map {
      (
        " \($0.sender.capitalized) then sent a \($0.opcode.words) of \($0.length) bytes (\(packet: $0.moment.packet)), which an MTU of \($0.mtu) does not allow.",
        [$0.moment.packet]
      )
    }
  }

  /// A finding about a side that offers different MTUs.
  fileprivate var asymmetricMTU: Finding? {
    for side in [Side.peer, .local] {
      guard let asked = attributes.mtuExchanges.first(where: { $0.client == side }),
        let answered = attributes.mtuExchanges.first(where: { $0.client == side.other }),
        asked.offered != answered.answered, asked.mtu != answered.mtu
      else { continue }
      let last = max(asked.answer.packet, answered.answer.packet)
      let long = longPDUs(after: last)
      return Finding(
        "\(side.words) offers two MTUs: \(asked.offered) as a client, \(answered.answered) as a server",
        at: answered.answer.packet,
        why:
          "A device must name the same MTU in its request and in its response. Here the two exchanges have different results, \(asked.mtu) and \(answered.mtu), so the sides may use different MTUs.\(long?.words ?? "")",
        evidence: PacketSet(
          [
            asked.request.packet, asked.answer.packet, answered.request.packet,
            answered.answer.packet,
          ].sorted()
        ).union(long?.packets ?? []), restsOnAbsence: true)
    }
    return nil
  }

  /// A finding about a client that changes the MTU.
  fileprivate var changedMTU: Finding? {
    for side in [Side.peer, .local] {
      let own = attributes.mtuExchanges.filter { $0.client == side }
      guard let first = own.first,
        let second = own.dropFirst().first(where: { $0.mtu != first.mtu })
      else { continue }
      let long = longPDUs(after: second.answer.packet)
      return Finding(
        "\(side.words) exchanges the MTU again, with another result: \(first.mtu), then \(second.mtu)",
        at: second.request.packet,
        why:
          "A client may exchange the MTU once on a connection. A server may refuse the second request, or keep the first result while the client uses the second.\(long?.words ?? "")",
        evidence: PacketSet(of: first.request, first.answer, second.request, second.answer)
          .union(long?.packets ?? []),
        // A gap may hide the end of the link and the beginning of another.
        restsOnAbsence: true)
    }
    return nil
  }

  fileprivate func tooLong(_ pdu: ServerFaults.LongPDU) -> Finding {
    let exchange = attributes.mtuExchanges.last { $0.answer.packet < pdu.moment.packet }
    let place: Wording = exchange.map { " (\(packet: $0.answer.packet))" } ?? ""
    let more: Wording =
      pdu.count > 1 ? " The MTU was exceeded \(pdu.count) times in such PDUs." : ""
    let identity = attributes.identity(pdu.handle, of: pdu.sender)
    let name: Wording = identity.map { " for \($0)" } ?? ""
    return Finding(
      "\(pdu.sender.possessive) \(pdu.opcode.words)\(name) has \(pdu.length) bytes, but the MTU is \(pdu.mtu)",
      at: pdu.moment.packet,
      why:
        "The sides exchanged this MTU\(place), and no PDU may have more bytes.\(more)",
      evidence: PacketSet(of: exchange?.request, exchange?.answer, pdu.moment), of: identity,
      restsOnAbsence: true)
  }

  fileprivate func tooLong(_ value: ServerFaults.LongValue) -> Finding {
    let name = attributes.name(value.handle, of: value.server)
    let more: Wording = value.count > 1 ? " It is the first of \(value.count) such PDUs." : ""
    return Finding(
      value.isRead
        ? "a read of \(name) reaches to byte \(value.length)"
        : "a value of \(name) has \(value.length) bytes", at: value.moment.packet,
      why:
        "No attribute value is longer than 512 bytes (Core, Vol 3, Part F, 3.2.9).\(more)",
      evidence: [value.moment.packet], of: attributes.identity(value.handle, of: value.server))
  }

  /// Fewer writes of this length may be a protocol's.
  private static let leastPieces = 10

  fileprivate func pieces(_ usage: AttributeUsage) -> Finding? {
    let pieces = usage.writtenPieces.longest
    let (first, last) = (pieces.first, pieces.last)
    guard pieces.count >= Self.leastPieces, !pieces.isNumbered,
      let exchange = attributes.mtuExchanges.last(where: { $0.answer.packet < first.packet }),
      exchange.mtu > BearerMTU.byDefault,
      usage.vendor == nil || attributes.vendors.joined.contains(where: { $0.isWritten })
    else { return nil }
    return Finding(
      "\(pieces.count) consecutive writes to \(usage.named) have exactly 20 bytes: the MTU is \(exchange.mtu)",
      at: first.packet,
      why:
        "20 bytes fill a write with the default MTU, but \(exchange.mtu) was exchanged before (\(packet: exchange.answer.packet)) and has room for \(exchange.mtu - 3): they may be the pieces of longer values.",
      evidence: PacketSet(of: exchange.answer, first, last), of: usage.named)
  }
}
