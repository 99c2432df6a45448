import Bluetooth
package import Bytes
package import Captures
import Cryptography
package import Decoders
import Histories
import Meanings
package import Reports
package import Sessions

package struct ExplainOptions: PresentationOptions, Sendable {
  /// The output format: text, JSON, or text for an issue tracker.
  package enum Face: Sendable {
    case text, json, markdown
  }

  /// The output format.
  package var face = Face.text
  /// The devices, connections and adapters; an empty selection means all.
  package var selection = Selection()
  /// How times are printed elsewhere, and so how selected ones are read.
  package var time = ShowOptions.TimeStyle.elapsed
  /// The offset of this machine's zone from UTC, in seconds east, at a time in seconds since 1970.
  package var zoneOffset: @Sendable (Int64) -> Int64 = { _ in 0 }
  /// Whether every line of a story is printed.
  package var isFull = false
  /// Whether the rules that were skipped are listed.
  package var isVerbose = false
  /// Which findings make a test fail.
  package var strictness = Strictness()
  /// The capture's name, for text that is to be pasted.
  package var name = ""
  package var showsKeys = false
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
  private var window: TimeWindow
  /// The packets of each selected stretch of time.
  private var stretches: [Int: ClosedRange<Int>] = [:]
  private var history: CaptureHistory?
  private var summary: CaptureSummary?
  /// What `ExplainOptions.strictness` makes of the findings; valid after the report was printed.
  package private(set) var judgement = Strictness.Judgement.passed

  /// Why no connection is reported, if no device has the selected name.
  package private(set) var remark: String?

  /// Creates a report on the selected connections.
  package init(_ options: ExplainOptions, limits: Limits = Limits()) {
    self.options = options
    window = TimeWindow(options.selection, options.time.readingOffset(options.zoneOffset))
    history = CaptureHistory(
      limits, knowledge: ProfileKnowledge(options.profiles), passkeys: options.passkeys)
  }

  /// Always false: every packet may be relevant.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    history?.observe(packet, memory)
    guard !options.selection.times.isEmpty else { return }
    window.observe(packet.record.time)
    guard let stretch = window.stretch(of: packet.record.time) else { return }
    let first = stretches[stretch]?.lowerBound ?? packet.record.number
    stretches[stretch] = first...packet.record.number
  }

  package mutating func learn(_ summary: CaptureSummary) { self.summary = summary }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard let history = history.take() else { return }
    var evidence = history.finish(memory, summary, failure)
    evidence.listsKeys = options.showsKeys
    let explanation = Explanation(
      evidence, options.selection,
      among: options.selection.times.isEmpty ? nil : Array(stretches.values))
    judgement = options.strictness.judge(explanation)
    remark = options.selection.absence(memory)
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
