import Bytes

/// Examines messages for what frames and series depend on. It has a decoder of its own, so that
/// what a report reads is not disturbed.
struct MessageLooker: Sendable {
  private var decoded = Decoded()

  /// Decodes a response; nil if it is not one. Requests are written in one piece.
  mutating func response(
    _ bytes: RawSpan, _ context: VendorMessages.Context
  ) -> (message: VendorProtocol.Message, command: Int?)? {
    let vendor = context.vendor
    let (layout, _) = vendor.extent(of: bytes, isRequest: context.isRequestChannel)
    let frame = vendor.frames.at(layout).parts(
      of: bytes, Slice(start: 0, count: bytes.byteCount), layout: layout)
    let isRequest = vendor.isRequest(frame, bytes, onRequestChannel: context.isRequestChannel)
    guard !isRequest, let message = vendor.message(frame, bytes, isRequest: false) else {
      return nil
    }
    var decoder = ValueDecoder()
    vendor.decode(frame, message, bytes, isRequest: false, with: &decoder, into: &decoded)
    return (message, frame.command)
  }

  /// Whether the fields of the last decoded message require more bytes than there were.
  var lacksBytes: Bool { decoded.problems.contains { $0.code == .missingBytes } }

  /// Returns what a request asks for: the number of elements of the list at its end, and the
  /// numbers before it.
  mutating func asked(
    _ message: VendorProtocol.Message, _ frame: Frame, _ bytes: RawSpan, _ sighting: VendorSighting,
    _ vendor: VendorProtocol
  ) -> Asked {
    let tables = message.definition.tables
    let field = tables.fields.last { $0.flags.contains(.repeatRest) }
    let name = field.map { tables.words.bytes($0.name).array } ?? []
    var decoder = ValueDecoder()
    vendor.decode(
      frame, message, bytes, isRequest: sighting.isRequest, with: &decoder, into: &decoded)
    var echoes: [Asked.Echo] = []
    for entry in decoded.fields.prefix(Self.mostEchoes) where entry.field >= 0 {
      let row = tables.fields[entry.field]
      guard entry.form != .group, !row.flags.contains(.repeated) else { break }
      guard entry.form == .integer, row.name >= 0 else { continue }
      echoes.append(Asked.Echo(name: tables.words.bytes(row.name).array, number: entry.raw))
    }
    return Asked(
      list: name, count: name.isEmpty ? 0 : count(of: name, message.definition), echoes: echoes)
  }

  /// The most numbers of a request that are looked for in responses.
  private static let mostEchoes = 4

  /// Returns whether the last decoded message has a number with the same name as one of a request
  /// but a different value.
  func contradicts(_ asked: Asked?) -> Bool {
    asked?.echoes.contains { echo in number(of: echo).map { $0 != echo.number } ?? false } ?? false
  }

  /// Returns whether the last decoded message has all numbers of a request.
  func repeats(_ asked: Asked) -> Bool {
    asked.echoes.allSatisfy { number(of: $0) == $0.number }
  }

  /// Returns the number in the last decoded message with the name of a request's number.
  private func number(of echo: Asked.Echo) -> Int? {
    guard let tables = decoded.definition?.tables else { return nil }
    let found = decoded.fields.first { entry in
      guard entry.form == .integer, entry.field >= 0 else { return false }
      let name = tables.fields[entry.field].name
      return name >= 0 && tables.words.bytes(name).isEqual(to: echo.name.bytes)
    }
    return found?.raw
  }

  /// Returns the number of elements of a list in the last decoded message.
  func count(of name: [UInt8], _ definition: Definition) -> Int {
    let tables = definition.tables
    return decoded.fields.count { field in
      guard field.field >= 0, field.field < tables.fields.count else { return false }
      let row = tables.fields[field.field]
      return row.flags.contains(.repeated) && tables.words.bytes(row.name).isEqual(to: name.bytes)
    }
  }

  /// Returns how many messages a message announces; nil if unknown.
  mutating func count(
    of rule: VendorProtocol.Series, _ message: VendorProtocol.Message, _ frame: Frame,
    _ bytes: RawSpan, _ sighting: VendorSighting, _ vendor: VendorProtocol
  ) -> Int? {
    var decoder = ValueDecoder()
    vendor.decode(
      frame, message, bytes, isRequest: sighting.isRequest, with: &decoder, into: &decoded)
    let window = ValueDecoder.Window(group: 0, sized: 0, position: 0, end: 0)
    let count = decoder.value(of: rule.count, message.definition, window)
    return count.isKnown ? count.number : nil
  }

  /// Returns the number of a message's field.
  mutating func number(
    of field: String, _ message: VendorProtocol.Message, _ frame: Frame, _ bytes: RawSpan,
    _ sighting: VendorSighting, _ vendor: VendorProtocol
  ) -> Int? {
    var decoder = ValueDecoder()
    vendor.decode(
      frame, message, bytes, isRequest: sighting.isRequest, with: &decoder, into: &decoded)
    let number = decoded.number(of: field)
    return number.isKnown ? number.number : nil
  }

  /// Returns the number of a field of a value.
  mutating func number(of field: String, _ definition: Definition, _ bytes: RawSpan) -> Int? {
    var decoder = ValueDecoder()
    decoder.decode(definition, bytes, into: &decoded)
    let number = decoded.number(of: field)
    return number.isKnown ? number.number : nil
  }
}
