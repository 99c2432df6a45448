// Compares the maps of the generated captures, from both sides, with their generator's truth files.

import Bluetooth
import Bytes
import Foundation
import MadeTraffic
import Testing

@testable import Sessions

/// The server's attributes in a truth file. UUIDs are upper case, properties a bit mask, handles
/// numbers; services are in the order of their creation.
private struct Truth: Decodable {
  struct Service: Decodable {
    var uuid: String
    var start: Int
    var end: Int
    var characteristics: [Characteristic]
  }

  struct Characteristic: Decodable {
    var uuid: String
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var value_handle: Int
    var properties: UInt8
    var descriptors: [Descriptor]
  }

  struct Descriptor: Decodable {
    var uuid: String
    var handle: Int
  }

  var gatt: [Service]?

  /// The attributes in the order of handles, a line each.
  var lines: [String] {
    var lines: [String] = []
    for service in (gatt ?? []).sorted(by: { $0.start < $1.start }) {
      lines.append("service \(service.uuid.lowercased()) \(service.start)-\(service.end)")
      for characteristic in service.characteristics {
        let uuid = characteristic.uuid.lowercased()
        lines.append(
          "characteristic \(uuid) \(characteristic.value_handle) \(characteristic.properties)")
        for descriptor in characteristic.descriptors {
          lines.append("descriptor \(descriptor.uuid.lowercased()) \(descriptor.handle)")
        }
      }
    }
    return lines
  }
}

/// Returns the same lines for a database. Values have no line, because their declarations describe
/// them.
private func lines(_ database: Database) -> [String] {
  database.attributes.compactMap { attribute in
    var output = Output()
    output.uuid(attribute.uuid)
    let uuid = String(decoding: output.bytes.array, as: UTF8.self)
    switch attribute.kind {
    case .service: return "service \(uuid) \(attribute.handle)-\(attribute.end)"
    case .characteristic:
      let value = database.attributes.first { $0.handle == attribute.target }
      guard value?.kind == .value, value?.uuid == attribute.uuid else {
        return "no value of \(uuid)"
      }
      return "characteristic \(uuid) \(attribute.target) \(attribute.properties.rawValue)"
    case .descriptor: return "descriptor \(uuid) \(attribute.handle)"
    case .include, .value: return nil
    }
  }
}

@Suite(.enabled(if: !scenarios.isEmpty, "the shared captures are not here"))
struct MapTruthTests {
  @Test(arguments: scenarios)
  func mapEqualsTruth(_ scenario: String) throws {
    let file = generated.appending(path: "\(scenario).truth.json")
    let truth = try JSONDecoder().decode(Truth.self, from: Data(contentsOf: file))
    for side in ["", ".peripheral"] {
      let recording = try run(generated.appending(path: scenario + side + ".btsnoop"))
      let isLocal = !side.isEmpty
      let databases = recording.memory.attributes.servers.filter {
        ($0.key >> 63 == 1) == isLocal && $0.count > 0
      }
      #expect(databases.count == (truth.lines.isEmpty ? 0 : 1), "one device has one map")
      #expect(databases.first.map(lines) ?? [] == truth.lines)
      for database in databases {
        #expect(database.attributes.allSatisfy { $0.via == .discovered })
        #expect(database.disagreements.isEmpty)
      }
    }
  }

  /// The capture lost its discovery except for one search for descriptors: only that result may
  /// count as discovered.
  @Test func withoutDiscovery() throws {
    let recording = try run(otherCaptures.appending(path: "damaged/nodisc.btsnoop"))
    let databases = recording.memory.attributes.servers
    #expect(databases.flatMap(lines) == ["descriptor 2902 17"])
    for number in 1...recording.packets.count where recording[number].att != nil {
      guard let place = recording[number].answer.attribute else { continue }
      #expect(recording.memory.attributes[place].handle == 17)
    }
  }
}
