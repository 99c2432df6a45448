import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Sessions

/// Runs a pass over traffic with a map, and returns the state at the end.
private func run(
  _ map: SuppliedMap, _ limits: Limits = Limits(), _ write: (inout Traffic) -> Void,
  at choose: ([Database]) -> Database? = { $0.first { $0.key >> 63 == 0 } }
) -> (Database?, SuppliedUse?) {
  var traffic = Traffic()
  write(&traffic)
  var source = MemorySource(traffic)
  var report = Recording()
  var output = Output()
  var pass = Pass(limits, maps: [map])
  try? pass.run(&source, &report, into: &output)
  return (choose(report.memory.attributes.servers), pass.suppliedUse)
}

/// The capture takes precedence over a map.
@Suite struct SuppliedConflictTests {
  /// A heart rate service at 1 to 5, with a value at 3, its CCCD at 4, and a second value at 5 that
  /// is read; Device Information starts at 10.
  private var map: SuppliedMap {
    var map = SuppliedMap()
    map.attributes = [
      SuppliedMap.attribute(1, .service, BluetoothUUID(0x180d), end: 6),
      SuppliedMap.attribute(
        2, .characteristic, BluetoothUUID(0x2a37), target: 3,
        properties: CharacteristicProperties(rawValue: 0x10)),
      SuppliedMap.attribute(3, .value, BluetoothUUID(0x2a37)),
      SuppliedMap.attribute(4, .descriptor, .clientConfiguration),
      SuppliedMap.attribute(
        5, .characteristic, BluetoothUUID(0x2a38), target: 6,
        properties: CharacteristicProperties(rawValue: 0x02)),
      SuppliedMap.attribute(6, .value, BluetoothUUID(0x2a38)),
      SuppliedMap.attribute(10, .service, BluetoothUUID(0x180a), end: 12),
      SuppliedMap.attribute(
        11, .characteristic, BluetoothUUID(0x2a29), target: 12,
        properties: CharacteristicProperties(rawValue: 0x02)),
      SuppliedMap.attribute(12, .value, BluetoothUUID(0x2a29)),
    ]
    return map
  }

  private func handles(_ database: Database?) -> [UInt16] {
    (database?.attributes ?? []).map(\.handle)
  }

  @Test func useThatFitsLeavesTheMap() {
    let (database, use) = run(map) { traffic in
      traffic.connect()
      traffic.ask("12 04 00 01 00", "13")
      traffic.received("1b 03 00 00 48")
      traffic.ask("0a 06 00", "01 0a 06 00 02")
      // The characteristic's declaration, unchanged.
      traffic.ask("0a 02 00", "0b 10 03 00 37 2a")
    }
    #expect(handles(database) == [1, 2, 3, 4, 5, 6, 10, 11, 12])
    #expect(use?.conflict == nil)
  }

  /// The server's Database Hash, at 13, is read by type.
  @Test func aHashThatDisagrees() {
    func use(_ map: SuppliedMap, _ hash: [UInt8]) -> SuppliedUse? {
      run(map) { traffic in
        traffic.connect()
        traffic.sent("08 01 00 ff ff 2a 2b")
        let digits = hash.map { String(UInt16($0) | 0x100, radix: 16).suffix(2) }
        traffic.received("09 12 0d 00 " + digits.joined(separator: " "))
      }.1
    }
    let hash = DatabaseProof.hash(of: map.attributes)
    #expect(use(map, hash)?.disagreeingHash == nil)
    #expect(use(map, hash.map { ~$0 })?.disagreeingHash == 3)
    // The CCCD must exist, whether the map has it or not.
    var lesser = map
    lesser.attributes.removeAll { $0.handle == 4 }
    #expect(use(lesser, hash)?.disagreeingHash == nil)
    lesser.attributes.removeAll { $0.handle == 5 }
    #expect(use(lesser, hash)?.disagreeingHash == 3)
  }

  @Test(
    arguments: [
      // Declarations and configurations are not notified or written with commands, and declarations
      // are never written. A value without the property is not notified, and anyone may read a
      // declaration.
      (["<1b 02 00 00 48"], 2, .notification),
      (["<1b 04 00 00 48"], 4, .notification), (["<1d 06 00 01"], 6, .indication),
      (["52 05 00 01"], 5, .writeWithoutResponse), (["12 02 00 01", "<13"], 2, .write),
      (["0a 01 00", "<0b 01 02 03"], 1, .read), (["0a 05 00", "<01 0a 05 00 02"], 5, .read),
      (["0a 03 00", "<01 0a 03 00 01"], 3, .read),
    ] as [([String], UInt16, ValueOperation)])
  func whatIsContradictedGoes(
    _ pdus: [String], _ handle: UInt16, _ operation: ValueOperation
  ) {
    let (database, use) = run(map) { traffic in
      traffic.connect()
      for pdu in pdus {
        if pdu.hasPrefix("<") {
          traffic.received(String(pdu.dropFirst()))
        } else {
          traffic.sent(pdu)
        }
      }
      // The next connection does not use it again.
      traffic.disconnect()
      traffic.connect()
      traffic.ask("0a 0c 00", "0b 41 42 43 44")
    }
    #expect(handles(database) == [10, 11, 12])
    #expect(use?.conflict?.attribute.handle == handle)
    #expect(use?.conflict?.operation == operation)
    #expect(use?.conflict?.range == 1...6)
    #expect(database?.conflicts.count == 1)
  }

