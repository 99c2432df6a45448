import Bytes
import Bluetooth
import Glibc
import Testing

@testable import Captures

struct MonitorSourceTests {
  /// This machine's kernel: the result depends on its Bluetooth and permissions.
  @Test func thisMachine() {
    do throws(CaptureFailure) {
      let interruption = Interruption()
      var source = try MonitorSource(interruption)
      // It has Bluetooth and the permission. Binding replays records at once, the kernel's note
      // first.
      interruption.come()
      let reading = Reading(&source)
      #expect(reading.records.first?.framing == .monitor(opcode: 12))
      #expect(reading.records.first?.isReplayed == true)
    } catch {
      let isExpected =
        error.kind == .unavailable && error.message.hasPrefix("the kernel offers no Bluetooth here")
        || error.kind == .forbidden && error.message.contains("CAP_NET_RAW")
      #expect(isExpected, "\(error)")
    }
  }

  @Test func errors() {
    #expect(MonitorSource.failure(EAFNOSUPPORT).kind == .unavailable)
    #expect(MonitorSource.failure(EPROTONOSUPPORT).kind == .unavailable)
    #expect(MonitorSource.failure(EPERM).kind == .forbidden)
    #expect(MonitorSource.failure(ENOBUFS).message == "no buffer space available")
  }

  /// A datagram socket in place of the monitor's: the same calls, times and counts.
  private struct Datagrams {
    let receiver = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)

    /// The kernel starts to timestamp datagrams, other than the monitor's, some time after the
    /// first socket requests it. This socket does, and stays open.
    private static let stamped: Int32 = {
      let first = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      var isOn: Int32 = 1
      _ = unsafe setsockopt(
        first, SOL_SOCKET, SO_TIMESTAMP, &isOn, socklen_t(MemoryLayout<Int32>.size))
      usleep(100_000)
      return first
    }()

    init() {
      #expect(Self.stamped >= 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      address.sin_port = Feeding.bind(receiver, listens: false).bigEndian
      let result = unsafe withUnsafeBytes(of: &address) { bytes in
        unsafe connect(
          sender, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
          socklen_t(bytes.count))
      }
      #expect(result == 0)
    }

    func send(_ opcode: UInt16, _ adapter: UInt16, _ bytes: [UInt8], length: UInt16? = nil) {
      let datagram =
        Feeding.little(opcode) + Feeding.little(adapter)
        + Feeding.little(length ?? UInt16(bytes.count)) + bytes
      let sent = unsafe datagram.withUnsafeBytes { unsafe write(sender, $0.baseAddress, $0.count) }
      #expect(sent == datagram.count)
    }

