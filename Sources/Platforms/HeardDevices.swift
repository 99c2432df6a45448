import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// Who was heard advertising what: a device is told again when its data is another. Bounded: of many
/// devices the first ones are forgotten, and are told again.
struct HeardDevices: Sendable {
  private struct Device: Sendable {
    var advertising: [AdvertisedStructure] = []
    var scanResponse: [AdvertisedStructure] = []
    var isConnectable: Bool?
    /// What was told last.
    var told: [AdvertisedStructure]?
  }

  private struct Key: Hashable {
    var adapter: UInt16
    var address: DeviceAddress?
    var type: AddressType
    var sid: UInt8?
  }

  /// Whether every advertisement is told.
  let tellsDuplicates: Bool
  private var devices: [Key: Device] = [:]
  private static let most = 4096

  init(tellsDuplicates: Bool) { self.tellsDuplicates = tellsDuplicates }

  /// A scan of a controller's begins: every device is new to it.
  mutating func begin(_ adapter: UInt16) {
    for key in devices.keys where key.adapter == adapter { devices[key]?.told = nil }
  }

  /// Takes the advertising reports of a packet.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ bytes: RawSpan, _ memory: borrowing Memory,
    into events: inout [AppEvent]
  ) {
    for heard in memory.advertisements.reports where !heard.isPart && heard.event != nil {
      let report = heard.report
      guard report.kind != .periodic, report.kind != .response, report.kind != .bigInfo,
        !heard.mayHoldSecret
      else { continue }
      let joined = memory.advertisements.joined
      let data = heard.joined.map { joined.bytes.part($0).array } ?? bytes.part(report.data).array
      take(report, data, record, &events)
    }
  }

  private mutating func take(
    _ report: AdvertisingReport, _ data: [UInt8], _ record: borrowing CaptureRecord,
    _ events: inout [AppEvent]
  ) {
    if devices.count >= Self.most { devices.removeAll(keepingCapacity: true) }
    let key = Key(
      adapter: record.adapter ?? 0xffff, address: report.address, type: report.addressType,
      sid: report.sid)
    var device = devices[key] ?? Device()
    let structures = AdvertisedStructure.all(
      in: data.bytes, isScanResponse: report.isScanResponse)
    if report.isScanResponse {
      device.scanResponse = structures
    } else {
      device.advertising = structures
      device.isConnectable = report.isConnectable
    }
    // What the advertisement has said already is no news in the scan response.
    let all =
      device.advertising
      + device.scanResponse.filter { answer in
        !device.advertising.contains { $0.type == answer.type && $0.data == answer.data }
      }
    defer { devices[key] = device }
    guard tellsDuplicates || device.told != all else { return }
    device.told = all
    var event = AppEvent(
      .discovered(
        Sighting(
          address: report.address, type: report.addressType, rssi: report.rssi,
          isConnectable: device.isConnectable, isLegacy: report.isLegacy, structures: all,
          isScanResponse: report.isScanResponse)), record)
    event.peer = report.address
    events.append(event)
  }
}

extension AdvertisingReport {
  /// Whether the advertiser takes connections; nil where a scan response does not say.
  fileprivate var isConnectable: Bool? {
    switch kind {
    // ADV_IND and ADV_DIRECT_IND (Core, Vol 4, Part E, 7.7.65.2).
    case .legacy: eventType == 4 ? nil : eventType < 2
    case .directed: true
    case .extended: eventType & 8 != 0 ? nil : eventType & 1 == 1
    case .periodic, .response, .bigInfo: nil
    }
  }

  /// Whether the PDU is a legacy one (7.7.65.13: bit 4).
  fileprivate var isLegacy: Bool {
    switch kind {
    case .legacy, .directed: true
    case .extended: eventType & 0x10 != 0
    case .periodic, .response, .bigInfo: false
    }
  }
}
