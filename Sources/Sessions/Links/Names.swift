package import Bluetooth
import Bytes
import Dissectors

/// The names of devices, from advertisements, inquiries and name requests. Bounded: the name that
/// was learnt first is dropped first.
package struct Names: Sendable {
  /// The position of a name; no longer valid once its place was needed for another device.
  package struct Entry: Equatable, Sendable {
    fileprivate let position: Int
    fileprivate let device: UInt64
  }

  private struct Name: Sendable {
    var device: UInt64
    var bytes: [UInt8]
    var isComplete: Bool
    /// The shortened name of a device that has also sent its complete one.
    var shortened: [UInt8]?
  }

  /// The number of names learnt so far: while it is unchanged, so are all names.
  package private(set) var generation = 0
  /// The indexes of the names learnt last, by their generation modulo `limit`.
  private var learnt: [Int] = []
  private var names: [Name] = []
  private var index: [UInt64: Int] = [:]
  private var oldest = 0
  /// Whether a name had to be forgotten.
  private(set) var hasForgotten = false
  private let limit: Int

  init(limit: Int) { self.limit = max(1, limit) }

  /// Returns address and type as one number. An address that the controller resolved counts as the
  /// address it was resolved to.
  private static func device(_ address: DeviceAddress, _ type: AddressType) -> UInt64 {
    address.value | UInt64(type.rawValue & 1) << 48
  }

  /// Returns the position of a device's name, if known.
  package func find(_ address: DeviceAddress, _ type: AddressType) -> Entry? {
    let device = Self.device(address, type)
    return index[device].map { Entry(position: $0, device: device) }
  }

  /// The bytes of a name.
  package subscript(entry: Entry) -> [UInt8]? {
    guard entry.position < names.count, names[entry.position].device == entry.device else {
      return nil
    }
    return names[entry.position].bytes
  }

  /// Calls `visit` for each device whose name was learnt since the generation `known`, with that
  /// name, and again for a name that was learnt more than once. Forgotten names are left out.
  package func forEach(since known: Int, _ visit: (DeviceAddress, [UInt8]) -> Void) {
    for past in max(known, generation - learnt.count)..<max(known, generation) {
      let name = names[learnt[past % limit]]
      visit(DeviceAddress(value: name.device), name.bytes)
      if let shortened = name.shortened { visit(DeviceAddress(value: name.device), shortened) }
    }
  }

  /// Records that a name was learnt, with its index.
  private mutating func note(_ position: Int) {
    if learnt.count < limit {
      learnt.append(position)
    } else {
      learnt[generation % limit] = position
    }
    generation += 1
  }

  /// Learns the names in the reports of the current packet, whose bytes are `bytes`.
  mutating func learn(from advertisements: Advertisements, _ bytes: RawSpan) {
    for index in advertisements.reports.indices {
      let advertisement = advertisements.reports[index]
      // A part begins anywhere: what looks like a name in it may not be one.
      guard let address = advertisement.report.address, !advertisement.isPart else { continue }
      let type = advertisement.report.addressType
      if let joined = advertisement.joined {
        learn(address, type, from: advertisements.joined.bytes, joined)
      } else {
        learn(address, type, from: bytes, advertisement.report.data)
      }
    }
  }

  /// Learns the Device Name of a server, unless its device has already sent a complete name: users
  /// know it by the name it advertises.
  mutating func learn(_ address: DeviceAddress, _ type: AddressType, deviceName field: RawSpan) {
    let device = Self.device(address, type)
    if let position = index[device], names[position].isComplete { return }
    learn(address, type, fullName: field)
  }

  /// Learns a name from a name request; it ends before the first zero.
  mutating func learn(_ address: DeviceAddress, _ type: AddressType, fullName field: RawSpan) {
    var length = 0
    while length < field.byteCount, field.byte(at: length) != 0 { length += 1 }
    guard length > 0 else { return }
    learn(
      Self.device(address, type), field.part(Slice(start: 0, count: length)), isComplete: true)
  }

  /// Learns the name in an advertisement's data, if there is one. A shortened name never replaces a
  /// complete one.
  mutating func learn(
    _ address: DeviceAddress, _ type: AddressType, from bytes: RawSpan, _ data: Slice
  ) {
    var structures = ADStructures(bytes, data)
    while let structure = structures.next() {
      let isComplete = structure.type == .completeLocalName
      guard isComplete || structure.type == .shortenedLocalName, !structure.data.isEmpty else {
        continue
      }
      learn(Self.device(address, type), bytes.part(structure.data), isComplete: isComplete)
    }
  }

  /// Learns from Remote Name Request Complete (0x07): status (1 byte), address (6), name (248,
  /// terminated by a zero unless it is full); and from Extended Inquiry Result (0x2f): number of
  /// responses (1), address (6), page scan repetition mode (1), reserved (1), class (3), clock
  /// offset (2), RSSI (1), AD structures (240) (Core, Vol 4, Part E, 7.7.7, 7.7.38).
  mutating func learn(
    _ code: UInt8, _ bytes: RawSpan, _ body: Slice
  ) -> (address: DeviceAddress, type: AddressType)? {
    var cursor = Cursor(bytes, body)
    guard let first = try? cursor.u8(), let address = try? DeviceAddress(parsing: &cursor) else {
      return nil
    }
    if code == 0x07 {
      guard first == 0 else { return nil }
      learn(address, .public, fullName: bytes.part(cursor.takeUpTo(248)))
    } else {
      guard (try? cursor.take(8)) != nil else { return nil }
      learn(address, .public, from: bytes, cursor.rest())
    }
    return (address, .public)
  }

  /// Learns from the events Device Connected and Device Found: address (6 bytes), type (1: 0
  /// BR/EDR, 1 LE public, 2 LE random), for a found device RSSI (1), flags (4), length of the AD
  /// structures (2), the AD structures (BlueZ, doc/mgmt-protocol.rst).
  mutating func learn(
    _ control: ControlRecord, _ bytes: RawSpan, _ body: Slice
  ) -> (address: DeviceAddress, type: AddressType)? {
    let between: Int
    switch control.code {
    case ManagementEvent.deviceConnected: between = 4
    case ManagementEvent.deviceFound: between = 5
    default: return nil
    }
    var cursor = Cursor(bytes, body)
    guard let address = try? DeviceAddress(parsing: &cursor), let kind = try? cursor.u8(),
      (try? cursor.take(between)) != nil, let length = try? cursor.u16()
    else { return nil }
    let type: AddressType = kind == 2 ? .random : .public
    learn(address, type, from: bytes, cursor.takeUpTo(Int(length)))
    return (address, type)
  }

  private mutating func learn(_ device: UInt64, _ name: RawSpan, isComplete: Bool) {
    if let position = index[device] {
      let known = names[position]
      if known.isComplete && !isComplete {
        guard known.shortened.map({ !$0.bytes.isEqual(to: name) }) ?? true else { return }
        note(position)
        names[position].shortened = name.array
        return
      }
      if known.isComplete == isComplete, known.bytes.bytes.isEqual(to: name) { return }
      note(position)
      let shortened = known.isComplete || !isComplete ? known.shortened : known.bytes
      names[position] = Name(
        device: device, bytes: name.array, isComplete: isComplete, shortened: shortened)
    } else if names.count < limit {
      note(names.count)
      index[device] = names.count
      names.append(Name(device: device, bytes: name.array, isComplete: isComplete))
    } else {
      note(oldest)
      hasForgotten = true
      index[names[oldest].device] = nil
      index[device] = oldest
      names[oldest] = Name(device: device, bytes: name.array, isComplete: isComplete)
      oldest = (oldest + 1) % limit
    }
  }
}
