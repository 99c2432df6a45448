import Bluetooth
import Cryptography
import Diagnosis
import Histories
import Dissectors
import Meanings
import Sessions

extension ConnectionHistory {
  /// Returns the lines about pairing.
  func pairingStory(_ evidence: Evidence) -> [StoryLine] {
    let requests = pairing.securityRequests.map { request in
      StoryLine(
        request.moment,
        "\(request.side.words) requests security: \(request.authReq.words)\(Wording.times(request.count))"
      )
    }
    return requests + omittedPairings + cutPairing
      + pairing.attempts.flatMap {
        PairingStory(
          $0, acts: pairing.acts(during: $0), mayBeCut: evidence.extent.truncatedData > 0
        ).lines
      }
  }

  /// A line about a pairing of which the capture has only the beginnings of its PDUs.
  private var cutPairing: [StoryLine] {
    guard let cut = pairing.cut else { return [] }
    return [
      StoryLine(
        cut.first, to: cut.last.packet,
        "pairing by an unknown method: the capture cut its \(count: cut.count, "packet", "packets") short"
      )
    ]
  }

  /// A line that attempts in the middle are omitted.
  private var omittedPairings: [StoryLine] {
    guard pairing.omitted > 0,
      let next = pairing.attempts.dropFirst(PairingHistory.firstAttempts).first
    else { return [] }
    let attempts: Wording = "\(count: pairing.omitted, "attempt is", "attempts are")"
    return [StoryLine(next.first, "\(attempts) not shown before this one")]
  }
}

/// The story of one attempt to pair.
private struct PairingStory {
  let attempt: PairingAttempt
  let acts: [PairingAct]

  /// Whether the capture cut data, which may contain what is missing here.
  let mayBeCut: Bool

  init(_ attempt: PairingAttempt, acts: [PairingAct], mayBeCut: Bool) {
    self.attempt = attempt
    self.mayBeCut = mayBeCut
    self.acts = acts
  }

  private var hasFailed: Bool { !attempt.isPaired }

  var lines: [StoryLine] {
    var lines = features
    if let line = publicKeys { lines.append(line) }
    if let line = keypresses { lines.append(line) }
    if attempt.isSecureConnections {
      lines += secureConnections
    } else {
      lines += legacy
    }
    if let line = checks { lines.append(line) }
    if let line = keys { lines.append(line) }
    // The actions of users and programs are reported if they may be the cause.
    if hasFailed { lines += acts.compactMap(Self.line) }
    if let line = failure { lines.append(line) }
    return lines
  }

  private func subject(_ role: PairingSide) -> StaticString { attempt.side(role).words }

  // MARK: Features

  private var features: [StoryLine] {
    var lines: [StoryLine] = []
    if let request = attempt.initiating.features {
      let over: Wording = attempt.isOverBREDR ? " for LE over BR/EDR" : ""
      lines.append(
        StoryLine(
          request.moment,
          "\(subject(.initiator)) asks to pair\(over)\(sooner(request.moment)): \(request.words)"))
    }
    if let response = attempt.responding.features {
      lines.append(
        StoryLine(
          response.moment, "\(subject(.responder)) agrees: \(response.words)", consequences))
    }
    if attempt.isBeginningMissing, lines.isEmpty {
      lines.append(
        StoryLine(
          attempt.first,
          mayBeCut
            ? "in the middle of a pairing whose start is cut short or not in the capture"
            : "in the middle of a pairing whose start is not in the capture")
      )
    }
    return lines
  }

  /// Returns a clause that it answers a Security Request.
  private func sooner(_ moment: Moment) -> Wording {
    guard let asked = attempt.askedFor else { return "" }
    return ", as requested at \(packet: asked.packet)"
  }

  private var consequences: [Wording] {
    if attempt.isOverBREDR { return ["the LE keys are derived from the BR/EDR link key"] }
    guard let words = attempt.methodWords else { return [] }
    if let shortfall = attempt.shortfall {
      return ["\(words)", "MITM protection was requested, but \(shortfall)"]
    }
    return [words]
  }

  // MARK: Values

