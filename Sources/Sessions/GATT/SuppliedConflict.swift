// Contradictions between a capture and a supplied map: the capture is right.

package import Bluetooth
import Bytes
import Dissectors

/// A supplied attribute that the capture contradicts.
package struct SuppliedConflict: Sendable {
  /// The supplied attribute.
  package let attribute: Attribute
  /// The operation that is impossible for such an attribute.
  package let operation: ValueOperation
  /// The error, if the operation was refused.
  package let error: ATTErrorCode?
  /// The packet that shows it.
  package let packet: Int
  /// The handles whose supplied attributes are no longer used.
  package let range: ClosedRange<UInt16>
}

extension Database {
  /// Returns the operation and error with which a PDU shows that the supplied attribute in a slot
  /// is another one. Only values are notified, indicated or written by commands (Core, Vol 3, Part
  /// G, 4.9.1, 4.10, 4.11). Any client can read declarations, and none can write them (Part G, 3.1
  /// to 3.3).
  func contradiction(
    _ slot: Int, _ opcode: ATTOpcode, _ fields: ATTFields, _ request: Request?
  ) -> (operation: ValueOperation, error: ATTErrorCode?)? {
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

  /// Returns whether an attribute is a value whose declaration has neither notifications nor
  /// indications.
  private func isDeclaredSilent(_ value: Attribute) -> Bool {
    guard value.kind == .value, value.handle > 1, let before = look(value.handle - 1) else {
      return false
    }
    let declaration = self[before]
    return declaration.kind == .characteristic && declaration.target == value.handle
      && !declaration.properties.has(bit: 4) && !declaration.properties.has(bit: 5)
  }

  /// Returns the contradiction with the handles that it affects: the supplied attributes of the
  /// service, or of the characteristic if the service's range is unknown.
  func conflict(
    _ slot: Int, _ operation: ValueOperation, _ error: ATTErrorCode?, packet: Int
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
  /// Returns whether the attribute can have a value of this length.
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
