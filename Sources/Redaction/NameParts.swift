import Bytes

/// Parts of long names that are read piece by piece, found by their offset and their first bytes.
struct NameParts: Sendable {
  private let names: [[UInt8]]
  /// By the offset of a part and its first bytes, the first name that contains it there.
  private var places: [Key: Int32] = [:]

  private struct Key: Hashable {
    let offset: Int
    let bytes: UInt64
  }

  /// The most bytes of a part that are compared before the name itself is.
  private static let head = 8
  /// The most entries; a part that is not listed has a pseudonym of its own.
  private static let most = 1 << 20

  init(_ book: NameBook) {
    names = book.listed
    for (number, name) in names.enumerated() where places.count < Self.most {
      // A part that ends with the name may be shorter than what is compared.
      for offset in name.indices.dropFirst() {
        let key = Key(
          offset: offset, bytes: Array(name[offset...].prefix(Self.head)).littleEndianNumber)
        if places[key] == nil { places[key] = Int32(number) }
      }
    }
  }

  /// Returns the pseudonym of a part that begins at `offset`: the part of a known name's pseudonym,
  /// if a name contains the part there.
  func pseudonym(of part: RawSpan, at offset: Int, _ book: NameBook) -> [UInt8] {
    let part = part.array
    let kept = part.count - NameBook.trimmed(part).count
    let bytes = Array(part.dropLast(kept))
    let key = Key(offset: offset, bytes: Array(bytes.prefix(Self.head)).littleEndianNumber)
    guard !book.keepsNames, let number = places[key],
      names[Int(number)].dropFirst(offset).starts(with: bytes)
    else { return book[part] }
    return Array(book[names[Int(number)]].dropFirst(offset).prefix(bytes.count))
      + [UInt8](repeating: 0, count: kept)
  }
}
