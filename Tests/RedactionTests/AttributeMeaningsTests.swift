import Bluetooth
import Bytes
import Captures
import MadeTraffic
import Sessions
import Testing

@testable import Redaction

@Suite("Values whose type the capture reveals elsewhere") struct AttributeMeaningsTests {
  private static let name = Array("Zygmunts-Laptop".utf8)
  private static let serial = Array("SN83Q7XZ41LVBD".utf8)
  private static let key: [UInt8] = (0xc1...0xd0).map { $0 }
  private static let secrets = [name, serial, key]
  /// The handles of the name, the serial number and the key, and what they are.
  private static let types = [(3, 0x2a00), (5, 0x2a25), (9, 0x2b84)]
  private static let laptop = 0xc0d1_2233_4466

  /// How the types are revealed.
  enum Discovery: CaseIterable {
    case declarations, information, byType
  }

  /// When the values come.
  enum Order: CaseIterable {
    case before, after, earlierConnection, laterConnection
    /// The capture begins or ends with a connection whose peer it does not name.
    case unnamedBefore, unnamedAfter
    /// The server uses the handles for another type first, or later.
    case changesLater, hasChanged
  }

  private static func discover(
    _ traffic: inout Traffic, _ way: Discovery, handle: Int = 0x40, as other: Int? = nil
  ) {
    for (attribute, type) in types {
      let type = little(other ?? type)
      switch way {
      case .declarations:
        traffic.acl(l2cap([8, 1, 0, 0xff, 0xff, 3, 0x28]), .sent, handle: handle)
        let declaration = little(attribute - 1) + [0x0a] + little(attribute) + type
        traffic.acl(l2cap([9, 7] + declaration), .received, handle: handle)
      case .information:
        traffic.acl(
          l2cap([4] + little(attribute) + little(attribute)), .sent, handle: handle)
        traffic.acl(l2cap([5, 1] + little(attribute) + type), .received, handle: handle)
      case .byType:
        traffic.acl(l2cap([8, 1, 0, 0xff, 0xff] + type), .sent, handle: handle)
        traffic.acl(l2cap([9, 3] + little(attribute) + [0x30]), .received, handle: handle)
      }
    }
  }

  /// Appends the values in PDUs of all kinds.
  private static func carry(_ traffic: inout Traffic, handle: Int = 0x40) {
    func sent(_ pdu: [UInt8]) { traffic.acl(l2cap(pdu), .sent, handle: handle) }
    func received(_ pdu: [UInt8]) { traffic.acl(l2cap(pdu), .received, handle: handle) }
    func item(_ value: [UInt8]) -> [UInt8] { little(value.count) + value }
    let key = [1] + Self.key
    sent([0x0a, 3, 0])
    received([0x0b] + name)
    for start in [0, 7] {
      sent([0x0c, 5, 0] + little(start))
      received([0x0d] + (start == 0 ? serial[..<7] : serial[7...]))
    }
    received([0x1b, 9, 0] + key)
    received([0x1d, 3, 0] + name)
    sent([0x1e])
    sent([0x20, 3, 0, 5, 0, 9, 0])
    received([0x21] + item(name) + item(serial) + item(key))
    received([0x23, 5, 0] + item(serial) + [9, 0] + item(key))
    sent([0x0e, 7, 0, 3, 0, 5, 0])
    received([0x0f, 0x55] + name + serial)
    sent([0x52, 5, 0] + serial)
    for start in [0, 8] {
      let part = [3, 0] + little(start) + (start == 0 ? name[..<8] : name[8...])
      sent([0x16] + part)
      received([0x17] + part)
    }
    sent([0x18, 1])
    received([0x19])
  }

  private static func build(_ traffic: inout Traffic, _ way: Discovery, _ order: Order) {
    switch order {
    case .before, .after, .changesLater, .hasChanged:
      traffic.connect()
      if order == .changesLater { discover(&traffic, .declarations, as: 0x2a19) }
      if order == .before || order == .changesLater { carry(&traffic) }
      discover(&traffic, way)
      if order == .hasChanged { discover(&traffic, .declarations, as: 0x2a19) }
      if order == .after || order == .hasChanged { carry(&traffic) }
    case .earlierConnection, .laterConnection:
      traffic.connect()
      if order == .earlierConnection { carry(&traffic) } else { discover(&traffic, way) }
      traffic.disconnect()
      traffic.connect(0x41)
      if order == .earlierConnection {
        discover(&traffic, way, handle: 0x41)
      } else {
        carry(&traffic, handle: 0x41)
      }
    case .unnamedBefore:
      carry(&traffic, handle: 0x42)
      traffic.connect()
      discover(&traffic, way)
    case .unnamedAfter:
      discover(&traffic, way, handle: 0x42)
      traffic.connect()
      carry(&traffic)
    }
  }

