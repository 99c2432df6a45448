import Bluetooth
import Bytes
import Captures
import Comparisons
import Decoders
import Documents
import Explanations
import Platforms
import Reports
import Sessions

// Every face of every verb, and what its output must satisfy.

extension Fuzzing {
  /// Renders all of `source` and checks the output.
  ///
  /// - Parameter supplies: the files that the user provides with the capture.
  static func render<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, records: Int, _ face: Face, _ supplies: Supplies = Supplies()
  ) -> String? {
    var output = Output()
    var options = ShowOptions()
    options.profiles = supplies.profiles
    let summary = source.summary
    switch face {
    case .text:
      options.time = .utc
      // Each packet has a line, also an empty one from the air.
      options.foldsEmpty = false
      options.explainsEncryption = false
      var report = ShowText(options, summary)
      run(&source, &report, supplies, &output)
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
      run(&source, &report, supplies, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    case .json, .jsonWithKeys:
      options.showsBytes = true
      options.showsKeys = face == .jsonWithKeys
      var report = ShowJSON(options, summary)
      run(&source, &report, supplies, &output)
      return OutputCheck.json(output.bytes, lines: records)
    case .bytes, .brief, .someDevices, .someHandles, .someUUIDs, .someValues, .someCodes:
      do throws(SelectionError) {
        try choose(face, &options)
      } catch {
        return error.description
      }
      var report = ShowText(options, summary)
      run(&source, &report, supplies, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    case .values, .valueLines, .valueCSV, .valueJSON, .rawValues, .changedValues,
      .distinctValues, .messageRows, .rates, .ratesJSON:
      return renderValues(&source, summary, face, supplies)
    case .info:
      var report = InfoReport("fuzz", summary, json: false, glyphs: .utf8)
      run(&source, &report, supplies, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    case .infoJSON:
      var report = InfoReport("fuzz", summary, json: true, glyphs: .utf8)
      run(&source, &report, supplies, &output)
      return OutputCheck.json(output.bytes, lines: 1)
    case .map, .mapJSON:
      var options = MapOptions()
      options.isJSON = face == .mapJSON
      options.profiles = supplies.profiles
      var report = MapReport(options)
      run(&source, &report, supplies, &output)
      return options.isJSON
        ? OutputCheck.json(output.bytes, lines: 1) : OutputCheck.text(output.bytes, lines: nil)
    case .explain, .explainJSON, .explainMarkdown:
      return renderExplanation(&source, face, supplies)
    case .page:
      var options = PageOptions()
      options.profiles = supplies.profiles
      options.passkeys = passkeys
      // The limit makes every other page leave records out.
      if records % 2 == 1 { options.limit = 100_000 }
      var report = PageReport(options, summary)
      run(&source, &report, supplies, &output)
      return OutputCheck.page(output.bytes)
    case .convert: return convert(&source)
    case .convertPart: return choosePart(&source, records: records)
    case .trace, .traceJSON, .traceText, .bleak:
      return renderTrace(&source, summary, face, supplies)
    case .table, .tableCSV: return renderTable(&source, summary, face, supplies)
    // These read two captures, or one capture several times.
    case .merge, .diff, .diffJSON, .redact: return nil
    case .devices, .devicesJSON:
      var devices = DevicesOptions()
      devices.isJSON = face == .devicesJSON
      devices.show.profiles = supplies.profiles
      var report = DevicesReport(devices, summary)
      run(&source, &report, supplies, &output)
      return face == .devices
        ? OutputCheck.text(output.bytes, lines: nil) : OutputCheck.json(output.bytes, lines: nil)
    }
  }

  /// Renders a btsnoop file that the fuzzer built.
  static func render(_ file: [UInt8], _ face: Face, _ supplies: Supplies = Supplies()) -> String? {
    guard var source = LenientSource(file) else { return nil }
    if face == .diff || face == .diffJSON, var other = LenientSource(file) {
      return compare(&source, &other, face, areSame: true, supplies)
    }
    if face == .redact { return redact { LenientSource(file) } }
    return render(&source, records: wholeRecords(file), face, supplies)
  }

  /// Returns four bytes of a key that a verb prints in hexadecimal.
  static func shown(_ keys: [[UInt8]], _ file: [UInt8], showsKeys: Bool = false) -> String? {
    var pieces: Set<UInt32> = []
    for key in keys {
      for start in 0...key.count - 4 {
        let piece = Array(key[start..<start + 4])
        // A dump has the digits in the order of the bytes; a value may be shown as a number.
        for bytes in [piece, piece.reversed()] where Set(bytes).count == 4 {
          pieces.insert(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        }
      }
    }
    let faces: [Face] = [
      .bytes, .verbose, .json, .valueJSON, .table, .map, .explain, .trace, .page,
    ]
    for face in faces {
      guard var source = LenientSource(file) else { return nil }
      var output = Output()
      var options = ShowOptions()
      options.showsBytes = true
      options.showsKeys = showsKeys
      options.isVerbose = face == .verbose
      let summary = source.summary
      switch face {
      case .json:
        var report = ShowJSON(options, summary)
        run(&source, &report, Supplies(), &output)
      case .valueJSON:
        var report = ValueLines(ValuesOptions(), .json, summary)
        run(&source, &report, Supplies(), &output)
      case .table:
        let rows = RowsOptions(SuppliedProfiles())
        let sinks = RowSinks(.json, rows.kinds)
        var report = RowsReport(RowsFile([]), summary, rows, to: sinks)
        run(&source, &report, Supplies(), &output)
        sinks.copy(into: &output)
      case .map:
        var report = MapReport(MapOptions())
        run(&source, &report, Supplies(), &output)
      case .explain:
        var choices = ExplainOptions()
        (choices.passkeys, choices.isFull) = (passkeys, true)
        var report = ExplainReport(choices)
        run(&source, &report, Supplies(), &output)
      case .trace:
        var report = TraceReport(TraceOptions(), summary)
        run(&source, &report, Supplies(), &output)
      case .page:
        var choices = PageOptions()
        choices.passkeys = passkeys
        var report = PageReport(choices, summary)
        run(&source, &report, Supplies(), &output)
      default:
        var report = ShowText(options, summary)
        run(&source, &report, Supplies(), &output)
      }
      if let piece = piece(of: pieces, in: output.bytes.array) { return "\(face): \(piece)" }
    }
    return nil
  }

  /// Returns a number of eight hexadecimal digits in a line, with or without spaces between them.
  private static func piece(of pieces: Set<UInt32>, in text: [UInt8]) -> String? {
    var (number, digits) = (UInt32(0), 0)
    for byte in text {
      switch byte {
      case 0x20: continue
      case 0x30...0x39: number = number << 4 | UInt32(byte - 0x30)
      case 0x61...0x66: number = number << 4 | UInt32(byte - 0x61 + 10)
      default:
        digits = 0
        continue
      }
      digits += 1
      if digits >= 8, pieces.contains(number) { return String(number, radix: 16) }
    }
    return nil
  }

  /// Renders the faces of `table`: every table as JSON, or as CSV without values and with
  /// pseudonyms.
  private static func renderTable<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, _ summary: CaptureSummary, _ face: Face, _ supplies: Supplies
  ) -> String? {
    var output = Output()
    var rows = RowsOptions(supplies.profiles)
    rows.passkeys = passkeys
    var form = RowForm.json
    if face == .tableCSV {
      rows.kinds = TableKinds.all.subtracting(TableKinds(.fields))
      rows.pseudonyms = Pseudonyms(key: [UInt8](repeating: 7, count: 16))
      form = .csv
    }
    let sinks = RowSinks(form, rows.kinds)
    var report = RowsReport(RowsFile([0xff, 0x0a, 0x22]), summary, rows, to: sinks)
    run(&source, &report, supplies, &output)
    sinks.copy(into: &output)
    return form == .json
      ? OutputCheck.json(output.bytes, lines: nil) : OutputCheck.text(output.bytes, lines: nil)
  }

  /// Renders the faces of `explain`. The ones that show keys also show the other wordings.
  private static func renderExplanation<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, _ face: Face, _ supplies: Supplies
  ) -> String? {
    var output = Output()
    var options = ExplainOptions()
    options.profiles = supplies.profiles
    options.passkeys = passkeys
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
    run(&source, &report, supplies, &output)
    return face == .explainJSON
      ? OutputCheck.json(output.bytes, lines: 1) : OutputCheck.text(output.bytes, lines: nil)
  }

  /// Renders the faces of `trace`: one is Android's text with all details, the other the shortest
  /// text.
  private static func renderTrace<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, _ summary: CaptureSummary, _ face: Face, _ supplies: Supplies
  ) -> String? {
    var output = Output()
    var options = TraceOptions()
    options.profiles = supplies.profiles
    options.log = supplies.log
    options.isJSON = face == .traceJSON
    switch face {
    case .trace:
      options.platform = .android
      options.reportsDuplicates = true
      options.width = 40
    case .traceText:
      options.hidesSystem = true
      options.showsKeys = true
      options.glyphs = .ascii
      options.time = .utc
    default: break
    }
    if face == .bleak {
      var report = BleakScript(options, name: "fuzz")
      run(&source, &report, supplies, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    }
    var report = TraceReport(options, summary)
    run(&source, &report, supplies, &output)
    return face == .traceJSON
      ? OutputCheck.json(output.bytes, lines: nil) : OutputCheck.text(output.bytes, lines: nil)
  }

  /// Renders the faces of `diff`, which compares two captures.
  ///
  /// - Parameter areSame: whether both are the same capture, which must not differ.
  static func compare<Source: CaptureSource & ~Copyable>(
    _ left: inout Source, _ right: inout Source, _ face: Face, areSame: Bool,
    _ supplies: Supplies = Supplies()
  ) -> String? {
    var output = Output()
    var one = SessionReport(
      supplies.profiles, showsKeys: !areSame, passkeys: passkeys)
    var other = SessionReport(
      supplies.profiles, showsKeys: false, passkeys: passkeys)
    run(&left, &one, supplies, &output)
    run(&right, &other, supplies, &output)
    guard let here = one.capture, let there = other.capture else { return "unfinished side" }
    var options = DiffOptions()
    options.showsEqual = true
    options.isJSON = face == .diffJSON
    if face == .diff { options.width = 40 }
    let report = DifferenceReport(here, there, options)
    if areSame, !report.isSame { return "a capture differs from itself" }
    report.write(into: &output)
    return face == .diffJSON
      ? OutputCheck.json(output.bytes, lines: 1) : OutputCheck.text(output.bytes, lines: nil)
  }

  /// Renders the forms of `values`; the number of lines depends on the packets.
  private static func renderValues<Source: CaptureSource & ~Copyable>(
    _ source: inout Source, _ summary: CaptureSummary, _ face: Face, _ supplies: Supplies
  ) -> String? {
    var output = Output()
    var options = ValuesOptions()
    options.profiles = supplies.profiles
    switch face {
    case .valueLines, .valueCSV, .valueJSON:
      let form: ValueLines.Form =
        face == .valueLines ? .text : face == .valueCSV ? .csv : .json
      var report = ValueLines(options, form, summary)
      run(&source, &report, supplies, &output)
      return face == .valueJSON
        ? OutputCheck.json(output.bytes, lines: nil) : OutputCheck.text(output.bytes, lines: nil)
    case .changedValues, .distinctValues, .messageRows:
      options.rows =
        face == .changedValues ? .changes : face == .distinctValues ? .distinct : .messages
      options.isWide = true
      var report = ValueLines(options, face == .distinctValues ? .text : .csv, summary)
      run(&source, &report, supplies, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    case .rates, .ratesJSON:
      var report = RateReport(options, json: face == .ratesJSON)
      run(&source, &report, supplies, &output)
      return face == .ratesJSON
        ? OutputCheck.json(output.bytes, lines: nil) : OutputCheck.text(output.bytes, lines: nil)
    case .rawValues:
      var report = RawValues(options, channel: nil)
      run(&source, &report, supplies, &output)
      return nil
    default:
      var report = ValuesReport(options)
      run(&source, &report, supplies, &output)
      return OutputCheck.text(output.bytes, lines: nil)
    }
  }

  /// Sets the options that select packets by content, and the ones that fold packets.
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
      var excluded = try TextPattern("ü")
      excluded.isExcluded = true
      options.selection.words = [try TextPattern("e"), excluded]
    default:
      options.selection.statuses = [try StatusFilter("!0")]
      options.selection.layers = [.security, .att, .event]
      options.selection.times = [
        TimeRange(from: try TimePoint("0"), to: try TimePoint("12:00"))
      ]
    }
  }

  /// Reads all of `source`, as the program reads its input.
  private static func run<Source: CaptureSource & ~Copyable, Report: PacketReport & ~Copyable>(
    _ source: inout Source, _ report: inout Report, _ supplies: Supplies, _ output: inout Output
  ) {
    var pass = Pass(
      maps: supplies.maps, secretTypes: SecretTypes(supplies.profiles.secretTypes),
      bonds: supplies.bonds)
    // Damage is expected: the report has received every record before it.
    try? pass.run(&source, &report, into: &output)
  }
}
