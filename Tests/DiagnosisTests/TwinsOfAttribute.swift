import Bluetooth
import MadeTraffic

extension Twin {
  /// The twins of these rules.
  static let attributeTwins: [Twin] =
    refusalTwins + requestTwins + serverTwins + subscriptionTwins

  // MARK: Refusals

  private static let refusalTwins: [Twin] = [
    Twin(
      "att_mitm_demanded",
      or:
        "the key is authenticated, and the attribute requires LE Secure Connections or another bond",
      excludedBy: {
        $0.connect()
        $0.agreeToPair()
        $0.encrypted()
        $0.ask("0a 13 00", "01 0a 13 00 05")
      },
      openIn: {
        $0.connect()
        $0.encrypted()
        $0.ask("0a 13 00", "01 0a 13 00 05")
      }),
    unprotected("att_insufficient_authentication", "05"),
    unprotected("att_insufficient_encryption", "0f"),
    Twin(
      "att_not_permitted",
      or: "the handle is from an earlier connection, and the attributes have changed since",
      excludedBy: refusedWrite,
      openIn: {
        $0.connectToHeartRate()
        $0.disconnect()
        $0.connect()
        $0.ask("12 13 00 01", "01 12 13 00 03")
      }),
    Twin(
      "att_invalid_handle",
      or: "the handle is from an earlier connection, and the attributes have changed since",
      excludedBy: {
        $0.connectToHeartRate()
        $0.ask("0a ff 0f", "01 0a ff 0f 01")
      },
      openIn: {
        $0.connect()
        $0.ask("0a 13 00", "01 0a 13 00 01")
      }),
    Twin(
      "att_not_permitted", or: "iOS refuses it for a reason of its own", excludedBy: refusedWrite,
      openIn: { $0.refuseNotificationCenter(sends: false) }),
    Twin(
      "att_invalid_offset", or: "the value has become shorter since the previous response",
      excludedBy: readBeyondEnd,
      openIn: {
        $0.connect()
        $0.ask("0a 13 00", "0b \(ascending(22))")
        $0.ask("0c 13 00 16 00", "01 0c 13 00 07")
      }),
    Twin(
      "att_invalid_offset",
      or: "the server had the bytes between already, and another part is wrong",
      excludedBy: readBeyondEnd,
      openIn: {
        $0.connect()
        $0.ask("16 15 00 00 00 01 02", "17 15 00 00 00 01 02")
        $0.ask("16 15 00 05 00 03", "17 15 00 05 00 03")
        $0.ask("18 01", "01 18 15 00 07")
      }),
    Twin(
      "att_prepare_queue", or: "another client has filled the queue",
      excludedBy: {
        $0.connect()
        $0.ask("16 15 00 00 00 01 02", "17 15 00 00 00 01 02")
        $0.ask("16 15 00 02 00 03", "01 16 15 00 09")
      },
      openIn: {
        $0.connect()
        $0.ask("16 15 00 00 00 01 02", "01 16 15 00 09")
      }),
  ]

  private static func unprotected(_ rule: String, _ error: String) -> Twin {
    Twin(
      rule, or: "the link was encrypted already, with a key that does not suffice",
      excludedBy: {
        $0.connect()
        $0.ask("0a 13 00", "01 0a 13 00 \(error)")
      },
      openIn: { $0.ask("0a 13 00", "01 0a 13 00 \(error)") })
  }

  @Sendable private static func refusedWrite(_ traffic: inout Traffic) {
    traffic.connectToHeartRate()
    traffic.ask("12 13 00 01", "01 12 13 00 03")
  }

  @Sendable private static func readBeyondEnd(_ traffic: inout Traffic) {
    traffic.connect()
    traffic.ask("0c 13 00 50 00", "01 0c 13 00 07")
  }

  // MARK: Requests

  private static let requestTwins: [Twin] = [
    unanswered("its answer is missing from this capture") { $0.end(after: 8000) },
    unanswered("the answer was still to come when the link ended") { $0.end(after: 8000) },
    unanswered("the link was already dead", isHeard: false) { $0.end(after: 30_000) },
    unanswered("its answer was taken for the answer to another request", isDoubled: true) {
      $0.end(after: 30_000)
    },
    unconfirmed("its answer is missing from this capture", lasts: 8000),
    unconfirmed("the answer was still to come when the link ended", lasts: 8000),
    unconfirmed("the link was already dead", isHeard: false),
    unconfirmed("its client had subscribed before this capture began", isEncrypted: true),
    second("the answer to the previous one is missing from this capture") {
      $0.sent("0a 13 00")
      $0.ask("0a 15 00", "0b 02")
      $0.end(after: 3000)
    },
    second("a response that no request waits for was taken for the answer") {
      $0.ask("0a 13 00", "0b 01")
      $0.received("0b 01")
      $0.sent("0a 13 00")
      $0.ask("0a 15 00", "0b 01")
      $0.received("0b 02")
    },
    second("one program exchanges the MTU twice") {
      $0.sent("02 05 02")
      $0.ask("02 05 02", "03 05 02")
      $0.received("03 05 02")
    },
  ]

