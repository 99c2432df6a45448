internal import CLibpcap

/// The libpcap of this machine, which is loaded when it is needed.
package enum LibpcapVersion {
  /// Its version, "1.10.3"; nil where it is not installed.
  package static func found() -> String? {
    guard let text = unsafe clibpcap_version() else { return nil }
    // "libpcap version 1.10.3 (with TPACKET_V3)": its other words are of no use here.
    let words = unsafe String(cString: text).split(separator: " ")
    guard let label = words.firstIndex(of: "version"), label + 1 < words.count else {
      return words.joined(separator: " ")
    }
    return String(words[label + 1])
  }
}
