// Checks whether a definition's tables are consistent. The interpreter then needs no checks of its
// own, and a damaged table yields no definition instead of a trap.

extension Definition.Tables {
  /// The most fields of a definition.
  package static var mostFields: Int { 1024 }
  /// The deepest nesting of fields, including bits and branches.
  package static var deepest: Int { 20 }
  /// The most operands of an expression.
  package static var mostOperands: Int { 32 }

  /// Whether every referenced index is valid.
  var isSound: Bool {
    guard fields.count <= Self.mostFields, slotCount >= 0, slotCount <= Self.mostFields,
      areProgramsSound, areTemplatesSound, isTemplate(template),
      errors.allSatisfy({ $0.word >= 0 && $0.word < words.count })
    else { return false }
    var place = 0
    while place < fields.count {
      guard let end = checked(place, parent: nil, limit: fields.count, depth: 0) else {
        return false
      }
      place = end
    }
    return true
  }

  /// Checks a field and its nested fields; returns the index of the next one, or nil.
  private func checked(_ place: Int, parent: Field.Kind?, limit: Int, depth: Int) -> Int? {
    let field = fields[place]
    guard depth <= Self.deepest, let kind = Field.Kind(rawValue: field.kindCode),
      field.end > place, field.end <= limit, isSound(field, kind),
      (kind == .bits) == (parent == .unsigned), (kind == .branch) == (parent == .choice)
    else { return nil }
    switch kind {
    case .group, .choice, .branch, .unsigned: break
    default: guard field.end == place + 1 else { return nil }
    }
    var inner = place + 1
    while inner < field.end {
      guard let end = checked(inner, parent: kind, limit: field.end, depth: depth + 1) else {
        return nil
      }
      inner = end
    }
    return field.end
  }

  private func isSound(_ field: Field, _ kind: Field.Kind) -> Bool {
    let isWidthSound: Bool =
      switch kind {
      case .unsigned, .signed: (1...8).contains(field.width)
      case .float: [2, 4, 8].contains(field.width)
      case .medfloat: [2, 4].contains(field.width)
      case .bits: field.bit >= 0 && field.bitCount >= 1 && field.bit + field.bitCount <= 64
      default: field.width >= 0 && field.width <= 65_535
      }
    guard isWidthSound, [0, 1, 2, 4].contains(field.prefix), field.least >= 0, field.most >= 0,
      field.most <= ValueDecoder.mostFields, field.checksumFrom >= 0, field.tick >= 0,
      field.checksum < 0 || checksum(field.checksum) != nil
    else { return false }
    for word in [field.name, field.label, field.unit, field.terminator, field.pattern] {
      guard word >= -1, word < words.count else { return false }
    }
    for program in [field.when, field.turns, field.size, field.selector] {
      guard program >= -1, program < programs.count - 1 else { return false }
    }
    return field.slot >= -1 && field.slot < slotCount && field.scaling >= -1
      && field.scaling < scalings.count && field.limit >= -1 && field.limit < limits.count
      && isTemplate(field.template) && areCodes(field.firstCode, field.codeCount)
      && areAscending(codes[field.firstCode..<field.firstCode + field.codeCount])
      && areCodes(field.firstQuiet, field.quietCount)
  }

  /// Returns the algorithm of a field's number.
  func checksum(_ number: Int) -> ChecksumAlgorithm? {
    let own = number - Self.firstChecksum
    guard own >= 0 else { return ChecksumAlgorithm.named(number) }
    return own < checksums.count ? checksums[own] : nil
  }

  /// The number that means the first of the definition's own checksums.
  package static var firstChecksum: Int { 256 }

  private func areCodes(_ first: Int, _ count: Int) -> Bool {
    first >= 0 && count >= 0 && first <= codes.count && count <= codes.count - first
  }

  /// Returns whether codes are in ascending order, as finding the one of a number requires.
  private func areAscending(_ codes: ArraySlice<Code>) -> Bool {
    zip(codes, codes.dropFirst()).allSatisfy { $0.high < $1.low }
  }

  private func isTemplate(_ place: Int) -> Bool { place >= -1 && place < templates.count - 1 }

  private var areProgramsSound: Bool {
    guard Self.areBounds(programs, operations.count) else { return false }
    return operations.allSatisfy { operation in
      guard let code = operation.code else { return false }
      return switch code {
      case .slot: operation.operand >= 0 && operation.operand < slotCount
      case .external: operation.operand >= 0 && operation.operand < externals.count
      default: true
      }
    }
  }

  private var areTemplatesSound: Bool {
    guard Self.areBounds(templates, pieces.count) else { return false }
    return pieces.enumerated().allSatisfy { place, piece in
      guard let kind = piece.kind, piece.digits >= 0, piece.digits <= 20 else { return false }
      return switch kind {
      case .literal: piece.operand >= 0 && piece.operand < words.count
      case .open: piece.operand > 0 && piece.operand < pieces.count - place
      case .close: true
      default: piece.operand >= 0 && piece.operand < slotCount
      }
    }
  }

  /// Returns whether these are the boundaries of ranges that cover a number of elements.
  private static func areBounds(_ bounds: [Int], _ count: Int) -> Bool {
    bounds.first == 0 && bounds.last == count
      && zip(bounds, bounds.dropFirst()).allSatisfy { $0 <= $1 }
  }
}