    func source(
      adapter: AdapterIndex? = nil, _ interruption: Interruption, wanted: Int = 1 << 20,
      bind: () -> Int32? = { nil }
    ) throws -> MonitorSource {
      try MonitorSource(
        descriptor: receiver, adapter: adapter, interruption, wanted: wanted, bind: bind)
    }
  }

  /// Replayed records are distinguished from later ones, even of the same kind.
  @Test func replay() throws {
    let datagrams = Datagrams()
    defer { close(datagrams.sender) }
    let interruption = Feeding.guarded()
    let before = Timestamp.now
    var source = try datagrams.source(interruption) {
      datagrams.send(12, 0xffff, Array("Linux version 6\0".utf8))
      datagrams.send(0, 0, [UInt8](repeating: 0, count: 16))
      datagrams.send(10, 0, [UInt8](repeating: 0, count: 8))
      return nil
    }
    usleep(2000)
    datagrams.send(0, 1, [UInt8](repeating: 0, count: 16))
    datagrams.send(2, 1, [3, 12, 0])
    datagrams.send(3, 1, [0x0e, 4, 1, 3, 12, 0], length: 260)
    datagrams.send(99, 0xffff, [])
    interruption.come()
    let reading = Reading(&source)
    #expect(reading.failure == nil)
    let records = reading.records
    #expect(
      records.map(\.framing) == [12, 0, 10, 0, 2, 3, 99].map { .monitor(opcode: $0) })
    #expect(records.map(\.adapter) == [.unknown, 0, 0, 1, 1, 1, .unknown])
    #expect(records.map(\.direction) == [nil, nil, nil, nil, .sent, .received, nil])
    #expect(records.map(\.originalLength) == [16, 16, 8, 16, 3, 260, 0])
    #expect(records.map(\.isReplayed) == [true, true, true, false, false, false, false])
    let times = records.compactMap(\.time)
    #expect(times.count == 7)
    #expect(times.allSatisfy { !$0.isEarlier(than: before) })
    #expect(zip(times, times.dropFirst()).allSatisfy { !$1.isEarlier(than: $0) })
  }

  /// Selecting an adapter yields its records and those without an adapter.
  @Test func oneAdapter() throws {
    let datagrams = Datagrams()
    defer { close(datagrams.sender) }
    let interruption = Feeding.guarded()
    var source = try datagrams.source(adapter: 1, interruption)
    for adapter: UInt16 in [0, 1, 0xffff, 2, 1] { datagrams.send(2, adapter, [3, 12, 0]) }
    interruption.come()
    let reading = Reading(&source)
    #expect(reading.records.map(\.adapter) == [1, .unknown, 1])
    #expect(reading.records.map(\.number) == [1, 2, 3])
  }

  /// If a socket overflows, the received and lost records add up to the sent ones.
  @Test func overflow() throws {
    let datagrams = Datagrams()
    defer { close(datagrams.sender) }
    let interruption = Feeding.guarded()
    // Without the capability the kernel may allocate less than requested, but never more.
    var source = try datagrams.source(interruption, wanted: 4096)
    let sent = 2000
    for index in 0..<sent {
      datagrams.send(5, 0, [UInt8](repeating: UInt8(index % 251), count: 90))
    }
    usleep(10_000)
    var records: [Kept] = []
    // Now there is room, and the next record has the count.
    while source.isReady || records.isEmpty, let record = try source.nextKept() {
      records.append(record)
    }
    datagrams.send(5, 0, [1])
    datagrams.send(5, 0, [2])
    interruption.come()
    records += Reading(&source).records
    let lost = records.reduce(0) { $0 + Int($1.drops) }
    #expect(lost > 0)
    #expect(records.count + lost == sent + 2)
  }

  /// After an interruption, the source ends even if datagrams keep coming.
  @Test func neverSilent() throws {
    let datagrams = Datagrams()
    let interruption = Interruption()
    var source = try datagrams.source(interruption)
    let isOver = Pipe()
    Feeding.thread {
      while isOver.hasReader {
        datagrams.send(5, 0, [1])
      }
      close(datagrams.sender)
    }
    var count = 0
    let start = MonotonicClock.nanoseconds
    while let _ = try source.nextKept() {
      count += 1
      if count == 10 { interruption.come() }
    }
    let passed = MonotonicClock.nanoseconds - start
    #expect(count >= 10)
    #expect(passed < 10_000_000_000)
    close(isOver.takeReader())
  }

  /// Devices that are unknown to libpcap or have no HCI packets, with this machine's messages.
  @Test func pcapDevices() {
    func failure(_ name: String) -> CaptureFailure? {
      do throws(CaptureFailure) {
        _ = try LiveSource(.pcap(name), Interruption())
        return nil
      } catch {
        return error
      }
    }
    let none = failure("nowhere0")
    #expect(none?.kind == .unavailable || none?.kind == .forbidden, "\(String(describing: none))")
    let loopback = failure("lo")
    #expect(
      loopback?.kind == .notReadable && loopback?.message.contains("Ethernet") == true
        || loopback?.kind == .forbidden && loopback?.message.contains("CAP_NET_RAW") == true
        || loopback?.kind == .unavailable,
      "\(String(describing: loopback))")
  }
}
