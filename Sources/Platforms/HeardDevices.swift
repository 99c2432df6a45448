import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// The devices that were heard, and what they advertise: a device is reported again when its data
/// changes. Bounded: if there are too many, one that was not heard lately is forgotten, and is then
/// reported again. A report without anything new allocates nothing.
struct HeardDevices: Sendable {
  fileprivate struct Device: Sendable {
    var key: Key
    /// The advertising data that was heard last.
    var advertising: [UInt8] = []
    /// The scan response data that was heard last.
    var scanResponse: [UInt8] = []
    var isConnectable: Bool?
    /// Whether an advertisement of it was heard since the scan began.
    var isAdvertised = false
    /// Whether its advertisement has new content that waits for the scan response.
    var isWaiting = false
    /// Whether the content of these two was reported since the scan began.
    var isReported = false
    /// Whether it was heard since the last search for a device to forget.
    var isRecent = false

    /// The content of both together. What the advertisement already contains is not repeated for
    /// the scan response.
    var structures: [AdvertisedStructure] {
      let first = AdvertisedStructure.all(in: advertising.bytes, isScanResponse: false)
      let second = AdvertisedStructure.all(in: scanResponse.bytes, isScanResponse: true)
      return first
        + second.filter { answer in
          !first.contains { $0.type == answer.type && $0.data == answer.data }
        }
    }
  }

  fileprivate struct Key: Hashable {
    var adapter: AdapterIndex
    var address: DeviceAddress?
    var type: AddressType
    var sid: UInt8?
  }

  /// Whether every advertisement is reported.
  let reportsDuplicates: Bool
  /// Whether an advertisement with a scan response is only reported together with it.
  private let waitsForScanResponses: Bool
  /// The controllers that send scan requests, as far as is known.
  private var active: Set<AdapterIndex> = []
  private var devices: [Device] = []
  private var index: [Key: Int] = [:]
  /// The index at which the search for a device to forget continues.
  private var hand = 0
  /// The most devices that are remembered at a time.
  private static let mostDevices = 4096

  /// Creates an empty table.
  init(reportsDuplicates: Bool, waitsForScanResponses: Bool) {
    self.reportsDuplicates = reportsDuplicates
    self.waitsForScanResponses = waitsForScanResponses
  }

  /// Begins a scan of a controller: every device is new to it, with everything that it advertises.
  mutating func begin(_ adapter: AdapterIndex, isActive: Bool) {
    if isActive { active.insert(adapter) } else { active.remove(adapter) }
    for place in devices.indices where devices[place].key.adapter == adapter {
      devices[place].renew()
    }
  }

  /// A connection to a device opened: if it advertises afterwards, it is discovered again, even if
  /// the scan goes on.
  mutating func connect(_ address: DeviceAddress, _ adapter: AdapterIndex) {
    for place in devices.indices
    where devices[place].key.address == address && devices[place].key.adapter == adapter {
      devices[place].renew()
    }
  }

