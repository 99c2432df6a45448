import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// Joins values that are read or written in parts, so that what extends over two parts is found.
/// Values that never reach their end are returned, too.
struct ValueParts: Sendable {
  /// Parts that follow each other, with their places.
  struct Chain: Sendable {
    fileprivate(set) var places: [RecordPlace] = []
    fileprivate(set) var bytes: [UInt8] = []
    /// The same bytes without pieces that may be another PDU's, which are zeros.
    fileprivate(set) var certain: [UInt8] = []
    /// The responses that repeat parts of it, and which bytes they repeat.
    fileprivate(set) var echoes: [(places: [RecordPlace], range: Range<Int>)] = []
    /// The offset in the value at which the first part begins.
    fileprivate var start = 0
    /// The number of parts.
    fileprivate var count = 0
    /// The record with the last part, and its file.
    fileprivate(set) var last = RedactionReport.Place(number: 0, file: 0)
  }

  /// The attribute, direction and bearer of a value.
  private struct Key: Hashable {
    let connection: Int
    let isReceived: Bool
    let channel: UInt16
    let handle: UInt16
    let isWritten: Bool
  }

  private var chains: [Key: Chain] = [:]
  /// The values of the latest Prepare Write Requests, by their packets.
  private var asked: [Int: Key] = [:]

  /// The most open chains; beyond that, all open ones end.
  private static let most = 256
  /// The most bytes that are joined, since no value is longer (Core, Vol 3, Part F, 3.2.9).
  private static let mostBytes = 512

  /// Returns whether a PDU may contain part of a value.
  static func concerns(_ dissection: Dissection) -> Bool {
    switch dissection.att?.opcode {
    case .prepareWriteRequest?, .prepareWriteResponse?, .readBlobResponse?, .readResponse?: true
    default: false
    }
  }

  /// Processes an ATT PDU: Prepare Write and its response, Read Response and Read Blob Response.
  ///
  /// - Parameters:
  ///   - changed: the PDU's bytes, in which what they contain on their own is already replaced.
  ///   - certain: the same without pieces that may be another PDU's, which are zeros.
  /// - Returns: the values in parts that end with it.
  mutating func observe(
    _ packet: borrowing Packet, _ changed: [UInt8], certain: [UInt8], _ memory: borrowing Memory,
    _ places: PDUPlaces
  ) -> [Chain] {
    guard let pdu = packet.dissection.att, let link = packet.answer.link else { return [] }
    let fields = packet.dissection.attFields
    var handle = packet.answer.request?.handle
    var offset = 0
    var isWritten = false
    switch pdu.opcode {
    case .prepareWriteRequest, .prepareWriteResponse:
      (handle, offset, isWritten) = (fields.handle, Int(fields.offset ?? 0), true)
    case .readBlobResponse: offset = Int(packet.answer.request?.offset ?? 0)
    case .readResponse: break
    default: return []
    }
    guard let value = fields.value, !value.isEmpty, let handle else { return [] }
    let key = Key(
      connection: memory.links.connection(link).id,
      isReceived: packet.record.direction == .received,
      channel: packet.dissection.l2cap?.cid.rawValue ?? 0, handle: handle, isWritten: isWritten)
    let part = changed.dropFirst(Int(value.start)).prefix(Int(value.count))
    let certainPart = certain.dropFirst(Int(value.start)).prefix(Int(value.count))
    if pdu.opcode == .prepareWriteResponse, let request = packet.answer.request,
      let asked = asked.removeValue(forKey: request.packet), let chain = chains[asked],
      part == certainPart
    {
      let start = offset - chain.start
      let range = start..<start + part.count
      if start >= 0, range.upperBound <= chain.bytes.count, chain.bytes[range] == part {
        chains[asked]?.echoes.append((places.places(of: value, packet.record), range))
        return []
      }
    }
    var ended: [Chain] = []
    var chain = chains.removeValue(forKey: key) ?? Chain()
    if chain.count > 0,
      offset != chain.start + chain.bytes.count || chain.bytes.count >= Self.mostBytes
    {
      ended.append(chain)
      chain = Chain()
    }
    if chain.count == 0 { chain.start = offset }
    if chains.count >= Self.most {
      ended += chains.values
      chains.removeAll(keepingCapacity: true)
    }
    chain.places += places.places(of: value, packet.record)
    chain.bytes += part
    chain.certain += certainPart
    chain.count += 1
    chain.last = RedactionReport.Place(number: packet.record.number, file: packet.record.file)
    chains[key] = chain
    if pdu.opcode == .prepareWriteRequest {
      if asked.count >= Self.most { asked.removeAll(keepingCapacity: true) }
      asked[packet.record.number] = key
    }
    return ended.filter { $0.count > 1 }
  }

  /// Returns all open values.
  mutating func finish() -> [Chain] {
    defer { chains = [:] }
    return chains.values.filter { $0.count > 1 }
  }
}
