// Where a capture contradicts a map that was supplied: what the capture shows is true.

package import Bluetooth
import Bytes
import Dissectors

/// An attribute that was supplied and that the capture contradicts.
package struct SuppliedConflict: Sendable {
  /// What was supplied.
  package let attribute: Attribute
  /// What was done, that cannot be done with such an attribute.
  package let operation: AttributeUse.Operation
  /// Where it was refused: why.
  package let error: ATTErrorCode?
  /// The packet that tells.
  package let packet: Int
  /// The handles of which what was supplied is not used any more.
  package let range: ClosedRange<UInt16>
}

extension Database {
  /// Whether a PDU shows that the attribute at a place, which was supplied, is another one: only values are
  /// notified, indicated or written by commands (Core, Vol 3, Part G, 4.9.1, 4.10, 4.11); declarations can be
  /// read by everyone, and not be written (Part G, 3.1 to 3.3).
  func contradiction(
    _ slot: Int, _ opcode: ATTOpcode, _ fields: ATTFields, _ request: Request?
  ) -> (operation: AttributeUse.Operation, error: ATTErrorCode?)? {
    let attribute = self[slot]
    guard attribute.via == .supplied else { return nil }
    let isDeclaration = attribute.kind.isDeclaration
    let isNoValue = isDeclaration || attribute.kind == .descriptor && attribute.uuid.isDescriptor
    switch opcode {
    case .handleValueNotification:
      return isNoValue || isDeclaredSilent(attribute) ? (.notification, nil) : nil
    case .handleValueIndication:
      return isNoValue || isDeclaredSilent(attribute) ? (.indication, nil) : nil
    case .writeCommand: return isNoValue ? (.writeWithoutResponse, nil) : nil
    case .signedWriteCommand: return isNoValue ? (.signedWrite, nil) : nil
    case .writeResponse: return isDeclaration ? (.write, nil) : nil
    case .prepareWriteResponse: return isDeclaration ? (.preparedWrite, nil) : nil
    case .readResponse:
      guard let count = fields.value?.count, !attribute.canHave(length: Int(count)) else {
        return nil
      }
      return (.read, nil)
    case .errorResponse:
      guard let error = fields.error, let asked = request?.opcode else { return nil }
      // Invalid Handle: there is no such attribute.
      switch asked {
      case .readRequest: return isDeclaration || error.rawValue == 0x01 ? (.read, error) : nil
      case .writeRequest: return error.rawValue == 0x01 ? (.write, error) : nil
      case .prepareWriteRequest: return error.rawValue == 0x01 ? (.preparedWrite, error) : nil
      default: return nil
      }
    default: return nil
    }
  }

  /// Whether an attribute is a value whose declaration has neither notifications nor indications.
  private func isDeclaredSilent(_ value: Attribute) -> Bool {
    guard value.kind == .value, value.handle > 1, let before = look(value.handle - 1) else {
      return false
    }
    let declaration = self[before]
    return declaration.kind == .characteristic && declaration.target == value.handle
      && !declaration.properties.has(bit: 4) && !declaration.properties.has(bit: 5)
  }

  /// What the contradiction of an attribute takes with it: what was supplied of its service, or where that has
  /// no end, of its characteristic.
  func conflict(
    _ slot: Int, _ operation: AttributeUse.Operation, _ error: ATTErrorCode?, packet: Int
  ) -> SuppliedConflict {
    let attribute = self[slot]
    var (first, last) = (attribute.handle, attribute.handle)
    if let service = service(of: attribute.handle), service.via == .supplied {
      (first, last) = (service.handle, max(service.end, attribute.handle))
    } else if attribute.kind == .characteristic, attribute.target > attribute.handle {
      last = attribute.target
    } else if attribute.kind == .value, first > 1, let before = look(first - 1),
      self[before].target == attribute.handle
    {
      first -= 1
    }
    return SuppliedConflict(
      attribute: attribute, operation: operation, error: error, packet: packet,
      range: first...last)
  }
}

extension Attribute {
  /// Whether a value of so many bytes may be its.
  fileprivate func canHave(length: Int) -> Bool {
    switch kind {
    case .service: length == 2 || length == 16
    case .include: length == 4 || length == 6
    case .characteristic: length == 5 || length == 7 || length == 19
    case .descriptor: uuid != .clientConfiguration || length == 2
    case .value: true
    }
  }
}
