package import Bluetooth
import Bytes
package import Dissectors

/// What a host advertises, and under which addresses, that devices cannot use. Of each kind the
/// first ones are listed.
package struct AdvertisingFaults: Sendable {
  /// What is wrong with advertising data.
  package enum Fault: Equatable, Sendable {
    /// A structure extends past the end: its offset, the bytes that it claims, and those that
    /// exist.
    case tooLong(at: Int, claimed: Int, available: Int)
    /// A structure of this type has a length that the type does not allow.
    case wrongLength(ADType, Int)
    /// Bytes follow an early end.
    case afterEnd(Int)
    /// The first structure has only one byte, which looks like Flags without their type.
    case withoutType(UInt8)
  }

  /// Data that the host sets.
  package struct FaultyData: Sendable {
    package let kind: AdvertisingCommand.DataKind
    package let fault: Fault
    /// The first command that sets it.
    package let moment: Moment
    package fileprivate(set) var count = 1
    /// The last one.
    fileprivate var last: Int
  }

  /// Connectable advertising under a non-resolvable private address.
  package struct UnsuitableAddress: Sendable {
    package let address: DeviceAddress
    /// The commands that set the address and the parameters, and that enable advertising.
    package let given: Moment
    package let configured: Moment
    package let enabled: Moment
    /// The static or resolvable address that the set had before, and the command that gave it.
    package let replaced: (address: DeviceAddress, moment: Moment)?
    package fileprivate(set) var count = 1
    /// The last command that enables advertising.
    fileprivate var last: Int
  }

  /// The state of a set that matters here.
  private struct Own: Sendable {
    let set: AdvertisingSet
    /// The command that makes it connectable under a random address, if the last one about its
    /// parameters does, and that command.
    var connectable: Moment?
    var configured = 0
    /// The same before that command, in case the controller refuses it.
    var connectableBefore: Moment?
    var address: (value: DeviceAddress, moment: Moment)?
    /// The address before it, which stays if the controller refuses the new one.
    var before: (value: DeviceAddress, moment: Moment)?
    /// The last static or resolvable address.
    var suitable: (address: DeviceAddress, moment: Moment)?

    /// Keeps the address if it is static or resolvable: its upper bits are 11 or 01.
    mutating func keepIfSuitable() {
      guard let address, address.value.value >> 46 & 0b01 == 0b01 else { return }
      suitable = (address.value, address.moment)
    }
  }

  package private(set) var data: [FaultyData] = []
  /// Random addresses whose upper bits are reserved, and the commands that set them.
  package private(set) var addresses: [(value: DeviceAddress, moment: Moment)] = []
  package private(set) var unsuitable: [UnsuitableAddress] = []
  private var sets: [Own] = []

  private static let mostListed = 8
  private static let mostSets = 16

  /// Records a command about advertising.
  mutating func observe(_ command: AdvertisingCommand, _ moment: Moment, _ parameters: RawSpan) {
    switch command {
    case .address(let set, let address):
      change(set) {
        $0.before = $0.address
        $0.address = (address, moment)
        // The legacy address is for scans and connections, too.
        if set.family == .extended { $0.keepIfSuitable() }
      }
      guard address.value >> 46 == 0b10, addresses.count < Self.mostListed,
        !addresses.contains(where: { $0.value == address })
      else { return }
      addresses.append((address, moment))
    case .parameters(let set, let parameters):
      let isConnectable = parameters.properties & 1 != 0 && parameters.ownAddressType == 1
      change(set) {
        ($0.connectableBefore, $0.configured) = ($0.connectable, moment.packet)
        $0.connectable = isConnectable ? moment : nil
      }
    case .enable(true, let enabled): for set in enabled { enable(set, moment) }
    case .data(_, let kind, 3, let data):
      // The length precedes the data. If it is wrong, the command itself is.
      guard data.start > 0, parameters.byte(at: Int(data.start) - 1) == data.count else { return }
      check(parameters, data, kind, moment)
    case .remove(let family, let handle):
      sets.removeAll { $0.set.family == family && (handle == nil || $0.set.handle == handle) }
    default: break
    }
  }

  private mutating func check(
    _ bytes: RawSpan, _ data: Slice, _ kind: AdvertisingCommand.DataKind, _ moment: Moment
  ) {
    var problems = Problems()
    ADStructures.check(bytes, data, &problems)
    guard problems.isEmpty else {
      let problem = problems[0]
      guard let offset = problem.offset.map({ Int($0) }) else { return }
      let fault: Fault =
        if problem.code == .advertisingStructureTooLong {
          .tooLong(
            at: offset - Int(data.start), claimed: Int(problem.first),
            available: Int(problem.second))
        } else if let structure = Self.structure(at: offset, bytes, data) {
          .wrongLength(structure.type, Int(structure.data.count))
        } else {
          .afterEnd(Int(problem.first))
        }
      return note(fault, kind, moment)
    }
    guard kind == .advertising else { return }
    var structures = ADStructures(bytes, data)
    // An incomplete list without an entry proves nothing, but these are usual values of Flags.
    guard let first = structures.next(), first.data.isEmpty,
      [0x02, 0x04, 0x06].contains(first.type.rawValue)
    else { return }
    while let structure = structures.next() { if structure.type == .flags { return } }
    note(.withoutType(first.type.rawValue), kind, moment)
  }

  /// Returns the structure whose data contains an offset or begins there, or nil if none does.
  private static func structure(at offset: Int, _ bytes: RawSpan, _ data: Slice) -> ADStructure? {
    var structures = ADStructures(bytes, data)
    while let structure = structures.next() {
      let start = Int(structure.data.start)
      if start <= offset, offset <= max(start, structure.data.end - 1) { return structure }
    }
    return nil
  }

  private mutating func note(
    _ fault: Fault, _ kind: AdvertisingCommand.DataKind, _ moment: Moment
  ) {
    if let known = data.firstIndex(where: { $0.fault == fault && $0.kind == kind }) {
      data[known].count &+= 1
      data[known].last = moment.packet
    } else if data.count < Self.mostListed {
      data.append(FaultyData(kind: kind, fault: fault, moment: moment, last: moment.packet))
    }
  }

  private mutating func enable(_ set: AdvertisingSet, _ moment: Moment) {
    guard let place = sets.firstIndex(where: { $0.set == set }),
      let configured = sets[place].connectable, let address = sets[place].address
    else { return }
    let own = sets[place]
    guard address.value.value >> 46 == 0b00 else { return sets[place].keepIfSuitable() }
    if let known = unsuitable.firstIndex(where: { $0.address == address.value }) {
      unsuitable[known].count &+= 1
      unsuitable[known].last = moment.packet
    } else if unsuitable.count < Self.mostListed {
      unsuitable.append(
        UnsuitableAddress(
          address: address.value, given: address.moment, configured: configured, enabled: moment,
          replaced: own.suitable, last: moment.packet))
    }
  }

  private mutating func change(_ set: AdvertisingSet, _ change: (inout Own) -> Void) {
    if let known = sets.firstIndex(where: { $0.set == set }) {
      change(&sets[known])
    } else if sets.count < Self.mostSets {
      var own = Own(set: set)
      change(&own)
      sets.append(own)
    }
  }

  /// Records that the controller refused a command, which so has no effect.
  mutating func refuse(_ packet: Int) {
    for index in data.indices where data[index].last == packet { data[index].count &-= 1 }
    data.removeAll { $0.count == 0 }
    for index in unsuitable.indices where unsuitable[index].last == packet {
      unsuitable[index].count &-= 1
    }
    unsuitable.removeAll { $0.count == 0 }
    addresses.removeAll { $0.moment.packet == packet }
    for index in sets.indices {
      if sets[index].configured == packet {
        sets[index].connectable = sets[index].connectableBefore
      }
      guard sets[index].address?.moment.packet == packet else { continue }
      sets[index].address = sets[index].before
      if sets[index].suitable?.moment.packet == packet { sets[index].suitable = nil }
    }
  }

  /// Forgets what was set up, because it was removed or records are missing.
  mutating func forget() { sets.removeAll(keepingCapacity: true) }
}
