import Bluetooth
package import Bytes
import Captures
import Dissectors
package import Sessions

/// What `show --brief` folds: routine packets; and empty packets on the air, which `show` always
/// folds. Works in one pass, in the order of the capture, with little memory. Each packet that is
/// folded is counted in a line.
package struct Brief: Sendable {
  /// Why a packet is routine.
  package enum Reason: Sendable {
    /// A command was that succeeded, as is normal.
    case answer
    /// The controller, the host or the peer's end of a channel has room again.
    case flowControl
    /// An event with a code that the specification does not define.
    case unknownEvent
    /// A fragment of a PDU; the packet that completes the PDU shows all of it.
    case fragment
    /// A step of a discovery: a line shows what was found.
    case discovery
    /// A round of passkey entry after the first: a line shows how many.
    case round(Int)
    /// Commands that set up the controller, after a Reset or later: a line shows how many. If one
    /// fails, its answer has its own line, which names it.
    case startUp(UInt16), setUp(UInt16)
    /// What was heard of advertisers: a line shows how many reports, and from how many devices.
    case advertising
    /// The controller's debug log: a line shows the number of packets.
    case controllerLog
    /// Packets on the air without data, most of all packets there: a line shows how many, or in
    /// `--brief` none.
    case empty, hiddenEmpty
    /// A packet on the air that repeats the one before of its side.
    case resent

    /// The kind of line that summarises such packets; nil if no line does.
    fileprivate var kind: Kind? {
      switch self {
      case .discovery: .discovery
      case .round: .rounds
      case .startUp: .startUp
      case .setUp: .setUp
      case .controllerLog: .controllerLog
      case .advertising: .advertising
      case .empty: .empty
      case .answer, .flowControl, .fragment, .unknownEvent, .resent, .hiddenEmpty: nil
      }
    }
  }

  /// What a line summarises.
  enum Kind: Sendable {
    case discovery, rounds, startUp, setUp, controllerLog, advertising, empty

    /// Whether a packet that stays alone in such a run is shown as it is.
    fileprivate var isShownAlone: Bool {
      self == .startUp || self == .setUp || self == .advertising
    }
  }

  /// The packets of one connection that are summarised in one line.
  package struct Run: Sendable {
    let connection: Int
    let adapter: AdapterIndex
    let kind: Kind
    package let first: Int
    let firstTime: Timestamp?
    package fileprivate(set) var last: Int
    fileprivate(set) var lastTime: Timestamp?
    fileprivate(set) var count = 1
    fileprivate(set) var found = Found()
    fileprivate(set) var rounds: ClosedRange<Int>?
    /// The first command that set up the controller.
    fileprivate(set) var opcode: UInt16 = 0
    fileprivate(set) var heard = Heard()
    fileprivate(set) var empty = Empty()
    /// How a packet that stays alone is shown: nothing is gained by a summary of it.
    fileprivate(set) var alone: Alone?
  }

  /// The direction and the words of a packet.
  struct Alone: Sendable {
    let direction: Direction?
    let isDirectionInferred: Bool
    let words: [UInt8]
  }

  /// What is known of empty packets.
  struct Empty: Sendable {
    fileprivate(set) var resent = 0
    fileprivate(set) var damaged = 0
    /// The name and the direction of the first.
    fileprivate(set) var title: StaticString = ""
    fileprivate(set) var direction: Direction?
    fileprivate(set) var isDirectionInferred = false
  }

  /// What advertising reports contain.
  struct Heard: Sendable {
    fileprivate(set) var reports = 0
    /// The reports without an address.
    fileprivate(set) var anonymous = 0
    /// Their addresses, as numbers.
    fileprivate(set) var devices: Set<UInt64> = []
    /// Whether there are devices that are not in the list.
    fileprivate(set) var hasMore = false
    /// Whether they are packets on the air, and how many of these were damaged.
    fileprivate(set) var isOnAir = false
    fileprivate(set) var damaged = 0

    /// The maximum number of devices that are remembered.
    private static let limit = 4096

    fileprivate mutating func note(_ fact: AirFact) {
      isOnAir = true
      if fact.crc == .wrong { damaged += 1 }
    }

    fileprivate mutating func add(_ advertisements: [Advertisement]) {
      for advertisement in advertisements {
        reports += 1
        guard let address = advertisement.report.address ?? advertisement.train?.address else {
          anonymous += 1
          continue
        }
        if devices.count < Self.limit {
          devices.insert(address.value)
        } else if !devices.contains(address.value) {
          hasMore = true
        }
      }
    }
  }

  /// What a discovery found.
  struct Found: Sendable {
    fileprivate(set) var services = 0
    fileprivate(set) var includes = 0
    fileprivate(set) var characteristics = 0
    fileprivate(set) var descriptors = 0
    /// How many of them were found on the connection before.
    fileprivate(set) var again = 0
    /// Whether a request was answered: packets between the two split a discovery into runs.
    fileprivate(set) var isAnswered = false
  }

  /// The runs that have not been printed yet, ordered by their first packets.
  package private(set) var runs: [Run] = []
  /// The controller that was reset last, as long as only folded packets have followed.
  private var starting: AdapterIndex?
  /// The numbers of packets that were omitted without a line of their own.
  private(set) var answers = 0
  private(set) var flowControl = 0
  private(set) var fragments = 0
  /// The number of events with codes that the specification does not define: a host's stack may log
  /// internal messages.
  private(set) var unknownEvents = 0
  private(set) var resent = 0
  private(set) var empty = 0
  /// The attributes that were found so far: connection, direction and handle.
  private var discovered: Set<UInt64> = []

  /// The maximum number of concurrent runs.
  private static let runLimit = 8

  package init() {}

  /// Returns why the packet is routine, or nil if it is not.
  ///
  /// - Parameter isFailure: whether the packet reports a failure, as its sentence knows.
  package mutating func reason(
    _ packet: borrowing Packet, isFailure: Bool, _ memory: borrowing Memory
  ) -> Reason? {
    if packet.isEmptyOnAir { return .hiddenEmpty }
    let isNormal = !isFailure && packet.dissection.problems.isEmpty
    let reason = isNormal ? reasonToFold(packet, memory) : nil
    if reason == nil {
      // A start-up lasts from a Reset to the next packet that is not folded.
      if case .command(let command) = packet.dissection.content, command.opcode == Self.reset {
        starting = packet.record.adapter
      } else {
        starting = nil
      }
    }
    return reason
  }

  private func reasonToFold(_ packet: borrowing Packet, _ memory: borrowing Memory) -> Reason? {
    switch packet.dissection.content {
    case .command(let command):
      if command.opcode == HCICommand.hostNumberOfCompletedPackets { return .flowControl }
      guard Self.setsUp(command.opcode) else { return nil }
      if starting == packet.record.adapter { return .startUp(command.opcode) }
      // Later, what a vendor's command does may be news.
      return command.opcode >> 10 == 0x3f ? nil : .setUp(command.opcode)
    case .event(let event): return reasonToFold(event.code, packet, memory)
    case .acl:
      if packet.answer.fragment.isFragment { return .fragment }
      if packet.dissection.isSignalling {
        return packet.dissection.givesOnlyCredits(packet.bytes) ? .flowControl : nil
      }
      // Both sides confirm, then both reveal their random numbers, twenty times (Core, Vol 3, Part
      // H, 2.3.5.6.3).
      if let round = packet.answer.pairing?.round, round > 1 { return .round(Int(round)) }
      guard packet.dissection.isDiscovery(packet.answer.request) else { return nil }
      return .discovery
    case .control(let control):
      return control.isAnswer && packet.answer.request != nil ? .answer : nil
    case .controllerLog: return .controllerLog
    case .advertising(let pdu):
      // What opens a connection has a line. A damaged packet may be any.
      let isDamaged = packet.answer.air?.crc == .wrong
      return isDamaged || pdu.kind != .connectInd && pdu.kind != .connectResponse
        ? .advertising : nil
    case .linkData: return packet.answer.air?.isResent ?? false ? .resent : nil
    default: return nil
    }
  }

  private func reasonToFold(
    _ event: UInt8, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> Reason? {
    if case .completedPackets = packet.dissection.fact { return .flowControl }
    // An event without a name is only a number, which shows nothing.
    if PDUTable.core.event(event) == nil, event != HCIEvent.vendorCode,
      event != HCIEvent.leMetaCode
    {
      return .unknownEvent
    }
    guard let opcode = packet.dissection.fact.answeredOpcode else {
      return memory.advertisements.reports.isEmpty ? nil : .advertising
    }
    // Answers no command, but reports how many more commands the controller accepts (Core, Vol 4,
    // Part E, 4.4).
    if opcode == 0 { return .flowControl }
    // The first return parameter of a vendor command may not be a status.
    guard packet.dissection.parameters?.status(packet.bytes) == 0 else { return nil }
    // If the command is missing, the answer is its only trace.
    return packet.answer.request != nil ? .answer : nil
  }

  /// Returns whether a packet can be folded without printing first, which is necessary if there are
  /// too many concurrent runs.
  package func hasRoom(
    _ reason: Reason, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> Bool {
    guard let kind = reason.kind else { return true }
    return runs.count < Self.runLimit || place(kind, packet, memory) != nil
  }

  private func place(
    _ kind: Kind, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> Int? {
    let connection = packet.answer.link.map { memory.links.id($0) } ?? 0
    let adapter = packet.record.adapter
    return runs.firstIndex {
      $0.connection == connection && $0.kind == kind && $0.adapter == adapter
    }
  }

  private static let reset: UInt16 = 0x0c03

  /// Returns whether a command only sets up the controller or reads its capabilities: Controller &
  /// Baseband commands that are not about a connection, Informational Parameters, vendor commands,
  /// and the LE commands whose rows are about set-up (Core, Vol 4, Part E, 7.3, 7.4, 7.8).
  private static func setsUp(_ opcode: UInt16) -> Bool {
    let row = PDUTable.core.command(opcode)
    return switch opcode >> 10 {
    case 3: opcode != reset && row?.parameters.connectionHandleOffset == nil
    case 4, 0x3f: true
    default: row?.subjects.contains(.setUp) ?? false
    }
  }

  /// Folds a packet.
  ///
  /// - Returns: the index of the run that begins with it, if a packet that stays alone in such a
  ///   run is shown as it is.
  @discardableResult
  package mutating func fold(
    _ reason: Reason, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> Int? {
    guard let kind = reason.kind else {
      count(reason)
      return nil
    }
    let known = place(kind, packet, memory)
    let run = extend(known, kind, packet, memory)
    switch reason {
    case .discovery:
      if let pdu = packet.dissection.att {
        runs[run].found.add(pdu.opcode, packet, memory, &discovered)
      }
    case .round(let round):
      let first = runs[run].rounds?.lowerBound ?? round
      runs[run].rounds = min(first, round)...max(first, round)
    case .startUp(let opcode), .setUp(let opcode):
      if known == nil { runs[run].opcode = opcode }
    case .advertising:
      runs[run].heard.add(memory.advertisements.reports)
      if let fact = packet.answer.air { runs[run].heard.note(fact) }
    case .empty: runs[run].empty.add(packet)
    case .controllerLog, .answer, .flowControl, .fragment, .unknownEvent, .resent, .hiddenEmpty:
      break
    }
    return known == nil && kind.isShownAlone ? run : nil
  }

  /// Counts a packet that has no line.
  private mutating func count(_ reason: Reason) {
    switch reason {
    case .answer: answers += 1
    case .flowControl: flowControl += 1
    case .fragment: fragments += 1
    case .unknownEvent: unknownEvents += 1
    case .resent: resent += 1
    case .hiddenEmpty: empty += 1
    case .discovery, .round, .startUp, .setUp, .controllerLog, .advertising, .empty: break
    }
  }

  /// Keeps how the first packet of a run is shown if it stays alone.
  mutating func keep(_ packet: Alone, of run: Int) { runs[run].alone = packet }

  private mutating func extend(
    _ known: Int?, _ kind: Kind, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) -> Int {
    if let known {
      runs[known].last = packet.record.number
      runs[known].lastTime = packet.record.time
      runs[known].count += 1
      return known
    }
    runs.append(
      Run(
        connection: packet.answer.link.map { memory.links.id($0) } ?? 0,
        adapter: packet.record.adapter,
        kind: kind, first: packet.record.number, firstTime: packet.record.time,
        last: packet.record.number, lastTime: packet.record.time))
    return runs.count - 1
  }

  /// Removes the runs after they were printed.
  package mutating func clearRuns() { runs.removeAll(keepingCapacity: true) }
}

extension Brief.Empty {
  /// Counts an empty packet.
  fileprivate mutating func add(_ packet: borrowing Packet) {
    if title.utf8CodeUnitCount == 0 {
      title = (packet.answer.air?.stream ?? .unknown).title
      direction = packet.record.direction
      isDirectionInferred = packet.isDirectionInferred
    }
    if packet.answer.air?.crc == .wrong {
      damaged += 1
    } else if packet.answer.air?.isResent ?? false {
      resent += 1
    }
  }
}

extension Packet {
  /// Whether the direction is neither recorded nor proven by the packet.
  var isDirectionInferred: Bool {
    guard let evidence = answer.air?.directionEvidence else { return record.isDirectionInferred }
    return evidence > .capture
  }

  /// Whether this is a packet on the air without data and without problems.
  var isEmptyOnAir: Bool {
    guard case .linkData(let pdu) = dissection.content, pdu.isEmpty else { return false }
    return dissection.problems.isEmpty
  }
}

extension Brief.Found {
  /// The maximum number of attributes that are remembered as found.
  private static let limit = 65_536

  /// Counts what a discovery response contains.
  ///
  /// - Parameter discovered: what was found before, which is not counted again.
  fileprivate mutating func add(
    _ opcode: ATTOpcode, _ packet: borrowing Packet, _ memory: borrowing Memory,
    _ discovered: inout Set<UInt64>
  ) {
    if opcode.role == .response { isAnswered = true }
    guard let items = packet.dissection.attFields.items, let request = packet.answer.request else {
      return
    }
    let connection = UInt64(
      packet.answer.link.map { UInt32(truncatingIfNeeded: memory.links.id($0)) } ?? 0)
    let side = connection << 17 | UInt64(packet.record.direction == .sent ? 1 : 0) << 16
    func isNew(_ handle: UInt16, _ again: inout Int) -> Bool {
      if discovered.count >= Self.limit { discovered.removeAll(keepingCapacity: true) }
      if discovered.insert(side | UInt64(handle)).inserted { return true }
      again += 1
      return false
    }
    var cursor = Cursor(packet.bytes, items.list)
    while let item = items.next(&cursor) {
      switch opcode {
      case .readByGroupTypeResponse, .findByTypeValueResponse, .readByTypeResponse:
        if let handle = item.handle, !isNew(handle, &again) { continue }
      default: break
      }
      switch opcode {
      case .readByGroupTypeResponse, .findByTypeValueResponse: services += 1
      case .readByTypeResponse:
        if request.type == .characteristic { characteristics += 1 } else { includes += 1 }
      default:
        guard let handle = item.handle, let link = packet.answer.link,
          let direction = packet.record.direction,
          let place = memory.attribute(handle, opcode, direction, on: link)
        else { continue }
        if memory.attributes[place].kind == .descriptor, isNew(handle, &again) { descriptors += 1 }
      }
    }
  }
}

extension Dissection {
  /// Returns whether a signalling frame contains only commands that give credits.
  fileprivate func givesOnlyCredits(_ bytes: RawSpan) -> Bool {
    var commands = SignallingCommands(body)
    var count = 0
    while let command = commands.next(bytes) {
      guard command.code == .flowControlCredit else { return false }
      count += 1
    }
    return count > 0
  }

  /// Returns whether the ATT PDU is a step of a discovery: a request for services, includes,
  /// characteristics or descriptors, or the response to such a request (Core, Vol 3, Part G, 4.4 to
  /// 4.7).
  fileprivate func isDiscovery(_ request: Request?) -> Bool {
    guard let own = att?.opcode else { return false }
    let (opcode, type) =
      own.role == .request ? (own, attFields.type) : (request?.opcode ?? own, request?.type)
    return switch opcode {
    case .readByGroupTypeRequest, .findByTypeValueRequest, .findInformationRequest: true
    case .readByTypeRequest: type == .characteristic || type == .include
    default: false
    }
  }
}

extension Output {
  /// Appends a summary of a run of packets: `discovered 5 services, 12 characteristics (34 packets,
  /// #48–#81)`.
  mutating func run(_ run: Brief.Run, _ glyphs: Glyphs) {
    words(of: run, glyphs)
    text(" (")
    if run.kind != .empty, !run.heard.isOnAir {
      count(run.count, "packet", "packets")
      text(", ")
    }
    packet(run.first)
    if run.last > run.first {
      text(glyphs.to)
      packet(run.last)
    }
    byte(0x29)
  }

  /// Appends what a run of packets was, without the packets.
  package mutating func words(of run: Brief.Run, _ glyphs: Glyphs) {
    switch run.kind {
    case .discovery: found(run.found)
    case .empty:
      text(glyphs.ellipsis)
      byte(0x20)
      count(run.count, "empty packet", "empty packets")
      if run.empty.resent > 0 {
        text(", ")
        decimal(run.empty.resent)
        text(" resent")
      }
      damaged(run.empty.damaged)
    case .controllerLog: text("controller debug log")
    case .advertising: heard(run.heard, packets: run.count)
    case .startUp:
      text("start-up: ")
      commands(run)
    case .setUp:
      text("set-up: ")
      commands(run)
    case .rounds:
      guard let rounds = run.rounds else { return }
      text("passkey entry, ")
      text(rounds.count == 1 ? "round " : "rounds ")
      decimal(rounds.lowerBound)
      if rounds.count > 1 {
        text(glyphs.to)
        decimal(rounds.upperBound)
      }
    }
  }

  /// Appends the first command of a run, and how many followed.
  private mutating func commands(_ run: Brief.Run) {
    if let row = PDUTable.core.command(run.opcode) {
      name(row.name)
    } else {
      hexadecimal(UInt64(run.opcode), digits: 4)
    }
    if run.count > 1 {
      text(" and ")
      count(run.count - 1, "more command", "more commands")
    }
  }

  private mutating func damaged(_ packets: Int) {
    guard packets > 0 else { return }
    text(", ")
    decimal(packets)
    text(" with a wrong CRC")
  }

  private mutating func heard(_ heard: Brief.Heard, packets: Int) {
    if heard.isOnAir {
      count(packets, "advertising packet", "advertising packets")
    } else {
      count(heard.reports, "advertising report", "advertising reports")
    }
    if heard.devices.count == 1, let device = heard.devices.first {
      text(" from ")
      address(DeviceAddress(value: device))
    } else if !heard.devices.isEmpty {
      text(heard.hasMore ? " from at least " : " from ")
      count(heard.devices.count, "device", "devices")
    }
    if heard.anonymous > 0 {
      text(", ")
      if heard.anonymous < heard.reports { decimal(heard.anonymous); text(" of them ") }
      text("without an address")
    }
    damaged(heard.damaged)
  }

  private mutating func found(_ found: Brief.Found) {
    var isFirst = true
    for (number, one, several) in [
      (found.services, "service", "services"),
      (found.includes, "included service", "included services"),
      (found.characteristics, "characteristic", "characteristics"),
      (found.descriptors, "descriptor", "descriptors"),
    ] as [(Int, StaticString, StaticString)] where number > 0 {
      text(isFirst ? "discovered " : ", ")
      isFirst = false
      count(number, one, several)
    }
    if isFirst {
      text(
        found.again > 0
          ? "discovery, nothing new found"
          : found.isAnswered ? "discovery, nothing found" : "discovery, requested")
    }
  }
}
