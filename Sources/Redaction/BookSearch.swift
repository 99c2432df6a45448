import Bluetooth
import Bytes

/// Finds what is known about a capture (addresses, secrets, names) anywhere: in vendors' messages,
/// values, texts. Addresses and secrets are found in both byte orders, names forwards and
/// backwards, in lower and upper case and in UTF-16, and addresses also as text and in the forms
/// used in a System ID. Addresses that are almost one of the capture are found, too.
struct BookSearch: Sendable {
  /// Something known that was found.
  struct Found {
    let kind: RedactionReport.Elsewhere
    let slice: Slice
    let replacement: [UInt8]
  }

  private let addresses: AddressBook
  private let patterns: SearchPatterns
  /// One bit for each hash of the first six bytes of a pattern: most bytes are ruled out here.
  private var marks = [UInt64](repeating: 0, count: 1 << 10)
  /// The same for the four middle bytes of addresses that have relatives.
  private var middles = [UInt64](repeating: 0, count: 1 << 10)

  private static let windowBytes = SearchPatterns.least
  /// The most bytes of the other forms of names and serial numbers.
  private static let mostFormBytes = 1 << 16

  init(_ books: Books) {
    addresses = books.addresses
    var all: [SearchPatterns.Pattern] = []
    func add(_ kind: RedactionReport.Elsewhere, _ bytes: [UInt8], _ other: [UInt8]) {
      all.append(SearchPatterns.Pattern(kind: kind, bytes: bytes, replacement: other))
      all.append(
        SearchPatterns.Pattern(kind: kind, bytes: bytes.reversed(), replacement: other.reversed()))
    }
    for secret in books.keys.searched { add(.secret, secret, books.keys[secret]) }
    var formBytes = 0
    for (kind, book) in [
      (RedactionReport.Elsewhere.name, books.names), (.serial, books.serials),
    ] {
      for text in book.searched {
        add(kind, text, book[text])
        formBytes += 6 * text.count
        guard formBytes <= Self.mostFormBytes else { continue }
        for (form, other) in Self.forms(text, book[text]) {
          all.append(SearchPatterns.Pattern(kind: kind, bytes: form, replacement: other))
        }
      }
    }
    for beacon in books.beacons.searched {
      add(.beacon, beacon, books.beacons[beacon])
      for (text, other) in zip(Self.texts(beacon), Self.texts(books.beacons[beacon])) {
        all.append(SearchPatterns.Pattern(kind: .beacon, bytes: text, replacement: other))
      }
    }
    patterns = SearchPatterns(all)
    for pattern in all {
      mark(Array(pattern.bytes.prefix(Self.windowBytes)).littleEndianNumber)
    }
    for address in addresses.addresses where !address.isCommonplace {
      mark(address.value)
      mark(address.reversed.value)
    }
    for middle in addresses.middles {
      for bytes in [middle, middle.byteSwapped] {
        let place = Self.place(UInt64(bytes))
        middles[place.word] |= place.bit
      }
    }
  }

  /// Returns other forms of a text, each with that of its pseudonym: in lower and upper case, and
  /// in UTF-16.
  private static func forms(
    _ text: [UInt8], _ pseudonym: [UInt8]
  ) -> [(text: [UInt8], pseudonym: [UInt8])] {
    func cased(_ text: [UInt8], _ first: UInt8) -> [UInt8] {
      text.map { first...first + 25 ~= $0 ? $0 ^ 0x20 : $0 }
    }
    func wide(_ units: some Sequence<UInt16>, isBig: Bool) -> [UInt8] {
      units.flatMap {
        isBig ? [UInt8($0 >> 8), UInt8($0 & 0xff)] : [UInt8($0 & 0xff), UInt8($0 >> 8)]
      }
    }
    let units = Array(String(decoding: text, as: UTF8.self).utf16)
    let others = pseudonym.prefix(units.count).map { UInt16($0) }
    return [0x41, 0x61].map { (cased(text, $0), cased(pseudonym, $0)) }
      + [false, true].map { (wide(units, isBig: $0), wide(others, isBig: $0)) }
  }

  /// Returns the spellings of a UUID: with and without dashes, in lower and upper case.
  private static func texts(_ uuid: [UInt8]) -> [[UInt8]] {
    guard uuid.count == 16 else { return [] }
    var plain: [UInt8] = []
    var dashed: [UInt8] = []
    for (place, byte) in uuid.enumerated() {
      if [4, 6, 8, 10].contains(place) { dashed.append(0x2d) }
      let digits = [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }
      plain += digits
      dashed += digits
    }
    return [plain, dashed].flatMap { text in
      [text, text.map { $0 >= 0x61 ? $0 - 0x20 : $0 }]
    }
  }

  /// Returns the position of the bit of six bytes.
  private static func place(_ window: UInt64) -> (word: Int, bit: UInt64) {
    let hash = (window &* 0x9e37_79b9_7f4a_7c15) >> 48
    return (Int(hash >> 6), 1 << (hash & 63))
  }

