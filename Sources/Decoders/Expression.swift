/// One step of a program in postfix order: pushes an operand, or replaces the topmost ones by a
/// result.
package struct Operation: Sendable, Hashable {
  package enum Code: Int, Sendable, CaseIterable {
    /// Push the operand itself; the field in its slot; a property of the value or its context.
    case number, slot, size, remaining, index, written, command, external
    /// Push a number of the frame's header (`HeaderPart`).
    case header
    /// Apply to the topmost number.
    case not, invert, negate
    /// Apply to the two topmost numbers.
    case or, and, bitOr, bitXor, bitAnd, equal, notEqual, less, lessOrEqual, greater
    case greaterOrEqual, shiftLeft, shiftRight, add, subtract, multiply, divide, remainder
  }

  /// The raw value of `Code`.
  package var codeNumber: Int
  /// The number, slot, or index among the externals.
  package var operand: Int

  package init(_ code: Code, _ operand: Int = 0) {
    codeNumber = code.rawValue
    self.operand = operand
  }

  /// Creates an operation from its stored numbers.
  init(codeNumber: Int, operand: Int) {
    self.codeNumber = codeNumber
    self.operand = operand
  }

  /// The code of the operation; nil if the number is invalid.
  package var code: Code? { Code(rawValue: codeNumber) }
}

/// A number that may be unknown.
package struct Known: Sendable, Equatable {
  /// The number; 0 if it is unknown.
  package var number: Int
  package var isKnown: Bool

  /// Creates a known number.
  package init(_ number: Int) {
    self.number = number
    isKnown = true
  }

  /// Creates a number that may be unknown.
  package init(_ number: Int?) {
    self.number = number ?? 0
    isKnown = number != nil
  }

  package static let unknown = Known(nil)

  /// Whether it is known to be 0, and whether it is known not to be.
  var isFalse: Bool { isKnown && number == 0 }
  var isTrue: Bool { isKnown && number != 0 }
}

extension Operation.Code {
  /// The number of operands.
  package var arity: Int {
    if rawValue < Self.not.rawValue { return 0 }
    return rawValue < Self.or.rawValue ? 1 : 2
  }

  /// Returns the result for one operand.
  package func result(_ value: Known) -> Known {
    guard value.isKnown else { return .unknown }
    switch self {
    case .not: return Known(value.number == 0 ? 1 : 0)
    case .invert: return Known(~value.number)
    default: return Known(0 &- value.number)
    }
  }

  /// Returns the result for two operands: unknown if one is unknown, unless the other decides
  /// alone.
  package func result(_ left: Known, _ right: Known) -> Known {
    switch self {
    case .and:
      if left.isFalse || right.isFalse { return Known(0) }
      return left.isKnown && right.isKnown ? Known(1) : .unknown
    case .or:
      if left.isTrue || right.isTrue { return Known(1) }
      return left.isKnown && right.isKnown ? Known(0) : .unknown
    default: break
    }
    guard left.isKnown, right.isKnown else { return .unknown }
    return arithmetic(left.number, right.number)
  }

  private func arithmetic(_ left: Int, _ right: Int) -> Known {
    switch self {
    case .bitOr: Known(left | right)
    case .bitXor: Known(left ^ right)
    case .bitAnd: Known(left & right)
    case .equal: Known(left == right ? 1 : 0)
    case .notEqual: Known(left != right ? 1 : 0)
    case .less: Known(left < right ? 1 : 0)
    case .lessOrEqual: Known(left <= right ? 1 : 0)
    case .greater: Known(left > right ? 1 : 0)
    case .greaterOrEqual: Known(left >= right ? 1 : 0)
    // Swift's shifts by too much give 0 or −1; by a negative number they shift the other way.
    case .shiftLeft: Known(left << right)
    case .shiftRight: Known(left >> right)
    case .add: Known(left &+ right)
    case .subtract: Known(left &- right)
    case .multiply: Known(left &* right)
    case .divide:
      right == 0 ? .unknown : Known(left.dividedReportingOverflow(by: right).partialValue)
    case .remainder:
      right == 0 ? .unknown : Known(left.remainderReportingOverflow(dividingBy: right).partialValue)
    default: .unknown
    }
  }
}

package struct TemplatePiece: Sendable, Equatable {
  /// The kind of a piece.
  package enum Kind: Int, Sendable, CaseIterable {
    /// A word of the definition.
    case literal
    /// The field of a slot: with its unit; without; as digits; as hexadecimal digits; as its raw
    /// number.
    case field, plain, digits, hex, raw
    /// Everything up to the matching `close` is left out if one of its fields is absent.
    case open, close
  }

  /// The raw value of `Kind`.
  package var kindNumber: Int
  /// The index of the literal, the slot of the field, or how many pieces after `open` its `close`
  /// is.
  package var operand: Int
  /// The minimum number of digits.
  package var digits: Int

  package init(_ kind: Kind, _ operand: Int, digits: Int = 0) {
    kindNumber = kind.rawValue
    self.operand = operand
    self.digits = digits
  }

  /// Creates a piece from its stored numbers.
  init(kindNumber: Int, operand: Int, digits: Int) {
    self.kindNumber = kindNumber
    self.operand = operand
    self.digits = digits
  }

  /// The kind of the piece; nil if the number is invalid.
  package var kind: Kind? { Kind(rawValue: kindNumber) }
}
