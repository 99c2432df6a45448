// What an app on an iPhone, iPad or Mac can advertise, and how Apple's system transmits it.

import Bluetooth
package import Bytes

/// The reasons why an app on an Apple system cannot have advertised some data. CBPeripheralManager
/// accepts only a local name and service UUIDs, of which 28 bytes fit beside the Flags, and a name
/// of 10 bytes in the scan response (Apple, CBPeripheralManager.startAdvertising).
package struct AppleLimits: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There is a structure of a type that apps cannot set.
  package static let types = Self(rawValue: 1)
  /// Structures other than Flags take more than 28 bytes, including length and type bytes.
  package static let advertisementLength = Self(rawValue: 2)
  /// The scan response has more than a name of 10 bytes, not counting length and type bytes.
  /// Apple's documentation is ambiguous here, and the limit must not exclude what may be possible.
  package static let scanResponseLength = Self(rawValue: 4)

  /// The room for structures besides Flags in an advertisement, in bytes.
  package static let advertisementBytes = 28
  /// The longest name in a scan response, in bytes.
  package static let scanResponseBytes = 10

  /// Returns the limits exceeded by the data in the part `slice` of `bytes`.
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

  /// Returns whether an app, or the system on its behalf, can set such a structure.
  package static func allows(_ structure: ADStructure, _ bytes: RawSpan) -> Bool {
    switch structure.type.layout(count: Int(structure.data.count)) {
    case .flags, .uuids: true
    case .name: structure.type != .broadcastName
    case .manufacturerData: OverflowArea(bytes, structure.data) != nil
    default: false
    }
  }

  /// Returns the number of bytes that count: those of structures other than Flags, in a scan
  /// response without their length and type bytes.
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

/// Apple's overflow area. If an app's service UUIDs do not fit, or while it is in the background,
/// the system advertises them as bits of a mask. Manufacturer data: company (2 bytes, 0x004c), type
/// (1, 0x01), mask (16). Apple has not published the assignment of bits to UUIDs.
package struct OverflowArea: Sendable {
  package let mask: Slice

  /// Reads the overflow area in the part `slice` of `bytes`, which is manufacturer data; returns
  /// nil if it is something else.
  package init?(_ bytes: RawSpan, _ slice: Slice) {
    let start = Int(slice.start)
    guard slice.count == 19, bytes.littleEndianU16(at: start) == 0x004c,
      bytes.byte(at: start + 2) == 0x01
    else { return nil }
    mask = Slice(start: start + 3, count: 16)
  }

  /// Returns the number of mask bits that are set.
  package func services(_ bytes: RawSpan) -> Int {
    (Int(mask.start)..<mask.end).reduce(0) { $0 + bytes.byte(at: $1).nonzeroBitCount }
  }
}
