import Bluetooth
import Bytes

/// The header of a record on a serial line (BlueZ, monitor/tty.h; Zephyr, subsys/bluetooth/host/monitor.h):
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 2 | bytes that follow this field |
/// | 2 | 2 | the monitor's opcode |
/// | 4 | 1 | flags, 0 |
/// | 5 | 1 | bytes of the extensions |
/// | 6 | | extensions: type (1 byte) and value: 1 to 7 records that were lost (1 byte), 8 the time (4) |
///
/// Numbers are little-endian. The time counts tenths of a millisecond, from when nobody knows.
struct SerialFrame: Equatable, Sendable {
  /// Bytes before the extensions.
  static let headerBytes = 6
  /// Bytes of the first field, which it does not count.
  static let lengthBytes = 2
  /// Frames that are longer are looked at twice before they are waited for.
  static let believedBytes = 1024
  /// Zephyr's opcode for a frame that says nothing but its extensions.
  static let nothing: UInt16 = 0xff

  /// All bytes of the frame.
  let byteCount: Int
  let opcode: UInt16
  /// Where the record's own bytes begin.
  let bodyStart: Int

  /// A frame's fixed part; nil where it cannot be one.
  init?(_ bytes: RawSpan) {
    guard bytes.byteCount >= Self.headerBytes else { return nil }
    byteCount = Int(bytes.littleEndianU16(at: 0)) + Self.lengthBytes
    opcode = bytes.littleEndianU16(at: 2)
    bodyStart = Self.headerBytes + Int(bytes.byte(at: 5))
    guard opcode <= Self.nothing, bytes.byte(at: 4) == 0, byteCount >= bodyStart else {
      return nil
    }
  }

  /// How many bytes `agrees` looks at.
  var neededToAgree: Int { min(byteCount, bodyStart + 4) }

  /// Whether the length that a packet's own header tells is the frame's, so that this is a frame beyond
  /// doubt. Of what is no packet nobody can say: it is one where it is short.
  func agrees(_ bytes: RawSpan) -> Bool {
    let count = byteCount - bodyStart
    func byte(_ offset: Int) -> Int { Int(bytes.byte(at: bodyStart + offset)) }
    switch MonitorOpcode(rawValue: opcode) {
    case .command: return count >= 3 && count == 3 + byte(2)
    case .event: return count >= 2 && count == 2 + byte(1)
    case .aclSent, .aclReceived:
      return count >= 4 && count == 4 + byte(2) + byte(3) << 8
    case .scoSent, .scoReceived: return count >= 3 && count == 3 + byte(2)
    case .isoSent, .isoReceived:
      return count >= 4 && count == 4 + byte(2) + (byte(3) & 0x3f) << 8
    case nil: return opcode == Self.nothing && count == 0
    default: return count <= Self.believedBytes
    }
  }

  /// What the extensions say; nil where they are none.
  func extensions(_ bytes: RawSpan) -> SerialExtensions? {
    SerialExtensions(
      bytes.part(Slice(start: Self.headerBytes, count: bodyStart - Self.headerBytes)))
  }
}

/// What the extensions of a frame say.
struct SerialExtensions: Equatable, Sendable {
  /// How many records were lost before this one, by type: 1 to 7.
  private(set) var drops: [7 of UInt8] = .init(repeating: 0)
  /// Tenths of a millisecond.
  private(set) var ticks: UInt32?

  static func == (left: Self, right: Self) -> Bool {
    left.ticks == right.ticks && left.drops.indices.allSatisfy { left.drops[$0] == right.drops[$0] }
  }

  init?(_ bytes: RawSpan) {
    var cursor = Cursor(bytes)
    do throws(ParseError) {
      while !cursor.isAtEnd {
        switch try cursor.u8() {
        case let type where 1...7 ~= type:
          let place = Int(type) - 1
          drops[place] = UInt8(clamping: Int(drops[place]) + Int(try cursor.u8()))
        case 8: ticks = try cursor.u32()
        default: return nil
        }
      }
    } catch {
      return nil
    }
  }

  // Bounded: seven bytes.
  /// How many records were lost of all types.
  var dropCount: Int { drops.indices.reduce(0) { $0 + Int(drops[$1]) } }
}

/// What a device lost for want of room, by kind.
struct SerialDrops: Sendable {
  private var counts: [7 of Int] = .init(repeating: 0)
  /// Whether a counter was at its end, so that it may have been more.
  private var hasMore = false

  mutating func add(_ extensions: SerialExtensions) {
    for place in counts.indices {
      counts[place].add(clamped: Int(extensions.drops[place]))
      if extensions.drops[place] == .max { hasMore = true }
    }
  }

  /// "the device lost 3 commands and 12 events"; nil where it lost nothing.
  var remark: String? {
    let kinds = [
      ("command", "commands"), ("event", "events"), ("ACL packet sent", "ACL packets sent"),
      ("ACL packet received", "ACL packets received"), ("SCO packet sent", "SCO packets sent"),
      ("SCO packet received", "SCO packets received"), ("other record", "other records"),
    ]
    let lost = counts.indices.filter { counts[$0] > 0 }.map { place in
      "\(counts[place]) \(counts[place] == 1 ? kinds[place].0 : kinds[place].1)"
    }
    guard let last = lost.last else { return nil }
    let list = lost.count == 1 ? last : lost.dropLast().joined(separator: ", ") + " and " + last
    return "the device lost \(hasMore ? "at least " : "")\(list) before they could be sent"
  }
}

/// A device's clock of 32 bits, in tenths of a millisecond, put beside this machine's: the first
/// record's time is that of its arrival, the others' are so much later as the device says.
struct SerialClock: Sendable {
  /// When the device's count was 0, and its last count without an end.
  private var origin: Timestamp?
  private var last: Int64 = 0
  /// When that arrived, by a clock that never goes back.
  private var moment: Int64 = 0

  private static let nanosecondsPerTick: Int64 = 100_000
  /// Records of a device may come a little out of order; a clock that goes back further began anew.
  private static let mostBack: Int64 = 100_000

  /// The time of a record.
  ///
  /// - Parameters:
  ///   - now: this machine's clock.
  ///   - moment: nanoseconds of a clock that never goes back.
  mutating func time(_ ticks: UInt32, now: Timestamp, moment: Int64) -> Timestamp {
    defer { self.moment = moment }
    guard let origin else { return begin(ticks, now) }
    // The count that is nearest to the last one, or, after a silence of days, to what it should be.
    var step = Int64(Int32(bitPattern: ticks &- UInt32(truncatingIfNeeded: last)))
    let passed = (moment - self.moment) / Self.nanosecondsPerTick
    let half: Int64 = 1 << 31
    // Bounded: `passed` is this machine's own clock.
    if passed - step > half { step += (passed - step + half) / (2 * half) * (2 * half) }
    guard step >= -Self.mostBack else { return begin(ticks, now) }
    last += step
    return origin.advanced(nanoseconds: last * Self.nanosecondsPerTick)
  }

  private mutating func begin(_ ticks: UInt32, _ now: Timestamp) -> Timestamp {
    last = Int64(ticks)
    origin = now.advanced(nanoseconds: -last * Self.nanosecondsPerTick)
    return now
  }
}
