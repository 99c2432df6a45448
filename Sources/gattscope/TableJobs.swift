import ArgumentParser
import Bytes
import Reports

/// Writes the parts of a folder of tables, several at a time, each in a process of its own. If a
/// file ends its process, the file becomes a row, and the part is written again without it.
struct TableJobs {
  /// A part that a process works on.
  fileprivate struct Part {
    let number: Int
    /// The paths, with a letter of `PlannedFile` before and a zero byte after each.
    var plan: [UInt8]
    var worker: Terminal.Worker
    /// The number of files that are done, and of those that were not read to their end.
    var done = 0
    var unread = 0
    /// The time at which the process last reported a file.
    var heard = MonotonicClock.nanoseconds
    /// Whether the process was ended because it reported nothing for too long.
    var isHung = false
    /// The number of times that a signal ended the process after its last file.
    var lateEnds = 0

    init(_ number: Int, _ plan: [UInt8], _ worker: Terminal.Worker) {
      self.number = number
      self.plan = plan
      self.worker = worker
    }
  }

  private let folder: TableFolder
  /// The descriptor of the folder's lock, which the processes hold too: if this process is killed,
  /// no other run begins while one of them still writes.
  private let lock: Int32
  private let arguments: [String]
  private let patience: Int64
  private let jobs: Int
  private var parts: [Part] = []
  private var progress: TableProgress
  /// The number of files in complete parts that were not read to their end.
  private(set) var unread = 0

  /// The seconds that a process may take for a file beyond the timeout of `table` before it is
  /// ended.
  private static let graceSeconds = 30
  /// The milliseconds between two checks of how long processes have reported nothing.
  private static let pollMilliseconds: Int32 = 500
  /// If two checks are further apart than this and the poll, in nanoseconds, all processes were
  /// suspended meanwhile.
  private static let longestTurn: Int64 = 1_000_000_000
  /// The number of times that a signal may end a process after its last file.
  private static let mostLateEnds = 2

  /// - Parameters:
  ///   - lock: the descriptor of the folder's lock.
  ///   - arguments: those of the processes, without the number of the part.
  ///   - total: the number of files in all parts.
  init(
    _ folder: TableFolder, lock: Int32, arguments: [String], patienceSeconds: Int, jobs: Int,
    total: Int
  ) {
    self.folder = folder
    self.lock = lock
    self.arguments = arguments
    patience = Int64(patienceSeconds + Self.graceSeconds) * 1_000_000_000
    self.jobs = jobs
    progress = TableProgress(total)
  }

  /// Writes all parts.
  ///
  /// - Parameters:
  ///   - plans: the plan of each part.
  ///   - first: the number of the first part.
  /// - Throws: the exit status.
  mutating func run(_ plans: [[UInt8]], from first: Int) throws {
    Terminal.interruptOnSignals(after: nil)
    defer {
      for part in parts {
        part.worker.kill()
        _ = part.worker.wait()
        folder.discard(part.number)
      }
      progress.end()
    }
    var next = 0
    while next < plans.count || !parts.isEmpty {
      while parts.count < jobs, next < plans.count {
        let number = first + next
        parts.append(Part(number, plans[next], try start(number, plans[next])))
        next += 1
      }
      let before = MonotonicClock.nanoseconds
      Terminal.wait(
        for: parts.map(\.worker.progress), milliseconds: Self.pollMilliseconds)
      let gap = MonotonicClock.nanoseconds - before - Int64(Self.pollMilliseconds) * 1_000_000
      if gap > Self.longestTurn {
        for index in parts.indices { parts[index].heard.add(clamped: gap) }
      }
      if Interruption.process.hasCome { throw ExitCode(130) }
      for index in parts.indices.reversed() { try follow(index) }
      progress.show(parts.map(\.done).reduce(0, +))
    }
  }

  /// Starts the process of a part.
  private func start(_ number: Int, _ plan: [UInt8]) throws -> Terminal.Worker {
    do throws(Terminal.SystemFailure) {
      let input = try folder.plan(number, plan)
      let worker = try Terminal.work(
        arguments + ["--part=\(number)"], input: input, holding: lock)
      // The process has opened the plan. If it stayed, it would list the paths.
      Terminal.removeFile(input)
      return worker
    } catch {
      folder.discard(number)
      try Terminal.check(error.code)
      throw ExitCode(74)
    }
  }

  /// Processes the output of a part's process. Once the process has ended, the part is complete or
  /// is written again.
  private mutating func follow(_ index: Int) throws {
    guard Terminal.isReadable(parts[index].worker.progress) else {
      if MonotonicClock.nanoseconds - parts[index].heard > patience {
        parts[index].isHung = true
        parts[index].worker.kill()
      }
      return
    }
    if let words = parts[index].worker.take() {
      parts[index].heard = MonotonicClock.nanoseconds
      parts[index].done += words.count
      parts[index].unread += words.count { $0 == Terminal.unreadFile }
      return
    }
    let part = parts.remove(at: index)
    let (status, signal) = part.worker.wait()
    guard signal != nil else {
      guard status == 0 else {
        folder.discard(part.number)
        throw ExitCode(status)
      }
      unread += part.unread
      progress.finish(part.done)
      return
    }
    let (plan, hasCulprit) = part.planWithoutCulprit
    let lateEnds = part.lateEnds + (hasCulprit ? 0 : 1)
    guard lateEnds < Self.mostLateEnds else {
      folder.discard(part.number)
      Terminal.complain(
        "a process was ended \(lateEnds) times while it wrote part \(part.number), after the last file"
      )
      throw ExitCode(74)
    }
    var next = Part(part.number, plan, try start(part.number, plan))
    next.lateEnds = lateEnds
    parts.append(next)
  }
}

extension TableJobs.Part {
  /// The plan with the file that the process was reading marked as one to skip, and whether there
  /// was such a file.
  fileprivate var planWithoutCulprit: (plan: [UInt8], hasCulprit: Bool) {
    var plan = plan
    var place = 0
    for _ in 0..<done { place = (plan[place...].firstIndex(of: 0) ?? plan.endIndex - 1) + 1 }
    // If all files were done, the process ended while it finished the tables, which may succeed
    // next time.
    guard place < plan.endIndex else { return (plan, false) }
    plan[place] = isHung ? PlannedFile.hung : PlannedFile.crashed
    return (plan, true)
  }
}

/// The progress of `table`, shown on a terminal if it takes longer than a second.
struct TableProgress {
  private let total: Int
  private var finished = 0
  private let start = MonotonicClock.nanoseconds
  private var shown: Int64 = 0

  /// The least time between two updates and the time before the first one, in nanoseconds.
  private static let pause: Int64 = 200_000_000
  private static let first: Int64 = 1_000_000_000

  init(_ total: Int) { self.total = total }

  /// Counts files of complete parts.
  mutating func finish(_ files: Int) { finished += files }

  /// Shows how many files are done.
  ///
  /// - Parameter open: the number of files done in incomplete parts.
  mutating func show(_ open: Int = 0) {
    let now = MonotonicClock.nanoseconds
    guard now - start > Self.first, now - shown > Self.pause else { return }
    shown = now
    Terminal.showProgress("\(finished + open) of \(total) files")
  }

  /// Removes the line.
  func end() { if shown > 0 { Terminal.showProgress("") } }
}
