import Bluetooth
package import Bytes
import Glibc

/// A growing capture file. At its end the source waits for more, until the interruption comes.
///
/// If another file takes its name (Android renames a full one to `.last`) or it is emptied, the
/// rest of the old file is read first. The new one is then read from its beginning as the next of
/// several files; state is kept, provided that the new file continues at once. A note of this
/// source marks the change. A new file that is not yet a capture is checked until it is. A file
/// that is emptied and grows beyond the read position between two checks is detected by its first
/// bytes and by the last bytes read. Only a file with the same bytes in both places cannot be told
/// from one that grew.
package struct FollowSource: CaptureSource, ~Copyable {
  private let path: String
  private let interruption: Interruption
  private let onNote: (String) -> Void
  private var feed: FollowFeed
  private var reader: (any CaptureSource & ~Copyable)?
  private var known = CaptureSummary(
    format: .btsnoop, datalink: nil, datalinkName: "", timeDecimals: 6)
  /// How many times the file was replaced, and how many times emptied.
  private var replacements = 0
  private var emptyings = 0
  /// The text of the note to return before the next record, and that of the note lent out.
  private var pendingNote: [UInt8]?
  private var note: [UInt8] = []
  /// The last record's time. A note after it has the same time, since its own is unknown.
  private var lastTime: Timestamp?
  /// Whether a note has reported that the new file is not yet a capture.
  private var hasReportedNoCapture = false
  private var numberBefore = 0
  private var number = 0
  private var file = 0
  private var isFinished: Bool

  /// Opens a file, which may be incomplete; waits for its first bytes.
  ///
  /// - Throws: `.inaccessible` if it cannot be opened, `.notReadable` if it is not a capture, and
  ///   the errors of a damaged header; nothing if the interruption came first.
  ///
  /// - Parameter onNote: Receives the text of each note, for reports that cannot show notes.
  package init(
    path: String, _ interruption: Interruption, onNote: @escaping (String) -> Void = { _ in }
  ) throws(CaptureFailure) {
    let feed = try FollowFeed(path, interruption)
    var opened: (any CaptureSource & ~Copyable)?
    do throws(CaptureFailure) {
      opened = try CaptureReader(InputBuffer(feed))
    } catch {
      guard interruption.hasCome else { throw error }
      if error.kind == .damaged { known.remarks.append(error.unfinishedWords) }
    }
    var isThere = false
    switch opened {
    case .some(let reader):
      known = reader.summary
      isThere = true
    case nil: break
    }
    self.path = path
    self.interruption = interruption
    self.onNote = onNote
    self.feed = feed
    isFinished = !isThere
    reader = consume opened
  }

  /// The properties of the current file, with remarks on the files before it.
  package var summary: CaptureSummary {
    var summary = known
    switch reader {
    case .some(let reader): summary = reader.summary
    case nil: break
    }
    func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
    if replacements > 0 {
      summary.remarks.append(
        "it was replaced by a new file \(times(replacements)); reading continued there")
    }
    if emptyings > 0 {
      summary.remarks.append(
        "it was emptied \(times(emptyings)); reading continued at its beginning")
    }
    return summary
  }

  /// Whether a record is available.
  package var isReady: Bool {
    if pendingNote != nil { return true }
    switch reader {
    case .some(let reader): return reader.isReady
    case nil: return isFinished
    }
  }

  /// Returns the next record, or nil after the interruption once everything read before was
  /// returned.
  ///
  /// - Throws: The errors of the file's reader. Damage at the very end of a file that was replaced
  ///   is only mentioned in the note.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    while !isFinished {
      if let words = pendingNote.take() {
        note = words
        number += 1
        numberBefore = number
        let (number, file, time) = (number, file, lastTime)
        return .note(number: number, time: time, fileOffset: 0, text: note.bytes)
          .with(file: file, number: number, original: nil)
      }
      if reader == nil {
        guard try openNext() else { break }
        continue
      }
      var cut: CaptureFailure?
      do throws(CaptureFailure) {
        if let record = try reader?.next() {
          number = numberBefore + record.number
          lastTime = record.time
          return record.with(file: file, number: number, original: nil)
        }
      } catch {
        // A record may be partly written when the interruption comes.
        guard error.kind == .damaged, feed.hasEnded, feed.ending != nil || interruption.hasCome
        else {
          isFinished = true
          throw error
        }
        cut = error
      }
      close(cut)
    }
    isFinished = true
    return nil
  }

  private mutating func report(_ words: String) {
    pendingNote = [UInt8](words.utf8)
    onNote(words)
  }

  /// Closes a file that was read to its end.
  ///
  /// - Parameter cut: The failure if the file ended within a record.
  private mutating func close(_ cut: CaptureFailure?) {
    switch reader {
    case .some(let reader): known = reader.summary
    case nil: break
    }
    reader = nil
    numberBefore = number
    let loss = cut != nil ? "; the last record of the old one is incomplete" : ""
    switch feed.ending {
    case .replaced:
      replacements += 1
      report("a new file replaced this one; reading continues there\(loss)")
    case .emptied:
      emptyings += 1
      report("the file was emptied; reading continues at its beginning\(loss)")
    case nil:
      isFinished = true
      if let cut { known.remarks.append(cut.unfinishedWords) }
    }
  }

  /// Opens the file that now has the name, or issues a note that it is not yet a capture. Returns
  /// false once the interruption came.
  private mutating func openNext() throws(CaptureFailure) -> Bool {
    while !interruption.hasCome {
      do throws(CaptureFailure) {
        feed = try FollowFeed(path, interruption)
        reader = try CaptureReader(InputBuffer(feed))
        file += 1
        hasReportedNoCapture = false
        return true
      } catch {
        switch error.kind {
        case .inaccessible where error.message == FollowFeed.cannotGrow:
          if !hasReportedNoCapture {
            hasReportedNoCapture = true
            report("the new file is not a capture yet; reading continues when it is one")
            return true
          }
        // The name does not exist for a moment, or the file is replaced again before it has a
        // header.
        case .inaccessible: break
        case .damaged: guard feed.ending != nil || interruption.hasCome else { throw error }
        case .notReadable where feed.ending == nil && !interruption.hasCome:
          if !hasReportedNoCapture {
            hasReportedNoCapture = true
            report("the new file is not a capture yet; reading continues when it is one")
            return true
          }
        case .notReadable: break
        case .unavailable, .forbidden: throw error
        }
      }
      _ = interruption.wait(for: -1, milliseconds: LiveLimits.lookMilliseconds)
    }
    return false
  }
}

