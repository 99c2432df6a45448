import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// A stretch of a record's bytes.
struct RecordPlace: Equatable, Sendable {
  var record: Int
  var offset: Int
  var count: Int
}

/// Where the bytes of PDUs stand that came in several records: what is changed in the joined bytes is to be
/// changed there.
struct PDUPlaces: Sendable {
  /// Which way on which link, or of which of its channels.
  private struct Way: Hashable {
    let connection: Int
    let isReceived: Bool
    let channel: UInt16
  }

  /// The fragments of the L2CAP PDU that came last, and the payloads of the frames of an SDU.
  private var fragments: [Way: [RecordPlace]] = [:]
  private var frames: [Way: [RecordPlace]] = [:]
  /// What the current packet's bytes are joined of; nil: they are the record's own.
  private var joined: [RecordPlace]?

  /// So many links and channels are followed at most; of more those of the latest connections.
  private static let most = 1024
  private static let latestConnections = 256
  /// So many fragments of a PDU are.
  private static let mostFragments = 1 << 16

  /// Takes in a packet as a report is told it.
  mutating func observe(
    _ record: borrowing CaptureRecord, _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ memory: borrowing Memory
  ) {
    joined = nil
    guard case .acl(let header) = dissection.content, record.original == nil,
      let link = answer.link
    else { return }
    let isReceived = record.direction == .received
    let connection = memory.links.connection(link).id
    if fragments.count + frames.count > Self.most {
      fragments = fragments.filter { $0.key.connection + Self.latestConnections > connection }
      frames = frames.filter { $0.key.connection + Self.latestConnections > connection }
    }
    let way = Way(connection: connection, isReceived: isReceived, channel: 0)
    // The payload of the packet: type byte where there is one, handle (2 bytes), length (2).
    let start = (record.framing == .h4 ? 1 : 0) + 4
    let count = max(0, min(Int(header.length), record.bytes.byteCount - start))
    let place = RecordPlace(record: record.number, offset: start, count: count)
    if header.boundary == .continuation {
      if fragments[way]?.count ?? 0 < Self.mostFragments {
        fragments[way, default: []].append(place)
      }
    } else {
      fragments[way] = [place]
    }
    guard answer.fragment.hasJoinedBytes || answer.channel?.isCreditBased == true else { return }
    let pdu = fragments[way] ?? []
    if let channel = answer.channel, channel.isCreditBased, let header = dissection.l2cap {
      observeFrame(
        Way(connection: connection, isReceived: isReceived, channel: header.cid.rawValue), pdu,
        dissection, bytes, answer, header)
    } else {
      joined = pdu
    }
    // Where something is missing, nobody knows what stands where.
    if let places = joined, Self.count(places) < bytes.byteCount { joined = [] }
  }

  private static func count(_ places: [RecordPlace]) -> Int {
    places.reduce(0) { $0 + $1.count }
  }

  /// A frame of a credit-based channel: length (2 bytes), channel (2), of an SDU's first one the SDU's
  /// length (2), payload.
  private mutating func observeFrame(
    _ way: Way, _ pdu: [RecordPlace], _ dissection: Dissection, _ bytes: RawSpan,
    _ answer: Answer, _ header: L2CAPHeader
  ) {
    let isFirst = dissection.sduLength != nil
    let head = L2CAPHeader.size + (isFirst ? 2 : 0)
    let payload = Self.part(
      pdu, Slice(start: head, count: L2CAPHeader.size + Int(header.length) - head))
    let open = isFirst ? [] : frames[way] ?? []
    let sdu = open + payload
    let isFragment = answer.fragment.isFragment
    frames[way] = isFragment && sdu.count < Self.mostFragments ? sdu : nil
    guard answer.fragment.hasJoinedBytes else { return }
    // A frame that belongs to no SDU may have come in several fragments, too.
    let isSDU = !isFragment && !open.isEmpty && Self.count(sdu) == bytes.byteCount
    joined = isSDU ? sdu : pdu
  }

  /// Where the part `slice` of the current packet's bytes stands in records.
  func places(of slice: Slice, _ record: borrowing CaptureRecord) -> [RecordPlace] {
    guard let joined else {
      return [
        RecordPlace(record: record.number, offset: Int(slice.start), count: Int(slice.count))
      ]
    }
    return Self.part(joined, slice)
  }

  /// Whether the current packet's bytes came in several records.
  var areJoined: Bool { joined.map { $0.count > 1 } ?? false }

  /// The places of the bytes that are the part `slice` of those of `places`.
  static func part(_ places: [RecordPlace], _ slice: Slice) -> [RecordPlace] {
    var result: [RecordPlace] = []
    var position = 0
    for place in places {
      let start = max(position, Int(slice.start))
      let end = min(position + place.count, slice.end)
      if start < end {
        result.append(
          RecordPlace(
            record: place.record, offset: place.offset + start - position, count: end - start))
      }
      position += place.count
    }
    return result
  }
}
