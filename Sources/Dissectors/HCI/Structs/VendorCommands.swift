import Bytes

/// The commands and events of one manufacturer's Controllers.
///
/// The tables are built when a Controller of that manufacturer first uses a vendor's code.
package final class VendorTable: Sendable {
  private let rows: [ParameterRow]
  private let entries: LazyImmortals<RowEntry>
  /// Positions in `rows`, -1 for none: of commands by OCF, of events by their first byte.
  private let commandIndex: [Int16]
  private let eventIndex: [Int16]

  private static let intel = VendorTable(intelCommandRows, intelEventRows)
  private static let broadcom = VendorTable(broadcomCommandRows, broadcomEventRows)
  private static let zephyr = VendorTable(zephyrCommandRows, zephyrEventRows)
  private static let qualcomm = VendorTable(qualcommCommandRows, [])

  private init(_ commands: [ParameterRow], _ events: [ParameterRow]) {
    rows = commands + events
    entries = LazyImmortals(count: rows.count)
    var commandIndex = [Int16](repeating: -1, count: 1024)
    for (position, row) in commands.enumerated() {
      commandIndex[Int(row.code & 0x3ff)] = Int16(position)
    }
    var eventIndex = [Int16](repeating: -1, count: 256)
    for (position, row) in events.enumerated() {
      eventIndex[Int(row.code & 0xff)] = Int16(commands.count + position)
    }
    self.commandIndex = commandIndex
    self.eventIndex = eventIndex
  }

  /// Returns the table of a manufacturer, by its company identifier; nil if its codes are unknown.
  package static func of(manufacturer: UInt16) -> VendorTable? {
    switch manufacturer {
    case 0x0002: intel
    case 0x000f: broadcom
    case 0x001d: qualcomm
    // Nordic Semiconductor and the Linux Foundation: Controllers with Zephyr's commands.
    case 0x0059, 0x05f1: zephyr
    default: nil
    }
  }

  /// Returns the row of a vendor-specific command.
  package func command(_ opcode: UInt16) -> RowID? { id(commandIndex[Int(opcode & 0x3ff)]) }

  /// Returns the row of a vendor-specific event by its first byte.
  func event(_ code: UInt8) -> RowID? { id(eventIndex[Int(code)]) }

  private func id(_ position: Int16) -> RowID? {
    guard position >= 0 else { return nil }
    let position = Int(position)
    return RowID(entry: entries.element(at: position) { RowEntry(rows[position]) })
  }
}

extension Dissection {
  /// Describes a packet that no other table describes, if it is one of its Controller's
  /// manufacturer.
  package mutating func recognise(_ vendor: VendorTable, _ bytes: RawSpan, isTruncated: Bool) {
    guard let parameters else { return }
    switch content {
    case .command(let command) where parameters.row == nil:
      guard let row = vendor.command(command.opcode) else { return }
      store(
        PacketParameters(vendors: row, body), bytes, status: nil, isTruncated: isTruncated)
    case .event(let event) where event.code == HCIEvent.vendorCode:
      guard parameters.row == PDUTable.core.event(event.code), !body.isEmpty,
        let row = vendor.event(bytes.byte(at: Int(body.start)))
      else { return }
      let rest = Slice(start: Int(body.start) + 1, count: Int(body.count) - 1)
      store(PacketParameters(vendors: row, rest), bytes, status: nil, isTruncated: isTruncated)
    case .event where !parameters.inner.isEmpty && parameters.completed == nil:
      let opcode = bytes.littleEndianU16(at: Int(parameters.outer.start) + 1)
      guard HCICommand.isVendors(opcode), let row = vendor.command(opcode) else { return }
      let found = PacketParameters(parameters, returnsOf: row)
      store(found, bytes, status: found.status(bytes), isTruncated: isTruncated)
    default: return
    }
  }
}
