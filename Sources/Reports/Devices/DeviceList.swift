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
  package var devices: ListedDevices
  /// Connections with devices whose address is unknown, with their first packets and handles, or
  /// their access addresses on the air.
  var strangers: [(connection: Int, packet: Int, handle: UInt16, accessAddress: UInt32?)] = []
  /// The periodic trains and broadcast streams that a sniffer recorded.
  private(set) var streams: [AirLink] = []
  var forgotten = 0
  var adapters: [Adapter] = []

  init(start: Timestamp?, decimals: Int, _ devices: ListedDevices) {
    self.start = start
    self.decimals = decimals
    self.devices = devices
  }

  /// Adds what a sniffer recorded beside advertisements.
  mutating func add(_ air: AirLinks) {
    guard !air.isEmpty else { return }
    streams = air.all.filter { $0.stream.isBroadcast && $0.train?.address != nil }
    for place in strangers.indices {
      strangers[place].accessAddress =
        air.link(connection: strangers[place].connection)?
        .accessAddress
    }
  }

  /// Returns the trains and streams of a device.
  func streams(of device: Advertiser) -> [AirLink] {
    device.address == nil || streams.isEmpty
      ? [] : streams.filter { $0.train?.address == device.address }
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

/// The listed devices. What the data of one reveals is read only when the device is needed: there
/// may be thousands, of which a terminal shows a few.
package struct ListedDevices: RandomAccessCollection, Sendable {
  /// All advertisers.
  let all: [Advertiser]
  private let names: Names?
  /// The indexes in `all` of those that are listed, in the order of the list.
  let places: [Int]

  /// Creates an empty list.
  init() { (all, names, places) = ([], nil, []) }

  /// Creates a list of some advertisers, which begins with those of the lowest rank.
  init(_ all: [Advertiser], _ places: some Sequence<Int>, _ names: Names) {
    self.all = all
    self.names = names
    // The order within each rank stays.
    var ranked: [[Int]] = [[], [], []]
    for place in places { ranked[all[place].rank].append(place) }
    self.places = ranked.flatMap(\.self)
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { places.count }

  package subscript(index: Int) -> ListedDevice { ListedDevice(all[places[index]], names) }
}

extension Advertiser {
  /// The position in a list: 0 if it was connected, since a capture is about such devices; 1 if it
  /// can be connected, 2 otherwise.
  fileprivate var rank: Int { connectionCount > 0 ? 0 : wasConnectable ? 1 : 2 }
}

/// A device, with what its data reveals.
package struct ListedDevice: Sendable {
  package let device: Advertiser
  package let facts: AdvertisedFacts

  init(_ device: Advertiser, _ names: Names?) {
    self.device = device
    let type: AddressType
    switch device.addressKind {
    case .public, .publicIdentity: type = .public
    default: type = .random
    }
    let entry = device.address.flatMap { names?.find($0, type) }
    facts = AdvertisedFacts(device.payloads, name: entry.flatMap { names?[$0] })
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

extension AirFact.Stream {
  /// Whether an advertiser sends it.
  fileprivate var isBroadcast: Bool {
    switch self {
    case .periodicAdvertising, .broadcastIsochronous: true
    case .unknown, .connection, .connectedIsochronous: false
    }
  }
}
