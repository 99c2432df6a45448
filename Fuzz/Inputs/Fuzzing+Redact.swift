import Bytes
import Captures
import Redaction
import Sessions

extension Fuzzing {
  /// Redacts a capture, which takes three passes. Every record must remain, with the same number,
  /// length and time.
  static func redact<Source: CaptureSource & ~Copyable>(_ open: () -> Source?) -> String? {
    guard var before = open() else { return nil }
    var broken: String?
    redact(open, removesValues: true) { record in
      guard broken == nil else { return }
      guard let original = try? before.next() else {
        broken = "record \(record.number) is new"
        return
      }
      if record.number != original.number || record.time != original.time
        || record.bytes.byteCount != original.bytes.byteCount
      {
        broken = "record \(original.number) is another one"
      }
    }
    if broken == nil, let lost = try? before.next() { return "record \(lost.number) is lost" }
    return broken
  }

  /// Redacts a capture and passes on each record of the result.
  private static func redact<Source: CaptureSource & ~Copyable>(
    _ open: () -> Source?, removesValues: Bool, _ take: (borrowing CaptureRecord) -> Void
  ) {
    guard var first = open(), var again = open(), var second = open(), let last = open() else {
      return
    }
    var generator = Counting()
    var options = RedactionOptions()
    // Pseudonyms are deterministic, so that failures can be reproduced.
    options.source = PseudonymSource(using: &generator)
    if removesValues { options.values = .all }
    options.passkeys = passkeys
    var output = Output()
    var learner = RedactionLearner(options)
    var pass = Pass()
    try? pass.run(&first, &learner, into: &output)
    if learner.mustRepeat {
      learner = learner.repeated()
      var repeatedPass = Pass()
      try? repeatedPass.run(&again, &learner, into: &output)
    }
    var planner = learner.planner()
    var secondPass = Pass()
    try? secondPass.run(&second, &planner, into: &output)
    var redacted = RedactedSource(last, planner.redaction())
    while let record = try? redacted.next() { take(record) }
  }

  /// Plants secrets in a random capture, cuts it, loses and repeats parts of it, redacts it, and
  /// checks that no piece of a secret is left.
  package static func plant(seed: UInt64) -> String? {
    leaves(Planting.generated(seed: seed), seed)
  }

  /// Does the same with the records of a file, read as `LenientSource` reads them.
  package static func plant(_ bytes: [UInt8], seed: UInt64) -> String? {
    guard bytes.count > BtsnoopHeader.byteCount else { return nil }
    return leaves(Planting(bytes, seed: seed), seed)
  }

  private static func leaves(_ made: Planting, _ seed: UInt64) -> String? {
    var planting = made
    planting.plant()
    planting.disturb()
    for all in [true, false] {
      if let piece = remains(of: planting, all: all) {
        return "seed \(seed)\(all ? ", all values removed" : ""): \(piece) is left"
      }
    }
    return nil
  }

  /// Returns what redaction leaves of planted secrets.
  private static func remains(of planting: Planting, all: Bool = false) -> String? {
    let file = planting.file
    var after: [[UInt8]] = []
    redact({ LenientSource(file) }, removesValues: all) { after.append($0.bytes.array) }
    return planting.remains(in: after, all: all)
  }

  /// Plants secrets in packets of all layouts, cuts them to each length, makes them up to eight
  /// bytes shorter or longer, and returns what redaction leaves.
  package static func plantEachLength(seed: UInt64) -> [String] {
    [false, true].flatMap { isMonitor in
      eachLength(Planting.ofEachLayout(isMonitor: isMonitor, seed: seed), cutTo: 0...80)
    }
  }

  /// Does the same with the records of a file, read as `LenientSource` reads them.
  package static func plantEachLength(_ bytes: [UInt8], seed: UInt64) -> [String] {
    guard bytes.count > BtsnoopHeader.byteCount else { return [] }
    return eachLength(Planting(bytes, seed: seed), cutTo: 4...40)
  }

  private static func eachLength(_ made: Planting, cutTo counts: ClosedRange<Int>) -> [String] {
    var planted = made
    planted.plant()
    guard planted.remains(in: planted.records.map(\.bytes), all: false) != nil else {
      return ["nothing is found before redaction either"]
    }
    var failed: [String] = []
    for count in counts {
      var planting = planted
      for index in planting.records.indices { planting.cut(index, to: count) }
      if let piece = remains(of: planting) { failed.append("cut to \(count): \(piece)") }
    }
    for delta in -8...8 {
      var planting = planted
      for index in planting.records.indices { planting.resize(index, by: delta) }
      if let piece = remains(of: planting) { failed.append("longer by \(delta): \(piece)") }
    }
    return failed
  }

  /// Plants keys, cuts their PDUs into fragments of each size, of which one is lost, and returns
  /// what redaction leaves, and what `show` shows.
  package static func plantEachFragment(seed: UInt64) -> [String] {
    var planted = Planting.ofKeys(seed: seed)
    planted.plant()
    let keys = planted.records.map(\.bytes).filter { $0.count > 9 && $0[7] == 6 }
      .map { Array($0.suffix(16)) }
    guard shown(keys, planted.file, showsKeys: true) != nil else {
      return ["no key is found with --show-keys either"]
    }
    var failed: [String] = []
    for size in 1...25 {
      for lost in 0..<25 where lost * size <= 25 {
        var planting = planted
        for index in planting.records.indices.reversed() {
          let isKey =
            planting.records[index].bytes.count > 9 && planting.records[index].bytes[7] == 6
          planting.split(index, size: size, lost: isKey ? lost : nil)
        }
        let name = "fragments of \(size) bytes without number \(lost)"
        if let piece = remains(of: planting) { failed.append("\(name): \(piece) is left") }
        if let shown = shown(keys, planting.file) { failed.append("\(name): \(shown) is shown") }
      }
    }
    return failed
  }

  /// 0, 1, 2 …
  private struct Counting: RandomNumberGenerator {
    private var last: UInt64 = .max

    mutating func next() -> UInt64 {
      last &+= 1
      return last
    }
  }
}
