internal import CLibpcap

/// The system's libpcap, which is loaded on demand.
package enum LibpcapVersion {
  /// Returns its version, such as "1.10.3", or nil if it is not installed.
  package static func found() -> String? {
    guard let text = unsafe clibpcap_version() else { return nil }
    // "libpcap version 1.10.3 (with TPACKET_V3)": only the version is wanted.
    let words = unsafe String(cString: text).split(separator: " ")
    guard let label = words.firstIndex(of: "version"), label + 1 < words.count else {
      return words.joined(separator: " ")
    }
    return String(words[label + 1])
  }
}
