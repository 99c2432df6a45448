/// The Database Hash of a server's declarations (Core, Vol 3, Part G, 7.3.1).
package enum DatabaseHash {
  private static let cipher = AES128(key: [UInt8](repeating: 0, count: AES128.size))

  /// One attribute in its hashed form: handle (2 bytes), type (2), and for declarations and
  /// extended properties the value; all least significant byte first.
  package struct Entry: Sendable {
    package let handle: UInt16
    /// The attribute's type, a 16-bit UUID.
    package let type: UInt16
    /// The attribute's value; empty for descriptors whose value a client may change.
    package let value: [UInt8]

    /// Creates an entry; returns nil if attributes of this type are not hashed.
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

    /// Appends the entry to the message.
    package func append(to message: inout [UInt8]) {
      for number in [handle, type] {
        message.append(UInt8(truncatingIfNeeded: number))
        message.append(UInt8(truncatingIfNeeded: number >> 8))
      }
      message += value
    }
  }

  /// Returns the hash of a message of entries in ascending order of handles: AES-CMAC with an
  /// all-zero key.
  package static func hash(of message: [UInt8]) -> [UInt8] {
    cipher?.authenticationCode(of: message) ?? []
  }

  /// Returns whether a characteristic's value is this hash. The hash is a number, so it is sent
  /// least significant byte first; some servers send it in the order of AES-CMAC.
  package static func matches(_ value: [UInt8], _ hash: [UInt8]) -> Bool {
    value.count == AES128.size && (value == hash.reversed() || value == hash)
  }
}

/// A comparison of messages that differ in one place with one hash. The bytes before that place are
/// hashed only once.
package struct DatabaseHashSearch: Sendable {
  private let message: [UInt8]
  /// The state after each whole block of the message.
  private var chains: [AES128.CodeChain] = []
  /// The hash in both byte orders; nil if it does not have 16 bytes.
  private let wanted: (UInt128, UInt128)?
  private var rest: [UInt8] = []
  /// The number of bytes hashed so far.
  package private(set) var hashed = 0

  /// Prepares a search around a message.
  package init(_ message: [UInt8], hash: [UInt8]) {
    self.message = message
    guard hash.count == AES128.size, let first = AES128.CodeChain.ofDatabases else {
      wanted = nil
      return
    }
    wanted = (
      PairingValue(mostSignificantFirst: hash).number,
      PairingValue(mostSignificantFirst: Array(hash.reversed())).number
    )
    chains.append(first)
    for index in 0..<message.count / AES128.size {
      var chain = chains[index]
      chain.absorb(AES128.number(message, at: index * AES128.size))
      chains.append(chain)
    }
    hashed = message.count
  }

  /// Returns whether the message has the hash if the bytes in `range` are replaced.
  package mutating func matches(replacing range: Range<Int>, with bytes: [UInt8]) -> Bool {
    guard let wanted else { return false }
    // The block in which the range begins; if the message ends there, the last block, which is
    // processed differently.
    let end = range.lowerBound + bytes.count + message.count - range.upperBound
    let block = min(range.lowerBound, max(0, end - 1)) / AES128.size
    rest.removeAll(keepingCapacity: true)
    rest.append(contentsOf: message[block * AES128.size..<range.lowerBound])
    rest.append(contentsOf: bytes)
    rest.append(contentsOf: message[range.upperBound...])
    hashed += rest.count
    let code = chains[block].code(rest)
    return code == wanted.0 || code == wanted.1
  }
}

extension AES128.CodeChain {
  /// The state at the start of every hash.
  fileprivate static let ofDatabases = AES128(key: [UInt8](repeating: 0, count: AES128.size)).map {
    AES128.CodeChain($0)
  }
}
