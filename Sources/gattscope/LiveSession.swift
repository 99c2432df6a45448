import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Decoders
import Glibc
import Reports
import Sessions
import Synchronization

/// One run of `live`: opens the source, records it, prints the report, and ends with a summary.
struct LiveSession {
  let address: LiveAddress
  let reopens: Bool
  let keepsRoot: Bool
  let recording: RecordingOptions
  let end: LiveEndOptions
  /// Whether the report goes to standard error because standard output is recorded to.
  let printsToError: Bool
  let selection: Selection
  let maps: [SuppliedMap]
  let bonds: [Bond]
  let profiles: SuppliedProfiles

  private let interruption = Interruption.process

  /// Keeps a table on the terminal, with markers and messages above it.
  func draw<Report: TableReport & ~Copyable>(
    _ makeReport: @escaping (CaptureSummary) -> Report
  ) throws {
    let notices = Notices()
    var options = LiveTableOptions {
      let size = Terminal.size ?? (24, 80)
      return TerminalSize(rows: size.rows, columns: size.columns)
    }
    options.notices = { notices.take() }
    let drawn = options
    Terminal.interruptOnSignals(after: end.duration)
    // Typed characters would appear in the table.
    Terminal.hideTyping()
    defer { Terminal.showTyping() }
    try watch(notices) { LiveTable(makeReport($0), drawn) }
  }

  /// Prints packets as they arrive until the source ends or the user, a signal or a timeout stops
  /// it.
  ///
  /// - Parameter greeting: a message to show at the start if nothing may be printed for a long
  ///   time; the source's name is put before it.
  /// - Throws: the exit status, if something went wrong.
  func run<Report: PacketReport & ~Copyable>(
    greeting: String? = nil, _ makeReport: @escaping (CaptureSummary) -> Report
  ) throws {
    Terminal.interruptOnSignals(after: end.duration)
    try watch(nil, greeting: greeting, makeReport)
  }

  /// - Parameter notices: receives messages to show at once; if nil, they go to standard error.
  private func watch<Report: PacketReport & ~Copyable>(
    _ notices: Notices?, greeting: String? = nil, _ makeReport: @escaping (CaptureSummary) -> Report
  ) throws {
    try checkRecording()
    if address.isDevice, reopens, !keepsRoot, Terminal.sudoUser != nil {
      Terminal.complain(
        "--reconnect opens \(address.name) again, which may need root, and gattscope gives up root once it is "
          + "open; add --keep-root")
      throw ExitCode(64)
    }
    if !keepsRoot, !address.isDevice { try Terminal.leaveRoot() }
    guard let source = try open() else { return }
    if !keepsRoot { try Terminal.leaveRoot() }
    let pipe = try recording.markFrom.map { try Terminal.openPipe($0) }
    // Reported now rather than at the end: the user may be able to fix it before anything is lost.
    let reported = source.summary.allRemarks
    for remark in reported { Terminal.complain("\(address.name): \(remark)") }
    if let greeting { Terminal.complain("\(address.name): \(greeting)") }
    let complaints = Complaints()
    let interruption = interruption
    let goesOn = !recording.takesOutput
    let reader = ReaderWatch()
    if recording.takesOutput { reader.follow(STDOUT_FILENO, interruption) }
    let recorder = Recorder(
      of: source.summary, losing: address.isDevice, most: end.count,
      try openWriter(source.summary)
    ) { failure in
      if failure.isReaderGone { return interruption.come() }
      let sentence = failure.sentence + (goesOn ? "; watching continues" : "")
      if let notices { notices.give(sentence) } else { complaints.give(sentence) }
      if !goesOn { interruption.come() }
    }
    guard let thread = recorder.start(source) else {
      Terminal.complain("the system has no more threads")
      throw ExitCode(69)
    }
    let marks = Marks(recorder, notices, interruption)
    if let pipe { marks.follow(pipe) }
    // A pager that output is piped to reads the same terminal.
    if address != .stream("-"), Terminal.canReadTyping, !Terminal.isPiped {
      marks.follow(STDIN_FILENO)
    }
    var summary = LiveSummary()
    var reading = ReportRun(
      Output(descriptor: printsToError ? STDERR_FILENO : STDOUT_FILENO, interruption), maps, bonds,
      profiles
    ) { known in
      Counted(
        makeReport(known), mostRecords: end.count, untilDisconnect: end.untilDisconnect,
        selection: selection)
    } _: { (report: borrowing Counted<Report>) in
      summary = report.summary
    }
    var failure = read(recorder, &reading)
    // A stream that is stopped may end in the middle of a record.
    var unfinished: String?
    if let ending = failure, ending.kind == .damaged, interruption.hasCome {
      unfinished = ending.unfinishedWords
      failure = nil
    }
    interruption.come()
    thread.join()
    Terminal.showTyping()
    complaints.end()
    // A reader that closed the pipe needs no report.
    if recorder.status.writeFailure?.isReaderGone ?? reader.hasGone { return }
    for sentence in notices?.take() ?? [] { Terminal.complain(sentence) }
    var remarks = recorder.summary.allRemarks.filter { !reported.contains($0) }
    remarks += [interruption.remark, reading.output.remark, unfinished].compactMap(\.self)
    // This code can describe an empty capture better than the report.
    let nothing = unfinished == nil ? "nothing arrived" : "no whole record arrived"
    remarks += summary.records > 0 ? reading.remarks : ["\(nothing) from \(address.name)"]
    try finish(
      recorder.status, summary, failure, remarks,
      outputFailure: reading.output.failure)
  }

