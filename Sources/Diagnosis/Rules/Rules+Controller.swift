import Bluetooth
import Dissectors
import Sessions
import Words

// Rules about controllers: commands that are refused or not answered, and hardware errors.

extension Rule {
  /// The rules about controllers.
  static let controller: [Rule] = [
    hardwareError, unanswered, advertisingMixed, advertisingRefused, scanningRefused, refused,
    unknownCommand,
  ]

  private static let hardwareError = Rule(
    whole: "hci-hardware-error", .error, "The controller reports a hardware error",
    when: "the controller sent a Hardware Error event", needs: [.events],
    do:
      "The controller has lost its state: the host has to reset it. Look for newer controller firmware, and for problems of the power supply or the transport (UART flow control, USB) at that time."
  ) { evidence in
    evidence.adapters.compactMap { adapter in
      guard let first = adapter.hardwareErrors.first else { return nil }
      let times: Wording =
        adapter.hardwareErrorCount > 1 ? " \(adapter.hardwareErrorCount) times" : ""
      return Finding(
        "The controller\(adapter.words) reports Hardware Error\(times), code \(code: first.code, digits: 2)",
        headline: "the controller reports Hardware Error",
        why: "The code's meaning is specific to the controller's manufacturer.",
        evidence: PacketSet(adapter.hardwareErrors.map(\.moment.packet)))
    }
  }

  private static let unanswered = Rule(
    whole: "hci-command-unanswered", .warning, "The controller does not answer a command",
    when:
      "a command has neither Command Complete nor Command Status although later ones have, or the controller is silent for two seconds and more",
    needs: [.commands, .events],
    do:
      "A controller that falls silent has crashed or lost its transport: reset or power-cycle it (on Linux use hciconfig reset or re-plug the adapter), and look for newer firmware."
  ) { evidence in evidence.adapters.flatMap { unanswered($0, evidence) } }

  private static func unanswered(_ adapter: AdapterHistory, _ evidence: Evidence) -> [Finding] {
    let commands = adapter.commands
    // If no command was answered, the capture may simply contain no events.
    guard commands.answered > 0, let first = commands.waiting.first else { return [] }
    let silent = commands.waiting.filter {
      $0.moment.packet > commands.lastEvent?.packet ?? 0
    }
    var findings: [Finding] = []
    if let dead = silent.first, isOver(dead, evidence) {
      let others: Wording =
        silent.count > 1
        ? ", nor \(count: silent.count - 1, "later command", "later commands")" : ""
      var finding = Finding(
        "The controller\(adapter.words) is dead: no event after \(dead.words)",
        headline: "the controller fell silent after \(packet: dead.moment.packet)",
        why:
          "It answered \(count: commands.answered, "command", "commands") before, but not this one\(others), and sent nothing else.",
        .likely, evidence: PacketSet(silent.prefix(8).map(\.moment.packet)))
      finding.severity = .error
      finding.restsOnAbsence = true
      findings.append(finding)
    }
    let passed = commands.waiting.filter {
      $0.moment.packet < commands.lastEvent?.packet ?? 0 && ($0.isPassed || isOver($0, evidence))
    }
    guard !passed.isEmpty else { return findings }
    let several: Wording =
      passed.count == 1
      ? passed[0].words : "\(passed.count) commands, the first one \(first.words)"
    var finding = Finding(
      "The controller\(adapter.words) did not answer \(several)",
      headline: "the controller left \(count: passed.count, "command", "commands") unanswered",
      why:
        "It continued to answer other commands or to send events: the command's outcome is unknown, or its answer is missing from the capture.",
      .likely, evidence: PacketSet(passed.prefix(8).map(\.moment.packet)))
    finding.restsOnAbsence = true
    findings.append(finding)
    return findings
  }

  /// Returns whether the capture goes on for longer than a host waits.
  private static func isOver(_ command: CommandHistory.Waiting, _ evidence: Evidence) -> Bool {
    guard let time = command.moment.time, let latest = evidence.extent.latest else { return false }
    return latest.nanoseconds(since: time) > CommandHistory.longestWait
  }

  private static let advertisingMixed = Rule(
    whole: "hci-advertising-mixed", .error,
    "Legacy and extended advertising commands were mixed, which controllers refuse",
    when:
      "a command of one family was refused with Command Disallowed (0x0c) and the other family was used since the last reset",
    needs: [.commands, .events],
    do:
      "Use only one family between resets, for advertising, scanning and connecting alike: the extended commands (0x2036 to 0x2043) if the controller has them (Core, Vol 4, Part E, 3.1.1)."
  ) { evidence in
    evidence.refusals { $0.status == .commandDisallowed && $0.otherFamily != nil }.map {
      adapter, refusal in
      let other: Wording =
        refusal.otherFamily.map {
          "\(commandName(refusal.otherOpcode ?? 0)) of \(packet: $0.packet)"
        } ?? ""
      var finding = Finding(
        "\(commandName(refusal.opcode)) is refused\(adapter.words): legacy and extended commands are mixed",
        headline: "legacy and extended advertising commands are mixed",
        why:
          "Since \(other) the controller has been in the other mode, and it answers \(times(refusal.count))Command Disallowed (0x0c).",
        .likely,
        evidence: PacketSet([refusal.otherFamily?.packet].compactMap(\.self)).union(
          refusal.packets))
      resolve(&finding, refusal)
      return finding
    }
  }

