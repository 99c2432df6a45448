import Bytes
import Captures
import Decoders
import Platforms
import Sessions

/// Runs the program's code on an input; the tests run it on every input that once failed.
///
/// No input may trap, and the output must keep the promises that hold for every capture: one line
/// per record, no raw control characters, valid JSON. The functions return a description of a
/// broken promise, or nil.
package enum Fuzzing {
  /// The passkeys that a search tries. All one million would take seconds, enough for a thousand
  /// other inputs.
  static let passkeys: ClosedRange<UInt32> = 0...99

  /// The ways to render an input.
  package enum Faces: Sendable {
    /// In every way.
    case all
    /// In one way, chosen by the number, which leaves time for many more inputs.
    case one(Int)
    /// As `convert` writes it, as `convert` selects a part, and as `convert` merges files, in turn.
    case convert(Int)
    /// As `diff` compares it, with itself or with another part of it, as text and as JSON in turn.
    case diff(Int)
    /// As `explain` explains it, in one of the forms.
    case explain(Int)
    /// As `trace` traces it for an app, on either platform.
    case trace(Int)
    /// As `convert --redact` writes it.
    case redact
  }

  /// Reads, dissects and renders a file as the program does, in the format that its beginning
  /// shows.
  package static func capture(_ bytes: [UInt8], _ faces: Faces) -> String? {
    guard let file = UnnamedFile(holding: bytes) else { return "no file could be made" }
    func open() -> CaptureReader? {
      file.rewind()
      return try? CaptureReader(InputBuffer(descriptor: file.descriptor, owned: false))
    }
    var records = 0
    guard var counted = open() else { return nil }
    if counted.summary.format == .btsnoop {
      records = wholeRecords(bytes)
    } else {
      let isInflated = counted.summary.format == .btsnooz
      var last = 0
      while let record = try? counted.next() {
        if record.number <= last { return "record \(record.number) comes after \(last)" }
        last = record.number
        records += 1
      }
      // Every record takes up bytes of its own.
      let most = (isInflated ? CaptureLimits.summaryBytes : bytes.count) / (isInflated ? 7 : 12)
      if records > most { return "\(records) records of \(bytes.count) bytes" }
    }
    for face in Face.chosen(faces) {
      guard var source = open() else { return nil }
      if face == .diff || face == .diffJSON, var other = open() {
        if let broken = compare(&source, &other, face, areSame: true) {
          return "\(face): \(broken)"
        }
        continue
      }
      if face == .merge {
        if let broken = merge([file.path, file.path], records: 2 * records) {
          return "\(face): \(broken)"
        }
        continue
      }
      if face == .redact {
        if let broken = redact(open) { return "\(face): \(broken)" }
        continue
      }
      if let broken = render(&source, records: records, face) { return "\(face): \(broken)" }
    }
    return nil
  }

  /// Reads an archive, a compressed file or a text, whose logs are one capture.
  package static func archive(_ bytes: [UInt8]) -> String? {
    guard let file = UnnamedFile(holding: bytes) else { return "no file could be made" }
    do throws(CaptureFailure) {
      let found = try CaptureSearch([file.path], folder: "/tmp")
      for name in found.files.map(\.name) where name.utf8.contains(where: { $0 < 0x20 }) {
        return "the name \(name.debugDescription) has control characters"
      }
      var counted = try JoinedSource(found.files)
      var records = 0
      while let record = try? counted.next() {
        records += 1
        // Records of other link types are counted, and not passed on.
        if record.number < records { return "record \(record.number) is number \(records)" }
        if records > mostArchived { return nil }
      }
      var source = try JoinedSource(found.files)
      return render(&source, records: records, .infoJSON)
    } catch {
      return error.message.utf8.contains { $0 < 0x20 } ? "\(error.message.debugDescription)" : nil
    }
  }

  /// A limit, because a small archive may hold millions of records.
  private static let mostArchived = 20_000

  /// Reads a pcap file. If the file header is missing, the first bytes choose one.
  package static func pcap(_ bytes: [UInt8], _ faces: Faces) -> String? {
    if CaptureFormat.detect(bytes.bytes) == .pcap { return capture(bytes, faces) }
    let choice = bytes.first ?? 0
    let isBigEndian = choice & 1 != 0
    let link: UInt32 = [187, 201, 254][Int(choice >> 2) % 3]
    let version: UInt32 = isBigEndian ? 0x0002_0004 : 0x0004_0002
    let magic: UInt32 = choice & 2 != 0 ? 0xa1b2_3c4d : 0xa1b2_c3d4
    let header = numbers([magic, version, 0, 0, 65_535, link], isBigEndian)
    return capture(header + bytes.dropFirst(), faces)
  }

  /// Reads a pcapng file. If it does not begin with a section, a section and an interface are
  /// added.
  package static func pcapng(_ bytes: [UInt8], _ faces: Faces) -> String? {
    if CaptureFormat.detect(bytes.bytes) == .pcapng { return capture(bytes, faces) }
    let choice = bytes.first ?? 0
    let isBigEndian = choice & 1 != 0
    let link: UInt32 = [187, 201, 254][Int(choice >> 2) % 3]
    let version: UInt32 = isBigEndian ? 0x0001_0000 : 0x0000_0001
    let section = numbers(
      [0x0a0d_0d0a, 28, 0x1a2b_3c4d, version, .max, .max, 28], isBigEndian)
    let interface = numbers([1, 20, isBigEndian ? link << 16 : link, 0, 20], isBigEndian)
    return capture(section + interface + bytes.dropFirst(), faces)
  }

  /// Reads a PacketLogger file. If it does not begin with a valid record, one is added.
  package static func packetLogger(_ bytes: [UInt8], _ faces: Faces) -> String? {
    if CaptureFormat.detect(bytes.bytes) == .packetLogger { return capture(bytes, faces) }
    let first = numbers([12, 0x6000_0000, 0], (bytes.first ?? 0) & 1 != 0) + [0, 3, 12, 0]
    return capture(first + bytes.dropFirst(), faces)
  }

  private static func numbers(_ numbers: [UInt32], _ isBigEndian: Bool) -> [UInt8] {
    numbers.flatMap { number in
      let ordered = isBigEndian ? number : number.byteSwapped
      return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: ordered >> $0) }
    }
  }

  /// Reads records with arbitrary lengths, using `LenientSource`.
  package static func dissect(_ bytes: [UInt8], _ faces: Faces) -> String? {
    guard var counted = LenientSource(bytes) else { return nil }
    var records = 0
    while counted.next() != nil { records += 1 }
    for face in Face.chosen(faces) {
      guard var source = LenientSource(bytes) else { return nil }
      if face == .diff || face == .diffJSON {
        let (left, right) = LenientSource.sides(bytes)
        guard var source = LenientSource(left), var other = LenientSource(right) else { return nil }
        if let broken = compare(&source, &other, face, areSame: left == right) {
          return "\(face): \(broken)"
        }
        continue
      }
      if face == .merge {
        if let broken = merge(LenientSource.sides(bytes)) { return "\(face): \(broken)" }
        continue
      }
      if face == .redact {
        if let broken = redact({ LenientSource(bytes) }) { return "\(face): \(broken)" }
        // Planting takes four times as long as other faces.
        let seed = bytes.reduce(0) { $0 &* 31 &+ UInt64($1) }
        if seed % 4 == 0, let left = plant(bytes, seed: seed) { return "\(face): \(left)" }
        continue
      }
      if let broken = render(&source, records: records, face) { return "\(face): \(broken)" }
    }
    return nil
  }

  /// Counts the records of a btsnoop file up to its end or the first damage, without the reader.
  package static func wholeRecords(_ bytes: [UInt8]) -> Int {
    func number(_ offset: Int) -> Int {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    var offset = 16
    var count = 0
    while offset + 24 <= bytes.count {
      // The header of another file of the same kind.
      if bytes[offset..<offset + 16] == bytes[..<16] {
        offset += 16
        continue
      }
      let included = number(offset + 4)
      guard included <= number(offset), included <= CaptureLimits.recordBytes,
        offset + 24 + included <= bytes.count
      else { break }
      offset += 24 + included
      count += 1
    }
    return count
  }

  enum Face: CaseIterable {
    case text, verbose, narrow, json, jsonWithKeys, info, infoJSON, map, mapJSON
    case devices, devicesJSON
    case bytes, brief, someDevices, someHandles, someUUIDs, someValues, someCodes
    case values, valueLines, valueCSV, valueJSON, rawValues
    case changedValues, distinctValues, messageRows, rates, ratesJSON
    case explain, explainJSON, explainMarkdown
    case convert, convertPart, merge, redact
    case diff, diffJSON
    case trace, traceJSON, traceText, bleak
    case table, tableCSV
    case page

    static func chosen(_ faces: Faces) -> ArraySlice<Face> {
      switch faces {
      case .all: allCases.dropFirst(0)
      case .one(let number): allCases.dropFirst(number % allCases.count).prefix(1)
      case .convert(let number): [[.convert, .convertPart, .merge][number % 3]]
      case .diff(let number): [[.diff, .diffJSON][number % 2]]
      case .explain(let number): [[.explain, .explainJSON, .explainMarkdown][number % 3]]
      case .trace(let number): [[.trace, .traceJSON, .traceText, .bleak][number % 4]]
      case .redact: [.redact]
      }
    }
  }
}
