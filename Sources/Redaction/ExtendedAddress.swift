import Bluetooth
import Bytes

/// A device address in eight bytes, with two more between its halves, in either byte order. In an
/// EUI-64 these are FF FE, and the universal/local bit of the first octet is inverted or not (IEEE,
/// "Guidelines for Use of Extended Unique Identifier" [mem]). Texas Instruments' sample programs
/// put zeros there when they fill in the System ID [mem].
struct ExtendedAddress {
  /// The number of bytes.
  static let byteCount = 8

  /// The octets of the address in their order, the first one least significant.
  private let octets: UInt64
  private let middle: (UInt8, UInt8)

  /// The order of the octets.
  private struct Form {
    var isReversed: Bool
    var isTurned: Bool

    static let all = [
      Form(isReversed: false, isTurned: false), Form(isReversed: true, isTurned: false),
      Form(isReversed: false, isTurned: true), Form(isReversed: true, isTurned: true),
    ]

    /// Returns the address of octets, or the octets of an address.
    func address(_ octets: UInt64, wasReversed: Bool) -> UInt64 {
      let turn: UInt64 = isTurned ? 0x02 << 40 : 0
      // The bit is that of the address's first octet, in either order of the octets.
      return wasReversed
        ? (isReversed ? octets.byteSwapped >> 16 : octets) ^ turn
        : isReversed ? (octets ^ turn).byteSwapped >> 16 : octets ^ turn
    }
  }

  /// Reads a possible address; nil if its middle is different, or there is nothing else in it.
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

  /// Reads a possible address that is the whole value.
  init?(whole value: [UInt8]) {
    guard value.count == Self.byteCount else { return nil }
    self.init(value.bytes, at: 0)
  }

  /// The address in the most likely form: least significant octet first as in the characteristic,
  /// unless FF comes before FE; with the universal/local bit inverted if it is set, since
  /// manufacturers assign universal addresses.
  var likelyAddress: DeviceAddress {
    let isReversed = middle == (0xff, 0xfe)
    let isLocal = (isReversed ? octets & 0x02 : octets >> 40 & 0x02) != 0
    let form = Form(isReversed: isReversed, isTurned: isLocal && middle != (0, 0))
    return DeviceAddress(value: form.address(octets, wasReversed: true))
  }

  /// Returns the bytes with the pseudonym of the address if the book contains it; nil otherwise.
  func replaced(_ addresses: AddressBook) -> [UInt8]? {
    for form in Form.all {
      let address = DeviceAddress(value: form.address(octets, wasReversed: true))
      guard !address.isCommonplace, addresses.contains(address) else { continue }
      return bytes(form.address(addresses[address].value, wasReversed: false))
    }
    return nil
  }

  /// Returns the bytes with some pseudonym, whatever the address is.
  func pseudonym(_ addresses: AddressBook) -> [UInt8] {
    replaced(addresses) ?? bytes(addresses[DeviceAddress(value: octets)].value)
  }

  private func bytes(_ octets: UInt64) -> [UInt8] {
    let all = [UInt8](littleEndian: octets, count: 6)
    return Array(all[..<3]) + [middle.0, middle.1] + Array(all[3...])
  }
}
