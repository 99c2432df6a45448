import Bytes
import Captures
import Redaction
import Sessions

extension Fuzzing {
  /// Redacts a capture, which is read three times: as many records must come out, each with the number,
  /// the length and the time that it had.
  static func redact<Source: CaptureSource & ~Copyable>(_ open: () -> Source?) -> String? {
    guard var first = open(), var second = open(), var before = open(), let last = open() else {
      return nil
    }
    var generator = Counting()
    var options = RedactionOptions()
    // Which pseudonyms there are must not be chance: what fails is to fail again.
    options.source = PseudonymSource(using: &generator)
    options.values = .all
    options.passkeys = passkeys
    var output = Output()
    var learner = RedactionLearner(options)
    var pass = Pass()
    try? pass.run(&first, &learner, into: &output)
    var planner = learner.planner()
    var secondPass = Pass()
    try? secondPass.run(&second, &planner, into: &output)
    var redacted = RedactedSource(last, planner.redaction())
    while let record = try? redacted.next() {
      guard let original = try? before.next() else { return "record \(record.number) is new" }
      if record.number != original.number || record.time != original.time
        || record.bytes.byteCount != original.bytes.byteCount
      {
        return "record \(original.number) is another one"
      }
    }
    if let lost = try? before.next() { return "record \(lost.number) is lost" }
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
