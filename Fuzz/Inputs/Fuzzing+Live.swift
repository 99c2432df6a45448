import Captures

extension Fuzzing {
  /// Reads the bytes as a choice, then data from a serial line or from a client of `btmon
  /// --server`. The resulting records are written to a file of every format and read again.
  package static func live(_ bytes: [UInt8], _ faces: Faces) -> String? {
    let choice = bytes.first ?? 0
    let arriving = Array(bytes.dropFirst())
    // Pieces of 1 to 64 bytes, so that frames end anywhere.
    let piece = Int(choice >> 2) + 1
    func input() -> InputBuffer {
      var rest = arriving[...]
      return InputBuffer {
        defer { rest = rest.dropFirst(piece) }
        return rest.isEmpty ? nil : Array(rest.prefix(piece))
      }
    }
    if choice & 1 == 0 {
      return check(faces, arriving) { SerialReader(input()) }
    }
    return check(faces, arriving) { MonitorPacketReader(input()) }
  }

  private static func check<Source: CaptureSource & ~Copyable>(
    _ faces: Faces, _ bytes: [UInt8], _ open: () -> Source
  ) -> String? {
    var source = open()
    var last = 0
    while let record = try? source.next() {
      if record.number != last + 1 { return "record \(record.number) comes after \(last)" }
      last = record.number
      if record.bytes.byteCount > max(bytes.count, 256) { return "record \(last) is too long" }
    }
    // Between two records about skipped bytes is another record, which takes at least six bytes.
    if last > bytes.count / 3 + 1 { return "\(last) records of \(bytes.count) bytes" }
    for face in Face.chosen(faces) {
      var source = open()
      if let broken = render(&source, records: last, face) { return "\(face): \(broken)" }
    }
    let contents: [WriterFormat.Content] = [.monitor, .h4, .h4WithoutDirection]
    let containers: [WriterFormat.Container] = [.btsnoop, .pcap, .pcapng, .packetLogger]
    for content in contents {
      for container in containers {
        if let broken = rewrite(open(), WriterFormat(container, content)) {
          return "\(container) of \(content): \(broken)"
        }
      }
    }
    return nil
  }

  /// Writes all records of a source to a file and reads the file.
  private static func rewrite<Source: CaptureSource & ~Copyable>(
    _ source: consuming Source, _ format: WriterFormat
  ) -> String? {
    guard let file = UnnamedFile(holding: []) else { return "no file could be made" }
    var writer = CaptureWriter(
      descriptor: file.descriptor, owned: false, name: "fuzz", format, decimals: 9)
    while let record = try? source.next() { writer.write(record) }
    writer.finish()
    // A PacketLogger file without records is empty, so its format cannot be detected.
    if format.container == .packetLogger, writer.recordsWritten == 0 { return nil }
    file.rewind()
    var records = 0
    do throws(CaptureFailure) {
      var reader = try CaptureReader(InputBuffer(descriptor: file.descriptor, owned: false))
      while try reader.next() != nil { records += 1 }
    } catch {
      return error.message
    }
    return records == writer.recordsWritten ? nil : "\(records), not \(writer.recordsWritten)"
  }
}
