// The PDUs that carry attribute values: reads, writes, notifications and indications.

package import Bluetooth
package import Bytes

extension ATT {
  /// Read Request: handle (2 bytes) (Core, Vol 3, Part F, 3.4.4.3).
  package struct ReadRequest: Sendable {
    package let handle: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      handle = try cursor.u16()
    }
  }

  /// Read Response, Read Blob Response and Read Multiple Response: the value, part of it, or
  /// several values, up to the end of the PDU (3.4.4.4, 3.4.4.6, 3.4.4.8).
  package struct ReadResponse: Sendable {
    package let opcode: ATTOpcode
    /// The bytes read.
    package let value: Slice

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor) {
      self.opcode = opcode
      value = cursor.rest()
    }
  }

  /// Read Blob Request: handle (2 bytes), value offset (2) (3.4.4.5).
  package struct ReadBlobRequest: Sendable {
    package let handle: UInt16
    /// The offset in the value at which to begin.
    package let offset: UInt16

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      handle = try cursor.u16()
      offset = try cursor.u16()
    }
  }

  /// Read Multiple Request and Read Multiple Variable Request: handles (2 bytes each) (3.4.4.7,
  /// 3.4.4.11).
  package struct ReadMultipleRequest: Sendable {
    package let opcode: ATTOpcode
    /// The requested handles, two bytes each.
    package let handles: Slice

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor) {
      self.opcode = opcode
      handles = cursor.takeUpTo(cursor.remaining & ~1)
    }
  }

  /// Read Multiple Variable Response: values, each preceded by its length (2 bytes) (3.4.4.12).
  package struct ReadMultipleVariableResponse: Sendable {
    package let items: ATTItems

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) {
      items = ATTItems(layout: .lengthValue, header: 2, &cursor)
    }
  }

  /// Write Request and Write Command: handle (2 bytes), value (rest) (3.4.5.1, 3.4.5.3).
  package struct Write: Sendable {
    package let opcode: ATTOpcode
    package let handle: UInt16
    package let value: Slice

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor) throws(ParseError) {
      self.opcode = opcode
      handle = try cursor.u16()
      value = cursor.rest()
    }
  }

  /// Signed Write Command: handle (2 bytes), value, sign counter (4), MAC (8) (3.4.5.4 and 3.3.1).
  package struct SignedWriteCommand: Sendable {
    package let handle: UInt16
    package let value: Slice
    /// A counter that increases with each signed PDU.
    package let signCounter: UInt32
    /// The message authentication code.
    package let signature: Slice

    /// The size of sign counter and MAC in bytes.
    package static let signatureSize = 12

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor, missing: Int) throws(ParseError) {
      handle = try cursor.u16()
      value = cursor.takeUpTo(max(0, cursor.remaining + missing - Self.signatureSize))
      signCounter = try cursor.u32()
      signature = try cursor.take(8)
    }
  }

  /// Prepare Write Request and Response: handle (2 bytes), value offset (2), part of the value
  /// (rest) (3.4.6.1, 3.4.6.2).
  package struct PrepareWrite: Sendable {
    package let opcode: ATTOpcode
    package let handle: UInt16
    /// The offset of the part in the value.
    package let offset: UInt16
    /// The part of the value.
    package let value: Slice

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor) throws(ParseError) {
      self.opcode = opcode
      handle = try cursor.u16()
      offset = try cursor.u16()
      value = cursor.rest()
    }
  }

  /// Execute Write Request: flags (1 byte: 0 cancel, 1 write) (3.4.6.3).
  package struct ExecuteWriteRequest: Sendable {
    /// What to do with the prepared writes.
    package let flags: UInt8

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) throws(ParseError) {
      flags = try cursor.u8()
    }

    /// Returns the name of the requested action.
    package static func name(_ flags: UInt8) -> AssignedName? {
      switch flags {
      case 0: "Cancel"
      case 1: "Write"
      default: nil
      }
    }
  }

  /// Handle Value Notification and Indication: handle (2 bytes), value (rest) (3.4.7.1, 3.4.7.2).
  package struct HandleValue: Sendable {
    package let opcode: ATTOpcode
    package let handle: UInt16
    package let value: Slice

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor) throws(ParseError) {
      self.opcode = opcode
      handle = try cursor.u16()
      value = cursor.rest()
    }
  }

  /// Multiple Handle Value Notification: for each, handle (2 bytes), length (2), value (3.4.7.4).
  package struct MultipleHandleValueNotification: Sendable {
    /// The pairs of handle and value.
    package let items: ATTItems

    @_lifetime(cursor: copy cursor)
    init(parsing cursor: inout Cursor) {
      items = ATTItems(layout: .handleLengthValue, header: 4, &cursor)
    }
  }

  /// A PDU without parameters: Write Response, Execute Write Response, Handle Value Confirmation
  /// (3.4.5.2, 3.4.6.4, 3.4.7.3).
  package struct Empty: Sendable {
    package let opcode: ATTOpcode
  }

  /// A PDU that ends before its last field.
  package struct Incomplete: Sendable {
    package let opcode: ATTOpcode
    /// The bytes after the opcode.
    package let data: Slice

    /// Reads the bytes that exist; returns nil if there is not even an opcode.
    @_lifetime(cursor: copy cursor)
    init?(parsing cursor: inout Cursor) {
      guard let opcode = try? cursor.u8() else { return nil }
      self.opcode = ATTOpcode(rawValue: opcode)
      data = cursor.rest()
    }
  }

  /// A PDU with an opcode that the specification does not define.
  package struct Unknown: Sendable {
    package let opcode: ATTOpcode
    /// The bytes after the opcode.
    package let data: Slice

    @_lifetime(cursor: copy cursor)
    init(_ opcode: ATTOpcode, parsing cursor: inout Cursor) {
      self.opcode = opcode
      data = cursor.rest()
    }
  }
}