  private static let advertisingRefused = Rule(
    whole: "hci-advertising-refused", .error, "The controller refuses to advertise",
    when: "a command that sets up or enables advertising was refused", needs: [.commands, .events],
    do:
      "Command Disallowed: advertising is already enabled, or all links are in use. Invalid Parameters: check interval, data length and address type against the advertising type; set a random address first. Limit Reached or Memory Capacity Exceeded: remove other advertising sets."
  ) { evidence in
    evidence.refusals { isAdvertising($0.opcode) && !isMixed($0) && !$0.isOptional }.map {
      adapter, refusal in
      tell(refusal, adapter, "the controller refused to advertise")
    }
  }

  private static let scanningRefused = Rule(
    whole: "hci-scanning-refused", .error, "The controller refuses to scan",
    when: "a command that sets up or enables scanning was refused", needs: [.commands, .events],
    do:
      "Command Disallowed: stop the running scan before changing its parameters, and do not scan during a connection attempt if the controller cannot do both."
  ) { evidence in
    evidence.refusals { isScanning($0.opcode) && !isMixed($0) && !$0.isOptional }.map {
      adapter, refusal in
      tell(refusal, adapter, "the controller refused to scan")
    }
  }

  private static let refused = Rule(
    whole: "hci-command-refused", .warning, "The controller refuses a command",
    when:
      "a command other than those that connect, advertise, scan or encrypt was answered with an error status",
    needs: [.commands, .events]
  ) { evidence in
    evidence.refusals {
      !isAdvertising($0.opcode) && !isScanning($0.opcode) && !isElsewhere($0.opcode)
        && !$0.isOptional && !isMixed($0)
    }.map { adapter, refusal in
      var finding = tell(
        refusal, adapter, "the controller refused \(commandName(refusal.opcode))")
      if refusal.isOfOption { finding.severity = .note }
      if let words = refusal.consequence {
        finding.why =
          "The command in \(packet: refusal.first.packet) was answered with this status. \(words)"
      }
      return finding
    }
  }

  private static let unknownCommand = Rule(
    whole: "hci-unknown-command", .note, "The controller does not know a command",
    when:
      "commands were answered with Unknown HCI Command (0x01) or Unsupported Feature or Parameter Value (0x11)",
    needs: [.commands, .events]
  ) { evidence in
    evidence.adapters.compactMap { adapter in
      let unknown = adapter.commands.refusals.filter { $0.isOptional && !isElsewhere($0.opcode) }
      guard let first = unknown.first else { return nil }
      let most = 6
      var names = unknown.prefix(most).map { commandName($0.opcode) }
      if unknown.count > most { names.append("\(unknown.count - most) others") }
      return Finding(
        "The controller\(adapter.words) lacks \(count: unknown.count, "command", "commands") that the host tried",
        headline: "the controller lacks \(commandName(first.opcode))",
        why:
          "\(Wording(listing: names)): the controller is older or lacks the feature. Hosts work without it.",
        evidence: unknown.prefix(8).reduce(PacketSet()) { $0.union($1.packets) })
    }
  }

  // MARK: What commands are for

  private static func commandName(_ opcode: UInt16) -> Wording {
    guard let row = PDUTable.core.command(opcode) else {
      return "command \(code: opcode, digits: 4)"
    }
    return "\(row.name)"
  }

