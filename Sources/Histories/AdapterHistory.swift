package import Bluetooth
import Bytes
import Captures
import Dissectors
package import Sessions

/// What a controller was asked, and what it refused: commands, attempts to connect, advertising,
/// scanning.
package struct AdapterHistory: Sendable {
  /// The BR/EDR connections with one device that failed with the same status.
  package struct PageFailures: Sendable {
    package let peer: DeviceAddress
    package let status: StatusCode
    /// Create Connection, if it is in the capture, and Connection Complete, of the first ones.
    package var attempts: [(asked: Moment?, ended: Moment)] = []
    package var count = 0
    /// How the device was seen advertising on LE.
    package let sighting: Sighting?
    /// The packet that shows the address as a random one, if nothing shows it as a public one. Only
    /// LE has random addresses.
    package let random: Int?

    fileprivate static let mostKept = 8

    /// The packets of the first ones.
    package var evidence: PacketSet {
      PacketSet(attempts.flatMap { [$0.asked?.packet ?? 0, $0.ended.packet] })
    }
  }

  /// The end of a link that is not known, since the capture begins later: Disconnection Complete,
  /// and the last Number Of Completed Packets before it if the link carried data.
  package typealias UnknownLoss = (handle: UInt16, ended: Moment, acknowledged: Moment?)

  /// A Hardware Error event: the vendor-specific code, and the last command that waited for its
  /// answer.
  package typealias HardwareError = (
    moment: Moment, code: UInt8, pending: CommandHistory.Waiting?
  )

  /// The controller's index; unknown if the capture does not contain one.
  package let index: AdapterIndex
  /// Its commands, and how it answered them.
  package private(set) var commands = CommandHistory()
  /// The attempts to connect over LE.
  package private(set) var attempts = ConnectAttempts()
  /// The BR/EDR connections that failed, and the number of those that are not in the list.
  package private(set) var pageFailures: [PageFailures] = []
  package private(set) var omittedPageFailures = 0
  /// The losses of links that the capture does not open.
  package private(set) var unknownLosses: [UnknownLoss] = []
  /// The last acknowledgements on such links, by their handles.
  private var unknownLinks: [UInt16: Moment] = [:]
  /// LE Write Suggested Default Data Length.
  package private(set) var suggestedLength: (length: PacketLength, moment: Moment)?
  /// Whether the last parameters for scanning leave no pauses between scan windows.
  private var scansFully = false
  /// The first Hardware Error events, and how many there were.
  package private(set) var hardwareErrors: [HardwareError] = []
  package private(set) var hardwareErrorCount = 0
  /// The data that it holds.
  package internal(set) var buffers = DataBuffers()
  /// The data that the host holds.
  package internal(set) var hostBuffers = HostBuffers()
  package private(set) var sets = AdvertisingSets()
  package private(set) var resolving = ResolvingList()
  private var groups = IsochronousGroups()
  /// The devices that were heard on BR/EDR.
  private var classicPeers: Set<UInt64> = []
  /// Whether there were too many to remember.
  private var hasMoreClassicPeers = false
  /// The devices that were seen advertising.
  package private(set) var sightings = Sightings()
  private var pages: [(peer: DeviceAddress, asked: Moment)] = []
  /// The last command that switches scanning, and the command that switched it on.
  private var scanSwitch: (moment: Moment, isOn: Bool)?
  private var scanning: Moment?
  /// The same for legacy advertising.
  private var advertisingSwitch: (moment: Moment, isOn: Bool)?
  private var advertising: Moment?
  /// Whether the controller began to connect while it scanned, so that it can do both.
  private var connectsWhileScanning = false
  /// The command that first made the host advertise.
  package private(set) var advertised: Moment?
  /// The last LE Set Advertising Enable that enabled advertising, unless a later command may have
  /// stopped it, or enabled it in another way.
  package private(set) var lastAdvertising: Moment?
  /// The last command that switches extended advertising.
  private var setsSwitch: (moment: Moment, isOn: Bool)?

  private static let mostErrors = 16
  private static let mostPages = 64
  private static let mostUnknownLinks = 64
  private static let mostClassicPeers = 1024

  init(_ index: AdapterIndex) { self.index = index }

  /// Returns whether the capture has anything from a device on BR/EDR, or may have had.
  package func wasHeardOnBREDR(_ peer: DeviceAddress) -> Bool {
    hasMoreClassicPeers || classicPeers.contains(peer.value)
  }

  /// Records a command, an event, a management record or a note.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    let moment = Moment(packet.record)
    let isAfterGap = memory.links.gap == packet.record.number && memory.links.gapAdapter == .unknown
    if packet.record.drops > 0 || isAfterGap { forgetWaiting(moment) }
    switch packet.dissection.content {
    case .command(let command):
      if command.opcode != HCICommand.hostNumberOfCompletedPackets {
        buffers.hear()
        hostBuffers.hear()
      }
      commands.observe(
        command.opcode, moment, packet.bytes, packet.dissection.body,
        LengthFault(command, packet))
      observe(command.opcode, moment, packet.bytes, packet.dissection.body)
    case .event(let event):
      buffers.hear()
      hostBuffers.hear()
      observe(event, moment, packet, memory)
      if case .commandComplete(let complete) = packet.dissection.fact, complete.status == .success,
        let fault = LengthFault(answer: packet)
      {
        commands.observe(fault, ofAnswerTo: complete.opcode, moment, packet.answer.request?.packet)
      }
    case .note(let note):
      guard note.kind.endsController else { return }
      commands.forget()
      attempts.forget(isReset: true)
      lastAdvertising = nil
    case .control, .acl, .sco, .iso, .controllerLog, .unknown, .advertising, .linkData,
      .linkControl:
      break
    }
  }

  /// Records Number Of Completed Packets, which shows that the controller is alive.
  mutating func observe(
    _ completed: CompletedPackets, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    let moment = Moment(packet.record)
    if packet.record.drops > 0 { forgetWaiting(moment) }
    commands.hear(moment)
    guard buffers.isCounting || packet.answer.link == nil else { return }
    for index in 0..<completed.count {
      let (handle, packets) = completed.link(index, packet.bytes)
      // Most events concern one link, which is known; to look one up copies it.
      let known =
        packet.answer.link.map { memory.links.id($0) }
        ?? memory.links.known(LinkKey(packet.record.adapter, handle))?.id
      if known == nil, packets > 0,
        unknownLinks.count < Self.mostUnknownLinks || unknownLinks[handle] != nil
      {
        unknownLinks[handle] = moment
      }
      guard buffers.isCounting else { continue }
      let connection = known ?? 0
      buffers.complete(packets, connection: connection, moment, gap: memory.links.gap)
    }
  }

  mutating func observeData() { commands.observeData() }

  /// Records that the controller delivers data.
  mutating func hear(from connection: Int, _ moment: Moment) {
    buffers.hear(from: connection)
    commands.lastData = moment.packet
  }

  /// Forgets pending commands because records are missing or another file begins, so that their
  /// answers are unknown.
  private mutating func forgetWaiting(_ moment: Moment) {
    commands.forget()
    attempts.forget(isReset: false)
    buffers.forget()
    hostBuffers.forget()
    sets.forget()
    resolving.forget(at: moment.packet)
    groups = IsochronousGroups()
  }

  private mutating func observe(
    _ opcode: UInt16, _ moment: Moment, _ bytes: RawSpan, _ body: Slice
  ) {
    if AdvertisingCommand.concerns(opcode) { sets.observe(opcode, moment, bytes.part(body)) }
    groups.observe(opcode, moment, bytes.part(body))
    // Some vendors' commands control advertising, too.
    if HCICommand.isVendors(opcode) { lastAdvertising = nil }
    switch opcode {
    case HCICommand.leAddDeviceToResolvingList...HCICommand.leClearResolvingList,
      HCICommand.deleteStoredLinkKey:
      resolving.observe(opcode, moment, bytes, body)
    case HCICommand.reset:
      attempts.forget(isReset: true)
      lastAdvertising = nil
    case HCICommand.setControllerToHostFlowControl, HCICommand.hostBufferSize,
      HCICommand.hostNumberOfCompletedPackets:
      hostBuffers.observe(opcode, moment, bytes, body)
    case HCICommand.createConnection:
      var cursor = Cursor(bytes, body)
      guard let command = try? CreateConnection(parsing: &cursor) else { return }
      pages.removeAll { $0.peer == command.peer }
      if pages.count >= Self.mostPages { pages.removeFirst() }
      pages.append((command.peer, moment))
    case HCICommand.leSetScanParameters, HCICommand.leSetExtendedScanParameters:
      let parameters = try? ScanParameters(opcode, bytes.part(body))
      let settings = [parameters?.le1M, parameters?.leCoded].compactMap(\.self)
      // Two PHYs share one radio.
      scansFully = settings.count == 1 && settings[0].isContinuous
    case HCICommand.leSetScanEnable, HCICommand.leSetExtendedScanEnable:
      scanSwitch = (moment, isOn(opcode, bytes, body))
    case HCICommand.leSetAdvertisingEnable:
      advertisingSwitch = (moment, isOn(opcode, bytes, body))
      lastAdvertising = nil
    case HCICommand.leSetExtendedAdvertisingEnable:
      setsSwitch = (moment, isOn(opcode, bytes, body))
      lastAdvertising = nil
    case HCICommand.leWriteSuggestedDefaultDataLength:
      var cursor = Cursor(bytes, body)
      guard let octets = try? cursor.u16(), let time = try? cursor.u16() else { return }
      suggestedLength = (PacketLength(octets: octets, time: time), moment)
    case HCICommand.leControllerCommands:
      attempts.observe(
        opcode, moment, bytes, body, fullScan: scansFully ? scanning : nil, sightings)
    default: break
    }
  }

  private mutating func observe(
    _ event: HCIEvent, _ moment: Moment, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    switch packet.dissection.fact {
    case .commandComplete(let complete):
      record(
        complete.opcode, complete.status, moment, packet.answer.request?.packet, isComplete: true,
        packet.bytes,
        packet.dissection.body, memory)
      buffers.learn(complete, moment, packet.bytes)
    case .commandStatus(let status):
      record(
        status.opcode, status.status, moment, packet.answer.request?.packet, isComplete: false,
        packet.bytes,
        packet.dissection.body, memory)
    default:
      commands.hear(moment)
      observeOther(event, moment, packet, memory)
    }
  }

  /// Returns whether a command switches scanning or advertising on until it is switched off.
  private func isOn(_ opcode: UInt16, _ bytes: RawSpan, _ body: Slice) -> Bool {
    guard !body.isEmpty, bytes.byte(at: Int(body.start)) == 1 else { return false }
    // LE Set Extended Scan Enable: enable, filter, duration (2 bytes; Core, Vol 4, Part E, 7.8.65).
    guard opcode == HCICommand.leSetExtendedScanEnable, body.count >= 4 else { return true }
    return bytes.byte(at: Int(body.start) + 2) == 0 && bytes.byte(at: Int(body.start) + 3) == 0
  }

  /// Records what an accepted command switches on or off.
  private mutating func record(switchedBy opcode: UInt16) {
    switch opcode {
    case HCICommand.reset:
      (scanning, advertising) = (nil, nil)
      pages.removeAll()
      sets.clear()
    case HCICommand.leClearAdvertisingSets: sets.clear()
    case HCICommand.leSetScanEnable, HCICommand.leSetExtendedScanEnable:
      scanning = scanSwitch.flatMap { $0.isOn ? scanning ?? $0.moment : nil }
    case HCICommand.leSetAdvertisingEnable:
      advertising = advertisingSwitch.flatMap { $0.isOn ? advertising ?? $0.moment : nil }
      if let advertisingSwitch, advertisingSwitch.isOn {
        advertised = advertised ?? advertisingSwitch.moment
        lastAdvertising = advertisingSwitch.moment
      }
    case HCICommand.leSetExtendedAdvertisingEnable:
      if let setsSwitch, setsSwitch.isOn { advertised = advertised ?? setsSwitch.moment }
    default: break
    }
  }

  /// Returns the controller's current activity that forbids a command (Core, Vol 4, Part E, 7.8.5,
  /// 7.8.9, 7.8.10).
  private func obstacle(to opcode: UInt16) -> CommandHistory.Obstacle? {
    switch opcode {
    case HCICommand.leSetScanParameters, HCICommand.leSetExtendedScanParameters,
      HCICommand.leSetScanEnable, HCICommand.leSetExtendedScanEnable:
      // An attempt that is being cancelled is pending until its end is reported.
      if let attempt = attempts.open.first { return .init(kind: .connecting, since: attempt.asked) }
      return scanning.map { .init(kind: .scanning, since: $0) }
    case HCICommand.leSetAdvertisingParameters, HCICommand.leSetAdvertisingEnable:
      return advertising.map { .init(kind: .advertising, since: $0) }
    default: return nil
    }
  }

  private mutating func record(
    _ opcode: UInt16, _ status: StatusCode?, _ moment: Moment, _ request: Int?,
    isComplete: Bool, _ bytes: RawSpan, _ body: Slice, _ memory: borrowing Memory
  ) {
    // Its error was not the reason why it did not answer yet.
    if let request, let last = hardwareErrors.indices.last,
      hardwareErrors[last].pending?.moment.packet == request
    {
      hardwareErrors[last].pending = nil
    }
    let connects = LECreateConnection.opcodes.contains(opcode)
    if status == .success {
      record(switchedBy: opcode)
      if connects, scanning != nil { connectsWhileScanning = true }
      if opcode == HCICommand.reset {
        buffers.reset(moment)
        hostBuffers.reset(moment)
        resolving.forget(at: moment.packet)
      }
      hostBuffers.accept(opcode)
      resolving.accept(opcode, request)
      groups.accept(opcode, request, bytes.part(body))
    }
    commands.observe(
      opcode, status, moment, request, isComplete: isComplete,
      status == .commandDisallowed
        ? obstacle(to: opcode) ?? groups.obstacle(opcode, request)
        : status == .success ? nil : resolving.obstacle(opcode, request, status))
    if opcode == HCICommand.createConnection, status != .success {
      pages.removeAll { $0.asked.packet == request }
    }
    guard let status, status != .success else { return }
    resolving.refuse(opcode, request)
    if let request, AdvertisingCommand.concerns(opcode) { sets.refuse(request) }
    // Connection Complete reports whether it succeeds.
    guard connects else { return }
    attempts.observeStatus(
      status, moment, request, links: openLinks(memory),
      scanning: connectsWhileScanning ? nil : scanning, sightings)
  }

  /// Records an event that shows that devices were heard on BR/EDR (Core, Vol 4, Part E, 7.7.2,
  /// 7.7.4, 7.7.7, 7.7.33 and 7.7.38).
  private mutating func observeClassic(_ event: HCIEvent, _ bytes: RawSpan, _ body: Slice) {
    let start = Int(body.start)
    switch event.code {
    case HCIEvent.remoteNameRequestCompleteCode:
      if body.count >= 7, bytes.byte(at: start) == 0 { hear(bytes, at: start + 1) }
    case HCIEvent.connectionRequestCode where body.count >= 6: hear(bytes, at: start)
    case _ where event.isInquiryResult:
      let number = body.isEmpty ? 0 : Int(bytes.byte(at: start))
      let size = (Int(body.count) - 1) / max(1, number)
      guard size >= 6 else { return }
      for index in 0..<number { hear(bytes, at: start + 1 + index * size) }
    default: break
    }
  }

  private mutating func hear(_ bytes: RawSpan, at offset: Int) {
    var cursor = Cursor(bytes, Slice(start: offset, count: 6))
    if let address = try? DeviceAddress(parsing: &cursor) { hear(address) }
  }

  private mutating func hear(_ address: DeviceAddress) {
    if classicPeers.count < Self.mostClassicPeers {
      classicPeers.insert(address.value)
    } else if !classicPeers.contains(address.value) {
      hasMoreClassicPeers = true
    }
  }

  private mutating func observeOther(
    _ event: HCIEvent, _ moment: Moment, _ packet: borrowing Packet, _ memory: borrowing Memory
  ) {
    if !memory.advertisements.reports.isEmpty {
      return sightings.observe(moment, memory.advertisements.reports, packet.bytes)
    }
    switch packet.dissection.fact {
    case .setTerminated(let ended): sets.observe(ended, moment)
    case .stream(let event): groups.observe(established: event, moment)
    case .connection(let complete):
      // A link that the other side opened ends legacy advertising.
      if complete.status == .success, complete.role == 1 { advertising = nil }
      let links = complete.status == .success ? 0 : openLinks(memory)
      attempts.observe(complete, moment, links: links, sightings)
    case .hardwareError(let code):
      hardwareErrorCount &+= 1
      guard hardwareErrors.count < Self.mostErrors else { return }
      let pending = commands.waiting.last {
        !$0.isPassed && moment.nanoseconds(since: $0.moment) ?? .max <= CommandHistory.longestWait
      }
      hardwareErrors.append((moment, code, pending))
    case .disconnection(let ended):
      if ended.status == .success { groups.end(ended.handle) }
      guard let link = packet.answer.link else { return lose(ended, moment, memory) }
      let connection = memory.links.connection(link)
      if connection.ending == .neverEstablished {
        sightings.fail(Attributes.key(of: .peer, connection), moment)
      }
    case .classicConnection(let complete):
      let asked = pages.last { $0.peer == complete.peer }?.asked
      pages.removeAll { $0.peer == complete.peer }
      guard complete.status != .success else { return hear(complete.peer) }
      var place = pageFailures.firstIndex {
        $0.peer == complete.peer && $0.status == complete.status
      }
      if place == nil, pageFailures.count < Self.mostPages {
        let sighting = sightings.find(complete.peer, .public)
        let isUnknown = sighting == nil && !classicPeers.contains(complete.peer.value)
        place = pageFailures.count
        pageFailures.append(
          PageFailures(
            peer: complete.peer, status: complete.status, sighting: sighting,
            random: isUnknown ? random(complete.peer, memory) : nil))
      }
      guard let place else { return omittedPageFailures &+= 1 }
      pageFailures[place].count &+= 1
      if pageFailures[place].count <= PageFailures.mostKept {
        pageFailures[place].attempts.append((asked, moment))
      }
    case .other where event.code == HCIEvent.dataBufferOverflowCode:
      buffers.overflow(moment, packet.bytes, packet.dissection.body)
    default: observeClassic(event, packet.bytes, packet.dissection.body)
    }
  }

  /// Records that a link that is not known ended, if it was lost.
  private mutating func lose(
    _ end: DisconnectionComplete, _ moment: Moment, _ memory: borrowing Memory
  ) {
    guard end.status == .success else { return }
    let acknowledged = unknownLinks.removeValue(forKey: end.handle)
    let index = index
    var isKnown = false
    memory.links.forEach { isKnown = isKnown || $0.adapter == index && $0.handle == end.handle }
    guard !isKnown, end.reason == .connectionTimeout,
      unknownLosses.count < Self.mostErrors
    else { return }
    unknownLosses.append((end.handle, moment, acknowledged))
  }

  /// Returns the packet that shows an address as a random one: a connection that this controller
  /// has or had, or an advertisement.
  private func random(_ peer: DeviceAddress, _ memory: borrowing Memory) -> Int? {
    var opened: Int?
    let index = index
    memory.links.forEach { link in
      let isRandom = link.peer == peer && link.peerType == .random && link.transport == .le
      if isRandom, link.adapter == index { opened = link.firstPacket }
    }
    return opened ?? sightings.find(peer, .random)?.last.packet
  }

  /// Processes the end of the capture.
  mutating func finish(_ memory: borrowing Memory, _ extent: CaptureExtent) {
    let end = Moment(packet: extent.lastPacket, time: extent.latest)
    attempts.finish(sightings, memory, at: end)
    buffers.finish(end)
    hostBuffers.settle(end)
  }

  /// Returns the number of open connections of this controller. Examines all links, so it is called
  /// only when an attempt fails.
  private func openLinks(_ memory: borrowing Memory) -> Int {
    var count = 0
    let index = index
    memory.links.forEach { connection in
      if connection.isOpen, connection.adapter == index, connection.id != 0 { count += 1 }
    }
    return count
  }
}
