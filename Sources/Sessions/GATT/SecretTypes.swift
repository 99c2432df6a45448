package import Bluetooth

/// The types of attributes whose values are keys or other secrets, or contain some. These values
/// are not printed unless secrets are requested, wherever they appear.
package struct SecretTypes: Sendable, Equatable {
  /// The types that the built-in profiles mark with `secret`.
  package static let known: [UInt16] = [
    0x2a9f,  // User Control Point: consent codes
    0x2aa4,  // Bond Management Control Point: authorization codes
    0x2b84,  // Set Identity Resolving Key
    0x2b88,  // Encrypted Data Key Material
    0x2bc7,  // Broadcast Audio Scan Control Point: broadcast codes
    0x2bc8,  // Broadcast Receive State: broadcast codes that were wrong
    0x2bf7,  // AP Sync Key Material
    0x2bf8,  // ESL Response Key Material
  ]

  /// The types that the user's profiles mark.
  private let others: [BluetoothUUID]

  /// Creates the known types plus `others`.
  package init(_ others: [BluetoothUUID] = []) { self.others = others.map(\.shortest) }

  /// Returns whether values of a type are secret, or contain secrets.
  package func contains(_ type: BluetoothUUID?) -> Bool {
    guard let type else { return false }
    return Self.known.contains { type.isShort($0) } || isSupplied(type)
  }

  /// Returns whether the user's profiles mark values of a type as secret, or as containing secrets.
  package func isSupplied(_ type: BluetoothUUID) -> Bool { others.contains(type.shortest) }
}
