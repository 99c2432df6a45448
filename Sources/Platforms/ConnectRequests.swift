import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// What the host wants one controller to connect to.
///
/// A stack cancels and repeats an attempt whenever it changes the filter accept list, so the
/// commands that start and cancel attempts show nothing about apps. Which devices are put on the
/// list and removed from it does. An attempt without the list names its device itself.
///
/// Bounded: the number of devices is limited.
struct ConnectRequests: Sendable {
  /// A packet and its time.
  typealias Place = (packet: Int, time: Timestamp?)

  /// A device that is on the list, or was.
  private struct Wanted: Sendable {
    /// Its address; some stacks put it on the list with both address types.
    let peer: DeviceAddress
    /// The command that put it on the list.
    var asked: Place
    var way: AppEvent.ConnectWay?
    var isListed = true
    /// Whether an attempt has waited for it, so that the call was reported.
    var isReported = false
    /// The link to it, if it is connected.
    var handle: UInt16?
    /// Whether the stack may wait for it again on its own after its link is gone: it was not a
    /// direct connection, and this host did not end it.
    var isKept = false

    var isWaiting: Bool { isListed && isReported && handle == nil }
  }

  /// An attempt that is under way.
  private struct Attempt: Sendable {
    /// The device; nil: those on the list, or unknown.
    var peer: DeviceAddress?
    var asked: Place
    var way: AppEvent.ConnectWay?
    var usesList: Bool
    var isSparse: Bool
  }

  /// An attempt for one device that was cancelled: what follows shows whether it was given up.
  private struct Cancelled: Sendable {
    var attempt: Attempt
    var cancelled: Place
    var ended: Place
    /// Whether the host has changed something meanwhile that no attempt may be under way for.
    var hasReason = false
    /// Whether it has put another device on the list.
    var hasAdded = false
  }

  private var devices: [Wanted] = []
  private var pending: Attempt?
  /// The command that cancels it.
  private var cancelling: Place?
  private var cancelled: Cancelled?
  /// The attempt for one device that another one has replaced.
  private var interrupted: Attempt?
  /// The last attempt with the list, and the command that cancelled it.
  private var lastListed: (isSparse: Bool, cancelled: Place?)?

  private static let mostDevices = 256
  /// How long it is open whether a cancelled attempt is repeated, in nanoseconds: less than lines
  /// wait to be sorted.
  private static let patience: Int64 = 900_000_000

  // MARK: Commands

  /// Records LE Create Connection Cancel when it is sent.
  mutating func cancel(_ record: borrowing CaptureRecord) {
    if pending != nil { cancelling = (record.number, record.time) }
  }

  /// Records that LE Create Connection Cancel was refused: nothing was under way any more.
  mutating func refuseCancel() { cancelling = nil }

  /// Records that the host ends a link: it does not wait for the device any more.
  mutating func disconnect(_ handle: UInt16) {
    for index in devices.indices where devices[index].handle == handle {
      devices[index].isKept = false
    }
  }

  /// Records that a link is gone.
  mutating func end(_ handle: UInt16) {
    for index in devices.indices where devices[index].handle == handle {
      devices[index].handle = nil
    }
  }

  /// Records a command that the controller has carried out, and for which no attempt may be under
  /// way.
  mutating func change(
    _ opcode: UInt16, _ parameters: RawSpan, _ place: Place, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    cancelled?.hasReason = true
    switch opcode {
    case HCICommand.leClearFilterAcceptList:
      for index in devices.indices where devices[index].isListed {
        remove(index, place, record, &events)
      }
    case HCICommand.leAddDeviceToFilterAcceptList, HCICommand.leRemoveDeviceFromFilterAcceptList:
      var cursor = Cursor(parameters)
      guard let device = try? LEFilterAcceptListDevice(parsing: &cursor) else { return }
      let known = devices.firstIndex { $0.peer == device.address }
      if opcode == HCICommand.leAddDeviceToFilterAcceptList {
        add(device.address, known, place)
      } else if let known {
        if devices[known].isListed { remove(known, place, record, &events) }
      } else if let end = lastListed?.cancelled, pending == nil {
        // It was put on the list before the capture began.
        note(.ended, recent(end, record), device.address, &events)
      }
    default: break
    }
  }

  private mutating func add(_ peer: DeviceAddress, _ known: Int?, _ place: Place) {
    if cancelled?.attempt.peer != peer { cancelled?.hasAdded = true }
    guard let known else {
      if devices.count >= Self.mostDevices {
        devices.remove(at: devices.firstIndex { !$0.isListed } ?? 0)
      }
      devices.append(Wanted(peer: peer, asked: place))
      return
    }
    guard !devices[known].isListed else { return }
    devices[known].isListed = true
    // After a lost link the stack waits for the device again, without a call.
    if devices[known].isKept { return }
    devices[known].asked = place
    devices[known].way = nil
    devices[known].isReported = false
  }

