import Bluetooth
import Bytes
import Captures
import Dissectors

/// Infers the directions of packets if the capture's link type does not contain them (187).
///
/// Commands are sent and events are received. The direction of data follows from its packet
/// boundary flag: on LE links the host begins a PDU with 00 and the controller with 10 (Core, Vol
/// 4, Part E, 5.4.2), and a continuation has the direction of the link's last beginning. On BR/EDR
/// links a host may also begin with 10, and some virtual controllers begin with 00. If a link has
/// shown only one kind of beginning, with PDUs of both ATT clients and servers, the flag is
/// meaningless: a central then counts as the client, a peripheral as the server. What remains is
/// reported as unknown.
struct Directions: Sendable {
  private struct Entry: Sendable {
    var key: LinkKey?
    /// The direction of the last beginning; nil: unknown.
    var last: Direction?
    /// The beginnings seen: bit 0 for 00, bit 1 for 10.
    var beginnings: UInt8 = 0
    /// The ATT PDUs seen: bit 0 for those of a client, bit 1 for those of a server.
    var parties: UInt8 = 0
  }

  /// Links by their keys; two that share a place displace each other. Empty until it is needed.
  private var entries: [Entry] = []
  private let limit: Int

  init(_ limits: Limits) { limit = max(1, limits.inferredDirections) }

  /// Returns the direction that a packet must have had, if known.
  mutating func infer(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ memory: borrowing Memory
  ) -> Direction? {
    switch dissection.content {
    case .command: return .sent
    case .event, .controllerLog: return .received
    case .acl(let header):
      return infer(header, record.bytes.part(dissection.body), record.adapter, memory)
    default: return nil
    }
  }

  private mutating func infer(
    _ header: ACLHeader, _ fragment: RawSpan, _ adapter: AdapterIndex, _ memory: borrowing Memory
  ) -> Direction? {
    if entries.isEmpty { entries = [Entry](repeating: Entry(), count: limit) }
    let key = LinkKey(adapter, header.handle)
    let place = Int((key.value ^ key.value >> 12) % UInt32(limit))
    if entries[place].key != key {
      entries[place] = Entry()
      entries[place].key = key
    }
    if header.boundary == .continuation { return entries[place].last }
    let link = memory.links.known(key)
    entries[place].last = begin(&entries[place], header.boundary, fragment, link)
    return entries[place].last
  }

  private func begin(
    _ entry: inout Entry, _ boundary: ACLHeader.Boundary, _ fragment: RawSpan,
    _ link: Connection?
  ) -> Direction? {
    let flagged: Direction
    switch boundary {
    case .firstNonFlushable:
      entry.beginnings |= 1
      flagged = .sent
    case .firstFlushable:
      entry.beginnings |= 2
      flagged = .received
    case .continuation, .complete: return nil
    }
    let sender = Self.sender(fragment)
    if let sender { entry.parties |= sender == .client ? 1 : 2 }
    if link?.transport == .brEDR { return boundary == .firstNonFlushable ? flagged : nil }
    // Both beginnings, or only one side of ATT: nothing contradicts the flag.
    guard entry.beginnings != 3, entry.parties == 3 else { return flagged }
    guard let sender, let central = link?.central else { return nil }
    return (sender == .client) == (central == .local) ? .sent : .received
  }

  private enum Party { case client, server }

  /// Returns which party of ATT sends the PDU that begins here: requests, commands and the
  /// confirmation have even opcodes, what a server sends has odd ones (Core, Vol 3, Part F, 3.4.8).
  private static func sender(_ fragment: RawSpan) -> Party? {
    guard fragment.byteCount > L2CAPHeader.size, fragment.littleEndianU16(at: 2) == 4 else {
      return nil
    }
    return fragment.byte(at: L2CAPHeader.size) & 1 == 0 ? .client : .server
  }
}
