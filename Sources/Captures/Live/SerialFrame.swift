import Bluetooth
import Bytes

/// The header of a record on a serial line (BlueZ, monitor/tty.h; Zephyr,
/// subsys/bluetooth/host/monitor.h):
///
/// | offset | size | field |
/// | ---: | ---: | --- |
/// | 0 | 2 | number of bytes after this field |
/// | 2 | 2 | monitor opcode |
/// | 4 | 1 | flags, 0 |
/// | 5 | 1 | number of bytes of extensions |
/// | 6 | | extensions, type (1 byte) and value: 1 to 7 lost records (1 byte), 8 time (4) |
///
/// Numbers are little-endian. The time counts tenths of a millisecond from an unknown moment.
struct SerialFrame: Equatable, Sendable {
  /// The number of bytes before the extensions.
  static let headerBytes = 6
  /// The size of the first field, which does not count itself.
  static let lengthBytes = 2
  /// The length beyond which a frame is checked before its end is awaited.
  static let believedBytes = 1024
  /// Zephyr's opcode for a frame that has only extensions.
  static let nothing: UInt16 = 0xff

  /// The number of bytes in the whole frame.
  let byteCount: Int
  let opcode: UInt16
  /// The offset of the record's own bytes.
  let bodyStart: Int

  /// Reads the fixed part of a frame; returns nil if it cannot be one.
  init?(_ bytes: RawSpan) {
    guard bytes.byteCount >= Self.headerBytes else { return nil }
    byteCount = Int(bytes.littleEndianU16(at: 0)) + Self.lengthBytes
    opcode = bytes.littleEndianU16(at: 2)
    bodyStart = Self.headerBytes + Int(bytes.byte(at: 5))
    guard opcode <= Self.nothing, bytes.byte(at: 4) == 0, byteCount >= bodyStart else {
      return nil
    }
  }

  /// The number of bytes that `agrees` examines.
  var neededToAgree: Int { min(byteCount, bodyStart + 4) }

  /// Returns whether the length in the packet's own header matches the frame's, which makes this
  /// certainly a frame. A record that is not a packet cannot be checked and is accepted if it is
  /// short.
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

  /// Returns the frame's extensions, or nil if they are malformed.
  func extensions(_ bytes: RawSpan) -> SerialExtensions? {
    SerialExtensions(
      bytes.part(Slice(start: Self.headerBytes, count: bodyStart - Self.headerBytes)))
  }
}

/// The contents of a frame's extensions.
struct SerialExtensions: Equatable, Sendable {
  /// The number of records lost before this one, by type from 1 to 7.
  private(set) var drops: [7 of UInt8] = .init(repeating: 0)
  /// The time in tenths of a millisecond.
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
  /// The number of lost records of all types.
  var dropCount: Int { drops.indices.reduce(0) { $0 + Int(drops[$1]) } }
}

/// The number of records that a device lost for lack of room, by kind.
struct SerialDrops: Sendable {
  private var counts: [7 of Int] = .init(repeating: 0)
  /// Whether a counter was at its maximum, so that more may have been lost.
  private var hasMore = false

  mutating func add(_ extensions: SerialExtensions) {
    for place in counts.indices {
      counts[place].add(clamped: Int(extensions.drops[place]))
      if extensions.drops[place] == .max { hasMore = true }
    }
  }

  /// "the device lost 3 commands and 12 events"; nil if it lost nothing.
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

/// A conversion of a device's 32-bit clock, in tenths of a millisecond, to the host's time. The
/// first record gets its time of arrival; the others follow at the intervals of the device's clock.
struct SerialClock: Sendable {
  /// The time at which the device's count was 0, and its last count extended to 64 bits.
  private var origin: Timestamp?
  private var last: Int64 = 0
  /// When that count arrived, in nanoseconds of a clock that never goes back.
  private var moment: Int64 = 0

  private static let nanosecondsPerTick: Int64 = 100_000
  /// A device's records may be slightly out of order; if its clock goes back further, it restarted.
  private static let mostBack: Int64 = 100_000

  /// Returns the time of a record.
  ///
  /// - Parameters:
  ///   - now: The host's clock.
  ///   - moment: Nanoseconds of a clock that never goes back.
  mutating func time(_ ticks: UInt32, now: Timestamp, moment: Int64) -> Timestamp {
    defer { self.moment = moment }
    guard let origin else { return begin(ticks, now) }
    // The count nearest to the last one or, after days of silence, to the expected one.
    var step = Int64(Int32(bitPattern: ticks &- UInt32(truncatingIfNeeded: last)))
    let passed = (moment - self.moment) / Self.nanosecondsPerTick
    let half: Int64 = 1 << 31
    // Bounded: `passed` comes from the host's own clock.
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
