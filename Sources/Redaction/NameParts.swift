import Bytes

/// Parts of long names that are read piece by piece, found by their offset and their first bytes.
struct NameParts: Sendable {
  private let names: [[UInt8]]
  /// The places in names where a part may begin: a hash of the offset and the bytes there, with the
  /// number of the name in the low bits. In ascending order.
  private var places: [UInt64] = []

  /// The offset of a part, and its first bytes.
  private struct Key: Hashable {
    let offset: Int
    let bytes: UInt64

    init(_ bytes: some Collection<UInt8>, at offset: Int) {
      self.offset = offset
      self.bytes = Array(bytes.prefix(NameParts.head)).littleEndianNumber
    }

    /// The bits above the number of a name.
    var place: UInt64 { UInt64(truncatingIfNeeded: hashValue) & ~NameParts.numbers }
  }

  /// The most bytes of a part that are compared before the name itself is.
  private static let head = 8
  /// The most entries; a part that is not listed has a pseudonym of its own.
  private static let most = 1 << 20
  /// The bits of a name's number.
  private static let numbers: UInt64 = 1 << 20 - 1

  init(_ book: NameBook) {
    names = book.listed
    let count = names.reduce(0) { $0 + $1.count }
    places.reserveCapacity(min(count, Self.most))
    for (number, name) in names.prefix(Int(Self.numbers)).enumerated() {
      // A part that ends with the name may be shorter than what is compared.
      for offset in name.indices.dropFirst().prefix(Self.most - places.count) {
        places.append(Key(name[offset...], at: offset).place | UInt64(number))
      }
    }
    places.sort()
  }

  /// Returns the first name in which a part may begin like this.
  private func name(with key: Key) -> [UInt8]? {
    let first = key.place
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < first { low = middle + 1 } else { high = middle }
    }
    for place in places[low...] {
      guard place & ~Self.numbers == first else { return nil }
      let name = names[Int(place & Self.numbers)]
      if key.offset < name.count, Key(name[key.offset...], at: key.offset) == key { return name }
    }
    return nil
  }

  /// Returns the pseudonym of a part that begins at `offset`: the part of a known name's pseudonym,
  /// if a name contains the part there.
  func pseudonym(of part: RawSpan, at offset: Int, _ book: NameBook) -> [UInt8] {
    let part = part.array
    let kept = part.count - NameBook.trimmed(part).count
    let bytes = Array(part.dropLast(kept))
    guard !book.keepsNames, let name = name(with: Key(bytes, at: offset)),
      name.dropFirst(offset).starts(with: bytes)
    else { return book[part] }
    return Array(book[name].dropFirst(offset).prefix(bytes.count))
      + [UInt8](repeating: 0, count: kept)
  }
}
