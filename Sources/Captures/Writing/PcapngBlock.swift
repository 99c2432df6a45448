import Bytes

/// A pcapng block under construction, least significant byte first: type and length are there, the
/// body is appended to the output, and `end` puts the length in its two places (pcapng, 3.1).
struct PcapngBlock {
  /// The blocks that are written (pcapng, 11.1).
  enum Kind: UInt32 {
    case interface = 1
    case enhancedPacket = 6
    case sectionHeader = 0x0a0d_0d0a
  }

  /// The options that are written, with the block that they stand in (pcapng, 3.5, 4.1, 4.2, 4.3).
  struct Option {
    let code: UInt16
    static let comment = Option(code: RecordOptions.comment)
    static let flags = Option(code: RecordOptions.flags)
    static let dropCount = Option(code: RecordOptions.dropCount)
    static let userApplication = Option(code: 4)
    static let interfaceName = Option(code: 2)
    static let timeResolution = Option(code: PcapngInterface.resolutionOption)
  }

  /// Where the block begins in the output.
  private let start: Int

  init(_ kind: Kind, into output: inout Output) {
    start = output.count
    output.littleEndian(kind.rawValue)
    output.littleEndian(0 as UInt32)
  }

  /// Zeros up to the next multiple of four.
  func pad(_ output: inout Output) { while (output.count - start) % 4 != 0 { output.byte(0) } }

  func option(_ option: Option, _ value: RawSpan, into output: inout Output) {
    let count = min(value.byteCount, Int(UInt16.max) - 3)
    output.littleEndian(option.code)
    output.littleEndian(UInt16(count))
    output.raw(value.part(Slice(start: 0, count: count)))
    pad(&output)
  }

  func option(_ option: Option, _ value: String, into output: inout Output) {
    self.option(option, [UInt8](value.utf8).bytes, into: &output)
  }

  func option(
    _ option: Option, _ value: some FixedWidthInteger & UnsignedInteger & BitwiseCopyable,
    into output: inout Output
  ) {
    output.littleEndian(option.code)
    output.littleEndian(UInt16(value.bitWidth / 8))
    output.littleEndian(value)
  }

  /// Ends the options, where the block can have some, and the block.
  func end(into output: inout Output) {
    output.littleEndian(0 as UInt32)
    let total = UInt32(output.count - start + 4)
    for index in 0..<4 {
      output.put(UInt8(truncatingIfNeeded: total >> UInt32(8 * index)), at: start + 4 + index)
    }
    output.littleEndian(total)
  }
}
