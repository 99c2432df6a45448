/// An ATT opcode: bits 0–5 the method, bit 6 the command flag, bit 7 the authentication signature
/// flag (Core, Vol 3, Part F, 3.3.1).
@usableFromInline
package struct ATTOpcode: RawRepresentable, Hashable, Sendable {
  @usableFromInline package var rawValue: UInt8
  @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let errorResponse = Self(rawValue: 0x01)
  package static let exchangeMTURequest = Self(rawValue: 0x02)
  package static let exchangeMTUResponse = Self(rawValue: 0x03)
  package static let findInformationRequest = Self(rawValue: 0x04)
  package static let findInformationResponse = Self(rawValue: 0x05)
  package static let findByTypeValueRequest = Self(rawValue: 0x06)
  package static let findByTypeValueResponse = Self(rawValue: 0x07)
  package static let readByTypeRequest = Self(rawValue: 0x08)
  package static let readByTypeResponse = Self(rawValue: 0x09)
  package static let readRequest = Self(rawValue: 0x0a)
  package static let readResponse = Self(rawValue: 0x0b)
  package static let readBlobRequest = Self(rawValue: 0x0c)
  package static let readBlobResponse = Self(rawValue: 0x0d)
  package static let readMultipleRequest = Self(rawValue: 0x0e)
  package static let readMultipleResponse = Self(rawValue: 0x0f)
  package static let readByGroupTypeRequest = Self(rawValue: 0x10)
  package static let readByGroupTypeResponse = Self(rawValue: 0x11)
  package static let writeRequest = Self(rawValue: 0x12)
  package static let writeResponse = Self(rawValue: 0x13)
  package static let prepareWriteRequest = Self(rawValue: 0x16)
  package static let prepareWriteResponse = Self(rawValue: 0x17)
  package static let executeWriteRequest = Self(rawValue: 0x18)
  package static let executeWriteResponse = Self(rawValue: 0x19)
  package static let handleValueNotification = Self(rawValue: 0x1b)
  package static let handleValueIndication = Self(rawValue: 0x1d)
  package static let handleValueConfirmation = Self(rawValue: 0x1e)
  package static let readMultipleVariableRequest = Self(rawValue: 0x20)
  package static let readMultipleVariableResponse = Self(rawValue: 0x21)
  package static let multipleHandleValueNotification = Self(rawValue: 0x23)
  package static let writeCommand = Self(rawValue: 0x52)
  package static let signedWriteCommand = Self(rawValue: 0xd2)

  /// The specification's name without its prefix ATT_ (Core, Vol 3, Part F, 3.4.8).
  package var name: AssignedName? { names?.full }

  /// A name short enough for a line of text: "Notification" for "Handle Value Notification".
  package var shortName: AssignedName? { names?.short }

  private var names: (full: AssignedName, short: AssignedName)? {
    switch self {
    case .errorResponse: ("Error Response", "Error Response")
    case .exchangeMTURequest: ("Exchange MTU Request", "Exchange MTU Request")
    case .exchangeMTUResponse: ("Exchange MTU Response", "Exchange MTU Response")
    case .findInformationRequest: ("Find Information Request", "Find Information Request")
    case .findInformationResponse: ("Find Information Response", "Find Information Response")
    case .findByTypeValueRequest: ("Find By Type Value Request", "Find By Type Value Request")
    case .findByTypeValueResponse: ("Find By Type Value Response", "Find By Type Value Response")
    case .readByTypeRequest: ("Read By Type Request", "Read By Type Request")
    case .readByTypeResponse: ("Read By Type Response", "Read By Type Response")
    case .readRequest: ("Read Request", "Read Request")
    case .readResponse: ("Read Response", "Read Response")
    case .readBlobRequest: ("Read Blob Request", "Read Blob Request")
    case .readBlobResponse: ("Read Blob Response", "Read Blob Response")
    case .readMultipleRequest: ("Read Multiple Request", "Read Multiple Request")
    case .readMultipleResponse: ("Read Multiple Response", "Read Multiple Response")
    case .readByGroupTypeRequest: ("Read By Group Type Request", "Read By Group Type Request")
    case .readByGroupTypeResponse: ("Read By Group Type Response", "Read By Group Type Response")
    case .writeRequest: ("Write Request", "Write Request")
    case .writeResponse: ("Write Response", "Write Response")
    case .prepareWriteRequest: ("Prepare Write Request", "Prepare Write Request")
    case .prepareWriteResponse: ("Prepare Write Response", "Prepare Write Response")
    case .executeWriteRequest: ("Execute Write Request", "Execute Write Request")
    case .executeWriteResponse: ("Execute Write Response", "Execute Write Response")
    case .handleValueNotification: ("Handle Value Notification", "Notification")
    case .handleValueIndication: ("Handle Value Indication", "Indication")
    case .handleValueConfirmation: ("Handle Value Confirmation", "Confirmation")
    case .readMultipleVariableRequest:
      ("Read Multiple Variable Request", "Read Multiple Variable Request")
    case .readMultipleVariableResponse:
      ("Read Multiple Variable Response", "Read Multiple Variable Response")
    case .multipleHandleValueNotification:
      ("Multiple Handle Value Notification", "Multiple Notification")
    case .writeCommand: ("Write Command", "Write Command")
    case .signedWriteCommand: ("Signed Write Command", "Signed Write Command")
    default: nil
    }
  }

  /// The role of a PDU in a transaction (Core, Vol 3, Part F, 3.3).
  @usableFromInline
  package enum Role: UInt8, Sendable {
    case request, response, indication, confirmation, unacknowledged
  }

  package var role: Role {
    switch self {
    case .handleValueIndication: return .indication
    case .handleValueConfirmation: return .confirmation
    case .handleValueNotification, .multipleHandleValueNotification: return .unacknowledged
    default:
      // Bit 6 marks commands; of the other methods, requests are even and responses odd.
      if rawValue & 0x40 != 0 { return .unacknowledged }
      return rawValue & 1 == 0 ? .request : .response
    }
  }

  /// The response to this request.
  package var response: ATTOpcode { ATTOpcode(rawValue: rawValue | 1) }
}
