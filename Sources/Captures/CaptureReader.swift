/// A reader of a capture in any supported format, recognised by its first bytes. Formats are
/// distinguished only here.
///
///     var capture = try CaptureReader(path: "phone.log")
///     while let record = try capture.next() {
///       print(record.number, record.bytes.byteCount)
///     }
package struct CaptureReader: CaptureSource, ~Copyable {
  /// The reader of the capture's format. Its properties are read by matching it with a pattern:
  /// direct access would consume it.
  private var reader: any CaptureSource & ~Copyable

  /// Opens the capture at `path`; `-` is standard input.
  ///
  /// - Throws: `.inaccessible` if it cannot be opened or read, otherwise as `init(_:)` does.
  package init(path: String) throws(CaptureFailure) {
    try self.init(InputBuffer(path: path))
  }

  /// Reads the header at the beginning of `input`.
  ///
  /// - Throws: `.notReadable`, naming the format, if it is something else; `.damaged` if its header
  ///   ends early.
  package init(_ input: consuming InputBuffer) throws(CaptureFailure) {
    let size = input.knownRemaining
    try self.init(input, UnpackingBudget(size: size))
  }

  /// Reads the header, and counts in `budget` what is decompressed.
  init(_ input: consuming InputBuffer, _ budget: UnpackingBudget) throws(CaptureFailure) {
    var input = input
    // Enough for every format; a shorter file may still have one of them.
    _ = try input.fill(BtsnoopHeader.byteCount)
    guard let found = CaptureFormat.detect(input.bytes) else {
      throw CaptureFormat.unknown(input.bytes)
    }
    switch found {
    case .btsnoop:
      // For a pipe, decide by what has arrived: the first record may take a long time to come.
      if input.knownRemaining != nil { _ = try input.fill(BtsnoozReader.bytesThatTell) }
      if BtsnoozReader.followsHeader(input.bytes) {
        reader = BtsnoozReader(behindHeader: input)
      } else {
        reader = try BtsnoopReader(input)
      }
    case .pcap: reader = try PcapReader(input)
    case .pcapng: reader = try PcapngReader(input)
    case .packetLogger: reader = try PacketLoggerReader(input)
    case .btsnooz: reader = try BtsnoozReader(input, budget)
    case .archive: throw found.refusal
    }
  }

  /// The known properties of the capture as a whole.
  package var summary: CaptureSummary {
    switch reader {
    case let reader: reader.summary
    }
  }

  /// Whether `next` can return without waiting for input.
  package var isReady: Bool {
    switch reader {
    case let reader: reader.isReady
    }
  }

  /// Returns the next record, or nil at the end of the capture.
  ///
  /// - Throws: The error of the format's reader.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? { try reader.next() }

  /// Passes the reader of the capture's format to `user`, so that records do not pass through this
  /// one.
  package mutating func lend<User: CaptureUser & ~Copyable>(
    to user: inout User
  ) throws(CaptureFailure) {
    try user.use(&reader)
  }
}

/// A consumer of a capture in any format.
package protocol CaptureUser: ~Copyable {
  mutating func use<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) throws(CaptureFailure)
}
