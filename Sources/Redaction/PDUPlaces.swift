import Bluetooth
import Bytes
import Captures
import Dissectors
import Sessions

/// A range of a record's bytes.
struct RecordPlace: Equatable, Sendable {
  var record: Int
  var offset: Int
  var count: Int
}

/// The positions of the bytes of PDUs that came in several records, where changes to the joined
/// bytes must be applied.
struct PDUPlaces: Sendable {
  /// A direction of a link, or of one of its channels.
  private struct Flow: Hashable {
    let connection: Int
    let isReceived: Bool
    let channel: UInt16
  }

  /// Places that follow each other.
  private struct Row {
    var places: [RecordPlace] = []
    var count = 0
    var pieces = Pieces()
    /// For frames: whether one of them was joined from fragments that may not belong together.
    var isDoubtful = false

    mutating func append(_ place: RecordPlace) {
      guard place.count > 0 else { return }
      places.append(place)
      count += place.count
    }
  }

  /// The fragments of the last L2CAP PDU, and the payloads of the frames of an SDU.
  private var fragments: [Flow: Row] = [:]
  private var frames: [Flow: Row] = [:]
  /// The places from which the current packet's bytes were joined; nil: they are the record's own.
  private var joined: [RecordPlace]?
  /// The places after the PDU in the same packets.
  private(set) var behind: [RecordPlace] = []
  /// Whether the current packet's bytes were joined from places that are no longer known.
  private(set) var isLost = false
  /// Whether the current packet is a frame of an SDU that is not complete.
  private(set) var isOutOfStep = false
  /// Whether the current packet's bytes were joined from pieces that may not belong together: if
  /// records are missing or duplicated, a piece of one PDU may have been joined with that of
  /// another.
  private(set) var isDoubtful = false
  /// Whether the current packet's bytes are joined, in a direction in which pieces are missing or
  /// duplicated.
  private(set) var isTorn = false
  /// The length of the current packet's first piece, which certainly belongs to it.
  private(set) var firstPiece = 0
  /// The most bytes that a packet of a link has carried so far in one direction.
  private var largest: [Flow: Int] = [:]
  /// The directions of connections in which pieces are missing or duplicated.
  private let torn: TornWays

  init(_ torn: TornWays) { self.torn = torn }

  /// The most links and channels that are followed; beyond that, only those of the latest
  /// connections.
  private static let most = 1024
  private static let latestConnections = 256
  /// The most fragments of a PDU that are followed.
  private static let mostFragments = 1 << 16

  /// Processes a packet as a report receives it.
  mutating func observe(_ packet: borrowing Packet, _ memory: borrowing Memory) {
    joined = nil
    behind = []
    isLost = false
    isOutOfStep = false
    isDoubtful = false
    isTorn = false
    guard case .acl(let header) = packet.dissection.content, packet.record.original == nil,
      let link = packet.answer.link
    else { return }
    let isReceived = packet.record.direction == .received
    let connection = memory.links.connection(link).id
    if fragments.count + frames.count > Self.most { forget(connection) }
    let way = Flow(connection: connection, isReceived: isReceived, channel: 0)
    let payload = packet.payload
    let count = Int(payload.count)
    let place = RecordPlace(
      record: packet.record.number, offset: Int(payload.start), count: count)
    let before = largest[way] ?? 0
    largest[way] = max(before, count)
    if header.boundary != .continuation { fragments[way] = Row() }
    if fragments[way]?.places.count ?? 0 < Self.mostFragments {
      fragments[way, default: Row()].append(place)
      fragments[way]?.pieces.append(count)
    }
    let isCreditBased = packet.answer.channel?.isCreditBased == true
    guard packet.answer.fragment.hasJoinedBytes || isCreditBased else { return }
    let pdu = fragments[way]?.places ?? []
    var whole = packet.bytes.byteCount
    let pieces = fragments[way]?.pieces ?? Pieces()
    firstPiece = pieces.first
    // What is torn later counts, too.
    let isTornWay = torn.contains(connection, isReceived: isReceived)
    if isCreditBased, let header = packet.dissection.l2cap {
      if !packet.answer.fragment.isTruncated { whole = L2CAPHeader.size + Int(header.length) }
      isDoubtful = pieces.mayBeMixed(expected: whole, largest: before, isTorn: isTornWay)
      observeFrame(
        Flow(connection: connection, isReceived: isReceived, channel: header.cid.rawValue), pdu,
        packet, header)
    } else {
      joined = pdu
      isDoubtful = pieces.mayBeMixed(expected: whole, largest: before, isTorn: isTornWay)
    }
    guard let joined else { return }
    isTorn = isTornWay
    let all = Self.count(pdu)
    if all > whole { behind = Self.part(pdu, Slice(start: whole, count: all - whole)) }
    // If something is missing, all positions are unknown.
    isLost = Self.count(joined) < packet.bytes.byteCount
  }

