import Bluetooth
import Bytes
import Decoders
import Testing

@testable import Reports

@Suite("Errors that an attribute's service defines")
struct ErrorNameTests {
  /// Records of a service, a characteristic in it, and a refused write.
  private func refused(_ service: String, _ uuid: String, _ error: String) -> [TestRecord] {
    var link = Link()
    link.ask("10 01 00 ff ff 00 28", "11 06 01 00 10 00 \(service)")
    link.discover(2, uuid)
    link.ask("12 03 00 02", "01 12 03 00 \(error)")
    return link.records
  }

  @Test(
    "The attribute's own name comes first, then the service's, then the Core Specification's",
    arguments: [
      ("0d 18", "39 2a", "80", "Control Point Not Supported (0x80)"),
      ("0d 18", "39 2a", "81", "Application Error (0x81)"),
      // Another service's characteristic, in User Data.
      ("1c 18", "39 2a", "80", "Control Point Not Supported (0x80)"),
      ("1c 18", "9a 2a", "80", "User Data Access Not Permitted (0x80)"),
      ("25 18", "be 2a", "83", "Object Name Already Exists (0x83)"),
      ("1c 18", "9a 2a", "05", "Insufficient Authentication (0x05)"),
      ("1c 18", "9a 2a", "fe", "Procedure Already in Progress (0xfe)"),
    ])
  func show(_ service: String, _ uuid: String, _ error: String, _ expected: String) {
    let records = refused(service, uuid, error)
    let line = Rendering.text(records).split(separator: "\n").last ?? ""
    #expect(line.contains(" \(expected), to Write Request #"), "\(line)")
    let name = expected.split(separator: " (").first ?? ""
    let json = Rendering.json(records).split(separator: "\n").last ?? ""
    #expect(json.contains(#""error":{"code":"0x\#(error)","name":"\#(name)"}"#), "\(json)")
    var verbose = ShowOptions()
    verbose.isVerbose = true
    #expect(Rendering.text(records, verbose).contains(" error: \(expected)\n"))
  }

  @Test("Without profiles, and for an unknown attribute, the range is named")
  func unknown() {
    var options = ShowOptions()
    options.profiles = nil
    let plain = Rendering.text(refused("0d 18", "39 2a", "80"), options)
    #expect(plain.contains("Application Error (0x80)"))
    var link = Link()
    link.ask("12 03 00 02", "01 12 03 00 80")
    #expect(Rendering.text(link.records).contains("Application Error (0x80)"))
  }

  @Test("values and map print the same")
  func values() {
    let records = refused("1c 18", "9a 2a", "80")
    let values = ValuesOptions()
    for form in [ValueLines.Form.text, .csv, .json] {
      var source = RecordList(records)
      var lines = ValueLines(values, form, source.summary)
      #expect(Rendering.run(&source, &lines).contains("User Data Access Not Permitted"), "\(form)")
    }
    var source = RecordList(records)
    var table = ValuesReport(values)
    let page = Rendering.run(&source, &table)
    #expect(page.contains(": User Data Access Not Permitted (0x80)"), "\(page)")
    var options = MapOptions()
    options.isJSON = true
    source = RecordList(records)
    var map = MapReport(options)
    let document = Rendering.run(&source, &map)
    #expect(document.contains(#""name":"User Data Access Not Permitted""#), "\(document)")
  }
}
