import Bytes
import Captures
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
  }

  /// The bytes are a file: read, dissected and rendered as the program does it.
  package static func capture(_ bytes: [UInt8], _ faces: Faces) -> String? {
    let records = wholeRecords(bytes)
    guard let file = UnnamedFile(holding: bytes) else { return "no file could be made" }
    for face in Face.chosen(faces) {
      file.rewind()
      let input = InputBuffer(descriptor: file.descriptor, owned: false)
      guard var source = try? BtsnoopReader(input) else { return nil }
      if let broken = render(&source, records: records, face) { return "\(face): \(broken)" }
    }
    return nil
  }

  /// The bytes are records, whatever their lengths claim: see `LenientSource`.
  package static func dissect(_ bytes: [UInt8], _ faces: Faces) -> String? {
    guard var counted = LenientSource(bytes) else { return nil }
    var records = 0
    while counted.next() != nil { records += 1 }
    for face in Face.chosen(faces) {
      guard var source = LenientSource(bytes) else { return nil }
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
  private enum Face: CaseIterable {
    case text, verbose, narrow, json, jsonWithKeys, info, infoJSON
    case bytes, brief, someDevices, someHandles, someUUIDs, someValues, someCodes

    static func chosen(_ faces: Faces) -> ArraySlice<Face> {
      switch faces {
      case .all: allCases.dropFirst(0)
      case .one(let number): allCases.dropFirst(number % allCases.count).prefix(1)
      }
    }
  }

  /// Renders all of `source` and checks what came out.
  private static func render<Source: CaptureSource & ~Copyable>(
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
    case .info:
      var report = InfoReport("fuzz", summary, json: false, glyphs: .utf8)
      run(&source, &report, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    case .infoJSON:
      var report = InfoReport("fuzz", summary, json: true, glyphs: .utf8)
      run(&source, &report, &output)
      return OutputCheck.json(output.bytes, lines: 1)
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
