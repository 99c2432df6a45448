// What ATT's PDUs have in common: the fields that any of them may have, by the names that they
// share. Derived from the structs; text, JSON and the memory of transactions read this.

package import Bluetooth
package import Bytes

/// The fields of one ATT PDU; nil where the PDU has no such field.
package struct ATTFields: Sendable {
  // In an order that leaves few gaps: small ones stand behind what is aligned.

  /// The attribute type asked for.
  package var type: BluetoothUUID?
  /// The attribute handle.
  package var handle: UInt16?
  /// Signed Write Command: the sign counter.
  package var signCounter: UInt32?
  /// The attribute value, or part of it.
  package var value: Slice?
  /// Execute Write: 0 cancels, 1 writes.
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
  /// Error Response: why.
  package var error: ATTErrorCode?
  /// Where a partial value begins.
  package var offset: UInt16?
  /// Bytes that no field claims: those of an unknown opcode or of an incomplete PDU.
  package var data: Slice?
  /// The MTU that the sender can receive.
  package var mtu: UInt16?
  /// The items of a list.
  package var items: ATTItems?

  init() {}
}

extension ATTPDU {
  /// The fields that this PDU has.
  package var fields: ATTFields {
    var fields = ATTFields()
    fill(&fields)
    return fields
  }

  /// Sets the fields that this PDU has, where none is set.
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

  /// Whether the PDU may have an attribute type, several handles or a list: the others are about one
  /// attribute at most.
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

  /// What is wrong with the PDU beyond missing bytes: a list whose element length no element has, an MTU that no
  /// bearer has.
  package var problem: Problem? {
    if case .unknown(let pdu) = self {
      return Problem(.unknownOpcode, at: Int(pdu.data.start) - 1, Int(pdu.opcode.rawValue))
    }
    let items: ATTItems
    switch self {
    // On LE; BR/EDR's least is larger (Core, Vol 3, Part G, 5.2.1).
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

/// The list of a response or of a Multiple Handle Value Notification: where its items lie and how
/// they are laid out.
package struct ATTItems: Sendable {
  /// How one item is laid out. Handles are 2 bytes; lengths in bytes.
  package enum Layout: Equatable, Sendable {
    /// Handle, then a UUID of this width (Find Information).
    case typed(uuidWidth: Int)
    /// First handle, last handle (Find By Type Value).
    case range
    /// Handle, then a value; this many bytes in all (Read By Type).
    case valued(length: Int)
    /// First handle, last handle, then a value; this many bytes in all (Read By Group Type).
    case group(length: Int)
    /// Handle, length of the value (2), value (Multiple Handle Value Notification).
    case handleLengthValue
    /// Length of the value (2), value (Read Multiple Variable).
    case lengthValue
    /// A layout that the PDU's format or length byte made impossible.
    case invalid(length: Int)
  }

  /// How the items are laid out.
  package let layout: Layout
  /// Where they lie.
  package let list: Slice

  /// Of Read By Type: the bytes of the PDU, where it lists one value that may go on behind its end: a Read Blob
  /// Request asks for the rest, as hosts do of a long Device Name. Nil where it lists several, or none.
  package var singleValueLength: Int? {
    guard case .valued(let length) = layout, Int(list.count) == length else { return nil }
    return Self.listOffset + length
  }

  /// Whether a list with one value of that many bytes fills its PDU: the MTU's, or what its length byte can tell
  /// (Core, Vol 3, Part F, 3.4.4.2).
  package static func isFull(_ length: Int, mtu: Int) -> Bool {
    length >= min(mtu, listOffset + Int(UInt8.max))
  }

  /// Where the list begins behind opcode and length.
  private static let listOffset = 2

  /// The length or format byte, where no item can have it.
  var invalidLength: Int? {
    switch layout {
    case .invalid(let length): return length
    // The groups of GATT are services, and their values UUIDs of 2 or 16 bytes (Core, Vol 3, Part G, 4.4.1).
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
    /// The length that the list gives for the value, where it is cut short by the end of the PDU.
    package var missing = 0
  }

  /// Reads the next item; nil at the end, or where what is left is no whole item.
  ///
  /// - Parameter cursor: made from `list`; moved behind the item.
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

  /// The last value of a list may be cut short: the PDU ended at the MTU.
  @_lifetime(cursor: copy cursor)
  private func readCounted(_ item: inout Item, length: Int, _ cursor: inout Cursor) {
    item.missing = max(0, length - cursor.remaining)
    item.value = cursor.takeUpTo(length)
  }
}
