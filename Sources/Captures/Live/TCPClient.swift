// The socket types come from the module whose headers the compiler meets first.
import Bytes
import CBlueZ
import CLibarchive
import Glibc

/// TCP connections to a server over IPv4 or IPv6.
enum TCPClient {
  /// How long one address is tried, in milliseconds.
  private static let patience: Int32 = 10_000

  /// Connects to the first of a host's addresses that answers.
  ///
  /// - Throws: `.unavailable` with the system's message if none does.
  static func connect(
    host: String, port: UInt16, _ interruption: Interruption
  ) throws(CaptureFailure) -> Int32 {
    var wanted = unsafe addrinfo()
    unsafe wanted.ai_family = AF_UNSPEC
    unsafe wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = unsafe getaddrinfo(host, String(port), &wanted, &list)
    guard result == 0 else {
      let words = unsafe gai_strerror(result).map { unsafe String(cString: $0) }
      throw CaptureFailure(
        .unavailable, "the address of \(host) was not found: \(words ?? "error \(result)")")
    }
    defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
    var failure: Int32 = ENOENT
    var next = unsafe list
    while let address = unsafe next?.pointee {
      let descriptor = unsafe socket(
        address.ai_family, address.ai_socktype | O_CLOEXEC | O_NONBLOCK, address.ai_protocol)
      if descriptor >= 0 {
        let error = unsafe connect(
          descriptor, address.ai_addr, address.ai_addrlen, interruption)
        if error == nil { return descriptor }
        failure = error ?? failure
        close(descriptor)
      } else {
        failure = errno
      }
      unsafe next = address.ai_next
    }
    throw CaptureFailure(
      .unavailable, "nothing answers at \(host), port \(port): \(systemWords(failure))")
  }

  /// Connects one socket; returns an error number.
  private static func connect(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>?, _ count: socklen_t,
    _ interruption: Interruption
  ) -> Int32? {
    if unsafe Glibc.connect(descriptor, address, count) != 0 {
      guard errno == EINPROGRESS else { return errno }
      switch interruption.wait(for: descriptor, events: POLLOUT, milliseconds: patience) {
      case .interrupted: return EINTR
      case .timeOver: return ETIMEDOUT
      case .ready: break
      }
      var error: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
      if error != 0 { return error }
    }
    // Detects a server that vanished without closing the connection.
    var isOn: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &isOn, size)
    return nil
  }
}
