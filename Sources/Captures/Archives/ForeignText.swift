import Bytes

/// Text files often mistaken for captures, each with a sentence on what to do instead.
enum ForeignText {
  private struct Kind {
    /// Text near the beginning of such a file.
    let mark: StaticString
    let words: StaticString
  }

  private static let kinds = [
    Kind(
      mark: "Bluetooth monitor ver",
      words:
        "is btmon's text, which lacks most of each packet; record with btmon -w FILE, or read along with: gattscope live"
    ),
    Kind(
      mark: "HCI sniffer - Bluetooth packet analyzer",
      words: "is hcidump's text; record with btmon -w FILE, or with hcidump -w FILE"),
    Kind(
      mark: "--------- beginning of ",
      words:
        "is Android's logcat, which has no packets; make a bug report: adb bugreport report.zip"),
    Kind(
      mark: "No.     Time ",
      words: "is text that Wireshark has exported; save the capture itself: File, Save As, pcapng"),
    Kind(
      mark: "\"No.\",\"Time\"",
      words:
        "is a table that Wireshark has exported; save the capture itself: File, Save As, pcapng"),
    Kind(
      mark: "Frame 1: ",
      words:
        "is text that Wireshark or tshark has printed; save the capture itself, with tshark -w FILE"
    ),
    Kind(
      mark: "\"_source\"",
      words: "is JSON that tshark has printed; save the capture itself, with tshark -w FILE"),
    Kind(
      mark: "<pdml",
      words: "is PDML that tshark has printed; save the capture itself, with tshark -w FILE"),
    Kind(
      mark: "<html",
      words:
        "is a web page, perhaps from a failed download; download the file itself, on GitHub with Raw"
    ),
    Kind(
      mark: "version https://git-lfs",
      words: "is a Git LFS pointer, not the file itself; get the file with: git lfs pull"),
    Kind(
      mark: "\"schema\":",
      words: "is gattscope's own JSON output; use the capture that it was made from"),
  ]

  /// The number of bytes searched.
  private static let searched = 512

  /// Returns the sentence for a text that begins with `bytes`, or nil if its kind is unknown.
  static func words(of bytes: RawSpan) -> String? {
    let start = bytes.part(Slice(start: 0, count: searched))
    for kind in kinds {
      for offset in 0..<start.byteCount where start.dropping(offset).starts(with: kind.mark) {
        return kind.words.description
      }
    }
    return nil
  }
}

/// Files of sniffers' own programs, whose formats are not public: only their names tell them.
enum ForeignFile {
  private struct Kind {
    /// The end of the file's name, in lower case.
    let ending: String
    let words: StaticString
  }

  private static let kinds = [
    Kind(
      ending: ".psd",
      words:
        "is not a capture that gattscope reads; if TI's packet sniffer saved it, sniff again with a program that writes pcap or pcapng (link type 251, 256 or 272)"
    ),
    Kind(
      ending: ".btt",
      words:
        "is not a capture that gattscope reads; if Ellisys's analyzer saved it, export it there as btsnoop or pcapng"
    ),
    Kind(ending: ".cfa", words: frontline),
    Kind(ending: ".fts", words: frontline),
  ]

  private static let frontline: StaticString =
    "is not a capture that gattscope reads; if Frontline's analyzer saved it, export it there as btsnoop"

  private static func kind(_ name: String) -> Kind? {
    let name = name.lowercased()
    return kinds.first { name.hasSuffix($0.ending) }
  }

  /// Returns whether a file has the name of such a program's files.
  static func isNamed(_ name: String) -> Bool { kind(name) != nil }

  /// Returns the failure for a file that begins with `bytes` and is not a capture.
  static func unknown(_ bytes: RawSpan, named name: String) -> CaptureFailure {
    guard let kind = kind(name) else { return CaptureFormat.unknown(bytes) }
    return CaptureFailure(.notReadable, kind.words.description)
  }
}
