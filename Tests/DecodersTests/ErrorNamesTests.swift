import Bluetooth
import Bytes
import Testing

@testable import Decoders
@testable import ProfileFiles

@Suite("The services' names for their own errors")
struct ErrorNamesTests {
  private static let text = """
    profile: test
    services:
      - uuid: "181c"
        name: User Data
        errors: {0x80: User Data Access Not Permitted}
    characteristics:
      - uuid: "2a39"
        name: Heart Rate Control Point
        fields: []
        errors: {0x80: Control Point Not Supported, 0x9f: "Ändern, nein"}

    """

  @Test("Names are read, stored and read again")
  func names() throws {
    let file = Decoding.read(Self.text)
    #expect(file.errors.map(\.description) == [])
    let definitions = try #require(file.profile?.definitions)
    #expect(definitions.map(\.subject.kind) == [.characteristic, .service])
    for definition in definitions {
      let again = try #require(Definition(stored: definition.stored))
      #expect(again.tables == definition.tables)
      #expect(again.stored == definition.stored)
      #expect(again.error(0x81) == nil)
    }
    #expect(definitions[0].error(0x80) == [UInt8]("Control Point Not Supported".utf8))
    #expect(definitions[0].error(0x9f) == [UInt8]("Ändern, nein".utf8))
    #expect(definitions[1].error(0x80) == [UInt8]("User Data Access Not Permitted".utf8))
  }

  @Test("A missing word is rejected")
  func damaged() throws {
    let definition = try #require(Decoding.read(Self.text).profile?.definitions.first)
    var tables = definition.tables
    tables.errors[0].word = tables.words.count
    #expect(Definition(definition.subject, profile: "test", name: "it", tables) == nil)
    for end in definition.stored.indices {
      _ = Definition(stored: [UInt8](definition.stored[..<end]))
    }
  }

  @Test(
    "Errors in profiles are reported",
    arguments: [
      ("{0x7f: It}", "errors: expected an error code from 0x80 to 0xdf, found `0x7f`"),
      ("{0xe0: It}", "errors: expected an error code from 0x80 to 0xdf, found `0xe0`"),
      ("{0x80: One, 128: Two}", "errors: the error 0x80 is defined twice"),
      ("{0x80: \"\"}", "errors.0x80: expected a name, found nothing"),
      ("{0x80: [a]}", "errors.0x80: expected a name, found a list"),
      ("[a]", "errors: expected a mapping of error codes to names, found a list"),
    ])
  func wrong(_ errors: String, _ expected: String) {
    let service = "  - {uuid: \"181c\", name: It, errors: \(errors)}\n"
    let file = Decoding.read("profile: test\nservices:\n\(service)")
    #expect(file.errors.map(\.description) == ["test.yaml:3: services.\(expected)"])
    let field = "    errors: \(errors)\n"
    let characteristic = Decoding.read(Decoding.profile("", more: field))
    #expect(
      characteristic.errors.map(\.description) == ["test.yaml:6: characteristics.\(expected)"])
  }

  @Test(
    "Names must not have control characters or bidirectional controls",
    arguments: ["A\\e[31mB", "A\\nB", "A\\u202eB", "A\\u2028B"])
  func controls(_ name: String) {
    let service = Decoding.read(
      "profile: test\nservices:\n  - {uuid: \"181c\", name: It, errors: {0x80: \"\(name)\"}}\n"
    )
    #expect(
      service.errors.map(\.description) == [
        "test.yaml:3: services.errors.0x80: expected a name without control or invisible characters or line ends"
      ])
  }

  @Test("A service has no examples and no text", arguments: ["examples: []", "text: It"])
  func others(_ key: String) {
    let service = Decoding.read(
      "profile: test\nservices:\n  - {uuid: \"181c\", name: It, errors: {0x80: A}, \(key)}\n")
    #expect(service.errors.count == 1, "\(service.errors)")
    #expect(service.errors.first?.description.contains("unknown key") == true)
  }

  @Test("A service requires errors, and an advertisement cannot have any")
  func keys() {
    let service = Decoding.read("profile: test\nservices:\n  - {uuid: \"181c\", name: It}\n")
    #expect(
      service.errors.map(\.description) == ["test.yaml:3: services: the key `errors` is missing"])
    let advertisement = Decoding.read(
      """
      profile: test
      advertisements:
        - {company: "004c", name: It, fields: [], errors: {0x80: It}}

      """)
    #expect(advertisement.errors.count == 1)
  }

  /// Apple, ANCS Specification, Error Codes; the Heart Rate Service, 1.6; Object Transfer as in
  /// Zephyr's ots_internal.h, media control as in its mcs.h; HTTP Proxy and Reconnection
  /// Configuration as in JavaBLEUtil; HID ISO as in Realtek's stack.
  @Test(
    "Built-in services",
    arguments: [
      (Subject.Kind.characteristic, "2a39", 0x80, "Control Point Not Supported"),
      (.service, "7905f431-b5ce-4e99-a40f-4b1e122d00d0", 0xa2, "Invalid Parameter"),
      (.service, "89d3502b-0f36-433a-8ef4-c502ad55f8dc", 0xa2, "Absent Attribute"),
      (.service, "1825", 0x83, "Object Name Already Exists"),
      (.service, "1818", 0x80, "Inappropriate Connection Parameters"),
      (.service, "1823", 0x82, "Network Not Available"),
      (.service, "1829", 0x81, "Invalid CRC"),
      (.service, "1848", 0x80, "Value Changed During Read Long"),
      (.service, "185c", 0x83, "Feature Not Supported"),
    ])
  func builtIn(_ kind: Subject.Kind, _ uuid: String, _ code: UInt8, _ name: String) throws {
    let uuid = try #require(BluetoothUUID(text: uuid))
    let found = BuiltInProfiles.definitions(kind, uuid).compactMap { $0.error(code) }
    #expect(found == [[UInt8](name.utf8)])
  }
}
