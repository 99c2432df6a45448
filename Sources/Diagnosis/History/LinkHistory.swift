package import Bluetooth
import Bytes
import Captures
import Dissectors
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

  /// A change of how many connection events are used (Core, Vol 4, Part E, 7.7.65.35).
  package struct SubrateChange: Sendable {
    /// This host's LE Subrate Request; nil: the peer, or a controller, has changed it.
    package var asked: Moment?
    /// LE Subrate Change.
    package var moment: Moment
    /// Of so many connection events one is used.
    package var factor: UInt16
    /// How many of those the peripheral may skip.
    package var latency: UInt16
    /// How many more are used after one with data.
    package var continuation: UInt16
    /// The supervision timeout: units of 10 ms.
    package var timeout: UInt16
  }

  /// The event that opened the link.
  package private(set) var opened: Moment?
  /// The parameters with which it opened.
  package private(set) var parameters: LinkParameters?
  /// Those in force, as far as known.
  package internal(set) var current: LinkParameters?
  /// The first sign of the peer: data, an acknowledgement, an answer of its controller.
  package private(set) var established: Moment?
  /// The last data from the peer.
  package private(set) var heardLast: Moment?
  /// This host's LE Subrate Request that waits for its event.
  private var subrateAsked: Moment?
  /// The Authenticated Payload Timeout, as far as commands tell it: units of 10 ms.
  package private(set) var payloadTimeout: UInt16?
  /// How often it expired.
  package private(set) var payloadTimeouts = Tally()
  /// The last data that this host has sent.
  package private(set) var sentLast: Moment?
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
  /// What was asked and answered on it, as far as links care.
  package private(set) var use = LinkUse()
  /// The numbers of the last packets that were sent, in a ring: behind `sent` the oldest.
  private var recent: [Int] = []

  /// How many packets that were sent are known by their number: more are seldom under way at once.
  private static let mostRecent = 64
  private static let mostChanges = 16

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
    case .sco, .iso, .note, .control, .unknown: break
    }
  }

  private mutating func observeData(
    _ record: borrowing CaptureRecord, _ direction: Direction, _ dissection: Dissection,
    _ bytes: RawSpan, _ answer: Answer
  ) {
    let moment = Moment(record)
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
    if let pdu = dissection.smp {
      use.observe(moment, Side(sent: direction), pdu.opcode)
    } else if dissection.isSignalling {
      observeSignalling(
        moment, Side(sent: direction), dissection, bytes, answer.request?.packet)
    }
  }

  /// Takes Number Of Completed Packets, which tells of this link among others.
  mutating func acknowledge(_ moment: Moment) {
    if ended == nil { hear(moment) }
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
    // LE Connection Update; LE Remote Connection Parameter Request Reply and Negative Reply.
    case 0x2013: observeUpdateCommand(moment, bytes, body)
    case 0x2020: observeRemoteReply(moment, grants: true, bytes, body)
    case 0x2021: observeRemoteReply(moment, grants: false, bytes, body)
    // LE Enable Encryption is an answer to a Security Request, too.
    case 0x2019: use.encrypt()
    case 0x207e: subrateAsked = moment
    // Write Authenticated Payload Timeout: handle (2 bytes), timeout (2).
    case 0x0c7c where body.count >= 4:
      payloadTimeout = bytes.littleEndianU16(at: Int(body.start) + 2)
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
      guard body.count >= 4 else { return }
      let status = StatusCode(rawValue: bytes.byte(at: Int(body.start)))
      switch bytes.littleEndianU16(at: Int(body.start) + 2) {
      case HCICommand.disconnect where status != .success && ended == nil: disconnect = nil
      case 0x2013: observeUpdateStatus(moment, status, answer.request?.packet)
      // No event follows.
      case 0x207e where status != .success: subrateAsked = nil
      default: break
      }
    case HCIEvent.commandCompleteCode: observePayloadTimeout(bytes, body)
    case 0x0c:
      take("Read Remote Version Information", moment, dissection.parameters?.status(bytes))
    // Authenticated Payload Timeout Expired.
    case 0x57: payloadTimeouts.note(moment)
    default: break
    }
    if answer.closed, ended == nil { ended = moment }
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
    case 0x01, 0x0a, 0x29:
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
    case 0x04: take("LE Read Remote Features", moment, try? cursor.u8())
    // LE Long Term Key Request.
    case 0x05: use.encrypt()
    case 0x06: observeRemoteRequest(moment, &cursor)
    case 0x07: observeLength(moment, &cursor)
    case 0x0c:
      let status = try? cursor.u8()
      take("LE Set PHY", moment, status)
      if status == 0 { observePHY(moment, &cursor) }
    case 0x23:
      let status = try? cursor.u8()
      // The peer's wish, and a controller's own, are told by the same event.
      if subrateAsked != nil { take("LE Subrate Request", moment, status) }
      if status == 0 { observeSubrate(moment, &cursor) }
      subrateAsked = nil
    default: break
    }
  }

  /// The answers to Read and Write Authenticated Payload Timeout: number of commands (1 byte), opcode (2),
  /// status (1), handle (2), and to the first one the timeout (2).
  private mutating func observePayloadTimeout(_ bytes: RawSpan, _ body: Slice) {
    guard body.count >= 4 else { return }
    let start = Int(body.start)
    switch (bytes.littleEndianU16(at: start + 1), bytes.byte(at: start + 3)) {
    case (0x0c7b, 0) where body.count >= 8:
      payloadTimeout = bytes.littleEndianU16(at: start + 6)
    case (0x0c7c, 1...): payloadTimeout = nil
    default: break
    }
  }

  /// LE Subrate Change behind its status: handle (2 bytes), subrate factor (2), peripheral latency (2),
  /// continuation number (2), supervision timeout (2).
  @_lifetime(cursor: copy cursor)
  private mutating func observeSubrate(_ moment: Moment, _ cursor: inout Cursor) {
    guard (try? cursor.u16()) != nil, let factor = try? cursor.u16(),
      let latency = try? cursor.u16(), let continuation = try? cursor.u16(),
      let timeout = try? cursor.u16()
    else { return }
    current?.latency = latency
    current?.timeout = timeout
    guard subrates.count < Self.mostChanges else { return }
    subrates.append(
      SubrateChange(
        asked: subrateAsked, moment: moment, factor: factor, latency: latency,
        continuation: continuation, timeout: timeout))
  }

  /// LE PHY Update Complete behind its status: handle (2 bytes), TX PHY (1), RX PHY (1).
  @_lifetime(cursor: copy cursor)
  private mutating func observePHY(_ moment: Moment, _ cursor: inout Cursor) {
    guard (try? cursor.u16()) != nil, let sent = try? cursor.u8(), let received = try? cursor.u8(),
      phys.count < Self.mostChanges,
      // Controllers report an unchanged PHY too.
      phys.last?.sent ?? 1 != sent || phys.last?.received ?? 1 != received
    else { return }
    phys.append(PHYChange(moment: moment, sent: sent, received: received))
  }

  /// LE Data Length Change: handle (2 bytes), then of both ways bytes (2) and time (2).
  @_lifetime(cursor: copy cursor)
  private mutating func observeLength(_ moment: Moment, _ cursor: inout Cursor) {
    guard (try? cursor.u16()) != nil, let sent = try? cursor.u16(), (try? cursor.u16()) != nil,
      let received = try? cursor.u16(), lengths.count < Self.mostChanges,
      lengths.last?.sent ?? 27 != sent || lengths.last?.received ?? 27 != received
    else { return }
    lengths.append(LengthChange(moment: moment, sent: sent, received: received))
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
