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
  /// And that type.
  package private(set) var brokenType: ADType?

  /// The structures in the part `slice` of `bytes`.
  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, _ slice: Slice) {
    cursor = Cursor(bytes, slice)
  }

  /// Notes what is wrong with the structures in the part `slice` of `bytes`: a type that lacks bytes
  /// or has too many, a structure that reaches past the end, something behind an early end.
  ///
  /// - Parameter hasPlace: whether the bytes are a record's, so that offsets in them say where.
  package static func check(
    _ bytes: RawSpan, _ slice: Slice, hasPlace: Bool = true, _ problems: inout Problems
  ) {
    let end = slice.end
    var offset = Int(slice.start)
    while offset < end {
      let length = Int(bytes.byte(at: offset))
      if length == 0 {
        // The end, before the data's: behind it stand zeros only (Core, Vol 3, Part C, 11).
        guard (offset..<end).contains(where: { bytes.byte(at: $0) != 0 }) else { return }
        problems.add(
          Problem(.leftOver, at: hasPlace ? offset + 1 : nil, end - offset - 1))
        return
      }
      let next = offset + 1 + length
      var problem: Problem?
      if next > end {
        problem = Problem(.advertisingStructureTooLong, at: offset, length, end - offset - 1)
      } else {
        problem = ADFields.problem(
          ADType(rawValue: bytes.byte(at: offset + 1)), bytes,
          Slice(start: offset + 2, count: length - 1))
      }
      if var problem {
        if !hasPlace { problem.offset = nil }
        problems.add(problem)
      }
      offset = next
    }
  }

  /// Whether data can be the beginning of an advertisement. What begins in the middle of a structure
  /// seldom can: its first structure is none that there is (no such type, or never of that size), and
  /// the lengths do not lead to the end either. One of these alone is a mistake in an advertisement,
  /// or a type that this program does not know yet.
  ///
  /// - Parameter goesOn: more data follows elsewhere, so that the lengths need not lead to the end;
  ///   then a first structure that is longer than all there is speaks against it, or a second one
  ///   that is none.
  package static func begin(_ bytes: RawSpan, _ slice: Slice, goesOn: Bool) -> Bool {
    var structures = ADStructures(bytes, slice)
    guard let first = structures.next() else {
      // The first one reaches past the end, if there is any.
      guard let claimed = structures.overrun?.first else { return true }
      guard let type = structures.brokenType else { return goesOn }
      return type.isPlausible(count: Int(claimed) - 1)
    }
    guard !first.type.isPlausible(count: Int(first.data.count)) else { return true }
    var isOnlyOne = true
    while let structure = structures.next() {
      if !structure.type.isPlausible(count: Int(structure.data.count)) { isOnlyOne = false }
    }
    guard let claimed = structures.overrun?.first else { return !goesOn || isOnlyOne }
    guard goesOn, let type = structures.brokenType else { return goesOn && isOnlyOne }
    return isOnlyOne && type.isPlausible(count: Int(claimed) - 1)
  }

  /// Whether the part `slice` of `bytes` holds a value that pairing depends on, or a piece of one.
  package static func holdSecret(_ bytes: RawSpan, _ slice: Slice) -> Bool {
    var structures = ADStructures(bytes, slice)
    while let structure = structures.next() {
      if case .secret = structure.type.layout(count: Int(structure.data.count)) { return true }
    }
    return structures.brokenLayout.map { if case .secret = $0 { true } else { false } } ?? false
  }

  /// Whether one whole structure with such a value begins anywhere in the part `slice` of `bytes`.
  package static func holdSecretAnywhere(_ bytes: RawSpan, _ slice: Slice) -> Bool {
    for start in Int(slice.start)..<slice.end {
      let length = Int(bytes.byte(at: start))
      guard length > 1, start + 1 + length <= slice.end else { continue }
      let type = ADType(rawValue: bytes.byte(at: start + 1))
      if case .secret = type.layout(count: length - 1) { return true }
    }
    return false
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
        let type = ADType(rawValue: cursor.peek(cursor.offset))
        brokenType = type
        brokenLayout = type.layout(count: Int(length) - 1)
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

extension ADType {
  /// Whether there is such a type, and of so many bytes.
  fileprivate func isPlausible(count: Int) -> Bool { name != nil && misfit(count: count) == nil }
}

/// Checks the advertising data among the parameters of a command or event.
struct ADChecker: HCIFieldVisitor {
  var problems = Problems()

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: HCIValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    guard case .advertisingData = value else { return }
    var found = Problems()
    ADStructures.check(bytes, Slice(start: 0, count: bytes.byteCount), &found)
    for index in 0..<found.count {
      var problem = found[index]
      // The bytes are cut out of the packet's.
      problem.offset = problem.offset.map { $0 + slice.start }
      problems.add(problem)
    }
  }
}
