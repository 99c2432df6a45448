import Decoders

/// The parts of a frame that have a place of their own, to find those that lie in one another.
struct FrameParts {
  private var parts: [(key: String, part: FrameLayout.Part, node: SourceNode)] = []

  /// Takes a part in, where there is one.
  mutating func add(_ key: String, _ part: FrameLayout.Part?, _ node: SourceNode?) {
    guard let part, let node else { return }
    parts.append((key, part, node))
  }

  /// Fails where two parts have a byte in common, or one lies in the bytes that each frame begins with.
  func check(_ frame: FrameLayout) throws(ProfileError) {
    for (place, (key, part, node)) in parts.enumerated() {
      let bytes = Self.bytes(part, frame)
      let start = bytes.first { frame.start.indices.contains($0) && frame.start[$0] != nil }
      if let start {
        throw node.error("byte \(start) of the frame is one that it begins with, by `start`")
      }
      for other in parts[..<place] {
        let others = Self.bytes(other.part, frame)
        guard bytes.overlaps(others) else { continue }
        throw node.error(
          "byte \(max(bytes.lowerBound, others.lowerBound)) of the frame is in `\(key)` and in `\(other.key)` of line \(other.node.line)"
        )
      }
    }
  }

  /// The places of a part's bytes; those from the end are below 0, unless all frames have one size.
  private static func bytes(_ part: FrameLayout.Part, _ frame: FrameLayout) -> Range<Int> {
    var at = part.at
    if case .fixed(let size) = frame.ending, at < 0 { at += size }
    return at..<at + part.width
  }
}
