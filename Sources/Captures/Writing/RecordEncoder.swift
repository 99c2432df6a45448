import Bluetooth
import Bytes

/// An encoder of records as btsnoop, pcap, pcapng and PacketLogger.
///
/// The counterpart of `BtsnoopReader`, `PcapReader`, `PcapngReader` and `PacketLoggerReader`, whose
/// tables describe the layouts.
struct RecordEncoder: Sendable {
  let format: WriterFormat
  /// Whether times have nanoseconds, if the format supports them; otherwise microseconds.
  let hasNanoseconds: Bool
  /// What could not be written.
  var losses = WriterLosses()

  /// State of the current file, reset when the next one begins.
  private var cumulativeDrops: UInt32 = 0
  /// The number of records lost since the last one written.
  private var drops: UInt64 = 0
  private var interfaces = 0
  /// The interface of each controller.
  private var controllers: [Int] = []
  /// The interface of each sniffer, by layout and number.
  private var sniffers: [(sniffer: SnifferFormat, adapter: AdapterIndex, interface: Int)] = []
  /// Markers whose packet has not come yet; in pcapng with H4 they become its comments.
  private var markers: [[UInt8]] = []
  /// The section of the previous record.
  private var section = 0
  private var time = Timestamp(seconds: 0, nanoseconds: 0)

  /// The maximum number of adapters that get their own interface, and of sniffers.
  static let mostInterfaces = 32
  /// The maximum number of bytes in a comment on a packet.
  private static let mostComment = 4096
  /// The maximum number of markers that wait for a packet.
  private static let mostMarkers = 1024

  init(_ format: WriterFormat, decimals: Int) {
    self.format = format
    hasNanoseconds = decimals > 6 && (format.container == .pcap || format.container == .pcapng)
  }

  /// All remarks on what could not be written.
  var remarks: [String] {
    var losses = losses
    losses.leaveOut(.user, count: markers.count)
    return losses.remarks(format)
  }

  /// Begins a file with its header.
  mutating func begin(into output: inout Output) {
    cumulativeDrops = 0
    forgetInterfaces()
    header(into: &output)
  }

  private mutating func header(into output: inout Output) {
    switch format.container {
    case .btsnoop:
      output.bigEndian(BtsnoopHeader.magic)
      output.bigEndian(BtsnoopHeader.version)
      output.bigEndian(format.datalink.rawValue)
    case .pcap:
      output.littleEndian(hasNanoseconds ? 0xa1b2_3c4d : 0xa1b2_c3d4 as UInt32)
      output.littleEndian(2 as UInt16)
      output.littleEndian(4 as UInt16)
      output.littleEndian(0 as UInt64)
      output.littleEndian(UInt32(CaptureLimits.pcapRecordBytes))
      output.littleEndian(format.linkType.rawValue)
    case .pcapng:
      let block = PcapngBlock(.sectionHeader, into: &output)
      output.littleEndian(0x1a2b_3c4d as UInt32)
      output.littleEndian(1 as UInt16)
      output.littleEndian(0 as UInt16)
      output.littleEndian(UInt64.max)
      block.option(.userApplication, "gattscope", into: &output)
      block.end(into: &output)
      // One interface always exists, so that even an empty file is a valid capture.
      if let sniffer = format.sniffer {
        _ = interface(of: sniffer, 0, into: &output)
      } else {
        describe(controllersUpTo: 0, into: &output)
      }
    // A PacketLogger file begins with its first record.
    case .packetLogger: break
    }
  }

