import Bluetooth
import Bytes
import Captures
import Dissectors

/// Values that devices advertise: service data and manufacturer data.
extension Conversations {
  /// What tells servers of advertisements from those of connections: no address has this bit.
  private static let advertiser: UInt64 = 1 << 61

  mutating func observeAdvertisements(
    _ record: borrowing CaptureRecord, _ bytes: RawSpan, _ memory: Memory
  ) {
    for index in memory.advertisements.reports.indices {
      let advertisement = memory.advertisements.reports[index]
      if let joined = advertisement.joined {
        advertised(
          advertisement, memory.advertisements.joined.bytes, joined,
          advertisement.chain.map { memory.advertisements.packets[$0] } ?? [], record)
      } else if !advertisement.isPart {
        advertised(advertisement, bytes, advertisement.report.data, [], record)
      }
    }
  }

  private mutating func advertised(
    _ advertisement: Advertisement, _ bytes: RawSpan, _ data: Slice, _ chain: ArraySlice<Int>,
    _ record: borrowing CaptureRecord
  ) {
    guard !data.isEmpty else { return }
    let address = advertisement.report.address ?? advertisement.train?.address
    let type =
      advertisement.report.address == nil
      ? advertisement.train?.addressType : advertisement.report.addressType
    var packets: Range<Int>?
    var structures = ADStructures(bytes, data)
    while let structure = structures.next() {
      var cursor = Cursor(bytes, structure.data)
      var uuid: BluetoothUUID?
      var company: UInt16?
      switch structure.type.layout(count: Int(structure.data.count)) {
      case .serviceData(let width):
        guard cursor.remaining >= width,
          let service = try? BluetoothUUID(parsing: &cursor, width: width)
        else { continue }
        uuid = service
      case .manufacturerData:
        guard let number = try? cursor.u16() else { continue }
        company = number
      default: continue
      }
      var attribute = AttributeIdentity(
        server: Self.advertiser | (address?.value ?? .max >> 16)
          | UInt64((type ?? .public).rawValue & 1) << 48,
        isLocal: false, handle: nil)
      attribute.uuid = uuid
      attribute.needsHandle = false
      var value = ConveyedValue(
        operation: .advertisement, attribute: attribute,
        parties: ValueParties(adapter: record.adapter ?? 0, peer: address), direction: .received,
        packet: record.number, time: record.time)
      value.company = company
      value.adType = structure.type
      value.isSecret = advertisement.mayHoldSecret
      value.value = keep(bytes.part(cursor.rest()))
      // The packets of the advertisement, which all of its values have in common.
      if packets == nil { packets = keep(chain) }
      value.packets = packets
      tell(value)
    }
  }
}
