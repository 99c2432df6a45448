import Bluetooth
import Bytes
import Dissectors
import Sessions

/// What `devices` prints, for both of its faces.
struct DeviceList: Sendable {
  /// The time of the first record.
  let start: Timestamp?
  /// Decimals of the capture's times.
  let decimals: Int
  var scans: [Scan] = []
  var forgottenScans = 0
  var own: [ListedOwn] = []
  var devices: [ListedDevice] = []
  /// Connections with devices whose address is not known, their first packets and handles.
  var strangers: [(connection: Int, packet: Int, handle: UInt16)] = []
  var forgotten = 0
  var adapters: [Adapter] = []

  init(start: Timestamp?, decimals: Int) {
    self.start = start
    self.decimals = decimals
  }

  /// Whether it matters which controller something is about.
  var hasSeveralAdapters: Bool {
    Set(scans.map(\.adapter) + own.map(\.set.adapter) + adapters.map(\.index)).count > 1
  }
}

/// What data says of its advertiser, collected from all of it.
struct AdvertisedFacts: Sendable {
  /// The name, the complete one where there is one.
  private(set) var name: [UInt8]?
  private var isNameComplete = false
  /// What it looks like.
  private(set) var appearance: Appearance?
  /// The services that it offers or sends data of.
  private(set) var services: [BluetoothUUID] = []
  /// The companies whose data it sends.
  private(set) var companies: [CompanyID] = []
  /// Which limits of apps on Apple's systems it is beyond.
  private(set) var appleLimits: AppleLimits = []
  /// The types that such apps cannot set, as far as they have names.
  private(set) var foreignTypes: [ADType] = []
  /// The most bytes beside Flags, and of a scan response.
  private(set) var mostBytes = (advertisement: 0, scanResponse: 0)

  private static let limit = 64

  init(_ payloads: Payloads, name: [UInt8]? = nil) {
    for payload in payloads.all { take(payload) }
    if let name { self.name = name }
  }

  private mutating func take(_ payload: Payload) {
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
  /// Which limits of apps on Apple's systems the data is beyond; nil where that is no question.
  var appleLimits: AppleLimits? {
    switch stream.event {
    case .periodic, .inquiry: return nil
    default: break
    }
    let all = Slice(start: 0, count: data.count)
    var limits = AppleLimits(data.bytes, all, isScanResponse: stream.isScanResponse)
    // The kernel tells advertisement and scan response as one.
    if stream.event == .management { limits.subtract([.advertisementLength, .scanResponseLength]) }
    return limits
  }

  /// How many of its bytes are used: an extended inquiry response is filled up with zeros.
  var usedBytes: Int {
    guard stream.event == .inquiry else { return data.count }
    return data.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
  }
}

/// A device, with what its data says of it.
struct ListedDevice: Sendable {
  let device: Advertiser
  let said: AdvertisedFacts

  init(_ device: Advertiser, name: [UInt8]?) {
    self.device = device
    said = AdvertisedFacts(device.payloads, name: name)
  }

  /// Why nothing can be said of interval and signal strength.
  enum Silence {
    case filtered, unknown

    /// As the JSON contract names it.
    var key: StaticString {
      switch self {
      case .filtered: "duplicates_filtered"
      case .unknown: "scan_unknown"
      }
    }
  }

  /// Why nothing can be said of interval and signal strength; nil where something can, or there was
  /// nothing to be measured.
  var silence: Silence? {
    guard device.signals.count == 0 else { return nil }
    if device.filteredReports > 0 { return .filtered }
    return device.doubtfulReports > 0 ? .unknown : nil
  }
}

/// An advertising set of the captured host, with what its data says.
struct ListedOwn: Sendable {
  let set: OwnAdvertiser
  let said: AdvertisedFacts
  /// The most data that it can have.
  let mostBytes: Int
  /// The address that it advertises with, as far as the host decides.
  var address: DeviceAddress?
  /// Whether that is a random one.
  let isAddressRandom: Bool

  init(_ set: OwnAdvertiser, mostBytes: Int) {
    isAddressRandom =
      set.parameters?.ownAddressType.map { $0 & 1 == 1 } ?? (set.randomAddress != nil)
    self.set = set
    self.mostBytes = mostBytes
    said = AdvertisedFacts(set.payloads)
  }

  /// The most data that it can have in one of its payloads.
  func mostBytes(of payload: Payload) -> Int {
    payload.stream.event == .own && payload.stream.isLegacy ? 31 : mostBytes
  }
}