  /// Returns the pieces of six bytes that remain.
  private static func remains(_ records: [[UInt8]]) -> [[UInt8]] {
    secrets.flatMap { secret in
      (0...secret.count - 6).map { Array(secret[$0..<$0 + 6]) }.filter { contain(records, $0) }
    }
  }

  @Test(
    "are replaced, whichever comes first", arguments: Discovery.allCases, Order.allCases)
  func orders(way: Discovery, order: Order) throws {
    var plain = Traffic()
    Self.build(&plain, way, order)
    #expect(Set(Self.remains(plain.records.map(\.bytes))).count == 10 + 9 + 11)
    let left = Self.remains(try redacted { Self.build(&$0, way, order) }.after)
    #expect(left.isEmpty, "\(left.map { String(decoding: $0, as: UTF8.self) })")
  }

  @Test("keep their handles' headers; the values of other servers' handles stay") func others()
    throws
  {
    let result = try redacted {
      $0.connect()
      Self.carry(&$0)
      Self.discover(&$0, .declarations)
      $0.connect(0x41, peer: Self.laptop)
      $0.acl(l2cap([0x0a, 3, 0]), .sent, handle: 0x41)
      $0.acl(l2cap([0x0b] + Array("temperature 21".utf8)), .received, handle: 0x41)
    }
    #expect(result.contains(Array("temperature 21".utf8)))
    for (before, after) in zip(result.before, result.after).dropFirst().dropLast(3) {
      #expect(after.prefix(10) == before.prefix(10))
    }
  }

  @Test("are removed on request, whichever comes first", arguments: [Order.before, .after])
  func requested(order: Order) throws {
    var options = RedactionOptions()
    options.values = .types([try #require(BluetoothUUID(text: "2a37"))])
    let value = [0x16] + Array("heart rate".utf8)
    let result = try redacted(options) {
      $0.connect()
      if order == .before { $0.acl(l2cap([0x1b, 3, 0] + value), .received) }
      Self.discover(&$0, .declarations, as: 0x2a37)
      if order == .after { $0.acl(l2cap([0x1b, 3, 0] + value), .received) }
    }
    #expect(!result.contains(Array("heart".utf8)))
    #expect(!result.lines.contains { $0.contains("no value of") }, "\(result.lines)")
  }

  @Test("need another reading only if their type comes later", arguments: Order.allCases)
  func readings(order: Order) throws {
    var traffic = Traffic()
    Self.build(&traffic, .declarations, order)
    var output = Output()
    var learner = RedactionLearner(RedactionOptions())
    try run({ MemorySource(traffic) }, &learner, &output)
    let isKnown = order == .after || order == .laterConnection
    let mustRepeat = learner.mustRepeat
    #expect(mustRepeat == !isKnown)
    learner = learner.repeated()
    try run({ MemorySource(traffic) }, &learner, &output)
    let repeatsAgain = learner.mustRepeat
    #expect(!repeatsAgain)
  }

  @Test("are replaced if there are more attributes than are remembered") func full() throws {
    let result = try redacted {
      $0.connect()
      Self.carry(&$0)
      // Of two other peers, each has 40000 serial numbers.
      for peer in [0x41, 0x42] {
        $0.connect(peer, peer: Self.laptop + peer)
        for start in stride(from: 100, to: 40_100, by: 200) {
          let items: [UInt8] = (start..<start + 200).flatMap { little($0) + little(0x2a25) }
          $0.acl(l2cap([4] + little(start) + [0xff, 0xff]), .sent, handle: peer)
          $0.acl(l2cap([5, 1] + items), .received, handle: peer)
        }
      }
      $0.connect(0x43)
      Self.discover(&$0, .declarations, handle: 0x43)
    }
    #expect(Self.remains(result.after).isEmpty)
  }
}
