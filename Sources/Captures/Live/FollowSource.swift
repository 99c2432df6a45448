package import Bytes
import Glibc

/// A capture file that grows: at its end more is waited for, until the interruption comes.
///
/// Where another file takes its name (Android renames a full one to `.last`), or it is emptied, what is
/// left of the old one is read first, and then the new one from its beginning, as the next of several
/// files: what was known stays known where the new one goes on at once. A file that is emptied and grows
/// past where reading stood, between two looks at it, cannot be told from one that grew.
package struct FollowSource: CaptureSource, ~Copyable {
  private let path: String
  private let interruption: Interruption
  private var feed: FollowFeed
  private var reader: CaptureReader?
  private var known: CaptureSummary
  private var remarks: [String] = []
  private var numberBefore = 0
  private var number = 0
  private var file = 0
  private var isFinished = false

  /// Opens a file, which need not be complete yet; its first bytes are waited for.
  ///
  /// - Throws: `.inaccessible` where it cannot be opened, `.notReadable` where it is no capture, and what
  ///   a damaged header has.
  package init(path: String, _ interruption: Interruption) throws(CaptureFailure) {
    let feed = try FollowFeed(path, interruption)
    let reader = try CaptureReader(InputBuffer(feed))
    self.path = path
    self.interruption = interruption
    self.feed = feed
    known = reader.summary
    self.reader = consume reader
  }

  /// What is known of the file that is read, and what became of those before.
  package var summary: CaptureSummary {
    var summary = known
    switch reader {
    case .some(let reader): summary = reader.summary
    case nil: break
    }
    summary.remarks += remarks
    return summary
  }

  /// Whether a record is there.
  package var isReady: Bool {
    switch reader {
    case .some(let reader): return reader.isReady
    case nil: return isFinished
    }
  }

  /// The next record, or nil once the interruption came and what was read before is handed out.
  ///
  /// - Throws: what the file's reader throws; damage at the very end of a file that was replaced is a
  ///   remark.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    while !isFinished {
      if reader == nil, !(try openNext()) { break }
      do throws(CaptureFailure) {
        if let record = try reader?.next() {
          number = numberBefore + record.number
          return record.with(file: file, number: number, original: nil)
        }
      } catch {
        // A record may be written in part when the interruption comes.
        guard error.kind == .damaged, feed.hasEnded, feed.ending != nil || interruption.hasCome
        else {
          isFinished = true
          throw error
        }
        if feed.ending != nil { say("it ended within a record when it was replaced") }
      }
      close()
    }
    isFinished = true
    return nil
  }

  private mutating func say(_ remark: String) {
    if remarks.count < LiveLimits.remarks { remarks.append(remark) }
  }

  /// Closes a file that was read to its end.
  private mutating func close() {
    switch reader {
    case .some(let reader): known = reader.summary
    case nil: break
    }
    reader = nil
    numberBefore = number
    switch feed.ending {
    case .replaced: say("it was replaced by a new file, which was read on")
    case .emptied: say("it was emptied, and read from its beginning again")
    case nil: isFinished = true
    }
  }

  /// Opens the file that has the name now; false once the interruption came.
  private mutating func openNext() throws(CaptureFailure) -> Bool {
    while !interruption.hasCome {
      do throws(CaptureFailure) {
        feed = try FollowFeed(path, interruption)
      } catch {
        // Nothing has the name for a moment.
        guard error.kind == .inaccessible else { throw error }
        _ = interruption.wait(for: -1, milliseconds: LiveLimits.lookMilliseconds)
        continue
      }
      do throws(CaptureFailure) {
        reader = try CaptureReader(InputBuffer(feed))
        file += 1
        return true
      } catch {
        // It may be replaced again before it has a header, or never get one.
        guard feed.ending != nil || interruption.hasCome else { throw error }
      }
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

  init(_ path: String, _ interruption: Interruption) throws(CaptureFailure) {
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard opened >= 0 else { throw CaptureFailure(.inaccessible, systemWords(errno)) }
    var status = stat()
    guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      throw CaptureFailure(.inaccessible, "is no file that can grow; streams are read to their end")
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
      let result = unsafe Glibc.read(descriptor, start, count)
      if result > 0 {
        position += off_t(result)
        return result
      }
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
      if ending == nil { wait() }
    }
    return 0
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
