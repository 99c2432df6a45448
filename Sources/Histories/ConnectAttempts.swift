package import Bluetooth
import Bytes
package import Dissectors
import Sessions

/// An attempt of the captured host to connect, and how it ended.
package struct ConnectAttempt: Sendable {
  package var asked: Moment
  /// The device; nil: any on the filter accept list.
  package var peer: DeviceAddress?
  package var peerType: AddressType?
  /// The requested parameters of the link, for the first PHY.
  package var wanted: WantedParameters?
  /// The PHYs on which the controller listens: bit 0 LE 1M, bit 1 LE 2M, bit 2 LE Coded.
  package var phys: UInt8 = 1
  /// How long the controller listens in each interval, in units of 0.625 ms, and that interval.
  package var scanWindow: UInt16 = 0
  package var scanInterval: UInt16 = 0
  /// LE Create Connection Cancel, if the host gave up.
  package internal(set) var cancelled: Moment?
  package internal(set) var ended: Moment?
  /// The final status; success: a link was created.
  package internal(set) var status: StatusCode?
  /// Whether the Command Status refused it.
  package internal(set) var wasRefused = false
  /// How the device was seen before the attempt.
  package internal(set) var before: Sighting?
  /// How the device was seen until its end.
  package internal(set) var after: Sighting?
  /// The number of open connections of the controller when it failed.
  package internal(set) var openLinks = 0
  package internal(set) var isAcceptListUsed = false
  /// Whether the device was put on the filter accept list before the capture begins, so that the
  /// waiting time is unknown.
  package internal(set) var isWaitUnknown = false
  /// With the filter accept list: the command after the end that removes the device from it. Only
  /// this distinguishes a host that gave up from one that changed the list.
  package internal(set) var removed: Moment?
  /// With the filter accept list: whether the host did not begin another attempt at once after it
  /// had cancelled this one.
  package internal(set) var isAbandoned = false

  /// The devices on the filter accept list, if it is used and known.
  package internal(set) var devices: [UInt64]?

  /// With the filter accept list: whether the device was on it with both address types.
  package internal(set) var hasBothTypes = false
  /// With the filter accept list: how often the host cancelled and repeated it, if it still waits
  /// for the device when the capture ends.
  package internal(set) var repetitions = 0

  /// Whether the host only listens now and then for devices that may appear, as Android does with
  /// autoConnect and for bonded devices, so that no app waits for one.
  package var isBackground: Bool {
    isAcceptListUsed && LECreateConnection.listensRarely(scanWindow, of: scanInterval)
  }

  /// How the device was seen during the attempt under an address that the attempt does not reach.
  package internal(set) var elsewhere: Elsewhere?
  /// The number of unresolved resolvable private addresses that advertised during the attempt, if
  /// the device was never seen under the identity address that the attempt is for.
  package internal(set) var unresolved = 0
  /// The command that started the scan that was running when this attempt was refused.
  package internal(set) var scanning: Moment?
  /// The command that started a scan without pauses that ran for half of the attempt or more.
  package internal(set) var fullScan: Moment?
  /// Another attempt that was pending when this one was refused.
  package internal(set) var blocked: Moment?
  /// Whether that attempt was for the same device.
  package internal(set) var isRepeated = false

  /// A device that advertised with the name of a BR/EDR connection's peer.
  package internal(set) var namesake: Sightings.Namesake?

  /// A device that advertises under another address or address type.
  package struct Elsewhere: Sendable {
    package let address: DeviceAddress
    package let type: AddressType
    /// Whether it is a private address that a known key resolves; otherwise only the type differs.
    package let isResolved: Bool
    package let sighting: Sighting
  }

  /// How long the host waited, in nanoseconds.
  package var waited: Int64? { (cancelled ?? ended).flatMap { $0.nanoseconds(since: asked) } }

  /// The number of reports of the device during the attempt.
  package var sightingsMeanwhile: Int { max(0, (after?.count ?? 0) - (before?.count ?? 0)) }

  /// The packet of the last report of any device until its end; nil: it is not known whether this
  /// one was heard.
  fileprivate var heardLast: Int? = 0
  /// Whether any device was heard advertising during the attempt; nil: it is not known whether this
  /// one was.
  package var hasHeardAny: Bool? { heardLast.map { $0 > asked.packet } }

  /// Whether it ended without a link.
  package var hasFailed: Bool { status.map { $0 != .success } ?? false }

  package var evidence: PacketSet { PacketSet(of: asked, cancelled, ended, removed) }
}