  /// Returns whether a command sets up advertising: LE Set Advertising Parameters to Enable without
  /// the one that reads, and the commands for extended and periodic advertising.
  private static func isAdvertising(_ opcode: UInt16) -> Bool {
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

  private static func isScanning(_ opcode: UInt16) -> Bool {
    switch opcode {
    case HCICommand.leSetScanParameters, HCICommand.leSetScanEnable,
      HCICommand.leSetExtendedScanParameters, HCICommand.leSetExtendedScanEnable:
      true
    default: false
    }
  }

  /// Returns whether other rules report the failure of a command: those that connect, change
  /// parameters, and encrypt.
  private static func isElsewhere(_ opcode: UInt16) -> Bool {
    switch opcode {
    case HCICommand.leConnectionUpdate, HCICommand.leEnableEncryption: true
    default: LECreateConnection.opcodes.contains(opcode)
    }
  }

  private static func isMixed(_ refusal: CommandHistory.Refusal) -> Bool {
    refusal.status == .commandDisallowed && refusal.otherFamily != nil
  }

  private static func times(_ count: Int) -> Wording { count == 1 ? "" : "\(count) times " }

  private static func tell(
    _ refusal: CommandHistory.Refusal, _ adapter: AdapterHistory, _ headline: Wording
  ) -> Finding {
    let times: Wording = refusal.count == 1 ? "" : " \(refusal.count) times"
    var finding = Finding(
      "The controller\(adapter.words) refused \(commandName(refusal.opcode))\(times): \(refusal.status)",
      headline: headline,
      why: "The command in \(packet: refusal.first.packet) was answered with this status.",
      evidence: refusal.packets)
    if let obstacle = refusal.obstacle {
      let (state, way): (Wording, Wording) =
        switch obstacle.kind {
        case .connecting:
          (
            "a connection attempt is pending (since \(packet: obstacle.since.packet))",
            "Cancel the connection attempt (LE Create Connection Cancel) when it is no longer needed, or wait for it to end: this controller does not do both at once."
          )
        case .scanning:
          (
            "scanning is on (since \(packet: obstacle.since.packet))",
            "Stop the running scan before you change its parameters. If another program started it, let only one program use the controller."
          )
        case .advertising:
          (
            "advertising is on (since \(packet: obstacle.since.packet))",
            "Disable advertising before you change its parameters or enable it again."
          )
        }
      finding.what = "\(finding.what), while \(state)"
      finding.headline = "\(headline) because \(state)"
      finding.why = "The controller refuses this command while \(state)."
      finding.remedy = way
      finding.evidence = PacketSet([obstacle.since.packet]).union(refusal.packets)
    }
    if refusal.status == .commandDisallowed, let granted = refusal.granted {
      finding.severity = .note
      finding.why =
        "\(finding.why) The same command had just succeeded (\(packet: granted.packet)): it was sent twice."
      // Both commands were pending when the first answer came: it may belong to either.
      if refusal.first.packet < granted.packet { finding.certainty = .likely }
    }
    resolve(&finding, refusal)
    return finding
  }

  /// Marks a finding as resolved if the same command was accepted later.
  private static func resolve(_ finding: inout Finding, _ refusal: CommandHistory.Refusal) {
    guard let later = refusal.succeeded else { return }
    finding.severity = .note
    finding.isResolved = true
    finding.why = "\(finding.why) The same command succeeded later (\(packet: later.packet))."
  }
}

extension CommandHistory.Refusal {
  /// Whether it concerns something that links do not need: an option that the peer lacks, the power
  /// modes of BR/EDR (group 0x02), its supervision timeout, which only the central sets (Core, Vol
  /// 4, Part E, 7.3.42), or something with a harmless consequence.
  fileprivate var isOfOption: Bool {
    status == .unsupportedRemoteFeature || opcode >> 10 == 0x02
      || opcode == HCICommand.writeLinkSupervisionTimeout
      || consequence != nil
  }

  /// The consequence, if it is minor.
  fileprivate var consequence: Wording? {
    switch (opcode, status.rawValue) {
    case (0x0c01, _), (0x0c63, _), (HCICommand.leSetEventMask, _):
      "The old mask stays in force: older controllers refuse the bits of events that they do not support."
    case (HCICommand.leSetRandomAddress, 0x0c), (HCICommand.leSetAdvertisingSetRandomAddress, 0x0c):
      "The old address stays in use: it cannot be changed during advertising, scanning or a connection attempt (Core, Vol 4, Part E, 7.8.4 and 7.8.52)."
    // [mem]; Repeated Attempts.
    case (HCICommand.leAddDeviceToFilterAcceptList, 0x17):
      "Broadcom's controllers answer this if the device is already on the list."
    default: nil
    }
  }

  /// Whether the controller merely lacks something.
  fileprivate var isOptional: Bool { status.rawValue == 0x01 || status.rawValue == 0x11 }
}

extension CommandHistory.Waiting {
  /// Its name and packet.
  fileprivate var words: Wording {
    guard let row = PDUTable.core.command(opcode) else {
      return "command \(code: opcode, digits: 4) (\(packet: moment.packet))"
    }
    return "\(row.name) (\(packet: moment.packet))"
  }
}

extension AdapterHistory {
  /// The controller, if the capture numbers them: ` hci1`; empty for the first one.
  fileprivate var words: Wording { index.number.map { $0 == 0 ? "" : " hci\($0)" } ?? "" }
}

extension Evidence {
  /// Returns the refusals that satisfy a condition, with their controllers.
  fileprivate func refusals(
    _ isMeant: (CommandHistory.Refusal) -> Bool
  ) -> [(AdapterHistory, CommandHistory.Refusal)] {
    adapters.flatMap { adapter in
      adapter.commands.refusals.filter(isMeant).map { (adapter, $0) }
    }
  }
}
