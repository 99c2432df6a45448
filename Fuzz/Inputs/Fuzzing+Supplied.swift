import Bluetooth
import Bytes
import Comparisons
import Platforms
import ProfileFiles
import Reports

extension Fuzzing {
  /// Reads the bytes as a file that users provide with a capture: bond keys (YAML, or in BlueZ's
  /// format), a map (JSON, or BlueZ's cache), or an app's log. Its valid contents are applied to a
  /// capture.
  package static func supplied(_ bytes: [UInt8], _ faces: Faces) -> String? {
    var supplies = Supplies()
    do throws(ProfileError) {
      supplies.bonds = try KeysFile.read(
        bytes, file: "fuzz", address: DeviceAddress(text: "C0:FF:EE:12:34:56"))
    } catch {
      if error.description.isEmpty { return "undescribed error" }
    }
    do throws(MapFileError) {
      supplies.maps = try MapFile.read(bytes, name: "fuzz").map(\.map)
    } catch {
      if error.message.isEmpty { return "an error without a message" }
    }
    supplies.log = AppLog(bytes, offset: 0)
    if let remembered = try? RememberedCapture(
      savedMap: bytes, name: "fuzz", supplies.profiles, showsKeys: true)
    {
      for isJSON in [false, true] {
        if let broken = compare(remembered, isJSON: isJSON) { return "a map: \(broken)" }
      }
    }
    for face in Face.chosen(faces) {
      if let broken = render(known, face, supplies) { return "\(face): \(broken)" }
    }
    return nil
  }

  /// Compares a map with itself: nothing may differ.
  private static func compare(_ map: RememberedCapture, isJSON: Bool) -> String? {
    var options = DiffOptions()
    options.showsEqual = true
    options.isJSON = isJSON
    let report = DifferenceReport(map, map, options)
    if !report.isSame { return "differs from itself" }
    var output = Output()
    report.write(into: &output)
    return isJSON
      ? OutputCheck.json(output.bytes, lines: 1) : OutputCheck.text(output.bytes, lines: nil)
  }

  /// Two connections, a resolvable private address, and reads, writes and notifications of
  /// undiscovered attributes: a capture that maps, keys and logs apply to.
  private static let known: [UInt8] = {
    var list = PacketList()
    list.connect(1, isCentral: true, peer: [0x12, 0x34, 0x56, 0x78, 0x9a, 0x4b])
    list.connect(2, isCentral: false, peer: [6, 5, 4, 3, 2, 0xc1])
    for handle: UInt8 in [1, 2] {
      for attribute: UInt8 in [3, 0x10, 0x12] {
        list.att([0x0a, attribute, 0], on: handle, isSent: true)
        list.att([0x0b, 0x41, 0x42, attribute], on: handle, isSent: false)
        list.att([0x12, attribute, 0, 1, 0], on: handle, isSent: true)
        list.att([0x13], on: handle, isSent: false)
        list.att([0x1b, attribute, 0, 7, 8, 9], on: handle, isSent: false)
      }
    }
    return list.file
  }()
}
