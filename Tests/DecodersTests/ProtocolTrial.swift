import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

/// A protocol for a test, and the state of its messages.
struct ProtocolTrial {
  let vendor: VendorProtocol
  var messages = VendorMessages()
  private var packet = 0

  /// Creates a protocol from the keys after `applies_to`.
  init(_ text: String, isByFrame: Bool = false) throws {
    let claim = isByFrame ? "{frame: true}" : "{characteristic: \"fff7\"}"
    let file = Decoding.read("profile: trial\napplies_to: [\(claim)]\n" + text)
    #expect(file.errors.map(\.description) == [])
    vendor = try #require(file.profile?.vendor)
  }

  /// Uses a built-in protocol.
  init(named name: String) throws {
    vendor = try #require(BuiltInProfiles.vendors.first { $0.profile == name })
  }

  /// Processes a value in the next packet.
  mutating func accept(
    _ bytes: [UInt8], isWritten: Bool = false, isByFrame: Bool = false, milliseconds: Int64? = 0,
    conversation: UInt64 = 2, handle: UInt16 = 0x12
  ) -> VendorSighting? {
    packet += 1
    let channel = VendorChannel(
      of: 0, isByFrame: isByFrame, conversation: conversation, handle: handle, isWritten: isWritten)
    return messages.accept(
      vendor, on: channel, isRequestChannel: isWritten, bytes.bytes, packet: packet,
      time: milliseconds.map { Timestamp(microseconds: $0 * 1000) })
  }

  /// Returns the payload of a message that was joined, or that is in its value.
  static func payload(_ sighting: VendorSighting?, _ value: [UInt8] = []) -> [UInt8]? {
    guard let sighting, let frame = sighting.frame else { return nil }
    let bytes = sighting.bytes ?? value
    return Array(bytes[Int(frame.payload.start)..<frame.payload.end])
  }

  /// Decodes a message: fields in JSON, then problems.
  static func decode(_ sighting: VendorSighting?, _ value: [UInt8]) -> Decoding.Result? {
    guard let sighting, let frame = sighting.frame, let message = sighting.message else {
      return nil
    }
    var decoder = ValueDecoder()
    var decoded = Decoded()
    let bytes = sighting.bytes ?? value
    sighting.vendor.decode(
      frame, message, bytes.bytes, isRequest: sighting.isRequest, with: &decoder, into: &decoded)
    let fields = DecodedWriter(decoded, isJSON: true)?.plainFields(bytes.bytes)
    return Decoding.Result(
      fields: fields ?? "", line: "",
      problems: decoded.problems.map { "\($0.code.name)" }, decoded: decoded)
  }
}
