import Bluetooth
import Bytes

/// Looks for what is known of a capture (addresses, secrets, names) wherever it stands: in vendors' messages,
/// values, texts. Addresses and secrets in both byte orders, names forwards and backwards, addresses also as
/// text and in the form in which a System ID holds one (EUI-64).
struct Search: Sendable {
  /// Something known.
  struct Found {
    let kind: RedactionReport.Elsewhere
    let slice: Slice
    let replacement: [UInt8]
  }

  /// Bytes to find that are longer than an address.
  private struct Pattern: Sendable {
    let kind: RedactionReport.Elsewhere
    let bytes: [UInt8]
    let replacement: [UInt8]
  }

  private let addresses: AddressBook
  /// By their first six bytes as a number.
  private var patterns: [UInt64: [Pattern]] = [:]
  /// A bit for each hash of six bytes that something begins with: most bytes are told apart here.
  private var marks = [UInt64](repeating: 0, count: 1 << 10)

  private static let windowBytes = 6

  init(_ books: Books) {
    addresses = books.addresses
    for address in addresses.addresses where !address.isCommonplace {
      mark(address.value)
      mark(address.reversed.value)
    }
    for secret in books.keys.searched { add(.secret, secret, books.keys[secret]) }
    for name in books.names.searched { add(.name, name, books.names[name]) }
    for serial in books.serials.searched { add(.serial, serial, books.serials[serial]) }
    // A shortened name is the beginning of the complete one, which is to be found.
    for window in patterns.keys { patterns[window]?.sort { $0.bytes.count > $1.bytes.count } }
  }

  private mutating func add(
    _ kind: RedactionReport.Elsewhere, _ bytes: [UInt8], _ replacement: [UInt8]
  ) {
    for (bytes, replacement) in [
      (bytes, replacement), (bytes.reversed(), replacement.reversed()),
    ] {
      let window = Array(bytes.prefix(Self.windowBytes)).littleEndianNumber
      mark(window)
      patterns[window, default: []].append(
        Pattern(kind: kind, bytes: bytes, replacement: replacement))
    }
  }

  /// Where the bit of six bytes stands.
  private static func place(_ window: UInt64) -> (word: Int, bit: UInt64) {
    let hash = (window &* 0x9e37_79b9_7f4a_7c15) >> 48
    return (Int(hash >> 6), 1 << (hash & 63))
  }

  private mutating func mark(_ window: UInt64) {
    let place = Self.place(window)
    marks[place.word] |= place.bit
  }

  /// All that is found, in its order; nothing lies in two finds.
  func all(in bytes: RawSpan) -> [Found] {
    var found: [Found] = []
    var offset = 0
    var window: UInt64 = 0
    for index in 0..<Self.windowBytes { window |= UInt64(bytes.byte(at: index)) << (8 * index) }
    while offset + Self.windowBytes <= bytes.byteCount {
      let next = find(window, bytes, at: offset)
      if let next { found.append(next) }
      let end = offset + (next.map { Int($0.slice.count) } ?? 1)
      while offset < end {
        window = window >> 8 | UInt64(bytes.byte(at: offset + Self.windowBytes)) << 40
        offset += 1
      }
    }
    return found
  }

  private func find(_ window: UInt64, _ bytes: RawSpan, at offset: Int) -> Found? {
    let place = Self.place(window)
    if marks[place.word] & place.bit != 0, let found = findExact(window, bytes, at: offset) {
      return found
    }
    // FF FE in the middle of an EUI-64, or FE FF where that is least significant byte first.
    let middle = window >> 24 & 0xffff
    if middle == 0xfeff || middle == 0xfffe, let found = findExtended(bytes, at: offset) {
      return found
    }
    guard WrittenAddress.digit(UInt8(truncatingIfNeeded: window)) != nil,
      WrittenAddress.digit(UInt8(truncatingIfNeeded: window >> 8)) != nil
    else { return nil }
    return findWritten(bytes, at: offset)
  }

  private func findExact(_ window: UInt64, _ bytes: RawSpan, at offset: Int) -> Found? {
    for pattern in patterns[window] ?? [] {
      let slice = Slice(start: offset, count: pattern.bytes.count)
      if bytes.part(slice).isEqual(to: pattern.bytes.bytes) {
        return Found(kind: pattern.kind, slice: slice, replacement: pattern.replacement)
      }
    }
    let slice = Slice(start: offset, count: Self.windowBytes)
    let address = DeviceAddress(value: window)
    if addresses.contains(address), !address.isCommonplace {
      return Found(kind: .address, slice: slice, replacement: addresses[address].bytes)
    }
    if addresses.contains(address.reversed), !address.isCommonplace {
      return Found(
        kind: .address, slice: slice, replacement: addresses[address.reversed].bytes.reversed())
    }
    return nil
  }

  /// An address with two bytes between its halves.
  private func findExtended(_ bytes: RawSpan, at offset: Int) -> Found? {
    let slice = Slice(start: offset, count: 8)
    guard slice.end <= bytes.byteCount else { return nil }
    let all = bytes.part(slice).array
    let parts = Array(all[..<3]) + Array(all[5...])
    for isReversed in [false, true] {
      let octets = isReversed ? parts.reversed() : parts
      let address = DeviceAddress(value: octets.littleEndianNumber)
      guard addresses.contains(address) else { continue }
      let other = addresses[address].bytes
      let replacement = isReversed ? other.reversed() : other
      return Found(
        kind: .address, slice: slice,
        replacement: Array(replacement[..<3]) + Array(all[3..<5]) + Array(replacement[3...]))
    }
    return nil
  }

  private func findWritten(_ bytes: RawSpan, at offset: Int) -> Found? {
    var text = bytes.part(Slice(start: offset, count: 17)).array
    guard let written = WrittenAddress(text, at: 0), addresses.contains(written.address) else {
      return nil
    }
    written.write(addresses[written.address], into: &text, at: 0)
    return Found(
      kind: .address, slice: Slice(start: offset, count: written.count),
      replacement: Array(text.prefix(written.count)))
  }
}

extension DeviceAddress {
  /// The address with its bytes in the other order.
  fileprivate var reversed: DeviceAddress { DeviceAddress(value: value.byteSwapped >> 16) }
}
