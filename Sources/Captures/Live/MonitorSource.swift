package import Bluetooth
package import Bytes
import CBlueZ
import CLibarchive  // for types of sockets, which belong to the module that the compiler loads first
import Glibc

/// The HCI monitor channel of the Linux kernel: all traffic between the system and its controllers,
/// or one of them.
///
/// A datagram is one record: opcode, adapter and length (2 bytes each, least significant byte
/// first), then the opcode's data (BlueZ, doc/btsnoop-protocol.rst). Times are the kernel's. Notes
/// and user logs have none and get their time of arrival, so times may go back slightly.
///
/// If the socket's buffer overflowed, the record after the gap states how many records were lost.
/// The kernel counts them (SO_MEMINFO) but reports their position only for sockets of other
/// families (SO_RXQ_OVFL). So the gap is placed before the first record younger than the read that
/// made room again: until then nothing could be queued.
@safe
package struct MonitorSource: CaptureSource, ~Copyable {
  /// The properties of the source.
  package private(set) var summary = CaptureSummary(
    format: .monitor, datalink: BtsnoopDatalink.linuxMonitor.rawValue,
    datalinkName: BtsnoopDatalink.linuxMonitor.name ?? "", timeDecimals: 6)
  /// The size of the socket's receive buffer as the kernel counts it, in bytes.
  package let receiveBytes: Int

  private var datagrams: Datagrams
  private let interruption: Interruption
  /// The adapter whose records are returned; nil for all.
  private let adapter: AdapterIndex?
  private var count = 0
  private var index = 0
  private var number = 0
  private var offset: Int64 = 0
  /// The last known value of the socket's drop counter, and the value already reported in records.
  private var knownDrops: UInt32 = 0
  private var reportedDrops: UInt32 = 0
  /// For each gap, the drop count that the first record not older than `moment` reports.
  private var gaps: [(moment: Timestamp, count: UInt32)] = []
  /// The number of drops to report in the next record returned.
  private var drops: UInt64 = 0
  private var isFinished = false
  /// When the interruption was noticed; records made later are not read.
  private var end: Timestamp?
  /// When the socket was bound; nil once a record came that is not replayed by a bind.
  private var bound: Timestamp?

  /// The length of a datagram's header in bytes.
  fileprivate static let headerBytes = 6

  /// Opens the monitor channel.
  ///
  /// - Throws: `.unavailable` if the kernel has no Bluetooth; `.forbidden` if the permission is
  ///   missing.
  package init(adapter: AdapterIndex? = nil, _ interruption: Interruption) throws(CaptureFailure) {
    let opened = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue) | Self.closeOnExec, BTPROTO_HCI)
    guard opened >= 0 else { throw Self.failure(errno) }
    try self.init(descriptor: opened, adapter: adapter, interruption) {
      var address = sockaddr_hci(
        hci_family: UInt16(AF_BLUETOOTH), hci_dev: UInt16(HCI_DEV_NONE),
        hci_channel: UInt16(HCI_CHANNEL_MONITOR))
      let result = unsafe withUnsafeBytes(of: &address) { bytes in
        unsafe bind(
          opened, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
          socklen_t(bytes.count))
      }
      return result == 0 ? nil : errno
    }
  }

  /// Reads datagrams from a socket, which is closed at the end.
  ///
  /// - Parameter bind: Binds the prepared socket, so that datagrams arrive; returns an error
  ///   number.
  init(
    descriptor: Int32, adapter: AdapterIndex?, _ interruption: Interruption,
    wanted: Int = LiveLimits.receiveBytes, bind: () -> Int32?
  ) throws(CaptureFailure) {
    let datagrams = try Datagrams.of(descriptor)
    Self.set(SO_TIMESTAMP, 1, descriptor)
    Self.set(SO_RXQ_OVFL, 1, descriptor)
    Self.askForRoom(wanted, descriptor)
    if let error = bind() { throw Self.failure(error) }
    self.datagrams = datagrams
    self.interruption = interruption
    self.adapter = adapter
    receiveBytes = Self.receiveBytes(descriptor)
    bound = .now
    // The kernel reports twice the size, to include its own data for each datagram.
    let given = receiveBytes / 2
    if given < wanted {
      summary.remarks.append(
        "the kernel gives the socket a receive buffer of \(given / 1024) KiB, not "
          + "\(wanted / 1024) KiB, without the capability CAP_NET_ADMIN; a burst may be lost")
    }
  }

  /// SOCK_CLOEXEC, which is not imported into Swift.
  private static let closeOnExec = O_CLOEXEC

  /// Sets a socket-level option; returns false if the kernel refuses.
  @discardableResult
  private static func set(_ option: Int32, _ value: Int, _ descriptor: Int32) -> Bool {
    var value = Int32(clamping: value)
    let size = socklen_t(MemoryLayout<Int32>.size)
    return unsafe setsockopt(descriptor, SOL_SOCKET, option, &value, size) == 0
  }

  /// Requests a receive buffer of `bytes`, beyond the normal limit if that is permitted.
  static func askForRoom(_ bytes: Int, _ descriptor: Int32) {
    if !set(SO_RCVBUFFORCE, bytes, descriptor) { set(SO_RCVBUF, bytes, descriptor) }
  }

  private static func receiveBytes(_ descriptor: Int32) -> Int {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    unsafe getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &value, &size)
    return Int(value)
  }

  /// Returns the failure for an error of socket(2) or bind(2), with advice on how to fix it.
  static func failure(_ error: Int32) -> CaptureFailure {
    switch error {
    case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
      CaptureFailure(
        .unavailable,
        "the kernel offers no Bluetooth here; load it (modprobe bluetooth), outside of containers, "
          + "or name another source with -i")
    case EPERM, EACCES:
      CaptureFailure(
        .forbidden,
        "it needs the capability CAP_NET_RAW; use sudo, or give it to gattscope "
          + "once: sudo setcap cap_net_raw,cap_net_admin+ep \"$(command -v gattscope)\"")
    default: CaptureFailure(.unavailable, systemWords(error))
    }
  }

  /// Whether a record is available.
  package var isReady: Bool { index < count || isFinished }

  /// Returns the next record, or nil once the interruption came and nothing is left.
  ///
  /// - Throws: `.unavailable` if the socket fails.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    var found: Found?
    while found == nil {
      guard !isFinished else { return nil }
      if index == count, !(try receive()) { isFinished = true } else { found = take() }
    }
    guard let found else { return nil }
    let bytes = datagrams.bytes(found.index, found.byteCount).dropping(Self.headerBytes)
    return CaptureRecord(
      number: number, time: found.time, direction: MonitorOpcode(rawValue: found.opcode)?.direction,
      adapter: found.adapter, framing: .monitor(opcode: found.opcode),
      originalLength: max(found.length, bytes.byteCount), drops: found.drops,
      fileOffset: found.offset, bytes: bytes
    ).replayed(found.isReplayed)
  }

  /// The properties of the record that is returned next.
  private struct Found {
    /// The index of its datagram in the batch, and how many of that datagram's bytes count.
    let index: Int
    let byteCount: Int
    let opcode: UInt16
    let adapter: AdapterIndex
    /// The length stated in the datagram's header.
    let length: Int
    let time: Timestamp
    let drops: UInt64
    let offset: Int64
    let isReplayed: Bool
  }

  /// Takes the next datagram of the batch; returns nil if it is not a record of this adapter.
  private mutating func take() -> Found? {
    let place = index
    let facts = datagrams.facts(place)
    index += 1
    guard facts.count >= Self.headerBytes else { return nil }
    let (opcode, controller, count) = datagrams.header(place)
    let device = AdapterIndex(controller)
    let length = Int(count)
    let kernelTime =
      facts.has_time == 0
      ? nil
      : Timestamp(
        // Bounded: the kernel's microseconds are below a million.
        seconds: facts.seconds, nanoseconds: UInt32(clamping: facts.microseconds * 1000))
    if let end, let kernelTime, end.isEarlier(than: kernelTime) {
      reportLastDrops()
      isFinished = true
      return nil
    }
    reportDrops(at: kernelTime, facts)
    if let adapter, device != adapter, device != .unknown { return nil }
    let isReplayed = isReplay(opcode, kernelTime)
    number += 1
    defer {
      offset += Int64(facts.count)
      drops = 0
    }
    return Found(
      index: place, byteCount: min(facts.count, Self.headerBytes + length), opcode: opcode,
      adapter: device, length: length, time: kernelTime ?? .now,
      drops: drops, offset: offset, isReplayed: isReplayed)
  }

  /// Returns whether a record is one of those replayed by a bind: at the beginning, of these kinds,
  /// and made before the bind returned.
  private mutating func isReplay(_ opcode: UInt16, _ time: Timestamp?) -> Bool {
    guard let bound else { return false }
    switch MonitorOpcode(rawValue: opcode) {
    case .systemNote, .newIndex, .openIndex, .indexInfo, .controlOpen:
      if let time, bound.isEarlier(than: time) { break }
      return true
    default: break
    }
    self.bound = nil
    return false
  }

  /// Receives the queued datagrams, and waits while the queue is empty. Returns false once the
  /// interruption came and nothing is left.
  private mutating func receive() throws(CaptureFailure) -> Bool {
    // Also checked before each batch, so that a source that is never silent ends.
    if interruption.hasCome, end == nil { end = .now }
    var mustWait = end != nil
    while true {
      if mustWait, interruption.wait(for: datagrams.descriptor) != .ready {
        interruption.leaveUnread(datagrams.descriptor)
        reportLastDrops()
        return false
      }
      let moment = Timestamp.now
      let received = datagrams.receive()
      if received > 0 {
        (index, count) = (0, received)
        let found = cbluez_drops(datagrams.descriptor)
        let drops = UInt32(truncatingIfNeeded: found)
        if found > 0, drops != knownDrops {
          knownDrops = drops
          // If there are very many gaps, the last one not yet reported is merged.
          if gaps.count == Self.mostGaps { gaps.removeLast() }
          gaps.append((moment, drops))
        }
        return true
      }
      switch Int32(-received) {
      case EAGAIN:
        // All records before the gaps have been taken.
        for index in gaps.indices { gaps[index].moment.seconds = .min }
        mustWait = true
      case EINTR: continue
      case 0: return false
      case let error: throw CaptureFailure(.unavailable, systemWords(error))
      }
    }
  }

  /// The maximum number of gaps tracked separately.
  private static let mostGaps = 64

  /// Adds the drops to report before a record of this time, which is nil if the kernel gave it
  /// none.
  private mutating func reportDrops(at time: Timestamp?, _ facts: cbluez_facts) {
    guard !gaps.isEmpty || facts.has_drops != 0 else { return }
    var count = reportedDrops
    if facts.has_drops != 0 {
      count = facts.drops
      if Int32(bitPattern: count &- knownDrops) > 0 { knownDrops = count }
    }
    while let gap = gaps.first, let time, !time.isEarlier(than: gap.moment) {
      if Int32(bitPattern: gap.count &- count) > 0 { count = gap.count }
      gaps.removeFirst()
    }
    let more = Int32(bitPattern: count &- reportedDrops)
    guard more > 0 else { return }
    reportedDrops = count
    drops.add(clamped: UInt64(more))
  }

  /// Adds a remark on drops after the last record, which no record can report.
  private mutating func reportLastDrops() {
    let lost = Int32(bitPattern: knownDrops &- reportedDrops)
    guard lost > 0 else { return }
    let records = lost == 1 ? "1 record was" : "\(lost) records were"
    summary.remarks.append("\(records) lost after the last one: the receive buffer was full")
    reportedDrops = knownDrops
  }
}

