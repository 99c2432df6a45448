import Bytes
import Testing

struct CursorTests {
  // 01 | 03 02 | 07 06 05 04 | 0b 0a 09 08 | 13 12 11 10 0f 0e 0d 0c | ff
  let bytes: [UInt8] = [
    0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x0b, 0x0a, 0x09, 0x08,
    0x13, 0x12, 0x11, 0x10, 0x0f, 0x0e, 0x0d, 0x0c, 0xff,
  ]

  @Test func readsEachWidthInItsOrder() throws {
    var cursor = Cursor(bytes.bytes)
    #expect(try cursor.u8() == 0x01)
    #expect(try cursor.u16() == 0x0203)
    #expect(try cursor.u32() == 0x0405_0607)
    #expect(try cursor.bigEndianU32() == 0x0b0a_0908)
    #expect(try cursor.bigEndianU64() == 0x1312_1110_0f0e_0d0c)
    #expect(cursor.remaining == 1)
    #expect(cursor.isAtEnd == false)
    #expect(try cursor.u8() == 0xff)
    #expect(cursor.isAtEnd == true)
    #expect(cursor.offset == 20)
  }

  @Test(arguments: 1...8) func readsAnyWidthLeastSignificantFirst(width: Int) throws {
    let value: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]
    var cursor = Cursor(value.bytes)
    let mask = UInt64.max >> UInt64(64 - 8 * width)
    #expect(try cursor.unsigned(width: width) == 0x8877_6655_4433_2211 & mask)
    #expect(cursor.offset == width)
    // The same value at the end of the buffer.
    let last = Array(value.prefix(width))
    var end = Cursor(last.bytes)
    #expect(try end.unsigned(width: width) == 0x8877_6655_4433_2211 & mask)
    #expect(end.isAtEnd == true)
  }

  /// Each read needs one byte more than is left; it consumes nothing.
  @Test(arguments: [1, 2, 4, 8], [0, 100])
  func onePastTheEndSaysWhatIsMissing(needed: Int, base: Int) {
    let short = [UInt8](repeating: 0xaa, count: needed - 1)
    let expected = ParseError(offset: base, needed: needed, available: needed - 1)
    let attempts: [(Int, (inout Cursor) throws(ParseError) -> Void)] = [
      (1, { (cursor: inout Cursor) throws(ParseError) in _ = try cursor.u8() }),
      (2, { (cursor: inout Cursor) throws(ParseError) in _ = try cursor.u16() }),
      (4, { (cursor: inout Cursor) throws(ParseError) in _ = try cursor.u32() }),
      (4, { (cursor: inout Cursor) throws(ParseError) in _ = try cursor.bigEndianU32() }),
      (8, { (cursor: inout Cursor) throws(ParseError) in _ = try cursor.bigEndianU64() }),
      (8, { (cursor: inout Cursor) throws(ParseError) in _ = try cursor.unsigned(width: 8) }),
      (2, { (cursor: inout Cursor) throws(ParseError) in _ = try cursor.take(2) }),
    ]
    for (width, attempt) in attempts where width == needed {
      var cursor = Cursor(short.bytes, base: base)
      var failure: ParseError?
      do throws(ParseError) { try attempt(&cursor) } catch { failure = error }
      #expect(failure == expected)
      #expect(cursor.remaining == needed - 1)
    }
  }

  /// The difference of an outer and an inner length may be negative.
  @Test func aNegativeCountIsNeverThere() {
    var cursor = Cursor(bytes.bytes)
    #expect(throws: ParseError(offset: 0, needed: -1, available: 20)) { _ = try cursor.take(-1) }
    #expect(cursor.takeUpTo(-1) == Slice(start: 0, count: 0))
    #expect(cursor.offset == 0)
  }

  @Test func errorsCountFromThePacketsFirstByte() throws {
    var cursor = Cursor(bytes.bytes, Slice(start: 3, count: 4))
    #expect(cursor.offset == 3)
    #expect(try cursor.u8() == 0x07)
    #expect(cursor.offset == 4)
    var failure: ParseError?
    do throws(ParseError) { _ = try cursor.u32() } catch { failure = error }
    #expect(failure == ParseError(offset: 4, needed: 4, available: 3))
    #expect(try cursor.take(3) == Slice(start: 4, count: 3))
    #expect(cursor.isAtEnd == true)
  }

  @Test func aNestedElementEndsWhereItWasCut() throws {
    var outer = Cursor(bytes.bytes)
    let slice = try outer.take(2)
    var inner = Cursor(bytes.bytes, slice)
    #expect(try inner.u16() == 0x0301)
    #expect(inner.isAtEnd == true)
    #expect(outer.rest() == Slice(start: 2, count: 18))
    #expect(outer.isAtEnd == true)
    #expect(outer.rest() == Slice(start: 20, count: 0))
  }

  @Test func takeUpToGivesWhatThereIs() {
    var cursor = Cursor(bytes.bytes, base: 50)
    #expect(cursor.takeUpTo(15) == Slice(start: 50, count: 15))
    #expect(cursor.takeUpTo(15) == Slice(start: 65, count: 5))
    #expect(cursor.takeUpTo(15) == Slice(start: 70, count: 0))
  }

  @Test func noBytes() {
    let nothing: [UInt8] = []
    var cursor = Cursor(nothing.bytes)
    #expect(cursor.isAtEnd == true)
    #expect(cursor.rest() == .empty)
    #expect(throws: ParseError.self) {
      var cursor = Cursor(nothing.bytes)
      _ = try cursor.u8()
    }
  }

  @Test(arguments: [
    (Slice(start: 0, count: 20), 0, 20),  // all of it
    (Slice(start: 5, count: 0), 5, 0),  // nothing, inside
    (Slice(start: 18, count: 9), 18, 2),  // past the end
    (Slice(start: 20, count: 1), 20, 0),  // at the end
    (Slice(start: 99, count: 3), 20, 0),  // after the end
    (Slice(start: -4, count: 6), 0, 2),  // from before the start
    (Slice(start: 4, count: -6), 4, 0),  // a negative count
    (Slice(start: Int(Int32.max), count: Int(Int32.max)), 20, 0),
    (Slice(start: Int(Int32.min), count: Int(Int32.min)), 0, 0),
  ])
  func slicesOutsideGiveWhatIsInside(slice: Slice, first: Int, count: Int) {
    let part = bytes.bytes.part(slice)
    #expect(part.array == Array(bytes[first..<first + count]))
    #expect(Cursor(bytes.bytes, slice).remaining == count)
  }

  @Test func spansAnswerOutsideThemselves() {
    let span = bytes.bytes
    #expect(span.byte(at: 0) == 1)
    #expect(span.byte(at: 19) == 0xff)
    #expect(span.byte(at: 20) == 0)
    #expect(span.byte(at: -1) == 0)
    #expect(span.dropping(18).array == [0x0c, 0xff])
    #expect(span.dropping(99).array == [])
    #expect(span.dropping(-1).byteCount == 20)
    #expect(span.starts(with: "\u{01}\u{03}") == true)
    #expect(span.starts(with: "\u{01}\u{04}") == false)
    #expect(span.dropping(19).starts(with: "ab") == false)
    #expect(span.starts(with: "") == true)
  }
}
