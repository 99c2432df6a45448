import Histories
import Bluetooth
import Dissectors
import Meanings
import Sessions

// Rules about controllers: commands that are refused or not answered, and hardware errors.

extension Rule {
  /// The rules about controllers.
  static let controller: [Rule] = [
    hardwareError, dataOverflow, buffersWithheld, hostBuffersFull, unanswered, badAnswer,
    advertisingMixed, advertisingRefused, wrongAdvertisingSet, scanningRefused, refused,
    unknownCommand,
  ]

  private static let hardwareError = Symptom(
    "hci_hardware_error", .error, .fact, "The controller reports a hardware error",
    when: "the controller sent a Hardware Error event",
    do:
      "The controller has lost its state: the host has to reset it. Look for newer controller firmware, and for problems of the power supply or the transport (UART flow control, USB) at that time."
  ).with([.settled, .ofHost]).needing([.events]).inCapture { evidence in
    evidence.adapters.compactMap { adapter in
      guard let first = adapter.hardwareErrors.first else { return nil }
      let times: Wording =
        adapter.hardwareErrorCount > 1 ? " \(adapter.hardwareErrorCount) times" : ""
      var finding = Finding(
        "The controller\(adapter.words) reports Hardware Error\(times), code \(code: first.code, digits: 2)",
        headline: "the controller reports Hardware Error",
        why: "The code's meaning is specific to the controller's manufacturer.",
        evidence: PacketSet(adapter.hardwareErrors.map(\.moment.packet)))
      guard let error = adapter.hardwareErrors.first(where: { $0.pending != nil }),
        let command = error.pending
      else { return finding }
      let later: Wording =
        error.moment.nanoseconds(since: command.moment).map { " \(duration: $0) later" } ?? ""
      finding.headline =
        "the controller reports Hardware Error instead of answering \(command.words)"
      finding.why =
        "\(command.words), with \(count: command.length, "byte", "bytes") of parameters, had no answer when the controller reported the error\(later) (\(packet: error.moment.packet)): it seems to have failed at this command."
      finding.grounds = .sequence
      finding.repetitions = adapter.hardwareErrors.count { $0.pending?.opcode == command.opcode }
      finding.restsOnAbsence = true
      finding.lead(with: command.moment.packet)
      if let fault = command.fault {
        finding.headline =
          "the controller reports Hardware Error at \(command.words), whose length is wrong"
        finding.add("\(fault.words.capitalized).")
        finding.remedy =
          "\(fixLength) A controller on a UART reads what is left over as the beginning of another packet. Then reset the controller."
      } else {
        finding.remedy =
          command.length == 0
          ? "Report it to the controller's vendor, or update its firmware. The host has to reset the controller."
          : "Send the command with other values, such as shorter data, to find out what the controller fails at, and report it to the controller's vendor or update its firmware. The host has to reset the controller."
      }
      return finding
    }
  }

  private static let fixLength: Wording =
    "Fix the program on the host that builds this command: its length field must match its bytes, and its parameters the specification."

  private static let dataOverflow = Symptom(
    "hci_data_overflow", .error, .meaning,
    "The host sends more data packets than the controller has buffers for",
    when:
      "the controller sent Data Buffer Overflow, or had more packets to hold than it has buffers and completed none for a second or more",
    do:
      "Let the host send no more packets than LE Read Buffer Size reports (for BR/EDR, and if that reports none, Read Buffer Size), counted over all links of that transport, until Number Of Completed Packets frees a buffer (Core, Vol 4, Part E, 4.1.1). Look for a newer version of the host software; until then write with responses, or pause between writes. Reset the controller."
  ).with(.ofHost).needing([.events]).inCapture(
    about: DataBuffers.self,
    elsewise: [
      Alternative("the controller has more buffers than it reports") { buffers, _ in
        !buffers.overflows.isEmpty
      }
    ]
  ) { evidence in
    guard !evidence.extent.infersDirections else { return [] }
    return evidence.adapters.compactMap { adapter in
      overflow(adapter, evidence).map { (adapter.buffers, $0) }
    }
  }

