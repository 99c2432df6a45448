package import Bluetooth
import Bytes
import Dissectors
import Sessions

/// How a device was seen advertising.
package struct Sighting: Sendable {
  /// The last report, and how many there were.
  package var last: Moment
  package var count = 0
  /// The last report that shows that the device is connectable.
  package var lastConnectable: Moment?
  /// Whether reports had a reserved type, which does not show whether it is connectable.
  package var hasReservedTypes = false
  /// Its flags, and the packet that contains them; nil: none seen.
  package var flags: UInt8?
  package var flagsPacket = 0
  /// Whether its flags show that it does not support BR/EDR; nil: no flags seen.
  package var isLEOnly: Bool? { flags.map { $0 & 4 != 0 } }
  /// Whether its advertisements show that it supports BR/EDR: the bits of the flags that older
  /// versions of the specification define for devices that use both at once, a Class of Device, or
  /// service classes of BR/EDR.
  package var isDualMode: Bool { (flags.map { $0 & 0x18 != 0 } ?? false) || hasClassicData }
  /// Whether its data contains what only BR/EDR defines.
  var hasClassicData = false
  /// Whether scan responses were searched for that.
  fileprivate var hasScanResponse = false
  /// The PHY of its primary advertising channel, if a report contains it.
  package var primaryPHY: UInt8?
  /// The 128-bit UUIDs of services in its first advertisements (Core Supplement, Part A, 1.1).
  package private(set) var longServices: [BluetoothUUID] = []
  /// The packet that contained the last new one.
  package private(set) var longServicesPacket = 0
  /// The number of advertisements that are searched for those, and of those that are kept.
  fileprivate static let mostSearched = 8
  private static let mostServices = 4
  /// The RSSI of the last eight reports in dBm; 127 if a report does not contain it (Core, Vol 4,
  /// Part E, 7.7.65.2).
  private var signals = SIMD8<Int8>(repeating: unknownSignal)
  private static let unknownSignal: Int8 = 127

  /// Creates a sighting before its first report is counted.
  init(last: Moment) { self.last = last }

  /// The highest RSSI of the last eight reports in dBm: a single report may be weak by chance.
  package var signal: Int8? {
    let known = signals.replacing(with: .min, where: signals .== Self.unknownSignal).max()
    return known == .min ? nil : known
  }

  /// The lowest RSSI of the last eight reports in dBm.
  package var weakestSignal: Int8? {
    let rssi = signals.min()
    return rssi == Self.unknownSignal ? nil : rssi
  }

  /// The service classes of BR/EDR, which share their numbers with no LE service (Assigned Numbers,
  /// 3.3).
  private static let serviceClasses: ClosedRange<UInt16> = 0x1000...0x15ff

  /// Reads the flags, whose bit 2 is BR/EDR Not Supported, what only BR/EDR defines, and 128-bit
  /// UUIDs (Core Supplement, Part A, 1.1, 1.3 and 1.6).
  fileprivate mutating func learn(_ bytes: RawSpan, _ data: Slice, packet: Int) {
    var structures = ADStructures(bytes, data)
    while let structure = structures.next() {
      let start = Int(structure.data.start)
      switch structure.type {
      case .flags where flags == nil && !structure.data.isEmpty:
        (flags, flagsPacket) = (bytes.byte(at: start), packet)
      case .classOfDevice: hasClassicData = true
      case .incompleteServiceUUIDs16, .completeServiceUUIDs16:
        for offset in stride(from: 0, to: Int(structure.data.count) - 1, by: 2) {
          let uuid = bytes.littleEndianU16(at: start + offset)
          if Self.serviceClasses.contains(uuid) { hasClassicData = true }
        }
      case ADType(rawValue: 0x06), ADType(rawValue: 0x07):
        guard count <= Self.mostSearched, structure.data.count % 16 == 0 else { continue }
        var cursor = Cursor(bytes, structure.data)
        while let uuid = try? BluetoothUUID(parsing: &cursor, width: 16) {
          guard longServices.count < Self.mostServices, !longServices.contains(uuid)
          else { continue }
          longServices.append(uuid)
          longServicesPacket = packet
        }
      default: break
      }
    }
  }

  mutating func observe(signal: Int8?) { signals[(count &- 1) & 7] = signal ?? Self.unknownSignal }
}

