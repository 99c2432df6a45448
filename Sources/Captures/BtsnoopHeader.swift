package import Bytes

/// The contents of a btsnoop file's records: the header's last field.
///
/// 1001 to 1004 are from the snoop format's Bluetooth numbers, 2001 and 2002 from BlueZ
/// (`src/shared/btsnoop.h`).
@usableFromInline
package struct BtsnoopDatalink: RawRepresentable, Equatable, Sendable {
  @usableFromInline package var rawValue: UInt32

  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// HCI packets without a type byte; the record's flags determine the type.
  package static let h1 = Self(rawValue: 1001)
  /// HCI packets preceded by the UART transport's type byte.
  package static let h4 = Self(rawValue: 1002)
  /// BlueCore Serial Protocol; not read.
  package static let bcsp = Self(rawValue: 1003)
  /// The three-wire UART transport; not read.
  package static let h5 = Self(rawValue: 1004)
  /// The Linux monitor channel, as `btmon -w` writes it.
  package static let linuxMonitor = Self(rawValue: 2001)
  /// BlueZ's simulator; not read.
  package static let simulator = Self(rawValue: 2002)

  /// The datalink's name, or nil for an unassigned number.
  package var name: String? {
    switch self {
    case .h1: "HCI (H1)"
    case .h4: "HCI UART (H4)"
    case .bcsp: "BCSP"
    case .h5: "H5, three-wire UART"
    case .linuxMonitor: "Linux monitor"
    case .simulator: "simulator"
    default: nil
    }
  }

  /// Whether records of this datalink can be read.
  package var isReadable: Bool { self == .h1 || self == .h4 || self == .linuxMonitor }
}

/// The 16 bytes that begin a btsnoop file, most significant byte first.
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 8 | `btsnoop` and a zero byte |
/// | 8 | 4 | version, 1 |
/// | 12 | 4 | datalink |
package struct BtsnoopHeader: Equatable, Sendable {
  /// The length of the header in bytes.
  package static let byteCount = 16
  /// `btsnoop` and a zero byte.
  package static let magic: UInt64 = 0x6274_736e_6f6f_7000
  /// The only version that exists.
  package static let version: UInt32 = 1

  package var version: UInt32
  /// The contents of the records.
  package var datalink: BtsnoopDatalink

  /// Reads the header. The magic number is skipped; `CaptureFormat.detect` has checked it.
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    _ = try cursor.bigEndianU64()
    version = try cursor.bigEndianU32()
    datalink = BtsnoopDatalink(rawValue: try cursor.bigEndianU32())
  }
}

/// The 24 bytes before each packet, most significant byte first.
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 4 | original length of the packet |
/// | 4 | 4 | included length: number of packet bytes that follow |
/// | 8 | 4 | flags |
/// | 12 | 4 | cumulative drops |
/// | 16 | 8 | microseconds, signed, since the format's year 0 |
///
/// Flags of datalinks 1001 and 1002: bit 0 received, bit 1 command or event (bit 1 is unreliable in
/// 1002, whose packets have a type byte). Flags of 2001: bits 31 to 16 the adapter index (0xffff
/// for none), bits 15 to 0 the monitor opcode.
package struct BtsnoopRecordHeader: Equatable, Sendable {
  /// The length of the header in bytes.
  package static let byteCount = 24
  /// Seconds from the format's year 0 to 1970: 0x00dcddb30f2f8000 µs.
  package static let secondsBefore1970: Int64 = 62_168_256_000

  /// The packet's length on the wire.
  package var originalLength: UInt32
  /// The number of packet bytes in the record.
  package var includedLength: UInt32
  /// Direction and kind, or adapter and opcode.
  package var flags: UInt32
  /// The number of records that the writer has lost since it started.
  package var cumulativeDrops: UInt32
  /// The time as stored.
  package var microseconds: Int64

  /// Reads the five fields, two at a time, since this runs once per record.
  @inline(__always)
  package init(parsing cursor: inout Cursor) throws(ParseError) {
    let lengths = try cursor.bigEndianU64()
    originalLength = UInt32(lengths >> 32)
    includedLength = UInt32(truncatingIfNeeded: lengths)
    let flagsAndDrops = try cursor.bigEndianU64()
    flags = UInt32(flagsAndDrops >> 32)
    cumulativeDrops = UInt32(truncatingIfNeeded: flagsAndDrops)
    microseconds = Int64(bitPattern: try cursor.bigEndianU64())
  }
}
