import Bytes
import CLibarchive
import Glibc

/// An archive or compressed file read with libarchive, entry by entry, each once and in order.
///
///     let archive = try Archive(descriptor)
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
  /// The source of the archive's bytes; nil if it is the descriptor.
  private let source: Source?
  private let descriptor: Int32
  /// The unread rest of the entry's current block.
  private var block: UnsafeRawBufferPointer
  /// Damage between entries after which libarchive could continue.
  private(set) var damage: CaptureFailure?
  /// The offset in the entry at which the next block must begin.
  private var position: Int64 = 0
  /// Why the rest of the entry cannot be read. libarchive must not be asked again.
  private var entryFailure: CaptureFailure?

  /// Opens the archive that begins at the current position of `descriptor`, which stays open.
  ///
  /// - Throws: `.inaccessible` if libarchive is not available, `.damaged` if it finds no archive.
  convenience init(_ descriptor: Int32) throws(CaptureFailure) {
    try self.init(descriptor, nil)
  }

  /// Opens the archive that `feed` supplies.
  ///
  /// - Throws: As `init(_:)` for a descriptor does.
  convenience init(_ feed: any ByteFeed) throws(CaptureFailure) {
    try self.init(-1, Source(feed))
  }

  private init(_ descriptor: Int32, _ source: Source?) throws(CaptureFailure) {
    self.source = source
    self.descriptor = descriptor
    var result: Int32 = 0
    let reference = unsafe source.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    guard
      let opened = unsafe clibarchive_open(
        descriptor,
        { source, buffer, size in
          guard let source = unsafe source, let buffer = unsafe buffer else { return -1 }
          return unsafe Unmanaged<Source>.fromOpaque(source).takeUnretainedValue()
            .supply(buffer, atMost: size)
        }, reference, &result)
    else { throw CaptureFailure(.inaccessible, "not enough memory to open an archive") }
    unsafe archive = opened
    unsafe block = UnsafeRawBufferPointer(start: nil, count: 0)
    guard unsafe opened.pointee.archive != nil else {
      throw CaptureFailure(
        .inaccessible,
        "libarchive, which reads archives and compressed files, is not installed: install libarchive13, or unpack the file first"
      )
    }
    guard result >= ARCHIVE_WARN else { throw failure }
  }

  deinit { unsafe clibarchive_close(archive) }

  /// Moves to the next entry and skips the rest of the current one; returns nil at the end.
  ///
  /// - Throws: `.damaged` with libarchive's message.
  func next() throws(CaptureFailure) -> Entry? {
    unsafe block = UnsafeRawBufferPointer(start: nil, count: 0)
    (position, entryFailure) = (0, nil)
    var result: Int32
    repeat {
      result = unsafe clibarchive_next(archive)
      if result == ARCHIVE_RETRY { damage = damage ?? failure }
    } while result == ARCHIVE_RETRY
    if result == ARCHIVE_EOF {
      try checkEnd()
      return nil
    }
    guard result >= ARCHIVE_WARN else { throw failure }
    let name = unsafe clibarchive_name(archive).map { unsafe String(cString: $0) } ?? ""
    return Entry(
      name: Self.printable(name), isFile: unsafe clibarchive_is_file(archive) != 0,
      isEncrypted: unsafe clibarchive_is_encrypted(archive) != 0)
  }

  /// Reports a zip that is cut off after its entries. libarchive then reads it as a stream, and
  /// stops at the directory that follows them.
  private func checkEnd() throws(CaptureFailure) {
    guard unsafe clibarchive_is_plain_zip(archive) != 0 else { return }
    let position = unsafe clibarchive_position(archive)
    var rest: InputBuffer
    if let source {
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

  /// Whether it is a single compressed file rather than an archive; its entry has no name.
  var isCompressedFile: Bool { unsafe clibarchive_is_compressed_file(archive) != 0 }

  /// Reads the next bytes of the entry.
  ///
  /// - Throws: `.damaged` with libarchive's message.
  func read(
    into start: UnsafeMutableRawPointer, atMost count: Int
  ) throws(CaptureFailure) -> Int {
    if let entryFailure { throw entryFailure }
    while unsafe block.isEmpty {
      var bytes: UnsafeRawPointer?
      var size = 0
      var offset: Int64 = 0
      let result = unsafe clibarchive_block(archive, &bytes, &size, &offset)
      if result == ARCHIVE_EOF { return 0 }
      // A warning here means a wrong checksum.
      guard result == ARCHIVE_OK else {
        entryFailure = failure
        throw failure
      }
      // A hole could have any size, and no log has one.
      guard offset == position else {
        throw CaptureFailure(
          .damaged, "a hole at byte \(position), as sparse files have; the rest was not read")
      }
      position += Int64(size)
      unsafe block = UnsafeRawBufferPointer(start: bytes, count: size)
    }
    let taken = unsafe min(count, block.count)
    if let first = unsafe block.baseAddress {
      unsafe start.copyMemory(from: first, byteCount: taken)
      unsafe block = UnsafeRawBufferPointer(rebasing: block.dropFirst(taken))
    }
    return taken
  }

  private var failure: CaptureFailure {
    if let failure = source?.failure { return failure }
    let words = unsafe String(cString: clibarchive_error(archive))
    let reason = words.isEmpty ? "" : " (\(Self.printable(words)))"
    return CaptureFailure(.damaged, "the archive is damaged, or cut off\(reason)")
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
    private let feed: any ByteFeed
    private(set) var failure: CaptureFailure?
    /// The number of bytes read.
    private var byteCount: Int64 = 0
    /// The last bytes read: one block or more. If libarchive has read further ahead, the end of a
    /// zip is not checked.
    private var recent: [UInt8] = []
    /// The number of bytes of `recent` to read again.
    private var repeatedCount = 0

    init(_ feed: any ByteFeed) { self.feed = feed }

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

/// A feed of an input whose first bytes have already been examined.
final class InputFeed: ByteFeed {
  private var input: InputBuffer

  init(_ input: consuming InputBuffer) { self.input = input }

  func read(
    into start: UnsafeMutableRawPointer, atMost count: Int
  ) throws(CaptureFailure) -> Int {
    try unsafe input.take(into: start, atMost: count)
  }
}
