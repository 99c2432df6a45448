import Bluetooth
import Bytes
import Dissectors
package import Sessions

extension Selection {
  /// The highest layer of a packet, or its subject: the JSON contract's `protocol`; `adv` for
  /// advertising, sent or received; `security` for pairing, keys and encryption; `note` for records
  /// that are not packets; and `air` for everything that a sniffer recorded.
  package enum Layer: UInt8, Sendable, CaseIterable {
    case command, event, acl, sco, iso, controllerLog, l2cap, att, smp, rfcomm, mgmt, unknown,
      advertising, security, note, linkAdvertising, linkControl, linkData, air

    /// Returns the layer with this key.
    package init?(key: String) {
      guard let layer = Self.allCases.first(where: { $0.key.description == key }) else {
        return nil
      }
      self = layer
    }

    /// The name in the JSON contract.
    package var key: StaticString {
      switch self {
      case .command: "hci_cmd"
      case .event: "hci_evt"
      case .acl: "acl"
      case .sco: "sco"
      case .iso: "iso"
      case .controllerLog: "controller_log"
      case .l2cap: "l2cap"
      case .att: "att"
      case .smp: "smp"
      case .rfcomm: "rfcomm"
      case .mgmt: "mgmt"
      case .unknown: "unknown"
      case .advertising: "adv"
      case .security: "security"
      case .note: "note"
      case .linkAdvertising: "ll_adv"
      case .linkControl: "ll_ctrl"
      case .linkData: "ll_data"
      case .air: "air"
      }
    }

    package static var keys: [String] { allCases.map { $0.key.description } }

    /// Reads a layer's key.
    package init(_ text: String) throws(SelectionError) {
      guard let layer = Layer(key: text.lowercased()) else {
        throw SelectionError(
          "'\(text)' is not a layer; there are \(Self.keys.dropLast().joined(separator: ", ")) and "
            + (Self.keys.last ?? ""))
      }
      self = layer
    }
  }
}

extension Selection {
  /// Returns whether a packet belongs to one of the layers.
  @inline(never)
  func isOfLayer(_ dissection: Dissection, _ bytes: RawSpan, _ memory: borrowing Memory) -> Bool {
    for layer in layers where dissection.isOf(layer, bytes, memory) { return true }
    return false
  }
}

extension Dissection {
  /// The highest layer that was decoded.
  package var layer: Selection.Layer {
    switch content {
    case .unknown: .unknown
    case .note: .note
    case .control: .mgmt
    case .command: .command
    case .event: .event
    case .acl:
      att != nil
        ? .att
        : smp != nil
          ? .smp
          : rfcomm != nil ? .rfcomm : l2cap != nil ? .l2cap : air != nil ? .linkData : .acl
    case .sco: .sco
    case .iso: .iso
    case .controllerLog: .controllerLog
    case .advertising: .linkAdvertising
    case .linkData(let pdu): pdu.isControl ? .linkControl : .linkData
    case .linkControl: .linkControl
    }
  }

  /// Returns whether the packet belongs to this layer.
  package func isOf(_ layer: Selection.Layer, _ bytes: RawSpan, _ memory: borrowing Memory) -> Bool
  {
    switch layer {
    case .advertising:
      if case .advertising = content { true } else { isAboutAdvertising(bytes, memory) }
    case .air: air != nil
    case .security: isAboutSecurity(bytes)
    default: self.layer == layer
    }
  }

  /// Returns whether the packet is about pairing, keys or encryption.
  private func isAboutSecurity(_ bytes: RawSpan) -> Bool {
    let table = PDUTable.core
    return switch content {
    case .acl: l2cap?.cid.carriesSecurityManager ?? false
    case .command(let command): table.command(command.opcode).isAboutSecurity
    case .event(let event):
      if let answered = fact.answeredOpcode {
        table.command(answered).isAboutSecurity
      } else if let subevent = event.subevent(bytes, body) {
        table.subevent(subevent).isAboutSecurity
      } else {
        table.event(event.code).isAboutSecurity
      }
    case .control(let control):
      if !control.isEvent {
        table.controlCommand(control.code).isAboutSecurity
      } else if let answered = control.answeredOpcode(bytes, body) {
        table.controlCommand(answered).isAboutSecurity
      } else {
        table.controlEvent(control.code).isAboutSecurity
      }
    case .linkControl: (parameters?.row).isAboutSecurity
    default: false
    }
  }
}

extension RowID? {
  fileprivate var isAboutSecurity: Bool { self?.subjects.contains(.security) ?? false }
}