  /// A read that gets no answer: this host gives up after ATT's 30 s, or `end`.
  private static func unanswered(
    _ words: String, isHeard: Bool = true, isDoubled: Bool = false,
    _ end: @escaping @Sendable (inout Traffic) -> Void
  ) -> Twin {
    @Sendable func read(_ traffic: inout Traffic, _ isHeard: Bool, _ isDoubled: Bool) {
      traffic.connectToHeartRate()
      if isDoubled { traffic.received("05 01 11 00 02 29") }
      traffic.sent("0a 13 00")
      if isHeard { traffic.completed(4) }
    }
    return Twin(
      "att_request_unanswered", or: words,
      excludedBy: {
        read(&$0, true, false)
        $0.end(after: 30_000)
      },
      openIn: {
        read(&$0, isHeard, isDoubled)
        end(&$0)
      })
  }

  /// An indication of this host without a confirmation.
  private static func unconfirmed(
    _ words: String, lasts: Int = 30_000, isHeard: Bool = true, isEncrypted: Bool = false
  ) -> Twin {
    @Sendable func indicate(
      _ traffic: inout Traffic, _ lasts: Int, _ isHeard: Bool, _ isEncrypted: Bool
    ) {
      traffic.connect(role: 1)
      if isEncrypted { traffic.encrypted() }
      traffic.discoverThermometer(by: .received)
      traffic.sent("1d 18 00 00 6c 01 00 ff")
      if isHeard { traffic.completed(4) }
      traffic.end(after: lasts)
    }
    return Twin(
      "att_indication_unconfirmed", or: words,
      excludedBy: { indicate(&$0, 30_000, true, false) },
      openIn: { indicate(&$0, lasts, isHeard, isEncrypted) })
  }

  /// Two requests at a time.
  private static func second(
    _ words: String, _ open: @escaping @Sendable (inout Traffic) -> Void
  ) -> Twin {
    Twin(
      "att_second_request", or: words,
      excludedBy: {
        $0.connect()
        $0.sent("0a 13 00")
        $0.ask("0a 15 00", "0b 01")
        $0.received("0b 02")
      },
      openIn: {
        $0.connect()
        open(&$0)
      })
  }

  // MARK: Servers

