import Bluetooth
import Bytes
import Dissectors

/// The advertising sets that a host configured, and what it advertises about itself.
package struct AdvertisingSets: Sendable {
  /// An LE Advertising Set Terminated, the sets that the host configured, those that it enabled
  /// last, and the last command that enabled one.
  package typealias Foreign = (
    handle: UInt8, moment: Moment, configured: [UInt8], enabled: [UInt8], switched: Moment?
  )
  /// The first events about sets that the host never configured.
  package private(set) var foreign: [Foreign] = []
  package private(set) var foreignCount = 0
  /// The first command that advertises the flag BR/EDR Not Supported, if the last flags have it.
  package private(set) var leOnly: Moment?
  package private(set) var faults = AdvertisingFaults()
  /// The sets that were configured since a reset; nil: unknown.
  private var configured: [UInt8]?
  private var enabled: [UInt8] = []
  private var switched: Moment?

  private static let most = 8

  mutating func observe(_ opcode: UInt16, _ moment: Moment, _ parameters: RawSpan) {
    guard AdvertisingCommand.concerns(opcode),
      let command = try? AdvertisingCommand(opcode, parameters)
    else { return }
    faults.observe(command, moment, parameters)
    switch command {
    case .parameters(let set, _) where set.family == .extended:
      if configured?.contains(set.handle) == false { configured?.append(set.handle) }
    case .enable(let isOn, let sets) where sets.first?.family == .extended:
      if isOn {
        switched = moment
        enabled = sets.map(\.handle)
      }
    case .data(_, .advertising, let operation, let data) where operation == 1 || operation == 3:
      learn(parameters, data, moment)
    default: break
    }
  }

  mutating func refuse(_ packet: Int) { faults.refuse(packet) }

  private mutating func learn(_ bytes: RawSpan, _ data: Slice, _ moment: Moment) {
    var structures = ADStructures(bytes, data)
    while let structure = structures.next() {
      guard structure.type == .flags, !structure.data.isEmpty else { continue }
      let isLEOnly = bytes.byte(at: Int(structure.data.start)) & 4 != 0
      leOnly = isLEOnly ? leOnly ?? moment : nil
      return
    }
  }

  mutating func observe(_ ended: AdvertisingSetTerminated, _ moment: Moment) {
    guard let configured, !configured.isEmpty, !enabled.isEmpty,
      !configured.contains(ended.set.handle)
    else { return }
    foreignCount &+= 1
    guard foreign.count < Self.most else { return }
    foreign.append((ended.set.handle, moment, configured, enabled, switched))
  }

  /// Records a command that removed all sets.
  mutating func clear() {
    (configured, enabled, switched) = ([], [], nil)
    faults.forget()
  }

  /// Forgets the sets, because records are missing.
  mutating func forget() {
    (configured, enabled, switched) = (nil, [], nil)
    faults.forget()
  }
}
