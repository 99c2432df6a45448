import Bytes
import Captures
import Decoders
import Documents
import Reports
import Sessions

/// The work of `table` on files, one at a time. Nothing is kept of a file when the next one begins.
struct TableWork {
  private let options: RowsOptions
  private let sinks: RowSinks
  /// The number of files that were not read to their end.
  private(set) var unread = 0

  init(_ options: RowsOptions, to sinks: RowSinks) {
    self.options = options
    self.sinks = sinks
  }

  /// The `errno` of a write that failed, or nil if none did.
  var failure: Int32? { sinks.failure }

  /// Writes all buffered rows.
  func flush() { sinks.flush() }

  /// Writes the row of a file that ended or blocked the process that read it.
  mutating func giveUp(_ path: [UInt8], _ status: RowsStatus, _ words: String) {
    refuse(RowsFile(path), status, "\(words)")
  }

  /// Writes the rows of a file.
  mutating func add(_ path: [UInt8]) {
    var file = RowsFile(path)
    guard path != [0x2d] else { return addStandardInput(file) }
    do throws(Terminal.SystemFailure) {
      let opened = try Terminal.openToRead(path)
      if let kind = opened.facts.otherKind {
        return refuse(file, .unreadable, "\(kind.description)")
      }
      guard try identify(opened, &file) else { return refuseLate(file) }
      read(
        file,
        CaptureFile(
          name: String(decoding: path, as: UTF8.self), path: opened.path, atMost: file.bytes))
    } catch {
      refuse(file, .unreadable, "\(error.words)")
    }
  }

  /// Copies standard input to an unnamed file first, because every row has the digest of its
  /// content.
  private mutating func addStandardInput(_ file: RowsFile) {
    do throws(CaptureFailure) {
      var input = try InputBuffer(path: "-")
      let spool = try Spool(&input, in: Terminal.temporaryFolder)
      var file = file
      do throws(Terminal.SystemFailure) {
        let opened = try Terminal.openToRead(spool.path.utf8)
        guard try identify(opened, &file) else { return refuseLate(file) }
      } catch {
        return refuse(file, .unreadable, "\(error.words)")
      }
      read(file, CaptureFile(name: "-", spool))
    } catch {
      refuse(file, RowsStatus(error), error.words)
    }
  }

  /// Records the size and the digest of a file, and starts its time.
  ///
  /// - Returns: whether it was read in that time.
  private func identify(
    _ opened: borrowing Terminal.OpenFile, _ file: inout RowsFile
  ) throws(Terminal.SystemFailure) -> Bool {
    file.bytes = opened.facts.size
    var patience = Patience(seconds: options.patienceSeconds)
    guard let (size, digest) = try opened.digest(atMost: opened.facts.size, within: &patience)
    else { return false }
    (file.bytes, file.capture, file.patience) = (size, digest, patience)
    return true
  }

  private mutating func read(_ file: RowsFile, _ capture: CaptureFile) {
    var file = file
    var patience = file.patience ?? Patience(seconds: options.patienceSeconds)
    let found = CaptureSearch(in: capture, folder: Terminal.temporaryFolder) { patience.isOver() }
    file.patience = patience
    guard !patience.isOver() else { return refuseLate(file) }
    file.phone = found.archives.first?.report
    file.bonds = found.bonds
    file.damage = found.failures.first
    if let refusal = found.refusal {
      return refuse(file, RowsStatus(refusal), refusal.words)
    }
    var use = RowsUse(file, options, sinks)
    do throws(CaptureFailure) {
      if !found.isJoined {
        var reader = try CaptureReader(found.files[0].open())
        try reader.lend(to: &use)
      } else {
        var source = try found.joined()
        try use.use(&source)
      }
    } catch {
      // After rows were written, the row of the capture has the failure.
      if use.status == nil { return refuse(file, RowsStatus(error), error.words) }
    }
    if case .ok? = use.status {} else { unread += 1 }
  }

  private mutating func refuseLate(_ file: RowsFile) {
    refuse(file, .timedOut, "not finished after \(options.patienceSeconds) s")
  }

  private mutating func refuse(_ file: RowsFile, _ status: RowsStatus, _ words: FileWords) {
    unread += 1
    RowsReport.refuse(file, status, words, options, to: sinks)
  }
}

/// Makes the rows of one file from a source of any kind.
private struct RowsUse: CaptureUser, ~Copyable {
  private let file: RowsFile
  private let options: RowsOptions
  private let sinks: RowSinks
  /// The outcome of reading the file, or nil before its rows were written.
  private(set) var status: RowsStatus?

  init(_ file: RowsFile, _ options: RowsOptions, _ sinks: RowSinks) {
    self.file = file
    self.options = options
    self.sinks = sinks
  }

  mutating func use<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) throws(CaptureFailure) {
    var report = RowsReport(file, source.summary, options, to: sinks)
    var pass = Pass(
      secretTypes: SecretTypes(options.profiles.secretTypes), bonds: options.bonds + file.bonds)
    var output = Output()
    defer { status = report.status }
    try pass.run(&source, &report, into: &output)
  }
}
