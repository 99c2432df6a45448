import Bluetooth
import Bytes

/// The pieces so far of a message in several frames.
struct ChunkedMessage: Sendable {
  private struct Piece: Sendable {
    /// The index of the piece, from 0.
    let place: Int
    let payload: [UInt8]
  }

  let command: Int?
  /// The number of pieces, if the frames contain it or the last one came.
  private(set) var count: Int?
  /// The time of the last piece.
  private(set) var last: Timestamp?
  /// The packets of the pieces, up to a limit.
  private(set) var packets: [Int] = []
  private var pieces: [Piece] = []
  /// The bytes before the payload, in the first piece.
  private var head: [UInt8] = []
  private var size = 0
  private var highest = -1
  /// The first frame with a wrong checksum.
  private var damaged: Frame?

  /// The most pieces of a message.
  private static let mostPieces = 1024

  init(_ frame: Frame) { command = frame.command }

  /// The result of adding a piece.
  enum Outcome {
    /// It does not belong to this message, which is over.
    case other
    /// It was added, or reported to be wrong.
    case taken(ChunkNote)
  }

  /// Adds a piece.
  mutating func add(
    _ frame: Frame, _ bytes: RawSpan, _ layout: FrameLayout.Chunk, _ packets: [Int],
    _ time: Timestamp?
  ) -> Outcome {
    let payload = bytes.part(frame.payload).array
    if let last, let time, !pieces.isEmpty,
      time.nanoseconds(since: last) > Int64(layout.timeout) * 1_000_000
    {
      return .other
    }
    if let count, let chunks = frame.chunks, chunks != count { return .other }
    guard frame.command == command, size + payload.count <= layout.most,
      pieces.count < Self.mostPieces
    else { return .other }
    // If only the last piece is marked, it follows all that came.
    let isMarked = frame.isLastChunk
    if isMarked, let count, pieces.contains(where: { $0.place == count - 1 }) {
      guard pieces.contains(where: { $0.place == count - 1 && $0.payload == payload }) else {
        return .other
      }
      if let time { last = time }
      return .taken(ChunkNote(number: count, count: count, isRepeated: true))
    }
    let place = isMarked ? highest + 1 : frame.chunk ?? 0
    var note = ChunkNote(number: place &+ 1, count: frame.chunks ?? count)
    guard place >= 0, place < min(note.count ?? Self.mostPieces, Self.mostPieces) else {
      note.isBeyond = true
      return pieces.isEmpty ? .taken(note) : .other
    }
    if let held = pieces.first(where: { $0.place == place }) {
      guard held.payload == payload else { return .other }
      if let time { last = time }
      note.isRepeated = true
      return .taken(note)
    }
    if isMarked { count = place + 1 } else { count = frame.chunks ?? count }
    note.count = count
    note.isLate = place < highest
    if place > highest + 1 {
      note.firstMissing = highest + 2
      note.missing = place - highest - 1
    }
    if head.isEmpty || place == 0 {
      let start = Int(frame.bytes.start)
      head = bytes.part(Slice(start: start, count: Int(frame.payload.start) - start)).array
    }
    if !frame.isSound, damaged == nil { damaged = frame }
    highest = max(highest, place)
    size += payload.count
    pieces.append(Piece(place: place, payload: payload))
    for packet in packets where self.packets.count < VendorMessages.mostPackets {
      self.packets.append(packet)
    }
    if let time { last = time }
    return .taken(note)
  }

  /// Whether any piece came.
  var hasPieces: Bool { !pieces.isEmpty }

  /// Whether all pieces came.
  var isComplete: Bool { count.map { pieces.count >= $0 } ?? false }

  /// Returns the joined message and its frame.
  func whole(_ frame: Frame) -> (bytes: [UInt8], frame: Frame) {
    var bytes = head
    for piece in pieces.sorted(by: { $0.place < $1.place }) { bytes += piece.payload }
    return (bytes, (damaged ?? frame).joined(head: head.count, count: bytes.count))
  }

  /// What is missing when no more pieces will come.
  var unfinished: Unfinished {
    var missing: [Int] = []
    var there = [Bool](repeating: false, count: highest + 1)
    for piece in pieces { there[piece.place] = true }
    var place = 0
    while place < count ?? highest + 1, missing.count < VendorSeries.listed {
      if place > highest || !there[place] { missing.append(place + 1) }
      place += 1
    }
    return Unfinished(
      kind: .parts, packet: packets.first ?? 0, count: count, received: pieces.count,
      missing: missing)
  }
}