  private static func overflow(_ adapter: AdapterHistory, _ evidence: Evidence) -> Finding? {
    let buffers = adapter.buffers
    let event = buffers.overflows.first
    // Without the event, packets that are completed later show only that the count is wrong.
    let stuck = buffers.stuck.flatMap { buffers.lastCompleted > $0.moment.packet ? nil : $0 }
    guard let excess = event?.excess ?? (event == nil ? stuck : nil) else {
      guard let event else { return nil }
      let isACL = event.linkType == 1
      return Finding(
        "The controller\(adapter.words) lost data of this host: Data Buffer Overflow",
        headline:
          "the controller had no room for data of this host (\(packet: event.moment.packet))",
        why:
          "Data Buffer Overflow (\(packet: event.moment.packet)) reports that this host sent \(isACL ? "data" : "synchronous or isochronous data" as StaticString) for which the controller had no buffer. The capture does not show how many packets it had to hold.",
        evidence: PacketSet(buffers.overflows.map(\.moment.packet)), isACL ? nil : .warning)
    }
    let size = excess.capacity
    let from: Wording = excess.since.map { ", from \(packet: $0) on" } ?? ""
    let loss: Wording =
      event.map {
        "The controller reported Data Buffer Overflow (\(packet: $0.moment.packet)): it lost data."
          as Wording
      } ?? ""
    let dead = adapter.deadAfterOverflow
    let silence: Wording = dead.map { ", and did not answer \($0.words)" } ?? ""
    let after: Wording =
      buffers.lastCompleted > excess.moment.packet
      ? "" : "After that it completed no packet\(silence)."
    return Finding(
      "This host sent more data than the controller\(adapter.words) has buffers for\(event == nil ? "" : ": Data Buffer Overflow" as StaticString)",
      headline:
        "this host sent more packets than the controller has buffers for (\(packet: excess.moment.packet))",
      why: Wording(
        sentences:
          "The controller has \(count: size.packets, "buffer", "buffers") for data packets (\(packet: size.moment.packet)). With \(packet: excess.last.packet) it had to hold \(excess.most)\(from): a host has to wait for Number Of Completed Packets.",
        loss, after),
      evidence: PacketSet([size.moment.packet, excess.since ?? 0, excess.moment.packet])
        .union(PacketSet(of: event?.moment, dead?.moment)), restsOnAbsence: event == nil)
  }

  private static let buffersWithheld = Symptom(
    "hci_buffers_withheld", .error, .meaning,
    "The controller returns none of its buffers, so the host cannot send",
    when:
      "the host has sent as many packets as the controller has buffers, and no Number Of Completed Packets follows for 5 s and longer than the supervision timeout",
    do:
      "Check that the host lets the controller send Number Of Completed Packets (Set Event Mask) and counts it for the right link. Reset the controller, update its firmware, or try another one."
  ).needing([.commands, .events, .opening]).inCapture(
    about: DataBuffers.Withheld.self,
    elsewise: [
      Alternative("the peer of the only link with data accepted none for this time") {
        withheld, _ in !withheld.isOfOneLink || !withheld.isOver && !withheld.isPeerHeard
      }, Alternative("the controller was busy for this time") { withheld, _ in !withheld.isOver },
      Alternative(always: "the host hides Number Of Completed Packets from its recorder"),
    ]
  ) { evidence in
    guard !evidence.extent.infersDirections else { return [] }
    return evidence.adapters.compactMap { adapter in
      // An export may lack all events that return buffers.
      guard let withheld = adapter.buffers.withheld, withheld.hasReturned, withheld.isHeard,
        let history = evidence.connections.first(where: { $0.id == withheld.connection }),
        history.undelivered == nil, !history.connection.hasLostPackets,
        withheld.length >= max(leastWithheld, longestLoss(of: history) + 1_000_000_000)
      else { return nil as (DataBuffers.Withheld, Finding)? }
      let size = withheld.capacity
      var finding = Finding(
        "The controller\(adapter.words) returned none of its \(count: size.packets, "buffer", "buffers")",
        headline:
          "the controller returned none of its buffers after \(packet: withheld.since.packet), so this host could send nothing more",
        why:
          "The controller has \(count: size.packets, "buffer", "buffers") for data packets (\(packet: size.moment.packet)). \(packet: withheld.since.packet) took the last one, and no Number Of Completed Packets returned one in the \(duration: withheld.length) that followed: until then a host must not send.",
        evidence: PacketSet(of: size.moment, withheld.since, withheld.until), restsOnAbsence: true)
      if withheld.isOver || withheld.isOfOneLink && withheld.isPeerHeard {
        if withheld.isOver { finding.why = "\(finding.why) Later it returned them." }
        finding.severity = .warning
        finding.remedy =
          "Find out whether the peer is busy at that time, for example with erasing its flash: it accepts no packets then. If it is not, reset the controller, update its firmware, or try another one."
      }
      return (withheld, finding)
    }
  }

  /// A controller that returns buffers later than this is slow, or has stopped.
  private static let leastWithheld: Int64 = 5_000_000_000
  /// The supervision timeout of a BR/EDR link, unless a host sets it: 0x7d00 × 0.625 ms (Core, Vol
  /// 4, Part E, 6.21).
  private static let classicTimeout: Int64 = 20_000_000_000

  /// Returns for how long a link may be lost without being closed.
  private static func longestLoss(of history: ConnectionHistory) -> Int64 {
    history.link.supervisionTimeout
      ?? (history.connection.transport == .brEDR ? classicTimeout : .max / 2)
  }

