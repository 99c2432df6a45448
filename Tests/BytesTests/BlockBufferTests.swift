import Bytes
import Testing

@Suite struct BlockBufferTests {
  @Test func blocksAreMostSignificantByteFirst() {
    var buffer = BlockBuffer(count: 17)
    #expect(buffer.count == 32)
    buffer[1] = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff
    #expect(buffer[1] == 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff)
    #expect(buffer.bytes(count: 19).array == [UInt8](repeating: 0, count: 16) + [0x00, 0x11, 0x22])
    #expect(buffer.bytes(count: 100).byteCount == 32)
    #expect(buffer.bytes(count: 0).byteCount == 0)
  }

  /// Each length of a number at each offset of spans of each length, compared with its bytes.
  @Test(arguments: 0...40) func numbers(length: Int) {
    let bytes = (0..<length).map { UInt8(0x41 + $0) }
    for offset in -1...44 {
      for count in 0...16 {
        var expected: UInt128 = 0
        for index in 0..<count where bytes.indices.contains(offset + index) && offset >= 0 {
          expected |= UInt128(bytes[offset + index]) << UInt128(8 * (15 - index))
        }
        let number = bytes.bytes.bigEndianU128(at: offset, count: count)
        #expect(number == expected, "\(count) bytes at \(offset)")
      }
    }
  }

  @Test func countsOutsideTheRange() {
    let bytes = [UInt8](1...20)
    #expect(bytes.bytes.bigEndianU128(at: 0, count: -1) == 0)
    #expect(bytes.bytes.bigEndianU128(at: 3, count: 99) == bytes.bytes.bigEndianU128(at: 3))
    #expect(bytes.bytes.bigEndianU128(at: .max) == 0)
    #expect(bytes.bytes.bigEndianU128(at: .min) == 0)
  }
}
