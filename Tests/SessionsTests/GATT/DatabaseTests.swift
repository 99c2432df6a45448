import Bluetooth
import MadeTraffic
import Testing

@testable import Sessions

/// Returns the only database of a recording, or this host's.
private func peersDatabase(_ recording: Recording, isLocal: Bool = false) -> Database? {
  recording.memory.attributes.servers.first { ($0.key >> 63 == 1) == isLocal }
}

/// Describes all attributes of the peer: "0003 value 2a37".
private func map(_ recording: Recording) -> [String] {
  (peersDatabase(recording)?.attributes ?? []).map(words)
}

private func words(_ attribute: Attribute) -> String {
  let uuid = attribute.uuid
  let number = uuid.width == 2 ? uuid.low : uuid.high
  var words = "\(digits(UInt64(attribute.handle))) \(attribute.kind) \(digits(number))"
  switch attribute.kind {
  case .service, .include:
    if attribute.target != 0 { words += " \(digits(UInt64(attribute.target)))" }
    words += "-\(digits(UInt64(attribute.end)))"
  case .characteristic:
    words += " \(digits(UInt64(attribute.target))) \(attribute.properties.rawValue)"
  case .value, .descriptor: break
  }
  return attribute.via == .discovered ? words : words + " \(attribute.via)"
}

private func digits(_ number: UInt64) -> String {
  let text = String(number, radix: 16)
  return String(repeating: "0", count: max(0, 4 - text.count)) + text
}

extension Traffic {
  /// Discovers a heart rate service with its value at 0003 and a CCCD.
  fileprivate mutating func discover(
    value: String = "37 2a", others: String = "", handle: Int = 0x40
  ) {
    sent("10 01 00 ff ff 00 28", handle: handle)
    received("11 06 01 00 04 00 0d 18", handle: handle)
    sent("10 05 00 ff ff 00 28", handle: handle)
    received("01 10 05 00 0a", handle: handle)
    sent("08 01 00 ff ff 03 28", handle: handle)
    received("09 07 02 00 10 03 00 \(value)\(others)", handle: handle)
    sent("08 04 00 ff ff 03 28", handle: handle)
    received("01 08 04 00 0a", handle: handle)
    sent("04 04 00 04 00", handle: handle)
    received("05 01 04 00 02 29", handle: handle)
  }

  /// Appends an Encryption Change: on.
  fileprivate mutating func encrypt(_ handle: Int = 0x40) {
    event(0x08, [0] + little(handle) + [1])
  }
}