  private static let hostBuffersFull = Symptom(
    "hci_host_buffers", .error, .meaning,
    "The host does not free its buffers, so the controller delivers no more data",
    when:
      "the host switched on flow control for data from the controller, received as many packets as its Host Buffer Size, and freed none for 5 s or more (Host Number Of Completed Packets)",
    do:
      "Fix the host's stack: it has to send Host Number Of Completed Packets for each packet that it has processed. Until then switch the flow control off (Zephyr: CONFIG_BT_HCI_ACL_FLOW_CONTROL=n), or use more buffers."
  ).needing([.commands, .events, .receivedData]).inCapture(elsewise: [
    Alternative(always: "the controller does not use this flow control")
  ]) { evidence in
    evidence.adapters.compactMap { adapter in
      guard let stuck = adapter.hostBuffers.stuck,
        let waited = stuck.until.nanoseconds(since: stuck.since)
      else { return nil }
      return Finding(
        "This host held all its \(count: stuck.capacity, "buffer", "buffers") for data from the controller\(adapter.words)",
        headline:
          "this host freed none of its buffers from \(packet: stuck.since.packet) on, so the controller could deliver no more data",
        why:
          "This host had announced \(count: stuck.capacity, "buffer", "buffers") (\(packet: stuck.command.packet)). \(packet: stuck.since.packet) took the last one, and the capture has no Host Number Of Completed Packets that frees one in the \(duration: waited) that followed. Until then a controller keeps what it receives, so a peer seems not to answer.",
        evidence: PacketSet(of: stuck.command, stuck.since, stuck.until), restsOnAbsence: true)
    }
  }

  private static let badAnswer = Symptom(
    "hci_answer_length", .error, .sequence, "The host stops at an answer whose length is wrong",
    when:
      "the return parameters of a Command Complete are longer or shorter than the command's, and the host sends nothing for a second or more and then a reset",
    do:
      "Look for newer firmware of the controller, or use another one. The driver can work around it: report the controller's IDs and this answer to the developers of the host's Bluetooth stack (on Linux linux-bluetooth, where such controllers get a quirk)."
  ).needing([.commands, .events]).inCapture { evidence in
    evidence.adapters.compactMap { adapter in
      let commands = adapter.commands
      guard
        let first = commands.badAnswers.first(where: { !commands.tolerated.contains($0.opcode) })
      else { return nil }
      // The capture may end before the host resets the controller once more.
      let all = (commands.badAnswers + [commands.badAnswer].compactMap(\.self)).filter {
        $0.opcode == first.opcode
      }
      let isLeast = commands.badAnswers.count >= CommandHistory.mostPackets
      let name = commandName(first.opcode)
      let pause: Wording =
        first.reset?.nanoseconds(since: first.moment).map { " for \(duration: $0)" } ?? ""
      let times = Wording.times(all.count, isLeast: isLeast)
      let again: Wording =
        all.count > 1 ? " It was the same \(all.count, isLeast: isLeast) times." : ""
      var finding = Finding(
        "The controller\(adapter.words) answered \(name) with \(first.fault.measure)\(times), and the host went no further",
        headline:
          "the host stopped at the controller's answer to \(name), which has \(first.fault.measure) (\(packet: first.moment.packet))",
        why:
          "\(first.fault.words.capitalized). After this answer (\(packet: first.moment.packet)) the host sent nothing\(pause), then it reset the controller (\(packet: first.reset?.packet ?? first.moment.packet)). Hosts that check the length ignore such an answer and wait for another one.\(again)",
        evidence: PacketSet(
          all.prefix(8).flatMap { [$0.request, $0.moment.packet, $0.reset?.packet] }
            .compactMap(\.self)),
        evidence.connections.contains { $0.connection.adapter == adapter.index } ? .warning : nil,
        restsOnAbsence: true)
      finding.repetitions = all.count
      return finding
    }
  }

