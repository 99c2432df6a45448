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

/// Messages that differ in one place from one another, held against one hash: what stands before that place is
/// hashed once for all.
package struct DatabaseHashSearch: Sendable {
  private let message: [UInt8]
  /// What all whole blocks up to each one come to.
  private var chains: [AES128.CodeChain] = []
  /// The hash in both orders of its bytes; nil where it is none.
  private let wanted: (UInt128, UInt128)?
  private var rest: [UInt8] = []
  /// How many bytes were hashed so far.
  package private(set) var hashed = 0

  /// A search around a message.
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
      chain.take(AES128.number(message, at: index * AES128.size))
      chains.append(chain)
    }
    hashed = message.count
  }

  /// Whether the message comes to the hash, with other bytes in the place of some of its own.
  package mutating func matches(replacing range: Range<Int>, with bytes: [UInt8]) -> Bool {
    guard let wanted else { return false }
    // The block in which it begins, and of a message that ends there the last one: that is closed apart.
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
  /// The beginning of every hash.
  fileprivate static let ofDatabases = AES128(key: [UInt8](repeating: 0, count: AES128.size)).map {
    AES128.CodeChain($0)
  }
}
