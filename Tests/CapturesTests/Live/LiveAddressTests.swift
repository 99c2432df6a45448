import Bluetooth
import Bytes
import Testing

@testable import Captures

struct LiveAddressTests {
  @Test func addresses() throws {
    let expected: [(String, LiveAddress)] = [
      ("monitor", .monitor(adapter: nil)), ("hci0", .monitor(adapter: 0)),
      ("hci12", .monitor(adapter: 12)), ("pcap:bluetooth0", .pcap("bluetooth0")),
      ("unix:/tmp/s", .server("/tmp/s")), ("tcp:phone", .tcp(host: "phone", port: 8872)),
      ("tcp:127.0.0.1:99", .tcp(host: "127.0.0.1", port: 99)),
      ("tcp:::1", .tcp(host: "::1", port: 8872)), ("tcp:[::1]", .tcp(host: "::1", port: 8872)),
      ("tcp:[::1]:7", .tcp(host: "::1", port: 7)),
      ("tty:/dev/ttyUSB0", .serial("/dev/ttyUSB0", speed: 115_200)),
      ("tty:/dev/ttyUSB0@1000000", .serial("/dev/ttyUSB0", speed: 1_000_000)),
      ("-", .stream("-")), ("hcix", .stream("hcix")), ("hci+1", .stream("hci+1")),
      ("/tmp/fifo", .stream("/tmp/fifo")),
    ]
    for (text, address) in expected {
      let parsed = try LiveAddress(text)
      #expect(parsed == address, "\(text)")
    }
  }

  @Test func refusals() {
    let expected = [
      ("", "the source is missing"), ("pcap:", "the device is missing"),
      ("unix:", "the path is missing"), ("tcp:", "the host is missing"),
      ("tcp::80", "the host is missing"), ("tty:@9600", "the device is missing"),
      ("tcp:a:0", "the port 0 is not a number from 1 to 65535"),
      ("tcp:a:99999", "the port 99999 is not a number from 1 to 65535"),
      ("tcp:a:+80", "the port +80 is not a number from 1 to 65535"),
      ("tcp:[::1]x", "x follows the address; expected a colon and a port"),
    ]
    for (text, words) in expected {
      #expect(throws: LiveAddress.Refusal(words: words), "\(text)") { _ = try LiveAddress(text) }
    }
    #expect(throws: LiveAddress.Refusal.self) { _ = try LiveAddress("tty:/dev/ttyS0@12345") }
  }

  @Test func adaptersOfDevices() {
    let names = [
      "bluetooth0", "bluetooth1", "bluetooth12", "bluetooth-monitor", "bluetooth+1", "x",
    ]
    #expect(names.map { PcapDeviceSource.adapter($0) } == [0, 1, 12, 0, 0, 0])
  }

  @Test func names() throws {
    for name in ["hci3", "pcap:x", "unix:/s", "tcp:[::1]:8872", "tty:/dev/x@9600", "/tmp/x"] {
      let address = try LiveAddress(name)
      #expect(address.name == name)
    }
    #expect(LiveAddress.stream("-").name == "standard input")
  }

  /// `-i` accepts every name in the list, and the monitor channel's entry shows what it requires
  /// here.
  @Test func list() throws {
    let list = LiveSourceInfo.all
    #expect(list.first?.name == "monitor")
    for kind in ["unix:PATH", "tcp:HOST[:PORT]", "tty:DEVICE[@SPEED]", "-", "PATH"] {
      #expect(list.contains { $0.name == kind }, "\(kind)")
    }
    for source in list where !source.name.contains("[") { _ = try LiveAddress(source.name) }
    do throws(CaptureFailure) {
      _ = try MonitorSource(Interruption())
      #expect(list.first?.need == nil)
    } catch {
      #expect(list.first?.need == error.message)
    }
  }
}
