// The headers of HCI's five packet types (Core, Vol 4, Part E, 5.4). All fields are little-endian.

package import Bytes

/// A command's header: opcode (2 bytes: OGF in bits 10–15, OCF in bits 0–9), parameter length (1).
package struct HCICommand: Sendable {
  package let opcode: UInt16
  /// The claimed length of the parameters.
  package let length: UInt8

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    opcode = try cursor.u16()
    length = try cursor.u8()
  }

  /// The group (OGF) of vendor-specific commands.
  static let vendorGroup: UInt16 = 0x3f

  /// The opcode that some controllers return for an unknown command instead of the command's own.
  package static let unknownOpcode: UInt16 = 0xffff

  /// Returns whether an opcode belongs to a group that HCI defines (Core, Vol 4, Part E, 7; testing
  /// logo: 0x3e [mem]). Others are for a host's internal use, as between a program and BTstack's
  /// daemon, and never reach a controller.
  package static func hasGroup(_ opcode: UInt16) -> Bool {
    let group = opcode >> 10
    return 1...8 ~= group || group >= 0x3e
  }

  /// Returns whether an opcode is vendor-specific, so that its meaning and return parameters are
  /// too.
  package static func isVendors(_ opcode: UInt16) -> Bool { opcode >> 10 == vendorGroup }
}

/// An event's header: event code (1 byte), parameter length (1).
package struct HCIEvent: Sendable {
  package let code: UInt8
  /// The claimed length of the parameters.
  package let length: UInt8
  /// Whether the parameters begin with the subevent code of an LE Meta event.
  package internal(set) var isLEMeta = false

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    code = try cursor.u8()
    length = try cursor.u8()
  }

  /// Whether such events only occur on BR/EDR links: features, authentication, QoS, Role Change,
  /// Mode Change, packet types, slots, Sniff Subrating, Link Supervision Timeout Changed (Core, Vol
  /// 4, Part E, 7.7).
  package var isOfClassicLinks: Bool {
    switch code {
    case 0x06, 0x0b, 0x0d, 0x12, 0x14, 0x1b, 0x1d, 0x21, 0x23, 0x2e, 0x38: true
    default: false
    }
  }

  /// Whether it reports devices that answered an inquiry.
  package var isInquiryResult: Bool {
    code == Self.inquiryResultCode || code == Self.inquiryResultWithRSSICode
      || code == Self.extendedInquiryResultCode
  }

  static let inquiryResultCode: UInt8 = 0x02
  package static let connectionRequestCode: UInt8 = 0x04
  package static let disconnectionCompleteCode: UInt8 = 0x05
  static let authenticationCompleteCode: UInt8 = 0x06
  package static let remoteNameRequestCompleteCode: UInt8 = 0x07
  package static let readRemoteSupportedFeaturesCompleteCode: UInt8 = 0x0b
  static let readRemoteVersionInformationCompleteCode: UInt8 = 0x0c
  static let roleChangeCode: UInt8 = 0x12
  package static let linkSupervisionTimeoutChangedCode: UInt8 = 0x38
  package static let authenticatedPayloadTimeoutExpiredCode: UInt8 = 0x57
  package static let commandCompleteCode: UInt8 = 0x0e
  package static let commandStatusCode: UInt8 = 0x0f
  static let hardwareErrorCode: UInt8 = 0x10
  package static let numberOfCompletedPacketsCode: UInt8 = 0x13
  static let inquiryResultWithRSSICode: UInt8 = 0x22
  package static let extendedInquiryResultCode: UInt8 = 0x2f
  package static let dataBufferOverflowCode: UInt8 = 0x1a
  package static let pinCodeRequestCode: UInt8 = 0x16
  package static let linkKeyRequestCode: UInt8 = 0x17
  package static let userConfirmationRequestCode: UInt8 = 0x33
  package static let userPasskeyRequestCode: UInt8 = 0x34
  package static let userPasskeyNotificationCode: UInt8 = 0x3b
  /// The code of all vendor-specific events.
  package static let vendorCode: UInt8 = 0xff
  /// The code of all LE Meta events.
  package static let leMetaCode: UInt8 = 0x3e
  /// LE Meta subevent: LE Scan Timeout (Core, Vol 4, Part E, 7.7.65.17).
  static let scanTimeoutSubevent: UInt8 = 0x11

  /// Returns the subevent code, the first byte of the parameters, if this is an LE Meta event.
  package func subevent(_ bytes: RawSpan, _ body: Slice) -> UInt8? {
    isLEMeta ? bytes.byte(at: Int(body.start)) : nil
  }
}

