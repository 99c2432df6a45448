import Bluetooth
import Decoders
import Sessions
import Testing

@testable import Reports

@Suite("Values that profiles define as secret")
struct SecretTypesTests {
  @Test("The known secret types are those of the built-in profiles")
  func types() {
    let marked = BuiltInProfiles.all.filter { $0.hasSecrets && $0.subject.isAttribute }
    let types = Set(marked.map(\.subject.uuid))
    #expect(types == Set(SecretTypes.known.map { BluetoothUUID($0) } + SecretTypes.vendors))
    #expect(BuiltInProfiles.vendors.allSatisfy { !$0.hasSecrets })
    #expect(BuiltInProfiles.all.allSatisfy { $0.subject.isAttribute || !$0.hasSecrets })
  }

  /// User Control Point (2a9f): register a new user with the consent code 0x0d80 = 3456 (User Data
  /// Service, 3.4).
  @Test("The public parts of such a value are printed")
  func parts() {
    let records = SecretPackets.writing([1, 0x80, 0x0d], to: 0x2a9f)
    var options = ShowOptions()
    let text = Rendering.text(records, options)
    #expect(text.contains("2a9f User Control Point"), "\(text)")
    #expect(text.contains("register new user, consent code <hidden>"), "\(text)")
    options.showsBytes = true
    let json = Rendering.json(records, options)
    #expect(json.contains(#""hidden":["value"]"#), "\(json)")
    #expect(
      json.contains(
        #""fields":{"command":{"number":1,"word":"register_new_user"}},"hidden":["consent_code"]"#))
    for needle in ["800d", "3456", "80 0d", "0d80"] {
      #expect(!text.contains(needle) && !json.contains(needle), "\(needle)")
    }
    options.showsKeys = true
    #expect(Rendering.text(records, options).contains("consent code 3456"))
    #expect(Rendering.json(records, options).contains(#""value":"01800d""#))
  }

  @Test("values and map print it likewise")
  func otherReports() {
    let records = SecretPackets.writing([1, 0x80, 0x0d], to: 0x2a9f) + SecretPackets.writeResponse
    var source = RecordList(records)
    var table = ValuesReport(ValuesOptions())
    let values = Rendering.run(&source, &table)
    #expect(values.contains("register new user, consent code <hidden>"), "\(values)")
    source = RecordList(records)
    var map = MapReport(MapOptions())
    let tree = Rendering.run(&source, &map)
    #expect(tree.contains("register new user, consent code <hidden>"), "\(tree)")
    source = RecordList(records)
    var matches = ProfileMatches(ValuesOptions())
    let matched = Rendering.run(&source, &matches)
    #expect(matched.contains("2a9f User Control Point"), "\(matched)")
    for text in [values, tree, matched] {
      for needle in ["800d", "3456", "80 0d", "0d80"] { #expect(!text.contains(needle)) }
    }
  }
}
