package import Bluetooth
import Bytes

/// One record of a capture, valid until the next one is asked for: its bytes are borrowed from the
/// input buffer.
package struct CaptureRecord: ~Escapable {
  /// What the record's bytes begin with.
  package enum Framing: Equatable, Sendable {
    /// An H4 packet type byte, then the packet (btsnoop datalink 1002; link types 187 and 201).
    case h4
    /// The packet alone; the record's header told its type (btsnoop datalink 1001, PacketLogger).
    case h1(PacketKind)
    /// What this opcode of the Linux monitor says (btsnoop datalink 2001, link type 254).
    case monitor(opcode: UInt16)
    /// A record of PacketLogger's that is no packet, by its type.
    case packetLogger(type: UInt8)
    /// Nothing that can be read: the link type's own header has `needed` bytes, and they are not all
    /// there.
    case incomplete(needed: Int)
  }

  /// The packet types that a record's header can tell apart; H1 knows the first three.
  package enum PacketKind: UInt8, Sendable {
    case acl, command, event, sco, iso
  }

  // In an order that leaves few gaps, and small: a record is copied on its way to the pass.

  /// Position in the capture, from 1. Records that are left out, since they are no Bluetooth, have
  /// their numbers too.
  package private(set) var number: Int
  /// When, or nil where the format has no clock.
  package let time: Timestamp?
  /// Which way, or nil where the format does not say.
  package private(set) var direction: Direction?
  /// Whether the format does not say it and `direction` was found by other means.
  package private(set) var isDirectionInferred = false
  /// Whether it tells what was so before a live source was opened, rather than what happens.
  package private(set) var isReplayed = false
  /// The controller's index; 0 where the format has none, nil where the record belongs to none.
  package private(set) var adapter: UInt16?
  private var fileIndex: Int32 = 0
  /// What the bytes begin with.
  package let framing: Framing
  private var sectionIndex: Int32 = 0
  /// The packet's length before it was cut to `bytes`; never less than their count.
  package let originalLength: Int
  /// How many records the writer says were lost just before this one.
  package let drops: UInt64
  /// Where the record begins in the file or stream.
  package let fileOffset: Int64
  /// The packet's bytes as stored.
  package let bytes: RawSpan
  /// What the capture says beside the packet.
  package private(set) var options: RecordOptions
  /// The number of the record that is the same as this one in a file before it, 0 for none.
  private var originalNumber = 0

  /// Which of several files the record is from, from 0.
  package var file: Int { Int(fileIndex) }
  /// Which section of its file, from 0: what a pcapng file has several of may be several captures.
  package var section: Int { Int(sectionIndex) }
  /// The number of the record that is the same as this one in a file before it.
  package var original: Int? { originalNumber > 0 ? originalNumber : nil }

  /// A record whose bytes are borrowed from `bytes`.
  @_lifetime(copy bytes)
  package init(
    number: Int, time: Timestamp?, direction: Direction?, adapter: UInt16?, framing: Framing,
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

  /// The same record with the options that stand beside it.
  @_lifetime(copy self, copy options)
  consuming func with(_ options: RecordOptions) -> CaptureRecord {
    var record = self
    record.options = options
    return record
  }

  /// The same record as one of a section.
  @_lifetime(copy self)
  consuming func with(section: Int) -> CaptureRecord {
    var record = self
    record.sectionIndex = Int32(clamping: section)
    return record
  }

  /// The same record as one of several files'.
  @_lifetime(copy self)
  package consuming func with(file: Int, number: Int, original: Int?) -> CaptureRecord {
    var record = self
    record.number = number
    record.fileIndex = Int32(clamping: file)
    record.originalNumber = original ?? 0
    return record
  }

  /// The same record with another number.
  @_lifetime(copy self)
  consuming func with(number: Int) -> CaptureRecord {
    var record = self
    record.number = number
    return record
  }

  /// The same record as another controller's.
  @_lifetime(copy self)
  consuming func with(adapter: UInt16?) -> CaptureRecord {
    var record = self
    record.adapter = adapter
    return record
  }

  /// The same record with the direction that it must have had, for all that is known.
  @_lifetime(copy self)
  package func inferring(_ direction: Direction?) -> CaptureRecord {
    var record = copy self
    record.direction = direction
    record.isDirectionInferred = direction != nil
    return record
  }

  /// The same record as one that tells what was so before.
  @_lifetime(copy self)
  package consuming func replayed(_ isReplayed: Bool) -> CaptureRecord {
    var record = self
    record.isReplayed = isReplayed
    return record
  }

  /// The same record with other bytes, as many, and without what the capture says beside the packet.
  @_lifetime(copy bytes)
  package func replacing(_ bytes: RawSpan) -> CaptureRecord {
    var record = CaptureRecord(
      number: number, time: time, direction: direction, adapter: adapter, framing: framing,
      originalLength: originalLength, drops: drops, fileOffset: fileOffset, bytes: bytes)
    record.isDirectionInferred = isDirectionInferred
    record.isReplayed = isReplayed
    record.fileIndex = fileIndex
    record.sectionIndex = sectionIndex
    record.originalNumber = originalNumber
    return record
  }

  /// Whether the writer kept fewer bytes than the packet had.
  package var isTruncated: Bool { bytes.byteCount < originalLength }
}

/// Something that hands out the records of a capture one by one: a file, a pipe, a live source.
package protocol CaptureSource: ~Copyable {
  /// What is known of the capture as a whole.
  var summary: CaptureSummary { get }

  /// Whether `next` can answer without waiting for input. Output is flushed before it may wait.
  var isReady: Bool { get }

  /// The next record, or nil at the end of the capture.
  ///
  /// - Throws: a `CaptureFailure` when the capture is damaged or cannot be read further; what was
  ///   handed out before stands.
  @_lifetime(&self)
  mutating func next() throws(CaptureFailure) -> CaptureRecord?

  /// Waits until `next` can answer, but no longer than so many milliseconds: asked only where the source is
  /// not ready, by a report that has something to do although nothing comes.
  ///
  /// - Returns: true: go on with `next`; false: the time is over.
  mutating func wait(milliseconds: Int32) -> Bool

  /// Writes all records that are left to `writer`, until that fails: a loop that every source has for
  /// itself, since from another module each record would be copied on its way.
  ///
  /// - Parameter promptly: whether what was collected is written before the source may wait.
  mutating func copy(
    to writer: inout CaptureWriter, promptly: Bool
  ) throws(CaptureFailure)
}

extension CaptureSource where Self: ~Copyable {
  /// A loop over `next`.
  package mutating func copy(
    to writer: inout CaptureWriter, promptly: Bool
  ) throws(CaptureFailure) {
    try writer.writeAll(of: &self, promptly: promptly)
  }

  /// Waits in `next`, for sources that nobody watches.
  package mutating func wait(milliseconds: Int32) -> Bool { true }
}

/// Why a capture could not be read, or not to its end.
package struct CaptureFailure: Error, Equatable, Sendable {
  /// What kind of failure it is; decides the exit status.
  package enum Kind: Sendable {
    /// Not a capture, or of a kind that is not read.
    case notReadable
    /// The capture is damaged; what stands before the damage was handed out.
    case damaged
    /// The file could not be opened or read at all.
    case inaccessible
    /// A live source is not there, or not any more.
    case unavailable
    /// A live source needs a permission that is missing.
    case forbidden
  }

  /// What kind.
  package var kind: Kind
  /// One sentence without the program's name: what is wrong, where, what was expected.
  package var message: String
  /// Which of several files it is about.
  package var file: String?

  /// A failure with its sentence.
  package init(_ kind: Kind, _ message: String, file: String? = nil) {
    self.kind = kind
    self.message = message
    self.file = file
  }

  /// The same failure, of one of several files.
  func of(_ file: String) -> CaptureFailure {
    var failure = self
    failure.file = file
    return failure
  }
}