  /// Writes a record.
  ///
  /// - Parameter comment: A UTF-8 comment on the record; not written if it is empty or already
  ///   present.
  /// - Returns: Whether it was written; otherwise it is counted among the losses.
  mutating func write(
    _ record: borrowing CaptureRecord, comment: RawSpan, into output: inout Output
  ) -> Bool {
    if format.container == .pcapng, format.content != .monitor,
      let marker = Marker.text(of: record), markers.count < Self.mostMarkers
    {
      markers.append(marker)
      skip(record)
      return false
    }
    guard let target = target(of: record) else {
      skip(record)
      return false
    }
    drops.add(clamped: record.drops)
    defer { drops = 0 }
    if record.section != section { begin(record.section, into: &output) }
    if record.adapter != 0, record.adapter != .unknown { note(record.adapter, target) }
    if format.container == .packetLogger, record.isTruncated { losses.cutLengths += 1 }
    if !record.options.isEmpty, record.options.hasOthers { losses.options += 1 }
    let time = time(of: record)
    let original = record.originalLength - target.skipped + (target.type == nil ? 0 : 1)
    switch format.container {
    case .btsnoop: btsnoop(record, target, time, original, into: &output)
    case .pcap: pcap(record, target, time, original, into: &output)
    case .pcapng: pcapng(record, target, time, original, comment, into: &output)
    case .packetLogger: packetLogger(record, target, time, into: &output)
    }
    return true
  }

  /// Returns the form of a record. Returns nil, and counts it among the losses, if it has none.
  @inline(__always)
  private mutating func target(of record: borrowing CaptureRecord) -> TargetRecord? {
    if case .air(let sniffer) = record.framing { return target(of: sniffer) }
    guard let target = TargetRecord(record, as: format.content, &losses) else { return nil }
    if format.sniffer != nil, format.container == .pcap {
      losses.ofHCI += 1
      return nil
    }
    return target
  }

  /// Returns the form of a packet from a sniffer, or nil if the file has no room for it.
  private mutating func target(of sniffer: SnifferFormat) -> TargetRecord? {
    if format.container == .pcapng || format.sniffer == sniffer { return TargetRecord(sniffer) }
    losses.fromSniffers += 1
    return nil
  }

  /// Skips a record; drops before it count for the next record.
  mutating func skip(_ record: borrowing CaptureRecord) { drops.add(clamped: record.drops) }

  /// Returns the record's time, limited to what the format can represent.
  private mutating func time(of record: borrowing CaptureRecord) -> Timestamp {
    guard let found = record.time else {
      losses.timeless += 1
      return time
    }
    time = found
    if !hasNanoseconds, time.nanoseconds % 1000 != 0 {
      losses.cutTimes += 1
      // Bounded: the remainder is at most the value itself.
      time.nanoseconds -= time.nanoseconds % 1000
    }
    let range: ClosedRange<Int64> =
      switch format.container {
      case .btsnoop: -9_000_000_000_000...9_000_000_000_000
      case .pcap, .packetLogger: 0...Int64(UInt32.max)
      case .pcapng: 0...18_000_000_000
      }
    if !range.contains(time.seconds) {
      losses.impossibleTimes += 1
      time.seconds = min(max(time.seconds, range.lowerBound), range.upperBound)
    }
    return time
  }

  /// Counts a packet whose adapter index the format cannot represent.
  private mutating func note(_ adapter: AdapterIndex, _ target: TargetRecord) {
    if target.sniffer != nil {
      if format.container == .pcap { losses.ofOtherSniffers += 1 }
      return
    }
    if format.content == .monitor { return }
    if format.container == .pcapng, Int(adapter.value) < Self.mostInterfaces { return }
    losses.leaveOut(adapter: adapter)
  }

  /// Begins another section: in pcapng as a new section, in other formats without a mark.
  private mutating func begin(_ section: Int, into output: inout Output) {
    self.section = section
    guard format.container == .pcapng else {
      losses.sections += 1
      return
    }
    forgetInterfaces()
    header(into: &output)
  }

  private mutating func forgetInterfaces() {
    interfaces = 0
    controllers.removeAll(keepingCapacity: true)
    sniffers.removeAll(keepingCapacity: true)
  }

