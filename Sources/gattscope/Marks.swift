import Bytes
import Captures

/// The sources of markers: lines that the user types, and lines from a named pipe.
struct Marks {
  private let recorder: Recorder
  /// Shows a marker in views that have no line for it.
  private let notices: Notices?
  private let interruption: Interruption
  /// The pause, in milliseconds, when a descriptor that is ready has no data.
  private static let pause: Int32 = 500

  init(_ recorder: Recorder, _ notices: Notices?, _ interruption: Interruption) {
    self.recorder = recorder
    self.notices = notices
    self.interruption = interruption
  }

  /// Records the lines read from a descriptor as markers until the interruption comes. Runs in a
  /// thread of its own, since lines may never arrive.
  func follow(_ descriptor: Int32) {
    let (recorder, notices, interruption) = (recorder, notices, interruption)
    // Not joined: the thread ends with the program.
    _ = Thread {
      var lines = MarkLines()
      while !interruption.hasCome, interruption.wait(for: descriptor) == .ready {
        guard let bytes = Terminal.available(of: descriptor) else { return }
        if bytes.isEmpty { _ = interruption.wait(for: -1, milliseconds: Self.pause) }
        for text in lines.append(bytes) {
          recorder.mark(text)
          notices?.give(text)
        }
      }
    }
  }
}

/// Splits arriving bytes into lines.
struct MarkLines {
  private var line: [UInt8] = []
  /// The number of markers without a text.
  private var unnamed = 0
  /// Longer lines are cut.
  private static let mostBytes = 512

  /// Appends bytes and returns the texts of the lines that they complete. An empty line is
  /// numbered: "marker 1".
  mutating func append(_ bytes: [UInt8]) -> [String] {
    var texts: [String] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        if line.count < Self.mostBytes { line.append(byte) }
        continue
      }
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if line.isEmpty {
        unnamed += 1
        texts.append("marker \(unnamed)")
      } else {
        texts.append(String(decoding: line, as: UTF8.self))
      }
      line = []
    }
    return texts
  }
}
