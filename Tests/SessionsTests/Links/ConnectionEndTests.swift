// How links end, and which side ended them.

import Bluetooth
import Bytes
import Dissectors
import MadeTraffic
import Testing

@testable import Sessions

@Suite struct ConnectionEndTests {
  @Test func handleThatIsOpenAlready() {
    let told = run { traffic in
      traffic.connect()
      traffic.connect(peer: 0x1122_3344_5566, type: 0)
    }
    #expect(told.connections.map(\.ending) == [.replaced, nil])
    #expect(told[2].connection?.id == 2 && told[2].connection?.peerType == .public)
    #expect(told.connections.first?.lastPacket == 2)
  }

  @Test(
    arguments: [
      (0x08, Connection.Ending.timeout), (0x13, .peer), (0x14, .peer), (0x15, .peer),
      (0x16, .localHost), (0x3d, .micFailure), (0x3e, .neverEstablished), (0x22, .controller),
      (0x00, .controller),
    ] as [(UInt8, Connection.Ending)])
  func reasons(_ reason: UInt8, _ ending: Connection.Ending) {
    let told = run { traffic in
      traffic.connect()
      traffic.disconnect(reason: reason)
    }
    let link = told[2].connection
    #expect(link?.ending == ending && link?.reason?.rawValue == reason && link?.isOpen == false)
    #expect(link?.lastPacket == 2 && told[2].answer.closed)
  }

  /// The capture truncated the event before the reason.
  @Test func reasonThatIsMissing() {
    let told = run { traffic in
      traffic.connect()
      traffic.event(0x05, hex("00 40 00 13"), kept: 6)
      traffic.connect()
      traffic.askToDisconnect()
      traffic.event(0x05, hex("00 40 00 13"), kept: 6)
    }
    #expect(told[2].connection?.ending == .unknown && told[2].connection?.reason == nil)
    #expect(told[6].connection?.ending == .localHost && told[6].connection?.reason == nil)
  }

  /// The other reasons that a host may give in its Disconnect command. BlueZ gives 0x05 when
  /// pairing fails, and the peer receives it as the reason.
  @Test(arguments: [0x05, 0x1a, 0x29, 0x3b])
  func reasonsOfThePeersHost(_ reason: UInt8) {
    let told = run { traffic in
      traffic.connect()
      traffic.disconnect(reason: reason)
      traffic.event(0x03, hex("00 40 00 66 55 44 33 22 11 01 00"))
      traffic.disconnect(reason: reason)
    }
    #expect(told[2].connection?.ending == .peer)
    // On BR/EDR, controllers end links themselves if authentication fails.
    #expect(told[4].connection?.ending == .controller)
  }

  /// An open Disconnect means that the captured host ended the link, whatever the reason.
  @Test(arguments: [0x08, 0x13, 0x16, 0x3d, 0x3e])
  func disconnectPending(_ reason: UInt8) {
    let told = run { traffic in
      traffic.connect()
      traffic.askToDisconnect()
      traffic.disconnect(reason: reason)
    }
    #expect(told[2].connection?.disconnectPacket == 2)
    #expect(told[3].answers == "answers 2 after 1 ms")
    #expect(told[4].connection?.ending == .localHost)
  }

  @Test func disconnectRefused() {
    let told = run { traffic in
      traffic.connect()
      traffic.askToDisconnect(status: 0x0c)
      traffic.disconnect(reason: 0x13)
    }
    #expect(told[4].connection?.ending == .peer)
  }

  @Test func disconnectFailed() {
    let told = run { traffic in
      traffic.connect()
      traffic.askToDisconnect()
      traffic.disconnect(status: 0x1f)
      traffic.disconnect(reason: 0x08)
    }
    #expect(told[4].connection?.isOpen == true && !told[4].answer.closed)
    #expect(told[5].connection?.ending == .timeout)
  }

  @Test func disconnectOfAnotherLink() {
    let told = run { traffic in
      traffic.connect(0x40)
      traffic.connect(0x41)
      traffic.askToDisconnect(0x41)
      traffic.disconnect(0x40, reason: 0x13)
      traffic.disconnect(0x41, reason: 0x16)
    }
    #expect(told.connections.map(\.ending) == [.peer, .localHost])
  }

  @Test func resetEndsTheLinksOfItsAdapter() {
    let told = run { traffic in
      traffic.connect(0x40)
      traffic.connect(0x41)
      traffic.adapter = 1
      traffic.connect(0x40)
      traffic.adapter = 0
      traffic.command(0x0c03)
      traffic.complete(0x0c03)
      traffic.connect(0x40)
    }
    #expect(told.connections.map(\.ending) == [.reset, .reset, nil, nil])
    #expect(!told[4].answer.closed && told[5].answer.closed)
    #expect(told[5].answers == "answers 4 after 1 ms")
    #expect(told[6].connection?.id == 4)
  }

  @Test func resetThatFailed() {
    let told = run { traffic in
      traffic.connect()
      traffic.complete(0x0c03, [0x0c])
      traffic.complete(0x0c03, [])
    }
    #expect(told.connections.map(\.isOpen) == [true] && !told[2].answer.closed)
  }

  @Test(arguments: [9, 1])
  func adapterThatWentAway(_ opcode: UInt16) {
    let told = run { traffic in
      traffic.connect(0x40)
      traffic.adapter = 1
      traffic.connect(0x40)
      traffic.note(opcode)
      traffic.adapter = .unknown
      traffic.note(opcode)
    }
    #expect(told.connections.map(\.ending) == [nil, .reset] && told[3].answer.closed)
  }
}