  private static let wrongAdvertisingSet = Symptom(
    "hci_wrong_advertising_set", .warning, .meaning,
    "The controller reports an advertising set that the host never configured",
    when:
      "LE Advertising Set Terminated has a handle that no command has configured since a reset that the capture contains",
    do:
      "Update the firmware of the controller, and report this to its vendor. Until then do not rely on the handle in the event: with one set, advertise again after each disconnection."
  ).with(.settled).needing([.commands, .events]).inCapture(elsewise: [
    Alternative(always: "a vendor's command configured the set")
  ]) { evidence in
    evidence.adapters.compactMap { adapter in
      // The host enabled it: the record that configures it is missing.
      guard let first = adapter.sets.foreign.first, !first.enabled.contains(first.handle) else {
        return nil
      }
      let count = adapter.sets.foreignCount
      let times = Wording.times(count)
      let known = Wording(listing: first.configured.prefix(8).map { "\($0)" })
      let noun: Wording = first.configured.count == 1 ? "set" : "sets"
      return Finding(
        "The controller\(adapter.words) reports the end of advertising set \(first.handle), which does not exist\(times)",
        headline:
          "the controller reports advertising set \(first.handle) (\(packet: first.moment.packet)), but the host only configured \(noun) \(known)",
        why:
          "Since the reset the host has configured \(noun) \(known) only\(first.switched.map { ", and enabled set \(Wording(listing: first.enabled.prefix(8).map { "\($0)" })) (\(packet: $0.packet))" as Wording } ?? ""). LE Advertising Set Terminated (\(packet: first.moment.packet)) names set \(first.handle), so the host cannot match it: it may not learn which set the connection belongs to, and not advertise again.",
        evidence: PacketSet(
          adapter.sets.foreign.flatMap { [$0.switched?.packet ?? 0, $0.moment.packet] }))
    }
  }

  private static let unanswered = Symptom(
    "hci_command_unanswered", .warning, .meaning, "The controller does not answer a command",
    when:
      "a command has neither Command Complete nor Command Status although later ones have, or the controller is silent for two seconds or more",
    do:
      "A controller that falls silent has crashed or lost its transport: reset or power-cycle it (on Linux use hciconfig reset or re-plug the adapter), and look for newer firmware."
  ).needing([.commands, .events]).inCapture(elsewise: [
    Alternative(always: "the answer is missing from the capture")
  ]) { evidence in evidence.adapters.flatMap { unanswered($0, evidence) } }

  private static func unanswered(_ adapter: AdapterHistory, _ evidence: Evidence) -> [Finding] {
    let commands = adapter.commands
    // If no command was answered, the capture may simply contain no events.
    guard commands.answered > 0, let first = commands.waiting.first else { return [] }
    let isLeast: StaticString = commands.hasForgotten ? "at least " : ""
    let silent = commands.waiting.filter { $0.moment.packet > commands.lastEvent?.packet ?? 0 }
    var findings: [Finding] = []
    // Too much data before has its own finding.
    if let dead = silent.first, isOver(dead, evidence),
      adapter.deadAfterOverflow == nil || evidence.extent.infersDirections
    {
      let others: Wording =
        silent.count > 1
        ? ", nor \(isLeast)\(count: silent.count - 1, "later command", "later commands")" : ""
      let finding = Finding(
        "The controller\(adapter.words) fell silent: no event after \(dead.words)",
        headline: "the controller fell silent after \(packet: dead.moment.packet)",
        why:
          "It answered \(count: commands.answered, "command", "commands") before, but not this one\(others), and sent nothing else.",
        evidence: PacketSet(silent.prefix(8).map(\.moment.packet)), .error, restsOnAbsence: true)
      findings.append(finding)
    }
    let passed = commands.waiting.filter {
      $0.moment.packet < commands.lastEvent?.packet ?? 0 && ($0.isPassed || isOver($0, evidence))
    }
    guard !passed.isEmpty else { return findings }
    let several: Wording =
      passed.count == 1
      ? passed[0].words : "\(isLeast)\(passed.count) commands, the first one \(first.words)"
    let finding = Finding(
      "The controller\(adapter.words) did not answer \(several)",
      headline:
        "the controller left \(isLeast)\(count: passed.count, "command", "commands") unanswered",
      why:
        "It continued to answer other commands or to send events, so the command's outcome is unknown.",
      evidence: PacketSet(passed.prefix(8).map(\.moment.packet)), restsOnAbsence: true)
    return findings + [finding]
  }

  /// Returns whether the capture continues for longer than a host waits.
  private static func isOver(_ command: CommandHistory.Waiting, _ evidence: Evidence) -> Bool {
    guard let time = command.moment.time, let latest = evidence.extent.latest else { return false }
    return latest.nanoseconds(since: time) > CommandHistory.longestWait
  }

  private static let advertisingMixed = Symptom(
    "hci_advertising_mixed", .error, .meaning,
    "Legacy and extended advertising commands were mixed, which controllers refuse",
    when:
      "a command of one family was refused with Command Disallowed (0x0c) and the other family was used since the last reset",
    do:
      "Use only one family between resets, for advertising, scanning and connecting alike: the extended commands (0x2036 to 0x2043) if the controller has them (Core, Vol 4, Part E, 3.1.1)."
  ).with(.settled).needing([.commands, .events]).inCapture(elsewise: [
    Alternative(always: "the state of the controller forbids the command")
  ]) { evidence in
    evidence.refusals(isMixed).map { adapter, refusal in
      let other: Wording =
        refusal.otherFamily.map { "\(commandName($0.opcode)) of \(packet: $0.first.packet)" } ?? ""
      var finding = Finding(
        "\(commandName(refusal.opcode)) is refused\(adapter.words): legacy and extended commands are mixed",
        headline: "legacy and extended advertising commands are mixed",
        why:
          "Since \(other) the controller has been in the other mode, and it answers \(refusal.count == 1 ? "" : "\(refusal.count) times " as Wording)Command Disallowed (0x0c).",
        evidence: PacketSet(of: refusal.otherFamily?.first).union(refusal.packets))
      resolve(&finding, refusal)
      return finding
    }
  }