  private var publicKeys: StoryLine? {
    let (first, second) = (attempt.initiating.publicKey, attempt.responding.publicKey)
    guard let begin = first ?? second else { return nil }
    let moments = [first?.moment, second?.moment].compactMap(\.self)
    let last = moments.map(\.packet).max() ?? begin.moment.packet
    let start = moments.min { $0.packet < $1.packet } ?? begin.moment
    guard first != nil, second != nil else {
      let role: PairingSide = first != nil ? .initiator : .responder
      return StoryLine(start, "\(subject(role)) sends its public key")
    }
    let debug = attempt.outcome.debugKeys
    let words: Wording =
      debug.isEmpty
      ? ""
      : ", \(Wording(listing: debug.map { "\(attempt.side($0).words)'s" })) from the debug key pair"
    return StoryLine(start, to: last, "public keys exchanged\(words)")
  }

  private var keypresses: StoryLine? {
    for role in [PairingSide.initiator, .responder] {
      guard let run = attempt[role].keypresses else { continue }
      return StoryLine(
        run.first, to: run.last.packet,
        "\(subject(role)) sends \(count: run.count, "keypress notification", "keypress notifications")\(presses(role))"
      )
    }
    return nil
  }

  /// Returns the user's key presses: `: started, 4 entered, 1 erased, completed`.
  private func presses(_ role: PairingSide) -> Wording {
    let names: [StaticString] = [
      "started", "entered", "erased", "cleared", "completed", "of unknown kind",
    ]
    // These occur once.
    let words = zip(names, attempt[role].presses).enumerated().filter { $1.1 > 0 }.map {
      (type, press) -> Wording in
      press.1 == 1 && (type == 0 || type == 4) ? "\(press.0)" : "\(press.1) \(press.0)"
    }
    return words.isEmpty ? "" : ": \(Wording(words, joinedBy: ", "))"
  }

  /// The confirm and random values of legacy pairing.
  private var legacy: [StoryLine] {
    let hasPasskey = attempt.method?.hasPasskey == true
    let parties = [attempt.initiating, attempt.responding]
    let runs = parties.flatMap { [$0.confirms, $0.randoms] }.compactMap(\.self)
    if !hasFailed {
      var lines: [StoryLine] = []
      var moments = runs.flatMap { [$0.first, $0.last] }
      // The typing speed is reported with the packet that shows it.
      if let typed = attempt.programTyped {
        lines.append(
          StoryLine(
            typed.confirm, "\(typed.side.words) commits to its digits\(haste(typed.confirm))"))
        moments.removeAll { $0 == typed.confirm }
      }
      if let start = moments.min(by: { $0.packet < $1.packet }) {
        let last = moments.map(\.packet).max() ?? start.packet
        lines.append(
          StoryLine(
            start, to: last,
            hasPasskey
              ? "both sides have the same passkey" : "confirm and random values exchanged"))
      }
      return lines
    }
    let commitment: Wording = hasPasskey ? "its digits" : "its random value"
    var lines: [StoryLine] = []
    for role in [PairingSide.initiator, .responder] {
      if let run = attempt[role].confirms {
        lines.append(
          StoryLine(
            run.first, "\(subject(role)) commits to \(commitment)\(haste(run.first))"))
      }
      if let run = attempt[role].randoms {
        lines.append(StoryLine(run.first, "\(subject(role)) opens its commitment"))
      }
    }
    return lines
  }

  /// Returns a clause stating that a program typed the digits, because no user is that fast.
  private func haste(_ moment: Moment) -> Wording {
    guard let typed = attempt.programTyped, typed.confirm == moment,
      let response = attempt.responding.features
    else { return "" }
    return
      ", \(duration: typed.delay) after \(packet: response.moment.packet): a program typed them"
  }

  private var secureConnections: [StoryLine] {
    let parties = [attempt.initiating, attempt.responding]
    let runs = parties.flatMap { [$0.confirms, $0.randoms] }.compactMap(\.self)
    var moments = runs.flatMap { [$0.first, $0.last] }
    var lines: [StoryLine] = []
    if let typed = attempt.programTyped {
      lines.append(
        StoryLine(
          typed.confirm,
          "\(typed.side.words) commits to the first bit of its digits\(haste(typed.confirm))"))
      moments.removeAll { $0 == typed.confirm }
    }
    if let start = moments.min(by: { $0.packet < $1.packet }) {
      lines.append(StoryLine(start, to: moments.map(\.packet).max() ?? start.packet, values))
    }
    return lines
  }

