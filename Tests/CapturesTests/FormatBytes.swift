/// A sequence of numbers in either byte order.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []
  let isBigEndian: Bool

  init(bigEndian isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  mutating func put(_ value: some FixedWidthInteger) {
    let shifts = stride(from: 0, to: value.bitWidth, by: 8)
    for shift in isBigEndian ? shifts.reversed() : Array(shifts) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func put(_ more: [UInt8]) { bytes += more }

  /// Appends zeros up to the next multiple of four.
  mutating func pad() { while bytes.count % 4 != 0 { bytes.append(0) } }
}

/// A pcap file under construction.
struct PcapBytes {
  private var writer: ByteWriter
  var bytes: [UInt8] { writer.bytes }

  init(
    link: UInt32, nanoseconds: Bool = false, bigEndian: Bool = false, snapshot: UInt32 = 262_144,
    version: (UInt16, UInt16) = (2, 4)
  ) {
    writer = ByteWriter(bigEndian: bigEndian)
    writer.put(nanoseconds ? 0xa1b2_3c4d : 0xa1b2_c3d4 as UInt32)
    writer.put(version.0)
    writer.put(version.1)
    writer.put(0 as UInt64)
    writer.put(snapshot)
    writer.put(link)
  }

  /// Appends a record. The lengths are the data's by default.
  mutating func record(
    _ data: [UInt8], seconds: UInt32 = 0, fraction: UInt32 = 0, captured: UInt32? = nil,
    original: UInt32? = nil
  ) {
    writer.put(seconds)
    writer.put(fraction)
    writer.put(captured ?? UInt32(data.count))
    writer.put(original ?? captured ?? UInt32(data.count))
    writer.put(data)
  }
}

/// A pcapng file under construction; blocks have the byte order of the last section.
struct PcapngBytes {
  private(set) var bytes: [UInt8] = []
  private var isBigEndian = false

  init() {}

  mutating func removeLast(_ count: Int) { bytes.removeLast(count) }

  /// Appends a block. Its lengths, `first` and `last`, are correct by default.
  mutating func block(
    _ type: UInt32, first: UInt32? = nil, last: UInt32? = nil, _ body: (inout ByteWriter) -> Void
  ) {
    var inner = ByteWriter(bigEndian: isBigEndian)
    body(&inner)
    inner.pad()
    let total = UInt32(inner.bytes.count + 12)
    var outer = ByteWriter(bigEndian: isBigEndian)
    outer.put(type)
    outer.put(first ?? total)
    outer.put(inner.bytes)
    outer.put(last ?? first ?? total)
    bytes += outer.bytes
  }

  mutating func section(bigEndian: Bool = false, major: UInt16 = 1) {
    isBigEndian = bigEndian
    block(0x0a0d_0d0a) {
      $0.put(0x1a2b_3c4d as UInt32)
      $0.put(major)
      $0.put(0 as UInt16)
      $0.put(-1 as Int64)
    }
  }

  mutating func interface(
    _ link: UInt16, snapshot: UInt32 = 0, resolution: UInt8? = nil, offset: Int64? = nil
  ) {
    block(1) {
      $0.put(link)
      $0.put(0 as UInt16)
      $0.put(snapshot)
      if let resolution { Self.option(9, [resolution], &$0) }
      if let offset {
        var value = ByteWriter(bigEndian: $0.isBigEndian)
        value.put(offset)
        Self.option(14, value.bytes, &$0)
      }
      if resolution != nil || offset != nil { $0.put(0 as UInt32) }
    }
  }

  static func option(_ code: UInt16, _ value: [UInt8], _ writer: inout ByteWriter) {
    writer.put(code)
    writer.put(UInt16(value.count))
    writer.put(value)
    writer.pad()
  }

  /// Appends an Enhanced Packet Block.
  mutating func packet(
    _ data: [UInt8], interface: UInt32 = 0, ticks: UInt64 = 0, captured: UInt32? = nil,
    original: UInt32? = nil, flags: UInt32? = nil, comments: [String] = [], drops: UInt64? = nil
  ) {
    block(6) {
      $0.put(interface)
      $0.put(UInt32(ticks >> 32))
      $0.put(UInt32(truncatingIfNeeded: ticks))
      $0.put(captured ?? UInt32(data.count))
      $0.put(original ?? captured ?? UInt32(data.count))
      $0.put(data)
      $0.pad()
      for comment in comments { Self.option(1, Array(comment.utf8), &$0) }
      if let flags {
        var value = ByteWriter(bigEndian: $0.isBigEndian)
        value.put(flags)
        Self.option(2, value.bytes, &$0)
      }
      if let drops {
        var value = ByteWriter(bigEndian: $0.isBigEndian)
        value.put(drops)
        Self.option(4, value.bytes, &$0)
      }
    }
  }

  mutating func simple(_ data: [UInt8], original: UInt32? = nil) {
    block(3) {
      $0.put(original ?? UInt32(data.count))
      $0.put(data)
    }
  }

  /// Appends a Packet Block of the first drafts.
  mutating func old(_ data: [UInt8], interface: UInt16 = 0, drops: UInt16 = 0, ticks: UInt64 = 0) {
    block(2) {
      $0.put(interface)
      $0.put(drops)
      $0.put(UInt32(ticks >> 32))
      $0.put(UInt32(truncatingIfNeeded: ticks))
      $0.put(UInt32(data.count))
      $0.put(UInt32(data.count))
      $0.put(data)
    }
  }
}

/// A PacketLogger file under construction.
struct PacketLoggerBytes {
  private var writer: ByteWriter
  var bytes: [UInt8] { writer.bytes }

  init(bigEndian: Bool) { writer = ByteWriter(bigEndian: bigEndian) }

  mutating func record(
    _ type: UInt8, _ payload: [UInt8], seconds: UInt32 = 0x6000_0000, microseconds: UInt32 = 0,
    length: UInt32? = nil
  ) {
    writer.put(length ?? UInt32(payload.count + 9))
    writer.put(seconds)
    writer.put(microseconds)
    writer.put(type)
    writer.put(payload)
  }
}
