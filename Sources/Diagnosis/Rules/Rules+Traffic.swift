import Histories
import Bluetooth
import Bytes
import Decoders
import Meanings
import Sessions

// Rules about lengths, frames and transfers.

extension Rule {
  /// The rules about lengths, frames and transfers.
  static let traffic: [Rule] = [
    Symptom(
      "att_write_too_long", .warning, .fact, "A write is longer than allowed",
      when:
        "a Write Request or Command has more bytes than the MTU in force, or a prepared write goes beyond byte 512",
      do:
        "Exchange a larger MTU first (on Android requestMtu()), and split longer values: CoreBluetooth reports the limit in maximumWriteValueLength(for:), Android in onMtuChanged(); no value has more than 512 bytes."
    ).needing([.bothDirections]).onConnection(merges: true) { connection, _ in
      connection.attributes.longWrites.map { write in
        let what: Wording =
          write.isValue
          ? "A write to \(write.attribute) reaches to byte \(write.length)"
          : "A write to \(write.attribute) has \(write.length - 3) bytes, but only \(max(0, write.most - 3)) fit"
        // An exchange may be among the records that are missing.
        return Finding(
          what,
          headline:
            "\(write.client.words) wrote more to \(write.attribute) than fits (\(packet: write.moment.packet))",
          why: write.isValue
            ? "No attribute value is longer than 512 bytes (Core, Vol 3, Part F, 3.2.9)."
            : "The MTU is \(write.most): a write has room for \(max(0, write.most - 3)) bytes after opcode and handle.",
          evidence: [write.moment.packet],
          restsOnAbsence: !write.isValue && connection.connection.mtu == nil)
      }
    },
    Symptom(
      "att_mtu_default", .note, .fact,
      "Values are split into 20-byte pieces because the MTU is not exchanged",
      when:
        "no MTU is exchanged on a link whose opening is in the capture, and a message needs several notifications or writes that fill the default MTU of 23",
      do:
        "Exchange the MTU after connecting: on Android requestMtu(517), with Zephyr bt_gatt_exchange_mtu(); iOS does so on its own."
    ).needing([.bothDirections, .opening]).onConnection { connection, _ in
      connection.defaultMTU.map { [$0] } ?? []
    },
    Symptom(
      "gatt_counter_gap", .warning, .meaning, "Values are missing: a counter in them has gaps",
      when:
        "the first byte of 20 or more notifications grows by one each time, except in a few places where it grows by more; not if the queue was idle and no time passed for the missing values",
      do:
        "Check the sender: if it does not wait, notifications that do not fit into its transmit queue are dropped (Zephyr: bt_gatt_notify returns -ENOMEM; iOS: updateValue returns false). A shorter connection interval or a larger MTU drains the queue faster."
    ).onConnection(
      about: Bool.self,
      elsewise: [
        Alternative("the counter itself skips values") { isTimed, _ in isTimed },
        Alternative(always: "the recorder lost them"),
      ]
    ) { connection, _ in
      connection.attributes.usages.compactMap { usage -> (Bool, Finding)? in
        let counter = usage.counter
        let gaps = counter.gaps.filter { !connection.isJump($0, counter) }
        guard counter.isCounter, let first = gaps.first else { return nil }
        let isWhole = gaps.count == counter.gaps.count
        let missing = isWhole ? counter.missing : gaps.reduce(0) { $0 + $1.missing }
        // The time of a value that was not sent passed as well.
        let isTimed = gaps.allSatisfy { counter.isTimed($0) }
        let finding = Finding(
          "\(count: missing, "value", "values") of \(usage.named) \(missing == 1 ? ("is" as Wording) : "are") missing",
          headline:
            "\(count: missing, "value", "values") of \(usage.named) did not arrive (first after \(packet: first.before))",
          why:
            "The first byte is a counter: it grew by one \(counter.steps) times and skipped values \(count: isWhole ? counter.gapCount : gaps.count, "time", "times"). A Bluetooth link delivers all data or ends, so it did not lose them.",
          evidence: PacketSet(gaps.flatMap { [$0.before, $0.after] }), isTimed ? nil : .note,
          restsOnAbsence: true)
        return (isTimed, finding)
      }
    },
    Symptom(
      "frame_checksum", .warning, .fact, "A frame of a vendor's protocol has a wrong checksum",
      when:
        "a frame on a channel where the protocol was recognised has a checksum that does not match its bytes",
      do: "Fix the sender's checksum: the bytes it covers, its initial value, and its byte order."
    ).onConnection(merges: true) { connection, _ in
      connection.attributes.vendors.badFrames.map(connection.badFrame)
    },
    Symptom(
      "frame_transfer_incomplete", .warning, .fact, "A vendor's transfer is incomplete",
      when: "a vendor's message announces a number of others, or of parts, and fewer follow",
      do:
        "Request the missing parts again; look for a transmit queue that overflows, or a link that ends too early."
    ).onConnection(merges: true) { connection, _ in
      connection.attributes.vendors.tallies.flatMap { tally in
        tally.unfinished.map { unfinished in
          let kind: Wording = unfinished.kind == .series ? "series" : "message in parts"
          let counts: Wording =
            if let total = unfinished.total {
              "\(unfinished.byteCount) of \(total) bytes"
            } else if let count = unfinished.count {
              "\(unfinished.received) of \(count)"
            } else {
              "only \(unfinished.received)"
            }
          let numbers = unfinished.missing.prefix(8).map { Wording("\($0)") }
          let missing: Wording =
            numbers.isEmpty ? "" : " Missing: \(Wording(numbers, joinedBy: ", "))."
          return Finding(
            "\(Wording(stringLiteral: tally.title)): a \(kind) stayed incomplete",
            headline:
              "a \(kind) of \(Wording(stringLiteral: tally.title)) stayed incomplete (\(packet: unfinished.packet))",
            why:
              "Of the transfer that \(packet: unfinished.packet) started, \(counts) arrived.\(missing)",
            evidence: [unfinished.packet], restsOnAbsence: true)
        }
      }
    },
    Symptom(
      "frame_unanswered", .note, .meaning, "Requests of a vendor's protocol have no answer",
      when: "no matching response follows a request within the protocol's timeout",
      do:
        "Check whether the device supports the command, and whether its length and order are right."
    ).needing([.bothDirections]).onConnection(elsewise: [
      Alternative(always: "the protocol has no answer to these requests")
    ]) { connection, evidence in
      let bad = connection.attributes.vendors.badFrames.map(\.moment.packet)
      return connection.attributes.vendors.tallies.compactMap { tally -> Finding? in
        let open = tally.unanswered.filter { !bad.contains($0) }
        guard let first = open.first else { return nil }
        // A protocol may leave requests unanswered; but not if its answers could not arrive.
        let missed = connection.missedSubscriptions(evidence).first { missed in
          missed.isPartial
            && connection.attributes.usages.contains {
              $0.server == missed.server && $0.handle == missed.written.handle
                && $0.vendor == tally.owner
            }
        }
        guard tally.answered > 0 || missed != nil && open.count >= 2 else { return nil }
        let isLeast: StaticString = tally.omitsUnanswered ? "at least " : ""
        let requests: Wording = "\(isLeast)\(count: open.count, "request", "requests")"
        let title = Wording(stringLiteral: tally.title)
        var finding = Finding(
          "\(title): \(requests) without an answer",
          headline: "\(requests) of \(title) had no answer (\(packet: first))",
          why: "\(tally.answered) of \(tally.requests) were answered.", evidence: PacketSet(open),
          restsOnAbsence: true)
        if tally.answered == 0, let missed {
          let client = missed.server.other
          let senders = Wording(listing: missed.senders.prefix(3).map { "\($0)" })
          finding.severity = .warning
          finding.headline = "\(finding.headline): \(client.words) did not subscribe to \(senders)"
          finding.why =
            "None was answered. The service can send answers with \(senders), but \(client.words) wrote no CCCD there on this connection."
          finding.remedy = "Subscribe to \(senders) before the first request (write the CCCD)."
        }
        return finding
      }
    },
    Symptom(
      "app_level_pairing", .note, .meaning,
      "The application has its own pairing and does not use Bluetooth's",
      when:
        "the link was never encrypted, neither side asked to pair, its opening is in the capture, and the first message of a vendor's protocol is a login or a handshake",
      do: "The phone's settings do not help here: follow the vendor's handshake."
    ).needing([.bothDirections, .events, .opening]).onConnection { connection, _ in
      let attributes = connection.attributes
      guard let opening = attributes.vendors.opening, !connection.connection.isOpeningMissing,
        connection.connection.isEncrypted == false, connection.security.pairingRequests.isEmpty,
        isHandshake(opening.name)
      else { return [] }
      let finding = Finding(
        "No SMP pairing: the application exchanges frames of its own first",
        headline:
          "the application exchanges frames of its own first (\(packet: opening.moment.packet)) instead of pairing",
        why:
          "The link was never encrypted, and the profile \(Wording(stringLiteral: opening.profile)) calls the first message\(opening.words.map { " (\"\($0)\")" as Wording } ?? "") \(Wording(stringLiteral: opening.name)).",
        evidence: [opening.moment.packet], restsOnAbsence: true)
      return [finding]
    },
  ]

  /// Returns whether a profile's name for a message indicates that two sides authenticate: one of
  /// its words starts so.
  private static func isHandshake(_ name: String) -> Bool {
    let beginnings = [
      "auth", "login", "handshake", "bind", "unlock", "pair", "session", "password",
    ]
    // In bytes, since this is evaluated for each connection: characters would cost ten times as
    // much.
    let words = name.lowercased().utf8.split { !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0) }
    return words.contains { word in beginnings.contains { word.starts(with: $0.utf8) } }
  }
}

