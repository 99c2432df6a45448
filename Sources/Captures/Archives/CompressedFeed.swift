import Bytes
import CZlib

/// A feed of what a compressed stream contains. Everything that can be decompressed is returned
/// before the failure that ends it.
///
///     var content = InputBuffer(try CompressedFeed(.gzip, input))
@safe
final class CompressedFeed: ByteFeed {
  /// How a stream is compressed.
  enum Codec: Sendable {
    case zlib, gzip, xz, zstd, bzip2

    fileprivate var number: czlib_codec {
      switch self {
      case .zlib: CZLIB_ZLIB
      case .gzip: CZLIB_GZIP
      case .xz: CZLIB_XZ
      case .zstd: CZLIB_ZSTD
      case .bzip2: CZLIB_BZIP2
      }
    }

    /// The library that is loaded for it.
    fileprivate var library: StaticString {
      switch self {
      case .zlib, .gzip: "zlib"
      case .xz: "liblzma5"
      case .zstd: "libzstd1"
      case .bzip2: "libbz2-1.0"
      }
    }
  }

  private let codec: Codec
  private let decompressor: UnsafeMutablePointer<czlib>
  private let budget: UnpackingBudget
  /// The memory that the decompressor has.
  private var memory = 0
  private var input: InputBuffer
  /// Whether a stream has begun and not ended.
  private var isInside = true
  /// Whether the decompressor may have more bytes without further input.
  private var hasMore = false
  private var isAtEnd = false
  private var failure: CaptureFailure?

  /// Opens the stream at the current position of `input`. What follows a stream of zlib's belongs
  /// to something else; otherwise, further streams may follow, with zeros between them.
  ///
  /// - Throws: `.inaccessible` if the codec's library is not available, or the failure of the
  ///   budget.
  init(
    _ codec: Codec, _ input: consuming InputBuffer, _ budget: UnpackingBudget
  ) throws(CaptureFailure) {
    try budget.spend(UnpackingBudget.fileCost)
    guard let opened = unsafe czlib_open(codec.number, budget.memoryLeft) else {
      throw CaptureFailure(
        .inaccessible,
        "\(codec.library), which decompresses it, is not installed: install it, or unpack the file first"
      )
    }
    self.codec = codec
    self.budget = budget
    unsafe decompressor = opened
    self.input = input
  }

  deinit {
    budget.memory -= memory
    unsafe czlib_close(decompressor)
  }

  /// Reads the next bytes.
  ///
  /// - Throws: `.damaged` with the offset in the compressed stream, after everything before it was
  ///   read; or the failure of the budget.
  func read(
    into start: UnsafeMutableRawPointer, atMost count: Int
  ) throws(CaptureFailure) -> Int {
    while failure == nil, !isAtEnd {
      let made = unsafe step(into: start, atMost: count)
      try budget.spend(Int64(made))
      if made > 0 { return made }
    }
    if let failure { throw failure }
    return 0
  }

  /// Reads to the end, since the checksum comes last.
  ///
  /// - Throws: As `read` does.
  func finish() throws(CaptureFailure) {
    var rest = InputBuffer(self)
    while try rest.fill(1) { _ = rest.take(rest.count) }
  }

  /// Decompresses once. Returns the number of bytes, which may be 0 before the end.
  private func step(into start: UnsafeMutableRawPointer, atMost count: Int) -> Int {
    do throws(CaptureFailure) {
      if !isInside, try !begin() { return 0 }
      if !hasMore, try !input.fill(1) {
        failure = CaptureFailure(
          .damaged, "the compressed data ends early, after byte \(input.offset)")
        return 0
      }
    } catch {
      failure = error
      return 0
    }
    unsafe czlib_limit(decompressor, budget.memoryLeft + memory)
    defer {
      let now = unsafe czlib_memory(decompressor)
      budget.memory += now - memory
      memory = now
    }
    var (used, made, result) = (0, count, CZLIB_MORE)
    unsafe input.take { source in
      used = source.count
      result = unsafe czlib_step(decompressor, source.baseAddress, &used, start, &made)
      return used
    }
    hasMore = made == count
    switch result {
    case CZLIB_MORE:
      // A decompressor that neither reads nor writes would never end.
      if used == 0, made == 0, input.count > 0 { fail("damaged") }
    case CZLIB_END: isInside = false
    case CZLIB_CHECKSUM: fail("damaged: its checksum is wrong")
    case CZLIB_MEMORY: fail("not readable: it needs too much memory")
    default: fail("damaged")
    }
    return made
  }

  private func fail(_ words: StaticString) {
    failure = CaptureFailure(
      .damaged, "the compressed data at byte \(input.offset) is \(words)")
  }

  /// Begins the next stream; returns false at the end.
  private func begin() throws(CaptureFailure) -> Bool {
    isAtEnd = true
    if codec == .zlib { return false }
    while try input.fill(1) {
      if input.bytes.byte(at: 0) == 0 {
        _ = input.take(1)
        continue
      }
      isAtEnd = false
      // A stream may be empty, and small files may hold millions of those.
      try budget.spend(UnpackingBudget.entryCost)
      (isInside, hasMore) = (true, false)
      if unsafe czlib_begin(decompressor) == 0 {
        fail("not readable: not enough memory")
      }
      return failure == nil
    }
    return false
  }
}