  private mutating func mark(_ window: UInt64) {
    let place = Self.place(window)
    marks[place.word] |= place.bit
  }

  /// Returns the first thing found from `start` on.
  func first(in bytes: RawSpan, from start: Int) -> Found? {
    var offset = start
    var window: UInt64 = 0
    for index in 0..<Self.windowBytes {
      window |= UInt64(bytes.byte(at: offset + index)) << (8 * index)
    }
    while offset + Self.windowBytes <= bytes.byteCount {
      if let found = find(window, bytes, at: offset) { return found }
      window = window >> 8 | UInt64(bytes.byte(at: offset + Self.windowBytes)) << 40
      offset += 1
    }
    return nil
  }

  private func find(_ window: UInt64, _ bytes: RawSpan, at offset: Int) -> Found? {
    let place = Self.place(window)
    if marks[place.word] & place.bit != 0, let found = findExact(window, bytes, at: offset) {
      return found
    }
    let relative = Self.place(window >> 8 & 0xffff_ffff)
    if middles[relative.word] & relative.bit != 0,
      let replacement = self.relative(DeviceAddress(value: window))
    {
      return Found(
        kind: .address, slice: Slice(start: offset, count: Self.windowBytes),
        replacement: replacement)
    }
    let middle = window >> 24 & 0xffff
    if middle == 0xfeff || middle == 0xfffe || middle == 0,
      let other = ExtendedAddress(bytes, at: offset)?.replaced(addresses)
    {
      return Found(
        kind: .address, slice: Slice(start: offset, count: ExtendedAddress.byteCount),
        replacement: other)
    }
    guard WrittenAddress.digit(UInt8(truncatingIfNeeded: window)) != nil,
      WrittenAddress.digit(UInt8(truncatingIfNeeded: window >> 8)) != nil
    else { return nil }
    return findWritten(bytes, at: offset)
  }

  private func findExact(_ window: UInt64, _ bytes: RawSpan, at offset: Int) -> Found? {
    if let pattern = patterns.longest(in: bytes, at: offset) {
      return Found(
        kind: pattern.kind, slice: Slice(start: offset, count: pattern.bytes.count),
        replacement: pattern.replacement)
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

  /// Returns the pseudonym of an address, in either byte order, that is almost one of the capture.
  private func relative(_ address: DeviceAddress) -> [UInt8]? {
    if addresses.containsRelative(of: address) { return addresses[address].bytes }
    let reversed = address.reversed
    return addresses.containsRelative(of: reversed) ? addresses[reversed].bytes.reversed() : nil
  }

  private func findWritten(_ bytes: RawSpan, at offset: Int) -> Found? {
    var text = bytes.part(Slice(start: offset, count: 17)).array
    guard let written = WrittenAddress(text, at: 0),
      addresses.contains(written.address) || addresses.containsRelative(of: written.address)
    else { return nil }
    written.write(addresses[written.address], into: &text, at: 0)
    return Found(
      kind: .address, slice: Slice(start: offset, count: written.count),
      replacement: Array(text.prefix(written.count)))
  }
}

// MARK: Replacing

extension BookSearch {
  /// The findings, and whether they were replaced.
  struct Outcome {
    let kind: RedactionReport.Elsewhere
    /// False: all its bytes carry structure.
    let isReplaced: Bool
  }

  /// Replaces everything that is found, except bytes that carry structure. If some of its bytes do,
  /// the others are replaced, so that it is no longer there.
  func replace(in bytes: inout [UInt8], sparing uses: ByteUses) -> [Outcome] {
    var outcomes: [Outcome] = []
    var offset = 0
    while let found = first(in: bytes.bytes, from: offset) {
      let range = Int(found.slice.start)..<found.slice.end
      let open = range.filter { uses.mayChange($0, found.kind) }
      outcomes.append(Outcome(kind: found.kind, isReplaced: !open.isEmpty))
      for index in open { bytes[index] = found.replacement[index - range.lowerBound] }
      // What extends into headers may overlap with something else.
      offset = open.count == range.count ? range.upperBound : range.lowerBound + 1
    }
    if outcomes.contains(where: { $0.isReplaced }) { clear(&bytes, sparing: uses) }
    return outcomes
  }

  /// Zeroes what is still found: it overlapped with something else, or so little of it was replaced
  /// that it stayed the same by chance.
  private func clear(_ bytes: inout [UInt8], sparing uses: ByteUses) {
    var offset = 0
    while let found = first(in: bytes.bytes, from: offset) {
      offset = Int(found.slice.start) + 1
      for index in Int(found.slice.start)..<found.slice.end
      where uses.mayChange(index, found.kind) {
        bytes[index] = bytes[index] == 0 ? 0xff : 0
      }
    }
  }
}

extension DeviceAddress {
  /// The address with its bytes in the reverse order.
  fileprivate var reversed: DeviceAddress { DeviceAddress(value: value.byteSwapped >> 16) }
}