  private static let advertisingRefused = Symptom(
    "hci_advertising_refused", .error, .meaning, "The controller refuses to advertise",
    when: "a command that sets up or enables advertising was refused"
  ).with(.settled).needing([.commands, .events]).inCapture(
    about: CommandHistory.Refusal.self, elsewise: refusalAlternatives
  ) { evidence in
    evidence.refusals { isAdvertising($0.opcode) && !isMixed($0) && !$0.isOptional }.map {
      adapter, refusal in (refusal, report(refusal, adapter, "the controller refused to advertise"))
    }
  }

  private static let scanningRefused = Symptom(
    "hci_scanning_refused", .error, .meaning, "The controller refuses to scan",
    when: "a command that sets up or enables scanning was refused"
  ).with(.settled).needing([.commands, .events]).inCapture(
    about: CommandHistory.Refusal.self, elsewise: refusalAlternatives
  ) { evidence in
    evidence.refusals { isScanning($0.opcode) && !isMixed($0) && !$0.isOptional }.map {
      adapter, refusal in
      var finding = report(
        refusal, adapter,
        refusal.stops
          ? "the controller refused to stop scanning" : "the controller refused to scan")
      let switches = [HCICommand.leSetScanEnable, HCICommand.leSetExtendedScanEnable]
      // It scans already.
      let isScanning = refusal.obstacle?.kind == .scanning && switches.contains(refusal.opcode)
      if refusal.stops || isScanning { finding.severity = .note }
      if let begun = refusal.begun {
        finding.severity = .note
        finding.headline = "the controller refused parameters of a scan"
        finding.add(
          "Scanning was enabled nevertheless (\(packet: begun.packet)), with the parameters before."
        )
      }
      return (refusal, finding)
    }
  }

  private static let refused = Symptom(
    "hci_command_refused", .warning, .meaning, "The controller refuses a command",
    when:
      "a command other than those that connect, advertise, scan or encrypt was answered with an error status"
  ).needing([.commands, .events]).inCapture(
    about: CommandHistory.Refusal.self, elsewise: [otherAnswer]
  ) { evidence in
    evidence.refusals {
      !isAdvertising($0.opcode) && !isScanning($0.opcode) && !isElsewhere($0.opcode)
        && !$0.isOptional && !isMixed($0)
    }.map { adapter, refusal in
      var finding = report(
        refusal, adapter, "the controller refused \(commandName(refusal.opcode))")
      if refusal.isOfOption { finding.severity = .note }
      if let words = refusal.consequence { finding.why = "\(finding.why) \(words)" }
      return (refusal, finding)
    }
  }

  private static let unknownCommand = Symptom(
    "hci_unknown_command", .note, .fact,
    "The controller does not support a command or its parameters",
    when:
      "commands were answered with Unknown HCI Command (0x01) or Unsupported Feature or Parameter Value (0x11)"
  ).needing([.commands, .events]).inCapture { evidence in
    evidence.adapters.compactMap { adapter in
      // What the specification does not define shows nothing about the controller.
      let unknown = adapter.commands.refusals.filter {
        $0.isOptional && !isElsewhere($0.opcode) && PDUTable.core.command($0.opcode) != nil
      }
      guard let first = unknown.first else { return nil }
      let most = 6
      var names = unknown.prefix(most).map { commandName($0.opcode) }
      if unknown.count > most { names.append("\(unknown.count - most) others") }
      return Finding(
        "The controller\(adapter.words) does not support \(adapter.commands.refusals.count >= CommandHistory.mostRefusals ? "at least " : "" as StaticString)\(count: unknown.count, "command", "commands") that the host tried",
        headline: "the controller does not support \(commandName(first.opcode))",
        why:
          "\(Wording(listing: names)). Hosts usually work without what a controller does not support.",
        evidence: unknown.prefix(8).packets(\.packets))
    }
  }

  /// Command Disallowed does not show which state of the controller forbids the command.
  private static let refusalAlternatives: [Alternative<CommandHistory.Refusal>] = [
    Alternative("the controller refuses the command for another reason") { refusal, _ in
      refusal.obstacle?.isDefined(for: refusal.opcode) ?? true
    }, otherAnswer,
  ]

