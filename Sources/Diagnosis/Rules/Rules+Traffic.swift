import Bluetooth
import Bytes
import Decoders
import Sessions
import Words

// Rules about lengths, frames and transfers.

extension Rule {
  /// The rules about lengths, frames and transfers.
  static let traffic: [Rule] = [
    Rule(
      "att-write-too-long", .warning, "A write is longer than it can be",
      when:
        """
        a Write Request or Command has more bytes than the MTU in force, or a prepared write \
        reaches behind byte 512
        """, needs: [.bothDirections],
      do:
        """
        Ask for a larger MTU first (on Android requestMtu()), and split what is longer: CoreBluetooth says \
        how much fits by maximumWriteValueLength(for:), Android by onMtuChanged(); no value has more than \
        512 bytes.
        """
    ) { connection, _ in
      Finding.together(
        connection.attributes.longWrites.map { write in
          let what: Wording =
            write.isValue
            ? "A write to \(write.attribute) reaches to byte \(write.length)"
            : """
            A write to \(write.attribute) has \(write.length - 3) bytes where \
            \(max(0, write.most - 3)) fit
            """
          return Finding(
            what,
            headline:
              """
              \(write.client.words) wrote more than fits to \(write.attribute) \
              (\(packet: write.moment.packet))
              """,
            why:
              write.isValue
              ? "No attribute value is longer than 512 bytes (Core, Vol 3, Part F, 3.2.9)."
              : """
              The MTU is \(write.most): a write has room for \(max(0, write.most - 3)) bytes \
              beside opcode and handle.
              """,
            evidence: [write.moment.packet])
        })
    },
    Rule(
      "att-mtu-default", .note,
      "Values are cut into pieces of 20 bytes, since nobody asks for a larger MTU",
      when:
        """
        no MTU is exchanged on a link whose opening is in the capture, and a message takes \
        several notifications or writes that fill the default MTU of 23
        """, needs: [.bothDirections, .opening],
      do:
        """
        Ask for a larger MTU after connecting: on Android requestMtu(517), with Zephyr \
        bt_gatt_exchange_mtu(); iOS does it on its own.
        """
    ) { connection, _ in connection.defaultMTU.map { [$0] } ?? [] },
    Rule(
      "gatt-counter-gap", .warning, "Values are missing: a counter in them has gaps",
      when:
        """
        the first byte of 20 notifications or more grows by one each time but for a few places \
        where it grows by more
        """,
      do:
        """
        Look into the sender: notifications that do not fit into its transmit queue are dropped where it \
        does not wait (Zephyr: bt_gatt_notify returns -ENOMEM; iOS: updateValue returns false). A shorter \
        connection interval or a larger MTU drains the queue faster.
        """
    ) { connection, _ in
      connection.attributes.usages.compactMap { usage in
        let counter = usage.counter
        guard counter.isCounter, counter.gapCount > 0, let first = counter.gaps.first else {
          return nil
        }
        var finding = Finding(
          """
          \(count: counter.missing, "value", "values") of \(usage.identity) \
          \(counter.missing == 1 ? ("is" as Wording) : "are") missing
          """,
          headline:
            """
            \(count: counter.missing, "value", "values") of \(usage.identity) did not arrive \
            (first behind \(packet: first.before))
            """,
          why:
            """
            The first byte counts: it grew by one \(counter.steps) times and skipped \
            \(count: counter.gapCount, "time", "times"). Bluetooth loses nothing on a link, so \
            the sender dropped them before.
            """,
          .likely,
          evidence: PacketSet(counter.gaps.flatMap { [$0.before, $0.after] }))
        finding.restsOnAbsence = true
        return finding
      }
    },
    Rule(
      "frame-checksum", .warning, "A frame of a vendor's protocol has a wrong checksum",
      when:
        """
        a frame on a channel where the protocol was recognised has another checksum than its \
        bytes give
        """,
      do:
        """
        Mend the sender's checksum: which bytes it covers, its first value, and the order of its \
        bytes.
        """
    ) { connection, _ in
      Finding.together(connection.attributes.vendors.badFrames.map(connection.badFrame))
    },
    Rule(
      "frame-transfer-incomplete", .warning, "A transfer that was counted did not become complete",
      when:
        "a vendor's message announces a number of others, or of parts, and fewer follow",
      do:
        """
        Ask for what is missing again; look for a transmit queue that overflows, or a link that \
        ends too early.
        """
    ) { connection, _ in
      Finding.together(
        connection.attributes.vendors.tallies.flatMap { tally in
          tally.unfinished.map { unfinished in
            let kind: Wording = unfinished.kind == .series ? "series" : "message in parts"
            let counts: Wording =
              if let count = unfinished.count {
                "\(unfinished.received) of \(count)"
              } else {
                "\(unfinished.received) and not all"
              }
            let numbers = unfinished.missing.prefix(8).map { Wording("\($0)") }
            let missing: Wording =
              numbers.isEmpty ? "" : " Missing: \(Wording(numbers, joinedBy: ", "))."
            var finding = Finding(
              "\(Wording(stringLiteral: tally.title)): a \(kind) stayed incomplete",
              headline:
                """
                a \(kind) of \(Wording(stringLiteral: tally.title)) stayed incomplete \
                (\(packet: unfinished.packet))
                """,
              why: "\(counts) came of what \(packet: unfinished.packet) began.\(missing)",
              evidence: [unfinished.packet])
            finding.restsOnAbsence = true
            return finding
          }
        })
    },
    Rule(
      "frame-unanswered", .note, "Requests of a vendor's protocol have no answer",
      when: "no response that fits follows a request within the protocol's time",
      needs: [.bothDirections],
      do: "Look whether the device knows the command, and whether its answers are subscribed to."
    ) { connection, _ in
      let bad = connection.attributes.vendors.badFrames.map(\.moment.packet)
      return connection.attributes.vendors.tallies.compactMap { tally in
        let open = tally.unanswered.filter { !bad.contains($0) }
        guard let first = open.first, tally.answered > 0 else { return nil }
        var finding = Finding(
          """
          \(Wording(stringLiteral: tally.title)): \(count: open.count, "request", "requests") \
          without an answer
          """,
          headline:
            """
            \(count: open.count, "request", "requests") of \
            \(Wording(stringLiteral: tally.title)) had no answer (\(packet: first))
            """,
          why: "\(tally.answered) of \(tally.requests) were answered.", .likely,
          evidence: PacketSet(open))
        finding.restsOnAbsence = true
        return finding
      }
    },
    Rule(
      "app-level-pairing", .note,
      "The application has a pairing of its own; Bluetooth's is not used",
      when:
        """
        the link was never encrypted, nobody asked to pair, its opening is in the capture, and \
        the first message of a vendor's protocol is a login or a handshake
        """, needs: [.bothDirections, .events, .opening],
      do: "Nothing in the settings of the phone helps here: follow the vendor's handshake."
    ) { connection, _ in
      let attributes = connection.attributes
      guard let opening = attributes.vendors.opening, !connection.connection.isOpeningMissing,
        connection.connection.isEncrypted == false, connection.security.pairingRequests.isEmpty,
        isHandshake(opening.name)
      else { return [] }
      var finding = Finding(
        "No SMP pairing: the application exchanges frames of its own first",
        headline:
          """
          the application exchanges frames of its own first (\(packet: opening.moment.packet)) \
          instead of pairing
          """,
        why:
          """
          The link was never encrypted, and the profile \(Wording(stringLiteral: opening.profile)) calls \
          the first message\(opening.words.map { " (\"\($0)\")" as Wording } ?? "") \
          \(Wording(stringLiteral: opening.name)).
          """,
        evidence: [opening.moment.packet])
      finding.restsOnAbsence = true
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
    guard attributes.mtuExchanges.isEmpty, !connection.isOpeningMissing,
      connection.mtu == nil, connection.transport == .le,
      connection.largestATT <= AttributeHistory.defaultMTU
    else { return nil }
    let asked = attributes.refusals.first { $0.opcode == .exchangeMTURequest }
    guard !attributes.unanswered.contains(where: { $0.opcode == .exchangeMTURequest }) else {
      return nil
    }
    let reason: Wording =
      if let asked {
        "The request for a larger MTU was refused (\(packet: asked.answer.packet))"
      } else {
        "Nobody exchanged the MTU on this connection"
      }
    let joined = attributes.vendors.joined.filter { $0.parts > 1 }
    if let most = joined.max(by: { $0.length < $1.length }) {
      let evidence = most.count > 1 ? most.first.union(most.last) : most.first
      let what: Wording =
        """
        Messages of \(count: most.length, "byte", "bytes") took \(most.parts) \
        \(most.isWritten ? ("writes" as Wording) : "notifications") each: the MTU is 23
        """
      var finding = Finding(
        what,
        headline: "messages took \(most.parts) packets each, since the MTU stays 23",
        why:
          """
          \(reason). With an MTU of \(most.length + 3) or more \
          they would fit in one.
          """,
        evidence: evidence)
      finding.restsOnAbsence = true
      finding.remedy = Self.askForMTU(most.isWritten ? most.sender : most.sender.other)
      return finding
    }
    // Without a known protocol: consecutive values that fill the PDU.
    let full = attributes.usages.compactMap { usage -> (AttributeUsage, Tally)? in
      let tally =
        usage.fullNotifications.count >= usage.fullWrites.count
        ? usage.fullNotifications : usage.fullWrites
      return tally.count >= 3 ? (usage, tally) : nil
    }
    guard let (usage, tally) = full.max(by: { $0.1.count < $1.1.count }) else { return nil }
    var finding = Finding(
      "\(tally.count) values of \(usage.identity) have exactly 20 bytes: the MTU is 23",
      headline: "values of \(usage.identity) are cut to 20 bytes, since the MTU stays 23",
      why:
        """
        \(reason), and these values fill it; what is longer \
        takes several.
        """,
      .likely, evidence: PacketSet([tally.first, tally.last].compactMap { $0?.packet }))
    finding.restsOnAbsence = true
    finding.attribute = usage.identity
    finding.remedy = Self.askForMTU(usage.server.other)
    return finding
  }

  /// Returns the remedy that the client should request a larger MTU, or nil if that is this host,
  /// for which the rule's own remedy applies.
  private static func askForMTU(_ client: Side) -> Wording? {
    client == .local
      ? nil
      : """
      The client asks for a larger MTU after connecting, here the peer: its application has to, on \
      Android by requestMtu(517); iOS does it on its own.
      """
  }

  /// Returns a finding about a frame with a wrong checksum, and its result.
  fileprivate func badFrame(_ frame: VendorTraffic.BadFrame) -> Finding {
    let digits = frame.expected > 0xffff ? 8 : frame.expected > 0xff || frame.found > 0xff ? 4 : 2
    let name =
      frame.words.map { "\"\($0)\"" as Wording }
      ?? frame.command.map { "command \(code: $0, digits: 2)" as Wording } ?? "the frame"
    var pieces: [Wording] = []
    var evidence: PacketSet = [frame.moment.packet]
    if frame.isRequest, !frame.isAnswered { pieces.append("\(name) had no answer") }
    if frame.isAnswered { pieces.append("\(name) was answered all the same") }
    if let next = frame.next {
      evidence.insert(next.moment.packet)
      let after: Wording =
        next.moment.nanoseconds(since: frame.moment).map { "\(duration: $0) later" } ?? "then"
      if !frame.isAnswered, let words = next.words {
        pieces.append(
          "\(after) \(frame.sender.other.words) sent \"\(words)\" (\(packet: next.moment.packet))")
      }
    }
    let outcome: Wording =
      pieces.isEmpty ? "" : " \(Wording(pieces, joinedBy: "; ").capitalized)."
    return Finding(
      Wording(
        """
        \(frame.sender.words) sent a frame with a wrong checksum: \
        \(code: frame.found, digits: digits) where \(code: frame.expected, digits: digits) is \
        right
        """
      ).capitalized,
      headline:
        """
        \(frame.sender.words) sent one frame with a wrong checksum \
        (\(packet: frame.moment.packet))
        """,
      why:
        """
        The checksum of \(Wording(stringLiteral: frame.profile)) over the frame's bytes gives \
        \(code: frame.expected, digits: digits).\(outcome)
        """,
      evidence: evidence)
  }
}