  /// Opens the source, or returns nil if the interruption came first.
  private func open() throws -> LiveSource? {
    do throws(CaptureFailure) {
      return try LiveSource(address, reopens: reopens, interruption)
    } catch {
      if interruption.hasCome { return nil }
      let waits =
        reopens && error.kind == .unavailable
        ? "; --reconnect waits for a source that was open, not for one that does not exist yet" : ""
      Terminal.complain(error.sentence(about: address.name) + kinds(insteadOf: error) + waits)
      throw ExitCode(error.kind.status)
    }
  }

  /// Returns a list of the kinds of sources if `failure` is about a path that does not exist and
  /// may have been meant as one.
  private func kinds(insteadOf failure: CaptureFailure) -> String {
    guard case .stream(let path) = address, path != "-", failure.kind == .inaccessible,
      !Terminal.exists(path)
    else { return "" }
    let sources = "; sources are \(LiveAddress.kinds), and the path of a file or named pipe"
    return sources + (path.hasPrefix("/dev/tty") ? "; a serial line is tty:\(path)" : "")
  }

  /// Refuses to record over the input, the printed output or an existing file. Called before the
  /// source is opened, since opening may wait.
  private func checkRecording() throws {
    guard let path = recording.write else { return }
    if case .stream(let source) = address, isSame(source, path) {
      Terminal.complain("\(WriteFailure.subject(path)) is the input; name another file with -w")
      throw ExitCode(64)
    }
    for (descriptor, name) in [(STDOUT_FILENO, "output"), (STDERR_FILENO, "error")]
    where path != "-" && Terminal.isFile(path, behind: descriptor) {
      Terminal.complain("\(path) is where standard \(name) goes; name another file with -w")
      throw ExitCode(64)
    }
    try recording.file.refuseToWrite(to: path)
  }

  private func openWriter(_ summary: CaptureSummary) throws -> CaptureWriter? {
    guard let path = recording.write, let target = recording.file.target(of: path) else {
      return nil
    }
    do throws(WriteFailure) {
      return try CaptureWriter(
        path: path, target.liveFormat(of: summary), decimals: summary.timeDecimals,
        rotation: recording.rotate, interruption)
    } catch {
      Terminal.complain(error.sentence)
      // The program was asked to stop; what has arrived is still reported.
      guard error.reason == .nobodyReads else { throw ExitCode(74) }
      return nil
    }
  }

  /// Returns whether a source is the file that is written. A named pipe has one path for both ends.
  private func isSame(_ source: String, _ path: String) -> Bool {
    if Terminal.isSameFile(source, path) { return true }
    guard source != "-", path != "-" else { return false }
    return Terminal.realPath(source) == Terminal.realPath(path)
  }

  /// Prints the records that `recorder` passes on, to the end.
  private func read<Report: PacketReport & ~Copyable>(
    _ recorder: Recorder, _ reading: inout ReportRun<Report>
  ) -> CaptureFailure? {
    // The records are released here, before the thread is joined: it may wait for room among them.
    var records = recorder.records()
    do throws(CaptureFailure) {
      try reading.use(&records)
      return nil
    } catch {
      return error
    }
  }

  /// Prints the remarks, the failure and the summary.
  ///
  /// - Throws: the exit status, if something went wrong.
  private func finish(
    _ status: Recorder.Status, _ summary: LiveSummary, _ failure: CaptureFailure?,
    _ remarks: [String], outputFailure: Int32?
  ) throws {
    for remark in remarks { Terminal.complain(remark) }
    if let failure { Terminal.complain(failure.sentence(about: address.name)) }
    Terminal.complain(words(summary, status))
    try Terminal.check(outputFailure)
    if let failure { throw ExitCode(failure.kind.status) }
    if let failure = status.writeFailure, failure.reason != .nobodyReads { throw ExitCode(74) }
  }

  private func count(_ number: Int, _ what: String) -> String {
    number == 1 ? "1 \(what)" : "\(number) \(what)s"
  }

  /// Returns the summary, with what happened to the file.
  private func words(_ summary: LiveSummary, _ status: Recorder.Status) -> String {
    // Records that arrived between the end of the report and the end of the source.
    let later = status.written - status.markers - summary.records
    var words = summary.text
    if status.markers > 0 {
      words += ", \(count(status.markers, "marker"))"
    }
    if let path = recording.write {
      words += "; \(status.written) written to \(WriteFailure.subject(path))"
      if status.finishedFiles > 0 {
        words += " and the \(count(status.finishedFiles, "file")) before it"
      }
      if later > 0, status.leftOut == 0 { words += ", \(later) of them after what was printed" }
      let removed = status.removed
      if removed.files > 0 {
        words +=
          ", \(status.written - removed.records) of them still there: "
          + "\(count(removed.files, "older file")) with \(count(removed.records, "record")) "
          + "\(removed.files == 1 ? "was" : "were") removed"
      }
    }
    return words
  }
}

/// Prints sentences to standard error for threads that must not wait for it.
struct Complaints {
  private let sentences: Handoff<String>
  private let thread: Thread?

  init() {
    let sentences = Handoff<String>()
    self.sentences = sentences
    thread = Thread { while let sentence = sentences.take() { Terminal.complain(sentence) } }
  }

  /// Queues a sentence, which another thread prints.
  func give(_ sentence: String) { sentences.give(sentence) }

  /// Waits until all sentences are printed.
  func end() {
    sentences.end()
    thread?.join()
  }
}

/// Messages for the table on the terminal, which shows them.
final class Notices: Sendable {
  private let sentences = Mutex<[String]>([])
  /// Limits the sentences kept if no table takes them.
  private static let most = 64

  func give(_ sentence: String) {
    sentences.withLock { if $0.count < Self.most { $0.append(sentence) } }
  }

  /// Removes and returns the sentences that were not shown yet.
  func take() -> [String] {
    sentences.withLock { sentences in
      defer { sentences = [] }
      return sentences
    }
  }
}
