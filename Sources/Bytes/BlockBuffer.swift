/// A buffer that is written in blocks of 16 bytes and lent as bytes.
@usableFromInline
package struct BlockBuffer: Sendable {
  /// The length of a block in bytes.
  @inlinable package static var blockSize: Int { 16 }

  // Each block as it is in memory. The array is allocated once.
  @usableFromInline var blocks: [UInt128]

  /// Creates a buffer of `count` zero bytes, rounded up to whole blocks.
  package init(count: Int) {
    blocks = [UInt128](
      repeating: 0, count: (max(0, count) + Self.blockSize - 1) / Self.blockSize)
  }

  /// The number of bytes.
  @inlinable package var count: Int { blocks.count * Self.blockSize }

  /// The 16 bytes of the block at `index`, which must be valid, most significant first.
  @inlinable
  package subscript(index: Int) -> UInt128 {
    get { UInt128(bigEndian: blocks[index]) }
    set { blocks[index] = newValue.bigEndian }
  }

  /// Returns the first `count` bytes, or fewer if there are fewer. They are valid until the buffer
  /// is next changed.
  @inlinable
  @_lifetime(borrow self)
  package func bytes(count: Int) -> RawSpan {
    unsafe blocks.span.bytes.part(Slice(start: 0, count: count))
  }
}

extension RawSpan {
  /// Returns `count` bytes (0 to 16) at `offset` as the most significant ones of a number whose
  /// other bytes are zero. Bytes outside the span count as 0.
  @inlinable
  package func bigEndianU128(at offset: Int, count: Int = 16) -> UInt128 {
    let size = BlockBuffer.blockSize
    let count = min(max(count, 0), size)
    guard offset >= 0, count > 0 else { return 0 }
    var number: UInt128 = 0
    if offset <= byteCount - size {
      number = bigEndianBlock(at: offset)
    } else if byteCount >= size {
      // The last 16 bytes, without those before the offset.
      let before = offset - (byteCount - size)
      number = before < size ? bigEndianBlock(at: byteCount - size) << UInt128(8 * before) : 0
    } else {
      for index in 0..<count {
        number |= UInt128(byte(at: offset + index)) << UInt128(8 * (size - 1 - index))
      }
    }
    return number & ~0 << UInt128(8 * (size - count))
  }

  /// Returns the 16 bytes at `offset`, all of which must be inside the span.
  @inlinable
  func bigEndianBlock(at offset: Int) -> UInt128 {
    UInt128(bigEndianU64(at: offset)) << 64 | UInt128(bigEndianU64(at: offset + 8))
  }
}
