// The fields of all ATT PDUs under common names, derived from the structs. Text and JSON output and
// the matching of transactions read them.

package import Bluetooth
package import Bytes

/// The fields of one ATT PDU; nil for fields that it does not have.
package struct ATTFields: Sendable {
  // Ordered for few gaps, with small fields after aligned ones.

  /// The requested attribute type.
  package var type: BluetoothUUID?
  /// The attribute handle.
  package var handle: UInt16?
  /// Signed Write Command: the sign counter.
  package var signCounter: UInt32?
  /// The attribute value, or part of it.
  package var value: Slice?
  /// Execute Write: 0 cancels, 1 writes the prepared values.
  package var executeFlags: UInt8?
  /// The first handle of a requested range.
  package var startHandle: UInt16?
  /// Signed Write Command: the authentication signature's MAC.
  package var signature: Slice?
  /// Error Response: the opcode of the request that failed.
  package var requestOpcode: ATTOpcode?
  /// The last handle of a requested range.
  package var endHandle: UInt16?
  /// The handles of a Read Multiple request, two bytes each.
  package var handles: Slice?
  /// Error Response: the error code.
  package var error: ATTErrorCode?
  /// The offset of a partial value.
  package var offset: UInt16?
  /// Bytes that belong to no field: those of an unknown opcode or an incomplete PDU.
  package var data: Slice?
  /// The largest PDU the sender can receive.
  package var mtu: UInt16?
  /// The items of a list.
  package var items: ATTItems?

  init() {}
}

extension ATTPDU {
  /// The fields of this PDU.
  package var fields: ATTFields {
    var fields = ATTFields()
    fill(&fields)
    return fields
  }

  /// Sets this PDU's fields, assuming that none is set yet.
  func fill(_ fields: inout ATTFields) {
    switch self {
    case .errorResponse(let pdu):
      fields.requestOpcode = pdu.requestOpcode
      fields.handle = pdu.handle
      fields.error = pdu.error
    case .exchangeMTU(let pdu):
      fields.mtu = pdu.mtu
    case .findInformationRequest(let pdu):
      fields.startHandle = pdu.startHandle
      fields.endHandle = pdu.endHandle
    case .findInformationResponse(let pdu):
      fields.items = pdu.items
    case .findByTypeValueRequest(let pdu):
      fields.startHandle = pdu.startHandle
      fields.endHandle = pdu.endHandle
      fields.type = pdu.type
      fields.value = pdu.value
    case .findByTypeValueResponse(let pdu):
      fields.items = pdu.items
    case .readByTypeRequest(let pdu):
      fields.startHandle = pdu.startHandle
      fields.endHandle = pdu.endHandle
      fields.type = pdu.type
    case .readByTypeResponse(let pdu):
      fields.items = pdu.items
    case .readRequest(let pdu):
      fields.handle = pdu.handle
    case .readResponse(let pdu):
      fields.value = pdu.value
    case .readBlobRequest(let pdu):
      fields.handle = pdu.handle
      fields.offset = pdu.offset
    case .readMultipleRequest(let pdu):
      fields.handles = pdu.handles
    case .readMultipleVariableResponse(let pdu):
      fields.items = pdu.items
    case .write(let pdu):
      fields.handle = pdu.handle
      fields.value = pdu.value
    case .signedWriteCommand(let pdu):
      fields.handle = pdu.handle
      fields.value = pdu.value
      fields.signCounter = pdu.signCounter
      fields.signature = pdu.signature
    case .prepareWrite(let pdu):
      fields.handle = pdu.handle
      fields.offset = pdu.offset
      fields.value = pdu.value
    case .executeWriteRequest(let pdu):
      fields.executeFlags = pdu.flags
    case .handleValue(let pdu):
      fields.handle = pdu.handle
      fields.value = pdu.value
    case .multipleHandleValueNotification(let pdu):
      fields.items = pdu.items
    case .empty: break
    case .incomplete(let pdu):
      fields.data = pdu.data
    case .unknown(let pdu):
      fields.data = pdu.data
    }
  }

  /// Whether the PDU can have an attribute type, several handles or a list. All others concern at
  /// most one attribute.
  package var namesSeveral: Bool {
    switch self {
    case .findInformationResponse, .findByTypeValueRequest, .findByTypeValueResponse,
      .readByTypeRequest, .readByTypeResponse, .readMultipleRequest, .readMultipleVariableResponse,
      .multipleHandleValueNotification:
      true
    case .errorResponse, .exchangeMTU, .findInformationRequest, .readRequest, .readResponse,
      .readBlobRequest, .write, .signedWriteCommand, .prepareWrite, .executeWriteRequest,
      .handleValue, .empty, .incomplete, .unknown:
      false
    }
  }

  private static let leastMTU: UInt16 = 23

