// What frames hold: the place of the command, and, for each command, which bytes are constant,
// count up, are text, or change.

import Glibc

/// What the byte at one place does in the frames of one command, or in the values of one
/// characteristic.
package enum ColumnKind: Sendable, Equatable {
  case constant(UInt8)
  /// It goes up by one from one to the next.
  case counter
  /// It is part of a text.
  case text
  case range(UInt8, UInt8)
}

/// One place.
package struct LearntColumn: Sendable, Equatable {
  package var kind: ColumnKind
  /// The number of different bytes there, and of values that have the place.
  package var different: Int
  package var count: Int
}

/// The frames with one command.
package struct LearntCommand: Sendable {
  /// Nil: all frames, since they have no command that is known.
  package var number: UInt8?
  package var frames: [FoundFrame]
  /// The shortest and the longest frame.
  package var sizes: ClosedRange<Int>
  /// What the bytes do that all of the frames have.
  package var columns: [LearntColumn]

  /// Describes values as if they were the frames of one command.
  package init(values: [[UInt8]]) {
    number = nil
    frames = values.enumerated().map {
      FoundFrame(bytes: $0.element, first: $0.offset, last: $0.offset)
    }
    sizes = (values.map(\.count).min() ?? 0)...(values.map(\.count).max() ?? 0)
    columns = CommandSearch.columns(values)
  }

  init(number: UInt8?, frames: [FoundFrame], sizes: ClosedRange<Int>, columns: [LearntColumn]) {
    (self.number, self.frames, self.sizes, self.columns) = (number, frames, sizes, columns)
  }
}

