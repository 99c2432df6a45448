package import Bluetooth
import Bytes
package import Dissectors

/// What the captured host itself advertises with one advertising set.
package struct OwnAdvertiser: Sendable {
  /// What disabled a set.
  package enum Ending: Sendable, Equatable {
    case host
    /// A connection, by its number if known.
    case connection(Int?)
    /// The controller, with this reason: the duration was over, or the maximum number of events was
    /// reached.
    case controller(StatusCode)
    /// The controller was reset or removed.
    case reset

    /// The name in the JSON contract.
    package var key: StaticString {
      switch self {
      case .host: "host"
      case .connection: "connection"
      case .controller: "controller"
      case .reset: "reset"
      }
    }
  }

  /// A period in which the set was enabled.
  package struct Period: Sendable {
    /// The command that enabled it.
    package let firstPacket: Int
    package let firstTime: Timestamp?
    /// What disabled it; nil: it is still enabled at the end of the capture.
    package internal(set) var ending: Ending?
    /// The packet that disabled it, or the capture's last one.
    package internal(set) var lastPacket: Int
    package internal(set) var lastTime: Timestamp?
    /// The status with which the controller refused to enable it.
    package internal(set) var refusal: StatusCode?
    /// Whether it was enabled before the capture began: `firstPacket` is then the packet that ended
    /// it.
    package internal(set) var isOpeningMissing = false
  }

  /// The controller's index; unknown: the record belonged to none.
  package let adapter: AdapterIndex
  /// Which of the controller's sets this is.
  package let set: AdvertisingSet
  package internal(set) var parameters: AdvertisingParameters?
  /// The last random address that the host gave it.
  package internal(set) var randomAddress: DeviceAddress?
  /// The number of random addresses that the host gave it.
  package internal(set) var randomAddresses = 0
  /// Its data, each with the command that set it; `count` is how often it was set.
  package internal(set) var payloads = Payloads()
  /// The periods in which it was enabled, up to a limit.
  package internal(set) var periods: [Period] = []
  /// The number of further periods.
  package internal(set) var furtherPeriods = 0
  /// Whether its periodic train was enabled.
  package internal(set) var isPeriodic = false
  /// How many packets changed its data while it was enabled, and the last of them.
  package internal(set) var changes = 0
  package internal(set) var lastChange = 0
  /// The first packet about it.
  package let firstPacket: Int
  package let firstTime: Timestamp?
  /// Whether it is enabled.
  var isOn = false
  /// Data that comes in several commands.
  fileprivate var parts = AdvertisingDataParts()

  /// Whether anything was set up beyond an address.
  package var isSetUp: Bool {
    parameters != nil || !payloads.all.isEmpty || !periods.isEmpty || furtherPeriods > 0
  }

  /// Whether it uses legacy PDUs, if known.
  fileprivate var isLegacy: Bool {
    switch set.family {
    case .legacy, .android: true
    // Legacy unless something else is requested.
    case .management: parameters.map { $0.properties & 0x10 != 0 } ?? true
    case .extended: parameters.map { $0.properties & 0x10 != 0 } ?? false
    }
  }

  /// Whether it was ever enabled.
  package var wasOn: Bool { periods.contains { $0.refusal == nil } || furtherPeriods > 0 }
}

