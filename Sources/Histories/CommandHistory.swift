package import Bluetooth
import Bytes
import Dissectors
import Sessions

/// How a controller answered its host's commands.
///
/// The first refusals are kept, with equal ones counted, and the last commands that wait for an
/// answer.
package struct CommandHistory: Sendable {
  /// An activity or a state of the controller that forbids a command (Core, Vol 4, Part E, 7.8).
  package struct Obstacle: Sendable {
    package enum Kind: Sendable {
      case connecting, scanning, advertising
      /// The resolving list has the identity with the same key, or with another one.
      case listed, listedOtherwise
      /// A stream of the isochronous group is open, or the group was not removed.
      case streaming, groupKept
    }

    package let kind: Kind
    /// The command that started it.
    package let since: Moment
  }

  /// Equal refusals: the same command with the same status.
  package struct Refusal: Sendable {
    package var opcode: UInt16
    package var status: StatusCode
    package var count = 0
    /// The first commands and answers.
    package var packets = PacketSet()
    package var first: Moment
    package var last: Moment
    /// The first later command of the same opcode that completed with success.
    package var succeeded: Moment?
    /// The first command of the other family of advertising commands since the last reset, if that
    /// family was used.
    package var otherFamily: (first: Moment, opcode: UInt16)?
    /// The activity of the controller that forbids the command, if known.
    package var obstacle: Obstacle?
    /// The answer to the same command if it was accepted within a second before, as when two
    /// programs request the same.
    package var granted: Moment?
    /// What is wrong with the first command's length.
    package var fault: LengthFault?
    /// Whether the first command only switches something off.
    package var stops = false
    /// Whether the first command names the address 00:00:00:00:00:00.
    package var namesNoDevice = false
    /// For parameters of a scan: the next command that enabled scanning.
    package var begun: Moment?
  }

  /// A command without an answer.
  package struct Waiting: Sendable {
    package var opcode: UInt16
    package var moment: Moment
    /// Whether it only switches something off.
    package var disables = false
    /// Whether a later command has been answered.
    package var isPassed = false
    /// The number of its parameter bytes, and what is wrong with its length.
    package var length = 0
    package var fault: LengthFault?
    /// Whether it names the address 00:00:00:00:00:00.
    package var namesNoDevice = false
  }

  /// An answer with a wrong length after which the host sent no command but a reset; the command's
  /// packet, if known; the reset, unless the capture ends before.
  package typealias BadAnswer = (
    opcode: UInt16, request: Int?, moment: Moment, fault: LengthFault, reset: Moment?
  )

  package private(set) var refusals: [Refusal] = []
  package private(set) var waiting: [Waiting] = []
  package private(set) var answered = 0
  /// The first answers to commands that are missing from the capture. Answers before the first
  /// answered command of the capture do not count.
  package private(set) var orphans = PacketSet()
  /// The number of such answers.
  package private(set) var orphanCount = 0
  /// The last event of the controller.
  package private(set) var lastEvent: Moment?
  /// The last data from the controller.
  var lastData = 0
  /// The last command during which the controller was silent for long, and the next event.
  package private(set) var lastStall: (opcode: UInt16, asked: Moment, ended: Moment)?
  /// The first answers with a wrong length at which the host stopped.
  package private(set) var badAnswers: [BadAnswer] = []
  /// The commands after whose answer, although its length was wrong, the host continued.
  package private(set) var tolerated: Set<UInt16> = []
  /// The last answer, if its length is wrong and no command has followed.
  package private(set) var badAnswer: BadAnswer?
  /// The first legacy and the first extended advertising command since the last reset.
  private var families: [(first: Moment, opcode: UInt16)?] = [nil, nil]

  /// Hosts wait two seconds for an answer (HCI_CMD_TIMEOUT of the Linux kernel).
  package static let longestWait: Int64 = 2_000_000_000

  /// The commands that were accepted last, in a ring.
  private var grants: [(opcode: UInt16, answer: Moment)] = []
  private var grantCount = 0
  private static let mostGrants = 8
  private static let repetition: Int64 = 1_000_000_000

  /// The command that was answered last.
  private var latest: UInt16 = 0
  /// Whether a command was forgotten that may still be answered.
  package private(set) var hasForgotten = false

  static let mostWaiting = 64
  package static let mostRefusals = 64
  package static let mostPackets = 8

  /// Returns to which of the two families of advertising, scanning and connecting commands a
  /// command belongs, or nil for neither (Core, Vol 4, Part E, 3.1.1 [mem]; commands that only read
  /// are ignored).
  private static func family(_ opcode: UInt16) -> Int? {
    switch opcode {
    case HCICommand.leSetAdvertisingParameters,
      HCICommand.leSetAdvertisingData...HCICommand.leCreateConnection:
      0
    case HCICommand.leSetAdvertisingSetRandomAddress...HCICommand.leSetExtendedAdvertisingEnable,
      HCICommand.leRemoveAdvertisingSet...HCICommand.lePeriodicAdvertisingCreateSyncCancel:
      1
    default: nil
    }
  }

  mutating func observe(
    _ opcode: UInt16, _ moment: Moment, _ bytes: RawSpan, _ body: Slice, _ fault: LengthFault?
  ) {
    guard opcode != HCICommand.hostNumberOfCompletedPackets, HCICommand.hasGroup(opcode) else {
      return
    }
    if badAnswer != nil { conclude(opcode, moment) }
    if waiting.count >= Self.mostWaiting {
      waiting.remove(at: waiting.firstIndex(where: \.isPassed) ?? waiting.count - 1)
      hasForgotten = true
    }
    // The first byte of all commands that switch advertising or scanning is on or off. Bit 1 of LE
    // Set Periodic Advertising Enable is another option (Core, Vol 4, Part E, 7.8.63).
    let switches: UInt8 = opcode == HCICommand.leSetPeriodicAdvertisingEnable ? 1 : 0xff
    let disables = !body.isEmpty && bytes.byte(at: Int(body.start)) & switches == 0
    waiting.append(
      Waiting(
        opcode: opcode, moment: moment, disables: disables, length: Int(body.count), fault: fault,
        namesNoDevice: Self.namesNoDevice(opcode, bytes.part(body))))
  }

  /// Returns whether a command names the address 00:00:00:00:00:00. In link control commands the
  /// address comes first, in those of lists of devices after the address type (1 byte).
  private static func namesNoDevice(_ opcode: UInt16, _ parameters: RawSpan) -> Bool {
    let start: Int
    switch opcode {
    case HCICommand.createConnection, HCICommand.createConnectionCancel,
      HCICommand.linkKeyRequestReply, HCICommand.linkKeyRequestNegativeReply,
      HCICommand.remoteNameRequest, HCICommand.remoteNameRequestCancel,
      HCICommand.deleteStoredLinkKey:
      start = 0
    case HCICommand.leAddDeviceToFilterAcceptList, HCICommand.leRemoveDeviceFromFilterAcceptList,
      HCICommand.leAddDeviceToResolvingList, HCICommand.leRemoveDeviceFromResolvingList:
      start = 1
    default: return false
    }
    guard parameters.byteCount >= start + 6 else { return false }
    return (start..<start + 6).allSatisfy { parameters.byte(at: $0) == 0 }
  }

  /// Hosts that wait for an answer do nothing for a while, but give up some time.
  private static let stops: ClosedRange<Int64> = 1_000_000_000...15_000_000_000

  /// Keeps an answer with a wrong length if this next command is a reset after a pause.
  private mutating func conclude(_ opcode: UInt16, _ moment: Moment) {
    defer { badAnswer = nil }
    if opcode != HCICommand.reset, let badAnswer, tolerated.count < Self.mostRefusals {
      tolerated.insert(badAnswer.opcode)
    }
    guard opcode == HCICommand.reset, waiting.isEmpty, badAnswers.count < Self.mostPackets,
      var bad = badAnswer, Self.stops.contains(moment.nanoseconds(since: bad.moment) ?? 0)
    else { return }
    bad.reset = moment
    badAnswers.append(bad)
  }

  /// Records that the host sends data: it did not stop at an answer.
  mutating func observeData() { if badAnswer != nil { badAnswer = nil } }

  /// Records that the length of an answer that reports success is wrong.
  mutating func observe(
    _ fault: LengthFault, ofAnswerTo opcode: UInt16, _ moment: Moment, _ request: Int?
  ) {
    guard !HCICommand.isVendors(opcode), HCICommand.hasGroup(opcode) else { return }
    badAnswer = (opcode, request, moment, fault, nil)
  }

  /// Records an event of any kind.
  mutating func hear(_ moment: Moment) {
    if let command = waiting.last, !command.isPassed,
      max(lastEvent?.packet ?? 0, lastData) < command.moment.packet,
      let wait = moment.nanoseconds(since: command.moment), Self.stalls.contains(wait)
    {
      lastStall = (command.opcode, command.moment, moment)
    }
    lastEvent = moment
  }

  /// Controllers answer at once. A longer pause is one of the host, such as sleep.
  private static let stalls: ClosedRange<Int64> = 500_000_000...10_000_000_000

  /// Records an answer: Command Complete or Command Status. Opcode 0 answers nothing.
  ///
  /// - Parameters:
  ///   - status: nil if the command does not return a known status.
  ///   - request: the command's packet, if known.
  ///   - isComplete: whether it is Command Complete. Command Status only begins what the command
  ///     asks for.
  mutating func observe(
    _ opcode: UInt16, _ status: StatusCode?, _ moment: Moment, _ request: Int?,
    isComplete: Bool, _ obstacle: Obstacle? = nil
  ) {
    hear(moment)
    guard opcode != 0, HCICommand.hasGroup(opcode) else { return }
    let position =
      waiting.firstIndex { request != nil && $0.moment.packet == request }
      ?? waiting.firstIndex { $0.opcode == opcode }
    var command: Waiting?
    if opcode == HCICommand.unknownOpcode {
      // Only the position in the order, if anything, identifies the command.
      guard let position else { return }
      return observe(
        waiting[position].opcode, status, moment, waiting[position].moment.packet,
        isComplete: isComplete)
    }
    if let position {
      command = waiting.remove(at: position)
      for index in 0..<position { waiting[index].isPassed = true }
      answered &+= 1
      latest = opcode
    } else if answered > 0, opcode != latest, !hasForgotten {
      // Controllers answer in order, so this command was sent after one that is in the capture. A
      // second answer to the same command, which some controllers send, is not counted.
      orphanCount &+= 1
      if orphanCount <= Self.mostPackets { orphans.insert(moment.packet) }
    }
    if opcode == HCICommand.reset, status == .success {
      families = [nil, nil]
      let reset = command?.moment ?? moment
      // Pending commands are void. Those that waited too long are the reason why the host reset the
      // controller.
      waiting.removeAll { reset.nanoseconds(since: $0.moment) ?? 0 < Self.longestWait }
      answered = 1
    }
    guard let status else { return }
    if status == .success {
      if grants.count < Self.mostGrants {
        grants.append((opcode, moment))
      } else {
        grants[grantCount % Self.mostGrants] = (opcode, moment)
      }
      grantCount &+= 1
      succeed(
        opcode, command?.moment ?? moment, disables: command?.disables ?? false,
        isComplete: isComplete)
    } else {
      refuse(opcode, status, command, moment, obstacle)
    }
  }

  private mutating func succeed(
    _ opcode: UInt16, _ moment: Moment, disables: Bool, isComplete: Bool
  ) {
    if let family = Self.family(opcode), families[family] == nil {
      families[family] = (moment, opcode)
    }
    guard !refusals.isEmpty else { return }
    for index in refusals.indices
    where isComplete && refusals[index].opcode == opcode && refusals[index].succeeded == nil
      && !(disables && Self.isSwitch(opcode))
    { refusals[index].succeeded = moment }
    let parameters: UInt16? =
      switch opcode {
      case HCICommand.leSetScanEnable: HCICommand.leSetScanParameters
      case HCICommand.leSetExtendedScanEnable: HCICommand.leSetExtendedScanParameters
      default: nil
      }
    guard !disables, let parameters else { return }
    for index in refusals.indices
    where refusals[index].opcode == parameters && refusals[index].begun == nil {
      refusals[index].begun = moment
    }
  }

  /// Returns whether a command switches something on or off: to switch it off is another matter.
  private static func isSwitch(_ opcode: UInt16) -> Bool {
    [
      HCICommand.leSetAdvertisingEnable, HCICommand.leSetScanEnable,
      HCICommand.leSetExtendedAdvertisingEnable, HCICommand.leSetExtendedScanEnable,
      HCICommand.leSetPeriodicAdvertisingEnable,
    ].contains(opcode)
  }

  private mutating func refuse(
    _ opcode: UInt16, _ status: StatusCode, _ command: Waiting?, _ answer: Moment,
    _ obstacle: Obstacle?
  ) {
    // Commands are counted, not answers: some controllers repeat one.
    guard let command, !Self.isHarmless(opcode, status, command) else { return }
    let stops = command.disables && Self.isSwitch(opcode)
    let position = refusals.firstIndex {
      $0.opcode == opcode && $0.status == status && $0.stops == stops
    }
    if position == nil, refusals.count >= Self.mostRefusals { return }
    var refusal =
      position.map { refusals[$0] }
      ?? Refusal(
        opcode: opcode, status: status, first: command.moment, last: answer,
        fault: command.fault, stops: stops, namesNoDevice: command.namesNoDevice)
    refusal.begun = nil
    refusal.count &+= 1
    refusal.last = answer
    refusal.obstacle = refusal.obstacle ?? obstacle
    let granted = grants.first {
      $0.opcode == opcode && answer.nanoseconds(since: $0.answer) ?? .max <= Self.repetition
    }?.answer
    // If any repetition was not preceded by an accepted command, none counts as such.
    if refusal.count == 1 || granted == nil { refusal.granted = granted }
    // What succeeded before fails again.
    refusal.succeeded = nil
    if refusal.count <= Self.mostPackets {
      refusal.packets.insert(command.moment.packet)
      refusal.packets.insert(answer.packet)
    }
    if let family = Self.family(opcode), let other = families[1 - family] {
      refusal.otherFamily = other
    }
    if let position { refusals[position] = refusal } else { refusals.append(refusal) }
  }

  /// Returns whether a refusal has no consequence: switching off what is off, cancelling what is
  /// over, naming a link that has just ended.
  private static func isHarmless(
    _ opcode: UInt16, _ status: StatusCode, _ command: Waiting
  ) -> Bool {
    // Vendor commands: only the vendor knows what their first byte means.
    if HCICommand.isVendors(opcode) { return true }
    switch (opcode, status) {
    case (_, .unknownConnectionIdentifier): return true
    case (HCICommand.disconnect, .commandDisallowed),
      (HCICommand.leCreateConnectionCancel, .commandDisallowed),
      (HCICommand.inquiryCancel, .commandDisallowed),
      // What is to be cancelled has just completed.
      (HCICommand.createConnectionCancel, _), (HCICommand.remoteNameRequestCancel, _),
      (HCICommand.exitPeriodicInquiryMode, .commandDisallowed),
      (HCICommand.leRemoveAdvertisingSet, .unknownAdvertisingIdentifier),
      (HCICommand.lePeriodicAdvertisingCreateSyncCancel, .commandDisallowed):
      return true
    case (HCICommand.leSetExtendedAdvertisingEnable, .unknownAdvertisingIdentifier),
      (HCICommand.leSetPeriodicAdvertisingEnable, .unknownAdvertisingIdentifier):
      return command.disables
    default: return command.disables && status == .commandDisallowed && isSwitch(opcode)
    }
  }

  /// Forgets pending commands, because the controller went away or records are missing.
  mutating func forget() {
    badAnswer = nil
    if !waiting.isEmpty { hasForgotten = true }
    waiting.removeAll(keepingCapacity: true)
  }
}
