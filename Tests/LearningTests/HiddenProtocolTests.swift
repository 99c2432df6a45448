import Decoders
import Testing

@testable import Learning

/// Protocols that are built in or made up come back from their frames alone.
struct HiddenProtocolTests {
  /// Returns a frame of a layout with random contents.
  private func frame(_ layout: FrameLayout, _ random: inout SeededGenerator) -> [UInt8] {
    let tail = -min(0, layout.payloadEnd)
    var total = layout.payloadFirst + Int.random(in: 3...14, using: &random) + tail
    if case .fixed(let size) = layout.ending { total = size }
    var bytes = random.bytes(total)
    func put(_ number: Int, _ part: FrameLayout.Part) {
      let place = part.at < 0 ? total + part.at : part.at
      for index in 0..<part.width {
        let shift = 8 * (part.isBigEndian ? part.width - 1 - index : index)
        bytes[place + index] = UInt8(truncatingIfNeeded: number >> shift)
      }
    }
    for (place, byte) in layout.start.enumerated() {
      if let byte { bytes[place] = byte }
    }
    bytes.replaceSubrange(total - layout.tail.count..<total, with: layout.tail)
    for part in layout.command { put(Int.random(in: 1...5, using: &random), part) }
    if case .length(let part, let counted, let add) = layout.ending {
      let rest =
        switch counted {
        case .frame: 0
        case .after: part.at + part.width
        case .payload: layout.payloadFirst + tail
        }
      put(total - add - rest, part)
    }
    if let checksum = layout.checksum {
      let end = checksum.end > 0 ? checksum.end : total + checksum.end
      put(Int(checksum.algorithm.compute(bytes, checksum.first..<end)), checksum.part)
    }
    return bytes
  }

  /// Whether a layout has what is looked for: a checksum near the end of what it covers.
  private func isLearnable(_ layout: FrameLayout) -> Bool {
    guard let checksum = layout.checksum, layout.chunk == nil, checksum.part.at < 0,
      checksum.part.at == checksum.end, checksum.first <= ChecksumSearch.lastFirst,
      -checksum.part.at - checksum.part.width <= ChecksumSearch.mostAfter
    else { return false }
    if case .delimiter = layout.ending { return false }
    return true
  }

