package import Bluetooth

/// The types of attributes whose values are keys or other secrets, or contain some. These values
/// are not printed unless secrets are requested, wherever they appear.
package struct SecretTypes: Sendable, Equatable {
  /// The assigned types that the built-in profiles mark with `secret`.
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

  /// The types of vendors that the built-in profiles mark: Provisioning Configuration of
  /// Espressif's two services, with passphrases.
  package static let vendors: [BluetoothUUID] = [
    BluetoothUUID(high: 0x1775_ff52_6b43_439b, low: 0x877c_060f_2d9b_ed07),
    BluetoothUUID(high: 0x021a_ff52_0382_4aea, low: 0xbff4_6b3f_1c5a_dfb4),
  ]

  /// `vendors`, and the types that the user's profiles mark.
  private let profiled: [BluetoothUUID]

  /// Creates the types that the built-in profiles mark plus `supplied`.
  package init(_ supplied: [BluetoothUUID] = []) {
    profiled = Self.vendors + supplied.map(\.shortest)
  }

  /// Returns whether values of a type are secret, or contain secrets.
  package func contains(_ type: BluetoothUUID?) -> Bool {
    guard let type else { return false }
    return Self.known.contains { type.isShort($0) } || isProfiled(type)
  }

  /// Returns whether only a profile knows which part of such a value is the secret.
  package func isProfiled(_ type: BluetoothUUID) -> Bool { profiled.contains(type.shortest) }
}
