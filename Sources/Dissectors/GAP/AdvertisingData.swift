// Advertising data: a sequence of AD structures (Core, Vol 3, Part C, 11).

package import Bluetooth
package import Bytes

/// An AD structure: length of what follows (1 byte), type (1), data.
package struct ADStructure: Sendable {
  package var type: ADType
  package var data: Slice
}

/// A reader of the AD structures in advertising data. A length of zero ends them early; what
/// follows is padding.
package struct ADStructures: ~Escapable {
  private var cursor: Cursor
  /// The problem with a structure that extends past the end of the data: its offset, its claimed
  /// length, and the number of bytes that exist.
  package private(set) var overrun: Problem?
  /// The layout of that structure's data, if its type exists.
  package private(set) var brokenLayout: ADType.Layout?
  /// The type of that structure.
  package private(set) var brokenType: ADType?

  /// Reads the structures in the part `slice` of `bytes`.
  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, _ slice: Slice) {
    cursor = Cursor(bytes, slice)
  }

  /// Records the problems with the structures in the part `slice` of `bytes`: too few or too many
  /// bytes for a type, a structure that extends past the end, or bytes after an early end.
  ///
  /// - Parameter hasPlace: Whether the bytes are those of a record, so that offsets can be
  ///   reported.
  package static func check(
    _ bytes: RawSpan, _ slice: Slice, hasPlace: Bool = true, _ problems: inout Problems
  ) {
    let end = slice.end
    var offset = Int(slice.start)
    while offset < end {
      let length = Int(bytes.byte(at: offset))
      if length == 0 {
        // An early end, which may only be followed by zeros (Core, Vol 3, Part C, 11).
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

  /// Returns whether data can be the beginning of an advertisement. Data from the middle of a
  /// structure seldom can: its first structure is implausible (an unknown type, or never of that
  /// size), and the lengths do not add up to the total. Just one of these is more likely a mistake
  /// in an advertisement, or a type that this program does not know yet.
  ///
  /// - Parameter goesOn: Whether more data follows elsewhere, so that the lengths need not add up.
  ///   Then a first structure longer than all the data, or an implausible second one, counts as
  ///   evidence instead.
  package static func begin(_ bytes: RawSpan, _ slice: Slice, goesOn: Bool) -> Bool {
    var structures = ADStructures(bytes, slice)
    guard let first = structures.next() else {
      // The first structure extends past the end, or there is none.
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

  /// Returns whether the part `slice` of `bytes` contains a secret (`ADType.Layout.secret`), or
  /// part of one.
  package static func holdSecret(_ bytes: RawSpan, _ slice: Slice) -> Bool {
    var structures = ADStructures(bytes, slice)
    while let structure = structures.next() {
      if case .secret = structure.type.layout(count: Int(structure.data.count)) { return true }
    }
    return structures.brokenLayout.map { if case .secret = $0 { true } else { false } } ?? false
  }

  /// Returns whether a complete structure with such a secret begins anywhere in the part `slice` of
  /// `bytes`.
  package static func holdSecretAnywhere(_ bytes: RawSpan, _ slice: Slice) -> Bool {
    for start in Int(slice.start)..<slice.end {
      let length = Int(bytes.byte(at: start))
      guard length > 1, start + 1 + length <= slice.end else { continue }
      let type = ADType(rawValue: bytes.byte(at: start + 1))
      if case .secret = type.layout(count: length - 1) { return true }
    }
    return false
  }

  /// Returns whether the part `slice` of `bytes` ends inside such a secret, so that the following
  /// bytes are the rest of it.
  package static func endInsideSecret(_ bytes: RawSpan, _ slice: Slice) -> Bool {
    var structures = ADStructures(bytes, slice)
    while structures.next() != nil {}
    return structures.brokenLayout.map { if case .secret = $0 { true } else { false } } ?? false
  }

  /// Returns the next structure, or nil at the end.
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
  /// Returns whether the type is known and can have `count` bytes of data.
  package func isPlausible(count: Int) -> Bool { name != nil && misfit(count: count) == nil }
}

/// A visitor that checks the advertising data among the parameters of a command or event.
struct ADChecker: FieldVisitor {
  var problems = Problems()

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    guard case .advertisingData = value else { return }
    var found = Problems()
    ADStructures.check(bytes, Slice(start: 0, count: bytes.byteCount), &found)
    for index in 0..<found.count {
      var problem = found[index]
      // The bytes are a part of the packet's.
      problem.offset = problem.offset.map { $0 + slice.start }
      problems.add(problem)
    }
  }
}
