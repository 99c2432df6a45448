import Bluetooth
import Bytes
import Dissectors
package import Sessions

extension Selection {
  /// The highest layer of a packet, or its subject: the JSON contract's `protocol`; `adv` for
  /// advertising, sent or received; `security` for pairing, keys and encryption; and `note` for
  /// records that are not packets.
  package enum Layer: UInt8, Sendable, CaseIterable {
    case command, event, acl, sco, iso, controllerLog, l2cap, att, smp, mgmt, unknown, advertising,
      security, note

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
      case .mgmt: "mgmt"
      case .unknown: "unknown"
      case .advertising: "adv"
      case .security: "security"
      case .note: "note"
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
    case .acl: att != nil ? .att : smp != nil ? .smp : l2cap != nil ? .l2cap : .acl
    case .sco: .sco
    case .iso: .iso
    case .controllerLog: .controllerLog
    }
  }

  /// Returns whether the packet belongs to this layer.
  package func isOf(_ layer: Selection.Layer, _ bytes: RawSpan, _ memory: borrowing Memory) -> Bool
  {
    switch layer {
    case .advertising: isAboutAdvertising(bytes, memory)
    case .security: isAboutSecurity(bytes)
    default: self.layer == layer
    }
  }

  /// Returns whether the packet is about pairing, keys or encryption.
  private func isAboutSecurity(_ bytes: RawSpan) -> Bool {
    switch content {
    case .acl: l2cap?.cid.carriesSecurityManager ?? false
    case .command(let command): SecurityCodes.commands.contains(command.opcode)
    case .event(let event):
      if let answered = fact.answeredOpcode {
        SecurityCodes.commands.contains(answered)
      } else if let subevent = event.subevent(bytes, body) {
        SecurityCodes.subevents.contains(subevent)
      } else {
        SecurityCodes.events.contains(event.code)
      }
    case .control(let control):
      if !control.isEvent {
        SecurityCodes.managementCommands.contains(control.code)
      } else if let answered = control.answeredOpcode(bytes, body) {
        SecurityCodes.managementCommands.contains(answered)
      } else {
        SecurityCodes.managementEvents.contains(control.code)
      }
    default: false
    }
  }
}

/// The codes about keys and encryption outside the Security Manager.
enum SecurityCodes {
  /// Commands (Core, Vol 4, Part E, 7.1, 7.3, 7.5 and 7.8).
  static let commands: [UInt16] = [
    0x040b, 0x040c,  // Link Key Request (Negative) Reply
    0x040d, 0x040e,  // PIN Code Request (Negative) Reply
    0x0411, 0x0413,  // Authentication Requested, Set Connection Encryption
    0x0415, 0x0417,  // Change Connection Link Key, Link Key Selection
    0x042b, 0x0434,  // IO Capability Request (Negative) Reply
    0x042c, 0x042d,  // User Confirmation Request (Negative) Reply
    0x042e, 0x042f,  // User Passkey Request (Negative) Reply
    0x0430, 0x0433, 0x0445,  // Remote OOB (Extended) Data Request (Negative) Reply
    0x0c09, 0x0c0a, 0x0c0b,  // Read and Write PIN Type, Create New Unit Key
    0x0c0d, 0x0c11, 0x0c12,  // Read, Write and Delete Stored Link Key
    0x0c1f, 0x0c20, 0x0c21, 0x0c22,  // Read and Write Authentication Enable, Encryption Mode
    0x0c53, 0x0c55, 0x0c56,  // Refresh Encryption Key, Read and Write Simple Pairing Mode
    0x0c57, 0x0c7d,  // Read Local OOB (Extended) Data
    0x0c60,  // Send Keypress Notification
    0x0c79, 0x0c7a,  // Read and Write Secure Connections Host Support
    0x0c7b, 0x0c7c,  // Read and Write Authenticated Payload Timeout
    0x0c84, 0x1408,  // Set Min Encryption Key Size, Read Encryption Key Size
    0x2017, 0x2019,  // LE Encrypt, LE Enable Encryption
    0x201a, 0x201b,  // LE Long Term Key Request (Negative) Reply
    0x2025, 0x2026, 0x205e,  // LE Read Local P-256 Public Key, LE Generate DHKey, its version 2
    0x2027, 0x2028, 0x2029,  // LE Add Device To, Remove Device From, Clear Resolving List (IRKs)
  ]

  /// Events (7.7).
  static let events: [UInt8] = [
    0x06, 0x08, 0x59,  // Authentication Complete, Encryption Change, its version 2
    0x09, 0x0a,  // Change Connection Link Key Complete, Link Key Type Changed
    0x15,  // Return Link Keys
    0x16, 0x17, 0x18,  // PIN Code Request, Link Key Request, Link Key Notification
    0x30,  // Encryption Key Refresh Complete
    0x31, 0x32, 0x33,  // IO Capability Request and Response, User Confirmation Request
    0x34, 0x35, 0x36,  // User Passkey Request, Remote OOB Data Request, Simple Pairing Complete
    0x3b, 0x3c,  // User Passkey Notification, Keypress Notification
    0x57,  // Authenticated Payload Timeout Expired
  ]

  /// LE Meta subevents (7.7.65): Long Term Key Request, Read Local P-256 Public Key Complete,
  /// Generate DHKey Complete.
  static let subevents: [UInt8] = [0x05, 0x08, 0x09]

  /// Management commands (BlueZ, lib/bluetooth/mgmt.h).
  static let managementCommands: [UInt16] = [
    0x000a, 0x000b,  // Set Link Security, Set Secure Simple Pairing
    0x0012, 0x0013, 0x0030, 0x0046,  // Load Link Keys, Long Term Keys, IRKs; Set Blocked Keys
    0x0016, 0x0017, 0x0018,  // PIN Code (Negative) Reply, Set IO Capability
    0x0019, 0x001a, 0x001b,  // Pair, Cancel Pair and Unpair Device
    0x001c, 0x001d, 0x001e, 0x001f,  // User Confirmation and Passkey (Negative) Reply
    0x0020, 0x0021, 0x0022, 0x003b,  // Local and Remote Out Of Band Data
    0x002d, 0x002f,  // Set Secure Connections, Set Privacy
  ]

  static let managementEvents: [UInt16] = [
    0x0009, 0x000a, 0x0018, 0x0019,  // New Link Key, Long Term Key, IRK, Signature Resolving Key
    0x000e, 0x000f, 0x0010, 0x0017,  // PIN Code, User Confirmation and Passkey Request, Notify
    0x0011, 0x0016, 0x0022,  // Authentication Failed, Device Unpaired, Local OOB Data Updated
  ]
}
