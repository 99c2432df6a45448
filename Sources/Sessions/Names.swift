package import Bluetooth
import Bytes
import Dissectors

/// The names that devices gave: in advertisements and inquiries, or when they were asked. Bounded: the name learnt first goes first.
package struct Names: Sendable {
  /// Where a name stands; no longer valid once its place was needed for another device.
  package struct Entry: Equatable, Sendable {
    fileprivate let position: Int
    fileprivate let device: UInt64
  }

  private struct Name: Sendable {
    var device: UInt64
    var bytes: [UInt8]
    var isComplete: Bool
    /// The shortened name, of a device that has told its complete one as well.
    var shortened: [UInt8]?
  }

  /// Counts what was learnt: as long as it stays, so do all names.
  package private(set) var generation = 0
  /// Where the names stand that were learnt last, by their generation modulo `limit`.
  private var learnt: [Int] = []
  private var names: [Name] = []
  private var index: [UInt64: Int] = [:]
  private var oldest = 0
  /// Whether a name had to be forgotten.
  private(set) var hasForgotten = false
  private let limit: Int

  init(limit: Int) { self.limit = max(1, limit) }

  /// Address and type in one number. An address that the controller resolved counts as what it is
  /// resolved to.
  private static func device(_ address: DeviceAddress, _ type: AddressType) -> UInt64 {
    address.value | UInt64(type.rawValue & 1) << 48
  }

  /// Where the name of a device stands, if it is known.
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

  /// Tells `visit` the devices whose names were learnt since the generation `known`, and those names;
  /// one that was learnt more than once is told as often. What was forgotten meanwhile is not told.
  package func forEach(since known: Int, _ visit: (DeviceAddress, [UInt8]) -> Void) {
    for past in max(known, generation - learnt.count)..<max(known, generation) {
      let name = names[learnt[past % limit]]
      visit(DeviceAddress(value: name.device), name.bytes)
      if let shortened = name.shortened { visit(DeviceAddress(value: name.device), shortened) }
    }
  }

  /// Notes that a name was learnt, and where it stands.
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
      // A part begins anywhere: what looks like a name in it may be none.
      guard let address = advertisement.report.address, !advertisement.isPart else { continue }
      let type = advertisement.report.addressType
      if let joined = advertisement.joined {
        learn(address, type, from: advertisements.joined.bytes, joined)
      } else {
        learn(address, type, from: bytes, advertisement.report.data)
      }
    }
  }

  /// Learns the Device Name that a server has, unless its device has told a complete name already: what it
  /// advertises is what people know it by.
  mutating func learn(_ address: DeviceAddress, _ type: AddressType, deviceName field: RawSpan) {
    let device = Self.device(address, type)
    if let position = index[device], names[position].isComplete { return }
    learn(address, type, fullName: field)
  }

  /// Learns a name that its device was asked for; it ends before the first zero.
  mutating func learn(_ address: DeviceAddress, _ type: AddressType, fullName field: RawSpan) {
    var length = 0
    while length < field.byteCount, field.byte(at: length) != 0 { length += 1 }
    guard length > 0 else { return }
    learn(
      Self.device(address, type), field.part(Slice(start: 0, count: length)), isComplete: true)
  }

  /// Learns the name in an advertisement's data, if it holds one. A shortened name never replaces a
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
