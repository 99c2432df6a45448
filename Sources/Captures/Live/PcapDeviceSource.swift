import Bluetooth
package import Bytes
import CBlueZ
import CLibpcap
import Glibc

/// A Bluetooth device of libpcap: `bluetooth-monitor`, `bluetooth0`.
///
/// Packets lost by libpcap or the kernel are reported in the first record after the loss is known.
@safe
package struct PcapDeviceSource: CaptureSource, ~Copyable {
  /// The properties of the source.
  package let summary: CaptureSummary
  private let device: PcapDevice
  private let linkType: LinkType
  /// The adapter, if the link type does not give it.
  private let adapter: AdapterIndex
  private let interruption: Interruption
  private var number = 0
  private var offset: Int64 = 0
  private var reportedDrops: Int64
  private var isFinished = false
  /// When the interruption was noticed; packets captured later are not read.
  private var end: Timestamp?

  /// Opens a device.
  ///
  /// - Throws: `.unavailable` if the device or libpcap does not exist; `.forbidden` if a permission
  ///   is missing; `.notReadable` if its packets are not HCI.
  package init(name: String, _ interruption: Interruption) throws(CaptureFailure) {
    let device = try PcapDevice.open(name)
    let linkType = device.linkType
    guard linkType.isReadable else { throw ForeignPackets.refusal(of: [ForeignPackets(linkType)]) }
    // libpcap's own buffer size has no effect on Bluetooth sockets.
    MonitorSource.askForRoom(LiveLimits.receiveBytes, device.descriptor)
    // The counters started earlier, some of them with the adapter.
    reportedDrops = device.drops
    self.device = device
    self.linkType = linkType
    adapter = Self.adapter(name)
    self.interruption = interruption
    var summary = CaptureSummary(
      format: .pcapDevice, datalink: linkType.rawValue, datalinkName: linkType.nameOrNumber,
      timeDecimals: 6)
    summary.lacksDirection = linkType == .h4
    self.summary = summary
  }

  /// Returns the adapter number in a device name: 1 for `bluetooth1`; 0 if the name has none.
  static func adapter(_ name: String) -> AdapterIndex {
    let prefix = "bluetooth"
    guard name.hasPrefix(prefix) else { return 0 }
    let digits = name.dropFirst(prefix.count)
    return AdapterIndex(digits.isDigits ? UInt16(digits) ?? 0 : 0)
  }

  /// Whether a record is available.
  package var isReady: Bool {
    isFinished || interruption.wait(for: device.descriptor, milliseconds: 0) == .ready
  }

  /// Returns the next record, or nil once the interruption came and nothing is left.
  ///
  /// - Throws: `.unavailable` if the device fails.
  @_lifetime(&self)
  package mutating func next() throws(CaptureFailure) -> CaptureRecord? {
    guard !isFinished else { return nil }
    guard let packet = try read() else {
      isFinished = true
      return nil
    }
    number += 1
    let drops = device.drops
    let lost = max(0, drops - reportedDrops)
    reportedDrops = max(reportedDrops, drops)
    let fileOffset = offset
    offset += Int64(packet.count)
    let (number, linkType, adapter) = (number, linkType, adapter)
    let span = unsafe RawSpan(_unsafeStart: packet.start, byteCount: packet.count)
    let bytes = unsafe _overrideLifetime(span, mutating: &self)
    return linkType.record(
      number: number, time: packet.time, direction: nil, adapter: adapter,
      originalLength: packet.originalLength, drops: UInt64(lost), fileOffset: fileOffset, bytes)
  }

  /// Reads a packet, waiting for it; returns nil once the interruption came and nothing is left.
  private mutating func read() throws(CaptureFailure) -> PcapDevice.Packet? {
    if interruption.hasCome, end == nil { end = .now }
    var mustWait = end != nil
    while true {
      if mustWait, interruption.wait(for: device.descriptor) != .ready {
        interruption.leaveUnread(device.descriptor)
        return nil
      }
      if let packet = try device.next() {
        if let end, end.isEarlier(than: packet.time) { return nil }
        return packet
      }
      mustWait = true
    }
  }
}

/// A device opened by libpcap.
@safe
private struct PcapDevice: ~Copyable {
  private let device: UnsafeMutablePointer<clibpcap_device>

  /// A packet; its bytes belong to libpcap and are valid until the next one is requested.
  @safe
  struct Packet {
    let time: Timestamp
    let originalLength: Int
    let start: UnsafeRawPointer
    let count: Int
  }

