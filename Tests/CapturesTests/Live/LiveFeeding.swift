import Bytes
import Bluetooth
import Dispatch
import Glibc
import Synchronization

@testable import Captures

/// Shared by the live tests: threads that feed sources, and a guard against waiting forever.
enum Feeding {
  /// Returns an interruption that happens by itself if a test would wait forever.
  static func guarded(seconds: Int = 30) -> Interruption {
    let interruption = Interruption()
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak interruption] in
      interruption?.come()
    }
    return interruption
  }

  /// Runs `work` in another thread.
  static func thread(_ work: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "feeder").async { work() }
  }

  /// Writes bytes in pieces.
  static func write(_ bytes: [UInt8], to descriptor: Int32, piece: Int) {
    for start in stride(from: 0, to: bytes.count, by: piece) {
      var rest = bytes[start..<min(start + piece, bytes.count)]
      while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes {
          unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
        }
        guard written > 0 else { return }
        rest = rest.dropFirst(written)
      }
    }
  }

  /// Connects to a Unix socket as soon as it has a listener.
  static func connect(_ path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) {
      unsafe $0.copyBytes(from: Array(path.utf8))
    }
    for _ in 0..<1000 {
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      let result = unsafe withUnsafeBytes(of: &address) { bytes in
        unsafe Glibc.connect(
          descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
          socklen_t(bytes.count))
      }
      if result == 0 { return descriptor }
      close(descriptor)
      usleep(5000)
    }
    return -1
  }

  /// Creates a listening socket on a local port that the system chooses.
  static func listener() -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    return (descriptor, bind(descriptor, listens: true))
  }

  /// Binds an IPv4 socket on this machine and returns its port.
  static func bind(_ descriptor: Int32, listens: Bool) -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return unsafe withUnsafeMutableBytes(of: &address) { bytes in
      let place = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      guard unsafe Glibc.bind(descriptor, place, size) == 0 else { return 0 }
      if listens { _ = listen(descriptor, 4) }
      guard unsafe getsockname(descriptor, place, &size) == 0 else { return 0 }
      return unsafe UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
  }

  /// Returns a sample capture's records as a client of `btmon --server` sends them.
  static func serverBytes(_ records: [Kept]) -> [UInt8] {
    records.flatMap { record -> [UInt8] in
      guard case .monitor(let opcode) = record.framing else { return [] }
      return little(opcode) + little(record.adapter.value)
        + little(UInt16(record.bytes.count)) + record.bytes
    }
  }

  static func little(_ number: some FixedWidthInteger) -> [UInt8] {
    stride(from: 0, to: number.bitWidth, by: 8).map {
      UInt8(truncatingIfNeeded: number >> $0)
    }
  }
}

extension Kept {
  /// Returns the record without fields that its protocol, or the one it is compared with, does not
  /// transmit.
  func stripped(time keepsTime: Bool = false, adapter keepsAdapter: Bool = true) -> Kept {
    var record = withoutPlace
    if !keepsTime { record.time = nil }
    if !keepsAdapter { record.adapter = .unknown }
    record.drops = 0
    return record
  }
}
