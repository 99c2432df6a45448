// The keys that another capture supplies.

import Bluetooth
import MadeTraffic
import Testing

@testable import Sessions

@Suite("Keys from another capture") struct KeyCollectionTests {
  private static func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }
  /// The peer of connections, and the identity that it distributes.
  private static let peer = DeviceAddress(value: 0xc011_2233_4455)
  private static let identity = DeviceAddress(value: 0xc0ff_ee12_3456)
  private static let own = DeviceAddress(value: 0x0011_2233_4455)

  private static func collect(_ build: (inout Traffic) -> Void) -> (
    bonds: [Bond], lack: KeyCollection.Lack
  ) {
    var traffic = Traffic()
    build(&traffic)
    var collection = KeyCollection(file: "other", [])
    traffic.report(to: &collection)
    return (collection.bonds, collection.lack)
  }

  @Test("LE Enable Encryption gives the key, with EDIV and Rand") func central() throws {
    let bonds = Self.collect {
      $0.connect(peer: 0xc011_2233_4455)
      $0.startEncryption(key: 0x21, ediv: 0x1234, rand: 9)
      $0.encrypted()
      $0.startEncryption(key: 0x21, ediv: 0x1234, rand: 9)
    }.bonds
    try #require(bonds.count == 1)
    #expect(bonds[0].address == Self.peer && bonds[0].isFromCapture && bonds[0].file == "other")
    #expect(bonds[0].longTermKeys.count == 1)
    #expect(bonds[0].longTermKeys.first?.bytes == Self.key(0x21))
    #expect(bonds[0].longTermKeys.first?.ediv == 0x1234)
    #expect(bonds[0].longTermKeys.first?.rand == 9)
    #expect(bonds[0].longTermKeys.first?.isForPeripheral == false)
  }

  @Test("the reply to LE Long Term Key Request gives the key, with the request's EDIV and Rand")
  func peripheral() throws {
    let bonds = Self.collect {
      $0.connect(role: 1)
      $0.requestKey(key: 0x22, ediv: 0x4321, rand: 7)
    }.bonds
    let key = try #require(bonds.first?.longTermKeys.first)
    #expect(key.bytes == Self.key(0x22) && key.ediv == 0x4321 && key.rand == 7)
    #expect(key.isForPeripheral)
  }

  @Test("the key of legacy pairing is a short-term one; with Secure Connections it is not")
  func shortTerm() {
    let legacy = Self.collect {
      $0.connect()
      $0.pairLegacy()
      $0.startEncryption(key: 0x23)
    }.bonds
    #expect(legacy.map(\.sniffer.shortTerm) == [[Self.key(0x23)]])
    #expect(legacy.allSatisfy { $0.isAnyDevice && $0.longTermKeys.isEmpty })
    let secure = Self.collect {
      $0.connect()
      $0.pairSecurely()
      $0.startEncryption(key: 0x24)
    }.bonds
    #expect(secure.flatMap(\.longTermKeys).map(\.bytes) == [Self.key(0x24)])
    #expect(secure.allSatisfy { $0.sniffer.shortTerm.isEmpty })
  }

  @Test("keys that pairing distributes belong to the identities that it distributes")
  func distributed() throws {
    let bonds = Self.collect {
      $0.connect(peer: 0xc011_2233_4455)
      $0.pairLegacy()
      $0.encrypted()
      $0.smp([6] + Self.key(0x31), .received)
      $0.smp("07 34 12 01 00 00 00 00 00 00 00", .received)
      $0.smp([8] + Self.key(0x32), .received)
      $0.smp([9, 1] + Array(little(0xc0ff_ee12_3456, width: 6)), .received)
      $0.smp([6] + Self.key(0x33), .sent)
      $0.smp([8] + Self.key(0x34), .sent)
      $0.smp([9, 0] + Array(little(0x0011_2233_4455, width: 6)), .sent)
    }.bonds
    try #require(bonds.map(\.address) == [Self.identity, Self.own])
    #expect(bonds.map(\.type) == [.random, .public])
    #expect(bonds[0].longTermKeys.map(\.bytes) == [Self.key(0x31), Self.key(0x33)])
    #expect(bonds[0].longTermKeys.map(\.isForPeripheral) == [false, true])
    #expect(bonds[0].longTermKeys.first?.ediv == 0x1234)
    #expect(bonds.map(\.identityResolvingKey) == [Self.key(0x32), Self.key(0x34)])
  }

  @Test("Link Key Notification gives a BR/EDR key; a later one is another bond")
  func linkKeys() {
    let bonds = Self.collect {
      for byte in [0x41, 0x42] as [UInt8] {
        $0.event(0x18, little(0x0011_2233_4455, width: 6) + Self.key(byte) + [5])
      }
    }.bonds
    #expect(bonds.map(\.linkKey) == [Self.key(0x41), Self.key(0x42)])
    #expect(bonds.allSatisfy { $0.address == Self.own })
  }

  @Test("a capture without keys gives none, and a reason") func none() {
    let empty = Self.collect { $0.connect() }
    #expect(empty.bonds.isEmpty)
    if case .nothing = empty.lack {} else { Issue.record("\(empty.lack)") }
    let unkeyed = Self.collect {
      $0.connect()
      $0.pairLegacy()
    }
    if case .notDistributed = unkeyed.lack {} else { Issue.record("\(unkeyed.lack)") }
  }

  @Test("keys given to the controller are bounded") func bounded() {
    var limits = Limits()
    limits.keys = 4
    var traffic = Traffic()
    traffic.connect()
    for byte in 1...20 as ClosedRange<UInt8> {
      traffic.startEncryption(key: byte, ediv: Int(byte))
    }
    var collection = KeyCollection(file: "other", [])
    traffic.report(to: &collection, limits)
    #expect(collection.bonds.flatMap(\.longTermKeys).count == 4)
  }
}
