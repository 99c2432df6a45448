import Bytes

/// The records passed from the reading thread to the printing thread.
///
/// They travel in chunks of bytes, so that threads do not synchronise for every record, and chunks
/// are reused. The number of waiting bytes is limited. If there is no room, either the reader waits
/// or the record is left out and counted, depending on the source.
final class RecordQueue: @unchecked Sendable {
  /// The maximum number of waiting bytes.
  private let most: Int
  /// Whether records are left out if there is no room.
  private let leavesOut: Bool

  private let lock = Lock()
  // Everything below is accessed only while `lock` is held.
  private var full: [RecordChunk] = []
  private var spare: [RecordChunk] = []
  /// The number of bytes in chunks that were given and not yet given back.
  private var waiting = 0
  private var isEnded = false
  /// Whether the printing thread has stopped taking chunks, so that none are kept.
  private var isAbandoned = false

  /// The maximum number of spare chunks.
  private static let mostSpare = 4

  init(most: Int, leavesOut: Bool) {
    self.most = most
    self.leavesOut = leavesOut
  }

  /// Returns an empty chunk, or nil if there is no room and records should be left out.
  func chunk() -> RecordChunk? {
    lock.acquire()
    defer { lock.release() }
    while waiting >= most, !leavesOut, !isAbandoned { lock.awaitChange() }
    return spareChunk()
  }

  /// Returns an empty chunk without waiting, or nil if there is no room.
  func chunkWithRoom() -> RecordChunk? {
    lock.acquire()
    defer { lock.release() }
    return spareChunk()
  }

  private func spareChunk() -> RecordChunk? {
    guard waiting < most || isAbandoned else { return nil }
    return spare.popLast() ?? RecordChunk()
  }

  /// Adds a chunk to the queue.
  func give(_ chunk: RecordChunk) {
    lock.acquire()
    defer { lock.release() }
    guard !isAbandoned else { return keep(chunk) }
    waiting += chunk.count
    // While no chunk is taken, small chunks are merged, so that waiting records need little more
    // room than their bytes.
    if let last = full.last, last.absorb(chunk) { keep(chunk) } else { full.append(chunk) }
    lock.signalChange()
  }

  /// Returns the next chunk, waiting for it; nil at the end.
  func take() -> RecordChunk? {
    lock.acquire()
    defer { lock.release() }
    while full.isEmpty, !isEnded { lock.awaitChange() }
    return full.isEmpty ? nil : full.removeFirst()
  }

  /// Returns a chunk that was read for reuse.
  func giveBack(_ chunk: RecordChunk) {
    lock.acquire()
    defer { lock.release() }
    waiting -= chunk.count
    keep(chunk)
    lock.signalChange()
  }

  private func keep(_ chunk: RecordChunk) {
    chunk.clear()
    if spare.count < Self.mostSpare, chunk.isOfUsualSize { spare.append(chunk) }
  }

  /// Whether `take` returns at once.
  var isReady: Bool {
    lock.acquire()
    defer { lock.release() }
    return !full.isEmpty || isEnded
  }

  /// Waits until `take` returns at once, for at most `milliseconds`; returns false if the time is
  /// over.
  func wait(milliseconds: Int32) -> Bool {
    let end = Lock.Deadline(milliseconds: milliseconds)
    lock.acquire()
    defer { lock.release() }
    while full.isEmpty, !isEnded {
      if !lock.awaitChange(until: end) { return !full.isEmpty || isEnded }
    }
    return true
  }

  /// Ends the queue; no more chunks may be given.
  func end() {
    lock.acquire()
    defer { lock.release() }
    isEnded = true
    lock.signalChange()
  }

  /// Stops taking chunks; further ones are dropped.
  func abandon() {
    lock.acquire()
    defer { lock.release() }
    isAbandoned = true
    full = []
    lock.signalChange()
  }
}
