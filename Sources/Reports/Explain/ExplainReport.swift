package import Bluetooth
package import Bytes
package import Captures
import Cryptography
package import Decoders
import Diagnosis
package import Dissectors
package import Sessions

/// The options of `explain`.
package struct ExplainOptions: PresentationOptions, Sendable {
  /// The output format: text, JSON, or text for an issue tracker.
  package enum Face: Sendable {
    case text, json, markdown
  }

  /// The output format.
  package var face = Face.text
  /// The devices, connections and adapters; an empty selection means all.
  package var selection = Selection()
  /// Whether every line of a story is printed.
  package var isFull = false
  /// Whether the rules that were skipped are listed.
  package var isVerbose = false
  /// The capture's name, for text that is to be pasted.
  package var name = ""
  package var showsKeys = false
  /// The keys that are known from files.
  package var bonds: [Bond] = []
  /// The passkeys to try in a passkey search.
  package var passkeys = SixDigits.all
  /// The user's profiles.
  package var profiles = SuppliedProfiles()
  /// The signs to use.
  package var glyphs = Glyphs.utf8
  /// The width of the terminal in columns; nil: the default width.
  package var width: Int?
  /// Whether lines are not wrapped at all.
  package var isEndless = false
  package var usesColor = false

  /// Creates the default options.
  package init() {}
}

/// `explain`: explains why something failed. Collects while packets are fed, and prints at the end.
package struct ExplainReport: PacketReport, ~Copyable {
  private let options: ExplainOptions
  private var history: CaptureHistory?
  private var summary: CaptureSummary?
  /// Whether a finding is an error; valid after the report was printed.
  package private(set) var hasErrors = false

  /// Creates a report on the selected connections.
  package init(_ options: ExplainOptions, limits: Limits = Limits()) {
    self.options = options
    history = CaptureHistory(
      limits, bonds: options.bonds, knowledge: ProfileKnowledge(options.profiles),
      passkeys: options.passkeys)
  }

  /// Always false: every packet may be relevant.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, fragments: [Int], _ memory: borrowing Memory, into output: inout Output
  ) {
    history?.observe(record, dissection, bytes, answer, memory)
  }

  package mutating func learn(_ summary: CaptureSummary) { self.summary = summary }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard let history = history.take() else { return }
    var evidence = history.finish(memory, summary, failure)
    evidence.listsKeys = options.showsKeys
    let explanation = Explanation(evidence, options.selection)
    hasErrors = explanation.hasErrors
    switch options.face {
    case .text:
      var page = ExplainPage(explanation, options)
      page.write(into: &output)
    case .json:
      var document = ExplainDocument(explanation, showsKeys: options.showsKeys)
      document.write(into: &output)
    case .markdown:
      var page = ExplainMarkdown(explanation, options)
      page.write(into: &output)
    }
  }
}
