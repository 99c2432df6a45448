import Bluetooth
package import Bytes
import Glibc

/// A capture file that grows: at its end more is waited for, until the interruption comes.
///
/// Where another file takes its name (Android renames a full one to `.last`), or it is emptied, what is
/// left of the old one is read first, and then the new one from its beginning, as the next of several
/// files: what was known stays known where the new one goes on at once. Between them stands a note of this
/// source's own. A new file that is no capture yet is looked at until it is one. A file that is emptied and
/// grows past where reading stood, between two looks at it, is told by its first bytes and by those before
/// that place: only one that has the same bytes there cannot be told from one that grew.
package struct FollowSource: CaptureSource, ~Copyable {
  private let path: String
  private let interruption: Interruption
  private let tell: (String) -> Void
  private var feed: FollowFeed
  private var reader: CaptureReader?
  private var known = CaptureSummary(
    format: .btsnoop, datalink: nil, datalinkName: "", timeDecimals: 6)
  /// How many times the file was replaced, and emptied.
  private var replacements = 0
  private var emptyings = 0
  /// What is to be said before the next record, and while it is lent.
  private var pendingNote: [UInt8]?
  private var note: [UInt8] = []
  /// The last record's time, which a note behind it has, too: nobody knows its own.
  private var lastTime: Timestamp?
  /// Whether it was said that the new file is no capture yet.
  private var hasToldNoCapture = false
  private var numberBefore = 0
  private var number = 0
  private var file = 0
  private var isFinished: Bool

  /// Opens a file, which need not be complete yet; its first bytes are waited for.
  ///
  /// - Throws: `.inaccessible` where it cannot be opened, `.notReadable` where it is no capture, and what
  ///   a damaged header has; nothing where the interruption came first.
  ///
  /// - Parameter tell: is told what the notes say, for reports that have no room for them.
  package init(
    path: String, _ interruption: Interruption, tell: @escaping (String) -> Void = { _ in }
  ) throws(CaptureFailure) {
    let feed = try FollowFeed(path, interruption)
    var opened: CaptureReader?
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
    self.tell = tell
    self.feed = feed
    isFinished = !isThere
    reader = consume opened
  }

  /// What is known of the file that is read, and how many there were before.
  package var summary: CaptureSummary {
    var summary = known
    switch reader {
    case .some(let reader): summary = reader.summary
    case nil: break
    }
    func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
    if replacements > 0 {
      summary.remarks.append(
        "a new file took its place \(times(replacements)), and reading went on there")
    }
    if emptyings > 0 {
      summary.remarks.append(
        "it was emptied \(times(emptyings)), and reading went on at its beginning")
    }
    return summary
  }

  /// Whether a record is there.
  package var isReady: Bool {
    if pendingNote != nil { return true }
    switch reader {
    case .some(let reader): return reader.isReady
    case nil: return isFinished
    }
  }

  /// The next record, or nil once the interruption came and what was read before is handed out.
  ///
  /// - Throws: what the file's reader throws; damage at the very end of a file that was replaced is told
  ///   by the note.
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
        // A record may be written in part when the interruption comes.
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

  private mutating func say(_ words: String) {
    pendingNote = [UInt8](words.utf8)
    tell(words)
  }

  /// Closes a file that was read to its end.
  ///
  /// - Parameter cut: where it ended within a record.
  private mutating func close(_ cut: CaptureFailure?) {
    switch reader {
    case .some(let reader): known = reader.summary
    case nil: break
    }
    reader = nil
    numberBefore = number
    let loss = cut != nil ? "; the last record of the old one is not whole" : ""
    switch feed.ending {
    case .replaced:
      replacements += 1
      say("a new file took the place of this one, and reading goes on there\(loss)")
    case .emptied:
      emptyings += 1
      say("the file was emptied, and reading goes on at its beginning\(loss)")
    case nil:
      isFinished = true
      if let cut { known.remarks.append(cut.unfinishedWords) }
    }
  }

  /// Opens the file that has the name now, or has a note say that it is no capture yet; false once the
  /// interruption came.
  private mutating func openNext() throws(CaptureFailure) -> Bool {
    while !interruption.hasCome {
      do throws(CaptureFailure) {
        feed = try FollowFeed(path, interruption)
        reader = try CaptureReader(InputBuffer(feed))
        file += 1
        hasToldNoCapture = false
        return true
      } catch {
        switch error.kind {
        case .inaccessible where error.message == FollowFeed.cannotGrow:
          if !hasToldNoCapture {
            hasToldNoCapture = true
            say("the new file is no capture yet; reading goes on when it is one")
            return true
          }
        // Nothing has the name for a moment, or it is replaced again before it has a header.
        case .inaccessible: break
        case .damaged: guard feed.ending != nil || interruption.hasCome else { throw error }
        case .notReadable where feed.ending == nil && !interruption.hasCome:
          if !hasToldNoCapture {
            hasToldNoCapture = true
            say("the new file is no capture yet; reading goes on when it is one")
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

/// The bytes of a file that grows, until another one has its name.
private final class FollowFeed: ByteFeed {
  /// Why nothing follows in this file.
  enum Ending {
    /// Another file has its name.
    case replaced
    /// It is shorter than what was read of it.
    case emptied
  }

  /// Why it ended; nil where the interruption came, or before.
  private(set) var ending: Ending?
  /// Whether it was read to its end.
  private(set) var hasEnded = false

  private let path: String
  private let interruption: Interruption
  private let descriptor: Int32
  /// Tells changes of the file and of its folder; negative where the system cannot.
  private let notices: Int32
  private var position: off_t = 0
  /// The bytes that the file begins with, and the last ones that were read: so many as are enough to tell
  /// two captures by their times.
  private var head: [UInt8] = []
  private var tail: [UInt8] = []
  /// Whether all was read that there was: somebody may have written the file anew since.
  private var wasAtEnd = false
  private static let knownBytes = 64
  /// What is said of a pipe or a device.
  static let cannotGrow = "is no file that can grow; streams are read to their end"

  init(_ path: String, _ interruption: Interruption) throws(CaptureFailure) {
    // Not to wait for whoever writes to a pipe.
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
      // A file can always be read: as in `StreamFeed`, a long one is not read to its end first.
      if interruption.hasCome {
        hasEnded = true
        break
      }
      // Before what was written since is taken for more of the same.
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
      // What was written before it was replaced is read once more, above.
      ending = findEnding()
      switch ending {
      case .emptied: hasEnded = true
      case .replaced: break
      case nil: wait()
      }
    }
    return 0
  }

  /// Keeps what the file is known by.
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

  /// Whether the file still has the bytes that it is known by.
  private var isSame: Bool {
    func has(_ bytes: [UInt8], at offset: off_t) -> Bool {
      var found = [UInt8](repeating: 0, count: bytes.count)
      let count = unsafe found.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress, $0.count, offset)
      }
      // What cannot be read, or not now, tells nothing; a shorter file is found by its length.
      return count < bytes.count || found == bytes
    }
    return has(head, at: 0) && has(tail, at: position - off_t(tail.count))
  }

  private func findEnding() -> Ending? {
    var mine = stat()
    var named = stat()
    guard unsafe fstat(descriptor, &mine) == 0 else { return nil }
    if mine.st_size < position { return .emptied }
    // Where nothing has the name, somebody may still write to the old file.
    guard unsafe stat(path, &named) == 0 else { return nil }
    let isSame = mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
    return isSame ? nil : .replaced
  }

  /// Waits for a change, or for the time after which the file is looked at anyway: not every file system
  /// tells of changes, and the name may be given to another file.
  private func wait() {
    let pause = LiveLimits.lookMilliseconds
    guard interruption.wait(for: notices, milliseconds: pause) == .ready else { return }
    // What changed is looked at, not told.
    var events = [UInt8](repeating: 0, count: 4096)
    _ = unsafe events.withUnsafeMutableBytes {
      unsafe Glibc.read(notices, $0.baseAddress, $0.count)
    }
  }
}