package enum CommandSearch {
  private static let lastPlace = 9
  private static let mostCommands = 64
  /// The bits that a command must explain.
  private static let leastGain = Evidence.likelyBits

  /// Returns the place of the command: the byte that best predicts how long a frame is and which of
  /// its bytes are constant; nil if none does.
  package static func place(_ frame: LearntFrame) -> Int? {
    let frames = FrameSearch.differing(frame.frames)
    guard frames.count >= 6 else { return nil }
    var gains: [(gain: Double, place: Int)] = []
    // A command comes early: what is further away only happens to agree.
    let end = max(frame.start.count, frame.length.map { $0.at + $0.width } ?? 0)
    for place in frame.start.count...min(lastPlace, end + 2) where isFree(place, frame) {
      guard place < frame.sizes.lowerBound - frame.tail else { break }
      // A second length is not a command.
      let rest = frames[0].count - Int(frames[0][place])
      if frames.allSatisfy({ $0.count - Int($0[place]) == rest }) { continue }
      if isCarry(place, frame) { continue }
      var groups: [UInt8: [[UInt8]]] = [:]
      for bytes in frames { groups[bytes[place], default: []].append(bytes) }
      guard groups.count >= 2, groups.count <= mostCommands, groups.count * 2 <= frames.count
      else { continue }
      // Each group costs its number and the length it may have.
      var gain = -16.0 * Double(groups.count)
      gain += lengthBits(frames) - groups.values.reduce(0) { $0 + lengthBits($1) }
      gain += constantBits(frames, place, frame) * -1
      gain += groups.values.reduce(0) { $0 + constantBits($1, place, frame) }
      gains.append((gain, place))
    }
    // A number that is measured splits frames into more groups than the command before it.
    let most = gains.map(\.gain).max() ?? 0
    return gains.first { $0.gain >= leastGain && $0.gain >= 0.4 * most }?.place
  }

  /// Returns whether a place belongs neither to the start nor to the length.
  package static func isFree(_ place: Int, _ frame: LearntFrame) -> Bool {
    if place < frame.start.count { return false }
    guard let length = frame.length else { return true }
    return place < length.at || place >= length.at + length.width
  }

  /// Returns whether a byte counts how often the one beside it has overflowed: both are one number,
  /// such as that of a block of firmware.
  private static func isCarry(_ place: Int, _ frame: LearntFrame) -> Bool {
    for low in [place - 1, place + 1] where isFree(low, frame) {
      var (changes, carries) = (0, 0)
      var last: (high: UInt8, low: UInt8)?
      for found in frame.frames where max(place, low) < found.bytes.count {
        let next = (high: found.bytes[place], low: found.bytes[low])
        if let last, last.high != next.high {
          changes += 1
          // Frames between may be missing, such as those that the sample leaves out.
          if last.high &+ 1 == next.high, last.low >= 0xc0, next.low < 0x40 { carries += 1 }
        }
        last = next
      }
      if carries >= 2, carries * 3 >= changes * 2 { return true }
    }
    return false
  }

  private static func lengthBits(_ frames: [[UInt8]]) -> Double {
    var counts: [Int: Int] = [:]
    for frame in frames { counts[frame.count, default: 0] += 1 }
    return counts.values.reduce(0) { sum, count in
      sum - Double(count) * log2(Double(count) / Double(frames.count))
    }
  }

  /// Returns the bits that constant bytes save.
  private static func constantBits(
    _ frames: [[UInt8]], _ place: Int, _ frame: LearntFrame
  ) -> Double {
    guard frames.count > 1 else { return 0 }
    let end = min(32, (frames.map(\.count).min() ?? 0) - frame.tail)
    var bits = 0.0
    for other in 0..<max(0, end) where other != place && isFree(other, frame) {
      let first = frames[0][other]
      if frames.allSatisfy({ $0[other] == first }) { bits += 2 * Double(frames.count - 1) }
    }
    return bits
  }

  /// Returns the commands at a place, in their order.
  package static func commands(_ frame: LearntFrame, at place: Int?) -> [LearntCommand] {
    var groups: [Int: [FoundFrame]] = [:]
    for found in frame.frames {
      let key = place.flatMap { $0 < found.bytes.count ? Int(found.bytes[$0]) : nil } ?? -1
      groups[key, default: []].append(found)
    }
    return groups.sorted { $0.key < $1.key }.map { key, frames in
      let sizes = frames.map(\.bytes.count)
      return LearntCommand(
        number: key < 0 ? nil : UInt8(key), frames: frames,
        sizes: (sizes.min() ?? 0)...(sizes.max() ?? 0), columns: columns(frames.map(\.bytes)))
    }
  }

  /// Returns what the bytes do that all of some values have.
  package static func columns(_ values: [[UInt8]]) -> [LearntColumn] {
    columns(values, upTo: values.map(\.count).min() ?? 0)
  }

  /// Returns what the bytes do in those values that have them.
  package static func raggedColumns(_ values: [[UInt8]], most: Int) -> [LearntColumn] {
    columns(values, upTo: min(most, values.map(\.count).max() ?? 0))
  }

  private static func columns(_ values: [[UInt8]], upTo count: Int) -> [LearntColumn] {
    var columns: [LearntColumn] = []
    for place in 0..<count {
      let bytes = values.compactMap { $0.count > place ? $0[place] : nil }
      let different = Set(bytes).count
      var kind = ColumnKind.range(bytes.min() ?? 0, bytes.max() ?? 0)
      if different == 1 {
        kind = .constant(bytes[0])
      } else if different >= 4 {
        let steps = zip(bytes, bytes.dropFirst()).filter { $0 != $1 }
        let up = steps.count { $0 &+ 1 == $1 }
        if up * 10 >= steps.count * 8 { kind = .counter }
      }
      columns.append(LearntColumn(kind: kind, different: different, count: bytes.count))
    }
    markText(&columns, values)
    return columns
  }

  /// Marks runs of at least four bytes that are letters in all values.
  private static func markText(_ columns: inout [LearntColumn], _ values: [[UInt8]]) {
    var start = 0
    while start < columns.count {
      var end = start
      while end < columns.count,
        values.allSatisfy({ $0.count <= end || $0[end] >= 0x20 && $0[end] < 0x7f })
      {
        end += 1
      }
      // Some are letters: numbers may be in the same range by chance.
      let letters = (start..<end).count { place in
        values.allSatisfy {
          $0.count <= place || $0[place] | 0x20 >= 0x61 && $0[place] | 0x20 <= 0x7a
        }
      }
      if end - start >= 5, letters * 2 >= end - start {
        for place in start..<end { columns[place].kind = .text }
      }
      start = max(end, start + 1)
    }
  }
}
