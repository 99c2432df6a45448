import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

/// Helpers that read profiles and decode bytes with them.
enum Decoding {
  /// Returns the file of a profile with one characteristic that has these fields, as YAML list
  /// elements.
  static func profile(_ fields: String, more: String = "", before: String = "") -> String {
    var text = "profile: test\n\(before)characteristics:\n  - uuid: \"2aff\"\n    name: Test\n"
    text += fields.isEmpty ? "    fields: []\n" : "    fields:\n"
    for line in fields.split(separator: "\n", omittingEmptySubsequences: false)
    where !fields.isEmpty {
      text += "      \(line)\n"
    }
    return text + more
  }

  /// A reader that knows the built-in profiles; creating one reads all of them.
  static var reader: ProfileReader { ProfileReader(others: ProfileSources.files) }

  /// Reads a file.
  static func read(_ text: String, by reader: ProfileReader = reader) -> ProfileFile {
    reader.read([UInt8](text.utf8), name: "test.yaml")
  }

  /// Returns the first definition of a file, which must have no errors.
  static func definition(
    _ text: String, _ location: SourceLocation = #_sourceLocation
  ) throws -> Definition {
    let file = read(text)
    #expect(file.errors.map(\.description) == [], sourceLocation: location)
    return try #require(file.profile?.definitions.first, sourceLocation: location)
  }

  /// Converts hexadecimal digits to bytes.
  static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8.filter { $0 != 0x20 })
    return stride(from: 0, to: digits.count - 1, by: 2).map { index in
      UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
    }
  }

  /// Returns the extent of the frame in bytes. (Spans cannot be borrowed inside an expectation.)
  static func extent(
    _ vendor: VendorProtocol, _ bytes: [UInt8], isRequest: Bool = false
  ) -> FrameExtent {
    vendor.extent(of: bytes.bytes, isRequest: isRequest).extent
  }

  /// Returns whether the protocol recognises the bytes.
  static func recognizes(
    _ vendor: VendorProtocol, _ bytes: [UInt8], isRequest: Bool = false
  ) -> Bool {
    vendor.isRecognized(in: bytes.bytes, isRequest: isRequest)
  }

  /// The fields in JSON with bare values, the text and the problems.
  struct Result {
    var fields: String
    var line: String
    var problems: [String]
    var decoded: Decoded
    /// Whether a field was decoded only because there were bytes for it.
    var isAssumed: Bool { decoded.fields.contains { $0.isAssumed } }
  }

  static func decode(
    _ definition: Definition, _ bytes: [UInt8], _ context: DecodingContext = DecodingContext()
  ) -> Result {
    var decoded = Decoded()
    var decoder = ValueDecoder()
    decoder.decode(definition, bytes.bytes, context, into: &decoded)
    let fields = DecodedWriter(decoded, isJSON: true)?.plainFields(bytes.bytes)
    var line = Output()
    DecodedWriter(decoded, isJSON: false)?.line(bytes.bytes, writesProblems: false, into: &line)
    return Result(
      fields: fields ?? "",
      line: String(decoding: line.bytes.array, as: UTF8.self),
      problems: decoded.problems.map { "\($0.code.name)@\($0.bytes.start)" }, decoded: decoded)
  }

  /// Decodes bytes with these fields.
  static func decode(
    _ fields: String, _ hex: String, more: String = "", before: String = "",
    _ context: DecodingContext = DecodingContext(), _ location: SourceLocation = #_sourceLocation
  ) throws -> Result {
    decode(
      try definition(profile(fields, more: more, before: before), location), bytes(hex), context)
  }
}
