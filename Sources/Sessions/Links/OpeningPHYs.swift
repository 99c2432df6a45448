import Bluetooth
import Bytes
import Dissectors

/// On which PHYs links may open, as far as commands and advertising reports show it.
struct OpeningPHYs: Sendable {
  /// What one host asked its controller for.
  private struct Asked {
    /// The PHYs of its last command to connect: bit 0 LE 1M; nil: none was seen.
    var initiating: UInt8?
    /// Whether it advertised by legacy PDUs, and otherwise.
    var advertisesLegacy = false
    var advertisesExtended = false
  }

  private var hosts: [AdapterIndex: Asked] = [:]
  /// Whether connectable advertising was heard: by legacy PDUs, and by others.
  private var hearsLegacy = false
  private var hearsExtended = false

  /// Returns whether a link can only have opened on LE 1M.
  func areDefault(_ adapter: AdapterIndex, isCentral: Bool) -> Bool {
    guard let asked = hosts[adapter] else { return false }
    guard isCentral else { return asked.advertisesLegacy && !asked.advertisesExtended }
    guard let initiating = asked.initiating, initiating & 1 != 0 else { return false }
    return initiating == 1 || hearsLegacy && !hearsExtended
  }

  mutating func learn(
    _ opcode: UInt16, _ bytes: RawSpan, _ body: Slice, _ adapter: AdapterIndex
  ) {
    switch opcode {
    case HCICommand.leCreateConnection, HCICommand.leExtendedCreateConnection,
      HCICommand.leExtendedCreateConnectionV2:
      var cursor = Cursor(bytes, body)
      let command = try? LECreateConnection(opcode, parsing: &cursor)
      hosts[adapter, default: Asked()].initiating = command?.phys
    case HCICommand.leSetAdvertisingParameters:
      hosts[adapter, default: Asked()].advertisesLegacy = true
    case HCICommand.leSetExtendedAdvertisingParameters,
      HCICommand.leSetExtendedAdvertisingParametersV2:
      guard case .parameters(_, let set)? = try? AdvertisingCommand(opcode, bytes.part(body))
      else { return }
      if set.properties & 0x10 != 0 {
        hosts[adapter, default: Asked()].advertisesLegacy = true
      } else {
        hosts[adapter, default: Asked()].advertisesExtended = true
      }
    default: break
    }
  }

  /// Returns whether advertising reports of this kind may change the answer.
  func awaits(_ kind: AdvertisingReport.Kind) -> Bool {
    !hearsExtended && (kind == .extended || kind == .legacy && !hearsLegacy)
  }

  mutating func learn(_ advertisements: borrowing Advertisements, _ kind: AdvertisingReport.Kind) {
    switch kind {
    case .legacy: hearsLegacy = true
    case .extended where !hearsExtended:
      for advertisement in advertisements.reports where advertisement.report.eventType & 1 != 0 {
        if advertisement.event == .extended { hearsExtended = true } else { hearsLegacy = true }
      }
    default: break
    }
  }
}
