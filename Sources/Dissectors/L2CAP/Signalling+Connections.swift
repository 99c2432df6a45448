// The commands that open and close BR/EDR channels and that query the peer: 0x01 to 0x03, 0x06 to
// 0x11. All fields are little-endian.

package import Bluetooth
package import Bytes

extension Signalling {
  /// Command Reject: reason (2 bytes), then data that depends on it: the MTU of the signalling
  /// channel (2), or the channel's two endpoints, on the rejecting device (2) and on the other (2)
  /// (Core, Vol 3, Part A, 4.1).
  package struct CommandReject: Sendable {
    package let reason: UInt16
    /// Signalling MTU exceeded: the largest command that the device accepts.
    package let mtu: UInt16?
    /// Invalid CID: the channel endpoint on the rejecting device.
    package let localCID: ChannelID?
    /// Invalid CID: the other endpoint.
    package let remoteCID: ChannelID?

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      reason = try cursor.u16()
      mtu = reason == 1 ? try cursor.u16() : nil
      localCID = reason == 2 ? ChannelID(rawValue: try cursor.u16()) : nil
      remoteCID = reason == 2 ? ChannelID(rawValue: try cursor.u16()) : nil
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Reason", reason, .code(.l2capReject), bytes, at: start)
      if let mtu { visitor.number("Actual_MTU", mtu, line: "MTU", bytes, at: start + 2) }
      if let localCID, let remoteCID {
        visitor.number("Local_CID", localCID.rawValue, .handle, line: "CID", bytes, at: start + 2)
        visitor.number(
          "Remote_CID", remoteCID.rawValue, .handle, line: "remote CID", bytes, at: start + 4)
      }
    }
  }

  /// Connection Request: PSM (2 bytes; no longer one is in use), source CID (2) (4.2).
  package struct ConnectionRequest: Sendable {
    /// The protocol of the channel.
    package let psm: PSM
    /// The channel endpoint on the requesting device.
    package let sourceCID: ChannelID

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      psm = PSM(rawValue: try cursor.u16())
      sourceCID = ChannelID(rawValue: try cursor.u16())
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("PSM", psm.rawValue, .code(.psm), line: "", bytes, at: start)
      visitor.number(
        "Source_CID", sourceCID.rawValue, .handle, line: "source CID", bytes, at: start + 2)
    }
  }

  /// Connection Response: destination CID (2 bytes), source CID (2), result (2), status (2) (4.3).
  package struct ConnectionResponse: Sendable {
    /// The channel endpoint on the responding device; 0 if there is no channel.
    package let destinationCID: ChannelID
    /// The channel endpoint on the requesting device.
    package let sourceCID: ChannelID
    package let result: UInt16
    /// What is pending, if the result is pending.
    package let status: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      destinationCID = ChannelID(rawValue: try cursor.u16())
      sourceCID = ChannelID(rawValue: try cursor.u16())
      result = try cursor.u16()
      status = try cursor.u16()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      let line: StaticString? = result > 1 ? nil : "destination CID"
      visitor.number(
        "Destination_CID", destinationCID.rawValue, .handle, line: line, bytes, at: start)
      visitor.number(
        "Source_CID", sourceCID.rawValue, .handle, line: "source CID", bytes, at: start + 2)
      visitor.number("Result", result, .code(.l2capConnectionResult), bytes, at: start + 4)
      visitor.number(
        "Status", status, .code(.l2capConnectionStatus), line: result == 1 ? "" : nil, bytes,
        at: start + 6)
    }
  }

  /// Disconnection Request and Disconnection Response: destination CID (2 bytes), source CID (2).
  /// In both, the source is the requesting device (4.6, 4.7).
  package struct Disconnection: Sendable {
    /// The channel endpoint on the responding device.
    package let destinationCID: ChannelID
    /// The channel endpoint on the requesting device.
    package let sourceCID: ChannelID

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      destinationCID = ChannelID(rawValue: try cursor.u16())
      sourceCID = ChannelID(rawValue: try cursor.u16())
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number(
        "Destination_CID", destinationCID.rawValue, .handle, line: "destination CID", bytes,
        at: start)
      visitor.number(
        "Source_CID", sourceCID.rawValue, .handle, line: "source CID", bytes, at: start + 2)
    }
  }

  /// Echo Request and Echo Response: arbitrary bytes (4.8, 4.9).
  package struct Echo: Sendable {
    package let data: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) { data = cursor.rest() }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      guard !data.isEmpty else { return }
      visitor.field("Echo_Data", line: "", .bytes(.unknown), bytes.part(data), at: data)
    }
  }

  /// Information Request: type (2 bytes) (4.10).
  package struct InformationRequest: Sendable {
    /// The type of information requested.
    package let type: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) { type = try cursor.u16() }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Info_Type", type, .code(.l2capInformation), line: "", bytes, at: start)
    }
  }

  /// Information Response: type (2 bytes), result (2), and on success the information: the
  /// connectionless MTU (2), the extended features (4) or the fixed channels (8) (4.11).
  package struct InformationResponse: Sendable {
    /// The type of information requested.
    package let type: UInt16
    /// Whether the device supports that type.
    package let result: UInt16
    /// Type 1: the connectionless MTU.
    package let connectionlessMTU: UInt16?
    /// Type 2: the extended features.
    package let features: UInt32?
    /// Type 3: the fixed channels.
    package let fixedChannels: UInt64?

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      type = try cursor.u16()
      result = try cursor.u16()
      let known = result == 0 ? type : 0
      connectionlessMTU = known == 1 ? try cursor.u16() : nil
      features = known == 2 ? try cursor.u32() : nil
      fixedChannels = known == 3 ? try cursor.unsigned(width: 8) : nil
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Info_Type", type, .code(.l2capInformation), line: "", bytes, at: start)
      visitor.number("Result", result, .code(.l2capInformationResult), bytes, at: start + 2)
      if let connectionlessMTU {
        visitor.number("Connectionless_MTU", connectionlessMTU, line: "MTU", bytes, at: start + 4)
      }
      if let features {
        visitor.number(
          "Extended_Features", features, .flags(.l2capFeatures), line: "", bytes, at: start + 4)
      }
      if let fixedChannels {
        visitor.number(
          "Fixed_Channels", fixedChannels, .flags(.l2capFixedChannels), line: "", bytes,
          at: start + 4)
      }
    }
  }

  /// Create Channel Request (withdrawn): PSM (2 bytes), source CID (2), Controller ID (1) (Core
  /// 5.2, Vol 3, Part A, 4.14).
  package struct CreateChannelRequest: Sendable {
    /// The protocol of the channel.
    package let psm: PSM
    /// The channel endpoint on the requesting device.
    package let sourceCID: ChannelID
    /// The controller that should carry the channel; 0 is BR/EDR.
    package let controller: UInt8

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      psm = PSM(rawValue: try cursor.u16())
      sourceCID = ChannelID(rawValue: try cursor.u16())
      controller = try cursor.u8()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("PSM", psm.rawValue, .code(.psm), line: "", bytes, at: start)
      visitor.number(
        "Source_CID", sourceCID.rawValue, .handle, line: "source CID", bytes, at: start + 2)
      visitor.number("Controller_ID", controller, line: "controller", bytes, at: start + 4)
    }
  }

  /// Create Channel Response (withdrawn): same layout as Connection Response (Core 5.2, Vol 3, Part
  /// A, 4.15).
  package typealias CreateChannelResponse = ConnectionResponse

  /// Move Channel Request (withdrawn): initiator CID (2 bytes), destination Controller ID (1) (Core
  /// 5.2, Vol 3, Part A, 4.16).
  package struct MoveChannelRequest: Sendable {
    /// The channel endpoint on the requesting device.
    package let initiatorCID: ChannelID
    /// The destination controller.
    package let controller: UInt8

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      initiatorCID = ChannelID(rawValue: try cursor.u16())
      controller = try cursor.u8()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Initiator_CID", initiatorCID.rawValue, .handle, line: "CID", bytes, at: start)
      visitor.number(
        "Destination_Controller_ID", controller, line: "controller", bytes, at: start + 2)
    }
  }

  /// Move Channel Response (withdrawn): initiator CID (2 bytes), result (2) (Core 5.2, Vol 3, Part
  /// A, 4.17).
  package struct MoveChannelResponse: Sendable {
    /// The channel endpoint on the requesting device.
    package let initiatorCID: ChannelID
    package let result: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      initiatorCID = ChannelID(rawValue: try cursor.u16())
      result = try cursor.u16()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Initiator_CID", initiatorCID.rawValue, .handle, line: "CID", bytes, at: start)
      visitor.number("Result", result, .code(.l2capMoveResult), bytes, at: start + 2)
    }
  }

  /// Move Channel Confirmation (withdrawn): initiator CID (2 bytes), result (2) (Core 5.2, Vol 3,
  /// Part A, 4.18).
  package struct MoveChannelConfirmation: Sendable {
    /// The channel endpoint on the requesting device.
    package let initiatorCID: ChannelID
    package let result: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      initiatorCID = ChannelID(rawValue: try cursor.u16())
      result = try cursor.u16()
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Initiator_CID", initiatorCID.rawValue, .handle, line: "CID", bytes, at: start)
      visitor.number("Result", result, .code(.l2capMoveConfirmation), bytes, at: start + 2)
    }
  }

  /// Move Channel Confirmation Response (withdrawn): initiator CID (2 bytes) (Core 5.2, Vol 3, Part
  /// A, 4.19).
  package struct MoveChannelConfirmationResponse: Sendable {
    /// The channel endpoint on the requesting device.
    package let initiatorCID: ChannelID

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      initiatorCID = ChannelID(rawValue: try cursor.u16())
    }

    func walk<Visitor: FieldVisitor & ~Copyable>(
      _ bytes: RawSpan, at start: Int, _ visitor: inout Visitor
    ) {
      visitor.number("Initiator_CID", initiatorCID.rawValue, .handle, line: "CID", bytes, at: start)
    }
  }
}
