/// The limits beyond which a capture's claims are treated as damage or ignored.
package enum CaptureLimits {
  /// The maximum number of bytes in a record. HCI's largest packet has 65 539 and Wireshark's limit
  /// is 262 144; a record that claims more than this is damage.
  package static let recordBytes = 1 << 20

  /// The maximum number of bytes in a pcap record, which is libpcap's limit (`MAXIMUM_SNAPLEN`).
  package static let pcapRecordBytes = 262_144

  /// The maximum number of bytes in a pcapng block that is read: a packet of `recordBytes` and as
  /// much again for options. Blocks of other kinds are skipped in pieces and may have any length.
  package static let blockBytes = 2 << 20

  /// The maximum number of interfaces in a pcapng section. Each is stored.
  package static let interfaces = 4096

  /// The number that sniffers are counted from where the number of controllers is not known.
  static let controllers: UInt16 = 256

  /// The number of other link types that are counted separately.
  package static let otherLinkTypes = 16

  /// If files overlap in time: the number of records of the earlier file that are remembered to
  /// find them again in the later one.
  package static let overlapRecords = 65_536

  /// The maximum number of entries in an archive, including those of inner archives.
  package static let entries = 200_000

  /// The number of nested archive levels whose entries are read.
  package static let archiveDepth = 2

  /// The maximum number of logs read from one archive.
  package static let logs = 64

  /// The maximum number of bytes kept of an entry's name.
  static let nameBytes = 1024

  /// The maximum number of bytes of logs in unnamed files.
  static let spooledBytes: Int64 = 4 << 30

  /// The maximum number of bytes of a text that are searched for summaries, and of one line.
  static let textBytes: Int64 = 1 << 30
  static let lineBytes = 4096

  /// The number of bytes that any input may unpack to, with everything in it, and how many times
  /// its own size it may unpack to in addition.
  static let unpackedBytes: Int64 = 256 << 20
  static let unpackedTimes: Int64 = 100

  /// The maximum number of bytes that any input may unpack to.
  static let decompressedBytes: Int64 = 16 << 30

  /// The number of bytes of memory that decompressors and processes that read archives may have
  /// together. What xz -9 writes needs 65 MB.
  static let unpackingMemory = 80 << 20

  /// The processor time that processes may use to read archives of one input, in seconds; another
  /// second for each megabyte of it.
  static let unpackingSeconds = 10

  /// The maximum number of inflated bytes of one Android summary, and of all encoded ones in a
  /// text; phones keep at most 1 MB.
  package static let summaryBytes = 16 << 20

  /// The number of bytes read ahead.
  package static let bufferBytes = 1 << 18
}