  private static let otherAnswer = Alternative<CommandHistory.Refusal>(
    "the answer belongs to the other one of two equal commands"
  ) { refusal, _ in refusal.granted.map { refusal.first.packet > $0.packet } ?? true }

  // MARK: What commands are for

  static func commandName(_ opcode: UInt16) -> Wording {
    PDUTable.core.command(opcode).map { "\($0.name)" } ?? "command \(code: opcode, digits: 4)"
  }

  /// Returns whether a command sets up advertising: LE Set Advertising Parameters to Enable without
  /// the one that reads, and the commands for extended and periodic advertising.
  fileprivate static func isAdvertising(_ opcode: UInt16) -> Bool {
    switch opcode {
    case HCICommand.leSetAdvertisingParameters,
      HCICommand.leSetAdvertisingData...HCICommand.leSetAdvertisingEnable,
      HCICommand.leSetExtendedAdvertisingParameters...HCICommand.leSetExtendedAdvertisingEnable,
      HCICommand.leSetPeriodicAdvertisingParameters...HCICommand.leSetPeriodicAdvertisingEnable,
      HCICommand.leSetExtendedAdvertisingParametersV2,
      HCICommand.leSetPeriodicAdvertisingParametersV2:
      true
    default: false
    }
  }

  fileprivate static func isScanning(_ opcode: UInt16) -> Bool {
    [
      HCICommand.leSetScanParameters, HCICommand.leSetScanEnable,
      HCICommand.leSetExtendedScanParameters, HCICommand.leSetExtendedScanEnable,
    ].contains(opcode)
  }

  /// Returns whether other rules report the failure of a command: those that connect, change
  /// parameters, and encrypt.
  private static func isElsewhere(_ opcode: UInt16) -> Bool {
    opcode == HCICommand.leConnectionUpdate || opcode == HCICommand.leEnableEncryption
      || LECreateConnection.opcodes.contains(opcode)
  }

  private static func isMixed(_ refusal: CommandHistory.Refusal) -> Bool {
    refusal.status == .commandDisallowed && refusal.otherFamily != nil
  }

  /// The commands that need a random address if they are to use one (Core, Vol 4, Part E, 7.8.9 and
  /// 7.8.11).
  private static let needsRandomAddress = [
    HCICommand.leSetAdvertisingEnable, HCICommand.leSetScanEnable,
    HCICommand.leSetExtendedScanEnable,
  ]

  private static func report(
    _ refusal: CommandHistory.Refusal, _ adapter: AdapterHistory, _ headline: Wording
  ) -> Finding {
    let times: Wording = refusal.count == 1 ? "" : " \(refusal.count) times"
    let off: StaticString = refusal.stops ? " (Off)" : ""
    var finding = Finding(
      "The controller\(adapter.words) refused \(commandName(refusal.opcode))\(off)\(times): \(refusal.status)",
      headline: headline,
      why: "The command in \(packet: refusal.first.packet) was answered with this status.",
      evidence: refusal.packets)
    finding.remedy = refusal.remedy
    if refusal.status.rawValue == 0x12 { explainParameters(&finding, refusal) }
    if let obstacle = refusal.obstacle {
      switch obstacle.kind {
      case .listed, .listedOtherwise: explain(&finding, byEntry: obstacle, headline)
      case .connecting, .scanning, .advertising, .streaming, .groupKept:
        explain(&finding, by: obstacle, headline)
      }
      finding.evidence = PacketSet([obstacle.since.packet]).union(refusal.packets)
    }
    if refusal.status == .commandDisallowed, let granted = refusal.granted {
      finding.severity = .note
      finding.add(
        "The same command had just succeeded (\(packet: granted.packet)): it was sent twice.")
    }
    resolve(&finding, refusal)
    return finding
  }

  /// Explains Invalid HCI Command Parameters by the command's length, or a missing random address.
  private static func explainParameters(
    _ finding: inout Finding, _ refusal: CommandHistory.Refusal
  ) {
    if let fault = refusal.fault {
      finding.headline =
        "\(finding.headline) because the length of the command in \(packet: refusal.first.packet) is wrong"
      finding.add("\(fault.words.capitalized).")
      finding.remedy = fixLength
    } else if needsRandomAddress.contains(refusal.opcode) {
      finding.remedy =
        "A controller refuses this with Invalid HCI Command Parameters if Own_Address_Type is random and the host has not given it a random address since the reset: send LE Set Random Address first, or use the public address."
    }
  }