/// The bytes of a growing file, until another file takes its name.
private final class FollowFeed: ByteFeed {
  /// The reason why nothing more follows in this file.
  enum Ending {
    /// Another file has its name.
    case replaced
    /// It is shorter than what was already read.
    case emptied
  }

  /// The reason; nil before the end, or if the interruption ended it.
  private(set) var ending: Ending?
  /// Whether it has been read to its end.
  private(set) var hasEnded = false

  private let path: String
  private let interruption: Interruption
  private let descriptor: Int32
  /// An inotify descriptor for changes of the file and its folder; negative if unsupported.
  private let notices: Int32
  private var position: off_t = 0
  /// The first bytes of the file, and the last ones read: enough to distinguish two captures by
  /// their times.
  private var head: [UInt8] = []
  private var tail: [UInt8] = []
  /// Whether everything was read, after which the file may have been rewritten.
  private var wasAtEnd = false
  private static let knownBytes = 64
  /// The refusal of a pipe or a device.
  static let cannotGrow = "is not a file that can grow; streams are read to their end"

  init(_ path: String, _ interruption: Interruption) throws(CaptureFailure) {
    // Does not wait for the writer of a pipe.
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard opened >= 0 else { throw CaptureFailure(.inaccessible, systemWords(errno)) }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw CaptureFailure(.inaccessible, Self.cannotGrow)
    }
    self.path = path
    self.interruption = interruption
    descriptor = opened
    notices = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    if notices >= 0 {
      _ = unsafe inotify_add_watch(
        notices, path, UInt32(IN_MODIFY | IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB))
    }
  }

  deinit {
    close(descriptor)
    if notices >= 0 { close(notices) }
  }

  func read(into start: UnsafeMutableRawPointer, atMost count: Int) throws(CaptureFailure) -> Int {
    while !hasEnded {
      // A file can always be read; as in `StreamFeed`, a long one is not read to its end.
      if interruption.hasCome {
        hasEnded = true
        break
      }
      // Checked before new bytes are read as a continuation.
      if wasAtEnd, !isSame {
        ending = .emptied
        hasEnded = true
        break
      }
      let result = unsafe Glibc.read(descriptor, start, count)
      if result > 0 {
        position += off_t(result)
        learn(unsafe RawSpan(_unsafeStart: start, byteCount: result))
        wasAtEnd = false
        return result
      }
      wasAtEnd = true
      if result < 0 {
        if errno == EINTR { continue }
        throw CaptureFailure(.inaccessible, systemWords(errno))
      }
      if ending != nil {
        hasEnded = true
        break
      }
      // Bytes written before the replacement are read above, in one more iteration.
      ending = findEnding()
      switch ending {
      case .emptied: hasEnded = true
      case .replaced: break
      case nil: wait()
      }
    }
    return 0
  }

  /// Records the bytes that identify the file.
  private func learn(_ bytes: RawSpan) {
    if head.count < Self.knownBytes {
      head +=
        bytes.part(Slice(start: 0, count: min(bytes.byteCount, Self.knownBytes - head.count)))
        .array
    }
    let kept = min(bytes.byteCount, Self.knownBytes)
    tail += bytes.dropping(bytes.byteCount - kept).array
    tail.removeFirst(max(0, tail.count - Self.knownBytes))
  }

  /// Whether the file still has the bytes that identify it.
  private var isSame: Bool {
    func has(_ bytes: [UInt8], at offset: off_t) -> Bool {
      var found = [UInt8](repeating: 0, count: bytes.count)
      let count = unsafe found.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress, $0.count, offset)
      }
      // A failed or short read proves nothing; a shorter file is recognised by its length.
      return count < bytes.count || found == bytes
    }
    return has(head, at: 0) && has(tail, at: position - off_t(tail.count))
  }

  private func findEnding() -> Ending? {
    var mine = stat()
    var named = stat()
    guard unsafe fstat(descriptor, &mine) == 0 else { return nil }
    if mine.st_size < position { return .emptied }
    // If no file has the name, the old file may still be written to.
    guard unsafe stat(path, &named) == 0 else { return nil }
    let isSame = mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
    return isSame ? nil : .replaced
  }

  /// Waits for a change, up to the time after which the file is checked anyway: not every file
  /// system reports changes, and another file may take the name.
  private func wait() {
    let pause = LiveLimits.lookMilliseconds
    guard interruption.wait(for: notices, milliseconds: pause) == .ready else { return }
    // The events are discarded; the file itself is checked.
    var events = [UInt8](repeating: 0, count: 4096)
    _ = unsafe events.withUnsafeMutableBytes {
      unsafe Glibc.read(notices, $0.baseAddress, $0.count)
    }
  }
}