  /// The problem with the PDU apart from missing bytes: an impossible element length, or an MTU
  /// below the minimum.
  package var problem: Problem? {
    if case .unknown(let pdu) = self {
      return Problem(.unknownOpcode, at: Int(pdu.data.start) - 1, Int(pdu.opcode.rawValue))
    }
    let items: ATTItems
    switch self {
    // The minimum on LE; that of BR/EDR is larger (Core, Vol 3, Part G, 5.2.1).
    case .exchangeMTU(let pdu) where pdu.mtu < Self.leastMTU:
      return Problem(.parameterTooSmall, Int(pdu.mtu), Int(Self.leastMTU))
    case .findInformationResponse(let pdu): items = pdu.items
    case .readByTypeResponse(let pdu): items = pdu.items
    default: return nil
    }
    guard let length = items.invalidLength else { return nil }
    return Problem(.invalidElementLength, at: Int(items.list.start) - 1, length)
  }
}

/// The list in a response or in a Multiple Handle Value Notification: its position and layout.
package struct ATTItems: Sendable {
  /// The layout of one item. Handles are 2 bytes; lengths are in bytes.
  package enum Layout: Equatable, Sendable {
    /// Handle, then a UUID of this width (Find Information).
    case typed(uuidWidth: Int)
    /// First handle, last handle (Find By Type Value).
    case range
    /// Handle, then a value; `length` is the total (Read By Type).
    case valued(length: Int)
    /// First handle, last handle, then a value; `length` is the total (Read By Group Type).
    case group(length: Int)
    /// Handle, length of the value (2), value (Multiple Handle Value Notification).
    case handleLengthValue
    /// Length of the value (2), value (Read Multiple Variable).
    case lengthValue
    /// A layout made impossible by the PDU's format or length byte.
    case invalid(length: Int)
  }

  package let layout: Layout
  /// The position of the items.
  package let list: Slice

  /// For Read By Type: the length of the PDU if it lists exactly one value, which may continue
  /// beyond the PDU. Hosts read the rest, for example of a long Device Name, with a Read Blob
  /// Request. Nil if it lists several values, or none.
  package var singleValueLength: Int? {
    guard case .valued(let length) = layout, Int(list.count) == length else { return nil }
    return Self.listOffset + length
  }

  /// Returns whether a PDU of `length` bytes that lists one value is full: as long as the MTU
  /// allows, or as its length byte can express (Core, Vol 3, Part F, 3.4.4.2).
  package static func isFull(_ length: Int, mtu: Int) -> Bool {
    length >= min(mtu, listOffset + Int(UInt8.max))
  }

  /// The offset of the list, after opcode and length.
  private static let listOffset = 2

  /// The length or format byte if no item can have it.
  var invalidLength: Int? {
    switch layout {
    case .invalid(let length): return length
    // GATT groups are services, whose values are UUIDs of 2 or 16 bytes (Core, Vol 3, Part G,
    // 4.4.1).
    case .group(let length) where length != 6 && length != 20: return length
    default: return nil
    }
  }

  /// One item of a list.
  package struct Item: Sendable {
    /// The attribute's handle, or the first of a group.
    package var handle: UInt16?
    /// The last handle of a group.
    package var endHandle: UInt16?
    /// The attribute's type (Find Information).
    package var type: BluetoothUUID?
    /// The attribute's value.
    package var value: Slice?
    /// The number of bytes of the value that the end of the PDU cut off.
    package var missing = 0
  }

  /// Reads the next item; returns nil at the end, or if the rest is not a whole item.
  ///
  /// - Parameter cursor: A cursor over `list`; advanced past the item.
  @_lifetime(cursor: copy cursor)
  package func next(_ cursor: inout Cursor) -> Item? {
    guard !cursor.isAtEnd else { return nil }
    return try? read(&cursor)
  }

  @_lifetime(cursor: copy cursor)
  private func read(_ cursor: inout Cursor) throws(ParseError) -> Item? {
    var item = Item()
    switch layout {
    case .typed(let width):
      guard cursor.remaining >= 2 + width else { return nil }
      item.handle = try cursor.u16()
      item.type = try BluetoothUUID(parsing: &cursor, width: width)
    case .range:
      guard cursor.remaining >= 4 else { return nil }
      item.handle = try cursor.u16()
      item.endHandle = try cursor.u16()
    case .valued(let length):
      guard cursor.remaining >= length else { return nil }
      item.handle = try cursor.u16()
      item.value = try cursor.take(length - 2)
    case .group(let length):
      guard cursor.remaining >= length else { return nil }
      item.handle = try cursor.u16()
      item.endHandle = try cursor.u16()
      item.value = try cursor.take(length - 4)
    case .handleLengthValue:
      guard cursor.remaining >= 4 else { return nil }
      item.handle = try cursor.u16()
      readCounted(&item, length: Int(try cursor.u16()), &cursor)
    case .lengthValue:
      guard cursor.remaining >= 2 else { return nil }
      readCounted(&item, length: Int(try cursor.u16()), &cursor)
    case .invalid: return nil
    }
    return item
  }

  /// Reads a value whose length is known. The last value of a list may be cut short at the MTU.
  @_lifetime(cursor: copy cursor)
  private func readCounted(_ item: inout Item, length: Int, _ cursor: inout Cursor) {
    item.missing = max(0, length - cursor.remaining)
    item.value = cursor.takeUpTo(length)
  }
}
