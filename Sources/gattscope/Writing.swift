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
  /// Whether the capture has several controllers.
  var hasSeveralControllers = false
  /// The packets to write; nil: all.
  var kept: ChosenPackets?
  /// Remarks on the capture, and what the format cannot hold.
  private(set) var remarks: [String] = []
  private(set) var losses: [String] = []
  private var recordsWritten = 0
  private var recordsLeftOut = 0
  /// Whether the capture has packets from a sniffer that stay as they are.
  private var hasSniffers = false
  /// Records that did not reach the writer.
  var recordsLeftOutBefore = 0
  private var file: NewFile?
  /// Whether a reader may wait for output before all of it is written.
  private var isReadMeanwhile = true
  private var failure: WriteFailure?
  /// Why the format cannot hold the capture.
  private var refusal: String?

  init(_ conversion: Conversion) { self.conversion = conversion }

  mutating func use<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) throws(CaptureFailure) {
    hasSniffers = !source.summary.sniffers.isEmpty
    refusal = conversion.target.refusal(of: source.summary)
    if refusal != nil { return }
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
    // A packet's direction can be inferred only from its meaning.
    let infers =
      format.needsDirection && (source.summary.mayLackDirection || source.summary.lacksDirection)
    var result: CaptureFailure?
    if conversion.comments || infers {
      var report = WritingReport(
        writer, keeping: kept, writesLines: conversion.comments, profiles: conversion.profiles)
      var pass = Pass(
        maps: conversion.maps, secretTypes: SecretTypes(conversion.profiles.secretTypes),
        // Bonds from files would name devices by their real addresses.
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
            + "capture does not record: inferred")
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
    remarks += source.summary.readersRemarks
    if let result { throw result }
  }

  /// Writes the selected packets without interpreting them.
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

  /// Stores the results of the writer.
  private mutating func note(_ writer: borrowing CaptureWriter) {
    failure = writer.failure
    recordsWritten = writer.recordsWritten
    recordsLeftOut = writer.recordsLeftOut
    if failure == nil { losses = writer.remarks }
  }

  /// Gives the file its name, if everything could be written.
  ///
  /// - Returns: whether the output is complete; false if its reader left early.
  /// - Throws: the exit status, if something failed.
  mutating func finish() throws -> Bool {
    if let refusal {
      Terminal.complain("\(conversion.outputWords) was not written: \(refusal)")
      throw ExitCode(64)
    }
    if failure == nil, recordsWritten == 0, recordsLeftOut + recordsLeftOutBefore > 0 {
      let hint = hasSniffers ? "; --as-hci writes the connections of a sniffer as HCI" : ""
      Terminal.complain(
        "\(conversion.outputWords) was not written: nothing is left that its format has room for\(hint)"
      )
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
      // The reader of the output may leave when it has read enough.
      if error.isReaderGone { return false }
      Terminal.complain(error.sentence)
      throw ExitCode(74)
    }
    return true
  }

  /// Returns whether the file at `path` is neither empty nor a capture without records.
  private func holdsRecords(_ path: String) -> Bool {
    do throws(CaptureFailure) {
      var reader = try CaptureReader(path: path)
      return try reader.next() != nil
    } catch {
      return (try? Terminal.contents(of: path, most: 1))?.isEmpty == false
    }
  }
}
