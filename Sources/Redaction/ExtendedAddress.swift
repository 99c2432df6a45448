import Bluetooth
import Bytes

/// A device address in eight bytes, with two more between its halves: as EUI-64 has it, FF FE in the middle and the
/// universal/local bit of the first octet turned over or not (IEEE, "Guidelines for Use of Extended Unique Identifier"
/// [mem]), or with zeros there, as Texas Instruments' sample programs fill in the System ID [mem]. In either byte order.
struct ExtendedAddress {
  /// Number of bytes.
  static let byteCount = 8

  /// The octets of the address as they stand, the first one least significant.
  private let octets: UInt64
  private let middle: (UInt8, UInt8)

  /// How the octets stand.
  private struct Form {
    var isReversed: Bool
    var isTurned: Bool

    static let all = [
      Form(isReversed: false, isTurned: false), Form(isReversed: true, isTurned: false),
      Form(isReversed: false, isTurned: true), Form(isReversed: true, isTurned: true),
    ]

    /// The address of octets, or the octets of an address.
    func address(_ octets: UInt64, wasReversed: Bool) -> UInt64 {
      let turn: UInt64 = isTurned ? 0x02 << 40 : 0
      // The bit is that of the address's first octet, in whichever order the octets stand.
      return wasReversed
        ? (isReversed ? octets.byteSwapped >> 16 : octets) ^ turn
        : isReversed ? (octets ^ turn).byteSwapped >> 16 : octets ^ turn
    }
  }

  /// What may be one; nil where its middle is another, or where nothing else is in it.
  init?(_ bytes: RawSpan, at offset: Int) {
    guard offset + Self.byteCount <= bytes.byteCount else { return nil }
    middle = (bytes.byte(at: offset + 3), bytes.byte(at: offset + 4))
    switch middle {
    case (0xff, 0xfe), (0xfe, 0xff), (0, 0): break
    default: return nil
    }
    var octets: UInt64 = 0
    for (place, index) in [0, 1, 2, 5, 6, 7].enumerated() {
      octets |= UInt64(bytes.byte(at: offset + index)) << (8 * place)
    }
    guard !DeviceAddress(value: octets).isCommonplace else { return nil }
    self.octets = octets
  }

  /// What may be one, and nothing besides.
  init?(whole value: [UInt8]) {
    guard value.count == Self.byteCount else { return nil }
    self.init(value.bytes, at: 0)
  }

  /// Its address where nothing tells how it stands: least significant octet first as the characteristic has it, unless
  /// FF stands before FE; with the universal/local bit turned over where it is set, since makers number their devices
  /// universally.
  var likelyAddress: DeviceAddress {
    let isReversed = middle == (0xff, 0xfe)
    let isLocal = (isReversed ? octets & 0x02 : octets >> 40 & 0x02) != 0
    let form = Form(isReversed: isReversed, isTurned: isLocal && middle != (0, 0))
    return DeviceAddress(value: form.address(octets, wasReversed: true))
  }

  /// The same with the pseudonym of its address, where that is one of the book's; nil where it is not.
  func replaced(_ addresses: AddressBook) -> [UInt8]? {
    for form in Form.all {
      let address = DeviceAddress(value: form.address(octets, wasReversed: true))
      guard !address.isCommonplace, addresses.contains(address) else { continue }
      return bytes(form.address(addresses[address].value, wasReversed: false))
    }
    return nil
  }

  /// The same with some pseudonym, whatever its address is.
  func pseudonym(_ addresses: AddressBook) -> [UInt8] {
    replaced(addresses) ?? bytes(addresses[DeviceAddress(value: octets)].value)
  }

  private func bytes(_ octets: UInt64) -> [UInt8] {
    let all = [UInt8](littleEndian: octets, count: 6)
    return Array(all[..<3]) + [middle.0, middle.1] + Array(all[3...])
  }
}
