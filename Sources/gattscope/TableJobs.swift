import ArgumentParser
import Bytes
import Reports

/// Makes the parts of a folder of tables, several at the same time, each in a process of its own. If a
/// file ends that process, it becomes a row, and the part is made again without it.
struct TableJobs {
  /// A part that a process works on.
  fileprivate struct Part {
    let number: Int
    /// The paths, each with a letter in front and a zero behind.
    var plan: [UInt8]
    var worker: Terminal.Worker
    /// Files that are done, and those of them that were not read to their end.
    var done = 0
    var unread = 0
    /// When the process has said something last.
    var heard = MonotonicClock.nanoseconds
    /// Whether it was ended since it said nothing for too long.
    var isHung = false
    /// How often a signal ended the process after its last file.
    var lateEnds = 0

    init(_ number: Int, _ plan: [UInt8], _ worker: Terminal.Worker) {
      self.number = number
      self.plan = plan
      self.worker = worker
    }
  }

  private let folder: TableFolder
  /// The descriptor of the folder's lock, which the processes hold too: if this process is killed, no
  /// other run begins while one of them still writes.
  private let lock: Int32
  private let arguments: [String]
  private let patience: Int64
  private let jobs: Int
  private var parts: [Part] = []
  private var progress: TableProgress
  /// Files of parts that are complete, which were not read to their end.
  private(set) var unread = 0

  /// A process is ended when it needs longer for a file than the patience of `table`, and so much more.
  private static let graceSeconds = 30
  /// How often it is looked at how long processes have said nothing.
  private static let pollMilliseconds: Int32 = 500
  /// If two turns are further apart than this and the poll, all processes were suspended meanwhile.
  private static let longestTurn: Int64 = 1_000_000_000
  /// How often a process may be ended by a signal after its last file.
  private static let mostLateEnds = 2

  /// - Parameters:
  ///   - lock: the descriptor of the folder's lock.
  ///   - arguments: those of the processes, but for the number of the part.
  ///   - total: how many files there are in all parts.
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

  /// Makes all parts.
  ///
  /// - Parameters:
  ///   - plans: what is to be done in each.
  ///   - first: the number of the first one.
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
      // The process has it open. Left there, it would list the paths.
      Terminal.removeFile(input)
      return worker
    } catch {
      folder.discard(number)
      try Terminal.check(error.code)
      throw ExitCode(74)
    }
  }

  /// Processes the output of a part's process; once it has ended, the part is done or made again.
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
  /// The plan in which the file that the process was at is not read any more, and whether there was one.
  fileprivate var planWithoutCulprit: (plan: [UInt8], hasCulprit: Bool) {
    var plan = plan
    var place = 0
    for _ in 0..<done { place = (plan[place...].firstIndex(of: 0) ?? plan.endIndex - 1) + 1 }
    // Where all files were done it ended at the tables' end, which may go better.
    guard place < plan.endIndex else { return (plan, false) }
    plan[place] = isHung ? PlannedFile.hung : PlannedFile.crashed
    return (plan, true)
  }
}

/// How far `table` has come, shown on a terminal while it takes longer than a second.
struct TableProgress {
  private let total: Int
  private var finished = 0
  private let start = MonotonicClock.nanoseconds
  private var shown: Int64 = 0

  /// How often it is shown at most, in nanoseconds, and from when on.
  private static let pause: Int64 = 200_000_000
  private static let first: Int64 = 1_000_000_000

  init(_ total: Int) { self.total = total }

  /// Takes files that are done for good.
  mutating func finish(_ files: Int) { finished += files }

  /// Shows how many files are done.
  ///
  /// - Parameter open: files of parts that are not complete.
  mutating func show(_ open: Int = 0) {
    let now = MonotonicClock.nanoseconds
    guard now - start > Self.first, now - shown > Self.pause else { return }
    shown = now
    Terminal.showProgress("\(finished + open) of \(total) files")
  }

  /// Removes what is shown.
  func end() { if shown > 0 { Terminal.showProgress("") } }
}