/// The advertising sets of the captured host, each by its handle. A set that is removed and set up
/// again counts as one. Bounded: sets beyond the limit are not followed.
package struct OwnAdvertising: Sendable {
  /// The sets, in the order in which they were first set up.
  package private(set) var all: [OwnAdvertiser] = []
  /// Whether there were more.
  package private(set) var hasMore = false
  /// The maximum data length of an extended set that each controller reported.
  private var longest: [(adapter: AdapterIndex, bytes: Int)] = []
  private let limits: Limits

  init(_ limits: Limits) { self.limits = limits }

  /// Returns the maximum data length of a set of this controller.
  package func mostBytes(_ adapter: AdapterIndex) -> Int {
    longest.first { $0.adapter == adapter }?.bytes ?? 1650
  }

  /// Records the result of LE Read Maximum Advertising Data Length.
  mutating func learn(longest bytes: Int, _ adapter: AdapterIndex) {
    guard longest.count < limits.adapters, !longest.contains(where: { $0.adapter == adapter })
    else { return }
    longest.append((adapter, bytes))
  }

  private func find(_ adapter: AdapterIndex, _ set: AdvertisingSet) -> Int? {
    all.firstIndex { $0.set == set && $0.adapter == adapter }
  }

  private mutating func make(
    _ adapter: AdapterIndex, _ set: AdvertisingSet, packet: Int, time: Timestamp?
  ) -> Int? {
    if let known = find(adapter, set) { return known }
    guard all.count < limits.ownSets else {
      hasMore = true
      return nil
    }
    all.append(
      OwnAdvertiser(adapter: adapter, set: set, firstPacket: packet, firstTime: time))
    return all.count - 1
  }

  /// Applies a command that was not refused.
  ///
  /// - Parameters:
  ///   - parameters: the command's parameters, which its slices count from.
  ///   - isCut: whether the capture lacks part of them.
  mutating func apply(
    _ command: AdvertisingCommand, _ parameters: RawSpan, isCut: Bool, _ adapter: AdapterIndex,
    packet: Int, time: Timestamp?, _ budget: inout PayloadBudget
  ) {
    switch command {
    case .parameters(let set, let values):
      guard let known = make(adapter, set, packet: packet, time: time) else { return }
      all[known].parameters = values
      if let address = values.address, address != .zero { give(known, address) }
    case .address(let set, let address):
      guard let known = make(adapter, set, packet: packet, time: time) else { return }
      give(known, address)
    case .data(let set, let kind, let operation, let slice):
      guard let known = make(adapter, set, packet: packet, time: time) else { return }
      record(
        known, kind, operation, parameters.part(slice),
        isCut: isCut && slice.end >= parameters.byteCount, packet: packet, time: time, &budget)
    case .enable(let isOn, let sets):
      if !isOn, sets.isEmpty {
        for known in all.indices
        where all[known].adapter == adapter && all[known].set.family == .extended {
          switchOff(known, .host, packet: packet, time: time)
        }
      }
      for set in sets {
        if isOn {
          guard let known = make(adapter, set, packet: packet, time: time) else { continue }
          switchOn(known, packet: packet, time: time)
        } else if let known = find(adapter, set) {
          switchOff(known, .host, packet: packet, time: time)
        }
      }
    case .periodic(let isOn, let set):
      guard isOn, let known = make(adapter, set, packet: packet, time: time) else { return }
      all[known].isPeriodic = true
    case .instance(let set, let values, let advertising, let scanResponse):
      guard let known = make(adapter, set, packet: packet, time: time) else { return }
      if let values { all[known].parameters = values }
      for (kind, slice) in [
        (AdvertisingCommand.DataKind.advertising, advertising), (.scanResponse, scanResponse),
      ] where !slice.isEmpty {
        record(
          known, kind, 3, parameters.part(slice),
          isCut: isCut && slice.end >= parameters.byteCount, packet: packet, time: time, &budget)
      }
      switchOn(known, packet: packet, time: time)
    case .remove(let family, let handle):
      for known in all.indices
      where all[known].adapter == adapter && all[known].set.family == family
        && (handle == nil || all[known].set.handle == handle)
      {
        switchOff(known, .host, packet: packet, time: time)
        all[known].parts.forget()
      }
    }
  }

  /// Records that a command to enable sets was refused.
  mutating func refuse(
    _ sets: [AdvertisingSet], _ status: StatusCode, _ adapter: AdapterIndex, packet: Int,
    time: Timestamp?
  ) {
    for set in sets {
      guard let known = make(adapter, set, packet: packet, time: time), !all[known].isOn else {
        continue
      }
      add(
        OwnAdvertiser.Period(
          firstPacket: packet, firstTime: time, lastPacket: packet, lastTime: time,
          refusal: status), to: known)
    }
  }

  /// Records that a command with a part of a set's data was refused: the parts after it have no
  /// place.
  mutating func refuse(
    _ set: AdvertisingSet, _ kind: AdvertisingCommand.DataKind, _ adapter: AdapterIndex
  ) {
    if let known = find(adapter, set) { all[known].parts.forget(kind) }
  }

  /// Forgets incomplete data: records are missing that may contain parts of it.
  mutating func lose() {
    for known in all.indices { all[known].parts.forget() }
  }

  private mutating func give(_ known: Int, _ address: DeviceAddress) {
    guard all[known].randomAddress != address else { return }
    all[known].randomAddress = address
    all[known].randomAddresses += 1
  }

  private mutating func record(
    _ known: Int, _ kind: AdvertisingCommand.DataKind, _ operation: UInt8, _ piece: RawSpan,
    isCut: Bool, packet: Int, time: Timestamp?, _ budget: inout PayloadBudget
  ) {
    guard let whole = all[known].parts.add(kind, operation, piece, isCut: isCut) else { return }
    let isLegacy = all[known].isLegacy
    let stream = AdvertisingStream(
      kind == .periodic ? .periodic : .own, properties: isLegacy ? 0x10 : 0,
      isScanResponse: kind == .scanResponse)
    let before = all[known].payloads.latest(of: stream)
    let place = all[known].payloads.record(
      stream, whole.bytes.bytes, isTruncated: whole.isCut, packet: packet, time: time,
      limit: limits.payloads, &budget)
    if all[known].isOn, before != place {
      all[known].changes += 1
      all[known].lastChange = packet
    }
  }

  private mutating func switchOn(_ known: Int, packet: Int, time: Timestamp?) {
    guard !all[known].isOn else { return }
    all[known].isOn = true
    add(
      OwnAdvertiser.Period(
        firstPacket: packet, firstTime: time, lastPacket: packet, lastTime: time), to: known)
  }

  private mutating func add(_ period: OwnAdvertiser.Period, to known: Int) {
    if all[known].periods.count < limits.ownPeriods {
      all[known].periods.append(period)
    } else {
      all[known].furtherPeriods += 1
    }
  }

  private mutating func switchOff(
    _ known: Int, _ ending: OwnAdvertiser.Ending, packet: Int, time: Timestamp?
  ) {
    guard all[known].isOn else { return }
    all[known].isOn = false
    guard all[known].furtherPeriods == 0, let last = all[known].periods.indices.last else { return }
    all[known].periods[last].ending = ending
    all[known].periods[last].lastPacket = packet
    all[known].periods[last].lastTime = time
  }

  /// Records that the controller disabled a set.
  ///
  /// - Parameter isProof: whether the packet names this very set: a set that was never enabled must
  ///   have been enabled before the capture began. A host that disables a set proves nothing, since
  ///   many do so to be safe.
  mutating func end(
    _ set: AdvertisingSet, _ ending: OwnAdvertiser.Ending, _ adapter: AdapterIndex, packet: Int,
    time: Timestamp?, isProof: Bool
  ) {
    let place = isProof ? make(adapter, set, packet: packet, time: time) : find(adapter, set)
    guard let known = place else { return }
    guard isProof, all[known].periods.isEmpty, all[known].furtherPeriods == 0 else {
      switchOff(known, ending, packet: packet, time: time)
      return
    }
    add(
      OwnAdvertiser.Period(
        firstPacket: packet, firstTime: time, ending: ending, lastPacket: packet, lastTime: time,
        isOpeningMissing: true), to: known)
  }

  /// Ends the sets of a controller that was reset or removed.
  mutating func forget(_ adapter: AdapterIndex, packet: Int, time: Timestamp?) {
    for known in all.indices where all[known].adapter == adapter {
      switchOff(known, .reset, packet: packet, time: time)
      all[known].parts.forget()
    }
  }

  /// Forgets what was requested from the kernel for these controllers: the capture has the HCI
  /// commands that carried it out.
  mutating func forgetManagement(of adapters: Set<AdapterIndex>) {
    all.removeAll { $0.set.family == .management && adapters.contains($0.adapter) }
  }

  /// Ends the capture: enabled sets were enabled up to this packet.
  mutating func finish(packet: Int, time: Timestamp?) {
    for known in all.indices where all[known].isOn {
      guard let last = all[known].periods.indices.last, all[known].furtherPeriods == 0 else {
        continue
      }
      all[known].periods[last].lastPacket = packet
      all[known].periods[last].lastTime = time
    }
  }
}
