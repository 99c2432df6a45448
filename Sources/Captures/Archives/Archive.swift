import Bytes
import CLibarchive
import Glibc

/// An archive read with libarchive in a process of its own, entry by entry, each once and in order.
///
///     let archive = try Archive(.zip, descriptor, budget)
///     while let entry = try archive.next() {
///       var input = InputBuffer(archive)  // the entry's bytes
///     }
///
/// Nothing is ever written to a path that an archive names.
@safe
final class Archive: ByteFeed {
  /// The properties of an entry.
  struct Entry: Equatable, Sendable {
    /// Its path in the archive, without control characters and no longer than
    /// `CaptureLimits.nameBytes`.
    let name: String
    /// Whether it is a regular file; links, folders and devices are not read.
    let isFile: Bool
    let isEncrypted: Bool
  }

  private let archive: UnsafeMutablePointer<clibarchive_archive>
  private let source: Source
  private let descriptor: Int32
  private let budget: UnpackingBudget
  /// The memory that libarchive may allocate.
  private let memory: Int
  /// The unread rest of the entry's current block.
  private var block: UnsafeRawBufferPointer
  /// Damage between entries after which libarchive could continue.
  private(set) var damage: CaptureFailure?
  /// The offset in the entry at which the next block must begin.
  private var position: Int64 = 0
  /// Why the rest of the entry cannot be read.
  private var entryFailure: CaptureFailure?
  /// Whether the entry has been read to its end.
  private var isAtEnd = true

  /// Opens the archive that begins at the current position of `descriptor`, which stays open.
  ///
  /// - Throws: `.inaccessible` if libarchive is not available, `.damaged` if it finds no archive,
  ///   or the failure of the budget.
  convenience init(
    _ kind: ArchiveKind, _ descriptor: Int32, _ budget: UnpackingBudget
  ) throws(CaptureFailure) {
    try self.init(kind, descriptor, Source(nil, budget))
  }

  /// Opens the archive that `feed` supplies.
  ///
  /// - Throws: As `init(_:_:_:)` for a descriptor does.
  convenience init(
    _ kind: ArchiveKind, _ feed: any ByteFeed, _ budget: UnpackingBudget
  ) throws(CaptureFailure) {
    try self.init(kind, -1, Source(feed, budget))
  }

  private init(
    _ kind: ArchiveKind, _ descriptor: Int32, _ source: Source
  ) throws(CaptureFailure) {
    budget = source.budget
    self.source = source
    self.descriptor = descriptor
    try budget.spend(UnpackingBudget.archiveCost)
    memory = min(kind.memory, budget.memoryLeft)
    var result: Int32 = 0
    let reference = unsafe Unmanaged.passUnretained(source).toOpaque()
    guard
      let opened = unsafe clibarchive_open(
        kind.libraryKind, descriptor, memory, budget.secondsLeft,
        { source, buffer, size in
          guard let source = unsafe source, let buffer = unsafe buffer else { return -1 }
          return unsafe Unmanaged<Source>.fromOpaque(source).takeUnretainedValue()
            .supply(buffer, atMost: size)
        },
        { source in
          guard let source = unsafe source else { return 0 }
          return unsafe Unmanaged<Source>.fromOpaque(source).takeUnretainedValue().budget.isOver
            ? 1 : 0
        }, reference, &result)
    else { throw CaptureFailure(.inaccessible, "not enough memory to open an archive") }
    let error = errno
    unsafe archive = opened
    unsafe block = UnsafeRawBufferPointer(start: nil, count: 0)
    budget.memory += memory
    guard unsafe opened.pointee.process > 0 else {
      throw CaptureFailure(
        .inaccessible,
        error == 0
          ? "libarchive, which reads archives, is not installed: install libarchive13, or unpack the file first"
          : "no process could be started to read the archive: \(systemWords(error))")
    }
    guard result >= ARCHIVE_WARN else { throw failure(result) }
  }

  deinit {
    budget.memory -= memory
    unsafe clibarchive_close(archive, &budget.seconds)
  }

  /// Moves to the next entry and skips the rest of the current one; returns nil at the end.
  ///
  /// - Throws: `.damaged` with libarchive's message, or the failure of the budget.
  func next() throws(CaptureFailure) -> Entry? {
    unsafe block = UnsafeRawBufferPointer(start: nil, count: 0)
    (position, entryFailure) = (0, nil)
    var result: Int32
    repeat {
      result = try take(CLIBARCHIVE_ENTRY)
      if item.subject == CLIBARCHIVE_ENTRY, result == ARCHIVE_RETRY {
        damage = damage ?? failure(result)
      }
    } while item.subject != CLIBARCHIVE_ENTRY || result == ARCHIVE_RETRY
    isAtEnd = false
    if result == ARCHIVE_EOF {
      try checkEnd()
      return nil
    }
    guard result >= ARCHIVE_WARN else { throw failure(result) }
    return Entry(
      name: Self.printable(text), isFile: item.is_file != 0, isEncrypted: item.is_encrypted != 0)
  }

