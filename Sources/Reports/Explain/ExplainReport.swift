package import Bluetooth
package import Bytes
package import Captures
import Cryptography
package import Decoders
import Diagnosis
package import Dissectors
package import Sessions

/// How `explain` presents what it has found.
package struct ExplainOptions: PresentationOptions, Sendable {
  /// Text for people, for programs, or for an issue tracker.
  package enum Face: Sendable {
    case text, json, markdown
  }

  /// Which of them.
  package var face = Face.text
  /// Which devices, connections and adapters; what is empty chooses all.
  package var selection = Selection()
  /// Whether every line of a story is told.
  package var isFull = false
  /// Whether the rules that were skipped are listed.
  package var isVerbose = false
  /// The capture's name, for a page that is to be pasted.
  package var name = ""
  /// Whether secrets are shown.
  package var showsKeys = false
  /// The keys that are known from elsewhere.
  package var bonds: [Bond] = []
  /// Which passkeys are tried where one is searched for.
  package var passkeys = SixDigits.all
  /// People's own profiles.
  package var profiles = SuppliedProfiles()
  /// The signs to use.
  package var glyphs = Glyphs.utf8
  /// Columns of the terminal; nil: lines are wrapped as for paper.
  package var width: Int?
  /// Whether lines are not wrapped at all.
  package var isEndless = false
  /// Whether to colour.
  package var usesColor = false

  /// The defaults.
  package init() {}
}

/// `explain`: why something failed. Remembers while fed and speaks at the end.
package struct ExplainReport: PacketReport, ~Copyable {
  private let options: ExplainOptions
  private var history: CaptureHistory?
  private var summary: CaptureSummary?
  /// Whether a finding is an error, once it has spoken.
  package private(set) var hasErrors = false

  /// A report on the connections that the options choose.
  package init(_ options: ExplainOptions, limits: Limits = Limits()) {
    self.options = options
    history = CaptureHistory(
      limits, bonds: options.bonds, knowledge: ProfileKnowledge(options.profiles),
      passkeys: options.passkeys)
  }

  /// Never: every packet may tell more.
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
