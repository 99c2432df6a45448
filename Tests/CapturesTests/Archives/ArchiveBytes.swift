/// A tar archive (POSIX, pax): headers of 512 bytes, contents padded to blocks of that size.
struct TarBytes {
  private(set) var bytes: [UInt8] = []

  init(_ entries: [(String, [UInt8])], links: [(String, String)] = []) {
    for (name, content) in entries {
      append(name, type: "0", size: content.count)
      bytes += content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }
    for (name, target) in links { append(name, type: "2", size: 0, target: target) }
    bytes += [UInt8](repeating: 0, count: 1024)
  }

  /// The same archive as it was written before POSIX: without the magic number.
  var old: [UInt8] {
    var old = bytes
    var place = 0
    while old[place] != 0 {
      for offset in 257..<265 { old[place + offset] = 0 }
      for offset in 148..<156 { old[place + offset] = 0x20 }
      let size = old[place + 124..<place + 135].reduce(0) { $0 << 3 | Int($1 & 7) }
      let sum = String(old[place..<place + 512].reduce(0) { $0 + Int($1) }, radix: 8)
      for (index, digit) in sum.utf8.enumerated() { old[place + 148 + index] = digit }
      place += 512 + (size + 511) / 512 * 512
    }
    return old
  }

  private mutating func append(_ name: String, type: Unicode.Scalar, size: Int, target: String = "")
  {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
    }
    func octal(_ number: Int) -> String {
      let digits = String(number, radix: 8)
      return String(repeating: "0", count: 11 - digits.count) + digits
    }
    put(name, at: 0)
    put("0000644", at: 100)
    put(octal(size), at: 124)
    put(octal(0), at: 136)
    put("        ", at: 148)
    header[156] = UInt8(ascii: type)
    put(target, at: 157)
    put("ustar\u{0}00", at: 257)
    let sum = header.reduce(0) { $0 + Int($1) }
    put(String(octal(sum).suffix(6)) + "\u{0} ", at: 148)
    bytes += header
  }
}

/// A gzip file of blocks that are not compressed (RFC 1952; RFC 1951, 3.2.4).
enum GzipBytes {
  static func make(_ content: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
    for start in stride(from: 0, through: content.count, by: 100) {
      let block = content[start..<min(start + 100, content.count)]
      let isLast = start + 100 > content.count
      bytes += [isLast ? 1 : 0, UInt8(block.count), 0, ~UInt8(block.count), 0xff] + block
    }
    return bytes + number(ZipBytes.checksum(content)) + number(content.count)
  }

  private static func number(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}

/// A ZIP archive of entries that are not compressed (APPNOTE 4.3.7, 4.3.12, 4.3.16).
struct ZipBytes {
  private(set) var bytes: [UInt8] = []

  init(_ entries: [(String, [UInt8])]) {
    var directory: [UInt8] = []
    for (name, content) in entries {
      // Version 2.0, no flags, stored, no time, checksum, both sizes, length of the name, no extra
      // field.
      let fields =
        Self.number(20, 2) + Self.number(0, 2) + Self.number(0, 2) + Self.number(0, 4)
        + Self.number(Self.checksum(content), 4) + Self.number(content.count, 4)
        + Self.number(content.count, 4) + Self.number(name.utf8.count, 2) + Self.number(0, 2)
      let offset = bytes.count
      directory += Self.number(0x0201_4b50, 4) + Self.number(0x0314, 2) + fields
      directory += Self.number(0, 2) + Self.number(0, 2) + Self.number(0, 2)
      directory += Self.number(0o100_644 << 16, 4) + Self.number(offset, 4) + Array(name.utf8)
      bytes += Self.number(0x0403_4b50, 4) + fields + Array(name.utf8) + content
    }
    let start = bytes.count
    bytes += directory + Self.number(0x0605_4b50, 4) + Self.number(0, 4)
    bytes += Self.number(entries.count, 2) + Self.number(entries.count, 2)
    bytes += Self.number(directory.count, 4) + Self.number(start, 4) + Self.number(0, 2)
  }

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns the CRC-32 (ISO 3309), as in RFC 1952.
  static func checksum(_ bytes: [UInt8]) -> Int {
    var sum: UInt32 = .max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
    }
    return Int(~sum)
  }
}

/// Android's summary of three packets: a command, its answer, and the start of 250 bytes of data.
enum SummaryBytes {
  /// The last packet's time in microseconds.
  static let lastTime: Int64 = 1_524_636_931_940_158

  static var version2: [UInt8] { make(2) }

  static func make(_ version: UInt8) -> [UInt8] {
    let time = (0..<8).map { UInt8(truncatingIfNeeded: lastTime >> (8 * Int64($0))) }
    return [version] + time + stream(records(version))
  }

  /// Returns the records, which the stream contains.
  static func records(_ version: UInt8) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ packet: [UInt8], of length: Int, after microseconds: Int, type: UInt8) {
      let lengths = version == 1 ? [packet.count + 1] : [packet.count + 1, length + 1]
      for length in lengths { bytes += [UInt8(length & 0xff), UInt8(length >> 8)] }
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: microseconds >> (8 * $0)) } + [type] + packet
    }
    // The first record's time difference is ignored.
    append([0x03, 0x0c, 0], of: 3, after: 7777, type: 0x20)
    append([0x0e, 4, 1, 3, 0x0c, 0], of: 6, after: 2000, type: 0x10)
    append([1, 0x20, 0xfa, 0, 0xf6, 0, 4], of: 254, after: 1000, type: 0x21)
    return bytes
  }

  /// Returns a zlib stream with one uncompressed block (RFC 1950; RFC 1951, 3.2.4).
  private static func stream(_ bytes: [UInt8]) -> [UInt8] {
    let count = UInt16(bytes.count)
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    let lengths = [count, ~count].flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    let sum = [b >> 8, b, a >> 8, a].map { UInt8(truncatingIfNeeded: $0) }
    return [0x78, 0x9c, 1] + lengths + bytes + sum
  }

  static func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = (0..<3).reduce(0) {
        $0 << 8 | Int(start + $1 < bytes.count ? bytes[start + $1] : 0)
      }
      for index in 0..<4 {
        text.append(index > group.count ? "=" : digits[bits >> (18 - 6 * index) & 0x3f])
      }
    }
    return text
  }
}
