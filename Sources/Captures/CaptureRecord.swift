package import Bluetooth
import Bytes

/// One record of a capture. It is valid only until the next one is requested, since its bytes are
/// borrowed from the input buffer.
package struct CaptureRecord: ~Escapable {
  /// The form of the record's bytes.
  package enum Framing: Equatable, Sendable {
    /// An H4 packet type byte, then the packet (btsnoop datalink 1002; link types 187 and 201).
    case h4
    /// Only the packet; the record's header gave its type (btsnoop datalink 1001, PacketLogger).
    case h1(PacketKind)
    /// The form defined by this opcode of the Linux monitor (btsnoop datalink 2001, link type 254).
    case monitor(opcode: UInt16)
    /// A PacketLogger record that is not a packet, with its type.
    case packetLogger(type: UInt8)
    /// A Link Layer packet, after the header of the sniffer that recorded it.
    case air(SnifferFormat)
    /// Unreadable: the link type's own header has `needed` bytes, and not all of them exist.
    case incomplete(needed: Int)

    /// Whether a sniffer recorded it.
    package var isFromAir: Bool { if case .air = self { true } else { false } }
  }

  /// The packet types that a record's header can distinguish; H1 knows only the first three.
  package enum PacketKind: UInt8, Sendable {
    case acl, command, event, sco, iso
  }

  // Ordered for few gaps, and small, since a record is copied on its way to the pass.

  /// The position in the capture, from 1. Records left out because they are not Bluetooth count
  /// too.
  package private(set) var number: Int
  /// The record's time, or nil if the format has no clock.
  package let time: Timestamp?
  /// The packet's direction, or nil if the format does not state it.
  package private(set) var direction: Direction?
  /// Whether the format does not state the direction and `direction` was inferred.
  package private(set) var isDirectionInferred = false
  /// Whether the record describes the state before a live source was opened rather than a new
  /// event.
  package private(set) var isReplayed = false
  /// Whether an earlier file is damaged and what it lacks may belong just before this record.
  package private(set) var followsDamage = false
  /// The controller's index; 0 if the format has none, unknown if the record belongs to no
  /// controller.
  package private(set) var adapter: AdapterIndex
  private var fileIndex: Int32 = 0
  /// The form of the bytes.
  package let framing: Framing
  private var sectionIndex: Int32 = 0
  /// The packet's length before it was cut to `bytes`; never less than their count.
  package let originalLength: Int
  /// The number of records that the writer reports as lost just before this one.
  package private(set) var drops: UInt64
  /// The offset at which the record begins in the file or stream.
  package let fileOffset: Int64
  /// The packet's stored bytes.
  package let bytes: RawSpan
  /// The capture's annotations of the packet.
  package private(set) var options: RecordOptions
  /// The number of the identical record in an earlier file; 0 for none.
  private var originalNumber = 0

  /// The index of the file that the record is from, from 0.
  package var file: Int { Int(fileIndex) }
  /// The index of the section in its file, from 0. The sections of a pcapng file may be different
  /// captures.
  package var section: Int { Int(sectionIndex) }
  /// The number of the identical record in an earlier file.
  package var original: Int? { originalNumber > 0 ? originalNumber : nil }

  /// Creates a record whose bytes are borrowed from `bytes`.
  @_lifetime(copy bytes)
  package init(
    number: Int, time: Timestamp?, direction: Direction?, adapter: AdapterIndex, framing: Framing,
    originalLength: Int, drops: UInt64, fileOffset: Int64, bytes: RawSpan
  ) {
    self.number = number
    self.time = time
    self.direction = direction
    self.adapter = adapter
    self.framing = framing
    self.originalLength = originalLength
    self.drops = drops
    self.fileOffset = fileOffset
    self.bytes = bytes
    options = RecordOptions(bytes.part(.empty), isBigEndian: false)
  }

  /// Returns the record with these options.
  @_lifetime(copy self, copy options)
  package consuming func with(_ options: RecordOptions) -> CaptureRecord {
    var record = self
    record.options = options
    return record
  }

  /// Returns the record as part of a section.
  @_lifetime(copy self)
  package consuming func with(section: Int) -> CaptureRecord {
    var record = self
    record.sectionIndex = Int32(clamping: section)
    return record
  }

  /// Returns the record as part of one of several files.
  @_lifetime(copy self)
  package consuming func with(file: Int, number: Int, original: Int?) -> CaptureRecord {
    var record = self
    record.number = number
    record.fileIndex = Int32(clamping: file)
    record.originalNumber = original ?? 0
    return record
  }

  /// Returns the record with more records lost just before it.
  @_lifetime(copy self)
  package consuming func dropping(_ drops: UInt64) -> CaptureRecord {
    var record = self
    record.drops.add(clamped: drops)
    return record
  }

  /// Returns the record with another number.
  @_lifetime(copy self)
  package consuming func with(number: Int) -> CaptureRecord {
    var record = self
    record.number = number
    return record
  }

  /// Returns the record with another controller.
  @_lifetime(copy self)
  consuming func with(adapter: AdapterIndex) -> CaptureRecord {
    var record = self
    record.adapter = adapter
    return record
  }

  /// Sets an inferred direction.
  package mutating func infer(_ direction: Direction?) {
    self.direction = direction
    isDirectionInferred = direction != nil
  }

  /// Sets the direction of a packet from the air.
  package mutating func set(_ direction: Direction, isInferred: Bool) {
    self.direction = direction
    isDirectionInferred = isInferred
  }

  /// Returns the record marked as replayed or not.
  @_lifetime(copy self)
  package consuming func replayed(_ isReplayed: Bool) -> CaptureRecord {
    var record = self
    record.isReplayed = isReplayed
    return record
  }

  /// Returns the record as the first one after a damaged file, or not.
  @_lifetime(copy self)
  consuming func following(damage followsDamage: Bool) -> CaptureRecord {
    var record = self
    record.followsDamage = followsDamage
    return record
  }

  /// Returns a packet from the air in another form, with the same time and annotations.
  ///
  /// - Parameter missing: The number of bytes that the capture did not keep.
  @_lifetime(copy self, copy bytes)
  package func asAir(
    _ format: SnifferFormat, _ bytes: RawSpan, missing: Int = 0
  ) -> CaptureRecord {
    var record = CaptureRecord(
      number: number, time: time, direction: nil, adapter: adapter, framing: .air(format),
      originalLength: bytes.byteCount.adding(clamped: missing), drops: drops,
      fileOffset: fileOffset, bytes: bytes)
    record.options = options
    record.fileIndex = fileIndex
    record.sectionIndex = sectionIndex
    return record
  }

  /// Returns the record with other bytes of the same count, and without the capture's annotations.
  @_lifetime(copy bytes)
  package func replacing(_ bytes: RawSpan) -> CaptureRecord {
    var record = CaptureRecord(
      number: number, time: time, direction: direction, adapter: adapter, framing: framing,
      originalLength: originalLength, drops: drops, fileOffset: fileOffset, bytes: bytes)
    record.isDirectionInferred = isDirectionInferred
    record.isReplayed = isReplayed
    record.followsDamage = followsDamage
    record.fileIndex = fileIndex
    record.sectionIndex = sectionIndex
    record.originalNumber = originalNumber
    return record
  }

  /// Whether the writer stored fewer bytes than the packet had.
  package var isTruncated: Bool { bytes.byteCount < originalLength }
}