/// The devices that a controller saw advertising. Bounded: those that were silent longest are
/// dropped.
package struct Sightings: Sendable {
  /// By address and whether it is random. Addresses that a controller resolved count as identity
  /// addresses.
  private var devices: [UInt64: Sighting] = [:]
  /// The packet of the last report of any device; 0: none, nil: devices were dropped since.
  private(set) var last: Int? = 0
  /// The peer of the last link that was never established, and its end, if it was not heard then.
  private var failed: (key: UInt64, end: Moment)?
  /// How the peers of such links were seen just before or after, by the packets of the ends.
  package private(set) var failures: [Int: Sighting] = [:]
  private static let most = 512
  /// The time within which the signal of a report is also that of a link.
  private static let signalAge: Int64 = 5_000_000_000

  /// Returns how a device was seen so far.
  func find(_ address: DeviceAddress, _ type: AddressType) -> Sighting? {
    devices[Attributes.key(address, type)]
  }

  func find(_ key: UInt64) -> Sighting? { devices[key] }

  /// All devices that are remembered, ordered by their last report.
  var all: [(address: DeviceAddress, type: AddressType, sighting: Sighting)] {
    devices.map { key, sighting in
      let (address, type) = Self.device(key)
      return (address, type, sighting)
    }.sorted { $0.sighting.last.packet < $1.sighting.last.packet }
  }

  /// Returns the device that has a key of `Attributes`.
  static func device(_ key: UInt64) -> (DeviceAddress, AddressType) {
    (DeviceAddress(value: key & 0xffff_ffff_ffff), key >> 48 & 1 == 0 ? .public : .random)
  }

  /// A device with the name of a BR/EDR connection's peer, the number of the connection, and the
  /// last report.
  package typealias Namesake = (
    name: [UInt8], connection: Int, address: DeviceAddress, last: Moment
  )

  /// Returns the device with the name of a BR/EDR connection's peer that was heard last.
  func namesake(_ memory: borrowing Memory) -> Namesake? {
    var names: [[UInt8]: Int] = [:]
    memory.links.forEach { link in
      guard link.transport == .brEDR, let entry = link.name else { return }
      if let name = memory.names[entry] { names[name] = link.id }
    }
    if names.isEmpty { return nil }
    for (address, type, seen) in all.reversed() {
      let name = memory.names.find(address, type).flatMap { memory.names[$0] } ?? []
      if !name.isEmpty, let id = names[name] { return (name, id, address, seen.last) }
    }
    return nil
  }

  mutating func observe(_ moment: Moment, _ reports: [Advertisement], _ bytes: RawSpan) {
    if !reports.isEmpty, last != nil { last = moment.packet }
    for advertisement in reports {
      let report = advertisement.report
      guard let address = report.address else { continue }
      let key = Attributes.key(address, report.addressType)
      var seen = devices[key]
      if seen == nil {
        if devices.count >= Self.most { makeRoom() }
        seen = Sighting(last: moment)
      }
      guard var sighting = seen else { continue }
      sighting.last = moment
      sighting.count &+= 1
      sighting.observe(signal: report.rssi)
      if let phy = report.primaryPHY { sighting.primaryPHY = phy }
      if !report.isScanResponse {
        if report.isConnectable { sighting.lastConnectable = moment }
        if report.kind == .legacy, report.legacyName == nil { sighting.hasReservedTypes = true }
      }
      let isNew =
        report.isScanResponse
        ? !sighting.hasScanResponse && !sighting.hasClassicData : sighting.flags == nil
      if isNew || sighting.count <= Sighting.mostSearched, !advertisement.isPart {
        sighting.hasScanResponse = sighting.hasScanResponse || report.isScanResponse
        sighting.learn(bytes, report.data, packet: moment.packet)
      }
      devices[key] = sighting
      noteFailure(key, sighting)
    }
  }

  /// Records that a link with a device was never established.
  mutating func fail(_ key: UInt64, _ end: Moment) {
    failed = (key, end)
    if let seen = devices[key] { noteFailure(key, seen) }
  }

  private mutating func noteFailure(_ key: UInt64, _ seen: Sighting) {
    guard let (failedKey, end) = failed, failedKey == key, failures.count < Self.most,
      end.nanoseconds(since: seen.last) ?? seen.last.nanoseconds(since: end) ?? .max
        <= Self.signalAge
    else { return }
    failures[end.packet] = seen
    failed = nil
  }

  /// Drops the half that was silent longest.
  private mutating func makeRoom() {
    last = nil
    let packets = devices.values.map(\.last.packet).sorted()
    guard !packets.isEmpty else { return }
    let limit = packets[packets.count / 2]
    devices = devices.filter { $0.value.last.packet > limit }
  }
}

extension AdvertisingReport {
  var isConnectable: Bool {
    switch kind {
    // ADV_IND and ADV_DIRECT_IND (Core, Vol 4, Part E, 7.7.65.2).
    case .legacy: eventType <= 1
    case .directed: true
    case .extended: eventType & 1 != 0
    case .periodic, .response, .bigInfo: false
    }
  }
}
