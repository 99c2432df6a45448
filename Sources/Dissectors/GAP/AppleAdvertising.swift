// What an app on an iPhone, iPad or Mac can advertise, and what Apple's system makes of it.

import Bluetooth
package import Bytes

/// Why an app on an Apple system cannot have advertised some data: CBPeripheralManager takes a local
/// name and service UUIDs only, of which 28 bytes fit beside the Flags, and a name of 10 bytes into the
/// scan response (Apple, CBPeripheralManager.startAdvertising).
package struct AppleLimits: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There is a structure of a type that apps cannot set.
  package static let types = Self(rawValue: 1)
  /// Structures other than Flags take more than 28 bytes, length and type bytes counted.
  package static let advertisementLength = Self(rawValue: 2)
  /// The scan response holds more than a name of 10 bytes, whose length and type bytes are not counted:
  /// Apple's words can be read either way, and what might have been possible is not denied.
  package static let scanResponseLength = Self(rawValue: 4)

  /// Structures beside Flags that fit into an advertisement, in bytes.
  package static let advertisementBytes = 28
  /// The longest name in a scan response, in bytes.
  package static let scanResponseBytes = 10

  /// Which limits the data in the part `slice` of `bytes` is beyond.
  package init(_ bytes: RawSpan, _ slice: Slice, isScanResponse: Bool) {
    self = []
    var structures = ADStructures(bytes, slice)
    while let structure = structures.next() {
      if !Self.allows(structure, bytes) { insert(.types) }
    }
    let length = Self.length(bytes, slice, isScanResponse: isScanResponse)
    if isScanResponse {
      if length > Self.scanResponseBytes { insert(.scanResponseLength) }
    } else if length > Self.advertisementBytes {
      insert(.advertisementLength)
    }
  }

  /// Whether an app can set such a structure, or the system for it.
  package static func allows(_ structure: ADStructure, _ bytes: RawSpan) -> Bool {
    switch structure.type.layout(count: Int(structure.data.count)) {
    case .flags, .uuids: true
    case .name: structure.type != .broadcastName
    case .manufacturerData: OverflowArea(bytes, structure.data) != nil
    default: false
    }
  }

  /// The bytes that count: those of structures other than Flags, of a scan response without their
  /// length and type bytes.
  package static func length(_ bytes: RawSpan, _ slice: Slice, isScanResponse: Bool) -> Int {
    var length = 0
    var structures = ADStructures(bytes, slice)
    while let structure = structures.next() {
      guard structure.type != .flags else { continue }
      length += Int(structure.data.count) + (isScanResponse ? 0 : 2)
    }
    return length
  }
}

/// Apple's overflow area: where an app's service UUIDs do not fit, or while it is in the background, the
/// system advertises bits of a mask that stand for them. Manufacturer data: company (2 bytes, 0x004c),
/// type (1, 0x01), mask (16). Which bits stand for which UUIDs Apple has not published.
package struct OverflowArea: Sendable {
  /// The mask.
  package let mask: Slice

  /// The overflow area in the part `slice` of `bytes`, which is manufacturer data; nil where that is
  /// something else.
  package init?(_ bytes: RawSpan, _ slice: Slice) {
    let start = Int(slice.start)
    guard slice.count == 19, bytes.littleEndianU16(at: start) == 0x004c,
      bytes.byte(at: start + 2) == 0x01
    else { return nil }
    mask = Slice(start: start + 3, count: 16)
  }

  /// How many of its bits are set.
  package func services(_ bytes: RawSpan) -> Int {
    (Int(mask.start)..<mask.end).reduce(0) { $0 + bytes.byte(at: $1).nonzeroBitCount }
  }
}
