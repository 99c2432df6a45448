import Bytes

/// A reader of Android's summaries of the Bluetooth log in a text: base64 between two marks,
/// possibly interrupted by lines from other programs.
///
///     --- BEGIN:BTSNOOP_LOG_SUMMARY (7891 bytes in) ---
///     AiyIGBrIYAYAeJyN…
///     --- END:BTSNOOP_LOG_SUMMARY ---
struct PhoneTextReader {
  /// What else the text reports about the phone.
  private(set) var report = PhoneReport()
  /// The summaries, in the form that `BtsnoozReader` reads.
  private(set) var summaries: [[UInt8]] = []
  /// Lines inside summaries that are not base64.
  private(set) var foreignLines = 0
  private var isInside = false

  /// Creates a reader that adds to what other texts of the same report contained.
  init(_ report: PhoneReport) { self.report = report }

  private static let mostSummaries = 16

  /// Reads a text to its end, or up to `CaptureLimits.textBytes`.
  mutating func read(_ input: inout InputBuffer) throws(CaptureFailure) {
    defer { keep() }
    var searched = 0
    while input.offset < CaptureLimits.textBytes {
      let lineEnd = input.bytes.dropping(searched).firstOffset(of: 0x0a).map { $0 + searched }
      if lineEnd == nil, input.count < CaptureLimits.lineBytes {
        searched = input.count
        if try input.fill(input.count + 1) { continue }
      }
      let length = lineEnd ?? input.count
      if length == 0, lineEnd == nil { return }
      var line = input.take(length)
      if line.byteCount > 0, line.byte(at: line.byteCount - 1) == 0x0d {
        line = line.part(Slice(start: 0, count: line.byteCount - 1))
      }
      read(line)
      if lineEnd != nil { _ = input.take(1) }
      searched = 0
    }
  }

  private mutating func read(_ line: RawSpan) {
    if isInside {
      if line.starts(with: "--- END:BTSNOOP_LOG_SUMMARY") {
        isInside = false
        keep()
      } else if line.starts(with: "--- BEGIN:BTSNOOP_LOG_SUMMARY") {
        keep()
      } else {
        append(line)
      }
    } else if line.starts(with: "--- BEGIN:BTSNOOP_LOG_SUMMARY") {
      isInside = true
    } else {
      report.read(line)
    }
  }

  /// Keeps the summary that was decoded, if any.
  private mutating func keep() {
    if !current.isEmpty, summaries.count < Self.mostSummaries {
      keptBytes += current.count
      summaries.append(current)
    }
    (current, bits, bitCount) = ([], 0, 0)
  }

  /// The number of bytes of all summaries.
  private var keptBytes = 0
  /// The summary that is being decoded.
  private var current: [UInt8] = []
  /// Decoded bits that do not yet form a whole byte.
  private var bits: UInt32 = 0
  private var bitCount = 0

  /// Decodes a line of base64 (RFC 4648, 4); counts any other line.
  private mutating func append(_ line: RawSpan) {
    var decoded: [UInt8] = []
    var (bits, bitCount, padding) = (bits, bitCount, 0)
    for offset in 0..<line.byteCount {
      let character = line.byte(at: offset)
      if character == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let value = Self.value(character) else {
        foreignLines += 1
        return
      }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    (self.bits, self.bitCount) = (bits, bitCount)
    if keptBytes + current.count < CaptureLimits.summaryBytes { current += decoded }
  }

  /// Returns the six bits of a base64 digit, or nil for other characters.
  private static func value(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
