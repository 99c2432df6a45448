import Bytes

/// Records on their way from the thread that reads them to the one that prints them.
///
/// They travel in chunks of bytes, so that neither thread is stopped for a single one, and chunks are
/// used again and again. What waits is bounded in bytes: where there is no room, the reader waits, or the
/// record is left out and counted, as the source demands.
final class RecordQueue: @unchecked Sendable {
  /// The most bytes that wait.
  private let most: Int
  /// Whether records are left out where there is no room.
  private let leavesOut: Bool

  private let lock = Lock()
  // Everything below is touched only by who holds `lock`.
  private var full: [RecordChunk] = []
  private var spare: [RecordChunk] = []
  /// The bytes of the chunks that were handed over and not given back.
  private var waiting = 0
  private var isEnded = false
  /// Nobody takes any more: nothing is kept.
  private var isAbandoned = false

  /// Chunks that are kept for later.
  private static let mostSpare = 4

  init(most: Int, leavesOut: Bool) {
    self.most = most
    self.leavesOut = leavesOut
  }

  /// An empty chunk; nil where there is no room and records are to be left out.
  func chunk() -> RecordChunk? {
    lock.take()
    defer { lock.letGo() }
    while waiting >= most, !leavesOut, !isAbandoned { lock.awaitChange() }
    return spareChunk()
  }

  /// The same without a wait: nil where there is no room.
  func chunkWithRoom() -> RecordChunk? {
    lock.take()
    defer { lock.letGo() }
    return spareChunk()
  }

  private func spareChunk() -> RecordChunk? {
    guard waiting < most || isAbandoned else { return nil }
    return spare.popLast() ?? RecordChunk()
  }

  /// Hands a chunk over.
  func give(_ chunk: RecordChunk) {
    lock.take()
    defer { lock.letGo() }
    guard !isAbandoned else { return keep(chunk) }
    waiting += chunk.count
    // Where nobody takes, small chunks become large ones: what waits takes hardly more room than its bytes.
    if let last = full.last, last.absorb(chunk) { keep(chunk) } else { full.append(chunk) }
    lock.tellChange()
  }

  /// The next chunk, which is waited for; nil at the end.
  func take() -> RecordChunk? {
    lock.take()
    defer { lock.letGo() }
    while full.isEmpty, !isEnded { lock.awaitChange() }
    return full.isEmpty ? nil : full.removeFirst()
  }

  /// Gives a chunk back that was read.
  func giveBack(_ chunk: RecordChunk) {
    lock.take()
    defer { lock.letGo() }
    waiting -= chunk.count
    keep(chunk)
    lock.tellChange()
  }

  private func keep(_ chunk: RecordChunk) {
    chunk.clear()
    if spare.count < Self.mostSpare, chunk.isOfUsualSize { spare.append(chunk) }
  }

  /// Whether `take` answers at once.
  var isReady: Bool {
    lock.take()
    defer { lock.letGo() }
    return !full.isEmpty || isEnded
  }

  /// Waits until `take` answers at once, for so long at most; false where the time is over.
  func wait(milliseconds: Int32) -> Bool {
    let end = Lock.Deadline(milliseconds: milliseconds)
    lock.take()
    defer { lock.letGo() }
    while full.isEmpty, !isEnded {
      if !lock.awaitChange(until: end) { return !full.isEmpty || isEnded }
    }
    return true
  }

  /// Nothing is given any more.
  func end() {
    lock.take()
    defer { lock.letGo() }
    isEnded = true
    lock.tellChange()
  }

  /// Nothing is taken any more: what is given is dropped.
  func abandon() {
    lock.take()
    defer { lock.letGo() }
    isAbandoned = true
    full = []
    lock.tellChange()
  }
}
