import Bluetooth
import Bytes

/// Records on their way from the thread that reads them to the one that prints them.
///
/// They travel in chunks of bytes, so that neither thread is stopped for a single one, and chunks are
/// used again and again. What waits is bounded in bytes: where there is no room, the reader waits, or the
/// record is left out and counted, as the source demands.
final class RecordQueue: @unchecked Sendable {
  /// The most bytes that wait.
  private let most: Int
  /// Whether records are left out where there is no room.
  private let leavesOut: Bool

  private let lock = Lock()
  // Everything below is touched only by who holds `lock`.
  private var full: [RecordChunk] = []
  private var spare: [RecordChunk] = []
  /// The bytes of the chunks that were handed over and not given back.
  private var waiting = 0
  private var isEnded = false
  /// Nobody takes any more: nothing is kept.
  private var isAbandoned = false

  /// Chunks that are kept for later.
  private static let mostSpare = 4

  init(most: Int, leavesOut: Bool) {
    self.most = most
    self.leavesOut = leavesOut
  }

  /// An empty chunk; nil where there is no room and records are to be left out.
  func chunk() -> RecordChunk? {
    lock.take()
    defer { lock.letGo() }
    while waiting >= most, !leavesOut, !isAbandoned { lock.awaitChange() }
    return spareChunk()
  }

  /// The same without a wait: nil where there is no room.
  func chunkWithRoom() -> RecordChunk? {
    lock.take()
    defer { lock.letGo() }
    return spareChunk()
  }

  private func spareChunk() -> RecordChunk? {
    guard waiting < most || isAbandoned else { return nil }
    return spare.popLast() ?? RecordChunk()
  }

  /// Hands a chunk over.
  func give(_ chunk: RecordChunk) {
    lock.take()
    defer { lock.letGo() }
    guard !isAbandoned else { return keep(chunk) }
    waiting += chunk.count
    // Where nobody takes, small chunks become large ones: what waits takes hardly more room than its bytes.
    if let last = full.last, last.absorb(chunk) { keep(chunk) } else { full.append(chunk) }
    lock.tellChange()
  }

  /// The next chunk, which is waited for; nil at the end.
  func take() -> RecordChunk? {
    lock.take()
    defer { lock.letGo() }
    while full.isEmpty, !isEnded { lock.awaitChange() }
    return full.isEmpty ? nil : full.removeFirst()
  }

  /// Gives a chunk back that was read.
  func giveBack(_ chunk: RecordChunk) {
    lock.take()
    defer { lock.letGo() }
    waiting -= chunk.count
    keep(chunk)
    lock.tellChange()
  }

  private func keep(_ chunk: RecordChunk) {
    chunk.clear()
    if spare.count < Self.mostSpare, chunk.isOfUsualSize { spare.append(chunk) }
  }

  /// Whether `take` answers at once.
  var isReady: Bool {
    lock.take()
    defer { lock.letGo() }
    return !full.isEmpty || isEnded
  }

  /// Waits until `take` answers at once, for so long at most; false where the time is over.
  func wait(milliseconds: Int32) -> Bool {
    let end = Lock.Deadline(milliseconds: milliseconds)
    lock.take()
    defer { lock.letGo() }
    while full.isEmpty, !isEnded {
      if !lock.awaitChange(until: end) { return !full.isEmpty || isEnded }
    }
    return true
  }

  /// Nothing is given any more.
  func end() {
    lock.take()
    defer { lock.letGo() }
    isEnded = true
    lock.tellChange()
  }

  /// Nothing is taken any more: what is given is dropped.
  func abandon() {
    lock.take()
    defer { lock.letGo() }
    isAbandoned = true
    full = []
    lock.tellChange()
  }
}

/// Records behind one another in memory: of each a head of fixed size, its options and its bytes.
@safe
final class RecordChunk: @unchecked Sendable {
  private var storage: UnsafeMutableRawPointer
  private var capacity: Int
  /// Bytes that are used.
  private(set) var count = 0

  init() {
    capacity = LiveLimits.chunkBytes
    unsafe storage = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { unsafe storage.deallocate() }

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

  var isOfUsualSize: Bool { capacity == LiveLimits.chunkBytes }

  /// Whether it is to be handed over: the next record may not fit.
  var isFull: Bool { count >= LiveLimits.chunkBytes * 3 / 4 }

  func clear() { count = 0 }

  /// Takes the records of another chunk behind its own; false where it has no room for them.
  func absorb(_ other: RecordChunk) -> Bool {
    guard count + other.count <= capacity else { return false }
    unsafe (storage + count).copyMemory(from: other.storage, byteCount: other.count)
    count += other.count
    return true
  }

  /// The size of a record in a chunk, in eights of bytes.
  private static func size(_ optionCount: Int, _ byteCount: Int) -> Int {
    (MemoryLayout<Head>.stride + optionCount + byteCount + 7) & ~7
  }

  /// Appends a record, with other drops and another number than it has.
  func append(_ record: borrowing CaptureRecord, number: Int, drops: UInt64) {
    let options = record.options.bytes
    let size = Self.size(options.byteCount, record.bytes.byteCount)
    if count + size > capacity { grow(count + size) }
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
    let target = unsafe storage + count
    unsafe target.storeBytes(of: head, as: Head.self)
    let start = unsafe target + MemoryLayout<Head>.stride
    unsafe options.withUnsafeBytes { unsafe Self.copy($0, to: start) }
    unsafe record.bytes.withUnsafeBytes { unsafe Self.copy($0, to: start + options.byteCount) }
    count += size
  }

  private static func copy(_ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
    if let start = bytes.baseAddress {
      unsafe target.copyMemory(from: start, byteCount: bytes.count)
    }
  }

  private func grow(_ needed: Int) {
    var larger = capacity
    while larger < needed { larger *= 2 }
    let grown = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    unsafe grown.copyMemory(from: storage, byteCount: count)
    unsafe storage.deallocate()
    unsafe storage = grown
    capacity = larger
  }

  /// The record at `position`, which must be the beginning of one, and where the next one begins.
  @_lifetime(borrow self)
  func record(at position: Int) -> CaptureRecord {
    precondition(position >= 0 && position + MemoryLayout<Head>.stride <= count)
    let place = unsafe UnsafeRawPointer(storage + position)
    let head = unsafe place.load(as: Head.self)
    let start = unsafe place + MemoryLayout<Head>.stride
    let span = unsafe RawSpan(
      _unsafeStart: start, byteCount: head.optionCount + head.byteCount)
    let all = unsafe _overrideLifetime(span, borrowing: self)
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
    let head = unsafe UnsafeRawPointer(storage + position).load(as: Head.self)
    return position + Self.size(head.optionCount, head.byteCount)
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
