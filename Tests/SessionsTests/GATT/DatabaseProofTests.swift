import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Sessions

/// The specification's sample database (Core, Vol 3, Part G, Appendix B).
private let sample: [Attribute] = {
  var all: [Attribute] = []
  func add(_ handle: UInt16, _ kind: Attribute.Kind, _ uuid: UInt16, _ target: UInt16 = 0) {
    all.append(
      Attribute(
        handle: handle, kind: kind, uuid: BluetoothUUID(uuid), connection: 1, packet: 1))
    all[all.count - 1].target = target
  }
  func characteristic(_ handle: UInt16, _ uuid: UInt16, _ properties: UInt8) {
    add(handle, .characteristic, uuid, handle + 1)
    all[all.count - 1].properties = CharacteristicProperties(rawValue: properties)
    add(handle + 1, .value, uuid)
  }
  add(0x01, .service, 0x1800)
  characteristic(0x02, 0x2a00, 0x0a)
  characteristic(0x04, 0x2a01, 0x02)
  add(0x06, .service, 0x1801)
  characteristic(0x07, 0x2a05, 0x20)
  add(0x09, .descriptor, 0x2902)
  characteristic(0x0a, 0x2b29, 0x0a)
  characteristic(0x0c, 0x2b2a, 0x02)
  add(0x0e, .service, 0x1808)
  add(0x0f, .include, 0x180f, 0x14)
  all[all.count - 1].end = 0x16
  characteristic(0x10, 0x2a18, 0xa2)
  add(0x12, .descriptor, 0x2902)
  add(0x13, .descriptor, 0x2900)
  all[all.count - 1].extendedProperties = 0
  add(0x14, .service, 0x180f)
  all[all.count - 1].isSecondary = true
  characteristic(0x15, 0x2a19, 0x02)
  for (handle, end) in [(0x01, 0x05), (0x06, 0x0d), (0x0e, 0x13), (0x14, 0x16)]
    as [(UInt16, UInt16)]
  {
    if let index = all.firstIndex(where: { $0.handle == handle }) { all[index].end = end }
  }
  return all
}()

/// Its hash in the specification's byte order; the characteristic's value is reversed.
private let hash = hex("f1 ca 2d 48 ec f5 8b ac 8a 88 30 bb b9 fb a9 90")

/// Describes the outcome: "missing 0009 descriptor 2902".
private func outcome(_ attributes: [Attribute]) -> String {
  var budget = DatabaseProof.Budget(servers: 1)
  return switch DatabaseProof(attributes, hash: hash.reversed(), budget: &budget) {
  case .proven: "proven"
  case .surplus(let attribute): "surplus \(attribute.kind) \(attribute.handle)"
  case .missing(let attribute):
    "missing \(attribute.kind) \(attribute.handle) \(String(attribute.uuid.low, radix: 16))"
  case .disproved: "disproved"
  case .concluded, .unchecked: "more than the search says"
  }
}

@Suite struct DatabaseProofTests {
  @Test func theSpecificationsSample() {
    #expect(outcome(sample) == "proven")
    #expect(DatabaseProof.hash(of: sample) == hash.reversed())
  }

  /// The proof names any attribute that is left out, except a value: only its declaration is
  /// hashed.
  @Test(arguments: sample.indices)
  func oneMissing(_ index: Int) {
    var attributes = sample
    let removed = attributes.remove(at: index)
    let expected =
      removed.kind == .value
      ? "proven"
      : "missing \(removed.kind) \(removed.handle) \(String(removed.uuid.low, radix: 16))"
    #expect(outcome(attributes) == expected)
  }

  /// A characteristic without its declaration and value.
  @Test func aWholeCharacteristicMissing() {
    let attributes = sample.filter { $0.handle != 0x15 && $0.handle != 0x16 }
    #expect(outcome(attributes) == "missing characteristic 21 2a19")
  }

  @Test func oneTooMany() {
    var attributes = sample
    let surplus = Attribute(
      handle: 0x17, kind: .descriptor, uuid: .clientConfiguration, connection: 1, packet: 1)
    attributes.append(surplus)
    #expect(outcome(attributes) == "surplus descriptor 23")
  }

