package import Bluetooth
import Bytes
import Captures
package import Dissectors
import Sessions

/// How a link went: parameters, procedures, acknowledgements, end.
///
/// Of parameter changes and failed procedures the first ones are kept, beyond those their number.
package struct LinkHistory: Sendable {
  /// A procedure of the Link Layer that ended with a failing status.
  package struct Failure: Sendable {
    /// What it is.
    package var name: StaticString
    /// Why it failed.
    package var status: StatusCode
    /// The event that says so.
    package var moment: Moment
  }

  /// A PHY that was changed to: raw values of HCI (1 LE 1M, 2 LE 2M, 3 LE Coded).
  package struct PHYChange: Sendable {
    /// The event.
    package var moment: Moment
    /// What this host's controller sends on.
    package var sent: UInt8
    /// What the peer sends on.
    package var received: UInt8
  }

  /// A change of how much a packet of the link may hold.
  package struct LengthChange: Sendable {
    /// The event.
    package var moment: Moment
    /// Bytes of a packet that this side sends.
    package var sent: UInt16
    /// Bytes of a packet that the peer sends.
    package var received: UInt16
  }

  /// A change of how many connection events are used (Core, Vol 4, Part E, 7.7.65.35), or one that failed.
  package struct SubrateChange: Sendable {
    /// This host's LE Subrate Request; nil: the peer, or a controller, has changed it.
    package var asked: Moment?
    /// What that asks for; nil: nothing, or it is cut off.
    package var wanted: LESubrateRequest?
    /// LE Subrate Change, or the Command Status that refused the request.
    package var moment: Moment
    /// Success, or why nothing changed.
    package var status: StatusCode
    /// What is in force from then on; nil where nothing changed.
    package var result: LESubrateChange?
  }

  /// The event that opened the link.
  package private(set) var opened: Moment?
  /// The maker of the peer's controller, which it told.
  package private(set) var peerCompany: UInt16?
  /// How the peer was seen advertising before it opened.
  package internal(set) var seen: Sighting?
  /// The same at the end of the link, where it still advertised a second or more after the link had fallen silent.
  package private(set) var seenAway: Sighting?
  /// The parameters with which it opened.
  package private(set) var parameters: LinkParameters?
  /// Those in force, as far as known.
  package internal(set) var current: LinkParameters?
  /// The supervision timeout of a BR/EDR link, where a command or an event tells it: units of 0.625 ms.
  private var classicTimeout: UInt16?
  /// The supervision timeout, in nanoseconds; nil: not known.
  package var supervisionTimeout: Int64? {
    current.map { Int64($0.timeout) * 10_000_000 } ?? classicTimeout.map { Int64($0) * 625_000 }
  }
  /// The first sign of the peer: data, an acknowledgement, an answer of its controller.
  package private(set) var established: Moment?
  /// The last data from the peer.
  package private(set) var heardLast: Moment?
  /// This host's LE Subrate Request that waits for its event.
  private var subrateAsked: (moment: Moment, wanted: LESubrateRequest?)?
  /// The Authenticated Payload Timeout, as far as commands tell it: units of 10 ms.
  package private(set) var payloadTimeout: UInt16?
  /// How often it expired.
  package private(set) var payloadTimeouts = Tally()
  /// The last data that this host has sent.
  package private(set) var sentLast: Moment?
  /// The last acknowledgement.
  package private(set) var acknowledgedLast: Moment?
  /// Packets that were sent as soon as one before was acknowledged, while the interval was long: more waited.
  package private(set) var paced = Tally()
  /// A pause of about ATT's timeout, after which a request of the peer came.
  package private(set) var stall: (before: Moment, after: Moment)?
  /// The last data, or acknowledgement, of the link: until then it was open.
  package private(set) var latest: Moment?
  /// Data packets from the peer.
  package private(set) var heard = 0
  /// Data packets to it.
  package private(set) var sent = 0
  /// How many of the last of those the peer never acknowledged; nil: the capture does not tell.
  package private(set) var unacknowledged: Int?
  /// The first one of them.
  package private(set) var unacknowledgedSince: Int?
  /// How many packets the controller completed beyond those that the capture shows to be sent: so many
  /// records are missing in it, at least.
  package private(set) var unseenSent = 0
  /// The parameters' changes.
  package internal(set) var updates: [ParameterUpdate] = []
  /// Those that are not kept.
  package internal(set) var omittedUpdates = 0
  /// Changes of the PHY.
  package private(set) var phys: [PHYChange] = []
  /// Changes of the subrate.
  package private(set) var subrates: [SubrateChange] = []
  /// Changes of the data length.
  package private(set) var lengths: [LengthChange] = []
  /// Procedures that failed.
  package private(set) var failures: [Failure] = []
  /// The Disconnect command.
  package private(set) var disconnect: Moment?
  /// The event that ended the link, or the record that says that its controller is gone.
  package private(set) var ended: Moment?
  /// The numbers of the last packets that were sent, in a ring: behind `sent` the oldest.
  private var recent: [Int] = []

  /// How many packets that were sent are known by their number: more are seldom under way at once.
  private static let mostRecent = 64
  private static let mostChanges = 16
  /// Units of 1.25 ms: 400 ms.
  static let longInterval: UInt16 = 320
  private static let atOnce: Int64 = 20_000_000
  /// ATT gives a request up after 30 s; some clocks count seconds.
  private static let stalls: ClosedRange<Int64> = 29_000_000_000...31_500_000_000

  /// Nothing seen.
  init() {}

  /// Takes a packet.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    switch dissection.content {
    case .acl:
      guard ended == nil, let direction = record.direction else { return }
      observeData(record, direction, dissection, bytes, answer)
    case .command(let command):
      guard ended == nil else { return }
      observe(command, Moment(record), bytes, dissection.body)
    case .event(let event):
      observe(event, Moment(record), dissection, bytes, answer)
    case .sco, .iso, .controllerLog, .note, .control, .unknown: break
    }
  }

  private mutating func observeData(
    _ record: borrowing CaptureRecord, _ direction: Direction, _ dissection: Dissection,
    _ bytes: RawSpan, _ answer: Answer
  ) {
    let moment = Moment(record)
    if let latest, direction == .received, dissection.att?.opcode.role == .request,
      let pause = moment.nanoseconds(since: latest), Self.stalls.contains(pause)
    {
      stall = (latest, moment)
    }
    latest = moment
    if direction == .sent, current.map({ $0.interval >= Self.longInterval }) ?? false,
      let acknowledgedLast, let wait = moment.nanoseconds(since: acknowledgedLast),
      wait < Self.atOnce
    {
      paced.note(moment)
    }
    if direction == .received {
      heardLast = moment
      heard &+= 1
      hear(moment)
    } else {
      sentLast = moment
      if recent.count < Self.mostRecent {
        recent.append(record.number)
      } else {
        recent[sent % Self.mostRecent] = record.number
      }
      sent &+= 1
    }
    if dissection.isSignalling {
      observeSignalling(
        moment, Side(sent: direction), dissection, bytes, answer.request?.packet)
    }
  }

  /// The peer's last sign on the link: data, or an acknowledgement.
  package var lastSign: Moment? {
    [heardLast, acknowledgedLast].compactMap(\.self).max { $0.packet < $1.packet }
  }

  /// Takes how the peer was seen last, when the link has ended.
  ///
  /// A peer may advertise while it keeps a link, and go out of range later: only advertising after the link fell silent, by the
  /// supervision timeout, shows that it was near and had left.
  mutating func end(_ sighting: Sighting?) {
    guard let sighting, let connectable = sighting.lastConnectable, let ended,
      let timeout = supervisionTimeout, let left = ended.nanoseconds(since: connectable),
      left <= timeout - Self.leastAbsence
    else { return }
    seenAway = sighting
  }

  /// Out of range, a peer's advertising and its link fade at about the same time.
  private static let leastAbsence: Int64 = 1_000_000_000

  /// Takes Number Of Completed Packets, which tells of this link among others.
  mutating func acknowledge(_ moment: Moment) {
    guard ended == nil else { return }
    acknowledgedLast = moment
    latest = moment
    hear(moment)
  }

  private mutating func hear(_ moment: Moment) {
    if established == nil { established = moment }
  }

  // MARK: Commands and events

  private mutating func observe(
    _ command: HCICommand, _ moment: Moment, _ bytes: RawSpan, _ body: Slice
  ) {
    switch command.opcode {
    case HCICommand.disconnect: disconnect = moment
    case HCICommand.leConnectionUpdate: observeUpdateCommand(moment, bytes, body)
    case HCICommand.leRemoteConnectionParameterRequestReply:
      observeRemoteReply(moment, grants: true, bytes, body)
    case HCICommand.leRemoteConnectionParameterRequestNegativeReply:
      observeRemoteReply(moment, grants: false, bytes, body)
    case HCICommand.leSubrateRequest:
      var cursor = Cursor(bytes, body)
      subrateAsked = (moment, try? LESubrateRequest(parsing: &cursor))
    case HCICommand.writeLinkSupervisionTimeout: observeClassicTimeout(bytes, body)
    case HCICommand.writeAuthenticatedPayloadTimeout:
      var cursor = Cursor(bytes, body)
      guard let written = try? AuthenticatedPayloadTimeout(parsing: &cursor) else { return }
      payloadTimeout = written.timeout
    default: break
    }
  }

  private mutating func observe(
    _ event: HCIEvent, _ moment: Moment, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer
  ) {
    let body = dissection.body
    switch event.code {
    case HCIEvent.leMetaCode:
      var cursor = Cursor(bytes, body)
      guard let subevent = try? cursor.u8() else { return }
      observeLE(subevent, moment, &cursor)
    case HCIEvent.numberOfCompletedPacketsCode: acknowledge(moment)
    case HCIEvent.disconnectionCompleteCode:
      if answer.closed { ended = ended ?? moment } else if ended == nil { disconnect = nil }
    case HCIEvent.commandStatusCode:
      var cursor = Cursor(bytes, body)
      guard let told = try? CommandStatus(parsing: &cursor) else { return }
      switch told.opcode {
      case HCICommand.disconnect where told.status != .success && ended == nil: disconnect = nil
      case HCICommand.leConnectionUpdate:
        observeUpdateStatus(moment, told.status, answer.request?.packet)
      // No event follows.
      case HCICommand.leSubrateRequest where told.status != .success:
        observeSubrate(told.status, nil, moment)
      default: break
      }
    case HCIEvent.commandCompleteCode: observePayloadTimeout(bytes, body)
    case HCIEvent.readRemoteVersionInformationCompleteCode:
      // Status, handle, version, company (Core, Vol 4, Part E, 7.7.12).
      if body.count >= 6, dissection.parameters?.status(bytes) == 0 {
        let place = Int(body.start) + 4
        peerCompany = UInt16(bytes.byte(at: place)) | UInt16(bytes.byte(at: place + 1)) << 8
      }
      take("Read Remote Version Information", moment, dissection.parameters?.status(bytes))
    case HCIEvent.linkSupervisionTimeoutChangedCode: observeClassicTimeout(bytes, body)
    case HCIEvent.authenticatedPayloadTimeoutExpiredCode: payloadTimeouts.note(moment)
    default: break
    }
    if answer.closed, ended == nil { ended = moment }
  }

  /// Handle (2 bytes), supervision timeout (2) (Core, Vol 4, Part E, 7.3.42 and 7.7.46).
  private mutating func observeClassicTimeout(_ bytes: RawSpan, _ body: Slice) {
    var cursor = Cursor(bytes, body)
    guard ended == nil, (try? cursor.u16()) != nil, let timeout = try? cursor.u16(), timeout > 0
    else { return }
    classicTimeout = timeout
  }

  /// A procedure that ended with this status: the peer has answered, or the procedure failed.
  private mutating func take(_ name: StaticString, _ moment: Moment, _ status: UInt8?) {
    guard ended == nil, let status = status.map({ StatusCode(rawValue: $0) }) else { return }
    if status == .success || status == .unsupportedRemoteFeature {
      hear(moment)
    } else if failures.count < Self.mostChanges {
      failures.append(Failure(name: name, status: status, moment: moment))
    }
  }

  /// An LE Meta event, its parameters behind the subevent code.
  @_lifetime(cursor: copy cursor)
  private mutating func observeLE(_ subevent: UInt8, _ moment: Moment, _ cursor: inout Cursor) {
    switch subevent {
    case LEConnectionComplete.version1, LEConnectionComplete.enhanced,
      LEConnectionComplete.enhancedVersion2:
      guard let complete = try? LEConnectionComplete(subevent: subevent, parsing: &cursor),
        complete.status == .success, opened == nil
      else { return }
      opened = moment
      parameters = LinkParameters(
        interval: complete.interval, latency: complete.latency,
        timeout: complete.supervisionTimeout)
      current = parameters
      // The peripheral learns of a connection from the central's packet (Core, Vol 6, Part B, 4.5).
      if complete.role == 1 { hear(moment) }
    case LEConnectionUpdateComplete.subevent:
      guard let update = try? LEConnectionUpdateComplete(parsing: &cursor) else { return }
      observeUpdateComplete(moment, update)
    case LinkEvent.remoteFeaturesSubevent:
      take("LE Read Remote Features", moment, try? cursor.u8())
    case LEConnectionParameterRequest.subevent: observeRemoteRequest(moment, &cursor)
    case LEDataLengthChange.subevent:
      guard let change = try? LEDataLengthChange(parsing: &cursor) else { return }
      observe(change, moment)
    case LEPHYUpdateComplete.subevent:
      guard let complete = try? LEPHYUpdateComplete(parsing: &cursor) else { return }
      take("LE Set PHY", moment, complete.status.rawValue)
      if complete.status == .success { observe(complete, moment) }
    case LinkEvent.subrateChangeSubevent:
      guard let change = try? LESubrateChange(parsing: &cursor) else { return }
      // The peer's wish, and a controller's own, are told by the same event.
      if subrateAsked != nil { take("LE Subrate Request", moment, change.status.rawValue) }
      observeSubrate(change.status, change.status == .success ? change : nil, moment)
    default: break
    }
  }

  /// The answers to Read and Write Authenticated Payload Timeout.
  private mutating func observePayloadTimeout(_ bytes: RawSpan, _ body: Slice) {
    var cursor = Cursor(bytes, body)
    guard let complete = try? CommandComplete(parsing: &cursor),
      let status = try? StatusCode(rawValue: cursor.u8())
    else { return }
    switch complete.opcode {
    case HCICommand.readAuthenticatedPayloadTimeout where status == .success:
      guard let told = try? AuthenticatedPayloadTimeout(parsing: &cursor) else { return }
      payloadTimeout = told.timeout
    case HCICommand.writeAuthenticatedPayloadTimeout where status != .success: payloadTimeout = nil
    default: break
    }
  }

  private mutating func observeSubrate(
    _ status: StatusCode, _ result: LESubrateChange?, _ moment: Moment
  ) {
    if let result {
      current?.latency = result.latency
      current?.timeout = result.supervisionTimeout
    }
    let asked = subrateAsked
    subrateAsked = nil
    guard subrates.count < Self.mostChanges else { return }
    subrates.append(
      SubrateChange(
        asked: asked?.moment, wanted: asked?.wanted, moment: moment, status: status,
        result: result))
  }

  private mutating func observe(_ complete: LEPHYUpdateComplete, _ moment: Moment) {
    guard phys.count < Self.mostChanges,
      // Controllers report an unchanged PHY too.
      phys.last?.sent ?? 1 != complete.sent || phys.last?.received ?? 1 != complete.received
    else { return }
    phys.append(PHYChange(moment: moment, sent: complete.sent, received: complete.received))
  }

  private mutating func observe(_ change: LEDataLengthChange, _ moment: Moment) {
    guard lengths.count < Self.mostChanges,
      lengths.last?.sent ?? 27 != change.sent || lengths.last?.received ?? 27 != change.received
    else { return }
    lengths.append(LengthChange(moment: moment, sent: change.sent, received: change.received))
  }

  // MARK: The end

  /// Takes the end of the capture.
  mutating func finish(
    _ connection: Connection, _ extent: CaptureExtent
  ) {
    if ended == nil, connection.ending != nil, let packet = connection.lastPacket {
      ended = Moment(packet: packet, time: connection.lastTime)
    }
    // The counts agree only where the capture has both from the beginning on.
    guard connection.transport == .le, extent.tellsCompleted, !connection.isOpeningMissing,
      !connection.hasLostPackets, !extent.infersDirections
    else { return }
    let left = sent - connection.completedPackets
    guard left >= 0 else {
      unseenSent = -left
      return
    }
    unacknowledged = left
    guard left > 0, left <= recent.count else { return }
    unacknowledgedSince = recent[(sent - left) % Self.mostRecent]
  }
}