/// A source of a capture's records: a file, a pipe or a live source.
package protocol CaptureSource: ~Copyable {
  /// The known properties of the capture as a whole.
  var summary: CaptureSummary { get }

  /// Whether `next` can return without waiting for input. Output is flushed before it may wait.
  var isReady: Bool { get }

  /// Returns the next record, or nil at the end of the capture.
  ///
  /// - Throws: A `CaptureFailure` if the capture is damaged or cannot be read any further. Records
  ///   returned before remain valid.
  @_lifetime(&self)
  mutating func next() throws(CaptureFailure) -> CaptureRecord?

  /// Waits until `next` can return, for at most `milliseconds`. Called only if the source is not
  /// ready, by a report that has work to do even if no record comes.
  ///
  /// - Returns: True to continue with `next`; false if the time is over.
  mutating func wait(milliseconds: Int32) -> Bool

  /// The failures of individual files when several are read.
  var failures: [CaptureFailure] { get }

  /// Writes all remaining records to `writer`, until that fails. Every source has its own copy of
  /// this loop, since from another module each record would be copied on its way.
  ///
  /// - Parameter promptly: Whether collected records are written before the source may wait.
  mutating func copy(
    to writer: inout CaptureWriter, promptly: Bool
  ) throws(CaptureFailure)
}

extension CaptureSource where Self: ~Copyable {
  /// Writes all records returned by `next`.
  package mutating func copy(
    to writer: inout CaptureWriter, promptly: Bool
  ) throws(CaptureFailure) {
    try writer.writeAll(of: &self, promptly: promptly)
  }

  /// Empty, for sources that read one file or end at the first failure.
  package var failures: [CaptureFailure] { [] }

  /// Waits in `next`, for sources that no report watches.
  package mutating func wait(milliseconds: Int32) -> Bool { true }
}

/// The reason why a capture could not be read, or not to its end.
package struct CaptureFailure: Error, Equatable, Sendable {
  /// The kind of failure, which decides the exit status.
  package enum Kind: Sendable {
    /// Not a capture, or one of an unsupported kind.
    case notReadable
    /// The capture is damaged; the records before the damage were returned.
    case damaged
    /// The file could not be opened or read at all.
    case inaccessible
    /// A live source does not exist, or no longer.
    case unavailable
    /// A live source needs a permission that is missing.
    case forbidden
  }

  package var kind: Kind
  /// One sentence without the program's name: what is wrong, where, and what was expected.
  package let words: FileWords
  /// The file concerned, if there are several.
  package var file: String?

  package init(_ kind: Kind, _ message: String, file: String? = nil) {
    self.init(kind, words: FileWords(stringLiteral: message), file: file)
  }

  init(_ kind: Kind, words: FileWords, file: String? = nil) {
    self.kind = kind
    self.words = words
    self.file = file
  }

  /// The sentence with the names of files as they are.
  package var message: String { words.text() }

  /// Returns the same failure for one of several files.
  func of(_ file: String) -> CaptureFailure {
    var failure = self
    failure.file = file
    return failure
  }
}