  /// Takes the next item that the process has read, or asks it for `subject`. Returns the item's
  /// result.
  ///
  /// - Throws: The failure of the budget.
  private func take(_ subject: clibarchive_subject) throws(CaptureFailure) -> Int32 {
    let result = unsafe clibarchive_next(archive, subject)
    if item.subject == CLIBARCHIVE_ENTRY {
      try budget.spend(UnpackingBudget.entryCost)
    } else {
      // A block without bytes costs time, too.
      let isBlock = result == ARCHIVE_OK
      try budget.spend(isBlock ? max(Int64(item.count), UnpackingBudget.entryCost) : 0)
    }
    return result
  }

  /// The latest item.
  private var item: clibarchive_item { unsafe archive.pointee.item }

  /// The name or message of the latest item.
  private var text: String { unsafe String(decoding: bytes, as: UTF8.self) }

  /// The bytes of the latest item.
  private var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: archive.pointee.item_bytes, count: Int(item.count))
  }

  /// Reports a zip that is cut off after its entries. libarchive then reads it as a stream, and
  /// stops at the directory that follows them.
  private func checkEnd() throws(CaptureFailure) {
    guard item.is_zip != 0 else { return }
    let position = item.position
    var rest: InputBuffer
    if descriptor < 0 {
      guard source.resume(at: position) else { return }
      rest = InputBuffer(source)
    } else {
      guard lseek(descriptor, Int(position), SEEK_SET) == Int(position) else { return }
      rest = InputBuffer(descriptor: descriptor, owned: false)
    }
    if damage == nil, try !Self.hasEndRecord(&rest) {
      let end = position + rest.offset + Int64(rest.count)
      damage = CaptureFailure(
        .damaged, "the archive ends at byte \(end), within the directory that follows its entries")
    }
  }

  /// Returns whether the rest of a zip ends with a whole end record: `50 4b 05 06`, 16 bytes, u16
  /// length of a comment, comment (APPNOTE 4.3.16). A header of the directory, `50 4b 01 02`, shows
  /// that a record before it belongs to a zip in the zip.
  private static func hasEndRecord(_ rest: inout InputBuffer) throws(CaptureFailure) -> Bool {
    let headerBytes = 22
    var hasEnd = false
    while try rest.fill(4) {
      if rest.bytes.starts(with: "PK\u{5}\u{6}") {
        guard try rest.fill(headerBytes) else { break }
        var length = Cursor(rest.bytes.dropping(headerBytes - 2))
        let count = headerBytes + Int((try? length.u16()) ?? 0)
        let isWhole = try rest.fill(count)
        hasEnd = hasEnd || isWhole
        _ = rest.take(isWhole ? count : 4)
      } else {
        if rest.bytes.starts(with: "PK\u{1}\u{2}") { hasEnd = false }
        let next = rest.bytes.dropping(1).firstOffset(of: UInt8(ascii: "P"))
        _ = rest.take(next.map { $0 + 1 } ?? rest.count - 3)
      }
    }
    return hasEnd
  }

  /// Reads the next bytes of the entry.
  ///
  /// - Throws: `.damaged` with libarchive's message, or the failure of the budget.
  func read(
    into start: UnsafeMutableRawPointer, atMost count: Int
  ) throws(CaptureFailure) -> Int {
    if let entryFailure { throw entryFailure }
    while unsafe block.isEmpty {
      if isAtEnd { return 0 }
      var result = try take(CLIBARCHIVE_DATA)
      if item.subject != CLIBARCHIVE_DATA { result = Int32(CLIBARCHIVE_ENDED) }
      isAtEnd = result == ARCHIVE_EOF
      if isAtEnd { return 0 }
      // A warning here means a wrong checksum.
      guard result == ARCHIVE_OK else {
        throw failed(failure(result))
      }
      // A hole could have any size, and no log has one.
      guard item.offset == position else {
        throw failed(
          CaptureFailure(
            .damaged, "a hole at byte \(position), as sparse files have; the rest was not read"))
      }
      unsafe block = bytes
      unsafe position += Int64(block.count)
    }
    let taken = unsafe min(count, block.count)
    if let first = unsafe block.baseAddress {
      unsafe start.copyMemory(from: first, byteCount: taken)
      unsafe block = UnsafeRawBufferPointer(rebasing: block.dropFirst(taken))
    }
    return taken
  }

  /// Returns a failure that ends the entry: reading on throws it again.
  private func failed(_ failure: CaptureFailure) -> CaptureFailure {
    entryFailure = failure
    return failure
  }

  /// Returns the failure for a result of libarchive or of the process that runs it.
  private func failure(_ result: Int32) -> CaptureFailure {
    if let failure = budget.failure { return failure }
    switch result {
    case Int32(CLIBARCHIVE_NO_INPUT):
      return source.failure ?? CaptureFailure(.damaged, "the archive could not be read")
    case Int32(CLIBARCHIVE_NO_MEMORY):
      return CaptureFailure(
        .damaged,
        "the archive asks for more than \(memory >> 20) MB of memory; the rest was not read")
    case Int32(CLIBARCHIVE_NO_TIME):
      return budget.endLate()
    case Int32(CLIBARCHIVE_ENDED):
      return CaptureFailure(.damaged, "the archive is damaged: libarchive crashed while it read it")
    default:
      let words = text
      let reason = words.isEmpty ? "" : " (\(Self.printable(words)))"
      return CaptureFailure(.damaged, "the archive is damaged, or cut off\(reason)")
    }
  }

  /// Returns text from an archive made safe to print: without control characters, and shortened to
  /// a limit.
  static func printable(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var length = 0
    for scalar in text.unicodeScalars {
      length += UTF8.width(scalar)
      if length > CaptureLimits.nameBytes { break }
      result.append(scalar.properties.generalCategory == .control ? "\u{fffd}" : scalar)
    }
    return String(result)
  }

  /// The context of libarchive's callback.
  private final class Source: ByteFeed {
    /// nil if the process reads the archive's descriptor itself.
    private let feed: (any ByteFeed)?
    let budget: UnpackingBudget
    private(set) var failure: CaptureFailure?
    /// The number of bytes read.
    private var byteCount: Int64 = 0
    /// The last bytes read: one block or more. If libarchive has read further ahead, the end of a
    /// zip is not checked.
    private var recent: [UInt8] = []
    /// The number of bytes of `recent` to read again.
    private var repeatedCount = 0

    init(_ feed: (any ByteFeed)?, _ budget: UnpackingBudget) {
      (self.feed, self.budget) = (feed, budget)
    }

    /// Continues at an earlier position. Returns false if its bytes are gone.
    func resume(at position: Int64) -> Bool {
      guard position <= byteCount, byteCount - position <= recent.count else { return false }
      repeatedCount = Int(byteCount - position)
      return true
    }

    func read(
      into start: UnsafeMutableRawPointer, atMost count: Int
    ) throws(CaptureFailure) -> Int {
      let repeated = min(repeatedCount, count)
      if repeated > 0 {
        unsafe recent.withUnsafeBytes { bytes in
          let again = unsafe bytes.suffix(repeatedCount).prefix(repeated)
          unsafe UnsafeMutableRawBufferPointer(start: start, count: repeated).copyBytes(from: again)
        }
        repeatedCount -= repeated
        return repeated
      }
      guard let feed else { return 0 }
      let result = try unsafe feed.read(into: start, atMost: count)
      byteCount += Int64(result)
      if recent.count > Int(CLIBARCHIVE_BLOCK_BYTES) {
        recent.removeFirst(recent.count - Int(CLIBARCHIVE_BLOCK_BYTES))
      }
      unsafe recent.append(contentsOf: UnsafeRawBufferPointer(start: start, count: result))
      return result
    }

    /// Reads for libarchive, which cannot pass errors on. Returns -1 on failure.
    func supply(_ start: UnsafeMutableRawPointer, atMost count: Int) -> Int {
      do throws(CaptureFailure) {
        return try unsafe read(into: start, atMost: count)
      } catch {
        failure = error
        return -1
      }
    }
  }
}

extension ArchiveKind {
  /// The kind in libarchive's terms.
  fileprivate var libraryKind: clibarchive_kind {
    switch self {
    case .sevenZip: CLIBARCHIVE_7ZIP
    case .rar: CLIBARCHIVE_RAR
    case .tar: CLIBARCHIVE_TAR
    default: CLIBARCHIVE_ZIP
    }
  }
}

/// A feed of an input whose first bytes have already been examined.
final class InputFeed: ByteFeed {
  private var input: InputBuffer
  /// The budget in which the bytes count as those of the input itself; nil if they were unpacked.
  private let budget: UnpackingBudget?

  init(_ input: consuming InputBuffer, _ budget: UnpackingBudget? = nil) {
    self.input = input
    self.budget = budget
  }

  func read(
    into start: UnsafeMutableRawPointer, atMost count: Int
  ) throws(CaptureFailure) -> Int {
    let taken = try unsafe input.take(into: start, atMost: count)
    try budget?.receive(taken)
    return taken
  }
}
