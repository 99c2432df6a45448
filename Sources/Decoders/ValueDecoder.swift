import Bluetooth
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
  private static let mostSteps = 16_384
  /// The most bytes of a text in which bytes represent others, and of the line shown for a value.
  package static let mostText = 16_384
  /// The most bytes of text that one byte represents.
  package static let mostExpanded = 32

  /// The numbers of the fields that were read, by slot.
  private var slots: [Int] = []
  /// The slots whose number is not zero, and the fields that set them.
  private var filled: [(slot: Int, field: Int)] = []
  private var stack: [Known] = []
  private var fuel = 0
  /// The turn of a repeated field.
  private var turn = 0
  private var context = DecodingContext()

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
  private enum Outcome {
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
    forget(0..<Int.max)
    for _ in slots.count..<max(slots.count, definition.tables.slotCount) { slots.append(0) }
    let start = max(0, min(Int(slice.start), bytes.byteCount))
    let end = max(start, min(slice.end, bytes.byteCount))
    var window = Window(group: start, sized: start, position: start, end: end)
    let all = 0..<definition.tables.fields.count
    let outcome = list(all, of: definition, bytes, &window, &decoded)
    leaveTail(outcome, &window, &decoded)
    decoded.noteFirsts(definition)
  }

  /// Stores a field's number in its slot, if it has one.
  private mutating func fill(_ slot: Int, _ number: Int, of field: Int) {
    guard slot >= 0 else { return }
    if number != 0, slots[slot] == 0 { filled.append((slot, field)) }
    slots[slot] = number
  }

  /// Forgets the numbers of some fields: of a definition with many fields, most are not in a value.
  private mutating func forget(_ fields: Range<Int>) {
    guard !filled.isEmpty else { return }
    for entry in filled where fields.contains(entry.field) { slots[entry.slot] = 0 }
    filled.removeAll { fields.contains($0.field) }
  }

  /// Adds the bytes that no field explained.
  private mutating func leaveTail(
    _ outcome: Outcome, _ window: inout Window, _ decoded: inout Decoded
  ) {
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
  private mutating func list(
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
    forget(place + 1..<max(field.end, place + 1))
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
    // Most others compare two numbers, which needs no stack.
    if place + 3 == end, let first = definition.tables.operations[place].code, first.arity == 0,
      let second = definition.tables.operations[place + 1].code, second.arity == 0,
      let last = definition.tables.operations[place + 2].code, last.arity == 2
    {
      return last.result(
        operand(first, definition.tables.operations[place].operand, window),
        operand(second, definition.tables.operations[place + 1].operand, window))
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
  /// codes, which are in ascending order.
  private func code(of number: Int, _ first: Int, _ count: Int, _ definition: Definition) -> Int? {
    var (low, high) = (first, first + count)
    while low < high {
      let middle = (low + high) / 2
      let code = definition.tables.codes[middle]
      if code.contains(number) { return middle }
      if code.high < number { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}

// Values of one field: numbers with their bits and checks, and everything that consists of bytes.

extension ValueDecoder {
  /// The bytes of a value, and whether there should be more of them.
  private struct Extent {
    var bytes: Slice
    var isShort = false
  }

  /// Reports that bytes are missing.
  private func missing(
    _ place: Int, _ needed: Int, _ window: Window, _ decoded: inout Decoded
  ) -> Outcome {
    decoded.problems.append(
      DecodingProblem(
        code: .missingBytes, field: place,
        bytes: Slice(start: window.position, count: window.remaining), found: window.remaining,
        expected: needed))
    return .missing
  }

  /// Returns the bytes of a value whose size does not follow from its type. Afterwards the position
  /// is after the size prefix and before the value. Returns nil if not even the prefix is present.
  private mutating func extent(
    _ place: Int, _ definition: Definition, _ bytes: RawSpan,
    _ window: inout Window, _ decoded: inout Decoded
  ) -> Extent? {
    let field = definition.tables.fields[place]
    var wanted = window.remaining
    if field.prefix > 0 {
      guard window.remaining >= field.prefix else {
        _ = missing(place, field.prefix, window, &decoded)
        return nil
      }
      let isBig = field.flags.contains(.bigEndian)
      let number = Self.load(bytes, window.position, field.prefix, bigEndian: isBig)
      window.position += field.prefix
      wanted = Int(number) - (field.flags.contains(.prefixWhole) ? field.prefix : 0)
    } else if field.width > 0 {
      wanted = field.width
    } else if field.size >= 0 {
      let size = value(of: field.size, definition, window)
      if size.isKnown { wanted = size.number }
    }
    wanted = max(0, wanted)
    if wanted > window.remaining {
      _ = missing(place, wanted, window, &decoded)
      return Extent(
        bytes: Slice(start: window.position, count: window.remaining), isShort: true)
    }
    return Extent(bytes: Slice(start: window.position, count: wanted))
  }

  /// Returns the number in up to eight bytes.
  static func load(_ bytes: RawSpan, _ offset: Int, _ width: Int, bigEndian: Bool) -> UInt64 {
    var number: UInt64 = 0
    if bigEndian {
      for index in 0..<width { number = number << 8 | UInt64(bytes.byte(at: offset + index)) }
    } else {
      for index in 0..<width {
        number |= UInt64(bytes.byte(at: offset + index)) << UInt64(8 * index)
      }
    }
    return number
  }

  /// Reads an integer, and the bits inside it.
  private mutating func integer(
    _ place: Int, _ definition: Definition, _ bytes: RawSpan,
    _ window: inout Window, _ decoded: inout Decoded
  ) -> Outcome {
    let field = definition.tables.fields[place]
    guard window.remaining >= field.width else {
      return missing(place, field.width, window, &decoded)
    }
    let start = window.position
    let isBig = field.flags.contains(.bigEndian)
    let loaded = Self.load(bytes, start, field.width, bigEndian: isBig)
    window.position += field.width
    var number = Int(truncatingIfNeeded: loaded)
    if field.kind == .signed { number = Self.signed(loaded, bits: 8 * field.width) }
    fill(field.slot, number, of: place)
    let slice = Slice(start: start, count: field.width)
    if field.checksum >= 0 {
      check(place, definition, number, slice, bytes, window, &decoded)
    } else if field.end > place + 1 {
      split(place, loaded, slice, definition, &decoded)
    } else {
      append(place, number, slice, definition, &decoded)
    }
    return .done
  }

  private static func signed(_ number: UInt64, bits: Int) -> Int {
    let unused = max(0, min(63, 64 - bits))
    return Int(truncatingIfNeeded: number << UInt64(unused)) >> unused
  }

  /// Verifies a checksum.
  private mutating func check(
    _ place: Int, _ definition: Definition, _ number: Int, _ slice: Slice, _ bytes: RawSpan,
    _ window: Window, _ decoded: inout Decoded
  ) {
    let field = definition.tables.fields[place]
    guard let algorithm = definition.tables.checksum(field.checksum) else { return }
    let from = min(window.group + field.checksumFrom, Int(slice.start))
    let covered = Slice(start: from, count: Int(slice.start) - from)
    // Many checksums over long values would otherwise take too long.
    fuel -= Int(covered.count) / 16
    let expected = Int(algorithm.compute(bytes.part(covered)))
    let isRight = expected == number
    decoded.fields.append(
      DecodedField(
        field: place, form: isRight ? .checksumOK : .checksumBad, raw: expected, bytes: slice,
        end: decoded.fields.count + 1))
    if !isRight {
      decoded.problems.append(
        DecodingProblem(
          code: .badChecksum, field: place, bytes: slice, found: number, expected: expected))
    }
  }

  /// Adds the bits of a number.
  private mutating func split(
    _ place: Int, _ number: UInt64, _ slice: Slice, _ definition: Definition,
    _ decoded: inout Decoded
  ) {
    let field = definition.tables.fields[place]
    var named: UInt64 = 0
    for inner in place + 1..<field.end {
      let bits = definition.tables.fields[inner]
      let mask: UInt64 = bits.bitCount >= 64 ? .max : (1 << UInt64(max(0, bits.bitCount))) - 1
      let part = number >> UInt64(max(0, bits.bit)) & mask
      named |= mask << UInt64(max(0, bits.bit))
      let value =
        bits.flags.contains(.signedBits)
        ? Self.signed(part, bits: bits.bitCount) : Int(truncatingIfNeeded: part)
      fill(bits.slot, value, of: inner)
      append(inner, value, slice, definition, &decoded)
    }
    let reserved = number & ~named
    if reserved != 0 {
      decoded.problems.append(
        DecodingProblem(
          code: .reservedBits, field: place, bytes: slice, found: Int(truncatingIfNeeded: reserved),
          expected: 0))
    }
  }

  /// Adds an integer, with its word and its problem, if any.
  private func append(
    _ place: Int, _ number: Int, _ slice: Slice, _ definition: Definition,
    _ decoded: inout Decoded
  ) {
    let field = definition.tables.fields[place]
    var entry = DecodedField(
      field: place, form: .integer, raw: number, bytes: slice, end: decoded.fields.count + 1)
    if field.codeCount > 0,
      let code = code(of: number, field.firstCode, field.codeCount, definition)
    {
      entry.word = Int32(truncatingIfNeeded: definition.tables.codes[code].word)
    }
    decoded.fields.append(entry)
    var problem: DecodingProblem.Code?
    if field.flags.contains(.hasEquals), number != field.equals {
      problem = .unexpectedValue
    } else if field.flags.contains(.isCode), entry.word < 0 {
      problem = .reservedValue
    } else if field.limit >= 0, entry.word < 0,
      !definition.tables.limits[field.limit].contains(number)
    {
      problem = .outOfRange
    }
    guard let problem else { return }
    decoded.problems.append(
      DecodingProblem(
        code: problem, field: place, bytes: slice, found: number, expected: field.equals))
  }

  /// Adds a computed number; nothing if it is unknown.
  private mutating func computed(
    _ place: Int, _ definition: Definition, _ window: Window,
    _ decoded: inout Decoded
  ) -> Outcome {
    let field = definition.tables.fields[place]
    let number = value(of: field.selector, definition, window)
    guard number.isKnown else { return .done }
    fill(field.slot, number.number, of: place)
    let slice = Slice(start: window.position, count: 0)
    append(place, number.number, slice, definition, &decoded)
    return .done
  }

  /// Reads a value that is not an integer.
  private mutating func other(
    _ place: Int, _ definition: Definition, _ bytes: RawSpan,
    _ window: inout Window, _ decoded: inout Decoded
  ) -> Outcome {
    let field = definition.tables.fields[place]
    var slice: Slice
    var isShort = false
    var skipped = 0
    if field.terminator >= 0 {
      (slice, skipped) = terminated(place, definition, bytes, window)
    } else if let extent = extent(place, definition, bytes, &window, &decoded) {
      (slice, isShort) = (extent.bytes, extent.isShort)
    } else {
      return .missing
    }
    let isDivisible: Bool =
      switch field.kind {
      case .utf8, .bytes, .utf16, .text, .json, .cbor: true
      default: false
      }
    // The present part of text or bytes is worth showing; that of a number is not.
    if isShort, !isDivisible { return .missing }
    window.position = slice.end + skipped
    var entry = DecodedField(
      field: place, form: .bytes, bytes: slice, end: decoded.fields.count + 1)
    read(place, &entry, definition, bytes, &decoded)
    if !isShort || !slice.isEmpty { decoded.fields.append(entry) }
    return isShort ? .missing : .done
  }

  /// Returns everything up to the bytes that terminate a text, and the number of those.
  private func terminated(
    _ place: Int, _ definition: Definition, _ bytes: RawSpan, _ window: Window
  ) -> (Slice, Int) {
    let field = definition.tables.fields[place]
    let words = definition.words
    let pattern = words.bytes(field.terminator)
    let count = pattern.byteCount
    var offset = window.position
    while count > 0, offset + count <= window.end {
      if bytes.part(Slice(start: offset, count: count)).isEqual(to: pattern) {
        return (Slice(start: window.position, count: offset - window.position), count)
      }
      offset += 1
    }
    return (Slice(start: window.position, count: window.remaining), 0)
  }

  /// Determines the form of a field's bytes.
  private mutating func read(
    _ place: Int, _ entry: inout DecodedField, _ definition: Definition,
    _ bytes: RawSpan, _ decoded: inout Decoded
  ) {
    let field = definition.tables.fields[place]
    let (start, count) = (Int(entry.bytes.start), Int(entry.bytes.count))
    let isBig = field.flags.contains(.bigEndian)
    switch field.kind {
    case .float: entry.readFloat(Self.load(bytes, start, count, bigEndian: isBig), width: count)
    case .medfloat:
      entry.readMedicalFloat(Self.load(bytes, start, count, bigEndian: isBig), width: count)
    case .bcd: readDigits(place, &entry, definition, bytes, &decoded)
    case .dateTime:
      entry.form = .dateTime
      let year = Self.load(bytes, start, 2, bigEndian: isBig)
      if !CivilDate.isPossible(year: Int64(year), bytes.part(entry.bytes).dropping(2)) {
        complain(.outOfRange, place, entry, &decoded)
      }
    case .utf8:
      entry.form = .utf8
      if !bytes.part(entry.bytes).isUTF8 { complain(.badText, place, entry, &decoded) }
      // Shorter texts always have room, whatever their bytes represent.
      if field.codeCount > 0, count > Self.mostText / Self.mostExpanded {
        let length = definition.expand(bytes.part(entry.bytes), field) { _ in }
        if length > Self.mostText {
          decoded.problems.append(
            DecodingProblem(
              code: .limit, field: place, bytes: entry.bytes, found: length,
              expected: Self.mostText))
        }
      }
    case .text: entry.form = bytes.part(entry.bytes).isPlainText ? .utf8 : .bytes
    case .json: structure(place, &entry, .json, bytes, &decoded)
    case .cbor: structure(place, &entry, .cbor, bytes, &decoded)
    case .utf16: entry.form = .utf16
    case .uuid: entry.form = count == 2 || count == 4 || count == 16 ? .uuid : .bytes
    case .address:
      entry.form = count == 6 ? .address : .bytes
      let number = Int(truncatingIfNeeded: Self.load(bytes, start, count, bigEndian: isBig))
      if let code = code(of: number, field.firstCode, field.codeCount, definition) {
        entry.word = Int32(truncatingIfNeeded: definition.tables.codes[code].word)
      }
    default:
      guard field.pattern >= 0 else { return }
      let words = definition.words
      if !bytes.part(entry.bytes).isEqual(to: words.bytes(field.pattern)) {
        complain(.unexpectedValue, place, entry, &decoded)
      }
    }
  }

  /// Determines whether a field's bytes have the structure of their format.
  private mutating func structure(
    _ place: Int, _ entry: inout DecodedField, _ format: StructuredData.Format, _ bytes: RawSpan,
    _ decoded: inout Decoded
  ) {
    fuel -= Int(entry.bytes.count) / 16
    switch StructuredData.failure(bytes.part(entry.bytes), format) {
    case nil: entry.form = .structure
    case .invalid: complain(.badFormat, place, entry, &decoded)
    case .limit: complain(.limit, place, entry, &decoded)
    }
  }

  private func complain(
    _ code: DecodingProblem.Code, _ place: Int, _ entry: DecodedField, _ decoded: inout Decoded
  ) {
    decoded.problems.append(
      DecodingProblem(code: code, field: place, bytes: entry.bytes, found: 0, expected: 0))
  }

  /// Reads binary-coded decimals: two digits a byte. Up to nine bytes form a number.
  private mutating func readDigits(
    _ place: Int, _ entry: inout DecodedField, _ definition: Definition, _ bytes: RawSpan,
    _ decoded: inout Decoded
  ) {
    let field = definition.tables.fields[place]
    let count = Int(entry.bytes.count)
    guard count <= 9 else { return }
    var number = 0
    for index in 0..<count {
      let offset = field.flags.contains(.bigEndian) ? index : count - 1 - index
      let byte = bytes.byte(at: Int(entry.bytes.start) + offset)
      guard byte >> 4 < 10, byte & 15 < 10 else {
        complain(.badDigit, place, entry, &decoded)
        return
      }
      number = number * 100 + Int(byte >> 4) * 10 + Int(byte & 15)
    }
    entry.form = .integer
    entry.raw = number
    fill(field.slot, number, of: place)
  }
}

extension RawSpan {
  /// Whether all of it is plain text: UTF-8 without control characters except tabs and line ends,
  /// possibly with a zero at the end.
  fileprivate var isPlainText: Bool {
    for offset in 0..<byteCount {
      switch byte(at: offset) {
      case 0 where offset == byteCount - 1: break
      case 0x09, 0x0a, 0x0d: break
      case 0x00..<0x20, 0x7f: return false
      default: break
      }
    }
    return isUTF8
  }

  var isUTF8: Bool {
    var offset = 0
    while offset < byteCount {
      guard case .scalar(_, let count) = textUnit(at: offset) else { return false }
      offset += count
    }
    return true
  }
}

extension DecodedField {
  /// Reads an IEEE 754 number of 2, 4 or 8 bytes.
  fileprivate mutating func readFloat(_ bits: UInt64, width: Int) {
    let value: Double
    switch width {
    case 2: value = Self.half(UInt16(truncatingIfNeeded: bits))
    case 4: value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    default: value = Double(bitPattern: bits)
    }
    if value.isFinite {
      form = .double
      raw = Int(bitPattern: UInt(value.bitPattern))
    } else {
      noNumber(value.isNaN ? .nan : value < 0 ? .negativeInfinity : .infinity)
    }
  }

  /// Returns a half-precision number: sign, 5 bits of exponent, 10 of fraction.
  private static func half(_ bits: UInt16) -> Double {
    let exponent = Int(bits >> 10 & 31)
    let fraction = Double(bits & 0x3ff) / 1024
    let sign: Double = bits & 0x8000 == 0 ? 1 : -1
    switch exponent {
    case 0: return sign * fraction / 16384
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default: return sign * Double(sign: .plus, exponent: exponent - 15, significand: 1 + fraction)
    }
  }

  /// Reads SFLOAT (12 bits of mantissa, 4 of exponent) or FLOAT (24 and 8), both in two's
  /// complement. Five mantissas are special values if the exponent is 0 (IEEE 11073-20601).
  fileprivate mutating func readMedicalFloat(_ bits: UInt64, width: Int) {
    let mantissaBits: UInt64 = width == 2 ? 12 : 24
    let most: UInt64 = 1 << (mantissaBits - 1)
    switch bits {
    case most - 1: noNumber(.nan)
    case most - 2: noNumber(.infinity)
    case most: noNumber(.nres)
    case most + 1: noNumber(.reserved)
    case most + 2: noNumber(.negativeInfinity)
    default:
      let unused = 64 - Int(mantissaBits)
      form = .decimal
      raw = Int(truncatingIfNeeded: bits << UInt64(unused)) >> unused
      let exponentBits = width == 2 ? 4 : 8
      let shifted = Int(truncatingIfNeeded: bits << UInt64(64 - 8 * width))
      exponent = Int16(truncatingIfNeeded: shifted >> (64 - exponentBits))
    }
  }

  private mutating func noNumber(_ word: NumberWord) {
    form = .noNumber
    raw = word.rawValue
  }
}
