import Bluetooth
import Bytes
import Dissectors

/// Addresses and keys in vendors' commands and in their results whose layout is known although no
/// table contains them. The bytes do not identify the vendor: whatever looks like one of these
/// counts as one.
extension Dissection {
  /// Returns the sensitive fields of a vendor's command or of its result.
  func vendorsFields(_ bytes: RawSpan) -> [SensitiveField] {
    guard let parameters else { return [] }
    switch content {
    case .command(let command) where HCICommand.isVendors(command.opcode):
      if let row = parameters.row, row.parameters.has(.known) { return [] }
      return Self.fields(ofCommand: command.opcode, parameters.outer, bytes)
    case .event:
      if let completed = parameters.completed, completed.returns.has(.known) { return [] }
      guard case .commandComplete(let complete) = fact, complete.isVendors else { return [] }
      return Self.fields(returnedBy: complete.opcode, parameters.inner, bytes)
    default: return []
    }
  }

  /// Returns the address in a command that writes a controller's address. Broadcom's and Cypress'
  /// 0xfc01, Zephyr's and Texas Instruments' 0xfc06, and Intel's 0xfc31 contain only the address;
  /// Marvell's 0xfc22 and Qualcomm's 0xfc0b and 0xfc14 have it at their end (Linux,
  /// drivers/bluetooth; BlueZ, tools/bdaddr.c; Zephyr, hci_vs.h [mem]).
  private static func fields(
    ofCommand opcode: UInt16, _ slice: Slice, _ bytes: RawSpan
  ) -> [SensitiveField] {
    let size = 6
    let head: Int
    switch opcode {
    case 0xfc01, 0xfc06, 0xfc31: head = 0
    // 0xfe, length of the address.
    case 0xfc22 where bytes.byte(at: Int(slice.start)) == 0xfe: head = 2
    // 1, 1, 0, length of the address.
    case 0xfc0b where bytes.byte(at: Int(slice.start) + 3) == 6: head = 4
    // Operation, tag, length of the address.
    case 0xfc14 where bytes.byte(at: Int(slice.start) + 2) == 6: head = 3
    default: return []
    }
    guard slice.count > head else { return [] }
    let address = Slice(start: Int(slice.start) + head, count: min(size, Int(slice.count) - head))
    // A truncated address is not one, but still most of one.
    return [SensitiveField(address.count == size ? .address(isRandom: nil) : .unused, address)]
  }

  /// Returns the fields in the results of Zephyr's Read Static Addresses (0xfc09): status, number
  /// of addresses, each with its identity root; and Read Key Hierarchy Roots (0xfc0a): status,
  /// identity root, encryption root (hci_vs.h [mem]).
  private static func fields(
    returnedBy opcode: UInt16, _ slice: Slice, _ bytes: RawSpan
  ) -> [SensitiveField] {
    let (address, root) = (6, 16)
    func part(_ start: Int, _ count: Int) -> Slice {
      Slice(start: Int(slice.start) + start, count: max(0, min(count, Int(slice.count) - start)))
    }
    var fields: [SensitiveField] = []
    switch opcode {
    case 0xfc09:
      let count = Int(bytes.byte(at: Int(slice.start) + 1))
      guard slice.count >= 2 else { return [] }
      for start in stride(from: 2, to: Int(slice.count), by: address + root).prefix(count) {
        let own = part(start, address)
        fields.append(
          SensitiveField(own.count == address ? .address(isRandom: true) : .unused, own))
        fields.append(SensitiveField(.secret, part(start + address, root)))
      }
    case 0xfc0a:
      fields = [
        SensitiveField(.secret, part(1, root)), SensitiveField(.secret, part(1 + root, root)),
      ]
    default: break
    }
    return fields.filter { !$0.slice.isEmpty }
  }

  /// Returns the row of Android's that has the code of a vendor event, if the event is shorter or
  /// longer than the row: it may be another vendor's, or part of Android's.
  func misfittingAndroidEvent(_ bytes: RawSpan) -> RowID? {
    guard case .event(let event) = content, event.code == HCIEvent.vendorCode, let parameters,
      !parameters.outer.isEmpty, !(parameters.row?.parameters.has(.known) ?? false)
    else { return nil }
    return PDUTable.core.androidEvent(bytes.byte(at: Int(parameters.outer.start)))
  }
}