  /// Processes the advertising reports of a packet.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ bytes: RawSpan, _ memory: borrowing Memory,
    into events: inout [AppEvent]
  ) {
    for heard in memory.advertisements.reports where !heard.isPart && heard.event != nil {
      let report = heard.report
      guard report.kind != .periodic, report.kind != .response, report.kind != .bigInfo,
        !heard.mayHoldSecret
      else { continue }
      if let slice = heard.joined {
        let joined = memory.advertisements.joined
        add(report, joined.bytes.part(slice), record, &events)
      } else {
        add(report, bytes.part(report.data), record, &events)
      }
    }
  }

  private mutating func add(
    _ report: AdvertisingReport, _ data: RawSpan, _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    let key = Key(
      adapter: record.adapter, address: report.address, type: report.addressType,
      sid: report.sid)
    let place = place(key)
    let isNew = !devices[place].has(data, isScanResponse: report.isScanResponse)
    if !report.isScanResponse { devices[place].isConnectable = report.isConnectable }
    if waitsForScanResponses, active.contains(key.adapter) {
      if report.isScannable {
        devices[place].isAdvertised = true
        if isNew { devices[place].set(data, isScanResponse: false) }
        devices[place].isWaiting = devices[place].isWaiting || isNew
        return
      }
      // A scan response without its advertisement is not reported either.
      guard !report.isScanResponse || devices[place].isAdvertised else { return }
    }
    let hasNews = isNew || devices[place].isWaiting
    guard reportsDuplicates || hasNews || !devices[place].isReported else { return }
    devices[place].isWaiting = false
    // Other bytes may have the same meaning.
    let before =
      isNew && devices[place].isReported && !waitsForScanResponses ? devices[place].structures : nil
    if isNew { devices[place].set(data, isScanResponse: report.isScanResponse) }
    let all = devices[place].structures
    guard reportsDuplicates || before.map({ $0 != all }) ?? true else { return }
    devices[place].isReported = true
    var event = AppEvent(
      .discovered(
        DiscoveredPeripheral(
          address: report.address, type: report.addressType, rssi: report.rssi,
          isConnectable: devices[place].isConnectable, structures: all,
          isScanResponse: report.isScanResponse)), record)
    event.peer = report.address
    events.append(event)
  }

  /// Returns the index of a device. If a new one has no room, a device is forgotten that was not
  /// heard since the search last passed it. Each search takes few steps, since what it clears has
  /// been heard in between.
  private mutating func place(_ key: Key) -> Int {
    if let known = index[key] {
      devices[known].isRecent = true
      return known
    }
    guard devices.count >= Self.mostDevices else {
      devices.append(Device(key: key))
      index[key] = devices.count - 1
      return devices.count - 1
    }
    while devices[hand].isRecent {
      devices[hand].isRecent = false
      hand = (hand + 1) % devices.count
    }
    let place = hand
    hand = (hand + 1) % devices.count
    index[devices[place].key] = nil
    devices[place] = Device(key: key)
    index[key] = place
    return place
  }
}

extension HeardDevices.Device {
  /// Makes it new, with everything that it advertises.
  fileprivate mutating func renew() {
    (isReported, isAdvertised, isWaiting) = (false, false, false)
    advertising.removeAll(keepingCapacity: true)
    scanResponse.removeAll(keepingCapacity: true)
  }

  /// Returns whether it has exactly this data.
  fileprivate func has(_ data: RawSpan, isScanResponse: Bool) -> Bool {
    let known = isScanResponse ? scanResponse : advertising
    guard known.count == data.byteCount else { return false }
    for offset in 0..<data.byteCount where known[offset] != data.byte(at: offset) { return false }
    return true
  }

  fileprivate mutating func set(_ data: RawSpan, isScanResponse: Bool) {
    if isScanResponse {
      scanResponse.removeAll(keepingCapacity: true)
      scanResponse.append(data)
    } else {
      advertising.removeAll(keepingCapacity: true)
      advertising.append(data)
    }
  }
}

extension AdvertisingReport {
  /// Whether the advertiser is connectable; nil if a scan response or a reserved type does not show
  /// it.
  fileprivate var isConnectable: Bool? {
    switch kind {
    // ADV_IND and ADV_DIRECT_IND (Core, Vol 4, Part E, 7.7.65.2).
    case .legacy: eventType >= 4 ? nil : eventType < 2
    case .directed: true
    case .extended: eventType & 8 != 0 ? nil : eventType & 1 == 1
    case .periodic, .response, .bigInfo: nil
    }
  }

  /// Whether a scan response may follow.
  fileprivate var isScannable: Bool {
    switch kind {
    // ADV_IND and ADV_SCAN_IND.
    case .legacy: eventType == 0 || eventType == 2
    case .extended: eventType & 0b1010 == 0b0010
    case .directed, .periodic, .response, .bigInfo: false
    }
  }
}