  private mutating func remove(
    _ index: Int, _ place: Place, _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    defer {
      devices[index].isListed = false
      if devices[index].handle == nil { devices[index].isKept = false }
    }
    guard devices[index].isWaiting else { return }
    let wanted = devices[index]
    let cancel = pending == nil ? lastListed?.cancelled : nil
    giveUp(
      wanted.peer, wanted.way, wanted.asked, recent(cancel ?? place, record), place, &events)
  }

  // MARK: Attempts

  /// Records a command that starts an attempt, with its status.
  mutating func begin(
    _ command: LECreateConnection?, _ place: Place, _ status: StatusCode,
    _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    let isSparse = command?.listensRarely ?? false
    var attempt = Attempt(asked: place, usesList: true, isSparse: isSparse)
    if let command, !command.usesAcceptList {
      attempt.usesList = false
      lastListed?.cancelled = nil
      attempt.peer = command.peer
      attempt.way = isSparse ? nil : .direct
      name(&attempt, status, record, &events)
    } else {
      let direct = AppEvent.ConnectWay.direct
      let isKnown = (command?.scanWindow ?? 0) > 0
      list(attempt, isKnown ? (isSparse ? .background : direct) : nil, status, record, &events)
    }
    guard status == .success else {
      if attempt.usesList || status == .commandDisallowed {
        note(.refused(status), (record.number, record.time), attempt.peer, &events)
      } else {
        fail(.refused(status), attempt.peer, record, &events)
      }
      return
    }
    if attempt.usesList { lastListed = (isSparse, nil) }
    (pending, cancelling, cancelled) = (attempt, nil, nil)
  }

  /// Reports what an attempt for one device shows.
  private mutating func name(
    _ attempt: inout Attempt, _ status: StatusCode, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    let here = recent(attempt.asked, record)
    if let before = cancelled {
      cancelled = nil
      if before.attempt.peer == attempt.peer, before.hasReason {
        attempt.asked = before.attempt.asked
        return note(.restarted, here, attempt.peer, &events)
      }
      if before.attempt.peer == attempt.peer {
        giveUp(before, &events)
      } else {
        interrupt(before, &events)
      }
    } else if let interrupted, interrupted.peer == attempt.peer {
      attempt.asked = interrupted.asked
      self.interrupted = nil
      return note(.restarted, here, attempt.peer, &events)
    } else if let pending, pending.peer == attempt.peer, status == .commandDisallowed {
      // It is still under way.
      return
    }
    events.append(event(.connecting(attempt.way), here, attempt.peer))
  }

  /// Reports the calls that an attempt for the devices on the list shows: those for devices that no
  /// attempt has waited for yet.
  private mutating func list(
    _ attempt: Attempt, _ way: AppEvent.ConnectWay?, _ status: StatusCode,
    _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    if let before = cancelled, let peer = before.attempt.peer {
      if let index = devices.firstIndex(where: { $0.peer == peer && $0.isListed }) {
        // It is now one of several that the controller waits for.
        (devices[index].asked, devices[index].way) = (before.attempt.asked, before.attempt.way)
        devices[index].isReported = true
      } else if before.hasAdded {
        interrupt(before, &events)
      } else {
        giveUp(before, &events)
      }
      cancelled = nil
    }
    let fresh = devices.indices.filter {
      devices[$0].isListed && !devices[$0].isReported && devices[$0].handle == nil
    }
    // The controller listens often if one of the devices is connected to directly.
    let others = devices.contains { $0.isWaiting && $0.way != .background }
    for index in devices.indices where devices[index].isWaiting {
      if way == .background {
        devices[index].way = .background
      } else if fresh.isEmpty, lastListed?.isSparse == true {
        devices[index].way = nil
      }
    }
    for index in fresh {
      let isSure = way == .background || fresh.count == 1 && !others
      devices[index].way = isSure ? way : nil
      devices[index].isReported = true
      events.append(
        event(
          .connecting(devices[index].way), recent(devices[index].asked, record),
          devices[index].peer))
    }
    guard fresh.isEmpty, status == .success else { return }
    note(
      lastListed == nil && !devices.contains { $0.isWaiting } ? .started : .restarted,
      recent(attempt.asked, record), nil, &events)
  }

  // MARK: Events

