/// What two devices keep of each other after pairing: the keys of one of them, as a file tells them.
///
/// All keys are in the order in which SMP and HCI carry them: least significant byte first.
package struct Bond: Equatable, Sendable {
  /// A long term key.
  package struct LongTermKey: Equatable, Sendable {
    /// The 16 bytes.
    package var bytes: [UInt8]
    /// Encrypted diversifier and random number, by which a legacy key is asked for; zero with Secure
    /// Connections (Core, Vol 3, Part H, 2.4.4).
    package var ediv: UInt16 = 0
    package var rand: UInt64 = 0
    /// Whether pairing protected against somebody in the middle; nil: not told.
    package var isAuthenticated: Bool?
    /// How many of the bytes count; nil: not told.
    package var size: UInt8?
    /// Whether it is for links on which the host that keeps the file is the peripheral.
    package var isForPeripheral = false

    /// A key.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  /// The identity address of the device.
  package var address: DeviceAddress
  /// And its type.
  package var type: AddressType
  /// Its name.
  package var name: [UInt8]?
  /// The keys that links with it are encrypted with.
  package var longTermKeys: [LongTermKey] = []
  /// The key that resolves its private addresses.
  package var identityResolvingKey: [UInt8]?
  /// The keys that sign what it sends, and what is sent to it.
  package var signatureKey: [UInt8]?
  package var ownSignatureKey: [UInt8]?
  /// The key of BR/EDR.
  package var linkKey: [UInt8]?
  /// The file that tells it, as it was named.
  package var file: String

  /// A device of which no key is known yet.
  package init(_ address: DeviceAddress, _ type: AddressType, file: String) {
    self.address = address
    self.type = type
    self.file = file
  }

  /// How many bytes a key has.
  package static let keySize = 16
}
