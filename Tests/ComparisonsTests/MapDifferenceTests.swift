import Bluetooth
import Histories
import Meanings
import Testing

@testable import Comparisons

@Suite("Differences of two maps")
struct MapDifferenceTests {
  /// Returns a service with characteristics of two handles each, starting at a handle.
  private static func service(
    _ uuid: UInt16, at start: UInt16, _ characteristics: [(uuid: UInt16, properties: UInt8)]
  ) -> ServerMap.Service {
    let end = start + UInt16(2 * characteristics.count)
    var service = ServerMap.Service(BluetoothUUID(uuid), start...end, packet: 40)
    for (place, one) in characteristics.enumerated() {
      service.characteristics.append(
        ServerMap.Characteristic(
          BluetoothUUID(one.uuid), start + 2 + UInt16(2 * place),
          properties: CharacteristicProperties(rawValue: one.properties), packet: 50))
    }
    return service
  }

  private static func map(_ services: ServerMap.Service...) -> ServerMap {
    var map = ServerMap()
    map.services = services
    return map
  }

  /// Returns lines such as `changed characteristic 2a19 properties: read | read notify`.
  private static func words(_ differences: [MapDifference]) -> [String] {
    differences.map { difference in
      let uuid = difference.uuid.map { String($0.low >> 32 & 0xffff, radix: 16) } ?? ""
      let sides = [difference.left, difference.right].map { side in
        side.map { $0.words.text } ?? "nothing"
      }
      return "\(difference.kind) \(difference.subject) \(uuid) \(difference.what): "
        + sides.joined(separator: " | ")
    }
  }

  @Test("Equal maps do not differ, an empty one cannot be compared")
  func equal() {
    let map = Self.map(Self.service(0x180f, at: 1, [(0x2a19, 0x12)]))
    #expect(MapDifference.between(map, map).isEmpty)
    #expect(MapDifference.between(nil, nil).isEmpty)
    let whole = MapDifference.between(map, nil)
    #expect(whole.count == 1 && whole[0].subject == .map && whole[0].kind == .removed)
    #expect(whole[0].remark.text == "nothing was discovered on the other side")
  }

  @Test("A service after a new one has moved, its characteristics with it")
  func moved() {
    let left = Self.map(Self.service(0x180f, at: 1, [(0x2a19, 2), (0x2a1b, 2)]))
    let right = Self.map(
      Self.service(0x180a, at: 1, [(0x2a29, 2)]),
      Self.service(0x180f, at: 8, [(0x2a19, 2), (0x2a1b, 2)]))
    let found = MapDifference.between(left, right)
    #expect(found.map(\.kind) == [.moved, .added], "\(Self.words(found))")
    #expect(found.map(\.subject) == [.service, .service])
    #expect(found[0].left?.handles == 1...5 && found[0].right?.handles == 8...12)
  }

  @Test("Different properties, characteristics and read values")
  func changed() {
    var left = Self.map(Self.service(0x180a, at: 1, [(0x2a26, 2), (0x2a29, 2)]))
    var right = Self.map(Self.service(0x180a, at: 1, [(0x2a26, 0x12), (0x2a24, 2)]))
    left.services[0].characteristics[0].value = ServerMap.Value([0x31], text: "\"1\"", packet: 60)
    right.services[0].characteristics[0].value = ServerMap.Value([0x32], text: "\"2\"", packet: 61)
    let found = MapDifference.between(left, right)
    #expect(
      found.map { "\($0.kind) \($0.subject) \($0.what)" } == [
        "changed characteristic properties", "changed characteristic value",
        "removed characteristic ", "added characteristic ",
      ], "\(Self.words(found))")
    #expect(found[0].left?.words.text == "read" && found[0].right?.words.text == "read notify")
    #expect(found[1].left?.words.text == "\"1\"" && found[1].right?.packet == 61)
  }

  @Test("Attributes that were not requested may exist, which is reported")
  func partial() {
    let left = Self.map(Self.service(0x180a, at: 1, [(0x2a26, 2)]))
    var right = Self.map(Self.service(0x180f, at: 9, [(0x2a19, 2)]))
    right.isWhole.services = false
    let found = MapDifference.between(left, right)
    #expect(found.map(\.kind) == [.removed, .added])
    #expect(found[0].remark.text == "not all services were requested there")
    #expect(found[1].remark.isEmpty)
  }

  @Test("A secret that differs is reported without its value")
  func hidden() {
    var left = Self.map(Self.service(0x184f, at: 1, [(0x2b88, 2)]))
    var right = left
    left.services[0].characteristics[0].value = ServerMap.Value(
      [0x31], text: "", packet: 60, isHidden: true)
    right.services[0].characteristics[0].value = ServerMap.Value(
      [0x32], text: "", packet: 61, isHidden: true)
    let found = MapDifference.between(left, right)
    #expect(found.count == 1 && found[0].left?.words.text == "<hidden>", "\(Self.words(found))")
    #expect(found.first?.right?.words.text == "<hidden>")
  }

  @Test("Among several with one UUID the first is compared with the first")
  func twins() {
    let pairs = Pairing.pairs(
      [0x2a4d, 0x2a4d, 0x2a4b].map { BluetoothUUID($0) },
      [0x2a4b, 0x2a4d, 0x2a4e].map { BluetoothUUID($0) })
    let words = pairs.map { "\($0.left ?? -1) \($0.right ?? -1)" }
    #expect(words == ["0 1", "1 -1", "2 0", "-1 2"])
  }

  @Test("Fields survive encoding to bytes; separators in them are omitted")
  func fields() {
    var bytes: [UInt8] = []
    FieldList.append(Array("day".utf8), Array("20".utf8), .plain, to: &bytes)
    FieldList.append(Array("a\u{1e}b".utf8), Array("x\u{1f}y".utf8), .checksum, to: &bytes)
    let fields = FieldList.read(bytes[...])
    #expect(
      fields == [
        FieldList.Field(name: "day", value: "20", kind: .plain),
        FieldList.Field(name: "ab", value: "xy", kind: .checksum),
      ])
  }
}
