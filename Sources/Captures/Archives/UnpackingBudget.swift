import Bytes

/// What searching one input may cost: a file or pipe that the user named, with everything inside.
///
/// Each feed, archive and temporary file of the input counts here, because limits of their own add
/// up: an archive of 56 kB holds 50 files of which each expands to 512 MB.
final class UnpackingBudget {
  /// The size of the input, or what has been read of it.
  private var inputBytes: Int64
  private let isSizeKnown: Bool
  private var unpackedBytes: Int64 = 0
  /// The memory that open decompressors have, and that of processes that read archives.
  var memory = 0
  /// The processor time that processes have used to read archives.
  var seconds = 0.0
  private let isTimeOver: () -> Bool
  /// Why nothing more of the input is read; nil if the budget suffices.
  private(set) var failure: CaptureFailure?

  /// What else counts as unpacked bytes, so that small parts in large numbers end, too: about what
  /// is inflated in the time that each takes.
  static let entryCost: Int64 = 1 << 12
  static let fileCost: Int64 = 1 << 16
  static let archiveCost: Int64 = 1 << 20

  /// - Parameters:
  ///   - size: The size of the input; nil if it is unknown.
  ///   - isTimeOver: Returns whether the caller gives up. It is called often.
  init(size: Int64?, until isTimeOver: @escaping () -> Bool = { false }) {
    (inputBytes, isSizeKnown) = (size ?? 0, size != nil)
    self.isTimeOver = isTimeOver
  }

  /// Counts bytes read of the input itself.
  func receive(_ bytes: Int) throws(CaptureFailure) {
    if !isSizeKnown { inputBytes.add(clamped: Int64(bytes)) }
    try spend(0)
  }

  /// Counts unpacked bytes, or as many as something else is worth.
  ///
  /// - Throws: `failure`, when the budget is spent or the time is over.
  func spend(_ bytes: Int64) throws(CaptureFailure) {
    unpackedBytes.add(clamped: bytes)
    if failure == nil, let excess { failure = CaptureFailure(.damaged, excess) }
    if let failure { throw failure }
  }

  /// Why unpacking must stop, in words; nil while the budget suffices.
  private var excess: String? {
    if unpackedBytes > most { return mostWords }
    if seconds > mostSeconds { return Self.tooLong }
    return isOver ? Self.givenUp : nil
  }

  /// Whether the caller has given up.
  var isOver: Bool { isTimeOver() }

  /// Ends reading because a process was ended, and returns the reason.
  func endLate() -> CaptureFailure {
    let failure = failure ?? CaptureFailure(.damaged, isOver ? Self.givenUp : Self.tooLong)
    self.failure = failure
    return failure
  }

  private static let givenUp = "it was not read to its end in the time allowed"
  private static let tooLong = "unpacking it takes too long; the rest was not read"

  /// The number of bytes that may be unpacked.
  ///
  /// Phones' reports expand to 5 to 20 times their size, mostly text, and their logs to less than
  /// 10 times. Deflate reaches at most 1032 times, and only with a file of one repeated byte; two
  /// compressions reach millions. The first `unpackedBytes` are free, so that a small file with
  /// uniform traffic is not refused, and any tool's file of less than that is read.
  private var most: Int64 {
    min(
      CaptureLimits.decompressedBytes,
      CaptureLimits.unpackedBytes.adding(
        clamped: inputBytes.multiplied(clamped: CaptureLimits.unpackedTimes)))
  }

  private var mostWords: String {
    most == CaptureLimits.decompressedBytes
      ? "it unpacks to more than 16 GB, of which the rest was not read"
      : "it unpacks to more than 256 MB and \(CaptureLimits.unpackedTimes) times its own size, with 4 kB for each entry and 1 MB for each archive in it; the rest was not read"
  }

  /// The memory that is left for one more decompressor or process.
  var memoryLeft: Int { max(0, CaptureLimits.unpackingMemory - memory) }

  /// The processor time that processes may use in all.
  private var mostSeconds: Double {
    Double(CaptureLimits.unpackingSeconds) + Double(inputBytes >> 20)
  }

  /// The processor time that is left for processes, in whole seconds.
  var secondsLeft: UInt32 { UInt32(clamping: Int64(max(1, mostSeconds - seconds))) }
}
