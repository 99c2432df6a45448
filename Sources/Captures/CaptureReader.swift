/// A reader of a capture in any supported format, recognised by its first bytes. Formats are
/// distinguished only here.
///
///     var capture = try CaptureReader(path: "phone.log")
///     while let record = try capture.next() {
///       print(record.number, record.bytes.byteCount)
///     }
package struct CaptureReader: CaptureSource, ~Copyable {
  // Exactly one of them is set, as given by `format`. An enum could not be modified in place
  // without moving the reader out and in for every record.
  private let format: Kind
  private var btsnoop: BtsnoopReader?
  private var pcap: PcapReader?
  private var pcapng: PcapngReader?
  private var packetLogger: PacketLoggerReader?
  private var btsnooz: BtsnoozReader?

  /// The formats that have a reader.
  private enum Kind {
    case btsnoop, pcap, pcapng, packetLogger, btsnooz
  }

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
        self.init(BtsnoozReader(behindHeader: input))
      } else {
        self.init(try BtsnoopReader(input))
      }
    case .pcap: self.init(try PcapReader(input))
    case .pcapng: self.init(try PcapngReader(input))
    case .packetLogger: self.init(try PacketLoggerReader(input))
    case .btsnooz: self.init(try BtsnoozReader(input, budget))
    case .archive: throw found.refusal
    }
  }

  private init(_ reader: consuming BtsnoopReader) {
    format = .btsnoop
    btsnoop = consume reader
  }

  private init(_ reader: consuming PcapReader) {
    format = .pcap
    pcap = consume reader
  }

  private init(_ reader: consuming PcapngReader) {
    format = .pcapng
    pcapng = consume reader
  }

  private init(_ reader: consuming PacketLoggerReader) {
    format = .packetLogger
    packetLogger = consume reader
  }

  private init(_ reader: consuming BtsnoozReader) {
    format = .btsnooz
    btsnooz = consume reader
  }

  /// The known properties of the capture as a whole.
  package var summary: CaptureSummary {
    switch format {
    case .btsnoop:
      switch btsnoop {
      case .some(let reader): return reader.summary
      case nil: break
      }
    case .pcap:
      switch pcap {
      case .some(let reader): return reader.summary
      case nil: break
      }
    case .pcapng:
      switch pcapng {
      case .some(let reader): return reader.summary
      case nil: break
      }
    case .packetLogger:
      switch packetLogger {
      case .some(let reader): return reader.summary
      case nil: break
      }
    case .btsnooz:
      switch btsnooz {
      case .some(let reader): return reader.summary
      case nil: break
      }
    }
    return CaptureSummary(format: .btsnoop, datalink: nil, datalinkName: "", timeDecimals: 6)
  }

  /// Passes the reader of the capture's format to `user`, so that work done for every record need
  /// not check the format each time.
  package mutating func lend<User: CaptureUser & ~Copyable>(
    to user: inout User
  ) throws(CaptureFailure) {
    switch format {
    case .btsnoop: try Self.lend(&btsnoop, to: &user)
    case .pcap: try Self.lend(&pcap, to: &user)
    case .pcapng: try Self.lend(&pcapng, to: &user)
    case .packetLogger: try Self.lend(&packetLogger, to: &user)
    case .btsnooz: try Self.lend(&btsnooz, to: &user)
    }
  }

  /// Passes a reader to `user` and puts it back.
  private static func lend<Reader: CaptureSource & ~Copyable, User: CaptureUser & ~Copyable>(
    _ place: inout Reader?, to user: inout User
  ) throws(CaptureFailure) {
    guard var reader = place.take() else { return }
    do throws(CaptureFailure) {
      try user.use(&reader)
    } catch {
      place = consume reader
      throw error
    }
    place = consume reader
  }

  /// Whether `next` can return without waiting for input.
  package var isReady: Bool {
    switch format {
    case .btsnoop:
      switch btsnoop {
      case .some(let reader): return reader.isReady
      case nil: break
      }
    case .pcap:
      switch pcap {
      case .some(let reader): return reader.isReady
      case nil: break
      }
    case .pcapng:
      switch pcapng {
      case .some(let reader): return reader.isReady
      case nil: break
      }
    case .packetLogger:
      switch packetLogger {
      case .some(let reader): return reader.isReady
      case nil: break
      }
    case .btsnooz:
      switch btsnooz {
      case .some(let reader): return reader.isReady
      case nil: break
      }
    }
    return true
  }

  /// Returns the next record, or nil at the end of the capture.
  ///
  /// - Throws: The error of the format's reader.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    switch format {
    case .btsnoop: return try btsnoop?.next()
    case .pcap: return try pcap?.next()
    case .pcapng: return try pcapng?.next()
    case .packetLogger: return try packetLogger?.next()
    case .btsnooz: return try btsnooz?.next()
    }
  }
}

/// A consumer of a capture in any format.
package protocol CaptureUser: ~Copyable {
  mutating func use<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) throws(CaptureFailure)
}