  private static let serverTwins: [Twin] = [
    Twin(
      "att_offset_ignored", or: "the value repeats these bytes",
      excludedBy: { $0.readParts(25, ascending(22)) },
      openIn: { $0.readParts(4, ascending(22)) }),
    Twin(
      "att_offset_ignored", or: "the value has more than 512 bytes, all alike",
      excludedBy: { $0.readParts(25, ascending(22)) },
      openIn: { $0.readParts(25, ascending(22, step: 0)) }),
    Twin(
      "gatt_wrong_handle", or: "the service before it ends too early in the server's table",
      excludedBy: {
        $0.connect()
        $0.discoverVendor()
        $0.received("1b 0f 00 01")
      },
      openIn: {
        $0.connect()
        $0.discoverVendor()
        $0.received("1b 20 00 01")
      }),
    Twin(
      "gatt_stale_cache",
      or: "the attributes have not changed, and the server refuses for another reason",
      excludedBy: { $0.refuseLater("02", hashes: ("11", "22")) },
      openIn: { $0.refuseLater("02") }),
    Twin(
      "gatt_stale_cache", or: "the server never allowed this",
      excludedBy: { $0.refuseLater("02") },
      openIn: {
        $0.connect()
        $0.ask("08 06 00 0d 00 03 28", "09 07 07 00 20 08 00 05 2a")
        $0.received("1d 08 00 0e 00 ff ff")
        $0.sent("1e")
        $0.ask("0a 13 00", "01 0a 13 00 02")
      }),
    Twin(
      "gatt_value_cut", or: "the texts have this length by chance",
      excludedBy: {
        $0.connect()
        $0.discoverVendor()
        for _ in 0..<3 { $0.received("1b 10 00 \(ascii(#"{"id": "greenhouse-3"#))") }
      },
      openIn: {
        $0.connect()
        $0.discoverVendor()
        for text in ["0 m - Turn left onto", "120 m - Keep right a", "At the roundabout ta"] {
          for _ in 0..<2 { $0.sent("52 13 00 \(ascii(text))") }
        }
      }),
  ]

  // MARK: Subscriptions

  private static let subscriptionTwins: [Twin] = [
    Twin(
      "gatt_cccd_write_command", or: "the server accepted it, and has nothing to send",
      excludedBy: {
        $0.connect()
        $0.discoverVendor()
        $0.sent("52 11 00 01 00")
        $0.received("1b 10 00 01")
      },
      openIn: {
        $0.connect()
        $0.discoverVendor()
        $0.sent("52 11 00 01 00")
      }),
    Twin(
      "gatt_not_subscribed",
      or: "the client is bonded, and subscribed before this capture began",
      excludedBy: {
        $0.connect()
        $0.discoverVendor()
        $0.ask("12 13 00 aa", "13")
        $0.end(after: 3000)
      },
      openIn: {
        $0.connect()
        $0.pairSecurely()
        $0.startEncryption()
        $0.encrypted()
        $0.discoverVendor()
        $0.ask("12 13 00 aa", "13")
        $0.end(after: 3000)
      }),
    Twin(
      "gatt_cccd_lost", or: "there was nothing to send",
      excludedBy: { $0.reconnect(after: 6, isEncrypted: true) },
      openIn: { $0.reconnect(after: 3, isEncrypted: true) }),
    Twin(
      "gatt_not_encrypted", or: "there was nothing to send",
      excludedBy: { $0.reconnect(after: 6, isEncrypted: false) },
      openIn: { $0.reconnect(after: 3, isEncrypted: false) }),
    Twin(
      "gatt_result_missing", or: "the procedure was still under way",
      excludedBy: { $0.controlWithoutResult(lasts: 31_000) },
      openIn: { $0.controlWithoutResult(lasts: 6000) }),
  ]
}

extension Traffic {
  /// Refuses a command to the Notification Center Service, 0x0010 to 0x0014: its control point at
  /// 0x0012 (write), the Notification Source at 0x0014 (notify).
  mutating func refuseNotificationCenter(sends: Bool) {
    connect()
    ask(
      "10 01 00 ff ff 00 28", "11 14 10 00 14 00 d0 00 2d 12 1e 4b 0f a4 99 4e ce b5 31 f4 05 79")
    ask(
      "08 10 00 14 00 03 28",
      "09 15 11 00 08 12 00 d9 d9 aa fd bd 9b 21 98 a8 49 e1 45 f3 d8 d1 69")
    ask(
      "08 12 00 14 00 03 28",
      "09 15 13 00 10 14 00 bd 1d a2 99 e6 25 58 8c d9 42 01 63 0d 12 bf 9f")
    if sends { received("1b 14 00 00 10 01 01 00 00 00 00") }
    ask("12 12 00 00 01 00 00 00 00", "01 12 12 00 03")
    wait(20_000)
    disconnect()
  }

  /// Reads 2a38 in parts of 22 bytes, which are all the same.
  fileprivate mutating func readParts(_ count: Int, _ part: String) {
    connect()
    discoverHeartRate()
    for index in 0..<count {
      let offset = little(index * 22).map { String($0, radix: 16) }.joined(separator: " ")
      ask(index == 0 ? "0a 13 00" : "0c 13 00 \(offset)", "\(index == 0 ? "0b" : "0d") \(part)")
    }
  }

  /// Reads 2a38 on one connection; on the next one the read is refused.
  mutating func refuseLater(
    _ error: String, hashes: (String, String)? = nil, discovers: Bool = false
  ) {
    connect()
    discoverHeartRate()
    ask("0a 13 00", "0b 01")
    if let hashes { readHash(hashes.0) }
    disconnect()
    connect()
    if discovers { discoverHeartRate() }
    ask("0a 13 00", "01 0a 13 00 \(error)")
    if let hashes { readHash(hashes.1) }
    disconnect()
  }

  private mutating func readHash(_ byte: String) {
    ask("08 01 00 ff ff 2a 2b", "09 12 0d 00" + String(repeating: " \(byte)", count: 16))
  }

  /// Bonds, and gets a number of values a second apart; then a connection without values.
  fileprivate mutating func reconnect(after values: Int, isEncrypted: Bool) {
    connect()
    pairSecurely()
    startEncryption()
    encrypted()
    discoverHeartRate()
    ask("12 11 00 01 00", "13")
    for _ in 0..<values {
      received("1b 10 00 06 48")
      wait(1000)
    }
    askToDisconnect()
    disconnect(reason: 0x16)
    connect()
    if isEncrypted {
      startEncryption()
      encrypted()
    }
    end(after: 20_000)
  }

  /// Writes to a control point that indicates no result.
  fileprivate mutating func controlWithoutResult(lasts: Int) {
    connect()
    discoverControl("d9 2a")
    ask("12 13 00 00", "13")
    end(after: lasts)
  }
}
