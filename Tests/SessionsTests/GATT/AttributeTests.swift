import Bluetooth
import MadeTraffic
import Testing

@testable import Sessions

/// Describes the attribute that a packet is about: "value 2a37 of 180d".
private func results(_ recording: Recording, _ number: Int) -> String? {
  guard let place = recording[number].answer.attribute else { return nil }
  let attribute = recording.memory.attributes[place]
  let service = recording.memory.attributes.service(of: place)
  return "\(attribute.kind) \(name(attribute.uuid))" + (service.map { " of \(name($0))" } ?? "")
}

private func name(_ uuid: BluetoothUUID) -> String {
  uuid.width == 2 ? String(uuid.low, radix: 16) : String(uuid.high, radix: 16)
}

@Suite struct AttributeTests {
  /// A primary service with a characteristic and its descriptor, discovered in every possible way.
  @Test(arguments: [
    ["10 01 00 ff ff 00 28", "11 06 01 00 05 00 0d 18"],
    ["06 01 00 ff ff 00 28 0d 18", "07 01 00 05 00"],
    ["08 01 00 ff ff 00 28", "09 04 01 00 0d 18"],
  ])
  func everyWay(_ services: [String]) {
    let recording = run { traffic in
      traffic.connect()
      traffic.sent(services[0])
      traffic.received(services[1])
      traffic.ask("08 01 00 05 00 03 28", "09 07 02 00 10 03 00 37 2a")
      traffic.ask("04 04 00 05 00", "05 01 04 00 02 29")
      for handle in 1...5 { traffic.sent("0a 0\(handle) 00") }
      traffic.received("1b 03 00 48")
    }
    let knowsRange = services[1].hasPrefix("09") ? "" : " of 180d"
    #expect(results(recording, 8) == "service 180d" + knowsRange)
    #expect(results(recording, 9) == "characteristic 2a37" + knowsRange)
    #expect(results(recording, 10) == "value 2a37" + knowsRange)
    #expect(results(recording, 11) == "descriptor 2902" + knowsRange)
    #expect(results(recording, 12) == nil)
    #expect(results(recording, 13) == "value 2a37" + knowsRange)
  }