  /// Returns how many records are complete in the first `count` bytes written by this encoder, and
  /// the offset after the last of them. Used for files that could not be written completely.
  ///
  /// - Parameter hasHeader: Whether these bytes begin with a file header.
  func wholeRecords(
    in bytes: RawSpan, upTo count: Int, hasHeader: Bool
  ) -> (records: Int, end: Int) {
    var (records, end) = (0, 0)
    var next: Int
    switch format.container {
    case .btsnoop: next = hasHeader ? BtsnoopHeader.byteCount : 0
    case .pcap: next = hasHeader ? PcapHeader.byteCount : 0
    // pcapng's header consists of blocks too, and PacketLogger has none.
    case .pcapng, .packetLogger: next = 0
    }
    while next <= count {
      end = next
      guard end < count else { break }
      switch format.container {
      case .btsnoop:
        next += BtsnoopRecordHeader.byteCount + Int(bytes.u32(at: end + 4, isBigEndian: true))
      case .pcap:
        next += MemoryLayout<PcapHead>.size + Int(bytes.u32(at: end + 8, isBigEndian: false))
      case .pcapng: next += Int(bytes.u32(at: end + 4, isBigEndian: false))
      case .packetLogger: next += 4 + Int(bytes.u32(at: end, isBigEndian: true))
      }
      let isRecord =
        format.container != .pcapng
        || bytes.u32(at: end, isBigEndian: false) == PcapngBlock.Kind.enhancedPacket.rawValue
      if isRecord, next <= count { records += 1 }
    }
    return (records, end)
  }

  // MARK: btsnoop

  private mutating func btsnoop(
    _ record: borrowing CaptureRecord, _ target: TargetRecord, _ time: Timestamp, _ original: Int,
    into output: inout Output
  ) {
    let (sum, overflow) = UInt64(cumulativeDrops).addingReportingOverflow(drops)
    if overflow || sum > UInt32.max { losses.largeDrops += 1 }
    cumulativeDrops = overflow ? .max : UInt32(clamping: sum)
    if record.hasComments { losses.comments += 1 }
    let kept = record.bytes.byteCount - target.skipped + (target.type == nil ? 0 : 1)
    let seconds = time.seconds + BtsnoopRecordHeader.secondsBefore1970
    // Bounded: `time(of:)` limits the range.
    let microseconds = seconds * 1_000_000 + Int64(time.nanoseconds / 1000)
    output.native(
      BtsnoopHead(
        original: UInt32(clamping: original).bigEndian, included: UInt32(kept).bigEndian,
        flags: flags(record, target).bigEndian, drops: cumulativeDrops.bigEndian,
        time: microseconds.bigEndian))
    output.packet(record, target, atMost: kept)
  }

  /// Returns the record's flags; see `BtsnoopRecordHeader`.
  private func flags(_ record: borrowing CaptureRecord, _ target: TargetRecord) -> UInt32 {
    if format.content == .monitor {
      return UInt32(record.adapter.value) << 16 | UInt32(target.opcode)
    }
    let type = target.type ?? record.bytes.byte(at: 0)
    return (target.direction == .received ? 1 : 0) | (type == 1 || type == 4 ? 2 : 0)
  }

  // MARK: pcap

  private mutating func pcap(
    _ record: borrowing CaptureRecord, _ target: TargetRecord, _ time: Timestamp, _ original: Int,
    into output: inout Output
  ) {
    // Bounded: at most one per record.
    if drops > 0 { losses.drops += 1 }
    if record.hasComments { losses.comments += 1 }
    let (head, kept) = kept(record, target, CaptureLimits.pcapRecordBytes)
    let fraction = hasNanoseconds ? time.nanoseconds : time.nanoseconds / 1000
    output.native(
      PcapHead(
        seconds: UInt32(time.seconds).littleEndian, fraction: fraction.littleEndian,
        captured: UInt32(head + kept).littleEndian,
        original: UInt32(clamping: head + original).littleEndian))
    linkHeader(record, target, into: &output)
    if format.content == .h4WithoutDirection, target.direction != nil { losses.directions += 1 }
    output.packet(record, target, atMost: kept)
  }

  /// Returns the size of the link type's header, and how many of the packet's bytes fit after it.
  private mutating func kept(
    _ record: borrowing CaptureRecord, _ target: TargetRecord, _ most: Int
  ) -> (head: Int, packet: Int) {
    let head = format.content == .h4WithoutDirection || target.sniffer != nil ? 0 : 4
    let packet = record.bytes.byteCount - target.skipped + (target.type == nil ? 0 : 1)
    if head + packet > most { losses.cutPackets += 1 }
    return (head, min(packet, most - head))
  }

