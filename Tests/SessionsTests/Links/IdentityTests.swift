import Bluetooth
import Bytes
import Captures
import Cryptography
import MadeTraffic
import Testing

@testable import Sessions

/// A key in transmission order.
private let irk = [UInt8](hex("ec 02 34 a3 57 c8 ad 05 34 10 10 a6 0a 39 7d 9b").reversed())
/// The owner: a random static address.
private let identity = 0xc011_2233_4455

/// Returns a resolvable address of the key: 24 bits that begin with 01, and their hash.
private func address(_ random: UInt32) -> Int {
  let key = IdentityResolvingKey(irk.bytes)
  return Int(random) << 24 | Int(key?.hash(random) ?? 0)
}

extension Traffic {
  fileprivate mutating func smp(_ bytes: [UInt8], _ direction: Direction = .received) {
    acl(l2cap(bytes, cid: 6), direction)
  }

  /// Appends an LE Add Device To Resolving List.
  fileprivate mutating func addToResolvingList() {
    command(0x2027, [1] + little(identity, width: 6) + irk + [UInt8](repeating: 7, count: 16))
  }

  fileprivate mutating func discover() {
    sent("08 01 00 05 00 03 28")
    received("09 07 02 00 10 03 00 37 2a")
  }
}

@Suite struct IdentityTests {
  /// The sources of keys: the host's command, the kernel's command and event.
  @Test(arguments: [0, 1, 2])
  func keysBeforeTheConnection(_ source: Int) {
    let recording = run { traffic in
      let device = little(identity, width: 6) + [2] + irk
      switch source {
      case 0: traffic.addToResolvingList()
      case 1:
        traffic.add(
          little(1, width: 4) + little(0x30) + little(1) + device, nil,
          framing: .monitor(opcode: 16))
      default:
        let event = little(1, width: 4) + little(0x18) + [1] + little(address(0x70_8194), width: 6)
        traffic.add(event + device, nil, framing: .monitor(opcode: 17))
      }
      traffic.connect(peer: address(0x70_8194))
      traffic.discover()
      traffic.disconnect()
      traffic.connect(peer: address(0x41_0203))
      traffic.sent("0a 03 00")
    }
    #expect(recording[2].connection?.identity?.address.value == UInt64(identity))
    #expect(recording[2].connection?.otherIdentity?.value == UInt64(identity))
    #expect(recording[7].connection?.id == 2)
    #expect(recording[7].answer.attribute != nil, "the same device under another address")
  }

  @Test func keyFromPairing() {
    let recording = run { traffic in
      traffic.connect(peer: address(0x70_8194))
      traffic.discover()
      traffic.smp([8] + irk)
      traffic.smp([9, 1] + little(identity, width: 6))
      traffic.sent("0a 03 00")
      traffic.disconnect()
      traffic.connect(peer: address(0x41_0203))
      traffic.sent("0a 03 00")
    }
    #expect(recording[1].connection?.identity == nil)
    #expect(recording[6].answer.attribute != nil, "earlier discoveries belong to it")
    #expect(recording[9].connection?.identity?.address.value == UInt64(identity))
    #expect(recording[9].answer.attribute != nil)
    #expect(recording.memory.attributes.servers.count == 1)
  }

  @Test func keyAfterTheConnection() {
    let recording = run { traffic in
      traffic.connect(peer: address(0x70_8194))
      traffic.discover()
      traffic.addToResolvingList()
      traffic.sent("0a 03 00")
    }
    #expect(recording[5].connection?.identity?.address.value == UInt64(identity))
    #expect(recording[5].answer.attribute != nil)
  }

  @Test func othersAreNotResolved() {
    let recording = run { traffic in
      traffic.addToResolvingList()
      traffic.connect(peer: address(0x70_8194) ^ 1)
      traffic.connect(0x41, peer: identity)
      traffic.smp([8] + [UInt8](repeating: 0, count: 16))
      traffic.smp([9, 1] + little(0xc099_8877_6655, width: 6))
    }
    #expect(recording[2].connection?.identity == nil)
    #expect(recording[3].connection?.identity == nil, "it uses its identity")
  }

  @Test func advertisersAreResolved() {
    let recording = run { traffic in
      traffic.addToResolvingList()
      traffic.meta(0x02, [1, 0, 1] + little(address(0x70_8194), width: 6) + [0, 0xc0])
    }
    let resolved = recording.memory.identities.identity(
      of: DeviceAddress(value: UInt64(address(0x70_8194))))
    #expect(resolved?.address.value == UInt64(identity))
  }

  /// One record with six devices, of which the key resolves some, before and after the key is
  /// known.
  @Test(arguments: [[], [0], [5], [3, 4], [0, 1, 2, 3, 4, 5]], [true, false])
  func advertisersOfOneRecord(_ own: [Int], isKeyFirst: Bool) {
    let addresses = (0..<6).map { place in
      address(UInt32(0x41_0000 + place)) ^ (own.contains(place) ? 0 : 1)
    }
    let recording = run { traffic in
      if isKeyFirst { traffic.addToResolvingList() }
      let reports = addresses.map { [0, 1] + little($0, width: 6) + [0, 0xc0] }
      traffic.meta(0x02, [6] + reports.flatMap(\.self))
      if !isKeyFirst { traffic.addToResolvingList() }
    }
    let identities = recording.memory.identities
    let wanted = own.map { DeviceAddress(value: UInt64(addresses[$0])) }
    let all = addresses.map { DeviceAddress(value: UInt64($0)) }
    if isKeyFirst { #expect(all.filter { identities.identity(of: $0) != nil } == wanted) }
    var found: [DeviceAddress] = []
    identities.search(all) { address, owner in
      found.append(address)
      #expect(owner.address.value == UInt64(identity))
    }
    #expect(found == wanted)
    #expect(all.filter { identities.search($0) != nil } == wanted)
  }

  @Test func bounded() throws {
    var limits = Limits()
    limits.identities = 3
    limits.resolvedAddresses = 5
    let recording = run(limits: limits) { traffic in
      for number in 1...9 {
        let key = [UInt8](repeating: UInt8(number), count: 16)
        traffic.command(
          0x2027, [1] + little(0xc000_0000_0000 + number, width: 6) + key + key)
      }
      for number in 1...20 {
        let sender = little(0x4000_0000_0000 + number, width: 6)
        traffic.meta(0x02, [1, 0, 1] + sender + [0, 0xc0])
      }
    }
    #expect(entries("devices", of: recording.memory.identities) == 3)
    #expect(try #require(entries("resolved", of: recording.memory.identities)) <= 5)
  }
}