  /// Explains a refusal by an entry of the resolving list for the same identity.
  private static func explain(
    _ finding: inout Finding, byEntry obstacle: CommandHistory.Obstacle, _ headline: Wording
  ) {
    let since = obstacle.since.packet
    if obstacle.kind == .listed {
      finding.why =
        "The identity is already on the list with the same key (\(packet: since)), which stays."
      finding.remedy = "Nothing."
      finding.severity = .note
      return
    }
    finding.why =
      "The identity is already on the list with another identity resolving key (\(packet: since)). The old entry stays, so the controller does not resolve the private addresses that the device makes with its new key."
    finding.remedy =
      "Remove the old entry first (LE Remove Device From Resolving List), then add the new one; delete the old bond of the device when it pairs again."
    finding.headline =
      "\(headline) because the list still has the device's old key (\(packet: since))"
  }

  /// Explains a refusal by the state of the controller.
  private static func explain(
    _ finding: inout Finding, by obstacle: CommandHistory.Obstacle, _ headline: Wording
  ) {
    let state = obstacle.state
    finding.what = "\(finding.what), while \(state)"
    finding.headline = "\(headline) because \(state)"
    finding.why = "The controller refuses this command while \(state)."
    finding.remedy = obstacle.remedy
  }

  /// Marks a finding as resolved if the same command was accepted later.
  private static func resolve(_ finding: inout Finding, _ refusal: CommandHistory.Refusal) {
    guard let later = refusal.succeeded else { return }
    finding.resolve()
    finding.add("The same command succeeded later (\(packet: later.packet)).")
  }
}

extension CommandHistory.Refusal {
  /// How to fix it, for its status; nil if the status does not show that.
  fileprivate var remedy: Wording? {
    switch status {
    case .commandDisallowed where Rule.isAdvertising(opcode):
      "Disable advertising before you change its parameters, and check whether all links are in use."
    case .commandDisallowed where Rule.isScanning(opcode):
      "Stop the running scan before you change its parameters, and do not scan during a connection attempt if the controller cannot do both."
    case StatusCode(rawValue: 0x12) where Rule.isAdvertising(opcode):
      "Check interval, data length and address type against the advertising type; set a random address first."
    // Memory Capacity Exceeded, and Limit Reached.
    case StatusCode(rawValue: 0x07) where Rule.isAdvertising(opcode),
      StatusCode(rawValue: 0x43) where Rule.isAdvertising(opcode):
      "Remove other advertising sets."
    default: nil
    }
  }

  /// Whether it concerns something that LE links do not need: an option that the peer lacks,
  /// information (Core, Vol 4, Part E, 7.4 and 7.5), BR/EDR, or something with a harmless
  /// consequence.
  fileprivate var isOfOption: Bool {
    status == .unsupportedRemoteFeature || opcode >> 10 == 0x04 || opcode >> 10 == 0x05
      || isOfBREDR || consequence != nil
  }

  /// Whether the command is one of BR/EDR: of link control, unless LE has it too, of link policy,
  /// or for the supervision timeout, which only the central sets (Core, Vol 4, Part E, 7.1, 7.2 and
  /// 7.3.42).
  private var isOfBREDR: Bool {
    switch opcode {
    case HCICommand.disconnect, HCICommand.readRemoteVersionInformation: false
    case HCICommand.writeLinkSupervisionTimeout: true
    default: opcode >> 10 == 0x01 || opcode >> 10 == 0x02
    }
  }

  /// The consequence, if it is minor.
  fileprivate var consequence: Wording? {
    switch (opcode, status.rawValue) {
    case _ where namesNoDevice: "The command names no device: its address is 00:00:00:00:00:00."
    case (0x0c01, _), (0x0c63, _), (HCICommand.leSetEventMask, _):
      "The old mask stays in force: controllers refuse the bits of events that they do not support."
    case (HCICommand.leSetRandomAddress, 0x0c), (HCICommand.leSetAdvertisingSetRandomAddress, 0x0c):
      "The old address stays in use: it cannot be changed during advertising, scanning or a connection attempt (Core, Vol 4, Part E, 7.8.4 and 7.8.52)."
    // [mem]; Repeated Attempts.
    case (HCICommand.leAddDeviceToFilterAcceptList, 0x17):
      "Broadcom's controllers answer this if the device is already on the list."
    case (HCICommand.deleteStoredLinkKey, _):
      "Hosts send this although they keep keys themselves; no link depends on it."
    case (HCICommand.configureDataPath, _):
      "The command is for audio that does not pass through HCI; no link depends on it."
    default: nil
    }
  }

  /// Whether the controller merely lacks something: a command, or a value that is not needed to
  /// advertise, scan or connect.
  fileprivate var isOptional: Bool {
    switch status.rawValue {
    case 0x01: !isLegacy
    case 0x11: !isLegacy && !Rule.isAdvertising(opcode) && !Rule.isScanning(opcode)
    default: false
    }
  }

