// The PDUs that discover attributes, and those that keep the conversation going: errors and MTU.

package import Bluetooth
package import Bytes

extension ATT {
  /// Error Response: request opcode (1 byte), handle (2), error code (1) (Core, Vol 3, Part F,
  /// 3.4.1.1).
  package struct ErrorResponse: Sendable {
    /// The request that failed.
    package let requestOpcode: ATTOpcode
    /// The attribute that made it fail, 0 where none did.
    package let handle: UInt16
    /// Why.
    package let error: ATTErrorCode

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      requestOpcode = ATTOpcode(rawValue: try cursor.u8())
      handle = try cursor.u16()
      error = ATTErrorCode(rawValue: try cursor.u8())
    }
  }

  /// Exchange MTU Request and Response: the sender's receive MTU (2 bytes) (3.4.2).
  package struct ExchangeMTU: Sendable {
    /// Request or response.
    package let opcode: ATTOpcode
    /// The largest PDU that the sender can receive.
    package let mtu: UInt16

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor) throws(ParseError) {
      self.opcode = opcode
      mtu = try cursor.u16()
    }
  }

  /// Find Information Request: starting handle (2 bytes), ending handle (2) (3.4.3.1).
  package struct FindInformationRequest: Sendable {
    /// The first handle asked for.
    package let startHandle: UInt16
    /// The last.
    package let endHandle: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      startHandle = try cursor.u16()
      endHandle = try cursor.u16()
    }
  }

  /// Find Information Response: format (1 byte: 1 16-bit UUIDs, 2 128-bit), then pairs of handle
  /// and UUID (3.4.3.2).
  package struct FindInformationResponse: Sendable {
    /// The pairs.
    package let items: ATTItems

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      let format = try cursor.u8()
      let layout: ATTItems.Layout =
        switch format {
        case 1: .typed(uuidWidth: 2)
        case 2: .typed(uuidWidth: 16)
        default: .invalid(length: Int(format))
        }
      items = ATTItems(layout: layout, wholeItems: 2 + (format == 1 ? 2 : 16), &cursor)
    }
  }

  /// Find By Type Value Request: starting handle (2 bytes), ending handle (2), attribute type (2),
  /// attribute value (rest) (3.4.3.3).
  package struct FindByTypeValueRequest: Sendable {
    /// The first handle asked for.
    package let startHandle: UInt16
    /// The last.
    package let endHandle: UInt16
    /// The type that attributes must have.
    package let type: BluetoothUUID
    /// And the value.
    package let value: Slice

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      startHandle = try cursor.u16()
      endHandle = try cursor.u16()
      type = BluetoothUUID(try cursor.u16())
      value = cursor.rest()
    }
  }

  /// Find By Type Value Response: pairs of found handle (2 bytes) and group end handle (2)
  /// (3.4.3.4).
  package struct FindByTypeValueResponse: Sendable {
    /// The pairs.
    package let items: ATTItems

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) {
      items = ATTItems(layout: .range, wholeItems: 4, &cursor)
    }
  }

  /// Read By Type Request and Read By Group Type Request: starting handle (2 bytes), ending handle
  /// (2), attribute type (2 or 16) (3.4.4.1 and 3.4.4.9).
  package struct ReadByTypeRequest: Sendable {
    /// Which of the two.
    package let opcode: ATTOpcode
    /// The first handle asked for.
    package let startHandle: UInt16
    /// The last.
    package let endHandle: UInt16
    /// The type that attributes must have.
    package let type: BluetoothUUID

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor, missing: Int) throws(ParseError) {
      self.opcode = opcode
      startHandle = try cursor.u16()
      endHandle = try cursor.u16()
      // Two bytes are a short UUID; anything else should be a long one, and is too short otherwise.
      let width = cursor.remaining + missing == 2 ? 2 : 16
      type = try BluetoothUUID(parsing: &cursor, width: width) ?? BluetoothUUID(0)
    }
  }

  /// Read By Type Response and Read By Group Type Response: length of one item (1 byte), then items
  /// of handle (2), for groups end handle (2), and value (3.4.4.2 and 3.4.4.10).
  package struct ReadByTypeResponse: Sendable {
    /// Which of the two.
    package let opcode: ATTOpcode
    /// The items.
    package let items: ATTItems

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor) throws(ParseError) {
      self.opcode = opcode
      let length = Int(try cursor.u8())
      let isGroup = opcode == .readByGroupTypeResponse
      let layout: ATTItems.Layout =
        if length < (isGroup ? 4 : 2) {
          .invalid(length: length)
        } else if isGroup {
          .group(length: length)
        } else {
          .valued(length: length)
        }
      items = ATTItems(layout: layout, wholeItems: length, &cursor)
    }
  }
}

extension ATTItems {
  /// A list of items of `length` bytes each; bytes that make no whole item stay with the cursor, to
  /// be reported as left over.
  @_lifetime(cursor: copy cursor)
  init(layout: Layout, wholeItems length: Int, _ cursor: inout Cursor) {
    self.layout = layout
    if case .invalid = layout {
      list = cursor.rest()
    } else {
      list = cursor.takeUpTo(cursor.remaining / length * length)
    }
  }

  /// A list of items that carry their own lengths, in the last two bytes of `header` bytes; bytes
  /// that make no whole header stay with the cursor, to be reported as left over.
  @_lifetime(cursor: copy cursor)
  init(layout: Layout, header: Int, _ cursor: inout Cursor) {
    self.layout = layout
    var ahead = cursor
    var count = 0
    while (try? ahead.take(header - 2)) != nil, let length = try? ahead.u16() {
      count += header + Int(ahead.takeUpTo(Int(length)).count)
    }
    list = cursor.takeUpTo(count)
  }
}
