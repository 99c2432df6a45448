// The Attribute Protocol's PDUs, one struct each (in the files ATT+….swift), and the dispatch from
// opcode to struct.

package import Bluetooth
package import Bytes

/// The namespace of the structs that mirror ATT's PDUs (Core, Vol 3, Part F, 3.4).
package enum ATT {}

/// An ATT PDU of any kind.
package enum ATTPDU: Sendable {
  case errorResponse(ATT.ErrorResponse)
  case exchangeMTU(ATT.ExchangeMTU)
  case findInformationRequest(ATT.FindInformationRequest)
  case findInformationResponse(ATT.FindInformationResponse)
  case findByTypeValueRequest(ATT.FindByTypeValueRequest)
  case findByTypeValueResponse(ATT.FindByTypeValueResponse)
  case readByTypeRequest(ATT.ReadByTypeRequest)
  case readByTypeResponse(ATT.ReadByTypeResponse)
  case readRequest(ATT.ReadRequest)
  case readResponse(ATT.ReadResponse)
  case readBlobRequest(ATT.ReadBlobRequest)
  case readMultipleRequest(ATT.ReadMultipleRequest)
  case readMultipleVariableResponse(ATT.ReadMultipleVariableResponse)
  case write(ATT.Write)
  case signedWriteCommand(ATT.SignedWriteCommand)
  case prepareWrite(ATT.PrepareWrite)
  case executeWriteRequest(ATT.ExecuteWriteRequest)
  case handleValue(ATT.HandleValue)
  case multipleHandleValueNotification(ATT.MultipleHandleValueNotification)
  case empty(ATT.Empty)
  case incomplete(ATT.Incomplete)
  case unknown(ATT.Unknown)

  /// Reads a PDU: opcode (1 byte), then the opcode's parameters.
  ///
  /// Structs that represent two opcodes of the same form (Exchange MTU, Write, Handle Value, …)
  /// store the opcode.
  ///
  /// - Parameter missing: The number of PDU bytes that the capture did not keep. Layouts that
  ///   depend on the PDU's length need its true length.
  @_lifetime(cursor: copy cursor)
  package init(parsing cursor: inout Cursor, missing: Int = 0) throws(ParseError) {
    let opcode = ATTOpcode(rawValue: try cursor.u8())
    switch opcode {
    case .errorResponse:
      self = .errorResponse(try ATT.ErrorResponse(parsing: &cursor))
    case .exchangeMTURequest, .exchangeMTUResponse:
      self = .exchangeMTU(try ATT.ExchangeMTU(opcode, parsing: &cursor))
    case .findInformationRequest:
      self = .findInformationRequest(try ATT.FindInformationRequest(parsing: &cursor))
    case .findInformationResponse:
      self = .findInformationResponse(try ATT.FindInformationResponse(parsing: &cursor))
    case .findByTypeValueRequest:
      self = .findByTypeValueRequest(try ATT.FindByTypeValueRequest(parsing: &cursor))
    case .findByTypeValueResponse:
      self = .findByTypeValueResponse(ATT.FindByTypeValueResponse(parsing: &cursor))
    case .readByTypeRequest, .readByGroupTypeRequest:
      self = .readByTypeRequest(
        try ATT.ReadByTypeRequest(opcode, parsing: &cursor, missing: missing))
    case .readByTypeResponse, .readByGroupTypeResponse:
      self = .readByTypeResponse(try ATT.ReadByTypeResponse(opcode, parsing: &cursor))
    case .readRequest:
      self = .readRequest(try ATT.ReadRequest(parsing: &cursor))
    case .readResponse, .readBlobResponse, .readMultipleResponse:
      self = .readResponse(ATT.ReadResponse(opcode, parsing: &cursor))
    case .readBlobRequest:
      self = .readBlobRequest(try ATT.ReadBlobRequest(parsing: &cursor))
    case .readMultipleRequest, .readMultipleVariableRequest:
      self = .readMultipleRequest(ATT.ReadMultipleRequest(opcode, parsing: &cursor))
    case .readMultipleVariableResponse:
      self = .readMultipleVariableResponse(ATT.ReadMultipleVariableResponse(parsing: &cursor))
    case .writeRequest, .writeCommand:
      self = .write(try ATT.Write(opcode, parsing: &cursor))
    case .signedWriteCommand:
      self = .signedWriteCommand(
        try ATT.SignedWriteCommand(parsing: &cursor, missing: missing))
    case .prepareWriteRequest, .prepareWriteResponse:
      self = .prepareWrite(try ATT.PrepareWrite(opcode, parsing: &cursor))
    case .executeWriteRequest:
      self = .executeWriteRequest(try ATT.ExecuteWriteRequest(parsing: &cursor))
    case .handleValueNotification, .handleValueIndication:
      self = .handleValue(try ATT.HandleValue(opcode, parsing: &cursor))
    case .multipleHandleValueNotification:
      self = .multipleHandleValueNotification(
        ATT.MultipleHandleValueNotification(parsing: &cursor))
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation:
      self = .empty(ATT.Empty(opcode: opcode))
    default:
      self = .unknown(ATT.Unknown(opcode, parsing: &cursor))
    }
  }

  package var opcode: ATTOpcode {
    switch self {
    case .errorResponse: .errorResponse
    case .exchangeMTU(let pdu): pdu.opcode
    case .findInformationRequest: .findInformationRequest
    case .findInformationResponse: .findInformationResponse
    case .findByTypeValueRequest: .findByTypeValueRequest
    case .findByTypeValueResponse: .findByTypeValueResponse
    case .readByTypeRequest(let pdu): pdu.opcode
    case .readByTypeResponse(let pdu): pdu.opcode
    case .readRequest: .readRequest
    case .readResponse(let pdu): pdu.opcode
    case .readBlobRequest: .readBlobRequest
    case .readMultipleRequest(let pdu): pdu.opcode
    case .readMultipleVariableResponse: .readMultipleVariableResponse
    case .write(let pdu): pdu.opcode
    case .signedWriteCommand: .signedWriteCommand
    case .prepareWrite(let pdu): pdu.opcode
    case .executeWriteRequest: .executeWriteRequest
    case .handleValue(let pdu): pdu.opcode
    case .multipleHandleValueNotification: .multipleHandleValueNotification
    case .empty(let pdu): pdu.opcode
    case .incomplete(let pdu): pdu.opcode
    case .unknown(let pdu): pdu.opcode
    }
  }
}
