import Bluetooth
import Bytes

/// The form of a record in a file: which of its bytes are kept, and what precedes them.
struct TargetRecord: Equatable {
  /// The monitor opcode, if the content is the monitor's.
  var opcode: UInt16 = 0
  /// The type in a PacketLogger record, if the content is PacketLogger's.
  var packetLoggerType: UInt8 = 0
  /// The H4 type byte to write before the bytes; nil if they include it or need none.
  var type: UInt8?
  /// The number of leading bytes left out: an H4 type byte made redundant by the opcode.
  var skipped = 0
  /// The packet's direction.
  var direction: Direction?
  /// The layout of a sniffer's packet, which stays as it is.
  var sniffer: SnifferFormat?

  /// The form of a sniffer's packet.
  init(_ sniffer: SnifferFormat) { self.sniffer = sniffer }

  /// The H4 packet types (Core, Vol 4, Part A, 2).
  private enum Kind: UInt8 {
    case command = 1
    case acl, sco, event, iso

    init(_ kind: CaptureRecord.PacketKind) {
      switch kind {
      case .command: self = .command
      case .acl: self = .acl
      case .sco: self = .sco
      case .event: self = .event
      case .iso: self = .iso
      }
    }

    /// Returns the kind of packet in a monitor record, or nil if it holds none.
    init?(opcode: UInt16) {
      switch MonitorOpcode(rawValue: opcode) {
      case .command: self = .command
      case .event: self = .event
      case .aclSent, .aclReceived: self = .acl
      case .scoSent, .scoReceived: self = .sco
      case .isoSent, .isoReceived: self = .iso
      default: return nil
      }
    }

    /// The only possible direction of such packets; nil if both are possible.
    var direction: Direction? {
      switch self {
      case .command: .sent
      case .event: .received
      case .acl, .sco, .iso: nil
      }
    }

    /// Returns PacketLogger's type for such a packet; see `PacketLoggerHeader`.
    func packetLoggerType(_ direction: Direction) -> UInt8 {
      let isSent = direction == .sent
      return switch self {
      case .command: 0x00
      case .event: 0x01
      case .acl: isSent ? 0x02 : 0x03
      case .sco: isSent ? 0x08 : 0x09
      case .iso: isSent ? 0x12 : 0x13
      }
    }

    /// Returns the monitor opcode for such a packet.
    func opcode(_ direction: Direction) -> UInt16 {
      let opcode: MonitorOpcode =
        switch self {
        case .command: .command
        case .event: .event
        case .acl: direction == .sent ? .aclSent : .aclReceived
        case .sco: direction == .sent ? .scoSent : .scoReceived
        case .iso: direction == .sent ? .isoSent : .isoReceived
        }
      return opcode.rawValue
    }
  }

  /// Converts `record` to this content. Returns nil, and counts it among the losses, if that is
  /// impossible.
  @inline(__always)
  init?(
    _ record: borrowing CaptureRecord, as content: WriterFormat.Content,
    _ losses: inout WriterLosses
  ) {
    direction = record.direction
    var kind: Kind?
    switch record.framing {
    case .monitor(let opcode):
      if content == .monitor {
        self.opcode = opcode
        return
      }
      kind = Kind(opcode: opcode)
      guard let kind else {
        losses.leaveOut(WriterLosses.Note(opcode: opcode))
        return nil
      }
      type = kind.rawValue
    case .h1(let found):
      kind = Kind(found)
      type = kind?.rawValue
    case .h4:
      kind = record.bytes.byteCount == 0 ? nil : Kind(rawValue: record.bytes.byte(at: 0))
      // An H4 record can hold any type byte.
      if kind == nil, !content.recordsKinds { break }
      skipped = content.recordsKinds ? 1 : 0
    case .packetLogger(let type):
      if content == .packetLogger {
        packetLoggerType = type
        return
      }
      losses.leaveOut(.packetLogger)
      return nil
    case .incomplete, .air:
      losses.unknownKinds += 1
      return nil
    }
    guard let kind else {
      if content.recordsKinds {
        losses.unknownKinds += 1
        return nil
      }
      if direction == nil, content == .h4 {
        losses.directionless += 1
        return nil
      }
      return
    }
    direction = direction ?? kind.direction
    if content == .h4WithoutDirection { return }
    guard let direction else {
      losses.directionless += 1
      return nil
    }
    guard content.recordsKinds else { return }
    // Commands are always sent and events always received, since they have a single number.
    if let own = kind.direction, own != direction { losses.directions += 1 }
    if content == .monitor {
      opcode = kind.opcode(direction)
    } else {
      packetLoggerType = kind.packetLoggerType(direction)
    }
    type = nil
  }
}

extension WriterFormat.Content {
  /// Whether a number in the record's header gives the packet type, instead of an H4 type byte.
  fileprivate var recordsKinds: Bool { self == .monitor || self == .packetLogger }
}
