// Reads the parameters of a command, event or AD structure by its row. Only this code knows how the
// table entries are laid out in bytes.

package import Bluetooth
package import Bytes

/// The value of one parameter.
package enum FieldValue: Sendable {
  /// A number of `width` bytes; signed ones have been sign-extended.
  case number(Int64, width: Int, Parameter.Form)
  /// A device address.
  case address(DeviceAddress, isRandom: Bool)
  /// Bytes without further structure.
  case bytes(Parameter.Content)
  /// A UTF-8 string without trailing zeros.
  case text
  case uuid(BluetoothUUID)
  /// Secret bytes.
  case secret(Parameter.Content)
  /// AD structures.
  case advertisingData
  /// A part of AD structures, which may begin and end anywhere.
  case advertisingFragment
}

/// A visitor of a packet's parameters, called once for each.
package protocol FieldVisitor: ~Copyable {
  /// Whether only the parameters that appear in the one-line form should be visited.
  static var wantsLineOnly: Bool { get }
  /// Called for a parameter with its name, its words in the one-line form, its value, and its
  /// bytes, which are at `slice` of the packet's.
  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice)
  /// Called for a parameter that is a number, as most are, without constructing a `FieldValue`. It
  /// is little-endian and takes `width` bytes from the start of `slice`.
  mutating func field(
    _ name: StaticString, line: StaticString?, number: Int64, width: Int,
    _ form: Parameter.Form, _ bytes: RawSpan, at slice: Slice)
  /// Called at the beginning of a list; `ofDevices`: each item is a device that was heard.
  mutating func beginList(_ name: StaticString, ofDevices: Bool)
  /// Called at the beginning of an item of the list.
  mutating func beginItem()
  /// Called at the end of the item.
  mutating func endItem()
  /// Called at the end of the list.
  mutating func endList()
}

/// The defaults that suit most visitors: all parameters, and nothing for lists.
extension FieldVisitor where Self: ~Copyable {
  package static var wantsLineOnly: Bool { false }
  package mutating func field(
    _ name: StaticString, line: StaticString?, number: Int64, width: Int,
    _ form: Parameter.Form, _ bytes: RawSpan, at slice: Slice
  ) {
    field(name, line: line, .number(number, width: width, form), bytes, at: slice)
  }
  package mutating func beginList(_ name: StaticString, ofDevices: Bool) {}
  package mutating func beginItem() {}
  package mutating func endItem() {}
  package mutating func endList() {}
}

