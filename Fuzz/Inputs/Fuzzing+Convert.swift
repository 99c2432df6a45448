import Bytes
import Captures
import Glibc
import Reports
import Sessions

extension Fuzzing {
  /// Writes the capture in every format, with comments. Each result must be a capture with the
  /// number of records that the writer reports.
  ///
  /// Only the first format reads `source`; each later one reads the previous result.
  static func convert<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) -> String? {
    guard var before = UnnamedFile(holding: []) else { return "no file could be made" }
    let formats: [WriterFormat] = [
      WriterFormat(.pcapng, .monitor), WriterFormat(.btsnoop, .monitor),
      WriterFormat(.pcap, .monitor), WriterFormat(.pcapng, .h4), WriterFormat(.btsnoop, .h4),
      WriterFormat(.pcap, .h4), WriterFormat(.pcapng, .h4WithoutDirection),
      WriterFormat(.pcap, .h4WithoutDirection), WriterFormat(.packetLogger, .packetLogger),
    ]
    for (index, format) in formats.enumerated() {
      guard let file = UnnamedFile(holding: []) else { return "no file could be made" }
      let broken: String?
      if index == 0 {
        broken = write(&source, format, to: file.descriptor)
      } else {
        before.rewind()
        do throws(CaptureFailure) {
          var reader = try CaptureReader(
            InputBuffer(descriptor: before.descriptor, owned: false))
          broken = write(&reader, format, to: file.descriptor)
        } catch {
          return "\(formats[index - 1]): the file is not a capture"
        }
      }
      if let broken { return "\(format): \(broken)" }
      before = file
    }
    return nil
  }

  private static func write<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, _ format: WriterFormat, to descriptor: Int32
  ) -> String? {
    let writer = CaptureWriter(
      descriptor: descriptor, owned: false, name: "fuzz", format,
      decimals: source.summary.timeDecimals)
    var report = WritingReport(writer, keeping: nil, writesLines: true, profiles: nil)
    var output = Output()
    var pass = Pass()
    try? pass.run(&source, &report, into: &output)
    if let failure = report.writer.failure { return failure.sentence }
    let written = report.writer.recordsWritten
    // A PacketLogger file without records is empty, so its format cannot be detected.
    if format.container == .packetLogger, written == 0 { return nil }
    lseek(descriptor, 0, SEEK_SET)
    var found = 0
    do throws(CaptureFailure) {
      var reader = try CaptureReader(InputBuffer(descriptor: descriptor, owned: false))
      while try reader.next() != nil { found += 1 }
    } catch {
      return error.message
    }
    return found == written ? nil : "\(found) records, not \(written)"
  }

  /// Chooses packets and the packets that they depend on. All of these must be records of the
  /// capture, and they must include the requested packets.
  static func choosePart<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, records: Int
  ) -> String? {
    var options = ShowOptions()
    options.selection.layers = [.att, .advertising]
    var report = ChoosingReport(options)
    var output = Output()
    var pass = Pass()
    try? pass.run(&source, &report, into: &output)
    let (kept, chosen) = report.result
    if kept.count < chosen { return "\(kept.count) packets are kept of \(chosen)" }
    if source.summary.leftOut.isEmpty, kept.last > records {
      return "packet \(kept.last) of \(records)"
    }
    return nil
  }

  /// Writes both sides to files and merges the files.
  static func merge(_ sides: (left: [UInt8], right: [UInt8])) -> String? {
    guard let left = UnnamedFile(holding: []), let right = UnnamedFile(holding: []),
      let first = write(sides.left, to: left), let second = write(sides.right, to: right)
    else { return nil }
    return merge([left.path, right.path], records: first + second)
  }

  /// Merges capture files. Each of their records must be in the result, or be left out as a repeat
  /// and counted.
  ///
  /// - Parameter records: the number of records in all files.
  static func merge(_ paths: [String], records: Int) -> String? {
    let inputs = paths.map { CaptureFile(name: "fuzz", path: $0) }
    do throws(CaptureFailure) {
      let plan = try MergePlan(inputs)
      var source = try MergedSource(inputs, plan)
      var found = 0
      // Damage ends its own file only; the error is thrown after the other files end.
      while let record = try? source.next() {
        found += 1
        if record.number < found { return "record \(record.number) is number \(found)" }
      }
      let repeated = source.repeated.reduce(0, +)
      return found + repeated == records
        ? nil : "\(found) records and \(repeated) that come twice, of \(records)"
    } catch {
      // A file that cannot be opened alone cannot be merged either.
      return nil
    }
  }

  /// Writes the records of a lenient source and returns their number, or nil if writing failed.
  private static func write(_ bytes: [UInt8], to file: borrowing UnnamedFile) -> Int? {
    guard var source = LenientSource(bytes) else { return nil }
    var writer = CaptureWriter(
      descriptor: file.descriptor, owned: false, name: "fuzz", WriterFormat(.pcapng, .monitor),
      decimals: 6)
    while let record = source.next() { writer.write(record) }
    writer.finish()
    return writer.failure == nil ? writer.recordsWritten : nil
  }
}
