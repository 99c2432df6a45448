import ArgumentParser
import Bluetooth
import Bytes
import Captures
import Decoders
import Glibc
import Reports
import Sessions

/// One run of `live`: opens the source, records it, prints the report, and says at the end what there was.
struct LiveSession {
  let address: LiveAddress
  let reopens: Bool
  let keepsRoot: Bool
  let recording: RecordingOptions
  let end: LiveEndOptions
  let maps: [SuppliedMap]
  let bonds: [Bond]
  let profiles: SuppliedProfiles?

  private let interruption = Interruption.process

  /// Watches until the source ends, or somebody or something ends it.
  ///
  /// - Throws: the exit status, where something went wrong.
  func run<Report: PacketReport & ~Copyable>(
    _ makeReport: @escaping (CaptureSummary) -> Report
  ) throws {
    Terminal.interruptOnSignals(after: end.duration)
    let pipe = try recording.markFrom.map { try Terminal.openPipe($0) }
    guard let source = try open() else { return }
    if !keepsRoot { try Terminal.leaveRoot() }
    let recorder = Recorder(
      of: source.summary, losing: address.losesWhatIsNotRead,
      try writer(decimals: source.summary.timeDecimals)
    ) { failure in
      Terminal.complain("\(failure.sentence); watching goes on")
    }
    guard let thread = recorder.start(source) else {
      Terminal.complain("the system has no more threads")
      throw ExitCode(69)
    }
    let marks = Marks(recorder, interruption)
    if let pipe { marks.follow(pipe) }
    if address != .stream("-"), Terminal.canReadTyping { marks.follow(STDIN_FILENO) }
    var reading = Reading(
      Output(descriptor: STDOUT_FILENO), maps, bonds, profiles, makeReport)
    let failure = read(recorder, &reading)
    interruption.come()
    thread.join()
    try finish(recorder, failure, reading.remarks, outputFailure: reading.output.failure)
  }

  /// Opens the source; nil where the interruption came first.
  private func open() throws -> LiveSource? {
    do throws(CaptureFailure) {
      return try LiveSource(address, reopens: reopens, interruption)
    } catch {
      if interruption.hasCome { return nil }
      Terminal.complain(error.sentence(about: address.name))
      throw ExitCode(error.kind.status)
    }
  }

  private func writer(decimals: Int) throws -> CaptureWriter? {
    guard let path = recording.write, let format = WriterFormat(path: path) else { return nil }
    do throws(WriteFailure) {
      return try CaptureWriter(path: path, format, decimals: decimals, rotation: recording.rotate)
    } catch {
      Terminal.complain(error.sentence)
      throw ExitCode(74)
    }
  }

  /// Prints what is handed on, to the end.
  private func read<Report: PacketReport & ~Copyable>(
    _ recorder: Recorder, _ reading: inout Reading<Report>
  ) -> CaptureFailure? {
    // Here, and not where it is waited for the thread: that may wait for room among these records.
    var records = recorder.records()
    do throws(CaptureFailure) {
      try reading.use(&records)
      return nil
    } catch {
      return error
    }
  }

  /// Says what there was, and what went wrong.
  private func finish(
    _ recorder: Recorder, _ failure: CaptureFailure?, _ remarks: [String], outputFailure: Int32?
  ) throws {
    let status = recorder.status
    for remark in recorder.summary.allRemarks + remarks { Terminal.complain(remark) }
    // A stream may be ended in the middle of a record.
    let isInterrupted = failure?.kind == .damaged && status.hasEnded && interruption.hasCome
    if let failure, !isInterrupted { Terminal.complain(failure.sentence(about: address.name)) }
    try Terminal.check(outputFailure)
    if let failure, !isInterrupted { throw ExitCode(failure.kind.status) }
    if status.writeFailure != nil { throw ExitCode(74) }
  }
}
