// The checksum of learnt frames.

import Bytes
package import Decoders

extension ChecksumAlgorithm {
  /// Whether it has numbers that were fitted to the frames: the language has no name for it.
  var isFree: Bool { number == nil }

  /// Returns the checksum of the bytes in a range.
  package func compute(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    compute(bytes.bytes.part(Slice(start: range.lowerBound, count: range.count)))
  }

  /// Whether its initial value and final exclusive or are both 0 or all ones.
  var isPlain: Bool {
    (initial == 0 || initial == mask) && (inverted == 0 || inverted == mask)
  }
}

/// The checksum of a frame.
package struct LearntChecksum: Sendable, Equatable {
  package var algorithm: ChecksumAlgorithm
  /// The number of bytes after it.
  package var after: Int
  package var isBigEndian: Bool
  /// The first byte that it covers. It covers everything from there up to itself.
  package var first: Int
  package var evidence: Evidence
  package var confidence: Confidence

  package var width: Int { algorithm.width }

  /// Returns where it begins in a frame; nil if the frame is too short to have one.
  package func place(in frame: [UInt8]) -> Int? {
    let place = frame.count - after - width
    return place > first ? place : nil
  }

  /// Returns whether a frame has it.
  package func matches(_ frame: [UInt8]) -> Bool {
    guard let place = place(in: frame) else { return false }
    return algorithm.compute(frame, first..<place) == found(in: frame, at: place)
  }

  /// Returns the number in the place of the checksum.
  func found(in frame: [UInt8], at place: Int) -> UInt32 {
    frame.number(at: place, width: width, isBigEndian: isBigEndian)
  }
}
