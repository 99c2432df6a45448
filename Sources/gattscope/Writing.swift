import ArgumentParser
import Bytes
import Captures
import Decoders
import Glibc
import Reports
import Sessions

/// Writes the packets of a source to a file.
struct Writing: CaptureUser, ~Copyable {
  private let conversion: Conversion
  /// Whether the capture has controllers to be told apart.
  var hasSeveralControllers = false
  /// Which packets; nil: all.
  var kept: ChosenPackets?
  /// What is to be said of the capture, and of what the file has no room for.
  private(set) var remarks: [String] = []
  private(set) var losses: [String] = []
  private var recordsWritten = 0
  private var recordsLeftOut = 0
  private var file: NewFile?
  /// Whether somebody may wait for what is written before all is.
  private var isReadMeanwhile = true
  private var failure: WriteFailure?

  init(_ conversion: Conversion) { self.conversion = conversion }

  mutating func use<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) throws(CaptureFailure) {
    let format = conversion.target.format(
      of: source.summary, isOfSeveral: hasSeveralControllers)
    var writer: CaptureWriter
    do throws(WriteFailure) {
      let opened = try NewFile(path: conversion.path)
      isReadMeanwhile = opened.isReadMeanwhile
      writer = CaptureWriter(
        descriptor: opened.descriptor, owned: false, name: conversion.path, format,
        decimals: source.summary.timeDecimals, behind: !isReadMeanwhile)
      file = consume opened
    } catch {
      failure = error
      return
    }
    // Only what the packets mean tells which way they must have gone.
    let infers =
      format.needsDirection && (source.summary.mayLackDirection || source.summary.lacksDirection)
    var result: CaptureFailure?
    if conversion.comments || infers {
      var report = WritingReport(
        writer, keeping: kept, saysLines: conversion.comments, profiles: conversion.profiles)
      var pass = Pass(
        maps: conversion.maps, secretTypes: SecretTypes(conversion.profiles.secretTypes),
        // What is known from elsewhere names devices by their real addresses.
        bonds: conversion.redaction == nil ? conversion.bonds : [])
      var output = Output()
      do throws(CaptureFailure) {
        try pass.run(&source, &report, into: &output)
      } catch {
        result = error
      }
      let inferred = report.inferredDirections
      if inferred > 0 {
        remarks.append(
          "\(inferred) \(inferred == 1 ? "packet has a direction" : "packets have directions") that the "
            + "capture does not tell: inferred")
      }
      note(report.writer)
    } else {
      do throws(CaptureFailure) {
        try copy(&source, to: &writer)
      } catch {
        result = error
      }
      writer.finish()
      note(writer)
    }
    remarks += [source.summary.leftOutWords.map { $0 + " left out" }].compactMap(\.self)
    remarks += source.summary.remarks
    if let result { throw result }
  }

  /// Writes what is kept, without a look at what it means.
  private func copy<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, to writer: inout CaptureWriter
  ) throws(CaptureFailure) {
    guard let kept else { return try source.copy(to: &writer, promptly: isReadMeanwhile) }
    while writer.failure == nil {
      if isReadMeanwhile, !source.isReady { writer.flush() }
      guard let record = try source.next() else { return }
      if kept.contains(record.number) {
        writer.write(record)
      } else {
        writer.skip(record)
      }
    }
  }

  /// Keeps what the writer has to say.
  private mutating func note(_ writer: borrowing CaptureWriter) {
    failure = writer.failure
    recordsWritten = writer.recordsWritten
    recordsLeftOut = writer.recordsLeftOut
    if failure == nil { losses = writer.remarks }
  }

  /// Gives the file its name, if all could be written.
  ///
  /// - Returns: whether somebody has it; false where who reads standard output went early.
  /// - Throws: the exit status, where that failed.
  mutating func finish() throws -> Bool {
    if failure == nil, recordsWritten == 0, recordsLeftOut > 0 {
      Terminal.complain(
        "\(conversion.outputWords) was not written: nothing is left that its format has room for")
      throw ExitCode(64)
    }
    if failure == nil, recordsWritten == 0, !isReadMeanwhile, holdsRecords(conversion.path) {
      Terminal.complain("\(conversion.path) stays as it is: there is no record to replace it with")
      throw ExitCode(74)
    }
    do throws(WriteFailure) {
      if let failure { throw failure }
      if let file = file.take() { try file.keep() }
    } catch {
      // Returns whether the file at `path` is something other than a capture without records or an
      // empty file.
      if error.isReaderGone { return false }
      Terminal.complain(error.sentence)
      throw ExitCode(74)
    }
    return true
  }

  /// Whether what has this name is more than a capture without records, or an empty file.
  private func holdsRecords(_ path: String) -> Bool {
    do throws(CaptureFailure) {
      var reader = try CaptureReader(path: path)
      return try reader.next() != nil
    } catch {
      return (try? Terminal.contents(of: path, most: 1))?.isEmpty == false
    }
  }
}