  @Test func builtInProtocolsComeBack() throws {
    var random = SeededGenerator(seed: 12)
    var tried = 0
    for vendor in BuiltInProfiles.vendors {
      for layout in vendor.frames where isLearnable(layout) {
        tried += 1
        let frames = (0..<60).map { _ in frame(layout, &random) }
        let learnt = FrameSearch.learn(ObservedValue.series(frames))
        let kind = try #require(learnt.kinds.first, "\(vendor.profile)")
        let checksum = try #require(kind.checksum, "\(vendor.profile)")
        #expect(checksum.confidence == .certain, "\(vendor.profile)")
        for _ in 0..<100 {
          let other = frame(layout, &random)
          #expect(checksum.matches(other), "\(vendor.profile)")
          if let length = kind.length { #expect(length.total(of: other) == other.count) }
        }
        if case .length = layout.ending { #expect(kind.length != nil, "\(vendor.profile)") }
      }
    }
    #expect(tried >= 1)
  }

  /// A made-up protocol: the layouts of its requests and answers, and what an answer repeats.
  struct Made {
    var request: MadeFrame
    var answer: MadeFrame
    var rule: AnswerRule
    var hasSequence = false
  }

  private static func made(
    _ start: [UInt8], _ algorithm: ChecksumAlgorithm, first: Int, end: [UInt8] = [],
    commands: [UInt8], lengthWidth: Int = 1
  ) -> MadeFrame {
    MadeFrame(
      start: start, commands: commands.enumerated().map { ($0.element, 4 + $0.offset...9) },
      lengthWidth: lengthWidth, uncounted: 0, algorithm: algorithm, isBigEndian: true, first: first,
      end: end)
  }

  @Test(arguments: 0..<4) func madeProtocolsComeBack(_ number: Int) throws {
    var free = ChecksumAlgorithm(.crc, width: 2)
    (free.polynomial, free.initial) = (0x8bb7, 0x1d0f)
    let commands: [UInt8] = [1, 2, 5, 9]
    let made = [
      Made(
        request: Self.made([0xdd, 0xa5], .sum16Negated, first: 2, end: [0x77], commands: commands),
        answer: Self.made([0xdd], .sum16Negated, first: 1, end: [0x77], commands: commands),
        rule: .same),
      Made(
        request: Self.made([0xa5], .xor8, first: 0, commands: commands),
        answer: Self.made([0xa5], .xor8, first: 0, commands: commands.map { $0 | 0x80 }),
        rule: .highBit),
      Made(
        request: Self.made([0x7e, 0xa1], free, first: 0, commands: commands, lengthWidth: 2),
        answer: Self.made([0x7e, 0xa2], free, first: 0, commands: commands.map { $0 + 16 }),
        rule: .plus(16)),
      Made(
        request: Self.made([0x3a], .crc8Maxim, first: 1, commands: commands),
        answer: Self.made([0x3b], .crc8Maxim, first: 1, commands: commands), rule: .same,
        hasSequence: true),
    ][number]
    var random = SeededGenerator(seed: UInt64(100 + number))
    var requests = ValueSample()
    var answers = ValueSample()
    for place in 0..<60 {
      let command = commands.randomElement(using: &random) ?? 1
      let sequence: [UInt8] = made.hasSequence ? [UInt8(place)] : []
      let payload = random.bytes(Int.random(in: 4...9, using: &random))
      let other = random.bytes(Int.random(in: 4...9, using: &random))
      let time = Int64(place) * 500_000_000
      _ = requests.add(
        ObservedValue(
          made.request.frame(command, sequence + payload), time: time, packet: 10 * place + 1))
      _ = answers.add(
        ObservedValue(
          made.answer.frame(made.rule.apply(command), sequence + other), time: time + 30_000_000,
          packet: 10 * place + 4))
    }
    let gadget = Gadget([
      ChannelValues(
        service: nil, characteristic: nil, handle: 3, flow: .written, sample: requests),
      ChannelValues(
        service: nil, characteristic: nil, handle: 5, flow: .pushed, sample: answers),
    ])
    for (channel, made) in zip(gadget.channels, [made.request, made.answer]) {
      let kind = try #require(channel.kinds.first)
      #expect(kind.frame.start == made.start)
      #expect(kind.frame.checksum?.algorithm == made.algorithm)
      #expect(kind.frame.checksum?.confidence == .certain)
      #expect(kind.frame.length?.at == made.lengthPlace + made.lengthWidth - 1)
      #expect(kind.frame.end == made.end)
      #expect(kind.command == made.start.count)
      #expect(kind.commandConfidence == .certain)
    }
    let exchange = try #require(gadget.mainLink?.exchange)
    #expect(exchange.answered == 60)
    #expect(exchange.latency == 30_000_000)
    #expect(exchange.command?.rule == made.rule)
    #expect((exchange.sequence != nil) == made.hasSequence)
  }

  @Test func shownNumbersAreFound() {
    let frames: [Int: [UInt8]] = [
      10: [0xa5, 0x01, 0x0c, 0xf0, 0x00], 20: [0xa5, 0x01, 0x0c, 0xef, 0x17],
    ]
    let shown = [
      ShownNumber(packet: 10, number: 3.312, decimals: 3, name: "cell"),
      ShownNumber(packet: 20, number: 3.311, decimals: 3, name: "cell"),
    ]
    let found = ShownSearch.find(shown) { frames[$0] }
    #expect(
      found.places == [
        NumberPlace(at: 2, type: .u16, isBigEndian: true, multiply: 1, divide: 1000)
      ])
    let lost = ShownSearch.find([ShownNumber(packet: 7, number: 1, decimals: 0, name: "")]) {
      frames[$0]
    }
    #expect(lost.missing == 1)
    #expect(lost.places.isEmpty)
  }

  @Test func samplesAreEvenAndKeepRuns() {
    var sample = ValueSample()
    for place in 0..<1_000_000 {
      _ = sample.add(ObservedValue([UInt8(place & 0xff)], packet: place))
    }
    #expect(sample.seen == 1_000_000)
    #expect(sample.values.count < 4000)
    let chosen = sample.chosen()
    #expect(chosen.count <= ValueSample.mostValues && chosen.count >= 1500)
    #expect(chosen.last.map { $0.packet > 900_000 } == true)
    let steps = zip(chosen, chosen.dropFirst()).count { $1.packet == $0.packet + 1 }
    #expect(steps * 10 >= chosen.count * 9)
  }
}
