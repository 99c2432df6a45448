import Bluetooth
package import Bytes
package import Captures
import Cryptography
package import Decoders
import Histories
import Meanings
import Reports
package import Sessions

/// What `diff` remembers of a capture: devices, connections and operations. It is fed packet by
/// packet, prints nothing, and provides `capture` at the end.
package struct SessionReport: PacketReport, ~Copyable {
  /// What was remembered; nil before the capture has ended.
  package private(set) var capture: RememberedCapture?
  private var history: CaptureHistory?
  private var map: MapReport
  private var conversations: Conversations
  private var recorder: OperationRecorder
  private var records = 0
  private var summary: CaptureSummary?
  /// The packet of the first operation for which there was no room.
  private var leftOut: Int?
  /// The maximum number of compared connections, and the number of others that have operations.
  private let listed: Int
  private var unlisted = 0
  /// Which packets from the air stay encrypted.
  private var unread: String?

  /// - Parameters:
  ///   - profiles: the user's profiles, which decode values beside the built-in ones.
  ///   - showsKeys: whether secrets are shown.
  ///   - bounds: how much is kept for the comparison.
  package init(
    _ profiles: SuppliedProfiles, showsKeys: Bool, limits: Limits = Limits(),
    bounds: SessionBounds = SessionBounds(), passkeys: ClosedRange<UInt32> = SixDigits.all
  ) {
    history = CaptureHistory(
      limits, knowledge: ProfileKnowledge(profiles), passkeys: passkeys, followsRequests: false,
      observesAttributes: false)
    var options = MapOptions()
    // The recorder decodes.
    options.profiles = nil
    map = MapReport(options, limits: limits)
    conversations = Conversations(limits)
    recorder = OperationRecorder(profiles, showsKeys: showsKeys, bounds)
    listed = limits.listedConnections
  }

  /// A remark that later packets are not compared, if there were too many, and on packets that
  /// stay encrypted.
  package var remark: String? {
    let sentences = [leftOutRemark, unread].compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
  }

  /// A remark on what is not compared; nil if all is.
  package var leftOutRemark: String? {
    let parts = [
      leftOut.map { "#\($0): too much to compare; only what comes before this packet is compared" },
      unlisted == 0
        ? nil
        : "only the first \(listed) connections are compared; "
          + "\(unlisted) with operations \(unlisted == 1 ? "is" : "are") left out",
    ]
    let sentences = parts.compactMap(\.self)
    return sentences.isEmpty ? nil : sentences.joined(separator: "; ")
  }

  /// Always false: every packet may be relevant.
  package var isSatisfied: Bool { false }

  package mutating func packet(
    _ packet: borrowing Packet, _ memory: borrowing Memory, into output: inout Output
  ) {
    records += 1
    history?.observe(packet, memory)
    recorder.follow(packet, memory)
    conversations.observe(packet, memory)
    map.observe(conversations)
    map.packet(packet, memory, read: recorder.reading)
    recorder.record(conversations, memory)
  }

  package mutating func learn(_ summary: CaptureSummary) { self.summary = summary }

  package mutating func finish(
    _ memory: borrowing Memory, _ failure: CaptureFailure?, into output: inout Output
  ) {
    guard let history = history.take() else { return }
    conversations.finish(memory)
    recorder.record(conversations, memory)
    let evidence = history.finish(memory, summary, failure)
    unread = memory.air.encryptionRemark
    let devices = map.conclude(memory, conversations)
    leftOut = recorder.firstLeftOut
    let known = Set(evidence.connections.map(\.id))
    unlisted = recorder.operations.keys.count { !known.contains($0) }
    recorder.finish(evidence.connections, devices, memory)
    capture = RememberedCapture(
      devices, evidence.connections, recorder, records: records, isDamaged: failure != nil,
      memory)
  }
}
