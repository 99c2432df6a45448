import Bluetooth
import Dissectors

/// What a link was used for, as far as it explains how the link ended: whose question was open, and
/// whether anything was asked at all.
package struct LinkUse: Sendable {
  /// The first ATT PDU.
  package private(set) var firstAttribute: Moment?
  /// The last request that this host has sent and the peer has not answered.
  package private(set) var localRequest: Moment?
  /// The last one of the peer that this host has not answered.
  package private(set) var peerRequest: Moment?
  /// The first discovery by this host.
  package private(set) var discovery: Moment?
  /// The first time that this host asked for the peer's Database Hash, which tells whether a cache holds.
  package private(set) var hash: Moment?
  /// The first time that this host used a handle of the peer: a read, a write.
  package private(set) var firstHandle: Moment?
  /// The last.
  package private(set) var lastHandle: Moment?
  /// How often.
  package private(set) var handleUses = 0

  init() {}

  /// Takes a PDU of ATT.
  mutating func observe(_ moment: Moment, _ side: Side, _ dissection: Dissection) {
    guard let pdu = dissection.att else { return }
    if firstAttribute == nil { firstAttribute = moment }
    let opcode = pdu.opcode
    switch opcode.role {
    case .request:
      if side == .local { localRequest = moment } else { peerRequest = moment }
      if side == .local { observeQuestion(opcode, moment, dissection) }
    case .response:
      if side == .local { peerRequest = nil } else { localRequest = nil }
    case .indication:
      if side == .local { localRequest = moment } else { peerRequest = moment }
      if side == .peer { useHandle(moment) }
    case .confirmation:
      if side == .local { peerRequest = nil } else { localRequest = nil }
    case .unacknowledged:
      // Commands of this host, values of the peer.
      let isCommand = opcode == .writeCommand || opcode == .signedWriteCommand
      if isCommand, side == .local { useHandle(moment) }
    }
  }

  private mutating func observeQuestion(
    _ opcode: ATTOpcode, _ moment: Moment, _ dissection: Dissection
  ) {
    switch opcode {
    case .findInformationRequest, .findByTypeValueRequest, .readByGroupTypeRequest:
      if discovery == nil { discovery = moment }
    case .readByTypeRequest:
      // Include and characteristic declarations; other types are values, read by their type.
      let type = dissection.attFields.type
      if type == BluetoothUUID(0x2802) || type == BluetoothUUID(0x2803) {
        if discovery == nil { discovery = moment }
      } else if type == BluetoothUUID(0x2b2a), hash == nil {
        hash = moment
      }
    case .readRequest, .readBlobRequest, .readMultipleRequest, .readMultipleVariableRequest,
      .writeRequest, .prepareWriteRequest:
      useHandle(moment)
    default: break
    }
  }

  private mutating func useHandle(_ moment: Moment) {
    if firstHandle == nil { firstHandle = moment }
    lastHandle = moment
    handleUses &+= 1
  }
}
