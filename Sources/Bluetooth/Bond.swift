/// The data of a bond: the keys of one of the two devices, as read from a file.
///
/// All keys have the byte order of SMP and HCI, least significant first.
package struct Bond: Equatable, Sendable {
  package struct LongTermKey: Equatable, Sendable {
    /// The 16 key bytes.
    package var bytes: [UInt8]
    /// Encrypted diversifier and random number, which identify a legacy key; zero for LE Secure
    /// Connections (Core, Vol 3, Part H, 2.4.4).
    package var ediv: UInt16 = 0
    package var rand: UInt64 = 0
    /// Whether pairing had MITM protection; nil if unknown.
    package var isAuthenticated: Bool?
    /// The encryption key size in bytes; nil if unknown.
    package var size: UInt8?
    /// Whether the key is for links on which the file's host is the peripheral.
    package var isForPeripheral = false

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  /// Keys for decrypting what a sniffer recorded. Those of 16 and 32 bytes are least significant
  /// byte first, like all keys here.
  package struct SnifferKeys: Equatable, Sendable {
    /// The short-term keys of legacy pairings.
    package var shortTerm: [[UInt8]] = []
    /// The temporary keys of legacy pairings: out-of-band data.
    package var temporary: [[UInt8]] = []
    package var passkeys: [UInt32] = []
    /// The private keys of Secure Connections, 32 bytes each.
    package var privateKeys: [[UInt8]] = []
    /// The session keys of single encryption periods.
    package var session: [[UInt8]] = []

    package init() {}
  }

  /// The identity address of the device; zero if the keys may be of any device.
  package var address: DeviceAddress
  /// The type of the identity address.
  package var type: AddressType
  /// The device's name, in UTF-8.
  package var name: [UInt8]?
  /// The keys that encrypt links with the device.
  package var longTermKeys: [LongTermKey] = []
  /// The key that resolves the device's private addresses.
  package var identityResolvingKey: [UInt8]?
  /// The keys that sign data from the device, and data to it.
  package var signatureKey: [UInt8]?
  package var ownSignatureKey: [UInt8]?
  /// The BR/EDR link key.
  package var linkKey: [UInt8]?
  package var sniffer = SnifferKeys()
  /// The name of the file, as given.
  package var file: String
  /// Whether the file is another capture, whose host may be another one than that of the capture to
  /// read.
  package var isFromCapture = false

  /// Whether the keys may be of any device; they then name and identify none.
  package var isAnyDevice: Bool { address == .zero }

  /// Creates a device without known keys.
  package init(_ address: DeviceAddress, _ type: AddressType, file: String) {
    self.address = address
    self.type = type
    self.file = file
  }

  /// The length of a key in bytes.
  package static let keySize = 16
}