  /// Writes the link type's own header; see `LinkType`.
  private func linkHeader(
    _ record: borrowing CaptureRecord, _ target: TargetRecord, into output: inout Output
  ) {
    if target.sniffer != nil { return }
    switch format.content {
    case .monitor:
      output.bigEndian(UInt32(record.adapter.value) << 16 | UInt32(target.opcode))
    case .h4: output.bigEndian(target.direction == .received ? 1 : 0 as UInt32)
    case .h4WithoutDirection, .packetLogger: break
    }
  }

  // MARK: PacketLogger

  /// Writes most significant byte first, the order that every reader of such files supports.
  private mutating func packetLogger(
    _ record: borrowing CaptureRecord, _ target: TargetRecord, _ time: Timestamp,
    into output: inout Output
  ) {
    // Bounded: at most one per record.
    if drops > 0 { losses.drops += 1 }
    if record.hasComments { losses.comments += 1 }
    let packet = record.bytes.byteCount - target.skipped
    let most = Int(PacketLoggerHeader.mostLength - PacketLoggerHeader.countedBytes)
    if packet > most { losses.cutPackets += 1 }
    let kept = min(packet, most)
    output.bigEndian(UInt32(kept) + PacketLoggerHeader.countedBytes)
    output.bigEndian(UInt32(time.seconds))
    output.bigEndian(time.nanoseconds / 1000)
    output.byte(target.packetLoggerType)
    output.packet(record, target, atMost: kept)
  }

  // MARK: pcapng

  @inline(__always)
  private mutating func pcapng(
    _ record: borrowing CaptureRecord, _ target: TargetRecord, _ time: Timestamp, _ original: Int,
    _ comment: RawSpan, into output: inout Output
  ) {
    let interface =
      if let sniffer = target.sniffer {
        interface(of: sniffer, record.adapter, into: &output)
      } else {
        interface(of: record.adapter, into: &output)
      }
    let block = PcapngBlock(.enhancedPacket, into: &output)
    let ticksPerSecond: UInt64 = hasNanoseconds ? 1_000_000_000 : 1_000_000
    let fraction = hasNanoseconds ? time.nanoseconds : time.nanoseconds / 1000
    // Bounded: `time(of:)` limits the range.
    let ticks = UInt64(time.seconds) * ticksPerSecond + UInt64(fraction)
    let (head, kept) = kept(record, target, CaptureLimits.recordBytes)
    output.native(
      PcapngHead(
        interface: UInt32(interface).littleEndian, timeHigh: UInt32(ticks >> 32).littleEndian,
        timeLow: UInt32(truncatingIfNeeded: ticks).littleEndian,
        captured: UInt32(head + kept).littleEndian,
        original: UInt32(clamping: head + original).littleEndian))
    linkHeader(record, target, into: &output)
    output.packet(record, target, atMost: kept)
    block.pad(&output)
    if comment.byteCount > 0 || !record.options.isEmpty || !markers.isEmpty {
      comments(record, comment, block, into: &output)
    }
    if let direction = target.direction {
      block.option(.flags, direction == .received ? 1 : 2 as UInt32, into: &output)
    }
    if drops > 0 { block.option(.dropCount, drops, into: &output) }
    block.end(into: &output)
  }

  /// Writes the packet's comments. Not inlined, since most packets have none.
  @inline(never)
  private mutating func comments(
    _ record: borrowing CaptureRecord, _ comment: RawSpan, _ block: PcapngBlock,
    into output: inout Output
  ) {
    var position = 0
    var isWritten = comment.byteCount == 0
    let comment = comment.part(Slice(start: 0, count: comment.characters(atMost: Self.mostComment)))
    while !record.options.isEmpty, let known = record.options.nextComment(&position) {
      block.option(.comment, known, into: &output)
      if known.isEqual(to: comment) { isWritten = true }
    }
    if !isWritten { block.option(.comment, comment, into: &output) }
    for marker in markers { block.option(.comment, marker.bytes, into: &output) }
    markers.removeAll(keepingCapacity: true)
  }