@Suite struct DatabaseTests {
  @Test func includesOfBothKindsAndSecondaryServices() {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("10 01 00 ff ff 01 28", "11 06 20 00 22 00 0f 18")
      traffic.sent("08 01 00 0f 00 02 28")
      // Included services with a short UUID, and with a long one, which is read separately.
      traffic.received("09 08 02 00 20 00 22 00 0f 18")
      traffic.ask("08 03 00 0f 00 02 28", "09 06 03 00 30 00 33 00")
      traffic.ask("0a 30 00", "0b fb 34 9b 5f 80 00 00 80 00 10 00 00 05 00 34 12")
    }
    #expect(
      map(recording) == [
        "0002 include 180f 0020-0022", "0003 include 2802 0030-0033", "0020 service 180f-0022",
        "0030 service 1234000500001000-0033",
      ])
    let secondary = (peersDatabase(recording)?.attributes ?? []).filter(\.isSecondary).map(\.handle)
    #expect(secondary == [0x20, 0x30])
    #expect(recording.problems.isEmpty)
  }

  @Test func theValueHandleIsWhatTheDeclarationSays() {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("08 01 00 05 00 03 28", "09 07 02 00 10 05 00 37 2a")
    }
    #expect(map(recording) == ["0002 characteristic 2a37 0005 16", "0005 value 2a37"])
  }

  @Test func whatWasSearched() throws {
    let recording = run { traffic in
      traffic.connect()
      traffic.discover()
    }
    let database = try #require(peersDatabase(recording))
    let searched = { (search: Database.Search) in database.searched[search.rawValue].ranges }
    #expect(searched(.primaryServices) == [1...0xffff])
    #expect(
      searched(.characteristics) == [1...0xffff], "0003 is no declaration, for none was found")
    #expect(searched(.descriptors) == [4...4] && searched(.includes).isEmpty)
    #expect(database.discovery == 2...11)
  }

  @Test func discoveriesThatDisagree() throws {
    let recording = run { traffic in
      traffic.connect()
      traffic.discover()
      traffic.ask("08 01 00 ff ff 03 28", "09 07 02 00 10 03 00 38 2a")
      traffic.sent("0a 03 00")
    }
    #expect(recording[13].problems == ["attributeChanged(2,7)"])
    let database = try #require(peersDatabase(recording))
    #expect(
      database.disagreements.map { words($0.older) } == [
        "0002 characteristic 2a37 0003 16", "0003 value 2a37",
      ])
    let place = try #require(recording[14].answer.attribute)
    #expect(recording.memory.attributes[place].uuid.low == 0x2a38, "the newer one is in force")
  }

  @Test("A service that a later search does not list is removed with its attributes")
  func missingServices() throws {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 00 18 06 00 09 00 0d 18")
      traffic.ask("10 0a 00 ff ff 00 28", "11 06 0a 00 ff ff 0f 18")
      traffic.ask("08 06 00 09 00 03 28", "09 07 07 00 10 08 00 37 2a")
      // The second service begins elsewhere, and the last one no longer exists.
      traffic.ask("10 01 00 ff ff 00 28", "11 06 01 00 05 00 00 18 08 00 09 00 0a 18")
      traffic.ask("10 0a 00 ff ff 00 28", "01 10 0a 00 0a")
      // The last one may reach to the end.
      traffic.ask("10 01 00 ff ff 00 28", "11 06 01 00 ff ff 00 18")
    }
    #expect(map(recording) == ["0001 service 1800-ffff"])
    let database = try #require(peersDatabase(recording))
    let missing = database.disagreements.filter { $0.newer == nil }
    #expect(
      missing.map { "\(words($0.older)) \($0.packet)" } == [
        "0006 service 180d-0009 9", "000a service 180f-ffff 11", "0008 service 180a-0009 13",
      ])
  }

  @Test func oneThatSaysLessDoesNotDisagree() {
    let recording = run { traffic in
      traffic.connect()
      // A list of types that does not identify values, and a service that claims to reach to the
      // end.
      traffic.ask("04 03 00 04 00", "05 01 03 00 37 2a 04 00 02 29")
      traffic.discover()
      traffic.ask("04 03 00 04 00", "05 01 03 00 37 2a 04 00 02 29")
      traffic.ask("06 01 00 ff ff 00 28 0d 18", "07 01 00 ff ff")
    }
    #expect(recording.problems.isEmpty)
    #expect(map(recording).contains("0003 value 2a37"))
  }

  // MARK: Over reconnections

  /// Returns how the value at 0003 is known on the second connection.
  private func via(_ first: (inout Traffic) -> Void, _ second: (inout Traffic) -> Void) -> String? {
    let recording = run { traffic in
      traffic.connect()
      first(&traffic)
      traffic.disconnect()
      traffic.connect()
      second(&traffic)
      traffic.sent("0a 03 00")
    }
    let last = recording[recording.packets.count]
    guard let place = last.answer.attribute, let connection = last.connection else { return nil }
    return "\(recording.memory.attributes.via(of: place, on: connection.id))"
  }

  private static let withServiceChanged = " 06 00 20 07 00 05 2a"

  @Test func carriedUnlessCertain() {
    let changing = { (traffic: inout Traffic) in traffic.discover(others: Self.withServiceChanged) }
    #expect(via(changing, { _ in }) == "carried")
    #expect(via({ $0.discover() }, { _ in }) == "discovered", "it has no Service Changed")
    #expect(via(changing, { $0.encrypt() }) == "discovered", "an earlier key: they are bonded")
    #expect(
      via(
        { traffic in
          traffic.ask("08 01 00 05 00 03 28", "09 07 02 00 10 03 00 37 2a")
        }, { _ in }) == "carried", "who was not asked for all may have a Service Changed")
  }

  @Test func theHashSaysWhetherAllHolds() {
    let hash = { (traffic: inout Traffic, byte: String) in
      traffic.ask("08 01 00 ff ff 2a 2b", "09 12 09 00" + String(repeating: " " + byte, count: 16))
    }
    let first = { (traffic: inout Traffic) in
      traffic.discover(others: Self.withServiceChanged)
      hash(&traffic, "11")
    }
    #expect(via(first, { hash(&$0, "11") }) == "discovered")
    #expect(via(first, { hash(&$0, "22") }) == nil, "another hash clears everything")
  }

  @Test func serviceChangedEmptiesItsRange() throws {
    let recording = run { traffic in
      traffic.connect()
      traffic.discover(others: Self.withServiceChanged)
      traffic.received("1d 07 00 01 00 04 00")
    }
    #expect(map(recording) == ["0006 characteristic 2a05 0007 32", "0007 value 2a05"])
    let database = try #require(peersDatabase(recording))
    #expect(database.searched[Database.Search.characteristics.rawValue].ranges == [5...0xffff])
  }

  // MARK: Conclusions from use

  @Test func configurationsAreConcludedFromUse() throws {
    let recording = run { traffic in
      traffic.connect()
      for handle in ["11", "1a", "27"] {
        traffic.ask("12 \(handle) 00 01 00", "13")
      }
      traffic.received("1b 10 00 06 48")
      // Another descriptor is between the value and its configuration.
      traffic.received("1b 18 00 61")
      traffic.received("1d 26 00 01")
      traffic.sent("12 11 00 00 00")
    }
    #expect(
      map(recording) == [
        "0011 descriptor 2902 inferred", "001a descriptor 2902 inferred",
        "0027 descriptor 2902 inferred",
      ])
    let conclusions = try #require(peersDatabase(recording)?.evidence.conclusions)
    let results = conclusions.map { "\($0.handle)<\($0.value) \($0.write) \($0.notification)" }
    #expect(results == ["17<16 2 8", "26<24 4 9", "39<38 6 10"])
    let place = recording[11].answer.attribute
    #expect(place.map { recording.memory.attributes[$0].target } == 0x10)
  }

  @Test(arguments: [
    // A Write Command: vendors write 01 00 as data.
    ["> 52 11 00 01 00", "< 1b 10 00 01"],
    // Three bytes, and a value that is not a configuration.
    ["> 12 11 00 01 00 00", "< 13", "< 1b 10 00 01"],
    ["> 12 11 00 04 00", "< 13", "< 1b 10 00 01"],
    // Refused.
    ["> 12 11 00 01 00", "< 01 12 11 00 05", "< 1b 10 00 01"],
    // Notified only from a higher handle, or before the write.
    ["> 12 11 00 01 00", "< 13", "< 1b 12 00 01"],
    ["< 1b 10 00 01", "> 12 11 00 01 00", "< 13"],
  ])
  func whatIsNoConfiguration(_ pdus: [String]) {
    let recording = run { traffic in
      traffic.connect()
      for pdu in pdus {
        let text = String(pdu.dropFirst(2))
        if pdu.hasPrefix(">") { traffic.sent(text) } else { traffic.received(text) }
      }
    }
    #expect(map(recording) == [])
  }

  @Test func aNearerSenderTakesTheConfiguration() throws {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("12 1a 00 01 00", "13")
      traffic.received("1b 10 00 01")
      traffic.received("1b 18 00 01")
    }
    #expect(try #require(peersDatabase(recording)?.evidence.conclusions).map(\.value) == [0x18])
  }

  @Test func whatIsDiscoveredIsStronger() {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("12 04 00 01 00", "13")
      traffic.received("1b 03 00 01")
      traffic.discover()
    }
    #expect(map(recording).last == "0004 descriptor 2902")
    #expect(recording.problems.isEmpty)
  }

  // MARK: Hostile servers

  @Test func declarationsBackwardsAndWithoutEnd() throws {
    let recording = run { traffic in
      traffic.connect()
      for handle in stride(from: 0xffff, to: 0xe000, by: -2) {
        let low = String(handle & 0xff, radix: 16)
        let high = String(handle >> 8, radix: 16)
        traffic.ask("08 01 00 ff ff 03 28", "09 07 \(low) \(high) 02 00 00 \(low) \(high)")
      }
    }
    #expect(recording.problems == ["limitReached(2048,7)"])
    let database = try #require(peersDatabase(recording))
    #expect(database.count == Limits().attributes)
    #expect(!database.attributes.contains { $0.handle == 0 }, "a value handle of 0 is invalid")
    #expect(Set(database.attributes.map(\.handle)).count == database.count)
  }

  @Test func otherUUIDsEachTimeDoNotPileUp() throws {
    let recording = run { traffic in
      traffic.connect()
      for round in 0..<1000 {
        traffic.sent("04 01 00 ff ff")
        let uuid = (0..<16).map { String(($0 * round) & 0xff, radix: 16) }.joined(separator: " ")
        traffic.received("05 02 01 00 " + uuid)
      }
    }
    let database = try #require(peersDatabase(recording))
    let table = try #require(part("uuids", of: database))
    #expect(try #require(entries("facts", of: table)) < 100)
    #expect(database.disagreements.count == 64)
  }

  @Test func overlappingServices() {
    let recording = run { traffic in
      traffic.connect()
      for start in 1...40 {
        // Each search begins after the previous service, so it does not show that this service is
        // gone.
        traffic.sent("10 \(String(start, radix: 16)) 00 ff ff 00 28")
        traffic.received("11 06 \(String(start, radix: 16)) 00 ff ff 0d 18")
        traffic.sent("0a 10 00")
      }
      traffic.ask("06 01 00 ff ff 00 28 0d 18", "07 09 00 01 00")
    }
    #expect(peersDatabase(recording)?.count == 40)
  }
}
