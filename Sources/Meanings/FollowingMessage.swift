import Bytes
package import Decoders

/// A message after the first one in a value.
package struct FollowingMessage: Sendable {
  package let sighting: VendorSighting
  package private(set) var decoded = Decoded()
  /// The words, ending with those for problems.
  package let line: [UInt8]
  private let textEnd: Int

  /// Decodes a message.
  init(_ sighting: VendorSighting, _ value: RawSpan, showsKeys: Bool) {
    self.sighting = sighting
    var words = Output()
    if let frame = sighting.frame, let message = sighting.message {
      var decoder = ValueDecoder()
      sighting.decode(frame, message, value, [], with: &decoder, into: &decoded)
      let whole = sighting.bytes ?? value.array
      textEnd =
        DecodedWriter(decoded, isJSON: false, showsKeys: showsKeys)?
        .line(whole.bytes, into: &words) ?? 0
    } else {
      sighting.writePart(into: &words)
      textEnd = words.count
    }
    sighting.writeRemarks(into: &words)
    line = words.bytes.array
  }

  func writeJSON(_ value: RawSpan, showsKeys: Bool, into output: inout Output) {
    let whole = sighting.bytes ?? value.array
    sighting.writeHead(decoded, whole.bytes, showsKeys: showsKeys, into: &output)
    output.text(",\"text\":")
    output.jsonString(line.bytes.part(Slice(start: 0, count: textEnd)))
    sighting.writeProblems(decoded, whole.bytes, showsKeys: showsKeys, into: &output)
    output.byte(0x7d)
  }
}
