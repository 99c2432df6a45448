package import Bluetooth
import Bytes
import Captures
import Dissectors

/// Values that devices advertise: service data and manufacturer data.
extension Conversations {
  /// Distinguishes the servers of advertisements from those of connections: no address has this
  /// bit.
  fileprivate static let advertiser: UInt64 = 1 << 61
  /// Distinguishes the captured host's own advertisements, by controller.
  static let ownAdvertiser: UInt64 = advertiser | 1 << 60

  mutating func observeAdvertisements(
    _ record: borrowing CaptureRecord, _ bytes: RawSpan, _ memory: borrowing Memory
  ) {
    for index in memory.advertisements.reports.indices {
      let advertisement = memory.advertisements.reports[index]
      if let joined = advertisement.joined {
        advertised(
          advertisement, memory.advertisements.joined.bytes, joined,
          advertisement.chain.map { memory.advertisements.packets[$0] } ?? [], record, memory)
      } else if !advertisement.isPart {
        advertised(advertisement, bytes, advertisement.report.data, [], record, memory)
      }
    }
  }

  private mutating func advertised(
    _ advertisement: Advertisement, _ bytes: RawSpan, _ data: Slice, _ chain: ArraySlice<Int>,
    _ record: borrowing CaptureRecord, _ memory: borrowing Memory
  ) {
    guard !data.isEmpty else { return }
    let address = advertisement.report.address ?? advertisement.train?.address
    let type =
      advertisement.report.address == nil
      ? advertisement.train?.addressType : advertisement.report.addressType
    var attribute = AttributeIdentity(
      server: Self.advertiser | (address?.value ?? .max >> 16)
        | UInt64((type ?? .public).rawValue & 1) << 48,
      handle: nil)
    attribute.needsHandle = false
    let parties = ValueParties(
      adapter: record.adapter, peer: address,
      identity: address.flatMap { memory.identities.identity(of: $0)?.address })
    var value = ConveyedValue(
      operation: .advertisement, attribute: attribute, parties: parties,
      direction: record.isFromAir ? nil : .received, packet: record.number, time: record.time)
    value.isSecret = advertisement.mayHoldSecret
    reportStructures(bytes, data, value, isCut: false, chain: chain)
  }

  /// Reports the values in advertising data.
  ///
  /// - Parameters:
  ///   - one: a value with the properties that all have in common.
  ///   - isCut: whether the capture lacks bytes after these, so that the last structure may be cut,
  ///     too.
  ///   - chain: the packets of the advertisement, if there are several.
  mutating func reportStructures(
    _ bytes: RawSpan, _ data: Slice, _ one: ConveyedValue, isCut: Bool, chain: ArraySlice<Int>
  ) {
    var packets: Range<Int>?
    var structures = ADStructures(bytes, data)
    while let structure = structures.next() {
      var cursor = Cursor(bytes, structure.data)
      var value = one
      switch structure.type.layout(count: Int(structure.data.count)) {
      case .serviceData(let width):
        guard cursor.remaining >= width,
          let service = try? BluetoothUUID(parsing: &cursor, width: width)
        else { continue }
        value.attribute.uuid = service
      case .manufacturerData:
        guard let number = try? cursor.u16() else { continue }
        value.company = number
      default: continue
      }
      value.adType = structure.type
      value.isCut = isCut && structure.data.end >= data.end
      value.value = keep(bytes.part(cursor.rest()))
      // The packets of the advertisement, shared by all of its values.
      if packets == nil { packets = keep(chain) }
      value.packets = packets
      report(value)
    }
  }
}

extension Memory {
  /// Returns the identity of a server whose values came from a resolvable address, at the end of a
  /// capture that contains the key: the server's key by that identity, and the identity.
  ///
  /// - Parameters:
  ///   - key: its earlier key, `AttributeIdentity.server`.
  ///   - peer: an address that it used.
  package func resolve(
    server key: UInt64, peer: DeviceAddress
  ) -> (server: UInt64, identity: (address: DeviceAddress, type: AddressType))? {
    let isAdvertiser = key & Conversations.advertiser
    // For an advertiser, it is known whether the address is random.
    guard isAdvertiser == 0 || key >> 48 & 1 == 1, let found = identities.search(peer) else {
      return nil
    }
    return (isAdvertiser | Attributes.key(found.address, found.type), found)
  }
}

extension CaptureRecord {
  /// Whether a sniffer recorded it, so that no host received it.
  fileprivate var isFromAir: Bool {
    if case .air = framing { true } else { false }
  }
}
