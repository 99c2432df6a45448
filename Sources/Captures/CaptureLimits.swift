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

  /// The entries of an archive, and of those in it.
  package static let entries = 200_000

  /// How deep archives may be in archives.
  package static let archiveDepth = 2

  /// The logs of one archive.
  package static let logs = 64

  /// The bytes of an entry's name that are kept.
  static let nameBytes = 1024

  /// The bytes of logs that are kept in unnamed files.
  static let spooledBytes: Int64 = 4 << 30

  /// The bytes of a text that is searched for summaries, and of one of its lines.
  static let textBytes: Int64 = 1 << 30
  static let lineBytes = 4096

  /// The inflated bytes of one of Android's summaries: the phone keeps 1 MB at most.
  package static let summaryBytes = 16 << 20

  /// The bytes that are read ahead.
  package static let bufferBytes = 1 << 18
}
