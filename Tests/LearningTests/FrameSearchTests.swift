import Decoders
import Testing

@testable import Learning

struct FrameSearchTests {
  /// Returns what is wrong with what was learnt of frames; nil: it fits all of them.
  private func fault(
    _ made: MadeFrame, _ learnt: LearntFrame, _ frames: [[UInt8]]
  ) -> String? {
    guard let checksum = learnt.checksum else { return "no checksum" }
    guard checksum.width == made.algorithm.width, checksum.after == made.end.count else {
      return "checksum in another place: \(checksum)"
    }
    for frame in frames {
      guard checksum.matches(frame) else { return "wrong for \(frame)" }
      if let length = learnt.length, length.total(of: frame) != frame.count {
        return "wrong length"
      }
      guard frame.starts(with: learnt.start) else { return "wrong start" }
    }
    return nil
  }

  /// A definition that was learnt from 40 frames fits 200 others.
  @Test func randomDefinitionsComeBack() {
    var random = SeededGenerator(seed: 20_261_130)
    var lost: [String] = []
    let rounds = 60
    for _ in 0..<rounds {
      let made = MadeFrame.random(&random)
      let frames = (0..<40).map { _ in made.frame(&random) }
      let learnt = FrameSearch.learn(ObservedValue.series(frames))
      guard let kind = learnt.kinds.first else {
        lost.append("\(made): nothing")
        continue
      }
      if let fault = fault(made, kind, (0..<200).map { _ in made.frame(&random) }) {
        // Never wrong and certain; what cannot be known from 40 frames may be missing.
        #expect(kind.checksum?.confidence != .certain, "\(made): \(fault)")
        lost.append("\(made): \(fault)")
      } else if made.lengthWidth > 0, Set(frames.map(\.count)).count >= 3, kind.length == nil {
        lost.append("\(made): no length")
      }
    }
    #expect(lost.count * 10 <= rounds, "\(lost)")
  }

  /// The high byte of a number that counts blocks is not a command, although it is the same in 256
  /// frames after each other; nor is it if some frames are missing.
  @Test(arguments: [(1, 1500), (21, 5000)])
  func theHighByteOfACounterIsNoCommand(step: Int, blocks: Int) throws {
    var random = SeededGenerator(seed: 8)
    let frames = stride(from: 0, to: blocks, by: step).map { number -> [UInt8] in
      // The beginning of the data is constant for long.
      var frame = [UInt8(number & 0xff), UInt8(number >> 8), UInt8(number >> 8) &* 7, 0x11, 0x22]
      frame += random.bytes(8)
      let sum = ChecksumAlgorithm.crc16Modbus.compute(frame, 0..<frame.count)
      return frame + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
    }
    let kind = try #require(FrameSearch.learn(ObservedValue.series(frames)).kinds.first)
    #expect(kind.checksum?.confidence == .certain)
    #expect(CommandSearch.place(kind) != 1)
  }

  /// Frames that do not fit into a value, as over a link with an MTU of 23.
  @Test func framesInSeveralValuesAreJoined() throws {
    var random = SeededGenerator(seed: 5)
    let made = MadeFrame(
      start: [0xdd], commands: [(3, 20...30), (4, 6...8), (5, 2...2)], lengthWidth: 1,
      uncounted: 3 + 2 + 1, algorithm: .sum16Negated, isBigEndian: true, first: 2, end: [0x77])
    var values: [[UInt8]] = []
    for _ in 0..<40 {
      var rest = made.frame(&random)[...]
      while !rest.isEmpty {
        values.append(Array(rest.prefix(20)))
        rest = rest.dropFirst(20)
      }
    }
    let learnt = FrameSearch.learn(ObservedValue.series(values))
    let kind = try #require(learnt.kinds.first)
    #expect(kind.start == [0xdd])
    #expect(kind.frames.count == 40)
    #expect(kind.isJoined)
    #expect(kind.length?.at == 2)
    #expect(kind.length?.confidence == .certain)
    #expect(kind.checksum?.algorithm == .sum16Negated)
    #expect(kind.checksum?.confidence == .certain)
    #expect(kind.end == [0x77])
    #expect(learnt.rest.isEmpty)
  }

  @Test func paddingAfterFramesIsFound() throws {
    var random = SeededGenerator(seed: 6)
    let made = MadeFrame(
      start: [0xaa], commands: [(1, 3...3), (2, 5...5), (3, 8...8), (4, 11...11)], lengthWidth: 1,
      uncounted: 0, algorithm: .xor8, isBigEndian: true, first: 0, end: [])
    let values = (0..<60).map { _ -> [UInt8] in
      let frame = made.frame(&random)
      return frame + [UInt8](repeating: 0, count: 20 - frame.count)
    }
    let kind = try #require(FrameSearch.learn(ObservedValue.series(values)).kinds.first)
    #expect(kind.padding == 0)
    #expect(kind.length?.at == 2)
    #expect(kind.checksum?.algorithm == .xor8)
    #expect(kind.checksum?.after == 0)
  }

  @Test func damagedFramesAreExceptions() throws {
    var random = SeededGenerator(seed: 7)
    let made = MadeFrame(
      start: [0x55, 0xaa], commands: [(1, 6...9)], lengthWidth: 1, uncounted: 0,
      algorithm: .crc16Modbus, isBigEndian: false, first: 0, end: [])
    var values = (0..<60).map { _ in made.frame(&random) }
    values[10][5] ^= 0xff
    values[40][6] ^= 0x01
    let kind = try #require(FrameSearch.learn(ObservedValue.series(values)).kinds.first)
    #expect(kind.checksum?.algorithm == .crc16Modbus)
    #expect(kind.checksum?.evidence.exceptions == 2)
    #expect(kind.checksum?.confidence == .certain)
  }

  @Test func oneRepeatedValueIsTooFew() {
    let values = [[UInt8]](repeating: [1, 2, 3], count: 100) + [[1, 2, 4], [1, 2, 5]]
    let learnt = FrameSearch.learn(ObservedValue.series(values))
    #expect(learnt.kinds.isEmpty)
    #expect(learnt.remark == .tooFew(3))
    #expect(FrameSearch.learn([]).remark == .tooFew(0))
  }

  /// Values of one connection are encrypted, those of another are not.
  @Test func connectionsAreLearntAlone() {
    var random = SeededGenerator(seed: 8)
    let made = MadeFrame(
      start: [0xa5], commands: [(1, 4...9)], lengthWidth: 1, uncounted: 0, algorithm: .sum8,
      isBigEndian: true, first: 0, end: [])
    var values = (0..<300).map { place in
      ObservedValue(random.bytes(16), packet: place + 1, connection: 1)
    }
    values += (0..<30).map { place in
      ObservedValue(made.frame(&random), packet: place + 1000, connection: 2)
    }
    let learnt = FrameSearch.learn(values)
    #expect(learnt.kinds.first?.checksum?.algorithm == .sum8)
  }

  @Test func valuesOfAnyLengthAreSafe() {
    var random = SeededGenerator(seed: 9)
    for count in 0..<40 {
      let values = (0..<12).map { place in
        random.bytes(place % 3 == 0 ? 512 : Int.random(in: 0...count, using: &random))
      }
      _ = FrameSearch.learn(ObservedValue.series(values))
      _ = CommandSearch.columns(values)
    }
    // Lengths that lie: the longest number, and frames that are longer than everything.
    let liars = (0..<20).map { [0xaa, 0xff, 0xff, UInt8($0)] as [UInt8] }
    _ = FrameSearch.learn(ObservedValue.series(liars))
  }
}
