import Decoders

/// The parts of a frame that have a position of their own, to detect those that overlap.
struct FrameParts {
  private var parts: [(key: String, part: FrameLayout.Part, node: SourceNode)] = []

  /// Adds a part, if there is one.
  mutating func add(_ key: String, _ part: FrameLayout.Part?, _ node: SourceNode?) {
    guard let part, let node else { return }
    parts.append((key, part, node))
  }

  /// Fails if two parts share a byte, or one overlaps the bytes with which each frame begins.
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

  /// Returns the positions of a part's bytes; those counted from the end are below 0, unless all
  /// frames have the same size.
  private static func bytes(_ part: FrameLayout.Part, _ frame: FrameLayout) -> Range<Int> {
    var at = part.at
    if case .fixed(let size) = frame.ending, at < 0 { at += size }
    return at..<at + part.width
  }
}
