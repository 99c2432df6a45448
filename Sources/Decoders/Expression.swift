/// One step of a program in postfix order: push an operand, or replace the topmost by a result.
package struct Operation: Sendable, Equatable {
  /// What is done.
  package enum Code: Int, Sendable, CaseIterable {
    /// Push the operand itself; the field in its slot; what the value and its surroundings say.
    case number, slot, size, remaining, index, written, command, external
    /// Push a number of the frame's header (`HeaderPart`).
    case header
    /// Of the topmost one.
    case not, invert, negate
    /// Of the two topmost ones.
    case or, and, bitOr, bitXor, bitAnd, equal, notEqual, less, lessOrEqual, greater
    case greaterOrEqual, shiftLeft, shiftRight, add, subtract, multiply, divide, remainder
  }

  /// The place of the code in `Code`.
  package var codeNumber: Int
  /// The number, slot, or place among the externals.
  package var operand: Int

  /// An operation.
  package init(_ code: Code, _ operand: Int = 0) {
    codeNumber = code.rawValue
    self.operand = operand
  }

  /// An operation from its stored numbers.
  init(codeNumber: Int, operand: Int) {
    self.codeNumber = codeNumber
    self.operand = operand
  }

  /// What is done; nil where the number is none.
  package var code: Code? { Code(rawValue: codeNumber) }
}

/// A number that may not be known.
package struct Known: Sendable, Equatable {
  /// The number; 0 where it is not known.
  package var number: Int
  /// Whether it is known.
  package var isKnown: Bool

  /// A number that is known.
  package init(_ number: Int) {
    self.number = number
    isKnown = true
  }

  /// A number that may not be known.
  package init(_ number: Int?) {
    self.number = number ?? 0
    isKnown = number != nil
  }

  /// Not known.
  package static let unknown = Known(nil)

  /// Whether it is known to be 0, or not to be.
  var isFalse: Bool { isKnown && number == 0 }
  var isTrue: Bool { isKnown && number != 0 }
}

extension Operation.Code {
  /// How many operands the operation takes.
  package var arity: Int {
    if rawValue < Self.not.rawValue { return 0 }
    return rawValue < Self.or.rawValue ? 1 : 2
  }

  /// The result for one operand.
  package func result(_ value: Known) -> Known {
    guard value.isKnown else { return .unknown }
    switch self {
    case .not: return Known(value.number == 0 ? 1 : 0)
    case .invert: return Known(~value.number)
    default: return Known(0 &- value.number)
    }
  }

  /// The result for two operands: not known where one is not, unless the other one decides alone.
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

/// A piece of a text.
package struct TemplatePiece: Sendable, Equatable {
  /// What a piece is.
  package enum Kind: Int, Sendable, CaseIterable {
    /// A word of the definition.
    case literal
    /// The field of a slot: with its unit; without; as digits; as hexadecimal digits; as it came.
    case field, plain, digits, hex, raw
    /// What stands up to the matching `close` is left out where one of its fields is not there.
    case open, close
  }

  /// The place of the kind in `Kind`.
  package var kindNumber: Int
  /// The place of the literal, the slot of the field, or how many pieces behind `open` its `close`
  /// stands.
  package var operand: Int
  /// How many digits at least.
  package var digits: Int

  /// A piece.
  package init(_ kind: Kind, _ operand: Int, digits: Int = 0) {
    kindNumber = kind.rawValue
    self.operand = operand
    self.digits = digits
  }

  /// A piece from its stored numbers.
  init(kindNumber: Int, operand: Int, digits: Int) {
    self.kindNumber = kindNumber
    self.operand = operand
    self.digits = digits
  }

  /// What it is; nil where the number is none.
  package var kind: Kind? { Kind(rawValue: kindNumber) }
}
