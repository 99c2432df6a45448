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
    guard var first = open(), var second = open(), let last = open() else { return }
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
    let file = planting.file
    for all in [true, false] {
      var after: [[UInt8]] = []
      redact({ LenientSource(file) }, removesValues: all) { after.append($0.bytes.array) }
      if let piece = planting.remains(in: after, all: all) {
        return "seed \(seed)\(all ? ", all values removed" : ""): \(piece) is left"
      }
    }
    return nil
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
