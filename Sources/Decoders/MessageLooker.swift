import Bytes

/// Looks into messages for what frames and series depend on. Its own decoder, so that what a report reads
/// is not disturbed.
struct MessageLooker: Sendable {
  private var decoded = Decoded()

  /// Whether the fields of a response want more bytes than there are. Requests are written whole.
  mutating func isIncomplete(_ bytes: RawSpan, _ moment: VendorMessages.Moment) -> Bool {
    let vendor = moment.vendor
    let frame = vendor.frame.parts(of: bytes, Slice(start: 0, count: bytes.byteCount))
    let isRequest = vendor.isRequest(frame, bytes, onRequestChannel: moment.isRequestChannel)
    guard !isRequest, let message = vendor.message(frame.command, isRequest: false) else {
      return false
    }
    var decoder = ValueDecoder()
    vendor.decode(frame, message, bytes, isRequest: false, with: &decoder, into: &decoded)
    return decoded.problems.contains { $0.code == .missingBytes }
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
