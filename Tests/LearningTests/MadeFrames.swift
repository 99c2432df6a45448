import Decoders
@testable import Learning

/// SplitMix64: the same numbers on every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }
}

/// A definition of frames: start, command, length, payload, checksum, end.
struct MadeFrame: CustomStringConvertible {
  var start: [UInt8]
  /// The commands, with the least and the most bytes of their payload.
  var commands: [(number: UInt8, sizes: ClosedRange<Int>)]
  /// 0: no length; 1: `u8`; 2: `u16`, big endian.
  var lengthWidth: Int
  /// What is subtracted from the frame's length.
  var uncounted: Int
  var algorithm: ChecksumAlgorithm
  var isBigEndian: Bool
  /// The first byte that the checksum covers.
  var first: Int
  var end: [UInt8]

  var description: String {
    "start \(start), commands \(commands), length \(lengthWidth) without \(uncounted), "
      + "\(algorithm.name) \(isBigEndian ? "big" : "little") from \(first), end \(end)"
  }

  var lengthPlace: Int { start.count + 1 }
  var payloadPlace: Int { lengthPlace + lengthWidth }
  var tail: Int { algorithm.width + end.count }

  /// Returns a frame with a payload.
  func frame(_ command: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var bytes = start + [command]
    let total = payloadPlace + payload.count + tail
    let length = total - uncounted
    if lengthWidth == 1 { bytes.append(UInt8(truncatingIfNeeded: length)) }
    if lengthWidth == 2 { bytes += [UInt8(length >> 8), UInt8(truncatingIfNeeded: length)] }
    bytes += payload
    let sum = algorithm.compute(bytes, first..<bytes.count)
    let order = 0..<algorithm.width
    for index in isBigEndian ? Array(order.reversed()) : Array(order) {
      bytes.append(UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)))
    }
    return bytes + end
  }

  /// Returns a frame with a random payload.
  func frame(_ random: inout SeededGenerator) -> [UInt8] {
    let command = commands.randomElement(using: &random) ?? commands[0]
    let size = Int.random(in: command.sizes, using: &random)
    return frame(command.number, random.bytes(size))
  }

  /// Returns a random definition.
  static func random(_ random: inout SeededGenerator) -> MadeFrame {
    var commands: [(UInt8, ClosedRange<Int>)] = []
    for number in 0..<Int.random(in: 2...6, using: &random) {
      let least = Int.random(in: 2...8, using: &random)
      let most = Bool.random(using: &random) ? least : least + Int.random(in: 1...9, using: &random)
      commands.append((UInt8(16 + 7 * number), least...most))
    }
    let starts: [[UInt8]] = [[0xa5], [0x55, 0xaa], [0x7e, 0xa1, 0x01], [0xdd]]
    var made = MadeFrame(
      start: starts.randomElement(using: &random) ?? [], commands: commands,
      lengthWidth: Int.random(in: 0...2, using: &random), uncounted: 0, algorithm: .sum8,
      isBigEndian: Bool.random(using: &random), first: 0,
      end: Bool.random(using: &random) ? [] : [0x77])
    made.algorithm = algorithm(&random)
    made.first = Int.random(in: 0...made.start.count, using: &random)
    made.uncounted =
      [0, made.payloadPlace, made.payloadPlace + made.tail].randomElement(using: &random) ?? 0
    return made
  }

  private static func algorithm(_ random: inout SeededGenerator) -> ChecksumAlgorithm {
    let named = ChecksumAlgorithm.named.randomElement(using: &random)?.algorithm ?? .sum8
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      var crc = ChecksumAlgorithm(.crc, width: Int.random(in: 1...2, using: &random))
      crc.polynomial = (UInt32(truncatingIfNeeded: random.next()) | 1) & crc.mask
      let isReflected = Bool.random(using: &random)
      (crc.reflectsInput, crc.reflectsOutput) = (isReflected, isReflected)
      crc.initial = UInt32(truncatingIfNeeded: random.next()) & crc.mask
      crc.inverted = Bool.random(using: &random) ? crc.mask : 0
      return crc
    case 1:
      var sum = ChecksumAlgorithm.sum8
      sum.added = UInt32(random.byte())
      return sum
    default: return named
    }
  }
}

extension ObservedValue {
  /// Returns values that came one after the other.
  static func series(_ values: [[UInt8]]) -> [ObservedValue] {
    values.enumerated().map { place, bytes in
      ObservedValue(bytes, time: Int64(place) * 100_000_000, packet: place + 1)
    }
  }
}
