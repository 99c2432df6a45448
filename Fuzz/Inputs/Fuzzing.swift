import Bytes
import Captures
import Decoders
import Platforms
import Reports
import Sessions

/// What the fuzzers do with an input, and what the tests do with every input that once failed.
///
/// Nothing may trap, and what comes out must keep the promises that hold for every capture: one
/// line a record, no raw control character, JSON that is JSON. A broken promise is given back in
/// words; nil where all was kept.
package enum Fuzzing {
  /// How an input is rendered.
  package enum Faces: Sendable {
    /// In every way.
    case all
    /// In one way, which the number chooses: many times as many inputs in the same time.
    case one(Int)
    /// As `convert` writes it, and as it chooses a part, in turns.
    case convert(Int)
    /// As `diff` compares it, with itself or another part of it, as text and as JSON in turns.
    case diff(Int)
    /// As `convert --redact` writes it.
    case redact
  }

  /// The bytes are a file of the format that its beginning says: read, dissected and rendered as the
  /// program does it.
  package static func capture(_ bytes: [UInt8], _ faces: Faces) -> String? {
    guard let file = UnnamedFile(holding: bytes) else { return "no file could be made" }
    func open() -> CaptureReader? {
      file.rewind()
      return try? CaptureReader(InputBuffer(descriptor: file.descriptor, owned: false))
    }
    var records = 0
    if CaptureFormat.detect(bytes.bytes) == .btsnoop {
      records = wholeRecords(bytes)
    } else {
      guard var counted = open() else { return nil }
      var last = 0
      while let record = try? counted.next() {
        if record.number <= last { return "record \(record.number) comes after \(last)" }
        last = record.number
        records += 1
      }
      // Every record has bytes of its own.
      if records > bytes.count / 12 { return "\(records) records of \(bytes.count) bytes" }
    }
    for face in Face.chosen(faces) {
      guard var source = open() else { return nil }
      if face == .diff || face == .diffJSON, var other = open() {
        if let broken = compare(&source, &other, face) { return "\(face): \(broken)" }
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

  /// The bytes are a pcap file; what does not begin like one gets a header whose kind its first bytes
  /// choose.
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

  /// The bytes are a pcapng file; what does not begin like one gets a section and an interface.
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

  /// The bytes are a PacketLogger file; what does not begin like one gets a first record.
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

  /// The bytes are records, whatever their lengths claim: see `LenientSource`.
  package static func dissect(_ bytes: [UInt8], _ faces: Faces) -> String? {
    guard var counted = LenientSource(bytes) else { return nil }
    var records = 0
    while counted.next() != nil { records += 1 }
    for face in Face.chosen(faces) {
      guard var source = LenientSource(bytes) else { return nil }
      if face == .diff || face == .diffJSON {
        // What begins elsewhere in the same records is another capture.
        guard var other = LenientSource(Array(bytes.dropFirst(bytes.count / 3))) else { return nil }
        if let broken = compare(&source, &other, face) { return "\(face): \(broken)" }
        continue
      }
      if face == .redact {
        if let broken = redact({ LenientSource(bytes) }) { return "\(face): \(broken)" }
        continue
      }
      if let broken = render(&source, records: records, face) { return "\(face): \(broken)" }
    }
    return nil
  }

  /// The records of a btsnoop file up to its end or its first damage, counted without the reader.
  package static func wholeRecords(_ bytes: [UInt8]) -> Int {
    func number(_ offset: Int) -> Int {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    var offset = 16
    var count = 0
    while offset + 24 <= bytes.count {
      let included = number(offset + 4)
      guard included <= number(offset), included <= CaptureLimits.recordBytes,
        offset + 24 + included <= bytes.count
      else { break }
      offset += 24 + included
      count += 1
    }
    return count
  }

  /// The ways in which a capture is rendered.
  enum Face: CaseIterable {
    case text, verbose, narrow, json, jsonWithKeys, info, infoJSON, map, mapJSON
    case devices, devicesJSON
    case bytes, brief, someDevices, someHandles, someUUIDs, someValues, someCodes
    case values, valueLines, valueCSV, valueJSON, rawValues
    case explain, explainJSON, explainMarkdown
    case convert, convertPart, redact
    case diff, diffJSON
    case trace, traceJSON

    static func chosen(_ faces: Faces) -> ArraySlice<Face> {
      switch faces {
      case .all: allCases.dropFirst(0)
      case .one(let number): allCases.dropFirst(number % allCases.count).prefix(1)
      case .convert(let number): [[.convert, .convertPart][number % 2]]
      case .diff(let number): [[.diff, .diffJSON][number % 2]]
      case .redact: [.redact]
      }
    }
  }

  /// Renders all of `source` and checks what came out.
  static func render<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, records: Int, _ face: Face
  ) -> String? {
    var output = Output()
    var options = ShowOptions()
    let summary = source.summary
    switch face {
    case .text:
      options.time = .utc
      var report = ShowText(options, summary)
      run(&source, &report, &output)
      return OutputCheck.text(output.bytes, lines: records == 0 ? 0 : records + 1)
    case .verbose, .narrow:
      options.isVerbose = true
      options.showsBytes = true
      if face == .narrow {
        options.width = 40
        options.glyphs = .ascii
        options.showsKeys = true
        options.time = .local
      }
      var report = ShowText(options, summary)
      run(&source, &report, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    case .json, .jsonWithKeys:
      options.showsBytes = true
      options.showsKeys = face == .jsonWithKeys
      var report = ShowJSON(options, summary)
      run(&source, &report, &output)
      return OutputCheck.json(output.bytes, lines: records)
    case .bytes, .brief, .someDevices, .someHandles, .someUUIDs, .someValues, .someCodes:
      do throws(SelectionError) {
        try choose(face, &options)
      } catch {
        return error.description
      }
      var report = ShowText(options, summary)
      run(&source, &report, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    case .values, .valueLines, .valueCSV, .valueJSON, .rawValues:
      return renderValues(&source, summary, face)
    case .info:
      var report = InfoReport("fuzz", summary, json: false, glyphs: .utf8)
      run(&source, &report, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    case .infoJSON:
      var report = InfoReport("fuzz", summary, json: true, glyphs: .utf8)
      run(&source, &report, &output)
      return OutputCheck.json(output.bytes, lines: 1)
    case .map, .mapJSON:
      var options = MapOptions()
      options.isJSON = face == .mapJSON
      var report = MapReport(options)
      run(&source, &report, &output)
      return options.isJSON
        ? OutputCheck.json(output.bytes, lines: 1) : OutputCheck.text(output.bytes, lines: nil)
    case .explain, .explainJSON, .explainMarkdown:
      return renderExplanation(&source, face)
    case .convert: return convert(&source)
    case .convertPart: return choosePart(&source, records: records)
    case .trace, .traceJSON: return renderTrace(&source, summary, face)
    // These take two captures, or read one several times.
    case .diff, .diffJSON, .redact: return nil
    case .devices, .devicesJSON:
      var devices = DevicesOptions()
      devices.isJSON = face == .devicesJSON
      var report = DevicesReport(devices, summary)
      run(&source, &report, &output)
      return face == .devices
        ? OutputCheck.text(output.bytes, lines: nil) : OutputCheck.json(output.bytes, lines: nil)
    }
  }

  /// The faces of `explain`; where keys are shown the others' wordings are, too.
  private static func renderExplanation<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, _ face: Face
  ) -> String? {
    var output = Output()
    var options = ExplainOptions()
    options.isFull = true
    options.name = "fuzz"
    switch face {
    case .explainJSON: options.face = .json
    case .explainMarkdown:
      options.face = .markdown
      options.showsKeys = true
    default:
      options.width = 40
    }
    var report = ExplainReport(options)
    run(&source, &report, &output)
    return face == .explainJSON
      ? OutputCheck.json(output.bytes, lines: 1) : OutputCheck.text(output.bytes, lines: nil)
  }

  /// The faces of `trace`: the text is Android's, with everything that it can tell.
  private static func renderTrace<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, _ summary: CaptureSummary, _ face: Face
  ) -> String? {
    var output = Output()
    var options = TraceOptions()
    options.isJSON = face == .traceJSON
    if face == .trace {
      options.platform = .android
      options.tellsDuplicates = true
      options.width = 40
    }
    var report = TraceReport(options, summary)
    run(&source, &report, &output)
    return face == .traceJSON
      ? OutputCheck.json(output.bytes, lines: nil) : OutputCheck.text(output.bytes, lines: nil)
  }

  /// Both faces of `diff`, of two captures.
  private static func compare<Source: CaptureSource & ~Copyable>(
    _ left: inout Source, _ right: inout Source, _ face: Face
  ) -> String? {
    var output = Output()
    var one = SessionReport(SuppliedProfiles(), bonds: [], showsKeys: false)
    var other = SessionReport(SuppliedProfiles(), bonds: [], showsKeys: true)
    run(&left, &one, &output)
    run(&right, &other, &output)
    guard let here = one.capture, let there = other.capture else { return "a side has no end" }
    var options = DiffOptions()
    options.showsEqual = true
    options.isJSON = face == .diffJSON
    if face == .diff { options.width = 40 }
    let report = DifferenceReport(here, there, options)
    report.write(into: &output)
    return face == .diffJSON
      ? OutputCheck.json(output.bytes, lines: 1) : OutputCheck.text(output.bytes, lines: nil)
  }

  /// The forms of `values`: how many lines there are depends on what the packets hold.
  private static func renderValues<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, _ summary: CaptureSummary, _ face: Face
  ) -> String? {
    var output = Output()
    let options = ValuesOptions()
    switch face {
    case .valueLines, .valueCSV, .valueJSON:
      let form: ValueLines.Form =
        face == .valueLines ? .text : face == .valueCSV ? .csv : .json
      var report = ValueLines(options, form, summary)
      run(&source, &report, &output)
      return face == .valueJSON
        ? OutputCheck.json(output.bytes, lines: nil) : OutputCheck.text(output.bytes, lines: nil)
    case .rawValues:
      var report = RawValues(options, channel: nil)
      run(&source, &report, &output)
      return nil
    default:
      var report = ValuesReport(options)
      run(&source, &report, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    }
  }

  /// Each part of the selection that looks into packets, and what folds them.
  private static func choose(_ face: Face, _ options: inout ShowOptions) throws(SelectionError) {
    switch face {
    case .bytes: options.showsBytes = true
    case .brief: options.isBrief = true
    case .someDevices:
      options.selection.devices = [try DevicePattern("*a*"), try DevicePattern("F1:*")]
    case .someHandles: options.selection.handles = [try Selection.handles("0x10-0x20")]
    case .someUUIDs: options.selection.uuids = [try Selection.uuid("180d")]
    case .someValues:
      options.selection.values = [try BytePattern("* 01")]
      options.selection.words = [try TextPattern("e"), try TextPattern("ü")]
    default:
      options.selection.statuses = [try StatusFilter("!0")]
      options.selection.layers = [.security, .att, .event]
      options.selection.times = [
        TimeRange(from: try TimePoint("0"), to: try TimePoint("12:00"))
      ]
    }
  }

  private static func run<Source: CaptureSource & ~Copyable, Report: PacketReport & ~Copyable>(
    _ source: inout Source, _ report: inout Report, _ output: inout Output
  ) {
    var pass = Pass()
    // Damage is a good end: the report has been told what stands before it.
    try? pass.run(&source, &report, into: &output)
  }
}
