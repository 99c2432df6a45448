import Bluetooth
import Bytes
import Testing

@testable import Redaction

@Suite("Identifiers of beacons") struct BeaconTests {
  /// Returns the bytes of the identifiers in advertising data.
  private func identifiers(_ text: String) -> [String] {
    let data = text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    let fields = SensitiveFields(
      advertisingData: data.bytes, Slice(start: 0, count: data.count)
    ).fields
    return fields.compactMap { field in
      guard case .beacon = field.kind else { return nil }
      return data[Int(field.slice.start)..<field.slice.end]
        .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  private static let uuid = "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"
  private static let plain = "000102030405060708090a0b0c0d0e0f"

  @Test(
    "They are found in the data of each kind of beacon",
    arguments: [
      ("1a ff 4c 00 02 15 \(uuid) 11 22 33 44 c5", [plain, "1122", "3344"]),
      ("1b ff 18 01 be ac \(uuid) 11 22 33 44 c5 00", [plain, "1122", "3344"]),
      // Cut short.
      ("17 ff 4c 00 02 15 \(uuid) 11 22", [plain, "1122"]),
      ("0a ff 4c 00 02 15 00 01 02 03 04", ["0001020304"]),
      ("19 ff 4c 00 02 14 \(uuid) 11 22 33 44", [plain, "1122", "3344"]),
      ("19 ff 18 01 02 15 \(uuid) 11 22 33 44", [plain, "1122", "3344"]),
      ("18 ff 18 01 02 15 \(uuid) 11 22 33", [plain, "1122", "33"]),
      ("18 ff 18 01 be ac \(uuid) 11 22 33", [plain, "1122", "33"]),
      (
        "14 16 aa fe 00 ee 00 01 02 03 04 05 06 07 08 09 a0 a1 a2 a3 a4",
        ["00010203040506070809", "a0a1a2a3a4"]
      ), ("0c 16 aa fe 30 ee 01 02 03 04 05 06 07", ["01020304050607"]),
      // Not the layout of a beacon: the UUID would be incomplete.
      ("08 ff 18 01 02 15 01 02 03", []),
      (
        "17 16 aa fe 00 ee 00 01 02 03 04 05 06 07 08 09 a0 a1 a2 a3 a4 a5 00 00",
        ["00010203040506070809", "a0a1a2a3a4a5"]
      ),
      ("0d 16 aa fe 30 ee 01 02 03 04 05 06 07 08", ["0102030405060708"]),
      // A URL, another type of Apple's, and the same bytes of another service.
      ("0a 16 aa fe 10 ee 03 67 6f 6f 2e", []), ("08 ff 4c 00 10 05 01 02 03", []),
      ("0d 16 ab fe 00 ee 01 02 03 04 05 06 07 08", []), ("04 ff 4c 00 02", []),
    ])
  func places(_ data: String, _ expected: [String]) {
    #expect(identifiers(data) == expected)
  }

  @Test("Different majors have different pseudonyms, equal ones equal ones, and none stays")
  func pairs() {
    let book = BeaconBook(.fixed())
    let pairs = (1...3000).map { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    let others = pairs.map { book[$0] }
    #expect(Set(others).count == pairs.count)
    #expect(zip(pairs, others).count { $0 == $1 } < 3)
    #expect(pairs.map { book[$0] } == others)
    for blank in [[0, 0], [0xff, 0xff]] as [[UInt8]] { #expect(book[blank] == blank) }
    #expect(others.allSatisfy { !$0.isBlank })
  }

  @Test("With --redact-values they become zeros") func removed() {
    var options = RedactionOptions()
    options.values = .all
    let data: [UInt8] = [0x4c, 0, 2, 0x15] + Array(1...21)
    let field = SensitiveField(.beacon(nil), Slice(start: 4, count: 16))
    #expect(Books(options).replacement(field, data.bytes).allSatisfy { $0 == 0 })
    let kept = Books(RedactionOptions()).replacement(field, data.bytes)
    #expect(kept.count == 16 && kept != Array(1...16))
  }
}
