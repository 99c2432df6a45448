package import Bluetooth
import Bytes
import Dissectors
package import Sessions

/// What `devices` prints, as text and JSON.
package struct DeviceList: Sendable {
  /// The time of the first record.
  let start: Timestamp?
  /// The number of decimals of the capture's times.
  let decimals: Int
  var scans: [Scan] = []
  var forgottenScans = 0
  var own: [ListedOwn] = []
  package var devices: [ListedDevice] = []
  /// Connections with devices whose address is unknown, with their first packets and handles.
  var strangers: [(connection: Int, packet: Int, handle: UInt16)] = []
  var forgotten = 0
  var adapters: [Adapter] = []

  init(start: Timestamp?, decimals: Int) {
    self.start = start
    self.decimals = decimals
  }

  /// Whether the controllers have to be named.
  var hasSeveralAdapters: Bool {
    Set(scans.map(\.adapter) + own.map(\.set.adapter) + adapters.map(\.index)).count > 1
  }
}

/// What advertising data reveals about its advertiser.
package struct AdvertisedFacts: Sendable {
  /// The name; the complete one if there is one.
  package private(set) var name: [UInt8]?
  private var isNameComplete = false
  private(set) var appearance: Appearance?
  /// The services that it offers or sends data of.
  package private(set) var services: [BluetoothUUID] = []
  /// The companies whose data it sends.
  package private(set) var companies: [CompanyID] = []
  /// The limits of apps on Apple's systems that it exceeds.
  private(set) var appleLimits: AppleLimits = []
  /// The types that such apps cannot set, if they have names.
  private(set) var foreignTypes: [ADType] = []
  /// The maximum number of bytes apart from Flags, and in a scan response.
  private(set) var mostBytes = (advertisement: 0, scanResponse: 0)

  private static let limit = 64

  init(_ payloads: Payloads, name: [UInt8]? = nil) {
    for payload in payloads.all { record(payload) }
    if let name { self.name = name }
  }

  private mutating func record(_ payload: Payload) {
    let bytes = payload.data.bytes
    let all = Slice(start: 0, count: payload.data.count)
    var structures = ADStructures(bytes, all)
    while let structure = structures.next() {
      let data = bytes.part(structure.data)
      let isWhole = structure.type.misfit(count: data.byteCount) == nil
      switch structure.type.layout(count: data.byteCount) {
      case .name where structure.type != .broadcastName && data.byteCount > 0:
        let isComplete = structure.type == .completeLocalName
        if isComplete || !isNameComplete { name = data.array }
        isNameComplete = isNameComplete || isComplete
      case .uuids(let width): note(data, width)
      case .appearance where isWhole:
        appearance = Appearance(rawValue: data.littleEndianU16(at: 0))
      case .serviceData(let width) where isWhole:
        note(data.part(Slice(start: 0, count: width)), width)
      case .manufacturerData where isWhole:
        let company = CompanyID(rawValue: data.littleEndianU16(at: 0))
        if companies.count < Self.limit, !companies.contains(company) { companies.append(company) }
      default: break
      }
    }
    limit(payload, bytes, all)
  }

  private mutating func note(_ list: RawSpan, _ width: Int) {
    var cursor = Cursor(list)
    while cursor.remaining >= width, services.count < Self.limit,
      let uuid = try? BluetoothUUID(parsing: &cursor, width: width)
    {
      if !services.contains(uuid) { services.append(uuid) }
    }
  }

  private mutating func limit(_ payload: Payload, _ bytes: RawSpan, _ all: Slice) {
    guard let found = payload.appleLimits else { return }
    appleLimits.formUnion(found)
    if found.contains(.advertisementLength) {
      mostBytes.advertisement = max(
        mostBytes.advertisement, AppleLimits.length(bytes, all, isScanResponse: false))
    }
    if found.contains(.scanResponseLength) {
      mostBytes.scanResponse = max(
        mostBytes.scanResponse, AppleLimits.length(bytes, all, isScanResponse: true))
    }
    guard found.contains(.types) else { return }
    var structures = ADStructures(bytes, all)
    while let structure = structures.next() {
      if !AppleLimits.allows(structure, bytes), foreignTypes.count < Self.limit,
        !foreignTypes.contains(structure.type)
      {
        foreignTypes.append(structure.type)
      }
    }
  }
}

extension Payload {
  /// The limits of apps on Apple's systems that the data exceeds, or nil if they do not apply.
  var appleLimits: AppleLimits? {
    switch stream.event {
    case .periodic, .inquiry: return nil
    default: break
    }
    let all = Slice(start: 0, count: data.count)
    var limits = AppleLimits(data.bytes, all, isScanResponse: stream.isScanResponse)
    // The kernel reports an advertisement and its scan response as one.
    if stream.event == .management { limits.subtract([.advertisementLength, .scanResponseLength]) }
    return limits
  }

  /// The number of bytes used: an extended inquiry response is padded with zeros.
  var usedBytes: Int {
    guard stream.event == .inquiry else { return data.count }
    return data.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
  }
}

/// A device, with what its data reveals.
package struct ListedDevice: Sendable {
  package let device: Advertiser
  package let facts: AdvertisedFacts

  init(_ device: Advertiser, name: [UInt8]?) {
    self.device = device
    facts = AdvertisedFacts(device.payloads, name: name)
  }

  /// The position in the list: 0 if it was connected, 1 if it can be, 2 otherwise.
  var rank: Int {
    if device.connectionCount > 0 { return 0 }
    return device.wasConnectable ? 1 : 2
  }

  /// Why the interval and the signal strength are unknown.
  enum Silence {
    case filtered, unknown

    /// The name in the JSON contract.
    var key: StaticString {
      switch self {
      case .filtered: "duplicates_filtered"
      case .unknown: "scan_unknown"
      }
    }
  }

  /// Why the interval and the signal strength are unknown, or nil if they are known, or there was
  /// nothing to measure.
  var silence: Silence? {
    guard device.signals.count == 0 else { return nil }
    if device.filteredReports > 0 { return .filtered }
    return device.doubtfulReports > 0 ? .unknown : nil
  }
}

/// An advertising set of the captured host, with what its data reveals.
struct ListedOwn: Sendable {
  let set: OwnAdvertiser
  let facts: AdvertisedFacts
  /// The maximum size of its data.
  let mostBytes: Int
  /// The address that it advertises with, if the host sets it.
  var address: DeviceAddress?
  let isAddressRandom: Bool

  init(_ set: OwnAdvertiser, mostBytes: Int) {
    isAddressRandom =
      set.parameters?.ownAddressType.map { $0 & 1 == 1 } ?? (set.randomAddress != nil)
    self.set = set
    self.mostBytes = mostBytes
    facts = AdvertisedFacts(set.payloads)
  }

  /// Returns the maximum size of one of its payloads.
  func mostBytes(of payload: Payload) -> Int {
    payload.stream.event == .own && payload.stream.isLegacy ? 31 : mostBytes
  }
}
