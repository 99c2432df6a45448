// Microsoft's HCI extension, which includes the advertisement monitor. Its commands share one
// opcode chosen by the Controller's manufacturer, and its events begin with a prefix reported by
// the Controller, so neither can be recognised from a packet alone. (Microsoft-defined Bluetooth
// HCI commands and events; BlueZ, monitor/msft.h.)

package import Bytes

/// The known properties of a Controller's Microsoft extension.
package struct MicrosoftExtension: Sendable, Equatable {
  /// The opcode of its commands; 0 for none.
  package var opcode: UInt16
  /// The prefix of its events, first byte lowest.
  private var prefix: UInt64 = 0
  /// The length of the prefix in bytes; 0 if unknown.
  package private(set) var prefixCount = 0

  /// Returns the extension for a manufacturer whose opcode is public; these are the opcodes that
  /// Linux and BlueZ's monitor use.
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

  /// Learns the prefix from the return parameters of Read Supported Features: status (1 byte),
  /// subcommand (1, 0), features (8), length of the prefix (1), prefix.
  package mutating func observeReturn(_ bytes: RawSpan, _ returned: Slice) {
    let start = Int(returned.start)
    guard returned.count >= 11, bytes.byte(at: start) == 0, bytes.byte(at: start + 1) == 0 else {
      return
    }
    let count = Int(bytes.byte(at: start + 10))
    // Prefixes longer than BlueZ's monitor supports are unknown.
    guard count <= 8, start + 11 + count <= returned.end else { return }
    prefixCount = count
    prefix = Self.number(bytes, start + 11, count)
  }

  /// Returns whether an event's parameters begin with the prefix and a known event code: 1 RSSI, 2
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
  /// Whether this is a vendor-specific command, event or set of return parameters without a row,
  /// which `recognise` may describe.
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

  /// Describes the packet if it belongs to the `known` Microsoft extension of its Controller.
  package mutating func recognise(
    _ known: MicrosoftExtension, _ bytes: RawSpan, isTruncated: Bool
  ) {
    switch content {
    case .command(let command) where command.opcode == known.opcode:
      store(
        PacketParameters(microsoftCommand: body), bytes, status: nil, isTruncated: isTruncated)
    case .event(let event) where event.code == HCIEvent.vendorCode:
      guard known.matches(bytes, body) else { return }
      let rest = Slice(
        start: Int(body.start) + known.prefixCount, count: Int(body.count) - known.prefixCount)
      store(PacketParameters(microsoftEvent: rest), bytes, status: nil, isTruncated: isTruncated)
    case .event:
      guard let parameters, !parameters.inner.isEmpty,
        bytes.littleEndianU16(at: Int(parameters.outer.start) + 1) == known.opcode
      else { return }
      let found = PacketParameters(parameters, returnsOf: PDUTable.core.microsoftCommand)
      store(found, bytes, status: found.status(bytes), isTruncated: isTruncated)
    default: return
    }
  }
}
