package import Bluetooth
package import Bytes
package import Dissectors

/// A scan of the captured host, from the command that began it to what ended it.
package struct Scan: Sendable {
  /// What ended a scan.
  package enum Ending: JSONKey, Sendable {
    case host = "host"
    /// Its duration was over.
    case timeout = "timeout"
    /// The controller was reset or removed.
    case reset = "reset"
    /// The host began another scan.
    case replaced = "replaced"
  }

  /// The controller's index; unknown: the record belonged to none.
  package let adapter: AdapterIndex
  /// Its parameters; nil if the capture lacks the command that set them.
  package let parameters: ScanParameters?
  /// Filter_Duplicates; nil: unknown.
  package let filterDuplicates: UInt8?
  /// The time after which the controller ends the scan, or its part of a period, in units of 10 ms;
  /// 0: unlimited.
  package var duration: UInt16 = 0
  /// The interval at which the scan restarts, in units of 1.28 s; 0: never.
  package var period: UInt16 = 0
  /// The address types of a discovery by the Linux kernel, if the capture has no command that
  /// begins the scan: bits 0 BR/EDR, 1 LE public, 2 LE random.
  package var discovery: UInt8?
  /// Whether its beginning is missing from the capture: `firstPacket` is then its first report.
  package let isOpeningMissing: Bool
  /// The command that began it.
  package let firstPacket: Int
  package let firstTime: Timestamp?
  /// What ended it; nil: it is still running at the end of the capture.
  package internal(set) var ending: Ending?
  /// The packet that ended it, or the capture's last one.
  package internal(set) var lastPacket: Int
  package internal(set) var lastTime: Timestamp?
  /// Whether its reports prove that duplicates are reported, if no command shows it: the same data
  /// of the same device came twice within a second.
  package internal(set) var hasDuplicates = false
  /// The status with which the controller refused to begin it.
  package internal(set) var refusal: StatusCode?
  /// The most filters (Android's Advertising Packet Content Filter) in force at one time during the
  /// scan.
  package internal(set) var contentFilters = 0
  /// The requested reports that came during the scan.
  package internal(set) var reports = 0

  /// Whether the scanner pauses between scan windows.
  package var isPaused: Bool {
    if period > 0 { return true }
    guard let parameters else { return true }
    let settings = [parameters.le1M, parameters.leCoded].compactMap(\.self)
    // Two PHYs share one radio.
    return settings.isEmpty || settings.count > 1 || !settings[0].isContinuous
  }
}