/// An ACL data header: handle (bits 0–11), packet boundary flag (12–13), broadcast flag (14–15),
/// data length (2 bytes) (Core, Vol 4, Part E, 5.4.2).
package struct ACLHeader: Sendable {
  package let handle: UInt16
  /// The position of the data in its L2CAP PDU.
  package let boundary: Boundary
  /// Point-to-point or broadcast.
  package let broadcast: UInt8
  /// The claimed length of the data.
  package let length: UInt16

  /// The packet boundary flag. Both kinds of start occur in both directions.
  @usableFromInline
  package enum Boundary: UInt8, Sendable {
    case firstNonFlushable = 0, continuation, firstFlushable, complete

    /// The name in the JSON contract.
    package var key: StaticString {
      switch self {
      case .firstNonFlushable: "first_non_flushable"
      case .continuation: "continuation"
      case .firstFlushable: "first_flushable"
      case .complete: "complete"
      }
    }
  }

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    let word = try cursor.u16()
    handle = word & 0x0fff
    boundary = Boundary(rawValue: UInt8(word >> 12 & 3)) ?? .continuation
    broadcast = UInt8(word >> 14)
    length = try cursor.u16()
  }

  /// Creates a header for data from the air, which has none.
  package init(onAir handle: UInt16, isStart: Bool, length: UInt16) {
    self.handle = handle
    boundary = isStart ? .firstFlushable : .continuation
    broadcast = 0
    self.length = length
  }

  /// Whether this may be the header of a controller's debug log, which Qualcomm's and MediaTek's
  /// controllers disguise as ACL data. The whole first word counts, including the flags:
  /// `QCA_DEBUG_HANDLE` (hci_qca.c), `QCA_MEMDUMP_ACL_HANDLE` (btusb.c), and `btusb_recv_acl_mtk`
  /// (btusb.c) in Linux's drivers.
  package var mayBeControllerLog: Bool {
    switch (broadcast, boundary, handle) {
    case (0, .firstFlushable, 0xedc), (0, .firstFlushable, 0xedd): true
    case (0, .firstNonFlushable, 0x5fe), (0, .firstNonFlushable, 0x5ff): true
    case (3, .complete, 0xc6f): true
    // No connection can have such a handle (Core, Vol 4, Part E, 5.4.2), but other vendors' logs
    // do.
    default: handle > 0xeff
    }
  }
}

/// A synchronous data header: handle (bits 0–11), packet status flag (12–13), data length (1 byte)
/// (Core, Vol 4, Part E, 5.4.3).
package struct SCOHeader: Sendable {
  package let handle: UInt16
  /// The controller's knowledge of the data's correctness.
  package let packetStatus: UInt8
  /// The claimed length of the data.
  package let length: UInt8

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    let word = try cursor.u16()
    handle = word & 0x0fff
    packetStatus = UInt8(word >> 12 & 3)
    length = try cursor.u8()
  }
}

/// An isochronous data header: handle (bits 0–11), packet boundary flag (12–13), time stamp flag
/// (14), load length (14 bits) (Core, Vol 4, Part E, 5.4.5).
package struct ISOHeader: Sendable {
  /// The handle of the CIS or BIS.
  package let handle: UInt16
  /// The position of the data in its SDU.
  package let boundary: Boundary
  /// Whether the load begins with a time stamp.
  package let hasTimestamp: Bool
  /// The claimed length of the load.
  package let length: UInt16

  /// The packet boundary flag.
  package enum Boundary: UInt8, Sendable {
    case first = 0, continuation, complete, last

    /// The name in the JSON contract.
    package var key: StaticString {
      switch self {
      case .first: "first"
      case .continuation: "continuation"
      case .complete: "complete"
      case .last: "last"
      }
    }
  }

  @_lifetime(cursor: copy cursor)
  init(parsing cursor: inout Cursor) throws(ParseError) {
    let word = try cursor.u16()
    handle = word & 0x0fff
    boundary = Boundary(rawValue: UInt8(word >> 12 & 3)) ?? .complete
    hasTimestamp = word & 0x4000 != 0
    length = try cursor.u16() & 0x3fff
  }
}

/// The fields at the beginning of isochronous data, unless it continues an SDU: time stamp (4
/// bytes, microseconds) if the header indicates one, packet sequence number (2), then SDU length
/// (bits 0–11) and packet status flag (14–15) (2) (Core, Vol 4, Part E, 5.4.5).
package struct ISOLoad: Sendable {
  /// The time stamp of the controller's clock, in microseconds.
  package let timestamp: UInt32?
  /// The sequence number of the SDU.
  package let sequenceNumber: UInt16
  /// The length of the whole SDU in bytes.
  package let sduLength: UInt16
  /// The packet status: 0 valid, 1 possibly invalid, 2 partly lost. It is 0 in data from the host.
  package let status: UInt8
  /// The offset of these fields in the packet's bytes.
  package let offset: Int

  /// Reads the fields; returns nil for a load that continues an SDU or is too short.
  package init?(_ header: ISOHeader, _ bytes: RawSpan, _ body: Slice) {
    guard header.boundary == .first || header.boundary == .complete else { return nil }
    var cursor = Cursor(bytes, body)
    do throws(ParseError) {
      timestamp = header.hasTimestamp ? try cursor.u32() : nil
      sequenceNumber = try cursor.u16()
      let word = try cursor.u16()
      sduLength = word & 0x0fff
      status = UInt8(word >> 14)
    } catch {
      return nil
    }
    offset = Int(body.start)
  }
}
