// The vocabulary of rows with bit fields.

import Bluetooth

extension Parameter {
  /// A number of `width` bytes that consists of bit fields, the least significant first.
  static func packed(_ width: UInt8, _ parts: [Parameter]) -> Self {
    Self("Bits", .packed(width: width, isHeader: false), nil, items: parts)
  }
  /// The first byte of a PDU on an advertising channel.
  static func advertisingHeader(_ parts: [Parameter]) -> Self {
    Self("Header", .packed(width: 1, isHeader: true), nil, items: parts)
  }
  static func bits(
    _ name: StaticString, _ count: UInt8, _ form: Form = .plain, line: StaticString? = nil
  ) -> Self {
    Self(name, .bits(count, form), line)
  }
  /// The number of bytes up to the next `untilEnd`.
  static func lengthBits(_ name: StaticString, _ count: UInt8) -> Self {
    Self(name, .lengthBits(count), nil)
  }
  static func unused(_ count: UInt8) -> Self { Self("Reserved", .unusedBits(count), nil) }
  /// Parameters that exist if a bit of the selector is set.
  static func ifSet(_ bit: UInt8, _ items: [Parameter]) -> Self {
    Self("Alternative", .ifSet(bit: bit), nil, items: items)
  }
  /// The address of the sender, whose type is TxAdd.
  static func senderAddress(_ name: StaticString) -> Self {
    Self(name, .addressByHeader(bit: 6), "")
  }
  /// The address of the receiver, whose type is RxAdd.
  static func receiverAddress(_ name: StaticString) -> Self {
    Self(name, .addressByHeader(bit: 7), "to")
  }
  /// AD structures up to the end of the PDU.
  static let advertisingRest = Self("Adv_Data", .restAdvertising, "")
}
