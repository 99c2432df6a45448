import Bluetooth
import Bytes

/// The contents of an Interface Description Block (pcapng, 4.2).
///
/// | offset in the block | size | field |
/// | ---: | ---: | --- |
/// | 8 | 2 | link type |
/// | 10 | 2 | reserved |
/// | 12 | 4 | snapshot length, 0 for none |
/// | 16 | | options |
struct PcapngInterface: Sendable {
  let linkType: LinkType
  let snapshotLength: UInt32
  /// The resolution of timestamps.
  let resolution: Resolution
  /// The number of seconds added to every time (`if_tsoffset`).
  let offset: Int64
  /// The number of the controller or sniffer.
  var adapter: AdapterIndex = 0
  /// What its packets are if they are left out.
  var foreign: ForeignPackets?
  /// Whether `adapter` and `foreign` are final; for packets from sniffers and unreadable ones, the
  /// first one is awaited.
  var isDecided: Bool
  /// The index in the summary's `leftOut`, once a packet was left out.
  var leftOut: Int?

  /// The length of a block without options, in bytes.
  static let leastBytes = 20
  /// `if_tsresol`, 1 byte.
  static let resolutionOption: UInt16 = 9
  /// `if_tsoffset`, 8 bytes.
  private static let offsetOption: UInt16 = 14

  /// The resolution of a clock (`if_tsresol`): bit 7 gives the base, 10 or 2; the other bits are
  /// the negated exponent.
  struct Resolution: Equatable, Sendable {
    let isBinary: Bool
    let exponent: Int
    /// Ten to the power of the exponent or, if that overflows, of the exponent minus 9; 0 if that
    /// overflows too.
    private let power: UInt64

    init(_ byte: UInt8) {
      isBinary = byte & 0x80 != 0
      exponent = Int(byte & 0x7f)
      let digits = exponent <= 19 ? exponent : exponent - 9
      power = digits <= 19 ? (0..<digits).reduce(1) { power, _ in power * 10 } : 0
    }

    /// The number of useful decimals, at most those of nanoseconds.
    var decimals: Int {
      isBinary ? min(9, (exponent * 30_103 + 99_999) / 100_000) : min(9, exponent)
    }

    /// Returns the time that is `ticks` after 1970.
    func time(_ ticks: UInt64) -> Timestamp {
      if isBinary {
        guard exponent < 64 else {
          let (high, _) = ticks.multipliedFullWidth(by: 1_000_000_000)
          return Timestamp(seconds: 0, nanoseconds: UInt32(high >> UInt64(exponent - 64)))
        }
        // The ticks within the second as a fraction of 2⁶⁴.
        let fraction = exponent == 0 ? 0 : ticks << UInt64(64 - exponent)
        return Timestamp(
          seconds: Int64(truncatingIfNeeded: ticks >> UInt64(exponent)),
          nanoseconds: UInt32(fraction.multipliedFullWidth(by: 1_000_000_000).high))
      }
      guard exponent <= 19 else {
        let nanoseconds = power == 0 ? 0 : ticks / power
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Timestamp(seconds: Int64(seconds), nanoseconds: UInt32(rest))
      }
      let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: power)
      // rest < power, so rest · 10⁹ / power is less than a second in nanoseconds.
      let (high, low) = rest.multipliedFullWidth(by: 1_000_000_000)
      let nanoseconds = power == 1 ? 0 : power.dividingFullWidth((high, low)).quotient
      return Timestamp(
        seconds: Int64(truncatingIfNeeded: seconds), nanoseconds: UInt32(nanoseconds))
    }
  }

  /// Reads a whole block.
  init(_ block: RawSpan, isBigEndian: Bool) {
    let word = block.littleEndianU16(at: 8)
    linkType = LinkType(rawValue: UInt32(isBigEndian ? word.byteSwapped : word))
    snapshotLength = block.u32(at: 12, isBigEndian: isBigEndian)
    isDecided = linkType.isHCI
    foreign = linkType.isReadable ? nil : ForeignPackets(linkType)
    let list = block.part(Slice(start: 16, count: block.byteCount - Self.leastBytes))
    let options = RecordOptions(list, isBigEndian: isBigEndian)
    var resolution = Resolution(6)
    if let found = options.find(Self.resolutionOption), found.value.count == 1 {
      resolution = Resolution(options.value(found.value).byte(at: 0))
    }
    self.resolution = resolution
    var offset: Int64 = 0
    if let found = options.find(Self.offsetOption), found.value.count == 8 {
      offset = Int64(
        bitPattern: options.value(found.value).u64(at: 0, isBigEndian: isBigEndian))
    }
    self.offset = offset
  }

  /// Returns the time given by a packet block's timestamp.
  func time(_ ticks: UInt64) -> Timestamp {
    var time = resolution.time(ticks)
    // Such distant times are absurd, but their differences must still be representable.
    let most: Int64 = 1 << 56
    let (seconds, overflow) = min(time.seconds, most).addingReportingOverflow(offset)
    time.seconds = overflow ? most : min(max(seconds, -most), most)
    return time
  }
}