  /// Whether every LE controller that advertises, scans or connects has the command (0x2005 to
  /// 0x200e).
  private var isLegacy: Bool {
    HCICommand.leSetRandomAddress...HCICommand.leCreateConnectionCancel ~= opcode
  }
}

extension CommandHistory.Obstacle {
  /// What forbids the command, as a clause.
  fileprivate var state: Wording {
    let begun: Wording = "since \(packet: since.packet)"
    return switch kind {
    case .connecting: "a connection attempt is pending (\(begun))"
    case .scanning: "scanning is on (\(begun))"
    case .advertising: "advertising is on (\(begun))"
    case .streaming: "a stream of the group is open (\(begun))"
    case .groupKept: "the group was never removed (\(packet: since.packet) was refused)"
    case .listed, .listedOtherwise: ""
    }
  }

  /// How to avoid it.
  fileprivate var remedy: Wording {
    switch kind {
    case .connecting:
      "Cancel the connection attempt (LE Create Connection Cancel) when it is no longer needed, or wait for it to end: this controller does not do both at once."
    case .scanning:
      "Stop the running scan before you change its parameters. If another program started it, let only one program use the controller."
    case .advertising: "Disable advertising before you change its parameters or enable it again."
    case .streaming:
      "Wait for the Disconnection Complete of each stream of the group (CIS), then send LE Remove CIG: until then the group is active."
    case .groupKept:
      "Remove the group (LE Remove CIG) after the Disconnection Complete of its last stream, and repeat the command if it is refused: a group can be set up anew only after that."
    case .listed, .listedOtherwise: ""
    }
  }

  /// Whether the specification names this state as the reason to refuse the command (Core, Vol 4,
  /// Part E, 7.8.5, 7.8.10, 7.8.38, 7.8.64, 7.8.97 and 7.8.100).
  fileprivate func isDefined(for opcode: UInt16) -> Bool {
    switch kind {
    case .listed, .listedOtherwise, .streaming, .groupKept: true
    case .scanning:
      opcode == HCICommand.leSetScanParameters || opcode == HCICommand.leSetExtendedScanParameters
    case .advertising: opcode == HCICommand.leSetAdvertisingParameters
    case .connecting: false
    }
  }
}

extension LengthFault {
  /// What is wrong, as a clause.
  fileprivate var words: Wording {
    switch self {
    case .beyondLength(let bytes):
      "the packet has \(count: bytes, "byte", "bytes") more than its length field states"
    case .incomplete(let claimed, let present):
      "its length field states \(count: claimed, "byte", "bytes"), but only \(present) follow"
    case .tooLong(let bytes):
      "its parameters have \(count: bytes, "byte", "bytes") more than the specification defines"
    case .tooShort(let needed, let left):
      "a parameter needs \(count: needed, "byte", "bytes"), but only \(left) \(left == 1 ? "is" : "are" as StaticString) left"
    case .dataTooLong(let length):
      "its data length is \(length), but the field for the data has \(Self.advertisingField) bytes"
    }
  }

  /// How many bytes there are too many or too few: `1 byte too many`.
  fileprivate var measure: Wording {
    let (bytes, isMore): (Int, Bool) =
      switch self {
      case .beyondLength(let bytes), .tooLong(let bytes): (bytes, true)
      case .incomplete(let all, let left), .tooShort(let all, let left): (max(0, all - left), false)
      case .dataTooLong(let length): (max(0, length - Self.advertisingField), true)
      }
    return "\(count: bytes, "byte", "bytes") too \(isMore ? "many" : "few" as StaticString)"
  }
}

extension AdapterHistory {
  /// The first command that the controller did not answer after more data than it can hold, if it
  /// neither completed a packet nor sent another event since.
  fileprivate var deadAfterOverflow: CommandHistory.Waiting? {
    let begin = buffers.overflows.last?.moment.packet ?? buffers.stuck?.moment.packet
    guard let begin, buffers.lastCompleted < begin, commands.answered > 0 else { return nil }
    return commands.waiting.first { $0.moment.packet > max(begin, commands.lastEvent?.packet ?? 0) }
  }

  /// The controller, if the capture numbers them: ` hci1`; empty for the first one.
  fileprivate var words: Wording { index.number.map { $0 == 0 ? "" : " hci\($0)" } ?? "" }
}

extension CommandHistory.Waiting {
  /// Its name and packet.
  var words: Wording { "\(Rule.commandName(opcode)) (\(packet: moment.packet))" }
}

extension Evidence {
  /// Returns the refusals that satisfy a condition, with their controllers.
  fileprivate func refusals(
    _ isMeant: (CommandHistory.Refusal) -> Bool
  ) -> [(AdapterHistory, CommandHistory.Refusal)] {
    adapters.flatMap { adapter in adapter.commands.refusals.filter(isMeant).map { (adapter, $0) } }
  }
}
