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

  /// Places one behind the other.
  private struct Row {
    var places: [RecordPlace] = []
    var count = 0

    mutating func append(_ place: RecordPlace) {
      guard place.count > 0 else { return }
      places.append(place)
      count += place.count
    }
  }

  /// The fragments of the L2CAP PDU that came last, and the payloads of the frames of an SDU.
  private var fragments: [Way: Row] = [:]
  private var frames: [Way: Row] = [:]
  /// What the current packet's bytes are joined of; nil: they are the record's own.
  private var joined: [RecordPlace]?
  /// What stands behind the PDU in the same packets.
  private(set) var behind: [RecordPlace] = []
  /// Whether the current packet's bytes are joined of others of which nobody knows any more where they stand.
  private(set) var isLost = false
  /// Whether the current packet is a frame that belongs to an SDU of which not all is there.
  private(set) var isOutOfStep = false

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
    behind = []
    isLost = false
    isOutOfStep = false
    guard case .acl(let header) = dissection.content, record.original == nil,
      let link = answer.link
    else { return }
    let isReceived = record.direction == .received
    let connection = memory.links.connection(link).id
    if fragments.count + frames.count > Self.most { forget(connection) }
    let way = Way(connection: connection, isReceived: isReceived, channel: 0)
    // The payload of the packet: type byte where there is one, handle (2 bytes), length (2).
    let start = (record.framing == .h4 ? 1 : 0) + 4
    let count = max(0, min(Int(header.length), record.bytes.byteCount - start))
    let place = RecordPlace(record: record.number, offset: start, count: count)
    if header.boundary != .continuation { fragments[way] = Row() }
    if fragments[way]?.places.count ?? 0 < Self.mostFragments {
      fragments[way, default: Row()].append(place)
    }
    let isCreditBased = answer.channel?.isCreditBased == true
    guard answer.fragment.hasJoinedBytes || isCreditBased else { return }
    let pdu = fragments[way]?.places ?? []
    var whole = bytes.byteCount
    if isCreditBased, let header = dissection.l2cap {
      if !answer.fragment.isTruncated { whole = L2CAPHeader.size + Int(header.length) }
      observeFrame(
        Way(connection: connection, isReceived: isReceived, channel: header.cid.rawValue), pdu,
        dissection, bytes, answer, header)
    } else {
      joined = pdu
    }
    guard let joined else { return }
    let all = Self.count(pdu)
    if all > whole { behind = Self.part(pdu, Slice(start: whole, count: all - whole)) }
    // Where something is missing, nobody knows what stands where.
    isLost = Self.count(joined) < bytes.byteCount
  }

  /// Makes room: what is forgotten is not put together any more.
  private mutating func forget(_ connection: Int) {
    fragments = fragments.filter { $0.key.connection + Self.latestConnections > connection }
    frames = frames.filter { $0.key.connection + Self.latestConnections > connection }
    if fragments.count + frames.count <= Self.most { return }
    fragments.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
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
    // Taken out, so that it can grow where it is.
    var sdu = frames.removeValue(forKey: way) ?? Row()
    if isFirst { sdu = Row() }
    let continues = !sdu.places.isEmpty
    for place in Self.part(
      pdu, Slice(start: head, count: L2CAPHeader.size + Int(header.length) - head))
    {
      sdu.append(place)
    }
    let isFragment = answer.fragment.isFragment
    let isSDU = !isFragment && continues && sdu.count == bytes.byteCount
    isOutOfStep = !isFragment && !isFirst && !isSDU
    if answer.fragment.hasJoinedBytes {
      // A frame that belongs to no SDU may have come in several fragments, too.
      joined = isSDU ? sdu.places : pdu
    }
    if isFragment, sdu.places.count < Self.mostFragments { frames[way] = sdu }
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

  /// Whether the current packet's bytes are not its record's own.
  var areJoined: Bool { joined != nil }

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
