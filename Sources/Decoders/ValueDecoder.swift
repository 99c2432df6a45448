package import Bytes

/// Facts that the bytes alone do not contain.
package struct DecodingContext: Sendable {
  /// Whether the client wrote the value.
  package var isWritten: Bool
  /// A message's command.
  package var command: Int
  /// The values of the definition's externals, in their order; missing ones are unknown.
  package var externals: [Known]

  package init(isWritten: Bool = false, command: Int = 0, externals: [Known] = []) {
    self.isWritten = isWritten
    self.command = command
    self.externals = externals
  }
}

/// The only interpreter: decodes bytes into named fields according to a definition.
///
/// A field's row is looked up by its index wherever it is needed, since passing a row would copy
/// it.
///
/// No definition and no bytes can make it trap, loop or grow without bound. Fields are counted
/// (`fuel`), the output is limited (`mostFields`, plus the bytes left over of the value and of each
/// group that was open then), and nesting is bounded by the definition
/// (`Definition.Tables.deepest`).
package struct ValueDecoder: ~Copyable {
  /// The most fields that are decoded of one value.
  package static let mostFields = 1024
  /// The most steps for one value.
  static let mostSteps = 16_384
  /// The most bytes of a text in which bytes represent others, and of the line shown for a value.
  package static let mostText = 16_384
  /// The most bytes of text that one byte represents.
  package static let mostExpanded = 32

  /// The numbers of the fields that were read, by slot.
  var slots: [Int] = []
  var stack: [Known] = []
  var fuel = 0
  /// The turn of a repeated field.
  var turn = 0
  var context = DecodingContext()

  /// Creates a decoder; it can be reused for all values, one after the other.
  package init() {}

  /// A range of bytes that is being read.
  struct Window {
    /// The start of the group, for checksums.
    var group: Int
    /// The start of the innermost range that has a size.
    var sized: Int
    /// The position of the next field.
    var position: Int
    /// The position after the last byte.
    var end: Int

    var remaining: Int { end - position }
  }

  /// How reading fields ended.
  enum Outcome {
    /// All fields were read.
    case done
    /// An optional field was absent: nothing follows.
    case ended
    /// Bytes are missing.
    case missing
    /// A bound was reached.
    case full
  }

  package mutating func decode(
    _ definition: Definition, _ bytes: RawSpan, _ context: DecodingContext = DecodingContext(),
    into decoded: inout Decoded
  ) {
    decode(definition, bytes, Slice(start: 0, count: bytes.byteCount), context, into: &decoded)
  }

  /// Decodes the part `slice` of bytes; offsets count from the first of the bytes.
  package mutating func decode(
    _ definition: Definition, _ bytes: RawSpan, _ slice: Slice, _ context: DecodingContext,
    into decoded: inout Decoded
  ) {
    decoded.fields.removeAll(keepingCapacity: true)
    decoded.problems.removeAll(keepingCapacity: true)
    decoded.definition = definition
    self.context = context
    fuel = Self.mostSteps
    turn = 0
    slots.removeAll(keepingCapacity: true)
    for _ in 0..<definition.tables.slotCount { slots.append(0) }
    let start = max(0, min(Int(slice.start), bytes.byteCount))
    let end = max(start, min(slice.end, bytes.byteCount))
    var window = Window(group: start, sized: start, position: start, end: end)
    let all = 0..<definition.tables.fields.count
    let outcome = list(all, of: definition, bytes, &window, &decoded)
    leaveTail(outcome, &window, &decoded)
    decoded.noteFirsts(definition)
  }

  /// Adds the bytes that no field explained.
  mutating func leaveTail(_ outcome: Outcome, _ window: inout Window, _ decoded: inout Decoded) {
    guard window.remaining > 0 else { return }
    let tail = Slice(start: window.position, count: window.remaining)
    decoded.fields.append(
      DecodedField(field: -1, form: .tail, bytes: tail, end: decoded.fields.count + 1))
    window.position = window.end
    if outcome == .missing || outcome == .full { return }
    decoded.problems.append(
      DecodingProblem(
        code: .trailingBytes, field: -1, bytes: tail, found: Int(tail.count), expected: 0))
  }

  /// Reads fields one after the other.
  mutating func list(
    _ range: Range<Int>, of definition: Definition, _ bytes: RawSpan, _ window: inout Window,
    _ decoded: inout Decoded
  ) -> Outcome {
    var place = range.lowerBound
    while place < range.upperBound {
      let outcome = conditional(place, definition, bytes, &window, &decoded)
      guard outcome == .done else { return outcome }
      place = max(definition.tables.fields[place].end, place + 1)
    }
    return .done
  }

  /// Reads a field if its condition holds, as often as it is repeated.
  private mutating func conditional(
    _ place: Int, _ definition: Definition, _ bytes: RawSpan,
    _ window: inout Window, _ decoded: inout Decoded
  ) -> Outcome {
    let field = definition.tables.fields[place]
    let first = decoded.fields.count
    var isAssumed = false
    if field.when >= 0 {
      let condition = value(of: field.when, definition, window)
      if condition.isFalse { return .done }
      if !condition.isKnown {
        guard window.remaining >= max(1, field.width) else { return .done }
        isAssumed = true
      }
    }
    if field.flags.contains(.optional), window.remaining == 0 { return .ended }
    let outcome =
      field.flags.contains(.repeated)
      ? repeated(place, definition, bytes, &window, &decoded)
      : once(place, definition, bytes, &window, &decoded)
    if isAssumed {
      for index in first..<decoded.fields.count { decoded.fields[index].isAssumed = true }
    }
    return outcome
  }

  private mutating func repeated(
    _ place: Int, _ definition: Definition, _ bytes: RawSpan,
    _ window: inout Window, _ decoded: inout Decoded
  ) -> Outcome {
    let field = definition.tables.fields[place]
    let isRest = field.flags.contains(.repeatRest)
    var turns = field.most
    if !isRest { turns = min(turns, value(of: field.turns, definition, window).number) }
    let outer = turn
    defer { turn = outer }
    var count = 0
    while count < turns, !isRest || window.remaining > 0 {
      turn = count
      let before = window.position
      let outcome = once(place, definition, bytes, &window, &decoded)
      guard outcome == .done else { return outcome }
      count += 1
      // A field without bytes would repeat forever.
      if isRest, window.position == before { break }
    }
    if count < field.least {
      decoded.problems.append(
        DecodingProblem(
          code: .tooFew, field: place, bytes: Slice(start: window.position, count: 0), found: count,
          expected: field.least))
    }
    return .done
  }

  private mutating func once(
    _ place: Int, _ definition: Definition, _ bytes: RawSpan,
    _ window: inout Window, _ decoded: inout Decoded
  ) -> Outcome {
    let field = definition.tables.fields[place]
    fuel -= 1
    // The bits of a number are added together; the fields of a group count for themselves.
    let isNumber = field.kind == .unsigned || field.kind == .signed
    let entries = isNumber ? max(1, field.end - place - 1) : 1
    guard fuel > 0, decoded.fields.count + entries <= Self.mostFields,
      decoded.problems.count < Self.mostFields
    else {
      // Only once, however many lists remain.
      if decoded.problems.last?.code != .limit {
        decoded.problems.append(
          DecodingProblem(
            code: .limit, field: place, bytes: Slice(start: window.position, count: 0),
            found: decoded.fields.count, expected: Self.mostFields))
      }
      return .full
    }
    switch field.kind {
    case .group: return group(place, definition, bytes, &window, &decoded)
    case .choice: return choice(place, definition, bytes, &window, &decoded)
    case .unsigned, .signed: return integer(place, definition, bytes, &window, &decoded)
    case .computed: return computed(place, definition, window, &decoded)
    default: return other(place, definition, bytes, &window, &decoded)
    }
  }

  /// Reads the fields of the branch that the selector's number chooses.
  private mutating func choice(
    _ place: Int, _ definition: Definition, _ bytes: RawSpan,
    _ window: inout Window, _ decoded: inout Decoded
  ) -> Outcome {
    let field = definition.tables.fields[place]
    let selector = value(of: field.selector, definition, window)
    guard selector.isKnown else { return .done }
    var branch = place + 1
    var taken: Int?
    while branch < field.end, taken == nil {
      let row = definition.tables.fields[branch]
      if row.flags.contains(.other)
        || code(of: selector.number, row.firstCode, row.codeCount, definition) != nil
      {
        taken = branch
      }
      branch = max(row.end, branch + 1)
    }
    guard let taken else { return .done }
    let end = max(taken + 1, definition.tables.fields[taken].end)
    return list(taken + 1..<end, of: definition, bytes, &window, &decoded)
  }

  /// Reads a group's fields, within its size if it has one.
  private mutating func group(
    _ place: Int, _ definition: Definition, _ bytes: RawSpan,
    _ window: inout Window, _ decoded: inout Decoded
  ) -> Outcome {
    let field = definition.tables.fields[place]
    let start = window.position
    var isShort = false
    var size: Int?
    if field.flags.contains(.sized) {
      guard let extent = extent(place, definition, bytes, &window, &decoded) else {
        return .missing
      }
      size = Int(extent.bytes.count)
      isShort = extent.isShort
    }
    let begin = field.flags.contains(.prefixWhole) ? start : window.position
    for inner in place + 1..<max(field.end, place + 1) {
      let slot = definition.tables.fields[inner].slot
      if slot >= 0 { slots[slot] = 0 }
    }
    let entry = decoded.fields.count
    if field.name >= 0 {
      decoded.fields.append(
        DecodedField(field: place, form: .group, bytes: Slice(start: begin, count: 0)))
    }
    let children = place + 1..<max(field.end, place + 1)
    var inner = Window(
      group: begin, sized: size == nil ? window.sized : begin, position: window.position,
      end: size.map { window.position + $0 } ?? window.end)
    var outcome = list(children, of: definition, bytes, &inner, &decoded)
    if size != nil {
      if field.flags.contains(.open) {
        inner.position = inner.end
      } else {
        leaveTail(isShort ? .missing : outcome, &inner, &decoded)
      }
      if outcome != .full { outcome = .done }
    } else if outcome == .ended {
      outcome = .done
    }
    window.position = inner.position
    if field.name >= 0 {
      decoded.fields[entry].end = decoded.fields.count
      decoded.fields[entry].bytes = Slice(start: begin, count: window.position - begin)
    }
    return outcome
  }

  /// Returns the result of a program.
  mutating func value(of program: Int, _ definition: Definition, _ window: Window) -> Known {
    guard program >= 0, program + 1 < definition.tables.programs.count else { return .unknown }
    let end = definition.tables.programs[program + 1]
    var place = definition.tables.programs[program]
    // Most conditions are a flag or its negation.
    if place + 2 >= end, place < end {
      let first = definition.tables.operations[place]
      if first.codeNumber == Operation.Code.slot.rawValue {
        let number = slots[first.operand]
        if place + 1 == end { return Known(number) }
        if definition.tables.operations[place + 1].codeNumber == Operation.Code.not.rawValue {
          return Known(number == 0 ? 1 : 0)
        }
      }
    }
    stack.removeAll(keepingCapacity: true)
    while place < end {
      let operation = definition.tables.operations[place]
      place += 1
      guard let code = operation.code else { return .unknown }
      switch code.arity {
      case 0: stack.append(operand(code, operation.operand, window))
      case 1:
        guard let value = stack.popLast() else { return .unknown }
        stack.append(code.result(value))
      default:
        guard let right = stack.popLast(), let left = stack.popLast() else { return .unknown }
        stack.append(code.result(left, right))
      }
    }
    return stack.last ?? .unknown
  }

  private func operand(_ code: Operation.Code, _ operand: Int, _ window: Window) -> Known {
    switch code {
    case .number: Known(operand)
    case .slot: Known(slots[operand])
    case .size: Known(window.end - window.sized)
    case .remaining: Known(window.remaining)
    case .index: Known(turn)
    case .written: Known(context.isWritten ? 1 : 0)
    case .command: Known(context.command)
    case .header: .unknown
    default: operand < context.externals.count ? context.externals[operand] : .unknown
    }
  }

  /// Returns the index of the code that contains a number, within a range of the definition's
  /// codes.
  func code(of number: Int, _ first: Int, _ count: Int, _ definition: Definition) -> Int? {
    for place in first..<first + count where definition.tables.codes[place].contains(number) {
      return place
    }
    return nil
  }
}
