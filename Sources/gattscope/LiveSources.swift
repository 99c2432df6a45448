import Captures
import Reports

/// The sources that `live --list` lists.
enum LiveSources {
  private static let monitorNeeds =
    "Bluetooth in the kernel, and root or the capability CAP_NET_RAW"
  private static let lineNeeds = "permission to read the device: the group dialout, or root"

  /// What this machine has, then the kinds of source that must be named.
  static var all: [SourceList.Source] {
    var sources = [
      SourceList.Source(
        "monitor", "the kernel's monitor channel, all adapters", needs: monitorNeeds)
    ]
    for name in Terminal.names(in: "/sys/class/bluetooth") where isAdapter(name) {
      sources.append(.init(name, "the same, this adapter alone", needs: monitorNeeds))
    }
    for device in PcapDeviceInfo.all {
      let text = device.text.isEmpty ? "a device of libpcap's" : "libpcap: \(device.text)"
      sources.append(
        .init("pcap:\(device.name)", text, needs: "root or the capability CAP_NET_RAW"))
    }
    for name in Terminal.names(in: "/dev") where isLine(name) {
      sources.append(.init("tty:/dev/\(name)", "a serial line", needs: lineNeeds))
    }
    return sources + [
      .init(
        "tty:DEVICE[@SPEED]", "the monitor of Zephyr or BlueZ on a serial line", needs: lineNeeds),
      .init(
        "unix:PATH", "a socket that is made there, for clients of btmon --server's protocol",
        needs: "a folder that can be written to"),
      .init(
        "tcp:HOST[:PORT]", "a btsnoop stream, as Android sends it; port 8872 if left out",
        needs: "a server that sends it (Android: adb forward tcp:8872 tcp:8872)"),
      .init("-", "standard input: btsnoop, pcap, pcapng or PacketLogger"),
      .init("PATH", "the same from a named pipe"),
    ]
  }

  private static func isAdapter(_ name: String) -> Bool {
    guard case .monitor(.some) = try? LiveAddress(name) else { return false }
    return true
  }

  private static func isLine(_ name: String) -> Bool {
    name.hasPrefix("ttyACM") || name.hasPrefix("ttyUSB")
  }
}
