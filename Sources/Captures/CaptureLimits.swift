/// What a capture may claim before it is not believed.
package enum CaptureLimits {
  /// The most bytes that a record can have. HCI's largest packet has 65 539 and Wireshark stops at
  /// 262 144; a record that claims more than this is damage.
  package static let recordBytes = 1 << 20

  /// The most bytes of a pcap record: what libpcap reads at most (`MAXIMUM_SNAPLEN`).
  package static let pcapRecordBytes = 262_144

  /// The most bytes of a pcapng block that is read: a packet of `recordBytes` and as much again of
  /// options. Blocks of other kinds are skipped in pieces and may have any length.
  package static let blockBytes = 2 << 20

  /// The most interfaces of one pcapng section; each is remembered.
  package static let interfaces = 4096

  /// How many other link types are counted one by one.
  package static let otherLinkTypes = 16

  /// Where files overlap in time: how many records of the earlier one are remembered to find them
  /// again in the later one.
  package static let overlapRecords = 65_536

  /// The most entries of an archive, including those of inner archives.
  package static let entries = 200_000

  /// How many archives deep entries are read.
  package static let archiveDepth = 2

  /// The most logs read from one archive.
  package static let logs = 64

  /// The most bytes kept of an entry's name.
  static let nameBytes = 1024

  /// The most bytes of logs in unnamed files.
  static let spooledBytes: Int64 = 4 << 30

  /// The most bytes of a text that are searched for summaries, and of one line.
  static let textBytes: Int64 = 1 << 30
  static let lineBytes = 4096

  /// The most inflated bytes of one of Android's summaries; phones keep 1 MB at most.
  package static let summaryBytes = 16 << 20

  /// The bytes that are read ahead.
  package static let bufferBytes = 1 << 18
}
