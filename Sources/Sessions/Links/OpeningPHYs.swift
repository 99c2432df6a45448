import Bluetooth
import Bytes
import Captures
import Dissectors

/// On which PHYs the links of each adapter may open, as far as commands show it. Bounded.
struct OpeningPHYs: Sendable {
  /// What one adapter was asked for.
  private struct Asked {
    /// The PHYs of the commands to connect since the last link: bit 0 LE 1M.
    var initiating: UInt8 = 0
    /// Whether it advertised by connectable legacy PDUs.
    var advertisesLegacy = false
    /// Whether it may have advertised by connectable extended PDUs.
    var advertisesExtended = false
    /// The LE event mask; nil: unknown, and all events are assumed to be enabled.
    var eventMask: UInt64?
  }

  private var adapters: [AdapterIndex: Asked] = [:]
  /// Of others, nothing is known.
  private static let mostAdapters = 16
  /// The mask after a reset: Data Length Change and PHY Update Complete are disabled (Core, Vol 4,
  /// Part E, 7.8.1).
  private static let resetMask: UInt64 = 0x1f

  /// Returns whether a link that opens now can only be on LE 1M.
  func areDefault(_ adapter: AdapterIndex, isCentral: Bool) -> Bool {
    guard let asked = adapters[adapter], asked.eventMask.map({ $0 & 1 << 11 != 0 }) ?? true else {
      return false
    }
    return isCentral
      ? asked.initiating == 1 : asked.advertisesLegacy && !asked.advertisesExtended
  }

  /// Returns whether events report when the data length changes.
  func reportLengths(_ adapter: AdapterIndex) -> Bool {
    adapters[adapter]?.eventMask.map { $0 & 1 << 6 != 0 } ?? true
  }

  private mutating func note(_ adapter: AdapterIndex, _ change: (inout Asked) -> Void) {
    guard adapters[adapter] != nil || adapters.count < Self.mostAdapters else { return }
    change(&adapters[adapter, default: Asked()])
  }

  /// Records that this host, as the central, has opened a link.
  mutating func open(_ adapter: AdapterIndex) { adapters[adapter]?.initiating = 0 }

  /// Forgets what permits a conclusion, since records are missing. What prevents one is kept.
  mutating func forget() {
    for adapter in adapters.keys {
      adapters[adapter]?.initiating = 0
      adapters[adapter]?.advertisesLegacy = false
    }
  }

  /// Learns from a command.
  mutating func learn(
    _ opcode: UInt16, _ bytes: RawSpan, _ body: Slice, _ adapter: AdapterIndex
  ) {
    switch opcode {
    case HCICommand.leCreateConnection, HCICommand.leExtendedCreateConnection,
      HCICommand.leExtendedCreateConnectionV2:
      var cursor = Cursor(bytes, body)
      let command = try? LECreateConnection(opcode, parsing: &cursor)
      // The controller may refuse one and carry out another.
      note(adapter) { $0.initiating |= command?.phys ?? .max }
    case HCICommand.leSetAdvertisingParameters, HCICommand.leSetExtendedAdvertisingParameters,
      HCICommand.leSetExtendedAdvertisingParametersV2:
      var properties: UInt16?
      if case .parameters(_, let parameters)? = try? AdvertisingCommand(opcode, bytes.part(body)) {
        properties = parameters.properties
      }
      // Bit 0: connectable; bit 4: legacy PDUs (Core, Vol 4, Part E, 7.8.53).
      if let properties, properties & 1 == 0 { return }
      let isLegacy = properties.map { $0 & 0x10 != 0 } ?? false
      note(adapter) { asked in
        if isLegacy { asked.advertisesLegacy = true } else { asked.advertisesExtended = true }
      }
    case HCICommand.leSetEventMask:
      var cursor = Cursor(bytes, body)
      let mask = try? cursor.unsigned(width: 8)
      note(adapter) { $0.eventMask = mask ?? 0 }
    case HCICommand.reset:
      adapters[adapter] = nil
      note(adapter) { $0.eventMask = Self.resetMask }
    default: break
    }
  }
}
