package import Bluetooth

/// The live source named by `-i`.
///
/// | syntax | source |
/// | --- | --- |
/// | `monitor`, `hci0` | the kernel's monitor channel, of all adapters or of one |
/// | `pcap:NAME` | a Bluetooth device of libpcap |
/// | `unix:PATH` | a socket created there for clients that speak the protocol of `btmon --server` |
/// | `tcp:HOST[:PORT]` | a btsnoop stream, as sent by Android; the default port is 8872 |
/// | `tty:DEVICE[@SPEED]` | the monitor of BlueZ or Zephyr on a serial line; default 115200 bit/s |
/// | `-`, a path | standard input or a named pipe with btsnoop, pcap, pcapng or PacketLogger |
package enum LiveAddress: Equatable, Sendable {
  case monitor(adapter: AdapterIndex?)
  case pcap(String)
  case server(String)
  case tcp(host: String, port: UInt16)
  case serial(String, speed: Int)
  case stream(String)

  /// The reason why a text is not an address, as the end of a sentence.
  package struct Refusal: Error, Equatable, Sendable {
    /// "the port 99999 is not a number from 1 to 65535".
    package var words: String
  }

  /// The port of Android's btsnoop server.
  package static let usualPort: UInt16 = 8872

  /// The syntax of all kinds except paths.
  package static let kinds =
    "monitor, hciN, pcap:NAME, unix:PATH, tcp:HOST[:PORT], tty:DEVICE[@SPEED], -"

  /// Parses an address.
  package init(_ text: String) throws(Refusal) {
    if text == "monitor" {
      self = .monitor(adapter: nil)
    } else if text.hasPrefix("hci"), text.dropFirst(3).isDigits,
      let number = UInt16(text.dropFirst(3)), AdapterIndex(number) != .unknown
    {
      self = .monitor(adapter: AdapterIndex(number))
    } else if let name = Self.rest(of: text, after: "pcap:") {
      self = .pcap(try Self.named(name, "device"))
    } else if let path = Self.rest(of: text, after: "unix:") {
      self = .server(try Self.named(path, "path"))
    } else if let place = Self.rest(of: text, after: "tcp:") {
      self = try Self.tcp(try Self.named(place, "host"))
    } else if let line = Self.rest(of: text, after: "tty:") {
      self = try Self.serial(try Self.named(line, "device"))
    } else {
      self = .stream(try Self.named(text[...], "source"))
    }
  }

  private static func rest(of text: String, after prefix: String) -> Substring? {
    text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
  }

  private static func named(_ text: Substring, _ what: String) throws(Refusal) -> String {
    guard !text.isEmpty else { throw Refusal(words: "the \(what) is missing") }
    return String(text)
  }

  /// Parses `HOST`, `HOST:PORT`, `[ADDRESS]`, `[ADDRESS]:PORT`, or a bare address with several
  /// colons.
  private static func tcp(_ text: String) throws(Refusal) -> LiveAddress {
    var (host, digits) = (text[...], Substring?.none)
    if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else {
        throw Refusal(words: "\(rest) follows the address; expected a colon and a port")
      }
      digits = rest.isEmpty ? nil : rest.dropFirst()
    } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      digits = text[text.index(after: colon)...]
    }
    guard !host.isEmpty else { throw Refusal(words: "the host is missing") }
    guard let digits else { return .tcp(host: String(host), port: usualPort) }
    guard digits.isDigits, let port = UInt16(digits), port > 0 else {
      throw Refusal(words: "the port \(digits) is not a number from 1 to 65535")
    }
    return .tcp(host: String(host), port: port)
  }

  private static func serial(_ text: String) throws(Refusal) -> LiveAddress {
    guard let sign = text.lastIndex(of: "@") else {
      return .serial(text, speed: SerialLine.usualSpeed)
    }
    let digits = text[text.index(after: sign)...]
    guard digits.isDigits, let speed = Int(digits), SerialLine.isSpeed(speed) else {
      throw Refusal(
        words: "a serial line has no speed \(digits); expected one of \(SerialLine.speedWords)")
    }
    guard sign != text.startIndex else { throw Refusal(words: "the device is missing") }
    return .serial(String(text[..<sign]), speed: speed)
  }

  /// Whether it is a local device. Opening it may need root privileges, and it loses what is not
  /// read in time, so reading must never wait for anything else.
  package var isDevice: Bool {
    switch self {
    case .monitor, .pcap, .serial: true
    case .server, .tcp, .stream: false
    }
  }

  /// The name used in a sentence: "the monitor channel", "tcp:127.0.0.1:8872".
  package var name: String {
    switch self {
    case .monitor(nil): "the monitor channel"
    case .monitor(.some(let adapter)): "hci\(adapter.value)"
    case .pcap(let name): "pcap:\(name)"
    case .server(let path): "unix:\(path)"
    case .tcp(let host, let port):
      host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .serial(let path, let speed): "tty:\(path)@\(speed)"
    case .stream(let path): CaptureFailure.subject(path)
    }
  }
}

extension Substring {
  /// Whether it consists only of digits; integer initializers would also accept a sign.
  var isDigits: Bool { allSatisfy { $0.isASCII && $0.isNumber } }
}
