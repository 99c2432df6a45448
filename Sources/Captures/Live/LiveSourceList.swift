import Bytes
import Glibc

/// A live source that this host offers or could offer, for `live --list`.
package struct LiveSourceInfo: Equatable, Sendable {
  /// The name to use with `-i`: "monitor", "hci0", "unix:PATH".
  package var name: String
  package var text: String
  /// What is missing before it can be read; nil if nothing is, or if that cannot be known.
  package var need: String?

  /// All sources: first those found on this host, then the kinds that need a name.
  package static var all: [LiveSourceInfo] {
    var need: String?
    do throws(CaptureFailure) {
      // Closed at once; only tests whether it can be opened.
      _ = try MonitorSource(Interruption())
    } catch {
      need = error.message
    }
    var found = [
      LiveSourceInfo(
        name: "monitor", text: "the kernel's monitor channel, all adapters", need: need)
    ]
    for adapter in adapters {
      found.append(
        LiveSourceInfo(name: "hci\(adapter)", text: "the monitor channel, this adapter", need: need)
      )
    }
    for device in PcapDeviceInfo.all {
      let text = device.text.isEmpty ? "a device of libpcap's" : "libpcap: \(device.text)"
      found.append(LiveSourceInfo(name: "pcap:\(device.name)", text: text, need: device.need))
    }
    return found + [
      LiveSourceInfo(
        name: "unix:PATH", text: "a socket for clients that speak btmon --server's protocol",
        need: nil),
      LiveSourceInfo(
        name: "tcp:HOST[:PORT]", text: "Android's btsnoop stream, port 8872 if left out",
        need: "adb forward tcp:8872 tcp:8872, and an Android built to listen there"),
      LiveSourceInfo(
        name: "tty:DEVICE[@SPEED]",
        text: "BlueZ's or Zephyr's monitor on a serial line, 115200 bits a second if left out",
        need: nil),
      LiveSourceInfo(
        name: "-", text: "a capture as a stream on standard input (ssh host btmon -w -)", need: nil),
      LiveSourceInfo(name: "PATH", text: "a capture as a stream from a named pipe", need: nil),
    ]
  }

  /// The numbers of the adapters known to the kernel (Linux, sysfs: class/bluetooth/hciN).
  private static var adapters: [UInt16] {
    guard let folder = unsafe opendir("/sys/class/bluetooth") else { return [] }
    defer { unsafe closedir(folder) }
    var numbers: [UInt16] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      // The folder also lists connections, such as hci0:64.
      if name.hasPrefix("hci"), let number = UInt16(name.dropFirst(3)) { numbers.append(number) }
    }
    return numbers.sorted()
  }
}
