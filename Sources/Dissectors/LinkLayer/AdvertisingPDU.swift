package import Bluetooth
package import Bytes

/// A PDU on an advertising channel: byte 0: type (bits 0–3), ChSel (5), TxAdd (6), RxAdd (7); byte
/// 1: length (Core, Vol 6, Part B, 2.3).
package struct AdvertisingPDU: Sendable {
  /// The first byte of the header.
  package let flags: UInt8
  package let length: UInt8
  /// The payload, in the record's bytes.
  package let payload: Slice

  package init(flags: UInt8, length: UInt8, payload: Slice) {
    self.flags = flags
    self.length = length
    self.payload = payload
  }

  /// Takes the header of a PDU on the access address of a periodic train, which was read as that of
  /// data.
  package init(_ pdu: LinkPDU) {
    self.init(flags: pdu.flags, length: pdu.length, payload: pdu.payload)
  }

  /// The PDU types (Core, Vol 6, Part B, 2.3).
  package enum Kind: UInt8, Sendable {
    case advInd = 0, directInd, nonConnInd, scanRequest, scanResponse, connectInd, scanInd
    case extended, connectResponse, decision
  }

  /// The PDU type.
  package var type: UInt8 { flags & 0xf }

  /// The PDU type; nil for reserved ones.
  package var kind: Kind? { Kind(rawValue: type) }

  /// Whether Channel Selection Algorithm #2 is supported: in ADV_IND, ADV_DIRECT_IND and
  /// CONNECT_IND.
  package var supportsAlgorithm2: Bool { flags & 0x20 != 0 }

  /// The type of the sender's address, TxAdd.
  package var senderType: AddressType { flags & 0x40 != 0 ? .random : .public }

  /// The type of the receiver's address, RxAdd.
  package var receiverType: AddressType { flags & 0x80 != 0 ? .random : .public }

  /// The PDUs of type 7, and requests on a secondary channel. The first four are numbered as in
  /// `AirHeader.auxiliaryKind`.
  package enum Place: UInt8, Sendable {
    /// What an ADV_EXT_IND points to: AUX_ADV_IND.
    case auxiliary = 0
    case chain
    /// On a periodic train: AUX_SYNC_IND or AUX_SYNC_SUBEVENT_IND.
    case sync
    case scanResponse
    /// On a primary advertising channel.
    case primary
    /// In a response slot of a periodic train: AUX_SYNC_SUBEVENT_RSP.
    case response
  }

  /// Returns which PDU of its type it is, from the channel's index and the sniffer's claim.
  package static func place(channel: UInt8?, auxiliaryKind: UInt8?) -> Place {
    if let channel, 37...39 ~= channel { return .primary }
    if let auxiliaryKind { return Place(rawValue: auxiliaryKind & 3) ?? .auxiliary }
    return channel == nil ? .primary : .auxiliary
  }

  /// Returns the specification's name; nil for reserved types.
  package func name(_ place: Place) -> AssignedName? {
    guard place != .primary else { return LinkTable.advertising(type)?.name }
    switch kind {
    case .scanRequest: return "AUX_SCAN_REQ"
    case .connectInd: return "AUX_CONNECT_REQ"
    case .extended:
      return switch place {
      case .auxiliary: "AUX_ADV_IND"
      case .chain: "AUX_CHAIN_IND"
      case .sync: "AUX_SYNC_IND"
      case .scanResponse: "AUX_SCAN_RSP"
      case .response: "AUX_SYNC_SUBEVENT_RSP"
      case .primary: "ADV_EXT_IND"
      }
    default: return LinkTable.advertising(type)?.name
    }
  }

  /// Who sent a PDU, and to whom.
  package struct Parties: Sendable {
    package var sender: DeviceAddress?
    package var receiver: DeviceAddress?
  }

  /// Returns the addresses of a PDU as far as it contains them. Their types are `senderType` and
  /// `receiverType`.
  package func parties(_ bytes: RawSpan) -> Parties {
    switch kind {
    case .advInd, .nonConnInd, .scanResponse, .scanInd:
      return Parties(sender: address(bytes, at: 0))
    case .directInd, .scanRequest, .connectInd:
      return Parties(sender: address(bytes, at: 0), receiver: address(bytes, at: 6))
    case .extended, .connectResponse:
      let header = ExtendedHeader(bytes, payload)
      return Parties(sender: header?.advertiser, receiver: header?.target)
    case .decision, nil: return Parties()
    }
  }

  private func address(_ bytes: RawSpan, at offset: Int) -> DeviceAddress? {
    guard Int(payload.count) >= offset + 6 else { return nil }
    var cursor = Cursor(bytes, Slice(start: Int(payload.start) + offset, count: 6))
    return try? DeviceAddress(parsing: &cursor)
  }

  /// Returns the advertising data, without ACAD; empty if the PDU has none.
  package func data(_ bytes: RawSpan) -> Slice {
    switch kind {
    case .advInd, .nonConnInd, .scanResponse, .scanInd:
      guard payload.count > 6 else { return .empty }
      return Slice(start: Int(payload.start) + 6, count: Int(payload.count) - 6)
    case .extended, .connectResponse: return ExtendedHeader(bytes, payload)?.data ?? .empty
    case .directInd, .scanRequest, .connectInd, .decision, nil: return .empty
    }
  }
}
