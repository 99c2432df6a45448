import Bytes
import Captures
import Redaction
import Sessions

/// The plan to redact a capture, learned in two readings, or in three.
struct Redacting: CaptureUser, ~Copyable {
  /// The most readings until there is a plan.
  static let mostReadings = 3

  private let options: RedactionOptions
  private let maps: [SuppliedMap]
  private let secretTypes: SecretTypes
  private var learner: RedactionLearner?
  private var planner: RedactionPlanner?
  /// The plan, or nil as long as the capture must be read again.
  private(set) var plan: Redaction?

  init(_ options: RedactionOptions, maps: [SuppliedMap], secretTypes: SecretTypes) {
    self.options = options
    self.maps = maps
    self.secretTypes = secretTypes
    learner = RedactionLearner(options)
  }

  mutating func use<Source: CaptureSource & ~Copyable>(
    _ source: inout Source
  ) throws(CaptureFailure) {
    var pass = Pass(maps: maps, secretTypes: secretTypes, bonds: options.bonds)
    var output = Output()
    // Damage also ends the last reading, which reports it.
    if var learner = learner.take() {
      try? pass.run(&source, &learner, into: &output)
      if learner.mustRepeat {
        self.learner = learner.repeated()
      } else {
        planner = learner.planner()
      }
    } else if var planner = planner.take() {
      try? pass.run(&source, &planner, into: &output)
      plan = planner.redaction()
    }
  }
}

extension Spool {
  /// Returns the captures, after copying those that can be read only once to a folder.
  ///
  /// - Throws: an error if a capture cannot be read, or its end is damaged.
  static func readable(
    _ captures: [CaptureFile], in folder: String
  ) throws(CaptureFailure) -> [CaptureFile] {
    var files = captures
    for (index, file) in files.enumerated() where file.byteCount == nil {
      do throws(CaptureFailure) {
        var input = try file.open()
        let spool = try Spool(&input, in: folder)
        if let damage = spool.damage { throw damage }
        files[index] = CaptureFile(name: file.name, spool)
      } catch {
        var failure = error
        failure.file = file.name
        throw failure
      }
    }
    return files
  }
}
