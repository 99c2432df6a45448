// The PDUs that discover attributes, Error Response and Exchange MTU.

package import Bluetooth
package import Bytes

extension ATT {
  /// Error Response: request opcode (1 byte), handle (2), error code (1) (Core, Vol 3, Part F,
  /// 3.4.1.1).
  package struct ErrorResponse: Sendable {
    package let requestOpcode: ATTOpcode
    /// The attribute that caused the error, 0 if there is none.
    package let handle: UInt16
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
    package let opcode: ATTOpcode
    /// The largest PDU the sender can receive.
    package let mtu: UInt16

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor) throws(ParseError) {
      self.opcode = opcode
      mtu = try cursor.u16()
    }
  }

  /// Find Information Request: starting handle (2 bytes), ending handle (2) (3.4.3.1).
  package struct FindInformationRequest: Sendable {
    /// The first handle of the requested range.
    package let startHandle: UInt16
    /// The last handle of the requested range.
    package let endHandle: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      startHandle = try cursor.u16()
      endHandle = try cursor.u16()
    }
  }

  /// Find Information Response: format (1 byte: 1 means 16-bit UUIDs, 2 means 128-bit), then pairs
  /// of handle and UUID (3.4.3.2).
  package struct FindInformationResponse: Sendable {
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
    /// The first handle of the requested range.
    package let startHandle: UInt16
    /// The last handle of the requested range.
    package let endHandle: UInt16
    /// The requested attribute type.
    package let type: BluetoothUUID
    /// The requested attribute value.
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
    package let items: ATTItems

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) {
      items = ATTItems(layout: .range, wholeItems: 4, &cursor)
    }
  }

  /// Read By Type Request and Read By Group Type Request: starting handle (2 bytes), ending handle
  /// (2), attribute type (2 or 16) (3.4.4.1 and 3.4.4.9).
  package struct ReadByTypeRequest: Sendable {
    package let opcode: ATTOpcode
    /// The first handle of the requested range.
    package let startHandle: UInt16
    /// The last handle of the requested range.
    package let endHandle: UInt16
    /// The requested attribute type.
    package let type: BluetoothUUID

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor, missing: Int) throws(ParseError) {
      self.opcode = opcode
      startHandle = try cursor.u16()
      endHandle = try cursor.u16()
      // Two bytes are a 16-bit UUID; anything else should be a 128-bit one, or is cut short.
      let width = cursor.remaining + missing == 2 ? 2 : 16
      type = try BluetoothUUID(parsing: &cursor, width: width) ?? BluetoothUUID(0)
    }
  }

  /// Read By Type Response and Read By Group Type Response: length of one item (1 byte), then items
  /// of handle (2), for groups end handle (2), and value (3.4.4.2 and 3.4.4.10).
  package struct ReadByTypeResponse: Sendable {
    package let opcode: ATTOpcode
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
  /// Creates a list of items of `length` bytes each. Bytes that do not form a whole item are left
  /// in the cursor, to be reported as left over.
  @_lifetime(cursor: copy cursor)
  init(layout: Layout, wholeItems length: Int, _ cursor: inout Cursor) {
    self.layout = layout
    if case .invalid = layout {
      list = cursor.rest()
    } else {
      list = cursor.takeUpTo(cursor.remaining / length * length)
    }
  }

  /// Creates a list of items that carry their own length in the last two bytes of a `header`-byte
  /// header. Bytes that do not form a whole header are left in the cursor, to be reported as left
  /// over.
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
