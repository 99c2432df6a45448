import Bluetooth
import Bytes
import Dissectors

/// The connected isochronous groups (CIGs) of a controller, and their open streams (CISes): an
/// active group cannot be removed, and a group that stays cannot be set up anew (Core, Vol 4, Part
/// E, 7.8.97 and 7.8.100).
struct IsochronousGroups: Sendable {
  /// The CIG of each stream's handle. Controllers have a few of each.
  private var groups: [UInt16: UInt8] = [:]
  /// LE CIS Established of the streams that are open.
  private var open: [UInt16: Moment] = [:]
  /// The commands that name a group, by packet, until they are answered.
  private var asked: [(packet: Int, group: UInt8)] = []
  /// The refused LE Remove CIG of each group.
  private var kept: [UInt8: Moment] = [:]

  private static let mostStreams = 64
  private static let mostAsked = 8

  /// Records a command whose first parameter is a CIG.
  mutating func observe(_ opcode: UInt16, _ moment: Moment, _ parameters: RawSpan) {
    guard opcode == HCICommand.leSetCIGParameters || opcode == HCICommand.leRemoveCIG,
      parameters.byteCount > 0
    else { return }
    if asked.count >= Self.mostAsked { asked.removeFirst() }
    asked.append((moment.packet, parameters.byte(at: 0)))
  }

  /// Returns why a command of these is refused: streams of its group that are open, or a group that
  /// was not removed. Records a refused removal.
  mutating func obstacle(_ opcode: UInt16, _ request: Int?) -> CommandHistory.Obstacle? {
    guard let group = asked.last(where: { $0.packet == request })?.group else { return nil }
    let streaming = open.filter { groups[$0.key] == group }.values.min { $0.packet < $1.packet }
    if opcode == HCICommand.leRemoveCIG {
      guard let streaming, let request else { return nil }
      kept[group] = Moment(packet: request, time: nil)
      return .init(kind: .streaming, since: streaming)
    }
    return streaming.map { .init(kind: .streaming, since: $0) }
      ?? kept[group].map { .init(kind: .groupKept, since: $0) }
  }

  /// Records that a command succeeded: after its status, LE Set CIG Parameters returns the CIG,
  /// count (1 byte), and a handle (2) for each stream (7.8.97).
  mutating func accept(_ opcode: UInt16, _ request: Int?, _ answer: RawSpan) {
    switch opcode {
    case HCICommand.reset: self = IsochronousGroups()
    case HCICommand.leRemoveCIG:
      guard let group = asked.last(where: { $0.packet == request })?.group else { return }
      kept[group] = nil
      groups = groups.filter { $0.value != group }
    case HCICommand.leSetCIGParameters:
      var cursor = Cursor(answer, Slice(start: 0, count: answer.byteCount))
      // The number of allowed packets, the opcode and the status come before.
      guard (try? cursor.take(4)) != nil, let group = try? cursor.u8(), let count = try? cursor.u8()
      else { return }
      kept[group] = nil
      for _ in 0..<count {
        guard groups.count < Self.mostStreams, let handle = try? cursor.u16() else { return }
        groups[handle & 0x0fff] = group
      }
    default: break
    }
  }

  /// Records LE CIS Established.
  mutating func observe(established event: LinkEvent, _ moment: Moment) {
    guard event.status == .success, open.count < Self.mostStreams else { return }
    open[event.handle] = moment
  }

  /// Records that a link or stream ended.
  mutating func end(_ handle: UInt16) { open[handle] = nil }
}