extension ConnectionHistory {
  /// A finding about a message that is split over several values because the MTU stays 23.
  fileprivate var defaultMTU: Finding? {
    guard attributes.mtuExchanges.isEmpty, connection.mtu == nil, connection.knownMTU != nil,
      connection.largestATT <= BearerMTU.byDefault
    else { return nil }
    let asked = attributes.refusals.first { $0.opcode == .exchangeMTURequest }
    guard !attributes.unanswered.contains(where: { $0.opcode == .exchangeMTURequest }) else {
      return nil
    }
    let reason: Wording =
      asked.map { "The MTU exchange was refused (\(packet: $0.answer.packet))" }
      ?? "Neither side exchanged the MTU on this connection"
    let joined = attributes.vendors.joined.filter { $0.parts > 1 }
    if let most = joined.max(by: { $0.length < $1.length }) {
      let evidence = most.count > 1 ? most.first.union(most.last) : most.first
      let what: Wording =
        "Messages of \(count: most.length, "byte", "bytes") took \(most.parts) \(most.isWritten ? ("writes" as Wording) : "notifications") each: the MTU is 23"
      return Finding(
        what, headline: "messages took \(most.parts) packets each because the MTU stays 23",
        why: "\(reason). With an MTU of \(most.length + 3) or more they would fit in one.",
        evidence: evidence, restsOnAbsence: true,
        do: Self.askForMTU(most.isWritten ? most.sender : most.sender.other))
    }
    // Without a known protocol: values in a row that fill the PDU. If each is answered, or
    // numbered, they are messages of this length.
    let full = attributes.usages.filter { $0.vendor == nil }.compactMap { usage in
      [usage.sentPieces, usage.writtenPieces].filter {
        $0.longest.count >= 3 && !$0.longest.isNumbered
      }.max { $0.all.count < $1.all.count }.map { (usage, $0.all) }
    }
    guard let (usage, tally) = full.max(by: { $0.1.count < $1.1.count }) else { return nil }
    var finding = Finding(
      "\(tally.count) values of \(usage.named) have exactly 20 bytes: the MTU is 23",
      headline: "values of \(usage.named) are split into 20-byte pieces because the MTU stays 23",
      why: "\(reason), and these values fill it; longer ones need several packets.",
      evidence: PacketSet(of: tally.first, tally.last), restsOnAbsence: true,
      do: Self.askForMTU(usage.server.other))
    finding.attribute = usage.named
    return finding
  }