  /// Makes room: what is forgotten is no longer joined.
  private mutating func forget(_ connection: Int) {
    fragments = fragments.filter { $0.key.connection + Self.latestConnections > connection }
    frames = frames.filter { $0.key.connection + Self.latestConnections > connection }
    largest = largest.filter { $0.key.connection + Self.latestConnections > connection }
    if fragments.count + frames.count <= Self.most { return }
    largest.removeAll(keepingCapacity: true)
    fragments.removeAll(keepingCapacity: true)
    frames.removeAll(keepingCapacity: true)
  }

  private static func count(_ places: [RecordPlace]) -> Int {
    places.reduce(0) { $0 + $1.count }
  }

  /// Processes a frame of a credit-based channel: length (2 bytes), channel (2), in the first of an
  /// SDU the SDU's length (2), payload.
  private mutating func observeFrame(
    _ way: Flow, _ pdu: [RecordPlace], _ packet: borrowing Packet, _ header: L2CAPHeader
  ) {
    let isFirst = packet.dissection.sduLength != nil
    let head = L2CAPHeader.size + (isFirst ? 2 : 0)
    // Removed from the dictionary, so that it can grow in place.
    var sdu = frames.removeValue(forKey: way) ?? Row()
    if isFirst { sdu = Row() }
    sdu.isDoubtful = sdu.isDoubtful || isDoubtful
    sdu.pieces.append(Int(header.length))
    let continues = !sdu.places.isEmpty
    for place in Self.part(
      pdu, Slice(start: head, count: L2CAPHeader.size + Int(header.length) - head))
    {
      sdu.append(place)
    }
    let isFragment = packet.answer.fragment.isFragment
    let isSDU = !isFragment && continues && sdu.count == packet.bytes.byteCount
    isOutOfStep = !isFragment && !isFirst && !isSDU
    if packet.answer.fragment.hasJoinedBytes {
      // A frame that belongs to no SDU may have come in several fragments, too.
      joined = isSDU ? sdu.places : pdu
    }
    if isSDU {
      isDoubtful =
        sdu.isDoubtful || !sdu.pieces.areRegular
        || packet.bytes.byteCount <= Pieces.leastCut.frame - 2
        || torn.contains(way.connection, isReceived: way.isReceived)
      firstPiece = sdu.isDoubtful ? 0 : sdu.pieces.first - 2
    }
    if isFragment, sdu.places.count < Self.mostFragments { frames[way] = sdu }
  }

  /// Returns the places in records of the part `slice` of the current packet's bytes.
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

  /// Returns the places of the part `slice` of the bytes at `places`.
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

/// The directions of connections with pieces of PDUs that belong to nothing: a piece is missing
/// there or duplicated.
struct TornWays: Sendable {
  private var ways: Set<Int> = []
  /// Whether there are more than are remembered, so that any may be one.
  private var isFull = false

  /// The most directions that are remembered.
  private static let mostTorn = 4096

  private static func key(_ connection: Int, _ isReceived: Bool) -> Int {
    connection << 1 | (isReceived ? 1 : 0)
  }

  func contains(_ connection: Int, isReceived: Bool) -> Bool {
    isFull || ways.contains(Self.key(connection, isReceived))
  }

  /// Records the problems of an ACL packet.
  ///
  /// - Parameter isJoined: whether it ended something that came in pieces.
  mutating func observe(
    _ problems: Problems, _ connection: Int, isReceived: Bool, isJoined: Bool
  ) {
    guard !isFull else { return }
    for index in 0..<problems.count {
      switch problems[index].code {
      // What is too long in one packet comes from a single sender.
      case .fragmentTooLong where !isJoined: break
      case .fragmentLost, .continuationWithoutStart, .fragmentTooLong, .sduLost, .sduOverrun,
        .frameOutOfStep:
        isFull = ways.count >= Self.mostTorn
        ways.insert(Self.key(connection, isReceived))
        return
      default: break
      }
    }
  }
}
