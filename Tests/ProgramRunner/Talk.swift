/// A capture of one connection's ATT PDUs under construction, ten milliseconds apart: requests of
/// the captured host, which is the client, and the server's responses.
package struct Talk: Sendable {
  package private(set) var file = CaptureBytes()
  private var milliseconds: Int64 = 0

  /// Creates an empty conversation.
  package init() {}

  package mutating func wait(_ milliseconds: Int64) { self.milliseconds += milliseconds }

  package mutating func att(_ pdu: [UInt8], isSent: Bool) {
    milliseconds += 10
    var packet: [UInt8] = [2, 1, isSent ? 0 : 0x20]
    packet += Self.u16(pdu.count + 4)
    packet += Self.u16(pdu.count)
    packet += [4, 0]
    file.record(packet + pdu, flags: isSent ? 0 : 1, microseconds: milliseconds * 1000)
  }

  private static func u16(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
  }

  /// Discovers a service with descriptors and with characteristics of short UUIDs. Each
  /// characteristic is given by its value's handle and its UUID; its declaration is at the handle
  /// before.
  package mutating func discover(
    _ service: Int, _ range: ClosedRange<Int>, _ characteristics: [(handle: Int, uuid: Int)],
    descriptors: [(handle: Int, uuid: Int)] = []
  ) {
    let bounds = Self.u16(range.lowerBound) + Self.u16(range.upperBound)
    att([0x10] + bounds + [0, 0x28], isSent: true)
    att([0x11, 6] + bounds + Self.u16(service), isSent: false)
    att([0x08] + bounds + [3, 0x28], isSent: true)
    var list: [UInt8] = [0x09, 7]
    for (handle, uuid) in characteristics {
      list += Self.u16(handle - 1)
      list.append(0x3e)
      list += Self.u16(handle) + Self.u16(uuid)
    }
    att(list, isSent: false)
    for (handle, uuid) in descriptors {
      att([0x04] + Self.u16(handle) + Self.u16(handle), isSent: true)
      att([0x05, 1] + Self.u16(handle) + Self.u16(uuid), isSent: false)
    }
  }

  package mutating func write(_ handle: Int, _ value: [UInt8]) {
    att([0x52] + Self.u16(handle) + value, isSent: true)
  }

  /// Appends a write with its response, or with the error that refuses it.
  package mutating func request(_ handle: Int, _ value: [UInt8], error: UInt8? = nil) {
    att([0x12] + Self.u16(handle) + value, isSent: true)
    att(error.map { [1, 0x12] + Self.u16(handle) + [$0] } ?? [0x13], isSent: false)
  }

  package mutating func notify(_ handle: Int, _ value: [UInt8]) {
    att([0x1b] + Self.u16(handle) + value, isSent: false)
  }

  /// Appends an indication and its confirmation.
  package mutating func indicate(_ handle: Int, _ value: [UInt8]) {
    att([0x1d] + Self.u16(handle) + value, isSent: false)
    att([0x1e], isSent: true)
  }

  /// Appends a read and its response.
  package mutating func read(_ handle: Int, _ value: [UInt8]) {
    att([0x0a] + Self.u16(handle), isSent: true)
    att([0x0b] + value, isSent: false)
  }
}
