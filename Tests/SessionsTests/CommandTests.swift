import Bluetooth
import Bytes
import Captures
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct CommandTests {
  // MARK: Answers

  @Test func completeAndStatus() {
    let results = run { traffic in
      traffic.command(0x1009)
      traffic.clock += 4
      traffic.complete(0x1009, [0] + little(0x1122_3344_5566, width: 6))
      traffic.begin(0x200d, [UInt8](repeating: 0, count: 25))
    }
    #expect(results[2].answers == "answers 1 after 5 ms")
    #expect(results[4].answers == "answers 3 after 1 ms")
    #expect(results.problems == [])
  }

  @Test func eachCommandIsAnsweredOnce() {
    let results = run { traffic in
      traffic.perform(0x0c03)
      traffic.complete(0x0c03)
      traffic.status(0x0c03)
      traffic.complete(0x1009, [0] + [UInt8](repeating: 0, count: 6))
    }
    #expect(results.packets.map(\.answers) == [nil, "answers 1 after 1 ms", nil, nil, nil])
  }

  /// Some controllers answer an unknown command with the opcode 0xffff, which answers the next
  /// command.
  @Test func unknownCommand() {
    let results = run { traffic in
      traffic.command(0xfd53)
      traffic.complete(0xffff, [1])
      traffic.complete(0xffff, [1])
    }
    #expect(results.packets.map(\.answers) == [nil, "answers 1 after 1 ms", nil])
  }

  /// Several commands may be open, including commands with one opcode and commands on several
  /// adapters.
  @Test func severalAtOnce() {
    let results = run { traffic in
      traffic.command(0x1405, little(0x40))
      traffic.command(0x1405, little(0x41))
      traffic.command(0x0c14)
      traffic.adapter = 1
      traffic.perform(0x0c14, returns: [0x0c])
      traffic.adapter = 0
      traffic.complete(0x0c14, [0x0c])
      traffic.complete(0x1405, [0] + little(0x40) + [0])
      traffic.complete(0x1405, [0] + little(0x41) + [0])
    }
    #expect(results.packets[4...].compactMap(\.answer.request).map(\.packet) == [4, 3, 1, 2])
  }

  /// The controller allows one command at a time: a second one means that the first was answered,
  /// and that the capture lacks the response.
  @Test func lostAnswerShiftsNothing() {
    let results = run { traffic in
      traffic.complete(0x1001, [0])
      for number in 1...4 {
        traffic.command(0x200c, [1, 0])
        if number != 2 { traffic.complete(0x200c) }
      }
    }
    #expect(
      results.packets.map { $0.answer.request?.packet } == [nil, nil, 2, nil, nil, 5, nil, 7])
  }

  /// Some hosts send more commands than the controller allows, and the earlier ones are answered.
  @Test func moreThanAllowed() {
    let results = run { traffic in
      traffic.complete(0x1001, [0])
      traffic.command(0x0c14)
      traffic.command(0x200c, [1, 0])
      traffic.complete(0x0c14)
      traffic.complete(0x200c)
    }
    #expect(results.packets.map { $0.answer.request?.packet } == [nil, nil, nil, 2, 3])
  }

  /// The same as with a lost answer if the capture begins with it: from the second response on.
  @Test func lostAnswerAtTheBeginning() {
    let results = run { traffic in
      traffic.command(0x200c, [1, 0])
      for _ in 2...4 {
        traffic.perform(0x200c, [1, 0])
      }
    }
    #expect(results[5].answers == "answers 4 after 1 ms")
    #expect(results[7].answers == "answers 6 after 1 ms")
  }

  /// The same if the controller allows several: a later command was answered.
  @Test func lostAnswerOfSeveral() {
    let results = run { traffic in
      traffic.event(0x0e, [4, 0, 0])
      traffic.command(0x200c, [1, 0])
      traffic.perform(0x0c14)
      traffic.perform(0x200c, [1, 0])
    }
    #expect(results[4].answers == "answers 3 after 1 ms")
    #expect(results[6].answers == "answers 5 after 1 ms")
  }

  @Test func equalCommandsInOrder() {
    let results = run { traffic in
      traffic.event(0x0e, [2, 0, 0])
      for _ in 1...2 {
        traffic.command(0x200c, [1, 0])
        traffic.perform(0x200c, [0, 0])
        traffic.complete(0x200c, [0x0c])
      }
    }
    #expect(results.packets.compactMap(\.answer.request?.packet) == [2, 3, 6, 7])
  }

  /// A handle in the response distinguishes commands with the same opcode.
  @Test func answersThatNameTheirLink() {
    let results = run { traffic in
      traffic.connect(0x40)
      traffic.connect(0x41)
      traffic.command(0x1405, little(0x40))
      traffic.perform(0x1405, little(0x41), returns: [0] + little(0x41) + [0])
    }
    #expect(results[5].answers == "answers 4 after 1 ms" && results[5].connection?.handle == 0x41)
  }

  @Test func lostRecordsEndWhatWaits() {
    let results = run { traffic in
      traffic.command(0x200c, [1, 0])
      traffic.add([4, 0x13, 1, 0], .received, drops: 1)
      traffic.complete(0x200c)
    }
    #expect(results[3].answers == nil)
  }

  /// The first Disconnect's status is lost: the refusal is the second one's.
  @Test func lostStatusOfADisconnect() {
    let results = run { traffic in
      traffic.complete(0x1001, [0])
      traffic.connect(0x40)
      traffic.connect(0x41)
      traffic.command(0x0406, little(0x40) + [0x13])
      traffic.askToDisconnect(0x41, status: 0x0c)
      traffic.disconnect(0x40, reason: 0x13)
      traffic.disconnect(0x41, reason: 0x13)
    }
    #expect(results[6].answers == "answers 5 after 1 ms" && results[6].connection?.handle == 0x41)
    #expect(results.connections.map(\.ending) == [.localHost, .peer])
  }

  /// A command that has taken effect is not the one that is answered later.
  @Test func disconnectWithoutItsStatus() {
    let results = run { traffic in
      traffic.connect(0x40)
      traffic.connect(0x41)
      traffic.command(0x0406, little(0x40) + [0x13])
      traffic.disconnect(0x40, reason: 0x16)
      traffic.askToDisconnect(0x41)
    }
    #expect(results[6].answers == "answers 5 after 1 ms")
  }

  /// A command that was lost in a reset is not the one that is answered later.
  @Test func resetForgetsWhatWaits() {
    let results = run { traffic in
      traffic.command(0x1009)
      traffic.adapter = 1
      traffic.command(0x1009)
      traffic.adapter = 0
      traffic.perform(0x0c03)
      traffic.perform(0x1009, returns: [0] + [UInt8](repeating: 0, count: 6))
      traffic.adapter = 1
      traffic.complete(0x1009, [0] + [UInt8](repeating: 0, count: 6))
    }
    #expect(results[4].answers == "answers 3 after 1 ms")
    #expect(results[6].answers == "answers 5 after 1 ms")
    #expect(results[7].answers == "answers 2 after 5 ms")
  }

  @Test func eventsThatAreTooShort() {
    let results = run { traffic in
      traffic.command(0x0c03)
      traffic.event(0x0e, [1])
      traffic.event(0x0f, [0, 1])
      traffic.event(0x0e, [])
    }
    #expect(results.packets.allSatisfy { $0.answer.request == nil })
    #expect(results.problems.count == 3)
  }

  @Test func linksOfCommandsAndEvents() {
    let results = run { traffic in
      traffic.connect()
      traffic.perform(0x1405, little(0x40), returns: [0] + little(0x40) + [0xc4])
      traffic.command(0x1405, little(0x41))
      traffic.complete(0x0c03, [0x0c])
    }
    #expect(results.packets.map { $0.connection?.id } == [1, 1, 1, nil, nil])
  }

  @Test func waitingCommandsAreBounded() {
    var limits = Limits()
    limits.commands = 3
    let results = run(limits: limits) { traffic in
      for index in 0..<30 { traffic.command(0x1000 + index) }
      traffic.complete(0x1000 + 26)
      traffic.complete(0x1000 + 27)
      traffic.complete(0x1000 + 29)
    }
    #expect(results[31].answer.request == nil)
    #expect(results[32].answers == "answers 28 after 4 ms")
    #expect(results[33].answers == "answers 30 after 3 ms")
    #expect(entries("waiting", of: results.memory.commands) == 1)
  }

  // MARK: Adapters

  @Test func adaptersFromNotes() {
    let results = run { traffic in
      traffic.adapter = 3
      traffic.note(0, hex("00 01 66 55 44 33 22 11 68 63 69 33 00 00 00 00"))
      traffic.note(10, hex("77 55 44 33 22 11 02 00"))
      traffic.adapter = .unknown
      traffic.note(12, Array("Linux version 6.1\0".utf8))
      traffic.note(12, Array("Linux version 6.1\0".utf8))
      traffic.note(12, Array("Bluetooth subsystem".utf8))
      traffic.note(0, hex("00 01 66 55 44 33 22 11 68 63 69 33 00 00 00 00"))
    }
    let adapters = results.memory.adapters
    #expect(adapters.all.map(\.index) == [3])
    #expect(adapters.all.first?.address == DeviceAddress(value: 0x1122_3344_5577))
    #expect(adapters.all.first?.name == Array("hci3".utf8) && adapters.all.first?.bus == 1)
    #expect(adapters.all.first?.manufacturer == 2)
    #expect(
      adapters.software == [Array("Linux version 6.1".utf8), Array("Bluetooth subsystem".utf8)])
  }

  @Test func adaptersFromCommands() {
    let results = run { traffic in
      traffic.complete(0x1009, [0] + little(0x1122_3344_5566, width: 6))
      traffic.complete(0x1001, hex("00 0b 00 00 0b 3b 00 11 22"))
      // A failure returns nothing that counts.
      traffic.complete(0x1009, [1] + little(0x7777_7777_7777, width: 6))
      traffic.complete(0x1009, [0, 1, 2])
    }
    let adapter = results.memory.adapters.all.first
    #expect(results.memory.adapters.all.count == 1)
    #expect(adapter?.address == DeviceAddress(value: 0x1122_3344_5566))
    #expect(adapter?.hciVersion == 11 && adapter?.manufacturer == 0x3b)
  }

  @Test func adaptersAreBounded() {
    var limits = Limits()
    limits.adapters = 2
    limits.softwareNotes = 2
    let results = run(limits: limits) { traffic in
      for index in 0..<20 {
        traffic.adapter = AdapterIndex(UInt16(index))
        traffic.note(10, hex("77 55 44 33 22 11 02 00"))
        traffic.note(12, Array("note \(index)".utf8))
      }
    }
    #expect(results.memory.adapters.all.map(\.index) == [0, 1])
    #expect(results.memory.adapters.software.count == 2)
  }

  @Test func notesAreBounded() {
    let results = run { traffic in
      traffic.note(12, [UInt8](repeating: 0x61, count: 60_000))
      for index in 0..<40 { traffic.note(12, Array("note \(index)".utf8)) }
    }
    #expect(results.memory.adapters.software.count == Limits().softwareNotes)
    #expect(results.memory.adapters.software.first?.count == Limits().noteBytes)
  }

  // MARK: Links

  /// If open links exceed the limit, the one that was silent longest is forgotten, which is
  /// reported once.
  @Test func linksAreBounded() {
    var limits = Limits()
    limits.links = 4
    let results = run(limits: limits) { traffic in
      for handle in 0..<40 {
        traffic.connect(handle)
        // Handle 0 is never silent.
        traffic.received("1b 0e 00 01", handle: 0)
      }
    }
    #expect(results.problems == ["limitReached(4,0)"])
    #expect(results[9].problems == ["limitReached(4,0)"])
    #expect(results.memory.links.count == 40 && results.memory.links.mostOpen == 4)
    #expect(results.connections.map { Int($0.handle) } == [0, 37, 38, 39])
    // The list of connections counts what was left out.
    #expect(results.memory.links.otherEndings == 36)
    #expect(results.memory.links.departed?.handle == 36)
    #expect(results.memory.links.departed?.ending == .forgotten)
    #expect(entries("slots", of: results.memory.links) == 4)
    #expect(entries("index", of: results.memory.links) == 4)
  }

  /// Ended links are dropped first, which is not reported.
  @Test func endedLinksGoFirst() {
    var limits = Limits()
    limits.links = 3
    let results = run(limits: limits) { traffic in
      traffic.connect(0x01)
      for handle in 2..<40 {
        traffic.connect(handle)
        traffic.disconnect(handle)
      }
    }
    #expect(results.problems == [] && results.memory.links.mostOpen == 2)
    #expect(results.connections.first?.handle == 1 && results.connections.first?.isOpen == true)
    #expect(entries("slots", of: results.memory.links) == 3)
  }

  /// A reused slot keeps no fragments or requests of the previous link.
  @Test func forgottenLinksLeaveNothing() {
    var limits = Limits()
    limits.links = 1
    let results = run(limits: limits) { traffic in
      traffic.connect(1)
      traffic.acl(Array(notification(30)[..<20]), .received, handle: 1)
      traffic.sent("0a 03 00", handle: 1)
      traffic.acl(Array(notification(30)[20...]), .received, .more, handle: 2)
      traffic.received("0b 64", handle: 2)
    }
    #expect(results[4].problems == ["continuationWithoutStart(0,0)", "limitReached(1,0)"])
    #expect(results[5].problems == ["responseWithoutRequest(0,0)"])
    #expect(results.connections.map(\.id) == [2])
  }

  /// Limits of zero still allow one entry.
  @Test func limitsOfNothing() {
    var limits = Limits()
    limits.links = 0
    limits.commands = 0
    limits.advertisingChains = 0
    limits.names = 0
    limits.adapters = 0
    limits.softwareNotes = 0
    limits.noteBytes = 0
    limits.pduBytes = 0
    limits.fragmentNumbers = 0
    limits.advertisingBytes = 0
    let results = run(limits: limits) { traffic in
      for handle in 0..<3 {
        traffic.connect(handle)
        traffic.command(0x0c03)
        traffic.note(12, Array("note".utf8))
        traffic.split(notification(30), [20], handle: handle)
        traffic.received("1b 0e 00 01", handle: handle)
        traffic.meta(0x02, hex("01 00 01 55 44 33 22 11 c0 03 02 09 61 c4"))
        traffic.meta(
          0x0d,
          hex("01 20 00 01 55 44 33 22 11 c0 01 01 01 7f 7f 00 00 00 00 00 00 00 00 00 01 61"))
      }
    }
    #expect(results.packets.count == 24 && results.finishes == 1)
  }
}
