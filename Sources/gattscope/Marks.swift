import Bytes
import Captures

/// Where markers come from: the lines that the user types, and those of a named pipe.
struct Marks {
  private let recorder: Recorder
  /// Where a marker is shown that has no line of its own.
  private let notices: Notices?
  private let interruption: Interruption
  /// How long to wait where a descriptor that is ready has nothing, in milliseconds.
  private static let pause: Int32 = 500

  init(_ recorder: Recorder, _ notices: Notices?, _ interruption: Interruption) {
    self.recorder = recorder
    self.notices = notices
    self.interruption = interruption
  }

  /// Takes the lines that are read of a descriptor as markers, until the interruption comes, in a thread of
  /// its own: they may never come.
  func follow(_ descriptor: Int32) {
    let (recorder, notices, interruption) = (recorder, notices, interruption)
    // Nobody waits for its end: the program's is enough.
    _ = Thread {
      var lines = MarkLines()
      while !interruption.hasCome, interruption.wait(for: descriptor) == .ready {
        guard let bytes = Terminal.available(of: descriptor) else { return }
        if bytes.isEmpty { _ = interruption.wait(for: -1, milliseconds: Self.pause) }
        for text in lines.take(bytes) {
          recorder.mark(text)
          notices?.give(text)
        }
      }
    }
  }
}

/// Bytes as they come, cut into lines.
struct MarkLines {
  private var line: [UInt8] = []
  /// Markers without a text.
  private var unnamed = 0
  /// What is longer is cut.
  private static let mostBytes = 512

  /// Takes bytes: the texts of the lines that they end. An empty one is given a number: "marker 1".
  mutating func take(_ bytes: [UInt8]) -> [String] {
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
