import Bytes
import Captures
import Glibc
import Reports
import Sessions

extension Fuzzing {
  /// Writes the capture in every format, with comments. What was written must be a capture that has as
  /// many records as the writer says.
  ///
  /// Only the first format reads `source`; the others read what the one before has written.
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
        guard
          var reader = try? CaptureReader(
            InputBuffer(descriptor: before.descriptor, owned: false))
        else { return "\(formats[index - 1]): the file is no capture" }
        broken = write(&reader, format, to: file.descriptor)
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
    var report = WritingReport(writer, keeping: nil, saysLines: true, profiles: nil)
    var output = Output()
    var pass = Pass()
    try? pass.run(&source, &report, into: &output)
    if let failure = report.writer.failure { return failure.sentence }
    let written = report.writer.recordsWritten
    // A PacketLogger file without records has no bytes, by which nobody knows it.
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

  /// Chooses packets and what they need: all of them must be records of the capture, and those that were
  /// asked for among them.
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

  /// Writes both sides to files and merges those.
  static func merge(_ sides: (left: [UInt8], right: [UInt8])) -> String? {
    guard let left = UnnamedFile(holding: []), let right = UnnamedFile(holding: []),
      let first = write(sides.left, to: left), let second = write(sides.right, to: right)
    else { return nil }
    return merge([left.path, right.path], records: first + second)
  }

  /// Merges capture files: of their records each comes out, or was left out as one that comes twice, and is
  /// counted then.
  ///
  /// - Parameter records: how many the files have together.
  static func merge(_ paths: [String], records: Int) -> String? {
    let inputs = paths.map { CaptureFile(name: "fuzz", path: $0) }
    do throws(CaptureFailure) {
      let plan = try MergePlan(inputs)
      var source = try MergedSource(inputs, plan)
      var found = 0
      // Damage ends a file; the others go on, and it is thrown at the end.
      while let record = try? source.next() {
        found += 1
        if record.number < found { return "record \(record.number) comes as number \(found)" }
      }
      let repeated = source.repeated.reduce(0, +)
      return found + repeated == records
        ? nil : "\(found) records and \(repeated) that come twice, of \(records)"
    } catch {
      // What cannot be opened alone cannot be merged, either.
      return nil
    }
  }

  /// Writes what a lenient source has: how many records, or nil where nothing could be written.
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
