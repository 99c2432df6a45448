import Bluetooth
import Bytes

/// Records behind one another in memory: of each a head of fixed size, its options and its bytes.
///
/// Copies are the same chunk: a struct, since what lends its bytes must be a value that is borrowed.
struct RecordChunk: Sendable {
  private let store = ByteStore(capacity: LiveLimits.chunkBytes)

  /// What stands before a record's bytes.
  private struct Head: BitwiseCopyable {
    var number: Int
    var seconds: Int64
    var drops: UInt64
    var fileOffset: Int64
    var originalLength: Int
    var original: Int
    var byteCount: Int
    var optionCount: Int
    var nanoseconds: UInt32
    /// -1 for none.
    var adapter: Int32
    var file: Int32
    var section: Int32
    /// What `framing` has beside its kind.
    var framingValue: Int32
    var framing: UInt8
    /// 2 for none.
    var direction: UInt8
    var flags: UInt8
  }

  private enum Flag {
    static let hasTime: UInt8 = 1
    static let isDirectionInferred: UInt8 = 2
    static let isReplayed: UInt8 = 4
    static let isBigEndian: UInt8 = 8
  }

  /// Bytes that are used.
  var count: Int { store.count }

  var isOfUsualSize: Bool { store.capacity == LiveLimits.chunkBytes }

  /// Whether it is to be handed over: the next record may not fit.
  var isFull: Bool { count >= LiveLimits.chunkBytes * 3 / 4 }

  func clear() { store.clear() }

  /// Takes the records of another chunk behind its own; false where it has no room for them.
  func absorb(_ other: RecordChunk) -> Bool {
    guard count + other.count <= store.capacity else { return false }
    store.append(other.store)
    return true
  }

  /// Appends a record, with other drops and another number than it has.
  func append(_ record: borrowing CaptureRecord, number: Int, drops: UInt64) {
    let options = record.options.bytes
    var flags: UInt8 = record.time == nil ? 0 : Flag.hasTime
    if record.isDirectionInferred { flags |= Flag.isDirectionInferred }
    if record.isReplayed { flags |= Flag.isReplayed }
    if record.options.isBigEndian { flags |= Flag.isBigEndian }
    let (framing, value) = record.framing.numbers
    let head = Head(
      number: number, seconds: record.time?.seconds ?? 0, drops: drops,
      fileOffset: record.fileOffset, originalLength: record.originalLength,
      original: record.original ?? 0, byteCount: record.bytes.byteCount,
      optionCount: options.byteCount, nanoseconds: record.time?.nanoseconds ?? 0,
      adapter: record.adapter.map { Int32($0) } ?? -1, file: Int32(clamping: record.file),
      section: Int32(clamping: record.section), framingValue: value, framing: framing,
      direction: record.direction?.rawValue ?? 2, flags: flags)
    store.append(head)
    store.append(options)
    store.append(record.bytes)
    store.align()
  }

  /// The record at `position`, which must be the beginning of one.
  @_lifetime(borrow self)
  func record(at position: Int) -> CaptureRecord {
    let head = store.value(Head.self, at: position)
    let all = store.bytes(
      at: position + MemoryLayout<Head>.size, count: head.optionCount + head.byteCount)
    let hasTime = head.flags & Flag.hasTime != 0
    let direction = Direction(rawValue: head.direction)
    let record = CaptureRecord(
      number: head.number,
      time: hasTime ? Timestamp(seconds: head.seconds, nanoseconds: head.nanoseconds) : nil,
      direction: direction, adapter: head.adapter < 0 ? nil : UInt16(head.adapter),
      framing: CaptureRecord.Framing(head.framing, head.framingValue),
      originalLength: head.originalLength, drops: head.drops, fileOffset: head.fileOffset,
      bytes: all.dropping(head.optionCount)
    ).with(
      RecordOptions(
        all.part(Slice(start: 0, count: head.optionCount)),
        isBigEndian: head.flags & Flag.isBigEndian != 0)
    ).with(section: Int(head.section)).with(
      file: Int(head.file), number: head.number, original: head.original > 0 ? head.original : nil
    ).replayed(head.flags & Flag.isReplayed != 0)
    return head.flags & Flag.isDirectionInferred != 0 ? record.inferring(direction) : record
  }

  /// Where the record behind the one at `position` begins.
  func next(after position: Int) -> Int {
    let head = store.value(Head.self, at: position)
    return ByteStore.place(
      from: position + MemoryLayout<Head>.size + head.optionCount + head.byteCount)
  }
}

extension CaptureRecord.Framing {
  /// The framing as two numbers.
  fileprivate var numbers: (UInt8, Int32) {
    switch self {
    case .h4: (0, 0)
    case .h1(let kind): (1, Int32(kind.rawValue))
    case .monitor(let opcode): (2, Int32(opcode))
    case .packetLogger(let type): (3, Int32(type))
    case .incomplete(let needed): (4, Int32(clamping: needed))
    }
  }

  /// The framing of two numbers.
  fileprivate init(_ kind: UInt8, _ value: Int32) {
    switch kind {
    case 1:
      self = .h1(CaptureRecord.PacketKind(rawValue: UInt8(truncatingIfNeeded: value)) ?? .event)
    case 2: self = .monitor(opcode: UInt16(truncatingIfNeeded: value))
    case 3: self = .packetLogger(type: UInt8(truncatingIfNeeded: value))
    case 4: self = .incomplete(needed: Int(value))
    default: self = .h4
    }
  }
}
