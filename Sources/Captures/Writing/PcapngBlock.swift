import Bytes

/// A pcapng block under construction, least significant byte first. Type and length are written
/// first, the body is appended to the output, and `end` fills in the length in both places (pcapng,
/// 3.1).
struct PcapngBlock {
  /// The types of the blocks that are written (pcapng, 11.1).
  enum Kind: UInt32 {
    case interface = 1
    case enhancedPacket = 6
    case sectionHeader = 0x0a0d_0d0a
  }

  /// The codes of the options that are written (pcapng, 3.5, 4.1, 4.2, 4.3).
  struct Option {
    let code: UInt16
    static let comment = Option(code: RecordOptions.comment)
    static let flags = Option(code: RecordOptions.flags)
    static let dropCount = Option(code: RecordOptions.dropCount)
    static let userApplication = Option(code: 4)
    static let interfaceName = Option(code: 2)
    static let timeResolution = Option(code: PcapngInterface.resolutionOption)
  }

  /// The offset of the block in the output.
  private let start: Int

  @inline(__always)
  init(_ kind: Kind, into output: inout Output) {
    start = output.count
    // Includes the length, which is filled in later.
    output.littleEndian(UInt64(kind.rawValue))
  }

  /// Appends zeros up to the next multiple of four.
  @inline(__always)
  func pad(_ output: inout Output) {
    let end = output.count + (start - output.count) & 3
    output.native(0 as UInt32)
    output.shorten(to: end)
  }

  func option(_ option: Option, _ value: RawSpan, into output: inout Output) {
    let count = min(value.byteCount, Int(UInt16.max))
    output.littleEndian(option.code)
    output.littleEndian(UInt16(count))
    output.raw(value.part(Slice(start: 0, count: count)))
    pad(&output)
  }

  func option(_ option: Option, _ value: String, into output: inout Output) {
    self.option(option, [UInt8](value.utf8).bytes, into: &output)
  }

  @inline(__always)
  func option(
    _ option: Option, _ value: some FixedWidthInteger & UnsignedInteger & BitwiseCopyable,
    into output: inout Output
  ) {
    output.littleEndian(UInt32(option.code) | UInt32(value.bitWidth / 8) << 16)
    output.littleEndian(value)
  }

  /// Ends the options, if the block can have any, and the block.
  @inline(__always)
  func end(into output: inout Output) {
    let total = UInt32(output.count - start + 8)
    output.put(native: total.littleEndian, at: start + 4)
    // Preceded by the four zeros that end the options.
    output.littleEndian(UInt64(total) << 32)
  }
}
