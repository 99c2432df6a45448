// Microsoft's extension of HCI, of which the advertisement monitor is a part. Its commands share one
// opcode that every maker of Controllers chooses, its events begin with a prefix that the Controller
// tells: neither can be told from a packet alone. (Microsoft-defined Bluetooth HCI commands and
// events; BlueZ, monitor/msft.h.)

package import Bytes

/// What is known of a Controller's Microsoft extension.
package struct MicrosoftExtension: Sendable, Equatable {
  /// The opcode of its commands; 0 for none.
  package var opcode: UInt16
  /// What its events begin with, the first byte lowest.
  private var prefix: UInt64 = 0
  /// How many bytes that is; 0: not known.
  package private(set) var prefixCount = 0

  /// The extension of a Controller by its maker's company identifier, where its opcode is public: the
  /// one that Linux and BlueZ's monitor use.
  package init?(manufacturer: UInt16) {
    switch manufacturer {
    // Intel, and the Linux Foundation's virtual Controllers.
    case 2, 0x05f1: opcode = 0xfc1e
    // Qualcomm.
    case 29: opcode = 0xfd70
    // MediaTek.
    case 70: opcode = 0xfd30
    // Realtek.
    case 93: opcode = 0xfcf0
    default: return nil
    }
  }

  /// Learns the prefix from what Read Supported Features returns: status (1 byte), subcommand (1, 0),
  /// features (8), length of the prefix (1), prefix.
  package mutating func observeReturn(_ bytes: RawSpan, _ returned: Slice) {
    let start = Int(returned.start)
    guard returned.count >= 11, bytes.byte(at: start) == 0, bytes.byte(at: start + 1) == 0 else {
      return
    }
    let count = Int(bytes.byte(at: start + 10))
    // Longer ones than BlueZ's monitor keeps are unheard of.
    guard count <= 8, start + 11 + count <= returned.end else { return }
    prefixCount = count
    prefix = Self.number(bytes, start + 11, count)
  }

  /// Whether an event's parameters begin with the prefix and a known event code behind it: 1 RSSI, 2
  /// LE Monitor Device.
  func matches(_ bytes: RawSpan, _ body: Slice) -> Bool {
    guard prefixCount > 0, Int(body.count) > prefixCount else { return false }
    let start = Int(body.start)
    let code = bytes.byte(at: start + prefixCount)
    return (code == 1 || code == 2) && Self.number(bytes, start, prefixCount) == prefix
  }

  private static func number(_ bytes: RawSpan, _ start: Int, _ count: Int) -> UInt64 {
    var number: UInt64 = 0
    for index in 0..<count { number |= UInt64(bytes.byte(at: start + index)) << (8 * index) }
    return number
  }
}

extension Dissection {
  /// Whether this is a vendor's command, the return of one, or a vendor's event, that no row describes:
  /// `recognise` may.
  package var isUnknownVendors: Bool {
    switch content {
    case .command(let command):
      HCICommand.isVendors(command.opcode) && parameters?.row == nil
    case .event(let event):
      event.code == HCIEvent.vendorCode
        || event.code == HCIEvent.commandCompleteCode && parameters?.completed == nil
    default: false
    }
  }

  /// Describes a packet of Microsoft's extension, if this is one of a Controller that is `known`.
  package mutating func recognise(
    _ known: MicrosoftExtension, _ bytes: RawSpan, isTruncated: Bool
  ) {
    switch content {
    case .command(let command) where command.opcode == known.opcode:
      take(
        HCIParameters(microsoftCommand: body), bytes, status: nil, isTruncated: isTruncated)
    case .event(let event) where event.code == HCIEvent.vendorCode:
      guard known.matches(bytes, body) else { return }
      let rest = Slice(
        start: Int(body.start) + known.prefixCount, count: Int(body.count) - known.prefixCount)
      take(HCIParameters(microsoftEvent: rest), bytes, status: nil, isTruncated: isTruncated)
    case .event:
      guard let parameters, !parameters.inner.isEmpty,
        bytes.littleEndianU16(at: Int(parameters.outer.start) + 1) == known.opcode
      else { return }
      let found = HCIParameters(parameters, returnsOf: HCITable.core.microsoftCommand)
      take(found, bytes, status: found.status(bytes), isTruncated: isTruncated)
    default: return
    }
  }
}