  /// Returns the interface of a controller, and describes it if that is not done.
  @inline(__always)
  private mutating func interface(of adapter: AdapterIndex, into output: inout Output) -> Int {
    var number = 0
    if format.content != .monitor, let known = adapter.number, Int(known) < Self.mostInterfaces {
      number = Int(known)
    }
    if number >= controllers.count { describe(controllersUpTo: number, into: &output) }
    return controllers[number]
  }

  /// Describes the interfaces of the controllers up to `last`, unless already done. Readers
  /// identify controllers by the order of their interfaces.
  private mutating func describe(controllersUpTo last: Int, into output: inout Output) {
    while controllers.count <= last {
      let name =
        format.content == .monitor ? "bluetooth-monitor" : "hci\(controllers.count)"
      controllers.append(interfaces)
      describe(format.linkType, name, into: &output)
    }
  }

  /// Returns the interface of a sniffer, and describes it if that is not done. In a file of
  /// sniffers alone it has the sniffer's number if that is small.
  private mutating func interface(
    of sniffer: SnifferFormat, _ adapter: AdapterIndex, into output: inout Output
  ) -> Int {
    var other: Int?
    for known in sniffers where known.sniffer == sniffer {
      if known.adapter == adapter { return known.interface }
      other = other ?? known.interface
    }
    if sniffers.count >= Self.mostInterfaces, let other {
      losses.ofOtherSniffers += 1
      return other
    }
    while controllers.isEmpty, interfaces < min(Int(adapter.value), Self.mostInterfaces - 1) {
      describe(sniffer, AdapterIndex(UInt16(interfaces)), into: &output)
    }
    return describe(sniffer, adapter, into: &output)
  }

  /// Describes the interface of a sniffer.
  @discardableResult
  private mutating func describe(
    _ sniffer: SnifferFormat, _ adapter: AdapterIndex, into output: inout Output
  ) -> Int {
    let interface = interfaces
    sniffers.append((sniffer, adapter, interface))
    describe(LinkType(sniffer), "sniffer\(sniffers.count - 1)", into: &output)
    return interface
  }

  /// Describes the next interface.
  private mutating func describe(
    _ linkType: LinkType, _ name: String, into output: inout Output
  ) {
    let block = PcapngBlock(.interface, into: &output)
    output.littleEndian(UInt16(truncatingIfNeeded: linkType.rawValue))
    output.littleEndian(0 as UInt16)
    output.littleEndian(0 as UInt32)
    block.option(.interfaceName, name, into: &output)
    block.option(.timeResolution, [hasNanoseconds ? 9 : 6].bytes, into: &output)
    block.end(into: &output)
    interfaces += 1
  }
}

// The headers before a packet, in the format's byte order, each written at once.

/// See `BtsnoopRecordHeader`.
private struct BtsnoopHead: BitwiseCopyable {
  let original, included, flags, drops: UInt32
  let time: Int64
}

/// See `PcapReader`.
private struct PcapHead: BitwiseCopyable {
  let seconds, fraction, captured, original: UInt32
}

/// The fixed part of an Enhanced Packet Block after type and length (pcapng, 4.3).
private struct PcapngHead: BitwiseCopyable {
  let interface, timeHigh, timeLow, captured, original: UInt32
}

extension CaptureRecord {
  /// Whether the capture has a comment on the packet.
  fileprivate var hasComments: Bool {
    if options.isEmpty { return false }
    var position = 0
    return options.nextComment(&position) != nil
  }
}

extension Output {
  /// Appends `most` bytes of a packet in the form required by the file.
  fileprivate mutating func packet(
    _ record: borrowing CaptureRecord, _ target: TargetRecord, atMost most: Int
  ) {
    var rest = most
    if let type = target.type, rest > 0 {
      byte(type)
      rest -= 1
    }
    raw(record.bytes.part(Slice(start: target.skipped, count: rest)))
  }

  /// Appends a number, most significant byte first.
  @inline(__always)
  mutating func bigEndian(_ value: some FixedWidthInteger & UnsignedInteger & BitwiseCopyable) {
    native(value.bigEndian)
  }

  /// Appends a number, least significant byte first.
  @inline(__always)
  mutating func littleEndian(_ value: some FixedWidthInteger & UnsignedInteger & BitwiseCopyable) {
    native(value.littleEndian)
  }
}
