import Bluetooth
import Bytes
import Sessions

/// How text ends.
package enum LineEnd: UInt8, CaseIterable, Sendable {
  case none, cr, lf, crlf

  /// Creates the end of text, or returns nil if the value is not text.
  init?(of value: RawSpan) {
    var count = value.byteCount
    var end = Self.none
    if count > 0, value.byte(at: count - 1) == 0x0a {
      count -= 1
      end = .lf
    }
    if count > 0, value.byte(at: count - 1) == 0x0d {
      count -= 1
      end = end == .lf ? .crlf : .cr
    }
    guard count > 1 else { return nil }
    for index in 0..<count where !(0x20...0x7e ~= value.byte(at: index)) { return nil }
    self = end
  }

  /// What to end a text with.
  package var name: StaticString {
    switch self {
    case .none: "no line end"
    case .cr: "CR (0x0d)"
    case .lf: "LF (0x0a)"
    case .crlf: "CR LF (0x0d 0x0a)"
    }
  }
}

/// The writes to an attribute since its server last sent a value, or accepted a subscription.
package struct WriteSeries: Sendable {
  /// What written values have in common.
  package struct Forms: Sendable {
    package private(set) var count = 0
    /// The ends of text, one bit each; bit 7: values that are not text.
    private var bits: UInt8 = 0

    /// The end that all of them have; nil if they differ, or if one of them is not text.
    package var lineEnd: LineEnd? { LineEnd.allCases.first { bits == 1 << $0.rawValue } }

    fileprivate mutating func note(_ end: LineEnd?) {
      count &+= 1
      bits |= 1 << (end?.rawValue ?? 7)
    }
  }

  package private(set) var first: Moment?
  package private(set) var last: Moment?
  package private(set) var forms = Forms()
  /// How many of them are Write Commands.
  package private(set) var commands = 0
  /// Earlier writes, each of which the server answered with a value.
  package private(set) var answered = Forms()
  /// The number of values that the server had sent.
  fileprivate var epoch = 0

  package var count: Int { forms.count }

  mutating func note(_ moment: Moment, _ end: LineEnd?, isCommand: Bool, epoch: Int) {
    if epoch != self.epoch {
      self.epoch = epoch
      (first, forms, commands) = (nil, Forms(), 0)
    }
    if first == nil { first = moment }
    last = moment
    forms.note(end)
    commands &+= isCommand ? 1 : 0
  }

  mutating func note(answered end: LineEnd?) { answered.note(end) }
}

/// What a server sent since its client last wrote.
struct ValueEpoch: Sendable {
  /// Counts its values, and the subscriptions that it accepted.
  var number = 0
  /// The last write since then: the index of the usage, and the end of its text.
  var written: (place: Int, end: LineEnd?)?
}

/// A write to a control point that has not reported a result.
package struct ControlWrite: Sendable {
  /// The first write without a result, and the last one.
  package let first: Moment
  package let last: Moment
  package let count: Int
  /// The opcode of the last one; nil if the value is empty.
  package let opcode: UInt8?
}

extension AttributeUsage {
  /// Whether it is a control point that reports each procedure's result with an indication: those
  /// of fitness machines, cycling sensors and power meters, records, user data and objects.
  package var indicatesResults: Bool {
    guard let uuid = identity.uuid, uuid.width == 2, identity.kind == .value else { return false }
    return switch uuid.low {
    case 0x2ad9, 0x2a52, 0x2a55, 0x2a66, 0x2a9f, 0x2ac5: true
    default: false
    }
  }
}

extension AttributeHistory {
  /// Returns the writes to an attribute since its server last sent a value.
  package func unanswered(_ usage: AttributeUsage) -> WriteSeries? {
    usage.series.epoch == epoch(of: usage.server) && usage.series.count > 0 ? usage.series : nil
  }

  func epoch(of server: Side) -> Int { epochs[server].number }

  /// Begins a new series of writes.
  mutating func beginEpoch(of server: Side) {
    epochs[server] = ValueEpoch(number: epochs[server].number &+ 1)
  }

  /// Records a write that the server accepted, or a command.
  ///
  /// - Parameters:
  ///   - moment: the packet with the value.
  ///   - epoch: that of the server when it was sent.
  mutating func noteSeries(
    _ value: RawSpan, _ place: Int, _ moment: Moment, epoch: Int, _ context: Context
  ) {
    let server = context.server
    let end = LineEnd(of: value)
    steps[server].note(value, place, moment)
    if context.opcode.role != .unacknowledged { steps[server].note(answer: 0, context.moment) }
    noteProxyPDU(value, place, moment)
    // The value may be sent before the response.
    guard epoch == self.epoch(of: server) else {
      usages[place].writing.series.note(answered: end)
      return
    }
    usages[place].writing.series.note(
      moment, end, isCommand: context.opcode.role == .unacknowledged, epoch: epoch)
    epochs[server].written = (place, end)
  }

  /// Records a Proxy PDU (the message type is in 6 bits of its first byte) that is written to
  /// another service than its type belongs to: provisioning PDUs (3) to Mesh Provisioning Data In
  /// (2adb), all others to Mesh Proxy Data In (2add) (Mesh Protocol, 6.3 and 7).
  private mutating func noteProxyPDU(_ value: RawSpan, _ place: Int, _ moment: Moment) {
    guard value.byteCount > 1, let uuid = usages[place].identity.uuid, uuid.width == 2,
      uuid.low == 0x2add || uuid.low == 0x2adb, usages[place].identity.via == .discovered
    else { return }
    let type = value.byte(at: 0) & 0x3f
    guard type <= 3, (type == 3) != (uuid.low == 0x2adb), misplacedProxyPDUs.count < Self.mostListed
    else { return }
    misplacedProxyPDUs.append((place, type, moment))
  }

  /// Records that a server sent a value.
  mutating func noteSent(_ value: RawSpan, _ place: Int, _ context: Context) {
    if usages[place].control != nil { usages[place].writing.control = nil }
    if usages[place].identity.service?.isShort(0x1801) == true { return }
    let server = context.server
    steps[server].note(answer: value.byteCount, context.moment)
    let written = epochs[server].written
    if let written, usages[written.place].identity.service == usages[place].identity.service {
      usages[written.place].writing.series.note(answered: written.end)
    }
    beginEpoch(of: server)
  }

  /// Records a write to a control point, which the server accepted.
  mutating func noteControl(_ value: RawSpan, _ place: Int, _ request: Moment) {
    guard usages[place].indicatesResults,
      usages[place].indications.last?.packet ?? 0 < request.packet
    else { return }
    let earlier = usages[place].control
    usages[place].writing.control = ControlWrite(
      first: earlier?.first ?? request, last: request, count: (earlier?.count ?? 0) &+ 1,
      opcode: value.byteCount > 0 ? value.byte(at: 0) : nil)
  }
}