  /// Returns the remedy that the client should request a larger MTU, or nil if that is this host,
  /// for which the rule's own remedy applies.
  private static func askForMTU(_ client: Side) -> Wording? {
    client == .local
      ? nil
      : "The client, here the peer, has to exchange the MTU after connecting: on Android its application calls requestMtu(517); iOS does so on its own."
  }

  /// Returns a finding about a frame with a wrong checksum, and its result.
  fileprivate func badFrame(_ frame: VendorTraffic.BadFrame) -> Finding {
    let digits = frame.expected > 0xffff ? 8 : frame.expected > 0xff || frame.found > 0xff ? 4 : 2
    let name =
      frame.words.map { "\"\($0)\"" as Wording }
      ?? frame.command.map { "command \(code: $0, digits: 2)" as Wording } ?? "the frame"
    var pieces: [Wording] = []
    if frame.isAnswered {
      pieces.append("\(name) was answered anyway")
    } else {
      if frame.isRequest { pieces.append("\(name) had no answer") }
      if let next = frame.next, let words = next.words {
        let after: Wording =
          next.moment.nanoseconds(since: frame.moment).map { "\(duration: $0) later" } ?? "then"
        pieces.append(
          "\(after) \(frame.sender.other.words) sent \"\(words)\" (\(packet: next.moment.packet))")
      }
    }
    let outcome: Wording = pieces.isEmpty ? "" : " \(Wording(pieces, joinedBy: "; ").capitalized)."
    return Finding(
      "\(frame.sender.capitalized) sent a frame with a wrong checksum: \(code: frame.found, digits: digits) instead of \(code: frame.expected, digits: digits)",
      headline:
        "\(frame.sender.words) sent one frame with a wrong checksum (\(packet: frame.moment.packet))",
      why:
        "The checksum of \(Wording(stringLiteral: frame.profile)) over the frame's bytes gives \(code: frame.expected, digits: digits).\(outcome)",
      evidence: PacketSet(of: frame.moment, frame.next?.moment))
  }

  /// Returns whether the sender's queue was idle at a gap and no time passed for the missing
  /// values: the counter itself jumped.
  fileprivate func isJump(_ gap: CountingByte.Gap, _ counter: CountingByte) -> Bool {
    guard let interval = connection.interval else { return false }
    return !counter.isTimed(gap) && counter.period >= 5 * Int64(interval) * 1_250_000
  }
}

extension CountingByte {
  /// Returns whether the pause at a gap leaves room for the missing values.
  fileprivate func isTimed(_ gap: Gap) -> Bool {
    guard let pause = gap.pause, period > 0 else { return false }
    return pause >= Int64(gap.missing + 1) * min(period, 1_000_000_000_000) / 4 * 3
  }
}