  /// The map with Service Changed at 22.
  private var changing: SuppliedMap {
    var map = map
    map.attributes += [
      SuppliedMap.attribute(20, .service, BluetoothUUID(0x1801), end: 22),
      SuppliedMap.attribute(
        21, .characteristic, BluetoothUUID(0x2a05), target: 22,
        properties: CharacteristicProperties(rawValue: 0x20)),
      SuppliedMap.attribute(22, .value, BluetoothUUID(0x2a05)),
    ]
    return map
  }

  /// The same device, or one that may be the same, connects later: public, static and private
  /// addresses.
  @Test(
    arguments: [
      (0xc011_2233_4455, 1, 0xc011_2233_4455, 1, false),
      (0x0011_2233_4455, 0, 0x0011_2233_4455, 0, false),
      (0x4011_2233_4455, 1, 0x4099_8877_6655, 1, false),
      (0xc011_2233_4455, 1, 0x4099_8877_6655, 1, false),
      (0x4011_2233_4455, 1, 0xc011_2233_4455, 1, false),
      // This is another device.
      (0xc011_2233_4455, 1, 0xc0ff_ffff_ffff, 1, true),
    ] as [(Int, UInt8, Int, UInt8, Bool)])
  func whatHasChangedIsNotTakenAgain(
    _ first: Int, _ type: UInt8, _ second: Int, _ otherType: UInt8, _ isOther: Bool
  ) {
    for isParallel in [false, true] {
      let (database, _) = run(changing) { traffic in
        traffic.connect(0x40, peer: first, type: type)
        traffic.received("1b 03 00 00 48")
        // Service Changed, of 1 to 6.
        traffic.received("1d 16 00 01 00 06 00")
        if !isParallel { traffic.disconnect(0x40) }
        traffic.connect(0x41, peer: second, type: otherType)
        traffic.ask("0a 0c 00", "0b 41", handle: 0x41)
        if isParallel { traffic.received("1b 03 00 00 48", handle: 0x40) }
      } at: {
        $0.last { $0.key >> 63 == 0 }
      }
      let left: [UInt16] = [10, 11, 12, 20, 21, 22]
      #expect(handles(database) == (isOther ? [1, 2, 3, 4, 5, 6] + left : left))
    }
  }

  /// A server whose attributes were forgotten does not get the map again.
  @Test func whatHasChangedIsNotTakenAgainWhenItIsForgotten() {
    var limits = Limits()
    limits.servers = 2
    let (database, use) = run(changing, limits) { traffic in
      for peer in [0x4011_2233_4455, 0xc000_0000_0001, 0xc000_0000_0002, 0x4011_2233_4455] {
        traffic.connect(0x40, peer: peer)
        traffic.received("1b 03 00 00 48")
        if peer == 0x4011_2233_4455 { traffic.received("1d 16 00 01 00 06 00") }
        traffic.disconnect(0x40)
      }
      traffic.connect(0x40, peer: 0x4011_2233_9999)
      traffic.received("1b 03 00 00 48")
    } at: {
      $0.first { $0.key & 0xffff_ffff_ffff == 0x4011_2233_9999 }
    }
    #expect(handles(database) == [])
    #expect(use?.isApplied == true)
  }

  /// A changed hash invalidates everything: the map is not used again.
  @Test func anotherHash() {
    let (database, _) = run(changing) { traffic in
      for byte in ["00", "01"] {
        traffic.connect()
        traffic.sent("08 01 00 ff ff 2a 2b")
        traffic.received("09 12 0d 00" + String(repeating: " " + byte, count: 16))
        traffic.ask("0a 0c 00", "0b 41")
        traffic.disconnect()
      }
    }
    #expect(handles(database) == [13])
  }

  /// If a server reports more changed ranges than are remembered, everything counts as changed.
  @Test func manyChanges() {
    var map = changing
    map.attributes += (1...77).map {
      SuppliedMap.attribute(100 + 2 * $0, .value, BluetoothUUID(0x2a37))
    }
    let (database, _) = run(map) { traffic in
      traffic.connect(peer: 0x4011_2233_4455)
      for place in 1...77 {
        let handle = " \(two(100 + 2 * place)) 00"
        traffic.received("1d 16 00" + handle + handle)
      }
      traffic.disconnect()
      traffic.connect(peer: 0x4011_2233_9999)
      traffic.ask("0a 0c 00", "0b 41")
    } at: {
      $0.first { $0.key & 0xffff_ffff_ffff == 0x4011_2233_9999 }
    }
    #expect(handles(database) == [])
  }
}

/// Returns the low byte of a number in two digits.
private func two(_ number: Int) -> String {
  String(String(number & 0xff | 0x100, radix: 16).suffix(2))
}
