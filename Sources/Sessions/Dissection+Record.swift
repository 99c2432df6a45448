package import Captures
package import Dissectors

extension Dissection {
  /// Dissects a record according to its framing; earlier results are discarded.
  package mutating func read(_ record: borrowing CaptureRecord) {
    let isTruncated = record.isTruncated
    clear()
    switch record.framing {
    case .h4: read(h4: record.bytes, isTruncated: isTruncated)
    case .h1(let kind): read(kind.packetType, record.bytes, isTruncated: isTruncated)
    case .monitor(let opcode): read(monitor: opcode, record.bytes, isTruncated: isTruncated)
    case .packetLogger(let type):
      read(packetLogger: type, record.bytes, isTruncated: isTruncated)
    case .air(let format): read(air: format, record.bytes, isTruncated: isTruncated)
    case .incomplete(let needed):
      read(incomplete: record.bytes, needed: needed, isTruncated: isTruncated)
    }
  }
}

extension CaptureRecord.PacketKind {
  /// The packet type in a record's header.
  fileprivate var packetType: PacketType {
    switch self {
    case .acl: .acl
    case .command: .command
    case .event: .event
    case .sco: .sco
    case .iso: .iso
    }
  }
}
