import Bytes

/// Looks into messages for what frames and series depend on. Its own decoder, so that what a report reads
/// is not disturbed.
struct MessageLooker: Sendable {
  private var decoded = Decoded()

  /// Decodes a response; nil where it is none. Requests are written whole.
  mutating func response(
    _ bytes: RawSpan, _ moment: VendorMessages.Moment
  ) -> (message: VendorProtocol.Message, command: Int?)? {
    let vendor = moment.vendor
    let frame = vendor.frame.parts(of: bytes, Slice(start: 0, count: bytes.byteCount))
    let isRequest = vendor.isRequest(frame, bytes, onRequestChannel: moment.isRequestChannel)
    guard !isRequest, let message = vendor.message(frame.command, isRequest: false) else {
      return nil
    }
    var decoder = ValueDecoder()
    vendor.decode(frame, message, bytes, isRequest: false, with: &decoder, into: &decoded)
    return (message, frame.command)
  }

  /// Whether the fields of the message that was decoded last want more bytes than there were.
  var lacksBytes: Bool { decoded.problems.contains { $0.code == .missingBytes } }

  /// The list of a message that goes on to its end, and how many elements it has; nil where there is none.
  mutating func list(
    _ message: VendorProtocol.Message, _ frame: Frame, _ bytes: RawSpan, _ sighting: VendorSighting,
    _ vendor: VendorProtocol
  ) -> ListLength? {
    let tables = message.definition.tables
    guard let field = tables.fields.last(where: { $0.flags.contains(.repeatRest) }) else {
      return nil
    }
    var decoder = ValueDecoder()
    vendor.decode(
      frame, message, bytes, isRequest: sighting.isRequest, with: &decoder, into: &decoded)
    let name = tables.words.bytes(field.name).array
    return ListLength(name: name, count: count(of: name, message.definition))
  }

  /// How many elements of a list the message that was decoded last has.
  func count(of name: [UInt8], _ definition: Definition) -> Int {
    let tables = definition.tables
    return decoded.fields.count { field in
      guard field.field >= 0, field.field < tables.fields.count else { return false }
      let row = tables.fields[field.field]
      return row.flags.contains(.repeated) && tables.words.bytes(row.name).isEqual(to: name.bytes)
    }
  }

  /// How many messages one announces; nil where that is not known.
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

  /// The number of a message's field.
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

  /// The number of a field of a value.
  mutating func number(of field: String, _ definition: Definition, _ bytes: RawSpan) -> Int? {
    var decoder = ValueDecoder()
    decoder.decode(definition, bytes, into: &decoded)
    let number = decoded.number(of: field)
    return number.isKnown ? number.number : nil
  }
}
