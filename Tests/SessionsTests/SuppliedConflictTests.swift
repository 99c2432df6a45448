import Bluetooth
import Bytes
import MadeTraffic
import Testing

@testable import Sessions

/// Feeds traffic through a pass with a map, and keeps what is known at the end.
private func run(_ map: SuppliedMap, _ write: (inout Traffic) -> Void) -> (Database?, SuppliedUse?)
{
  var traffic = Traffic()
  write(&traffic)
  var source = MemorySource(traffic)
  var report = Recording()
  var output = Output()
  var pass = Pass(maps: [map])
  try? pass.run(&source, &report, into: &output)
  return (report.memory.attributes.servers.first { $0.key >> 63 == 0 }, pass.suppliedUse)
}

/// What the capture shows is true, whatever a map says.
@Suite struct SuppliedConflictTests {
  /// A heart rate service at 1 to 5, value at 3, CCCD at 4, a second value at 5 that is read; Device
  /// Information from 10 on.
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
      traffic.sent("12 04 00 01 00")
      traffic.received("13")
      traffic.received("1b 03 00 00 48")
      traffic.sent("0a 06 00")
      traffic.received("01 0a 06 00 02")
      // The declaration of a characteristic, as it is.
      traffic.sent("0a 02 00")
      traffic.received("0b 10 03 00 37 2a")
    }
    #expect(handles(database) == [1, 2, 3, 4, 5, 6, 10, 11, 12])
    #expect(use?.conflict == nil)
  }

  /// The server's Database Hash is read by its type, at 13.
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
    // The CCCD must be there, whether the map has it or not.
    var lesser = map
    lesser.attributes.removeAll { $0.handle == 4 }
    #expect(use(lesser, hash)?.disagreeingHash == nil)
    lesser.attributes.removeAll { $0.handle == 5 }
    #expect(use(lesser, hash)?.disagreeingHash == 3)
  }

  @Test(
    arguments: [
      // Declarations and configurations are not notified or written by commands, nor written; a value without
      // the property is not notified; who may read a declaration is everyone.
      (["<1b 02 00 00 48"], 2, .notification),
      (["<1b 04 00 00 48"], 4, .notification), (["<1d 06 00 01"], 6, .indication),
      (["52 05 00 01"], 5, .writeWithoutResponse), (["12 02 00 01", "<13"], 2, .write),
      (["0a 01 00", "<0b 01 02 03"], 1, .read), (["0a 05 00", "<01 0a 05 00 02"], 5, .read),
      (["0a 03 00", "<01 0a 03 00 01"], 3, .read),
    ] as [([String], UInt16, AttributeUse.Operation)])
  func whatIsContradictedGoes(
    _ pdus: [String], _ handle: UInt16, _ operation: AttributeUse.Operation
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
      // On another connection it is not taken again.
      traffic.disconnect()
      traffic.connect()
      traffic.sent("0a 0c 00")
      traffic.received("0b 41 42 43 44")
    }
    #expect(handles(database) == [10, 11, 12])
    #expect(use?.conflict?.attribute.handle == handle)
    #expect(use?.conflict?.operation == operation)
    #expect(use?.conflict?.range == 1...6)
    #expect(database?.conflicts.count == 1)
  }
}