/// A walk over parameters by their rows.
package struct FieldWalk: ~Escapable {
  private var cursor: Cursor
  /// The value of the latest count, until a list or counted bytes use it.
  private var count: Int?
  /// The value of the latest selector.
  private var selected: Int64 = 0
  /// Whether a selector had a value whose layout is unknown.
  package private(set) var isUnknownChoice = false
  /// Whether the bytes that belong to no parameter have an unknown layout, which is not an error.
  package private(set) var isOpen = false
  /// The value of a later count, for the list or counted bytes after those of the first.
  private var laterCount: Int?
  /// The header whose bits state the types of addresses.
  private var header: UInt8 = 0
  /// Whether the advertising data is a fragment of more (Operation, 7.8.54), so that its contents
  /// cannot be known.
  package private(set) var isFragment = false
  /// The advertising data read last.
  package private(set) var advertising: Slice = .empty
  /// The field that contained it, which may be longer.
  package private(set) var advertisingField: Slice = .empty

  /// Walks the part `body` of `bytes`.
  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan, _ body: Slice) {
    cursor = Cursor(bytes, body)
  }

  /// The kind of an incomplete parameter at which the walk ended early.
  package enum Cut: Sendable { case text, advertisingData }
  /// The kind of parameter that the rest begins, if the walk ended early; nil for others or none.
  package private(set) var cut: Cut?

  /// Returns the bytes that belong to no parameter.
  @_lifetime(self: copy self)
  package mutating func rest() -> Slice { cursor.rest() }

  /// Reads the parameters of a row and passes each to `visitor`.
  ///
  /// - Throws: If a parameter extends past the end. Those before it have been visited.
  @_lifetime(self: copy self)
  package mutating func walk<Visitor: FieldVisitor & ~Copyable>(
    _ layout: ParameterLayout, _ visitor: inout Visitor
  ) throws(ParseError) {
    let fields = layout.fields.span
    try walk(fields, fields.indices, &visitor)
  }

  /// Reads parameters that are not in a table.
  @_lifetime(self: copy self)
  mutating func walk<Visitor: FieldVisitor & ~Copyable>(
    _ parameters: [Parameter], _ visitor: inout Visitor
  ) throws(ParseError) {
    var fields: [ParameterField] = []
    for parameter in parameters { parameter.append(to: &fields) }
    try walk(fields.span, fields.indices, &visitor)
  }

  /// Reads the parameters at `range` of `fields`.
  @_lifetime(self: copy self)
  mutating func walk<Visitor: FieldVisitor & ~Copyable>(
    _ fields: Span<ParameterField>, _ range: Range<Int>, _ visitor: inout Visitor
  ) throws(ParseError) {
    var position = range.lowerBound
    let skipsSilent = Visitor.wantsLineOnly
    while position < range.upperBound {
      let field = fields[position]
      position += 1
      if skipsSilent, field.line == nil, let size = field.plainSize {
        _ = try cursor.take(Int(size))
        continue
      }
      let width = field.unsignedWidth
      if width > 0 {
        let slice = Slice(start: cursor.offset, count: Int(width))
        let number = try unsigned(width)
        visitor.field(
          field.name, line: field.line, number: number, width: Int(width), field.form,
          cursor.bytes(slice), at: slice)
        continue
      }
      switch field.kind {
      case .list(let ofDevices):
        let items = position..<position + Int(field.itemFields)
        try readList(
          field.name, ofDevices: ofDevices, fields, items, leastSize: Int(field.leastItemSize),
          &visitor)
        position = items.upperBound
      case .choice:
        let layouts = position..<position + Int(field.itemFields)
        position = layouts.upperBound
        if let chosen = chosen(fields, layouts) {
          try walk(fields, chosen, &visitor)
        } else {
          isUnknownChoice = true
          isOpen = true
        }
      case .packed, .ifSet:
        let items = position..<position + Int(field.itemFields)
        position = items.upperBound
        try readBits(fields, items, &visitor)
      case .versionEnd(let least):
        if cursor.remaining >= least { continue }
        isOpen = true
        return
      default: try read(field, &visitor)
      }
    }
  }

  /// Returns the fields of the layout selected by the latest selector.
  private func chosen(_ fields: Span<ParameterField>, _ layouts: Range<Int>) -> Range<Int>? {
    var position = layouts.lowerBound
    while position < layouts.upperBound {
      let own = position + 1..<position + 1 + Int(fields[position].itemFields)
      switch fields[position].kind {
      case .alternative(let value) where Int64(value) == selected: return own
      case .otherwise: return own
      default: position = own.upperBound
      }
    }
    return nil
  }

  @_lifetime(self: copy self)
  private mutating func read<Visitor: FieldVisitor & ~Copyable>(
    _ parameter: ParameterField, _ visitor: inout Visitor
  ) throws(ParseError) {
    let start = cursor.offset
    var slice: Slice
    let value: FieldValue
    switch parameter.kind {
    case .signed(let width, let form):
      let raw = try unsigned(width)
      let shift = 64 - 8 * Int64(width)
      value = .number((raw << shift) >> shift, width: Int(width), form)
      slice = Slice(start: start, count: Int(width))
    case .count(let width):
      let number = try unsigned(width)
      count = Int(number)
      value = .number(number, width: Int(width), .plain)
      slice = Slice(start: start, count: Int(width))
    case .laterCount(let width):
      let number = try unsigned(width)
      laterCount = Int(number)
      value = .number(number, width: Int(width), .plain)
      slice = Slice(start: start, count: Int(width))
    case .countOfBits(let width, let set):
      let number = try unsigned(width)
      count = number.nonzeroBitCount
      value = .number(number, width: Int(width), .flags(set))
      slice = Slice(start: start, count: Int(width))
    case .selector(let width, let form):
      selected = try unsigned(width)
      value = .number(selected, width: Int(width), form)
      slice = Slice(start: start, count: Int(width))
    case .countBeyond(let before):
      let number = try unsigned(1)
      count = max(0, Int(number) - Int(before))
      value = .number(number, width: 1, .plain)
      slice = Slice(start: start, count: 1)
    case .dataOperation:
      let operation = try unsigned(1)
      isFragment = operation != 3
      value = .number(operation, width: 1, .code(.dataOperation))
      slice = Slice(start: start, count: 1)
    case .address(let isRandom):
      value = .address(try DeviceAddress(parsing: &cursor), isRandom: isRandom)
      slice = Slice(start: start, count: 6)
    case .bytes(let length):
      slice = try cursor.take(length)
      value = .bytes(parameter.content)
    case .counted:
      slice = try cursor.take(takeCount() ?? 0)
      value = .bytes(parameter.content)
    case .rest:
      slice = cursor.rest()
      value = .bytes(parameter.content)
    case .half(let before):
      slice = try cursor.take(max(0, (cursor.remaining + before) / 2 - before))
      value = .bytes(parameter.content)
    case .uuid(let width): (slice, value) = try uuid(width, parameter.content)
    case .halfUUID: (slice, value) = try uuid(cursor.remaining / 2, parameter.content)
    case .restText:
      slice = trimmed(cursor.rest())
      value = .text
    case .text(let length):
      if cursor.remaining < length { cut = .text }
      let field = try cursor.take(length)
      slice = trimmed(field)
      value = .text
    case .secret(let length):
      slice = try cursor.take(length)
      value = .secret(parameter.content)
    case .optionalSecret(let length):
      if cursor.isAtEnd { return }
      slice = try cursor.take(length)
      value = .secret(parameter.content)
    case .countedSecret:
      slice = try cursor.take(takeCount() ?? cursor.remaining)
      value = .secret(parameter.content)
    case .advertisingData(let field):
      let length = takeCount() ?? field
      let data: FieldValue = isFragment ? .advertisingFragment : .advertisingData
      let needed = field == 0 ? length : field
      if cursor.remaining < needed { cut = .advertisingData }
      slice = try cursor.take(needed)
      if length > slice.count {
        visitor.field(
          parameter.name, line: parameter.line, data, cursor.bytes(slice), at: slice)
        throw ParseError(offset: start, needed: length, available: Int(slice.count))
      }
      advertisingField = slice
      slice = Slice(start: Int(slice.start), count: length)
      advertising = slice
      value = data
    case .addressByHeader(let bit):
      let isRandom = header >> bit & 1 == 1
      value = .address(try DeviceAddress(parsing: &cursor), isRandom: isRandom)
      slice = Slice(start: start, count: 6)
    case .untilEnd, .restAdvertising:
      slice = parameter.kind == .untilEnd ? try untilEnd() : cursor.rest()
      if slice.isEmpty { return }
      (advertising, advertisingField) = (slice, slice)
      value = .advertisingData
    case .openEnd:
      isOpen = true
      return
    // The walk handles these itself.
    case .unsigned, .list, .choice, .alternative, .otherwise, .versionEnd, .packed, .bits,
      .lengthBits, .unusedBits, .ifSet:
      return
    }
    visitor.field(parameter.name, line: parameter.line, value, cursor.bytes(slice), at: slice)
  }

  /// Reads a number of bit fields and passes each of these, or the parameters that a bit selects:
  /// those before which their structure is.
  @_lifetime(self: copy self)
  @inline(never)
  private mutating func readBits<Visitor: FieldVisitor & ~Copyable>(
    _ fields: Span<ParameterField>, _ parts: Range<Int>, _ visitor: inout Visitor
  ) throws(ParseError) {
    let kind = fields[parts.lowerBound - 1].kind
    guard case .packed(let width, let isHeader) = kind else {
      guard case .ifSet(let bit) = kind, selected >> Int64(bit) & 1 == 1 else { return }
      return try walk(fields, parts, &visitor)
    }
    let slice = Slice(start: cursor.offset, count: Int(width))
    var bits = UInt64(bitPattern: try unsigned(width))
    if isHeader { header = UInt8(truncatingIfNeeded: bits) }
    for position in parts {
      let field = fields[position]
      let (count, form) = field.bits
      let number = Int64(bits & (1 << UInt64(count) - 1))
      bits >>= UInt64(count)
      switch field.kind {
      case .lengthBits:
        selected = number
        self.count = cursor.offset + Int(number)
      case .bits: break
      default: continue
      }
      if Visitor.wantsLineOnly, field.line == nil { continue }
      visitor.field(
        field.name, line: field.line, number: number, width: (Int(count) + 7) / 8, form,
        cursor.bytes(slice), at: slice)
    }
  }

  /// Takes the bytes up to the end that `lengthBits` stated.
  @_lifetime(self: copy self)
  private mutating func untilEnd() throws(ParseError) -> Slice {
    let end = takeCount() ?? cursor.offset
    guard end >= cursor.offset else {
      throw ParseError(offset: end, needed: cursor.offset - end, available: 0)
    }
    return try cursor.take(end - cursor.offset)
  }

  @_lifetime(self: copy self)
  private mutating func unsigned(_ width: UInt8) throws(ParseError) -> Int64 {
    Int64(bitPattern: try cursor.unsigned(width: Int(width)))
  }

  /// Reads a UUID, or bytes if no UUID has this length.
  @_lifetime(self: copy self)
  private mutating func uuid(
    _ width: Int, _ content: Parameter.Content
  ) throws(ParseError) -> (Slice, FieldValue) {
    var ahead = cursor
    let slice = try cursor.take(width)
    let uuid = try BluetoothUUID(parsing: &ahead, width: width)
    return (slice, uuid.map { .uuid($0) } ?? .bytes(content))
  }

  @_lifetime(self: copy self)
  private mutating func takeCount() -> Int? {
    defer {
      count = laterCount
      laterCount = nil
    }
    return count
  }

  /// Returns the bytes of a string before the first zero.
  private func trimmed(_ field: Slice) -> Slice {
    var length = 0
    while length < field.count, cursor.peek(Int(field.start) + length) != 0 { length += 1 }
    return Slice(start: Int(field.start), count: length)
  }

  /// Reads as many items as the preceding count states, or up to the end if there is no count.
  @_lifetime(self: copy self)
  private mutating func readList<Visitor: FieldVisitor & ~Copyable>(
    _ name: StaticString, ofDevices: Bool, _ fields: Span<ParameterField>, _ items: Range<Int>,
    leastSize: Int, _ visitor: inout Visitor
  ) throws(ParseError) {
    let expected = takeCount()
    visitor.beginList(name, ofDevices: ofDevices)
    defer { visitor.endList() }
    var done = 0
    while expected.map({ done < $0 }) ?? !cursor.isAtEnd {
      // An item without any bytes does not count as begun; its first field throws.
      if cursor.remaining < leastSize { try walk(fields, items, &visitor) }
      let start = cursor.offset
      visitor.beginItem()
      defer { visitor.endItem() }
      try walk(fields, items, &visitor)
      done += 1
      // Items without any bytes would never reach the end.
      if cursor.offset == start { break }
    }
  }
}

/// A visitor that does nothing, used to check whether the bytes suffice.
struct SilentVisitor: FieldVisitor {
  static var wantsLineOnly: Bool { true }
  func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {}
}
