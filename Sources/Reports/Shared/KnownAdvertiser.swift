import Bluetooth
import Bytes
import Decoders
import Dissectors
import Meanings
import Sessions

/// What is known of an advertiser when its data is described: its addresses, to detect data that
/// contains its own (many devices send it, since Apple's systems hide addresses from apps), and its
/// name, to find the profiles of devices with that name.
package struct KnownAdvertiser: Equatable, Sendable {
  /// The address that is used for advertising, and the identity address, if known.
  var address: DeviceAddress?
  var identity: DeviceAddress?
  /// The name it advertised so far, in this packet or another one.
  var name: [UInt8]?

  /// An address in data.
  struct Place: Equatable, Sendable {
    /// Which of the two addresses it is.
    var address: DeviceAddress
    var isIdentity: Bool
    /// The offset of its first byte.
    var offset: Int
    /// Whether the byte that is printed last comes first, as in Bluetooth packets.
    var isReversed: Bool
  }

  /// Returns the first position of one of the addresses in data, in either byte order.
  func place(in data: RawSpan) -> Place? {
    if let address, let place = Self.place(of: address, in: data) { return place }
    guard let identity, identity != address, var place = Self.place(of: identity, in: data) else {
      return nil
    }
    place.isIdentity = true
    return place
  }

  private static let size = 6

  private static func place(of address: DeviceAddress, in data: RawSpan) -> Place? {
    guard data.byteCount >= size, address != .zero else { return nil }
    let (first, last) = (UInt8(address.value >> 40), UInt8(address.value & 0xff))
    for offset in 0...data.byteCount - size {
      let byte = data.byte(at: offset)
      guard byte == first || byte == last else { continue }
      var (forward, backward): (UInt64, UInt64) = (0, 0)
      for index in 0..<size {
        let byte = UInt64(data.byte(at: offset + index))
        forward = forward << 8 | byte
        backward |= byte << UInt64(8 * index)
      }
      if forward == address.value || backward == address.value {
        return Place(
          address: address, isIdentity: false, offset: offset, isReversed: forward != address.value)
      }
    }
    return nil
  }
}

extension Output {
  /// Appends that data contains the advertiser's own address, if it does.
  mutating func ownAddress(_ place: KnownAdvertiser.Place?) {
    guard let place else { return }
    text(place.isIdentity ? ", holds its own identity address" : ", holds its own address")
    if place.isReversed { text(", last byte first") }
  }
}

extension FieldSink where Self: ~Copyable {
  /// Writes that data contains the advertiser's own address, if it does.
  mutating func ownAddress(in data: RawSpan) {
    guard let place = advertiser.place(in: data) else { return }
    begin("own_address")
    address("address", place.address)
    number("offset", place.offset)
    word("byte_order", place.isReversed ? "little_endian" : "big_endian")
    end()
  }
}

extension FieldSink where Self: ~Copyable {
  /// Writes how a profile decodes an AD structure of a type.
  mutating func decoded(_ type: ADType, _ data: RawSpan) {
    decoded(.advertisingData, BluetoothUUID(UInt16(type.rawValue)), data)
  }
}

extension Memory {
  /// Returns the sender of a report.
  func advertiser(of advertisement: Advertisement) -> KnownAdvertiser {
    let report = advertisement.report
    guard let address = report.address ?? advertisement.train?.address else {
      return KnownAdvertiser()
    }
    let type =
      report.address == nil ? advertisement.train?.addressType ?? .public : report.addressType
    let name = names.find(address, type).flatMap { names[$0] }
    return KnownAdvertiser(
      address: address, identity: identities.identity(of: address)?.address, name: name)
  }
}

extension ValueParties {
  /// The advertiser of a value.
  var advertiser: KnownAdvertiser { KnownAdvertiser(address: peer, identity: identity) }
}

extension ValueReading {
  /// Decodes an advertised value.
  mutating func read(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, _ data: RawSpan, of advertiser: KnownAdvertiser
  ) -> Bool {
    read(kind, uuid, data, sender: advertiser.address) { advertiser.name?.fits($0) ?? false }
  }
}

extension ListedDevice {
  /// The sender of its data.
  var sender: KnownAdvertiser {
    KnownAdvertiser(address: device.address, identity: device.identity, name: facts.name)
  }
}

extension ListedOwn {
  /// The sender of its data.
  var sender: KnownAdvertiser { KnownAdvertiser(address: address, name: facts.name) }
}
