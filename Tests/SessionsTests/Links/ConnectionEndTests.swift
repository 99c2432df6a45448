// How links end, and which side ended them.

import Bluetooth
import Bytes
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct ConnectionEndTests {
  @Test func handleThatIsOpenAlready() {
    let results = run { traffic in
      traffic.connect()
      traffic.connect(peer: 0x1122_3344_5566, type: 0)
    }
    #expect(results.connections.map(\.ending) == [.replaced, nil])
    #expect(results[2].connection?.id == 2 && results[2].connection?.peerType == .public)
    #expect(results.connections.first?.lastPacket == 2)
  }

  @Test(
    arguments: [
      (0x08, Connection.Ending.timeout), (0x13, .peer), (0x14, .peer), (0x15, .peer),
      (0x16, .localHost), (0x3d, .micFailure), (0x3e, .neverEstablished), (0x22, .controller),
      (0x00, .controller),
    ] as [(UInt8, Connection.Ending)])
  func reasons(_ reason: UInt8, _ ending: Connection.Ending) {
    let results = run { traffic in
      traffic.connect()
      traffic.disconnect(reason: reason)
    }
    let link = results[2].connection
    #expect(link?.ending == ending && link?.reason?.rawValue == reason && link?.isOpen == false)
    #expect(link?.lastPacket == 2 && results[2].answer.closed)
  }

  /// The capture truncated the event before the reason.
  @Test func reasonThatIsMissing() {
    let results = run { traffic in
      traffic.connect()
      traffic.event(0x05, hex("00 40 00 13"), kept: 6)
      traffic.connect()
      traffic.askToDisconnect()
      traffic.event(0x05, hex("00 40 00 13"), kept: 6)
    }
    #expect(results[2].connection?.ending == .unknown && results[2].connection?.reason == nil)
    #expect(results[6].connection?.ending == .localHost && results[6].connection?.reason == nil)
  }

  /// The other reasons that a host may give in its Disconnect command. BlueZ gives 0x05 when
  /// pairing fails, and the peer receives it as the reason.
  @Test(arguments: [0x05, 0x1a, 0x29, 0x3b])
  func reasonsOfThePeersHost(_ reason: UInt8) {
    let results = run { traffic in
      traffic.connect()
      traffic.disconnect(reason: reason)
      traffic.event(0x03, hex("00 40 00 66 55 44 33 22 11 01 00"))
      traffic.disconnect(reason: reason)
    }
    #expect(results[2].connection?.ending == .peer)
    // On BR/EDR, controllers end links themselves if authentication fails.
    #expect(results[4].connection?.ending == .controller)
  }

  /// An open Disconnect means that the captured host ended the link, whatever the reason.
  @Test(arguments: [0x08, 0x13, 0x16, 0x3d, 0x3e])
  func disconnectPending(_ reason: UInt8) {
    let results = run { traffic in
      traffic.connect()
      traffic.askToDisconnect()
      traffic.disconnect(reason: reason)
    }
    #expect(results[2].connection?.disconnectPacket == 2)
    #expect(results[3].answers == "answers 2 after 1 ms")
    #expect(results[4].connection?.ending == .localHost)
  }

  @Test func disconnectRefused() {
    let results = run { traffic in
      traffic.connect()
      traffic.askToDisconnect(status: 0x0c)
      traffic.disconnect(reason: 0x13)
    }
    #expect(results[4].connection?.ending == .peer)
  }

  @Test func disconnectFailed() {
    let results = run { traffic in
      traffic.connect()
      traffic.askToDisconnect()
      traffic.disconnect(status: 0x1f)
      traffic.disconnect(reason: 0x08)
    }
    #expect(results[4].connection?.isOpen == true && !results[4].answer.closed)
    #expect(results[5].connection?.ending == .timeout)
  }

  @Test func disconnectOfAnotherLink() {
    let results = run { traffic in
      traffic.connect(0x40)
      traffic.connect(0x41)
      traffic.askToDisconnect(0x41)
      traffic.disconnect(0x40, reason: 0x13)
      traffic.disconnect(0x41, reason: 0x16)
    }
    #expect(results.connections.map(\.ending) == [.peer, .localHost])
  }

  @Test func resetEndsTheLinksOfItsAdapter() {
    let results = run { traffic in
      traffic.connect(0x40)
      traffic.connect(0x41)
      traffic.adapter = 1
      traffic.connect(0x40)
      traffic.adapter = 0
      traffic.perform(0x0c03)
      traffic.connect(0x40)
    }
    #expect(results.connections.map(\.ending) == [.reset, .reset, nil, nil])
    #expect(!results[4].answer.closed && results[5].answer.closed)
    #expect(results[5].answers == "answers 4 after 1 ms")
    #expect(results[6].connection?.id == 4)
  }

  @Test func resetThatFailed() {
    let results = run { traffic in
      traffic.connect()
      traffic.complete(0x0c03, [0x0c])
      traffic.complete(0x0c03, [])
    }
    #expect(results.connections.map(\.isOpen) == [true] && !results[2].answer.closed)
  }

  @Test(arguments: [9, 1])
  func adapterThatWentAway(_ opcode: UInt16) {
    let results = run { traffic in
      traffic.connect(0x40)
      traffic.adapter = 1
      traffic.connect(0x40)
      traffic.note(opcode)
      traffic.adapter = .unknown
      traffic.note(opcode)
    }
    #expect(results.connections.map(\.ending) == [nil, .reset] && results[3].answer.closed)
  }
}