/// A datagram socket with room for many datagrams at once.
@safe
private struct Datagrams: ~Copyable {
  let descriptor: Int32
  private let batch: UnsafeMutablePointer<cbluez_batch>

  /// Takes ownership of a socket.
  static func of(_ descriptor: Int32) throws(CaptureFailure) -> Datagrams {
    guard let batch = unsafe cbluez_batch_make() else {
      close(descriptor)
      throw CaptureFailure(.unavailable, "cannot allocate memory")
    }
    return unsafe Datagrams(descriptor: descriptor, batch: batch)
  }

  deinit {
    close(descriptor)
    unsafe cbluez_batch_free(batch)
  }

  /// Receives queued datagrams; returns their number, or a negative error number.
  mutating func receive() -> Int { Int(unsafe cbluez_batch_receive(batch, descriptor)) }

  /// Returns the kernel's facts about a datagram.
  func facts(_ index: Int) -> cbluez_facts { unsafe cbluez_batch_facts(batch, Int32(index)) }

  /// Returns the three numbers of a datagram's header. The datagram must have at least
  /// `headerBytes`.
  func header(_ index: Int) -> (opcode: UInt16, device: UInt16, length: UInt16) {
    let bytes = bytes(index, MonitorSource.headerBytes)
    return (
      bytes.littleEndianU16(at: 0), bytes.littleEndianU16(at: 2), bytes.littleEndianU16(at: 4)
    )
  }

  /// Returns the first `count` bytes of a datagram, which must not exceed those received.
  @_lifetime(borrow self)
  func bytes(_ index: Int, _ count: Int) -> RawSpan {
    guard let start = unsafe cbluez_batch_bytes(batch, Int32(index)) else { return RawSpan() }
    let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count)
    return unsafe _overrideLifetime(span, borrowing: self)
  }
}