  @Test func everythingInOneListOfTypes() {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("04 01 00 ff ff", "05 01 01 00 00 28 02 00 03 28 03 00 37 2a 04 00 02 29")
      for handle in 1...4 { traffic.sent("0a 0\(handle) 00") }
    }
    // A declaration's contents are in its value, which was not read.
    #expect(results(recording, 4) == nil && results(recording, 5) == nil)
    #expect(results(recording, 6) == "value 2a37" && results(recording, 7) == "descriptor 2902")
  }

  @Test func readByItsType() {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("08 01 00 ff ff 00 2a", "09 05 03 00 41 42 43")
      traffic.ask("12 03 00 41", "13")
      traffic.sent("0e 03 00 07 00")
    }
    #expect(results(recording, 4) == "value 2a00")
    #expect(results(recording, 5) == "value 2a00")
    #expect(recording[6].answer.attribute == nil)
  }

  @Test func eachSideHasItsOwnServer() {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("08 01 00 05 00 03 28", "09 07 02 00 10 03 00 37 2a")
      traffic.received("0a 03 00")
      traffic.sent("0a 03 00")
      traffic.ask("08 01 00 05 00 03 28", "09 07 02 00 10 03 00 00 2a", by: .received)
      traffic.received("0a 03 00")
      traffic.sent("1b 03 00 01")
    }
    #expect(results(recording, 4) == nil)
    #expect(results(recording, 5) == "value 2a37")
    #expect(results(recording, 8) == "value 2a00")
    #expect(results(recording, 9) == "value 2a00")
  }

  @Test func knownOverReconnectionsOfOneDevice() {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("08 01 00 05 00 03 28", "09 07 02 00 10 03 00 37 2a")
      traffic.disconnect()
      traffic.connect()
      traffic.sent("0a 03 00")
      traffic.disconnect()
      traffic.connect(peer: 0xc099_8877_6655)
      traffic.sent("0a 03 00")
    }
    #expect(results(recording, 6) == "value 2a37")
    let place = recording[6].answer.attribute
    #expect(place.map { recording.memory.attributes[$0].connection } == 1)
    #expect(recording[6].connection?.id == 2)
    #expect(results(recording, 9) == nil)
  }

  @Test func forgottenWhereTheServerSaysThatItChanged() {
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("08 01 00 ff ff 03 28", "09 07 02 00 20 03 00 05 2a 12 00 10 13 00 37 2a")
      traffic.received("1d 03 00 10 00 ff ff")
      traffic.sent("0a 13 00")
      traffic.sent("0a 03 00")
    }
    #expect(results(recording, 4) == "value 2a05")
    #expect(results(recording, 5) == nil)
    #expect(results(recording, 6) == "value 2a05")
  }

  @Test func longUUIDsThatBeginAlike() {
    let tail = "fb 34 9b 5f 80 00 00 80 00 10 00 00"
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("08 01 00 ff ff 03 28", "09 15 02 00 10 03 00 \(tail) 01 00 ff ee")
      traffic.sent("0a 03 00")
      traffic.sent("08 04 00 ff ff 03 28")
      traffic.received("09 15 04 00 10 05 00 01 \(tail.dropFirst(3)) 01 00 ff ee")
    }
    let place = recording[4].answer.attribute
    #expect(place.map { recording.memory.attributes[$0].part } == .ends)
    #expect(place.map { recording.memory.attributes[$0].hasTwin } == false)
  }

  @Test func longUUIDsAreToldApartByTheirFirstGroupThatDiffers() {
    let tail = "fb 34 9b 5f 80 00 00 80 00 10"
    let recording = run { traffic in
      traffic.connect()
      traffic.ask("08 01 00 ff ff 03 28", "09 15 02 00 10 03 00 \(tail) 10 00 1e ab a1 5c")
      traffic.received("01 08 04 00 0a")
      traffic.ask("08 04 00 ff ff 03 28", "09 15 04 00 10 05 00 \(tail) 20 00 1e ab a1 5c")
      traffic.sent("0a 03 00")
    }
    let place = recording[7].answer.attribute
    #expect(place.map { recording.memory.attributes[$0].part } == .twoGroups)
  }

  @Test func valuesWithTheSameUUIDAreTwinsAndDescriptorsKnowTheirs() {
    let recording = run { traffic in
      traffic.connect()
      traffic.sent("08 01 00 ff ff 03 28")
      traffic.received("09 07 02 00 10 03 00 37 2a 06 00 10 07 00 37 2a 0a 00 02 0b 00 19 2a")
      traffic.ask("04 04 00 05 00", "05 01 04 00 02 29 05 00 01 29")
      traffic.ask("04 0d 00 0d 00", "05 01 0d 00 02 29")
      traffic.sent("0a 03 00")
      traffic.sent("0a 0b 00")
      traffic.sent("0a 05 00")
      traffic.sent("0a 0d 00")
    }
    let attributes = recording.memory.attributes
    #expect(recording[8].answer.attribute.map { attributes[$0].hasTwin } == true)
    #expect(recording[9].answer.attribute.map { attributes[$0].hasTwin } == false)
    let values = [10, 11].map { index in
      recording[index].answer.attribute.flatMap { attributes.value(before: $0) }
        .map { attributes[$0].handle }
    }
    #expect(values == [3, nil], "0x000c, between value and descriptor, may be anything")
  }

  @Test func bounded() throws {
    var limits = Limits()
    limits.servers = 3
    limits.attributes = 10
    let recording = run(limits: limits) { traffic in
      for peer in 1...5 {
        traffic.connect(peer: 0xc000_0000_0000 + peer)
        for handle in 1...20 {
          traffic.sent("04 \(String(handle, radix: 16)) 00 ff ff")
          traffic.received("05 01 \(String(handle, radix: 16)) 00 02 29")
        }
        traffic.disconnect()
      }
    }
    // Reported once, whatever else exceeds the limit.
    #expect(recording.problems == ["limitReached(10,7)"])
    let servers = try #require(part("servers", of: recording.memory.attributes))
    #expect(Mirror(reflecting: servers).children.count == 3)
    for server in Mirror(reflecting: servers).children {
      #expect(entries("order", of: server.value) == 10)
    }
  }

  @Test func listsThatLieTeachNothing() {
    let recording = run { traffic in
      traffic.connect()
      let lies = ["05 00 01 00", "05 01 00 00 02 29", "09 00", "09 02 01 00", "07 00 00 00 00"]
      for response in lies {
        traffic.sent("04 01 00 ff ff")
        traffic.received(response)
        traffic.ask("0a 01 00", "0b")
      }
    }
    for number in 1...recording.packets.count { #expect(results(recording, number) == nil) }
  }
}
