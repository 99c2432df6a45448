package import Bluetooth
import Bytes
import Captures
package import Dissectors
package import Sessions

/// How a link went: parameters, procedures, acknowledgements, end.
///
/// The first parameter changes and failed procedures are kept; the rest are only counted.
package struct LinkHistory: Sendable {
  /// A transfer in which the controller completes one packet in a connection interval, although
  /// more are waiting.
  package struct SlowTransfer: Sendable {
    /// The connection interval, in units of 1.25 ms.
    package let interval: UInt16
    /// These completions.
    package var completions = Tally()
    /// The bytes of the packets, and the time that they took, in nanoseconds.
    package var bytes = 0
    package var time: Int64 = 0
    package var largest = 0
    /// The number of events that complete more packets, or one in less than an interval.
    package var others = 0
  }

  /// A change of the number of connection events in use (Core, Vol 4, Part E, 7.7.65.35), or a
  /// failed attempt: this host's LE Subrate Request, if it made it, and the requested values,
  /// unless they are cut off; LE Subrate Change, or the Command Status that refused the request,
  /// and its status; the values in force afterwards, if something changed.
  package typealias SubrateChange = (
    asked: Moment?, wanted: LESubrateRequest?, moment: Moment, status: StatusCode,
    result: LESubrateChange?
  )

  package private(set) var opened: Moment?
  /// The manufacturer of the peer's controller, if the peer reported it.
  package internal(set) var peerCompany: UInt16?
  /// The LE features of the peer's controller, by their bits, and the event that reports them.
  package internal(set) var peerFeatures: (bits: UInt64, moment: Moment)?
  /// How the peer was seen advertising before the link opened.
  package internal(set) var seen: Sighting?
  /// The first connectable advertisement of the peer after its last sign, with its signal in dBm:
  /// it had probably left a link that this host still had.
  package private(set) var away: (moment: Moment, signal: Int8?)?
  /// The controller's last long silence.
  package internal(set) var controllerStall: (opcode: UInt16, asked: Moment, ended: Moment)?
  /// The parameters with which the link opened.
  package private(set) var parameters: LinkParameters?
  /// The parameters in force, if known.
  package internal(set) var current: LinkParameters?
  /// The supervision timeout of a BR/EDR link, in units of 0.625 ms, if a command or an event
  /// contains it.
  private var classicTimeout: UInt16?
  /// The supervision timeout in nanoseconds; nil: unknown.
  package var supervisionTimeout: Int64? {
    current.map { Int64($0.timeout) * 10_000_000 } ?? classicTimeout.map { Int64($0) * 625_000 }
  }
  /// The first sign of the peer: data, an acknowledgement, or an answer of its controller.
  package internal(set) var established: Moment?
  package private(set) var heardLast: Moment?
  /// This host's LE Subrate Request that waits for its event.
  private var subrateAsked: (moment: Moment, wanted: LESubrateRequest?)?
  /// The Authenticated Payload Timeout in units of 10 ms, if commands contain it, and its expiries.
  package private(set) var payloadTimeout: UInt16?
  package private(set) var payloadTimeouts = Tally()
  package private(set) var sentLast: Moment?
  package private(set) var acknowledgedLast: Moment?
  /// The last acknowledgement before a pause of a quarter of the supervision timeout.
  private var acknowledgedBefore: Moment?
  /// The last one of a lost link, if nothing was heard any more then: reported late, or discarded.
  package private(set) var acknowledgedLate: Moment?
  /// The last event for which the peer's controller or host had to send something.
  package private(set) var eventLast: Moment?
  /// What the controller reported last about the radio, with Read RSSI or Android's Bluetooth
  /// Quality Report: the signal in dBm, and how often packets had to be sent again, if it reports
  /// that.
  package private(set) var quality: (moment: Moment, rssi: Int8, retransmissions: UInt32?)?
  /// The last report that no packet was received for half of the supervision timeout.
  package private(set) var nearTimeout: Moment?
  /// The longest transfer with one packet per interval, and the one that is under way.
  package private(set) var slowTransfer: SlowTransfer?
  private var transfer: SlowTransfer?
  package private(set) var largest = (sent: 0, heard: 0)
  private var completed = 0
  /// Packets that were sent as soon as an earlier one was acknowledged, while the interval was
  /// long: more were waiting.
  package private(set) var paced = Tally()
  /// A pause of about the ATT timeout, after which the peer sent a request.
  package private(set) var stall: (before: Moment, after: Moment)?
  /// The last data or acknowledgement of the link, until which it was open.
  package private(set) var latest: Moment?
  /// The numbers of data packets from the peer and to it.
  package private(set) var heard = 0
  package private(set) var sent = 0
  /// The number of those last sent that the peer never acknowledged; nil if the capture does not
  /// show it.
  package private(set) var unacknowledged: Int?
  package private(set) var unacknowledgedSince: Moment?
  /// The number of packets that the controller completed beyond those that the capture contains: at
  /// least this many records are missing.
  package private(set) var unseenSent = 0
  package internal(set) var updates: [ParameterUpdate] = []
  package internal(set) var omittedUpdates = 0
  /// The changes of the PHY with which this host's controller and the peer send, in HCI's values: 1
  /// LE 1M, 2 LE 2M, 3 LE Coded.
  package private(set) var phys: [(moment: Moment, sent: UInt8, received: UInt8)] = []
  package internal(set) var subrates: [SubrateChange] = []
  /// The changes of the longest packets that this host's controller and the peer send.
  package private(set) var lengths: [(moment: Moment, sent: PacketLength, received: PacketLength)] =
    []
  /// The procedures of the Link Layer that ended with a failure status.
  package private(set) var failures: [(name: StaticString, status: StatusCode, moment: Moment)] = []
  /// A fragment with more bytes than its PDU needs.
  package typealias Excess = (moment: Moment, sender: Side, size: Int, needed: Int)
  /// The first ones.
  package private(set) var excess: [Excess] = []
  /// The last commands of this host that begin procedures of the Link Layer whose end is not
  /// reported.
  package private(set) var procedures: [(opcode: UInt16, moment: Moment)] = []
  package internal(set) var disconnect: Moment?
  /// The event that ended the link, or the record that reports that its controller is gone.
  package private(set) var ended: Moment?
  /// Whether the link ended with Connection Timeout.
  private var isLost = false
  /// The last packet that this host had sent when the peer answered something.
  private var answeredLast = 0
  /// On the air, the longest packets that a side declared, until the other one does.
  var declaredLengths: (lengths: LinkControl.Lengths, side: Side)?
  /// The last packets sent, in a ring; the oldest follows `sent`.
  private var recent: [(moment: Moment, size: Int)] = []

  /// The capacity of that ring: more packets are seldom under way at once.
  private static let mostRecent = 64
  /// The last procedures of the Link Layer that events report, whether they changed something or
  /// not.
  private var reported: [(name: AssignedName, packet: Int)] = []
  private static let mostChanges = 16
  /// 400 ms, in units of 1.25 ms.
  package static let longInterval: UInt16 = 320
  private static let atOnce: Int64 = 20_000_000
  /// ATT transactions time out after 30 s; some clocks count whole seconds.
  private static let stalls: ClosedRange<Int64> = 29_000_000_000...31_500_000_000

  /// The approximate size in bytes of the lists that can be long.
  var bytes: Int {
    ListBytes.of(recent) + ListBytes.of(updates) + ListBytes.of(subrates) + ListBytes.of(lengths)
      + ListBytes.of(phys) + ListBytes.of(failures) + ListBytes.of(excess)
  }

  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    switch packet.dissection.content {
    case .acl(let header):
      guard ended == nil, let direction = packet.record.direction else { return }
      observeData(packet, direction, Int(header.length))
    case .command(let command):
      guard ended == nil else { return }
      observe(command, Moment(packet.record), packet.bytes, packet.dissection.body)
    case .event(let event): observe(event, Moment(packet.record), packet)
    case .advertising:
      if packet.answer.opened, let link = packet.answer.link {
        open(memory.links.connection(link), Moment(packet.record))
      }
    case .sco, .iso, .controllerLog, .note, .control, .unknown, .linkData, .linkControl: break
    }
  }

  private mutating func observeData(
    _ packet: borrowing Packet, _ direction: Direction, _ size: Int
  ) {
    let moment = Moment(packet.record)
    if let latest, direction == .received, packet.dissection.att?.opcode.role == .request,
      let pause = moment.nanoseconds(since: latest), Self.stalls.contains(pause)
    {
      stall = (latest, moment)
    }
    latest = moment
    if !packet.dissection.problems.isEmpty {
      note(packet.dissection.problems, moment, Side(sent: direction))
    }
    if direction == .sent, current.map({ $0.interval >= Self.longInterval }) ?? false,
      let acknowledgedLast, let wait = moment.nanoseconds(since: acknowledgedLast),
      wait < Self.atOnce
    {
      paced.note(moment)
    }
    if direction == .received {
      if packet.answer.request != nil || packet.dissection.smp != nil {
        answeredLast = sentLast?.packet ?? 0
      }
      heardLast = moment
      heard &+= 1
      largest.heard = max(largest.heard, size)
      hear(moment)
    } else {
      sentLast = moment
      largest.sent = max(largest.sent, size)
      if recent.count < Self.mostRecent {
        recent.append((moment, size))
      } else {
        recent[sent % Self.mostRecent] = (moment, size)
      }
      sent &+= 1
    }
    if packet.dissection.isSignalling {
      observeSignalling(
        moment, Side(sent: direction), packet.dissection, packet.bytes,
        packet.answer.request?.packet)
    }
  }

  private mutating func note(_ problems: Problems, _ moment: Moment, _ sender: Side) {
    for index in 0..<problems.count where problems[index].code == .fragmentTooLong {
      guard excess.count < Self.mostChanges else { return }
      excess.append(
        (
          moment: moment, sender: sender, size: Int(problems[index].first),
          needed: Int(problems[index].second)
        ))
    }
  }

  package func excess(atPacket packet: Int) -> Excess? {
    excess.first { $0.moment.packet == packet }
  }

  /// The last sign of the peer on the link: data, an acknowledgement, or an event that it caused.
  package var lastSign: Moment? {
    [heardLast, acknowledgedLast, later(eventLast)].compactMap(\.self)
      .max { $0.packet < $1.packet }
  }

  /// Returns the moment, unless a lost link was silent then: just before its end a controller also
  /// completes the packets that it discards, and changes take effect as announced.
  private func later(_ moment: Moment?) -> Moment? {
    guard isLost, let moment, let timeout = supervisionTimeout,
      let left = ended?.nanoseconds(since: moment)
    else { return moment }
    return left < Connection.leastSilence(timeout: timeout) ? nil : moment
  }

  /// Returns the first procedure of the Link Layer that was reported between two packets.
  package func procedure(after first: Int, before end: Int) -> (name: AssignedName, packet: Int)? {
    reported.first { first < $0.packet && $0.packet < end }
  }

  /// Records a connectable advertisement of the peer. After this host asked to end the link it
  /// proves nothing: the peer may have heard that.
  mutating func observeAdvertising(_ moment: Moment, _ signal: Int8?) {
    guard ended == nil, disconnect == nil, let lastSign else { return }
    if away?.moment.packet ?? 0 < lastSign.packet { away = (moment, signal) }
  }

  /// Records Number Of Completed Packets for this link.
  ///
  /// - Parameter packets: how many of its packets were completed.
  mutating func acknowledge(_ moment: Moment, packets: Int) {
    guard ended == nil else { return }
    pace(moment, packets)
    completed &+= packets
    let pause = acknowledgedLast.flatMap { moment.nanoseconds(since: $0) } ?? 0
    if pause > (supervisionTimeout ?? .max) / 4 { acknowledgedBefore = acknowledgedLast }
    acknowledgedLast = moment
    latest = moment
    hear(moment)
  }

  /// Follows a transfer: counts the completions of one packet that come a connection interval or
  /// more after the previous one, although two or more were left then.
  private mutating func pace(_ moment: Moment, _ packets: Int) {
    let left = sent - completed
    guard let interval = current?.interval, let acknowledgedLast, left > 1, left <= recent.count,
      recent[(completed + 1) % Self.mostRecent].moment.packet < acknowledgedLast.packet,
      let pause = moment.nanoseconds(since: acknowledgedLast)
    else { return }
    var under = transfer ?? SlowTransfer(interval: interval)
    if under.interval != interval || under.others > Self.mostChanges + under.completions.count {
      under = SlowTransfer(interval: interval)
    }
    // Three quarters of an interval, and eight: a link may miss some connection events, but a
    // longer pause is not of the controllers' making.
    let (least, most) = (Int64(interval) * 937_500, Int64(interval) * 10_000_000)
    if packets == 1, (least...most).contains(pause) {
      let size = recent[completed % Self.mostRecent].size
      under.completions.note(moment)
      under.bytes &+= size
      under.time &+= pause
      under.largest = max(under.largest, size)
    } else if packets > 0, pause < most {
      under.others &+= 1
    }
    transfer = under
    if under.completions.count > slowTransfer?.completions.count ?? 0 { slowTransfer = under }
  }

  private mutating func hear(_ moment: Moment) { if established == nil { established = moment } }

  mutating func open(_ moment: Moment, _ parameters: LinkParameters) {
    opened = moment
    (self.parameters, current) = (parameters, parameters)
  }

  // MARK: Commands and events

  private mutating func observe(
    _ command: HCICommand, _ moment: Moment, _ bytes: RawSpan, _ body: Slice
  ) {
    if Self.procedureCommands.contains(where: { $0.opcode == command.opcode }) {
      procedures.removeAll { $0.opcode == command.opcode }
      procedures.append((command.opcode, moment))
    }
    var cursor = Cursor(bytes, body)
    switch command.opcode {
    case HCICommand.disconnect: disconnect = moment
    case HCICommand.leConnectionUpdate: observeUpdateCommand(moment, bytes, body)
    case HCICommand.leRemoteConnectionParameterRequestReply:
      observeRemoteReply(moment, grants: true, bytes, body)
    case HCICommand.leRemoteConnectionParameterRequestNegativeReply:
      observeRemoteReply(moment, grants: false, bytes, body)
    case HCICommand.leSubrateRequest:
      subrateAsked = (moment, try? LESubrateRequest(parsing: &cursor))
    case HCICommand.writeLinkSupervisionTimeout: observeClassicTimeout(bytes, body)
    case HCICommand.writeAuthenticatedPayloadTimeout:
      guard let written = try? AuthenticatedPayloadTimeout(parsing: &cursor) else { return }
      payloadTimeout = written.timeout
    default: break
    }
  }

  /// The Link Layer procedures that a host can begin, the LE event that ends each (0: another event
  /// does), and the bit of the LE feature that the peer needs for it, if one is enough (Core, Vol
  /// 6, Part B, 4.6).
  private static let procedureCommands: [(opcode: UInt16, subevent: UInt8, feature: Int?)] = [
    (HCICommand.leConnectionUpdate, LEConnectionUpdateComplete.subevent, 1),
    (HCICommand.leReadRemoteFeatures, LERemoteFeatures.subevent, nil),
    (HCICommand.leEnableEncryption, 0, 0),
    (HCICommand.leSetDataLength, LEDataLengthChange.subevent, 5),
    (HCICommand.leSetPHY, LEPHYUpdateComplete.subevent, nil),
    (HCICommand.leRequestPeerSCA, clockAccuracySubevent, 26),
    // LE Transmit Power Reporting
    (HCICommand.leReadRemoteTransmitPowerLevel, 0x21, 33),
    (HCICommand.leSubrateRequest, LESubrateChange.subevent, 37),
    (HCICommand.readRemoteVersionInformation, 0, nil),
  ]

  /// LE Request Peer SCA Complete.
  private static let clockAccuracySubevent: UInt8 = 0x1f

  /// Returns the bit of the feature that a procedure of this host needs and the peer has reported
  /// to lack.
  package func lackingFeature(for opcode: UInt16) -> Int? {
    guard let peerFeatures,
      let bit = Self.procedureCommands.first(where: { $0.opcode == opcode })?.feature,
      peerFeatures.bits >> UInt64(bit) & 1 == 0
    else { return nil }
    return bit
  }

  /// Forgets this host's procedures that an event ends, unless it reports that the peer did not
  /// answer.
  private mutating func endProcedures(_ event: HCIEvent, _ dissection: Dissection, _ bytes: RawSpan)
  {
    guard !procedures.isEmpty else { return }
    let ended: UInt16
    switch dissection.fact {
    case .remoteVersion: ended = HCICommand.readRemoteVersionInformation
    case .encryption: ended = HCICommand.leEnableEncryption
    case .commandStatus(let status) where status.status != .success: ended = status.opcode
    default:
      guard let subevent = event.subevent(bytes, dissection.body),
        let command = Self.procedureCommands.first(where: { $0.subevent == subevent })
      else { return }
      ended = command.opcode
    }
    if dissection.parameters?.status(bytes) == StatusCode.responseTimeout.rawValue { return }
    procedures.removeAll { $0.opcode == ended }
  }

  private mutating func observe(_ event: HCIEvent, _ moment: Moment, _ packet: borrowing Packet) {
    if ended == nil {
      endProcedures(event, packet.dissection, packet.bytes)
      if Self.isSign(event, packet.dissection, packet.bytes),
        packet.dissection.parameters?.status(packet.bytes) ?? 0 == 0
      {
        eventLast = moment
      }
    }
    if let subevent = event.subevent(packet.bytes, packet.dissection.body),
      Self.procedureCommands.contains(where: { $0.subevent == subevent }),
      let name = PDUTable.core.subevent(subevent)?.name
    {
      if reported.count >= Self.mostChanges { reported.removeFirst() }
      reported.append((name, moment.packet))
    }
    switch packet.dissection.fact {
    case .completedPackets(let completed):
      // They are of one link.
      if completed.count > 0 {
        acknowledge(moment, packets: completed.link(0, packet.bytes).packets)
      }
    case .connection(let complete):
      guard complete.status == .success, opened == nil else { break }
      open(
        moment,
        LinkParameters(
          interval: complete.interval, latency: complete.latency,
          timeout: complete.supervisionTimeout))
      // The peripheral learns of a connection from the central's packet (Core, Vol 6, Part B, 4.5).
      if complete.role == 1 { hear(moment) }
    case .disconnection(let end):
      if packet.answer.closed {
        ended = ended ?? moment
        isLost = end.reason == .connectionTimeout
        if let last = acknowledgedLast, later(last) == nil {
          (acknowledgedLast, acknowledgedLate) = (later(acknowledgedBefore), last)
        }
      } else if ended == nil {
        disconnect = nil
      }
    case .commandStatus(let status):
      switch status.opcode {
      case HCICommand.disconnect where status.status != .success && ended == nil: disconnect = nil
      case HCICommand.leConnectionUpdate:
        observeUpdateStatus(moment, status.status, packet.answer.request?.packet)
      // No event follows.
      case HCICommand.leSubrateRequest where status.status != .success:
        observeSubrate(status.status, nil, moment)
      default: break
      }
    case .commandComplete(let complete): observe(complete, moment, packet.bytes)
    case .connectionUpdate(let update): observeUpdateComplete(moment, update)
    case .parameterRequest(let request): observeRemoteRequest(moment, request)
    case .dataLength(let change):
      noteLengths(
        sent: PacketLength(octets: change.sent, time: change.sentTime),
        received: PacketLength(octets: change.received, time: change.receivedTime), moment)
    case .phys(let complete):
      record("LE Set PHY", moment, complete.status)
      if complete.status == .success {
        notePHYs(sent: complete.sent, received: complete.received, moment)
      }
    case .subrate(let change):
      // The same event reports changes by the peer and by a controller itself.
      if subrateAsked != nil { record("LE Subrate Request", moment, change.status) }
      observeSubrate(change.status, change.status == .success ? change : nil, moment)
    case .remoteFeatures(let remote):
      record("LE Read Remote Features", moment, remote.status)
      if remote.status == .success, let features = remote.features {
        peerFeatures = (features, moment)
      }
    case .remoteVersion(let version):
      if version.status == .success { peerCompany = version.company ?? peerCompany }
      record("Read Remote Version Information", moment, version.status)
    default:
      switch event.code {
      case HCIEvent.vendorCode: observeQuality(moment, packet.bytes, packet.dissection.body)
      case HCIEvent.linkSupervisionTimeoutChangedCode:
        observeClassicTimeout(packet.bytes, packet.dissection.body)
      case HCIEvent.authenticatedPayloadTimeoutExpiredCode: payloadTimeouts.note(moment)
      default: break
      }
    }
    if packet.answer.closed, ended == nil { ended = moment }
  }

  /// Records a change of the supervision timeout: handle (2 bytes), supervision timeout (2) (Core,
  /// Vol 4, Part E, 7.3.42 and 7.7.46).
  private mutating func observeClassicTimeout(_ bytes: RawSpan, _ body: Slice) {
    var cursor = Cursor(bytes, body)
    guard ended == nil, (try? cursor.u16()) != nil, let timeout = try? cursor.u16(), timeout > 0
    else { return }
    classicTimeout = timeout
  }

  /// Records the end of a procedure: the peer has answered, or the procedure failed.
  private mutating func record(_ name: StaticString, _ moment: Moment, _ status: StatusCode) {
    guard ended == nil else { return }
    if status == .success || status == .unsupportedRemoteFeature {
      hear(moment)
    } else if failures.count < Self.mostChanges {
      failures.append((name, status, moment))
    }
  }

  /// Returns whether an event, if it reports no failure, comes because the other side sent
  /// something.
  private static func isSign(_ event: HCIEvent, _ dissection: Dissection, _ bytes: RawSpan) -> Bool
  {
    if let subevent = event.subevent(bytes, dissection.body) {
      // Parameters, features, a key request, lengths, a stream, clock accuracy, a subrate; a PHY
      // only if it changes (Core, Vol 4, Part E, 7.7.65).
      return switch subevent {
      case 0x03...0x07, 0x1a, Self.clockAccuracySubevent, LESubrateChange.subevent: true
      default: false
      }
    }
    return switch dissection.fact {
    case .encryption, .remoteVersion: true
    default: event.isOfClassicLinks
    }
  }

  /// Records Android's Bluetooth Quality Report (event 0xff, subevent 0x58): report (1 byte; 2:
  /// approaching the supervision timeout), packet type (1), handle (2), role (1), TX power (1),
  /// RSSI (1), SNR (1), channel counts (2), supervision timeout (2), clock (4), retransmissions (4)
  /// (Android, "HCI requirements").
  private mutating func observeQuality(_ moment: Moment, _ bytes: RawSpan, _ body: Slice) {
    var cursor = Cursor(bytes, body)
    guard (try? cursor.u8()) == 0x58, let report = try? cursor.u8(),
      [1, 2, 3, 4, 7, 8].contains(report), (try? cursor.take(5)) != nil,
      let rssi = try? cursor.u8(), (try? cursor.take(9)) != nil,
      let retransmissions = try? cursor.u32()
    else { return }
    if report == 2 { nearTimeout = moment }
    note(Int8(bitPattern: rssi), retransmissions, moment)
  }

  private mutating func note(_ rssi: Int8, _ retransmissions: UInt32?, _ moment: Moment) {
    guard ended == nil, -127...20 ~= rssi else { return }
    quality = (moment, rssi, retransmissions)
  }

  /// Records the answers to Read RSSI, and to Read and Write Authenticated Payload Timeout.
  private mutating func observe(
    _ complete: CommandComplete, _ moment: Moment, _ bytes: RawSpan
  ) {
    var cursor = Cursor(bytes, complete.returns)
    guard let status = complete.status, (try? cursor.u8()) != nil else { return }
    switch complete.opcode {
    case HCICommand.readRSSI where status == .success:
      guard (try? cursor.u16()) != nil, let rssi = try? cursor.u8() else { return }
      note(Int8(bitPattern: rssi), nil, moment)
    case HCICommand.readAuthenticatedPayloadTimeout where status == .success:
      guard let values = try? AuthenticatedPayloadTimeout(parsing: &cursor) else { return }
      payloadTimeout = values.timeout
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
      (asked?.moment, asked?.wanted, moment, status, result))
  }

  mutating func notePHYs(sent: UInt8, received: UInt8, _ moment: Moment) {
    // Controllers report an unchanged PHY, too.
    guard phys.last?.sent ?? 1 != sent || phys.last?.received ?? 1 != received else { return }
    eventLast = moment
    // The last one is in force.
    if phys.count >= Self.mostChanges { phys.removeLast() }
    phys.append((moment, sent, received))
  }

  mutating func noteLengths(sent: PacketLength, received: PacketLength, _ moment: Moment) {
    guard
      lengths.last?.sent ?? PacketLength.initial != sent
        || lengths.last?.received ?? PacketLength.initial != received
    else { return }
    if lengths.count >= Self.mostChanges { lengths.removeLast() }
    lengths.append((moment, sent, received))
  }

  // MARK: The end

  /// Processes the end of the capture.
  mutating func finish(
    _ connection: Connection, _ extent: CaptureExtent
  ) {
    if ended == nil, connection.ending != nil, let packet = connection.lastPacket {
      ended = Moment(packet: packet, time: connection.lastTime)
    }
    // The counts agree only if the capture contains both from the beginning.
    guard connection.transport == .le, extent.reportsCompletedPackets, !connection.isOpeningMissing,
      !connection.hasLostPackets, !connection.isOnAir, !extent.infersDirections
    else { return }
    let left = sent - connection.completedPackets
    guard left >= 0 else {
      unseenSent = -left
      return
    }
    let since =
      left > 0 && left <= recent.count ? recent[(sent - left) % Self.mostRecent].moment : nil
    // What the peer answered arrived, so an event is missing. What was sent when a lost link was
    // silent already could not be acknowledged.
    if let since, since.packet <= answeredLast || later(since) == nil { return }
    // At the end of a lost link a controller also completes what it discards.
    if left == 0, acknowledgedLate != nil { return }
    unacknowledged = left
    unacknowledgedSince = since
  }
}