/// The scans of all controllers. Bounded: the oldest scans are dropped.
package struct Scans: Sendable {
  /// The scan in which a report was heard.
  package struct Hearing: Sendable {
    /// The number of the scan, from 1; 0 on the air.
    let id: Int
    /// Whether duplicates were filtered; nil: unknown.
    let filtersDuplicates: Bool?
    /// Whether the scanner paused between scan windows.
    let isPaused: Bool

    /// How a sniffer hears: it filters nothing, but follows one channel at a time.
    static let onAir = Self(id: 0, filtersDuplicates: false, isPaused: true)
  }

  private struct Controller: Sendable {
    let adapter: AdapterIndex
    var parameters: ScanParameters?
    var filters = ContentFilters()
    /// The number of the scan that is running or ended last; 0: none.
    var latest = 0
    var isOn = false
  }

  /// The scans that are remembered, in the order in which they began.
  package private(set) var all: [Scan] = []
  /// The number of forgotten scans.
  package private(set) var forgotten = 0
  private var controllers: [Controller] = []
  private let limit: Int
  private let controllerLimit: Int
  /// Reports that were under way when a scan ended still arrive within this time, in nanoseconds.
  private static let afterglow: Int64 = 1_000_000_000

  init(_ limits: Limits) {
    limit = max(4, limits.scans)
    controllerLimit = max(1, limits.adapters)
  }

  private mutating func controller(_ adapter: AdapterIndex) -> Int {
    if let known = controllers.firstIndex(where: { $0.adapter == adapter }) { return known }
    if controllers.count == controllerLimit { controllers.removeFirst() }
    controllers.append(Controller(adapter: adapter))
    return controllers.count - 1
  }

  mutating func set(_ parameters: ScanParameters, _ adapter: AdapterIndex) {
    controllers[controller(adapter)].parameters = parameters
  }

  /// Begins or ends a scan, or records that a command to begin one was refused.
  mutating func turn(
    _ command: ScanSwitch, _ adapter: AdapterIndex, _ status: StatusCode, packet: Int,
    time: Timestamp?
  ) {
    guard status == .success else {
      // A running scan keeps running, and a stopped one stays stopped; only the attempt is
      // recorded.
      guard command.isOn else { return }
      var scan = begun(command, adapter, packet: packet, time: time)
      scan.refusal = status
      _ = append(scan)
      return
    }
    let known = controller(adapter)
    guard command.isOn else {
      end(adapter, .host, packet: packet, time: time)
      return
    }
    let scan = begun(command, adapter, packet: packet, time: time)
    if controllers[known].isOn, let on = position(controllers[known].latest) {
      // Begun again with the same settings, the scan continues.
      let before = all[on]
      if !before.isOpeningMissing, before.parameters == scan.parameters,
        before.filterDuplicates == scan.filterDuplicates, before.period == scan.period,
        before.duration == scan.duration
      {
        return
      }
      end(adapter, .replaced, packet: packet, time: time)
    }
    begin(scan, known)
  }

  private func begun(
    _ command: ScanSwitch, _ adapter: AdapterIndex, packet: Int, time: Timestamp?
  ) -> Scan {
    Scan(
      adapter: adapter,
      parameters: controllers.first { $0.adapter == adapter }?.parameters,
      filterDuplicates: command.filterDuplicates, duration: command.duration,
      period: command.period, isOpeningMissing: false, firstPacket: packet, firstTime: time,
      lastPacket: packet, lastTime: time)
  }

  private mutating func begin(_ scan: Scan, _ known: Int) {
    controllers[known].latest = append(scan)
    controllers[known].isOn = true
    noteFilters(known)
  }

  /// Applies a command that sets or removes a filter, or enables or disables filtering.
  mutating func filter(_ change: ContentFilterChange, _ adapter: AdapterIndex) {
    let known = controller(adapter)
    controllers[known].filters.apply(change)
    if controllers[known].isOn { noteFilters(known) }
  }

  private mutating func noteFilters(_ known: Int) {
    guard let on = position(controllers[known].latest) else { return }
    all[on].contentFilters = max(all[on].contentFilters, controllers[known].filters.inForce)
  }

  /// Appends a scan and returns its number.
  private mutating func append(_ scan: Scan) -> Int {
    if all.count >= limit {
      let dropped = max(1, limit / 4)
      all.removeFirst(dropped)
      // Bounded: every counted scan existed.
      forgotten += dropped
    }
    all.append(scan)
    return forgotten + all.count
  }

  private func position(_ id: Int) -> Int? {
    let position = id - 1 - forgotten
    return all.indices.contains(position) ? position : nil
  }

  /// Ends the running scan of a controller.
  mutating func end(_ adapter: AdapterIndex, _ ending: Scan.Ending, packet: Int, time: Timestamp?) {
    guard let known = controllers.firstIndex(where: { $0.adapter == adapter }),
      controllers[known].isOn
    else { return }
    controllers[known].isOn = false
    guard let on = position(controllers[known].latest) else { return }
    all[on].ending = ending
    all[on].lastPacket = packet
    all[on].lastTime = time
  }

  /// Ends the scan of a controller that was reset or removed, and forgets its parameters.
  mutating func forget(_ adapter: AdapterIndex, packet: Int, time: Timestamp?) {
    end(adapter, .reset, packet: packet, time: time)
    if let known = controllers.firstIndex(where: { $0.adapter == adapter }) {
      controllers[known].parameters = nil
      controllers[known].filters = ContentFilters()
    }
  }

  /// Returns whether a scan is running.
  func isOn(_ adapter: AdapterIndex) -> Bool {
    controllers.contains { $0.adapter == adapter && $0.isOn }
  }

  /// Returns the scan in which a report was heard. If none is running, this is one that has just
  /// ended, or else a new one whose beginning is missing from the capture.
  mutating func hear(
    _ adapter: AdapterIndex, packet: Int, time: Timestamp?, isCounted: Bool
  ) -> Hearing {
    let known = controller(adapter)
    if !controllers[known].isOn, !isRecent(controllers[known].latest, time) {
      begin(
        Scan(
          adapter: adapter, parameters: nil, filterDuplicates: nil, isOpeningMissing: true,
          firstPacket: packet, firstTime: time, lastPacket: packet, lastTime: time), known)
    }
    let id = controllers[known].latest
    guard let on = position(id) else {
      return Hearing(id: id, filtersDuplicates: nil, isPaused: true)
    }
    if isCounted { all[on].reports += 1 }
    return Hearing(
      id: id, filtersDuplicates: all[on].filterDuplicates.map { $0 != 0 },
      isPaused: all[on].isPaused)
  }

  /// Records that a scan reported duplicates, if no command shows whether they are filtered.
  mutating func proveDuplicates(_ id: Int) {
    guard let known = position(id), all[known].filterDuplicates == nil else { return }
    all[known].hasDuplicates = true
  }

  /// Returns whether the reports of a scan prove that duplicates are reported.
  func isProven(_ id: Int) -> Bool { position(id).map { all[$0].hasDuplicates } ?? false }

  private func isRecent(_ id: Int, _ time: Timestamp?) -> Bool {
    guard let ended = position(id) else { return false }
    guard let time, let end = all[ended].lastTime else { return true }
    return time.nanoseconds(since: end) <= Self.afterglow
  }

  /// Records that the kernel began or ended a discovery (MGMT Discovering). This adds nothing if
  /// the capture has the commands with which it scans.
  mutating func discover(
    _ types: UInt8, isOn: Bool, _ adapter: AdapterIndex, packet: Int, time: Timestamp?
  ) {
    let known = controller(adapter)
    if let on = position(controllers[known].latest), controllers[known].isOn {
      guard !isOn, all[on].discovery != nil else { return }
      end(adapter, .host, packet: packet, time: time)
    } else if isOn, !all.contains(where: { $0.discovery == nil && $0.adapter == adapter }) {
      var scan = Scan(
        adapter: adapter, parameters: nil, filterDuplicates: nil, isOpeningMissing: false,
        firstPacket: packet, firstTime: time, lastPacket: packet, lastTime: time)
      scan.discovery = types
      begin(scan, known)
    }
  }

  /// Ends the capture: running scans were running up to this packet.
  mutating func finish(packet: Int, time: Timestamp?) {
    for controller in controllers where controller.isOn {
      guard let on = position(controller.latest) else { continue }
      all[on].lastPacket = packet
      all[on].lastTime = time
    }
  }
}
