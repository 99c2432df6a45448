import Bluetooth
import Bytes
import Decoders
import Meanings
import Sessions

/// The rows of `values --messages`: one for each message of a protocol, whatever number of values
/// it came in. A row with a request waits until its answer is known.
struct MessageRows: ~Copyable {
  struct Row: Sendable {
    /// The value that completed the message, or began it if it was not completed; its bytes are
    /// those of the message, in `bytes`.
    var value: ConveyedValue
    let bytes: [UInt8]
    /// The message, or what came of it.
    let sighting: VendorSighting
    /// The packets that it came in, if there are several.
    let packets: [Int]
    /// Why the message was not read; empty if it was.
    var reason: [UInt8] = []
    /// The packet of the answer.
    var answer: Int?
    /// How many milliseconds the row waits for it; nil: it waits for nothing.
    fileprivate var patience: Int?
  }

  private var rows: [Row] = []
  /// The first row that was not taken.
  private var next = 0
  private var byteCount = 0
  /// Answers whose requests have no row so far, since their own outcome is not known.
  private var early: [(request: Int, answer: Int)] = []
  /// The values that began messages, which may stay incomplete.
  private var begun: [(value: ConveyedValue, sighting: VendorSighting)] = []
  /// The number of whole values of connected devices that are not part of a message.
  private(set) var others = 0
  /// The number of further values that the capture does not have whole.
  private(set) var cut = 0
  private let limits: Limits

  /// The maximum number of early answers, and of begun messages.
  private static let mostEarly = 64
  private static let mostBegun = 256

  init(_ limits: Limits) { self.limits = limits }

  /// Adds the messages of a value, which `meaning` describes.
  mutating func add(_ value: ConveyedValue, _ bytes: RawSpan, _ meaning: borrowing ValueMeaning) {
    guard let first = meaning.sighting else {
      if value.operation != .advertisement { if value.isCut { cut += 1 } else { others += 1 } }
      return
    }
    let content = bytes.part(value.value ?? .empty)
    add(first, value, content)
    for message in meaning.following { add(message.sighting, value, content) }
  }

  private mutating func add(_ sighting: VendorSighting, _ value: ConveyedValue, _ bytes: RawSpan) {
    for one in sighting.unfinished { addIncomplete(one) }
    guard let frame = sighting.frame, let message = sighting.message else {
      if let excess = sighting.excess {
        var row = Row(
          value: value, bytes: bytes.array, sighting: sighting, packets: [])
        row.reason = [UInt8](
          "\(excess.total) bytes exceed reassemble.max (\(excess.most))".utf8)
        row.value.value = Slice(start: 0, count: row.bytes.count)
        append(row)
      } else if sighting.packets.first == value.packet {
        if begun.count >= Self.mostBegun { begun.removeFirst() }
        begun.append((value, sighting))
      }
      return
    }
    if sighting.isJoined, let packet = sighting.packets.first {
      begun.removeAll { $0.value.packet == packet }
    }
    if let request = sighting.request { answer(request, value.packet) }
    var row = Row(
      value: value, bytes: sighting.bytes ?? bytes.array, sighting: sighting,
      packets: sighting.packets.count > 1 ? sighting.packets : [])
    row.value.value = frame.bytes
    if sighting.isRequest, !message.isUnanswered {
      if let known = early.firstIndex(where: { $0.request == value.packet }) {
        row.answer = early.remove(at: known).answer
      } else if value.outcome == .done {
        row.patience = sighting.vendor.exchange.timeout
      }
    }
    append(row)
  }

  private mutating func append(_ row: Row) {
    byteCount += row.bytes.count
    rows.append(row)
  }

  /// Records the answer to the request in a packet.
  private mutating func answer(_ request: Int, _ packet: Int) {
    let waiting = rows.indices.dropFirst(next).first {
      rows[$0].value.packet == request && rows[$0].patience != nil && rows[$0].answer == nil
    }
    if let waiting {
      rows[waiting].answer = packet
      rows[waiting].patience = nil
    } else {
      if early.count >= Self.mostEarly { early.removeFirst() }
      early.append((request, packet))
    }
  }

  /// Adds a message that is over and not complete.
  mutating func addIncomplete(_ what: Unfinished) {
    guard what.kind == .parts,
      let place = begun.firstIndex(where: { $0.value.packet == what.packet })
    else { return }
    var (value, sighting) = begun.remove(at: place)
    if !what.bytes.isEmpty { sighting = sighting.extended(to: what.bytes.count) }
    value.value = what.bytes.isEmpty ? nil : Slice(start: 0, count: what.bytes.count)
    var row = Row(value: value, bytes: what.bytes, sighting: sighting, packets: [])
    var words = Output()
    words.text("incomplete: ")
    words.incomplete(what)
    row.reason = words.bytes.array
    append(row)
  }

  /// Returns the next row, unless it waits for its answer.
  ///
  /// - Parameter now: the time of the last value; nil: nothing more will come.
  mutating func take(_ now: Timestamp?, isOver: Bool = false) -> Row? {
    guard next < rows.count else {
      if next > 0 { rows.removeAll(keepingCapacity: true) }
      next = 0
      return nil
    }
    if let patience = rows[next].patience, !isOver, rows.count - next <= limits.heldMessages,
      byteCount <= limits.heldMessageBytes
    {
      guard let now, let time = rows[next].value.time,
        now.nanoseconds(since: time) > Int64(patience) * 1_000_000
      else { return nil }
    }
    let row = rows[next]
    byteCount -= row.bytes.count
    next += 1
    if next >= limits.heldMessages {
      rows.removeFirst(next)
      next = 0
    }
    return row
  }
}
