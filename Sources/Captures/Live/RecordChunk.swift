import Bluetooth
import Bytes

/// A sequence of records in memory, each with a head of fixed size, its options and its bytes.
///
/// Copies refer to the same memory. It is a struct because a lender of bytes must be a value that
/// is borrowed.
struct RecordChunk: Sendable {
  private let store = ByteStore(capacity: LiveLimits.chunkBytes)

  /// The fixed-size data before a record's options and bytes.
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
    var file: Int32
    var section: Int32
    /// The associated value of `framing`.
    var framingValue: Int32
    var adapter: UInt16
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

  /// The number of bytes in use.
  var count: Int { store.count }

  var isOfUsualSize: Bool { store.capacity == LiveLimits.chunkBytes }

  /// Whether the chunk should be passed on, since the next record might not fit.
  var isFull: Bool { count >= LiveLimits.chunkBytes * 3 / 4 }

  func clear() { store.clear() }

  /// Appends the records of another chunk; returns false if there is no room for them.
  func absorb(_ other: RecordChunk) -> Bool {
    guard count + other.count <= store.capacity else { return false }
    store.append(other.store)
    return true
  }

  /// Appends a record with the given number and drop count instead of its own.
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
      file: Int32(clamping: record.file), section: Int32(clamping: record.section),
      framingValue: value, adapter: record.adapter.value, framing: framing,
      direction: record.direction?.rawValue ?? 2, flags: flags)
    store.append(head)
    store.append(options)
    store.append(record.bytes)
    store.align()
  }

  /// Returns the record that begins at `position`.
  @_lifetime(borrow self)
  func record(at position: Int) -> CaptureRecord {
    let head = store.value(Head.self, at: position)
    let all = store.bytes(
      at: position + MemoryLayout<Head>.size, count: head.optionCount + head.byteCount)
    let hasTime = head.flags & Flag.hasTime != 0
    let direction = Direction(rawValue: head.direction)
    var record = CaptureRecord(
      number: head.number,
      time: hasTime ? Timestamp(seconds: head.seconds, nanoseconds: head.nanoseconds) : nil,
      direction: direction, adapter: AdapterIndex(head.adapter),
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
    if head.flags & Flag.isDirectionInferred != 0 { record.infer(direction) }
    return record
  }

  /// Returns the position of the record after the one at `position`.
  func next(after position: Int) -> Int {
    let head = store.value(Head.self, at: position)
    return ByteStore.place(
      from: position + MemoryLayout<Head>.size + head.optionCount + head.byteCount)
  }
}

extension CaptureRecord.Framing {
  /// The framing encoded as two numbers.
  fileprivate var numbers: (UInt8, Int32) {
    switch self {
    case .h4: (0, 0)
    case .h1(let kind): (1, Int32(kind.rawValue))
    case .monitor(let opcode): (2, Int32(opcode))
    case .packetLogger(let type): (3, Int32(type))
    case .incomplete(let needed): (4, Int32(clamping: needed))
    case .air(let format): (5, Int32(format.rawValue))
    }
  }

  /// Decodes a framing from two numbers.
  fileprivate init(_ kind: UInt8, _ value: Int32) {
    switch kind {
    case 1:
      self = .h1(CaptureRecord.PacketKind(rawValue: UInt8(truncatingIfNeeded: value)) ?? .event)
    case 2: self = .monitor(opcode: UInt16(truncatingIfNeeded: value))
    case 3: self = .packetLogger(type: UInt8(truncatingIfNeeded: value))
    case 4: self = .incomplete(needed: Int(value))
    case 5:
      self = .air(SnifferFormat(rawValue: UInt8(truncatingIfNeeded: value)) ?? .linkLayer)
    default: self = .h4
    }
  }
}
