import Bluetooth
import Bytes
import Testing

@testable import Decoders

@Suite("Values decoded by the format of a presentation format descriptor")
struct PresentationFormatTests {
  private func decode(_ formats: [String], _ value: String) -> Decoding.Result? {
    let read = formats.compactMap { PresentationFormat(Decoding.bytes($0).bytes) }
    guard read.count == formats.count,
      let definition = PresentationFormat.definition(of: BluetoothUUID(0xff01), read)
    else { return nil }
    return Decoding.decode(definition, Decoding.bytes(value))
  }

  /// Formats: Assigned Numbers, 2.4.1; units: 3.5: 272f °C, 27ad %, 2700 none, 2723 N.
  @Test(
    "Numbers with their exponent and unit",
    arguments: [
      ("01 00 00 27 01 00 00", "01", "true", #"{"value":"true"}"#),
      ("04 00 ad 27 01 00 00", "37", "55 %", #"{"value":55}"#),
      ("06 01 00 27 01 00 00", "0a 00", "100", #"{"value":100}"#),
      ("0a 00 00 27 01 00 00", "ff ff ff ff ff ff ff ff", "18446744073709551615", nil),
      ("0c ff 2f 27 01 00 00", "ff", "-0.1 °C", #"{"value":-0.1}"#),
      ("0e fe 2f 27 01 00 00", "f6 09", "25.50 °C", #"{"value":25.5}"#),
      ("14 05 23 27 01 00 00", "00 00 c0 3f", "1.5 N", #"{"value":1.5}"#),
      ("16 00 2f 27 01 00 00", "6c f1", "36.4 °C", #"{"value":36.4}"#),
      ("18 00 00 27 01 00 00", "01 00 02 00", "1 2", #"{"value":[1,2]}"#),
      ("19 00 00 27 01 00 00", "68 69", "\"hi\"", #"{"value":"hi"}"#),
    ] as [(String, String, String, String?)])
  func numbers(_ format: String, _ value: String, _ line: String, _ fields: String?) throws {
    let result = try #require(decode([format], value))
    #expect(result.line == line && result.problems == [])
    if let fields { #expect(result.fields == fields) }
  }

  @Test("Formats without a layout and descriptors of another length decode nothing")
  func others() {
    for format in ["1b 00 00 27 01 00 00", "00 00 00 27 01 00 00", "ff 00 00 27 01 00 00"] {
      #expect(decode([format], "01") == nil, "\(format)")
    }
    #expect(PresentationFormat(Decoding.bytes("04 00 00 27 01 00").bytes) == nil)
    // 10 to the power of 127 is not a usable scale.
    #expect(decode(["04 7f 00 27 01 00 00"], "01") == nil)
    // Text has no end marker.
    #expect(decode(["19 00 00 27 01 00 00", "04 00 00 27 01 00 00"], "01") == nil)
  }

  @Test("The formats of an aggregate apply in sequence")
  func aggregate() throws {
    let formats = ["0e fe 2f 27 01 00 00", "04 00 ad 27 01 00 00"]
    let result = try #require(decode(formats, "f6 09 37"))
    #expect(result.line == "25.50 °C, 55 %")
    #expect(result.fields == #"{"value_1":25.5,"value_2":55}"#)
    #expect(decode(formats, "f6 09")?.problems == ["missing_bytes@2"])
    #expect(decode([String](repeating: formats[0], count: 33), "00") == nil)
  }
}
