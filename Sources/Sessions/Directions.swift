import Bluetooth
import Bytes
import Captures
import Dissectors

/// Which way packets went, where the capture's link type does not say it (187).
///
/// A command was sent and an event received. Data tells by its packet boundary flag: on LE links the
/// host begins a PDU with 00 and the controller with 10 (Core, Vol 4, Part E, 5.4.2); a continuation
/// goes the way of the link's last beginning. On BR/EDR links a host may begin with 10 too, and some
/// virtual controllers begin with 00. Where a link has shown one kind of beginning only, and under it
/// both what an ATT client sends and what a server sends, the flag tells nothing: then a central is
/// taken for the client, a peripheral for the server. What remains is not known, and that is said.
struct Directions: Sendable {
  private struct Entry: Sendable {
    var key: UInt32 = .max
    /// Where the last beginning went; nil: not known.
    var last: Direction?
    /// The beginnings seen: bit 0 for 00, bit 1 for 10.
    var beginnings: UInt8 = 0
    /// What was seen of ATT: bit 0 what a client sends, bit 1 what a server sends.
    var sides: UInt8 = 0
  }

  /// Links by their handles; two that share a place forget each other. Empty until it is needed.
  private var entries: [Entry] = []
  private let limit: Int

  init(_ limits: Limits) { limit = max(1, limits.inferredDirections) }

  /// The direction that a packet must have had, for all that is known.
  mutating func infer(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ memory: borrowing Memory
  ) -> Direction? {
    switch dissection.content {
    case .command: return .sent
    case .event, .controllerLog: return .received
    case .acl(let header):
      return infer(header, record.bytes.part(dissection.body), record.adapter ?? 0, memory)
    default: return nil
    }
  }

  private mutating func infer(
    _ header: ACLHeader, _ fragment: RawSpan, _ adapter: UInt16, _ memory: borrowing Memory
  ) -> Direction? {
    if entries.isEmpty { entries = [Entry](repeating: Entry(), count: limit) }
    let key = UInt32(adapter) << 16 | UInt32(header.handle)
    let place = Int((key ^ key >> 12) % UInt32(limit))
    if entries[place].key != key {
      entries[place] = Entry()
      entries[place].key = key
    }
    if header.boundary == .continuation { return entries[place].last }
    let link = memory.links.known(adapter, header.handle)
    entries[place].last = begin(&entries[place], header.boundary, fragment, link)
    return entries[place].last
  }

  private func begin(
    _ entry: inout Entry, _ boundary: ACLHeader.Boundary, _ fragment: RawSpan,
    _ link: Connection?
  ) -> Direction? {
    let told: Direction
    switch boundary {
    case .firstNonFlushable:
      entry.beginnings |= 1
      told = .sent
    case .firstFlushable:
      entry.beginnings |= 2
      told = .received
    case .continuation, .complete: return nil
    }
    let side = Self.side(fragment)
    if let side { entry.sides |= side == .client ? 1 : 2 }
    if link?.transport == .brEDR { return boundary == .firstNonFlushable ? told : nil }
    // Both beginnings, or one side of ATT only: nothing speaks against the flag.
    guard entry.beginnings != 3, entry.sides == 3 else { return told }
    guard let side, let role = link?.localRole else { return nil }
    return (side == .client) == (role == .central) ? .sent : .received
  }

  private enum Side { case client, server }

  /// Which side of ATT sends the PDU that begins here: requests, commands and the confirmation have
  /// even opcodes, what a server sends has odd ones (Core, Vol 3, Part F, 3.4.8).
  private static func side(_ fragment: RawSpan) -> Side? {
    guard fragment.byteCount > L2CAPHeader.size, fragment.littleEndianU16(at: 2) == 4 else {
      return nil
    }
    return fragment.byte(at: L2CAPHeader.size) & 1 == 0 ? .client : .server
  }
}