  /// The CCCDs of 2a05 (0x09) and 2a18 (0x12) were not discovered: one was written, and the other
  /// must exist.
  @Test func conclusions() throws {
    let attributes = sample.filter { !$0.uuid.isShort(0x2902) }
    var written = AttributeUse(0x12, packet: 7)
    written.note(.write, .unencrypted, nil, packet: 8)
    written.add(.write, [UInt8]([0x02, 0x00]).bytes, packet: 7)
    for (uses, packets) in [([written], [5, 7]), ([], [5, 5])] {
      let found = try #require(
        DatabaseProof.conclusions(attributes, uses, hash: (hash.reversed(), 5)))
      #expect(found.map(\.handle) == [0x09, 0x12])
      #expect(found.map(\.target) == [0x08, 0x11] && found.allSatisfy { $0.via == .inferred })
      #expect(found.map(\.packet) == packets)
    }
    // The other descriptor is first, so the CCCD's handle is unknown unless it was written.
    var moved = sample
    let places = moved.indices.filter { moved[$0].handle == 0x12 || moved[$0].handle == 0x13 }
    (moved[places[0]].uuid, moved[places[1]].uuid) = (moved[places[1]].uuid, moved[places[0]].uuid)
    let other = DatabaseProof.hash(of: moved)
    let left = moved.filter { !$0.uuid.isShort(0x2902) }
    #expect(DatabaseProof.conclusions(left, [], hash: (other, 5))?.map(\.handle) == [0x09, 0x13])
    // Another hash proves nothing.
    #expect(DatabaseProof.conclusions(attributes, [written], hash: (other, 5)) == nil)
    // A handle that was written with another value is not a CCCD.
    written.add(.write, [UInt8]([0x04, 0x00]).bytes, packet: 9)
    #expect(
      DatabaseProof.conclusions(attributes, [written], hash: (hash.reversed(), 5))?.map(\.packet)
        == [5, 5])
  }

  /// Servers share a budget for hashing: many cost as much as one, and the last one still has its
  /// share.
  @Test func oneBudget() {
    let attributes = sample.filter { $0.handle > 6 && $0.kind != .descriptor }
    let clock = ContinuousClock()
    func time(_ servers: Int) -> Duration {
      var budget = DatabaseProof.Budget(servers: servers)
      return clock.measure {
        for _ in 0..<servers {
          _ = DatabaseProof(attributes, hash: [UInt8](repeating: 1, count: 16), budget: &budget)
        }
      }
    }
    let one = time(1)
    let many = time(64)
    #expect(many < one * 3 + .milliseconds(500), "one server: \(one), 64 servers: \(many)")
    var budget = DatabaseProof.Budget(servers: 64)
    for _ in 1..<64 {
      _ = DatabaseProof(attributes, hash: [UInt8](repeating: 1, count: 16), budget: &budget)
    }
    var lacking = sample
    lacking.remove(at: 5)
    guard case .missing = DatabaseProof(lacking, hash: hash.reversed(), budget: &budget) else {
      Issue.record("the last server has no budget left")
      return
    }
  }

  @Test func anotherDatabase() {
    let attributes = sample.filter { $0.handle > 6 && $0.kind != .descriptor }
    #expect(outcome(attributes) == "disproved")
  }

  /// A vendor's service, with a short and with a long UUID.
  @Test(arguments: [
    BluetoothUUID(0xfff0), BluetoothUUID(high: 0x6e40_0001_b5a3_f393, low: 0xe0a9_e50e_24dc_ca9e),
  ])
  func aVendorsServiceMissing(_ uuid: BluetoothUUID) {
    var attributes = sample
    var service = Attribute(handle: 0x17, kind: .service, uuid: uuid, connection: 1, packet: 1)
    service.end = 0x19
    let other = BluetoothUUID(high: 0x6e40_0002_b5a3_f393, low: 0xe0a9_e50e_24dc_ca9e)
    var declaration = Attribute(
      handle: 0x18, kind: .characteristic, uuid: other, connection: 1, packet: 1)
    declaration.target = 0x19
    let whole = attributes + [service, declaration]
    attributes.append(declaration)
    var budget = DatabaseProof.Budget(servers: 1)
    guard
      case .missing(let found) = DatabaseProof(
        attributes, hash: DatabaseProof.hash(of: whole), budget: &budget)
    else {
      Issue.record("no outcome")
      return
    }
    #expect(found.handle == 0x17 && found.uuid == uuid && found.kind == .service)
  }
}