/// The attempts of one controller to connect. Bounded: the first failed attempts are kept.
package struct ConnectAttempts: Sendable {
  /// The attempts that failed, or requested something impossible.
  package private(set) var kept: [ConnectAttempt] = []
  package private(set) var open: [ConnectAttempt] = []
  /// The number of failed attempts that are not kept.
  package private(set) var omitted = 0
  /// The devices on the filter accept list; nil: unknown, because the capture begins later.
  private var acceptList: [UInt64]? = nil
  /// The devices that the capture puts on the list, each with the attempt that started to wait for
  /// it, how it was seen before, and how often the host cancelled since. Hosts cancel and repeat an
  /// attempt whenever they change the list, or scan.
  private var waits: [UInt64: (asked: Moment?, before: Sighting?, cancels: Int)] = [:]
  /// How the devices on the list were seen until the last attempt ended.
  private var seen: [UInt64: Sighting] = [:]
  /// Whether a device was added that no attempt has waited for yet.
  private var hasNewWaits = false
  /// The packet of the last attempt's command.
  private var latest = 0

  package static let most = 256
  private static let mostOpen = 4
  private static let mostListed = 256

  // MARK: Commands

  mutating func observe(
    _ opcode: UInt16, _ moment: Moment, _ bytes: RawSpan, _ body: Slice, fullScan: Moment?,
    _ sightings: Sightings
  ) {
    switch opcode {
    case HCICommand.leCreateConnection, HCICommand.leExtendedCreateConnection,
      HCICommand.leExtendedCreateConnectionV2:
      noteAbandoned(at: moment)
      begin(opcode, moment, bytes, body, sightings)
    case HCICommand.leCreateConnectionCancel:
      if let position = open.firstIndex(where: { $0.cancelled == nil }) {
        open[position].cancelled = moment
        let scanned = fullScan.flatMap { moment.nanoseconds(since: $0) } ?? -1
        if scanned >= (open[position].waited ?? .max) / 2 { open[position].fullScan = fullScan }
      }
    case HCICommand.leClearFilterAcceptList:
      acceptList = []
      waits.removeAll()
    case HCICommand.leAddDeviceToFilterAcceptList, HCICommand.leRemoveDeviceFromFilterAcceptList:
      var cursor = Cursor(bytes, body)
      guard let device = try? LEFilterAcceptListDevice(parsing: &cursor) else { return }
      let key = Attributes.key(device.address, device.type)
      acceptList?.removeAll { $0 == key }
      if opcode == HCICommand.leRemoveDeviceFromFilterAcceptList {
        giveUp(device.address, device.type, moment, sightings)
        waits[key] = nil
      } else {
        if acceptList?.count ?? Self.mostListed < Self.mostListed { acceptList?.append(key) }
        if waits[key] == nil, waits.count < Self.mostListed {
          waits[key] = (nil, nil, 0)
          hasNewWaits = true
        }
      }
    default: break
    }
  }

  private mutating func begin(
    _ opcode: UInt16, _ moment: Moment, _ bytes: RawSpan, _ body: Slice, _ sightings: Sightings
  ) {
    var attempt = ConnectAttempt(asked: moment)
    var cursor = Cursor(bytes, body)
    if let command = try? LECreateConnection(opcode, parsing: &cursor) { attempt.record(command) }
    if attempt.isAcceptListUsed {
      attempt.devices = acceptList
      if let list = acceptList, list.count == 1 {
        (attempt.peer, attempt.peerType) = Sightings.device(list[0])
      }
      for (key, wait) in waits where hasNewWaits && wait.asked == nil {
        waits[key] = (moment, sightings.find(key), 0)
      }
      hasNewWaits = false
    }
    attempt.before = attempt.find(in: sightings)
    latest = moment.packet
    if open.count >= Self.mostOpen { open.removeFirst() }
    open.append(attempt)
  }

  /// Hosts that cancel an attempt to change the filter accept list repeat it within this time.
  private static let pauseForList: Int64 = 2_000_000_000

  /// Records that until `moment` no attempt followed the last one.
  private mutating func noteAbandoned(at moment: Moment) {
    guard let position = givenUp, let ended = kept[position].ended,
      moment.nanoseconds(since: ended) ?? 0 >= Self.pauseForList
    else { return }
    kept[position].isAbandoned = true
  }

  /// The position of the last attempt, if the host cancelled it, it was for the filter accept list,
  /// and no other has begun.
  private var givenUp: Int? {
    guard open.isEmpty, let last = kept.last, last.isAcceptListUsed, last.hasFailed,
      last.cancelled != nil, last.asked.packet == latest
    else { return nil }
    return kept.count - 1
  }

  /// Records that the host removes a device from the list: the previous attempt was for that
  /// device, and has failed. This does not apply if another attempt followed, which may have
  /// reached it, or if the device was not on the list then.
  private mutating func giveUp(
    _ peer: DeviceAddress, _ type: AddressType, _ moment: Moment, _ sightings: Sightings
  ) {
    let key = Attributes.key(peer, type)
    guard var position = givenUp, kept[position].devices?.contains(key) ?? true else { return }
    if kept[position].removed != nil {
      // The same device with its other address type, or another one, whose attempt it was as well.
      if kept[position].peer == peer {
        kept[position].hasBothTypes = true
        guard kept[position].after == nil else { return }
      } else {
        guard kept.count < Self.most else { return omitted += 1 }
        kept.append(kept[position])
        position += 1
        (kept[position].wanted, kept[position].hasBothTypes) = (nil, false)
      }
      (kept[position].before, kept[position].after) = (nil, nil)
    }
    let wait = waits[key]
    if let asked = wait?.asked {
      (kept[position].asked, kept[position].before) = (asked, wait?.before)
      latest = asked.packet
    }
    kept[position].isWaitUnknown = wait?.asked == nil
    kept[position].removed = moment
    (kept[position].peer, kept[position].peerType) = (peer, type)
    guard kept[position].after == nil else { return }
    kept[position].after = seen[key]
    // How a device that was on the list before the capture was seen is known only if it was silent
    // since the end.
    guard wait == nil, let seen = sightings.find(key) else { return }
    let isEarlier = seen.last.packet <= kept[position].ended?.packet ?? 0
    if isEarlier { kept[position].after = seen } else { kept[position].heardLast = nil }
  }

  /// Records why the controller refuses a command that starts an attempt.
  mutating func observeStatus(
    _ status: StatusCode, _ moment: Moment, _ request: Int?, links: Int, scanning: Moment?,
    _ sightings: Sightings
  ) {
    guard let position = open.lastIndex(where: { request == nil || $0.asked.packet == request })
    else { return }
    var attempt = open.remove(at: position)
    attempt.wasRefused = true
    // An attempt that is being cancelled is pending until LE Connection Complete.
    let pending = open.first { $0.cancelled == nil } ?? open.first
    if status == .commandDisallowed, let pending {
      attempt.blocked = pending.asked
      attempt.isRepeated =
        pending.cancelled == nil && pending.isAcceptListUsed == attempt.isAcceptListUsed
        && pending.peer == attempt.peer && pending.peerType == attempt.peerType
    } else if status == .commandDisallowed {
      attempt.scanning = scanning
    }
    end(&attempt, status, moment, links: links, sightings)
  }

  /// Records LE Connection Complete of any version, without its subevent code.
  mutating func observe(
    _ complete: LEConnectionComplete, _ moment: Moment, links: Int, _ sightings: Sightings
  ) {
    let position: Int?
    if complete.status == .success {
      // The peripheral's host did not request anything.
      guard complete.role == 0 else { return }
      let key = Attributes.key(complete.peer, complete.peerType)
      if waits[key] != nil {
        waits[key] = (nil, nil, 0)
        hasNewWaits = true
      }
      position =
        open.firstIndex { $0.isFor(complete.peer, complete.peerType) }
        ?? open.firstIndex { $0.isAcceptListUsed }
    } else {
      // Directed advertising ends in this way, too.
      guard complete.status != .advertisingTimeout else { return }
      position = open.firstIndex { $0.cancelled != nil } ?? open.indices.first
    }
    guard let position else { return }
    var attempt = open.remove(at: position)
    end(&attempt, complete.status, moment, links: links, sightings)
  }

  private mutating func end(
    _ attempt: inout ConnectAttempt, _ status: StatusCode, _ moment: Moment, links: Int,
    _ sightings: Sightings
  ) {
    attempt.status = status
    attempt.ended = moment
    attempt.after = attempt.find(in: sightings)
    attempt.heardLast = sightings.last
    attempt.openLinks = links
    guard attempt.hasFailed || attempt.cancelled != nil || attempt.wanted?.fault != nil else {
      return
    }
    if attempt.isAcceptListUsed {
      seen = waits.reduce(into: [:]) { $0[$1.key] = sightings.find($1.key) }
      if attempt.cancelled != nil { for key in waits.keys { waits[key]?.cancels += 1 } }
    }
    if kept.count < Self.most { kept.append(attempt) } else { omitted += 1 }
  }

  /// Processes the end of the capture: looks for devices that were not reached under their other
  /// addresses.
  mutating func finish(_ sightings: Sightings, _ memory: borrowing Memory, at end: Moment) {
    noteAbandoned(at: end)
    keepWaits(sightings, until: end)
    let isMissing = { (attempt: ConnectAttempt) in
      attempt.hasFailed && attempt.cancelled != nil && attempt.peer != nil
        && attempt.sightingsMeanwhile == 0
    }
    guard kept.contains(where: isMissing) else { return }
    let namesake = sightings.namesake(memory)
    var resolved: [UInt64: [ConnectAttempt.Elsewhere]] = [:]
    var unresolved: [Moment] = []
    for (address, type, sighting) in sightings.all
    where AddressKind(address, type) == .randomResolvable {
      guard let identity = memory.identities.search(address) else {
        if let seen = sighting.lastConnectable { unresolved.append(seen) }
        continue
      }
      resolved[Attributes.key(identity.address, identity.type), default: []].append(
        ConnectAttempt.Elsewhere(
          address: address, type: type, isResolved: true, sighting: sighting))
    }
    for index in kept.indices where isMissing(kept[index]) {
      guard let peer = kept[index].peer, let type = kept[index].peerType else { continue }
      let key = Attributes.key(peer, type)
      kept[index].namesake = namesake
      var candidates = resolved[key] ?? []
      let other: AddressType = key >> 48 & 1 == 0 ? .random : .public
      if kept[index].after == nil, kept[index].before == nil, !kept[index].hasBothTypes,
        let sighting = sightings.find(peer, other)
      {
        candidates.append(
          ConnectAttempt.Elsewhere(
            address: peer, type: other, isResolved: false, sighting: sighting))
      }
      // An address that differs only in its type counts whenever it was seen.
      kept[index].elsewhere =
        candidates.last { kept[index].isNear($0.sighting.last) }
        ?? candidates.last { !$0.isResolved && sightings.find(peer, type) == nil }
      if kept[index].after == nil, kept[index].before == nil,
        AddressKind(peer, type) != .randomResolvable
      {
        kept[index].unresolved = unresolved.count { kept[index].isNear($0) }
      }
    }
  }

  /// Records the devices for which the host waits for a minute or more and still does, although it
  /// cancelled its attempts ten times or more.
  private mutating func keepWaits(_ sightings: Sightings, until end: Moment) {
    guard var attempt = open.last, attempt.isAcceptListUsed else { return }
    attempt.cancelled = kept.last { $0.cancelled != nil }?.cancelled
    (attempt.wanted, attempt.heardLast) = (nil, sightings.last)
    for (key, wait) in waits.sorted(by: { $0.key < $1.key }) where wait.cancels >= 10 {
      guard let asked = wait.asked, end.nanoseconds(since: asked) ?? 0 >= 60_000_000_000 else {
        continue
      }
      (attempt.asked, attempt.repetitions) = (asked, wait.cancels)
      (attempt.before, attempt.after) = (wait.before, sightings.find(key))
      (attempt.peer, attempt.peerType) = Sightings.device(key)
      kept.append(attempt)
    }
  }

  /// Forgets open attempts, because the controller was reset or went away, or records are missing.
  mutating func forget(isReset: Bool) {
    latest = 0
    open.removeAll()
    acceptList = isReset ? [] : nil
    waits.removeAll()
  }
}

extension ConnectAttempt {
  fileprivate mutating func record(_ command: LECreateConnection) {
    isAcceptListUsed = command.usesAcceptList
    if !isAcceptListUsed { (peer, peerType) = (command.peer, command.peerType) }
    (phys, scanInterval, scanWindow) = (command.phys, command.scanInterval, command.scanWindow)
    wanted = command.wanted
  }

  private var key: UInt64? { peer.flatMap { peer in peerType.map { Attributes.key(peer, $0) } } }

  fileprivate func find(in sightings: Sightings) -> Sighting? { key.flatMap { sightings.find($0) } }

  /// Returns whether a moment is during the attempt, or so close to it that the device may have
  /// been there.
  fileprivate func isNear(_ moment: Moment) -> Bool {
    guard let time = moment.time, let start = asked.time, let end = ended?.time else {
      return false
    }
    let margin: Int64 = 60_000_000_000
    return time.nanoseconds(since: start) >= -margin && time.nanoseconds(since: end) <= margin
  }

  /// Returns whether the attempt is for this device.
  fileprivate func isFor(_ address: DeviceAddress, _ type: AddressType) -> Bool {
    key == Attributes.key(address, type)
  }
}
