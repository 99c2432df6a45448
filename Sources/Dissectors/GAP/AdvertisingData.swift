// Advertising data: AD structures one after the other (Core, Vol 3, Part C, 11).

package import Bluetooth
package import Bytes

/// One AD structure: length of what follows (1 byte), type (1), data.
package struct ADStructure: Sendable {
  /// What the data is.
  package var type: ADType
  /// The data.
  package var data: Slice
}

/// Reads the AD structures of advertising data; a zero length ends them early (what follows is
/// padding).
package struct ADStructures: ~Escapable {
  private var cursor: Cursor
  /// Set where a structure reached past the end of the data: at which offset, how long it claimed
  /// to be, and how many bytes were there.
  package private(set) var overrun: Problem?
  /// And what its data would have been, where its type is there.
  package private(set) var brokenLayout: ADType.Layout?

  /// The structures in the part `slice` of `bytes`.
  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, _ slice: Slice) {
    cursor = Cursor(bytes, slice)
  }

  /// The structure in the part `slice` of `bytes` that reaches past its end, if there is one.
  package static func overrun(_ bytes: RawSpan, _ slice: Slice) -> Problem? {
    let end = slice.end
    var offset = Int(slice.start)
    while offset < end {
      let length = Int(bytes.byte(at: offset))
      if length == 0 { return nil }
      let next = offset + 1 + length
      if next > end {
        return Problem(.advertisingStructureTooLong, at: offset, length, end - offset - 1)
      }
      offset = next
    }
    return nil
  }

  /// Whether the part `slice` of `bytes` holds a value that pairing depends on, or a piece of one.
  package static func holdSecret(_ bytes: RawSpan, _ slice: Slice) -> Bool {
    var structures = ADStructures(bytes, slice)
    while let structure = structures.next() {
      if case .secret = structure.type.layout(count: Int(structure.data.count)) { return true }
    }
    return structures.brokenLayout.map { if case .secret = $0 { true } else { false } } ?? false
  }

  /// Whether the part `slice` of `bytes` ends inside such a value: then what stands behind it is the
  /// rest.
  package static func endInsideSecret(_ bytes: RawSpan, _ slice: Slice) -> Bool {
    var structures = ADStructures(bytes, slice)
    while structures.next() != nil {}
    return structures.brokenLayout.map { if case .secret = $0 { true } else { false } } ?? false
  }

  /// The next structure, or nil at the end.
  @_lifetime(self: copy self)
  package mutating func next() -> ADStructure? {
    let offset = cursor.offset
    guard let length = try? cursor.u8(), length > 0 else {
      _ = cursor.rest()
      return nil
    }
    guard cursor.remaining >= Int(length), let type = try? cursor.u8() else {
      if !cursor.isAtEnd {
        brokenLayout = ADType(rawValue: cursor.peek(cursor.offset)).layout(count: Int(length) - 1)
      }
      overrun = Problem(
        .advertisingStructureTooLong, at: offset, Int(length), cursor.remaining)
      _ = cursor.rest()
      return nil
    }
    return ADStructure(
      type: ADType(rawValue: type), data: cursor.takeUpTo(Int(length) - 1))
  }
}
