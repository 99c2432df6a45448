/// The Database Hash: what a server's declarations come to (Core, Vol 3, Part G, 7.3.1).
package enum DatabaseHash {
  private static let cipher = AES128(key: [UInt8](repeating: 0, count: AES128.size))

  /// One attribute as it is hashed: handle (2 bytes), type (2), and of declarations and extended
  /// properties the value; all least significant byte first.
  package struct Entry: Sendable {
    /// The attribute's handle.
    package let handle: UInt16
    /// Its type, a short UUID.
    package let type: UInt16
    /// Its value; none of descriptors whose value a client may change.
    package let value: [UInt8]

    /// An attribute; nil where attributes of its type do not count.
    package init?(handle: UInt16, type: UInt16, value: [UInt8]) {
      switch type {
      // Service, include and characteristic declarations; Characteristic Extended Properties.
      case 0x2800...0x2803, 0x2900: self.value = value
      // User Description, Client and Server Characteristic Configuration, Presentation Format,
      // Aggregate Format.
      case 0x2901...0x2905: self.value = []
      default: return nil
      }
      self.handle = handle
      self.type = type
    }

    /// Appends the attribute's part of the message.
    package func append(to message: inout [UInt8]) {
      for number in [handle, type] {
        message.append(UInt8(truncatingIfNeeded: number))
        message.append(UInt8(truncatingIfNeeded: number >> 8))
      }
      message += value
    }
  }

  /// The hash of a message of entries, which stand in the order of their handles: AES-CMAC with the key
  /// zero.
  package static func hash(of message: [UInt8]) -> [UInt8] {
    cipher?.authenticationCode(of: message) ?? []
  }

  /// Whether a characteristic's value is this hash. It is a number, so its least significant byte goes
  /// first; some servers send it as the function gives it.
  package static func matches(_ value: [UInt8], _ hash: [UInt8]) -> Bool {
    value.count == AES128.size && (value == hash.reversed() || value == hash)
  }
}