  /// What the confirm and random values of Secure Connections reveal.
  private var values: Wording {
    let outcome = attempt.outcome
    switch attempt.method?.association {
    case .numericComparison:
      guard let digits = outcome.digits else { return "confirm and random values exchanged" }
      return digits.ofBothSides
    case .initiatorShowsPasskey, .responderShowsPasskey, .passkeyTypedTwice:
      if let parting = outcome.parting {
        return parting.round == 1
          ? "the sides differ in the first of 20 passkey rounds"
          : "\(parting.round - 1) of 20 passkey rounds agree, then the sides differ"
      }
      if outcome.agreed.count > 0 {
        // A pairing that succeeded had all of them.
        let missing: Wording =
          attempt.isPaired && outcome.agreed.count < 20
          ? "; records of the others are missing in the capture" : ""
        return "\(outcome.agreed.count) of 20 passkey rounds agree\(missing)"
      }
      let rounds = max(
        attempt.initiating.confirms?.count ?? 0, attempt.responding.confirms?.count ?? 0)
      return "\(min(rounds, 20)) of 20 passkey rounds"
    case .outOfBand: return "random values exchanged"
    case .justWorks, nil: return "confirm and random values exchanged"
    }
  }

  private var checks: StoryLine? {
    let checks = [attempt.initiating.check, attempt.responding.check].compactMap(\.self)
    guard let first = checks.min(by: { $0.packet < $1.packet }) else { return nil }
    if checks.count == 2 {
      let last = checks.map(\.packet).max() ?? first.packet
      return StoryLine(first, to: last, "check values exchanged")
    }
    let role: PairingSide = attempt.initiating.check != nil ? .initiator : .responder
    return StoryLine(first, "\(subject(role)) sends its check value")
  }

  // MARK: Users and programs

  private static func line(_ act: PairingAct) -> StoryLine? {
    let words: Wording
    switch act.kind {
    case .passkeyAsked: words = "the kernel asks bluetoothd for the passkey"
    case .passkeyShown: words = "the kernel asks bluetoothd to show the passkey"
    case .typed(true): words = "this host's program gives a passkey"
    case .typed(false): words = "this host's program gives no passkey"
    case .confirmationAsked(comparesDigits: true):
      words = "the kernel asks bluetoothd to have its user compare the digits"
    case .confirmationAsked(comparesDigits: false):
      words = "the kernel asks bluetoothd whether its user accepts"
    case .confirmed(true): words = "this host's program confirms"
    case .confirmed(false): words = "this host's program refuses"
    case .cancel: words = "a program cancels the pairing: Cancel Pair Device"
    case .unpair: words = "a program deletes the keys of the peer: Unpair Device"
    case .pair, .authenticationFailed: return nil
    }
    return StoryLine(act.moment, words)
  }

  // MARK: The end

  private var keys: StoryLine? {
    let given = [PairingSide.responder, .initiator].compactMap { role in
      attempt[role].keys.map { (role: role, run: $0) }
    }
    .sorted { $0.run.first.packet < $1.run.first.packet }
    guard let first = given.first else { return nil }
    let words = given.map { given -> Wording in
      "\(subject(given.role)) gives \(Wording(listing: Self.keyNames(attempt[given.role].keyBits)))"
    }
    let bonded: Wording = attempt.isBonded && !attempt.lacksKeys ? "; bonded" : ""
    return StoryLine(
      first.run.first, to: given.map(\.run.last.packet).max() ?? first.run.first.packet,
      "\(Wording(words, joinedBy: ", "))\(bonded)")
  }

  private static func keyNames(_ bits: UInt8) -> [Wording] {
    (0..<3).compactMap { bit in
      bits & 1 << UInt8(bit) == 0 ? nil : KeyDistribution.short(bit: bit).map { "\($0)" }
    }
  }

  private var failure: StoryLine? {
    guard let end = attempt.end else { return nil }
    switch attempt.ending {
    case .failed(let reason, let side):
      let verb: StaticString =
        attempt.responding.features == nil ? "refuses to pair" : "stops pairing"
      return StoryLine(end, "\(side.words) \(verb): \(reason)")
    case .abandoned, .superseded, .notEncrypted, nil: return nil
    }
  }
}