  static func open(_ name: String) throws(CaptureFailure) -> PcapDevice {
    let opened = unsafe clibpcap_device_open(
      name, Int32(CaptureLimits.pcapRecordBytes), Int32(LiveLimits.receiveBytes))
    guard let opened = unsafe opened else {
      throw CaptureFailure(.unavailable, "cannot allocate memory")
    }
    let device = unsafe PcapDevice(device: opened)
    if unsafe opened.pointee.pcap != nil { return device }
    throw device.failure(unsafe opened.pointee.result)
  }

  deinit { unsafe clibpcap_device_close(device) }

  /// Returns the failure for a libpcap status, with advice on how to fix it.
  private func failure(_ status: Int32) -> CaptureFailure {
    let message = message
    if message.isEmpty {
      return CaptureFailure(
        .unavailable,
        "devices are read through libpcap, which is not installed (Debian: libpcap0.8)"
      )
    }
    switch status {
    case PCAP_ERROR_PERM_DENIED, PCAP_ERROR_PROMISC_PERM_DENIED:
      return CaptureFailure(
        .forbidden, "libpcap needs the capability CAP_NET_RAW here (\(message)); use sudo")
    case PCAP_ERROR_NO_SUCH_DEVICE:
      return CaptureFailure(
        .unavailable,
        "libpcap does not find this device (\(message)); gattscope live --list lists those it finds"
      )
    default:
      // libpcap reports this only as text.
      let words = systemWords(EAFNOSUPPORT)
      if message.lowercased().hasSuffix(words.lowercased()) {
        return MonitorSource.failure(EAFNOSUPPORT)
      }
      return CaptureFailure(.unavailable, "libpcap reports \"\(message)\"")
    }
  }

  /// libpcap's last message.
  private var message: String {
    unsafe withUnsafeBytes(of: &device.pointee.message) { bytes in
      let text = unsafe bytes.prefix { $0 != 0 }
      return unsafe String(decoding: text, as: UTF8.self)
    }
  }

  var linkType: LinkType {
    LinkType(rawValue: UInt32(bitPattern: unsafe clibpcap_device_link_type(device)))
  }

  /// The descriptor to wait for.
  var descriptor: Int32 { unsafe clibpcap_device_descriptor(device) }

  /// The number of lost packets, as far as libpcap and the kernel report them. For the monitor
  /// channel only the kernel does, as in `MonitorSource`.
  var drops: Int64 {
    max(0, Int64(unsafe clibpcap_device_drops(device))) + max(0, Int64(cbluez_drops(descriptor)))
  }

  /// Returns the next packet, or nil if no packet is waiting.
  func next() throws(CaptureFailure) -> Packet? {
    var header: UnsafeMutablePointer<pcap_pkthdr>?
    var data: UnsafePointer<UInt8>?
    let result = unsafe clibpcap_device_next(device, &header, &data)
    guard result >= 0 else { throw failure(result) }
    guard result == 1, let header = unsafe header?.pointee, let data = unsafe data else {
      return nil
    }
    return unsafe Packet(
      time: Timestamp(
        seconds: Int64(header.ts.tv_sec), nanoseconds: UInt32(clamping: header.ts.tv_usec * 1000)),
      originalLength: Int(header.len), start: UnsafeRawPointer(data), count: Int(header.caplen))
  }
}

/// A device offered by libpcap.
package struct PcapDeviceInfo: Equatable, Sendable {
  /// The name to use with `-i pcap:`.
  package var name: String
  /// libpcap's description; may be empty.
  package var text: String
  /// What is missing before it can be read; nil if nothing is.
  package var need: String? {
    do throws(CaptureFailure) {
      // Closed at once; only tests whether it can be opened.
      _ = try PcapDeviceSource(name: name, Interruption())
      return nil
    } catch {
      return error.message
    }
  }

  /// The Bluetooth devices offered by libpcap; empty if libpcap is not installed.
  package static var all: [PcapDeviceInfo] {
    var library = clibpcap_device_library()
    guard unsafe clibpcap_load_devices(&library) != 0 else { return [] }
    var list: UnsafeMutablePointer<pcap_if_t>?
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    guard unsafe library.findalldevs(&list, &message) == 0 else { return [] }
    defer { if let list = unsafe list { unsafe library.freealldevs(list) } }
    var found: [PcapDeviceInfo] = []
    var device = unsafe list
    while let current = unsafe device?.pointee {
      let name = unsafe current.name.map { unsafe String(cString: $0) } ?? ""
      let text = unsafe current.description.map { unsafe String(cString: $0) } ?? ""
      if name.hasPrefix("bluetooth") { found.append(PcapDeviceInfo(name: name, text: text)) }
      unsafe device = current.next
    }
    return found
  }
}