  /// Records LE Connection Complete for a link that this host requested, or for an attempt that
  /// failed.
  mutating func complete(
    _ complete: LEConnectionComplete, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    let (attempt, cancel) = (pending, cancelling)
    (pending, cancelling) = (nil, nil)
    if complete.status == .success {
      connect(complete)
      if let cancel, let peer = attempt?.peer {
        note(.cancelledLate, recent(cancel, record), peer, &events)
      }
      return
    }
    guard let attempt else {
      return note(.failed(complete.status), (record.number, record.time), nil, &events)
    }
    if let cancel {
      if attempt.usesList {
        lastListed?.cancelled = cancel
      } else {
        cancelled = Cancelled(
          attempt: attempt, cancelled: cancel, ended: (record.number, record.time))
      }
    } else if attempt.usesList || complete.status == .unknownConnectionIdentifier {
      note(.failed(complete.status), (record.number, record.time), attempt.peer, &events)
    } else {
      fail(.refused(complete.status), attempt.peer, record, &events)
    }
  }

  private mutating func connect(_ complete: LEConnectionComplete) {
    let waiting = devices.indices.filter { devices[$0].isWaiting }
    guard
      let index = devices.firstIndex(where: { $0.peer == complete.peer })
        ?? (waiting.count == 1 ? waiting[0] : nil)
    else { return }
    devices[index].handle = complete.handle
    devices[index].isKept = devices[index].way != .direct
  }

  /// Reports that a cancelled attempt was given up, once it is late enough that it is not repeated.
  mutating func pass(
    _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    guard let before = cancelled else { return }
    if let time = record.time, let end = before.cancelled.time,
      time.nanoseconds(since: end) <= Self.patience
    {
      return
    }
    cancelled = nil
    giveUp(before, &events)
  }

  /// Ends the capture, or the use of the controller.
  mutating func finish(_ events: inout [AppEvent]) {
    if let before = cancelled {
      giveUp(before, &events)
      cancelled = nil
    }
  }

  // MARK: Reports

  private mutating func interrupt(_ before: Cancelled, _ events: inout [AppEvent]) {
    interrupted = before.attempt
    note(.interrupted, before.cancelled, before.attempt.peer, &events)
  }

  /// Reports that a device is not waited for any more: at the command that cancels the attempt, and
  /// at the packet that makes it final.
  private func giveUp(
    _ before: Cancelled, _ events: inout [AppEvent]
  ) {
    giveUp(
      before.attempt.peer, before.attempt.way, before.attempt.asked, before.cancelled,
      before.ended, &events)
  }

  private func giveUp(
    _ peer: DeviceAddress?, _ way: AppEvent.ConnectWay?, _ asked: Place, _ cancelled: Place,
    _ ended: Place, _ events: inout [AppEvent]
  ) {
    let waited = cancelled.time.flatMap { end in asked.time.map { end.nanoseconds(since: $0) } }
    let end = AppEvent.ConnectEnd(way: way, waited: waited)
    events.append(event(.connectingEnded(end), cancelled, peer))
    events.append(event(.connectFailed(.givenUp(end)), ended, peer))
  }

  private func fail(
    _ failure: AppEvent.ConnectFailure, _ peer: DeviceAddress?,
    _ record: borrowing CaptureRecord, _ events: inout [AppEvent]
  ) {
    events.append(event(.connectFailed(failure), (record.number, record.time), peer))
  }

  private func note(
    _ note: AppEvent.ConnectNote, _ place: Place, _ peer: DeviceAddress?,
    _ events: inout [AppEvent]
  ) {
    events.append(event(.connectNote(note), place, peer))
  }

  private func event(
    _ what: AppEvent.What, _ place: Place, _ peer: DeviceAddress?
  ) -> AppEvent {
    var event = AppEvent(what, packet: place.packet, time: place.time)
    event.peer = peer
    return event
  }

  /// Returns a packet if a line about it can still be sorted, or this one.
  private func recent(_ place: Place, _ record: borrowing CaptureRecord) -> Place {
    guard let then = place.time, let now = record.time,
      now.nanoseconds(since: then) > Self.patience
    else { return place }
    return (record.number, record.time)
  }
}

extension HCICommand {
  /// Whether hosts cancel their attempt to connect for a command, because it is refused meanwhile:
  /// LE Set Random Address, and what changes the filter accept list or the resolving list (Core,
  /// Vol 4, Part E, 7.8.4, 7.8.15 to 7.8.17, 7.8.38 to 7.8.45, 7.8.77).
  static func waitsForAttempts(_ opcode: UInt16) -> Bool {
    switch opcode {
    case leSetRandomAddress, leClearFilterAcceptList, leAddDeviceToFilterAcceptList,
      leRemoveDeviceFromFilterAcceptList, leAddDeviceToResolvingList...0x202e, 0x204e:
      true
    default: false
    }
  }
}
