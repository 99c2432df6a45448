package import Bluetooth

/// One record of a capture, valid until the next one is asked for: its bytes are borrowed from the
/// input buffer.
package struct CaptureRecord: ~Escapable {
  /// What the record's bytes begin with.
  package enum Framing: Equatable, Sendable {
    /// An H4 packet type byte, then the packet (btsnoop datalink 1002).
    case h4
    /// The packet alone; the record's flags told its type (btsnoop datalink 1001).
    case h1(H1Kind)
    /// What this opcode of the Linux monitor says (btsnoop datalink 2001).
    case monitor(opcode: UInt16)
  }

  /// The packet types that the flags of an H1 record can tell apart.
  package enum H1Kind: UInt8, Sendable {
    case acl, command, event
  }

  /// Position in the capture, from 1.
  package let number: Int
  /// When, or nil where the format has no clock.
  package let time: Timestamp?
  /// Which way, or nil where the format does not say.
  package let direction: Direction?
  /// The controller's index; 0 where the format has none, nil where the record belongs to none.
  package let adapter: UInt16?
  /// What the bytes begin with.
  package let framing: Framing
  /// The packet's length before it was cut to `bytes`; never less than their count.
  package let originalLength: Int
  /// How many records the writer says were lost just before this one.
  package let drops: UInt64
  /// Where the record begins in the file or stream.
  package let fileOffset: Int64
  /// The packet's bytes as stored.
  package let bytes: RawSpan

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
}

/// What a capture's header says.
package struct CaptureSummary: Equatable, Sendable {
  /// The formats that can be read.
  package enum Format: String, Sendable {
    case btsnoop
  }

  /// The file format.
  package var format: Format
  /// The format's number for what its records hold.
  package var datalink: UInt32
  /// And that in words: "HCI UART (H4)".
  package var datalinkName: String
  /// Decimals of the capture's clock: 6 for microseconds.
  package var timeDecimals: Int

  /// A summary from its parts.
  package init(format: Format, datalink: UInt32, datalinkName: String, timeDecimals: Int) {
    self.format = format
    self.datalink = datalink
    self.datalinkName = datalinkName
    self.timeDecimals = timeDecimals
  }
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
  }

  /// What kind.
  package var kind: Kind
  /// One sentence without the program's name: what is wrong, where, what was expected.
  package var message: String

  /// A failure with its sentence.
  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
