import Bluetooth
import Bytes
import Dissectors

/// How a controller is to scan: its parameters, and the services that filters look for.
struct ScanSetup: Sendable {
  private var parameters: ScanParameters?
  /// The services of Android's content filters, with each filter's index.
  private var services: [(filter: UInt8, uuid: BluetoothUUID)] = []
  /// The services that the kernel was asked to look for.
  private var wanted: [BluetoothUUID] = []
  /// Those that a scan chooses by.
  var chosen: [BluetoothUUID] { services.map(\.uuid) + wanted }

  /// LE Meta subevent: LE Scan Timeout (Core, Vol 4, Part E, 7.7.65.17).
  static let timeoutSubevent: UInt8 = 0x11
  private static let mostServices = 64

  mutating func set(_ parameters: ScanParameters?) { self.parameters = parameters }

  /// What a command that begins a scan asks for.
  func request(_ command: ScanSwitch) -> AppEvent.ScanRequest {
    let settings = [parameters?.le1M, parameters?.leCoded].compactMap(\.self)
    return AppEvent.ScanRequest(
      services: chosen,
      isActive: settings.isEmpty ? nil : settings.contains { $0.isActive },
      reportsDuplicates: command.filterDuplicates == 0)
  }

  /// Takes a command of the kernel's management interface (BlueZ, doc/mgmt-protocol.rst). Start Service Discovery
  /// names services: address types (1 byte), RSSI threshold (1 byte, in dBm), how many UUIDs (2 bytes), UUIDs
  /// (16 bytes each); Start Discovery and Stop Discovery end that.
  mutating func discover(_ opcode: UInt16, _ parameters: RawSpan) {
    switch opcode {
    case ManagementCommand.startDiscovery, ManagementCommand.stopDiscovery: wanted.removeAll()
    case ManagementCommand.startServiceDiscovery:
      wanted.removeAll()
      var cursor = Cursor(parameters)
      guard (try? cursor.u16()) != nil, let count = try? cursor.u16() else { return }
      while wanted.count < min(Int(count), Self.mostServices),
        let uuid = try? BluetoothUUID(parsing: &cursor, width: 16)
      {
        wanted.append(uuid.shortest)
      }
    default: break
    }
  }

  /// Takes a command of Android's Advertising Packet Content Filter (Android, "Bluetooth HCI requirements",
  /// LE_APCF_Command [mem]): sub-opcode (1 byte); 0x01 with action 2 clears all filters, 0x03 is about service
  /// UUIDs: action (1; 0 add, 1 delete, 2 clear), filter index (1), UUID and mask (2, 4 or 16 each).
  mutating func filter(_ parameters: RawSpan) {
    var cursor = Cursor(parameters)
    guard let kind = try? cursor.u8(), let action = try? cursor.u8() else { return }
    if kind == 0x01, action == 0x02 { services.removeAll() }
    guard kind == 0x03, let index = try? cursor.u8() else {
      if kind == 0x01, action == 0x01, let index = try? cursor.u8() {
        services.removeAll { $0.filter == index }
      }
      return
    }
    guard action == 0, services.count < Self.mostServices else {
      services.removeAll { $0.filter == index }
      return
    }
    let width = cursor.remaining / 2
    guard [2, 4, 16].contains(width),
      let uuid = try? BluetoothUUID(parsing: &cursor, width: width)
    else { return }
    services.append((index, uuid))
  }
}

/// The advertising sets of a controller, with their data. Bounded: what is more is not followed.
struct AdvertisedSets: Sendable {
  private struct Advertised: Sendable {
    var set: AdvertisingSet
    var parameters: AdvertisingParameters?
    var advertising: [UInt8] = []
    var scanResponse: [UInt8] = []
    var isOn = false
  }

  private var all: [Advertised] = []

  /// LE Meta subevent: LE Advertising Set Terminated.
  static let terminatedSubevent: UInt8 = 0x12
  private static let mostSets = 256
  /// The most data that a set can have (Core, Vol 4, Part E, 7.8.54).
  private static let mostData = 1650

  /// Whether one of them is on.
  var isAnyOn: Bool { all.contains { $0.isOn } }

  private mutating func place(_ set: AdvertisingSet) -> Int? {
    if let known = all.firstIndex(where: { $0.set == set }) { return known }
    guard all.count < Self.mostSets else { return nil }
    all.append(Advertised(set: set))
    return all.count - 1
  }

  /// Takes a command that was carried out.
  mutating func take(_ command: AdvertisingCommand, _ parameters: RawSpan) {
    switch command {
    case .parameters(let set, let wanted):
      if let place = place(set) { all[place].parameters = wanted }
    case .data(let set, let kind, let operation, let slice):
      guard operation < 4, let place = place(set) else { return }
      let piece = parameters.part(slice).array
      // 1 first, 3 complete: what was there before is gone.
      let isNew = operation & 1 == 1
      switch kind {
      case .advertising:
        all[place].advertising = Self.join(isNew ? [] : all[place].advertising, piece)
      case .scanResponse:
        all[place].scanResponse = Self.join(isNew ? [] : all[place].scanResponse, piece)
      case .periodic: break
      }
    case .instance(let set, let wanted, let advertising, let scanResponse):
      guard let place = place(set) else { return }
      all[place].parameters = wanted
      all[place].advertising = parameters.part(advertising).array
      all[place].scanResponse = parameters.part(scanResponse).array
    case .remove(let family, let handle):
      all.removeAll { $0.set.family == family && (handle == nil || $0.set.handle == handle) }
    case .address, .enable, .periodic: break
    }
  }

  private static func join(_ begun: [UInt8], _ piece: [UInt8]) -> [UInt8] {
    Array((begun + piece).prefix(mostData))
  }

  /// Switches one on or off.
  mutating func turn(_ set: AdvertisingSet, isOn: Bool) {
    if let known = all.firstIndex(where: { $0.set == set }) {
      all[known].isOn = isOn
    } else if isOn, let place = place(set) {
      all[place].isOn = true
    }
  }

  /// Switches these off, or all where none is named.
  ///
  /// - Returns: whether one was on.
  mutating func turnOff(_ named: [AdvertisingSet]) -> Bool {
    var wasOn = false
    for place in all.indices where named.isEmpty || named.contains(all[place].set) {
      wasOn = wasOn || all[place].isOn
      all[place].isOn = false
    }
    return wasOn
  }

  /// What a set advertises, as far as it is known.
  func own(_ set: AdvertisingSet) -> OwnAdvertisement {
    let known = all.first { $0.set == set }
    let properties = known?.parameters?.properties
    let (advertising, scanResponse) = (known?.advertising ?? [], known?.scanResponse ?? [])
    return OwnAdvertisement(
      isConnectable: properties.map { $0 & 1 == 1 },
      structures: AdvertisedStructure.all(in: advertising.bytes, isScanResponse: false)
        + AdvertisedStructure.all(in: scanResponse.bytes, isScanResponse: true))
  }
}

extension AdvertisedStructure {
  /// The AD structures in advertising data.
  static func all(in data: RawSpan, isScanResponse: Bool) -> [AdvertisedStructure] {
    var structures = ADStructures(data, Slice(start: 0, count: data.byteCount))
    var all: [AdvertisedStructure] = []
    while let structure = structures.next() {
      all.append(
        AdvertisedStructure(
          type: structure.type, data: data.part(structure.data).array,
          isScanResponse: isScanResponse))
    }
    return all
  }
}
