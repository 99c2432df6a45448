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
      WriterFormat(.pcap, .h4WithoutDirection),
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
}
