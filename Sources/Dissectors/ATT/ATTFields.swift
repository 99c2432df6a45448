// The parameters of all ATT PDUs, under names that they share. This is the only description of
// their layout.

package import Bluetooth
package import Bytes

/// The parameters of one ATT PDU; nil for those that it does not have.
///
/// Those that a PDU has follow each other in this order: request opcode, handle, error, MTU, start
/// and end handle, type, offset, flags, value, sign counter, signature, handles, items.
package struct ATTFields: Sendable {
  // Ordered for few gaps, with small fields after aligned ones.

  /// The requested attribute type.
  package var type: BluetoothUUID?
  /// The attribute's handle. In an Error Response it is 0 if no attribute caused the error.
  package var handle: UInt16?
  /// Signed Write Command: a counter that increases with each signed PDU.
  package var signCounter: UInt32?
  /// The attribute value, or part of it.
  package var value: Slice?
  /// Execute Write: 0 cancels, 1 writes the prepared values.
  package var executeFlags: UInt8?
  /// The first handle of a requested range.
  package var startHandle: UInt16?
  /// Signed Write Command: the message authentication code.
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

  /// Reads the parameters of a PDU, which follow its opcode (Core, Vol 3, Part F, 3.4;
  /// little-endian). No field may be set yet.
  ///
  /// - Parameter missing: The number of PDU bytes that the capture did not keep. Layouts that
  ///   depend on the PDU's length need its true length.
  /// - Throws: If the PDU is too short. The fields before the missing one are set.
  @_lifetime(cursor: copy cursor)
  mutating func read(
    _ opcode: ATTOpcode, parsing cursor: inout Cursor, missing: Int = 0
  ) throws(ParseError) {
    switch opcode {
    // Request opcode (1 byte), handle (2), error code (1) (3.4.1.1).
    case .errorResponse:
      requestOpcode = ATTOpcode(rawValue: try cursor.u8())
      handle = try cursor.u16()
      error = ATTErrorCode(rawValue: try cursor.u8())
    // The sender's receive MTU (2 bytes) (3.4.2).
    case .exchangeMTURequest, .exchangeMTUResponse:
      mtu = try cursor.u16()
    // Starting handle (2 bytes), ending handle (2) (3.4.3.1).
    case .findInformationRequest:
      startHandle = try cursor.u16()
      endHandle = try cursor.u16()
    // Format (1 byte: 1 means 16-bit UUIDs, 2 means 128-bit), then pairs of handle and UUID
    // (3.4.3.2).
    case .findInformationResponse:
      let format = try cursor.u8()
      let width = format == 1 ? 2 : 16
      items = ATTItems(
        1...2 ~= format ? .typed(uuidWidth: width) : .invalid(length: Int(format)),
        wholeItems: 2 + width, &cursor)
    // Starting handle (2 bytes), ending handle (2), attribute type (2), attribute value (rest)
    // (3.4.3.3).
    case .findByTypeValueRequest:
      startHandle = try cursor.u16()
      endHandle = try cursor.u16()
      type = BluetoothUUID(try cursor.u16())
      value = cursor.rest()
    // Pairs of found handle (2 bytes) and group end handle (2) (3.4.3.4).
    case .findByTypeValueResponse:
      items = ATTItems(.range, wholeItems: 4, &cursor)
    // Starting handle (2 bytes), ending handle (2), attribute type (2 or 16) (3.4.4.1, 3.4.4.9).
    case .readByTypeRequest, .readByGroupTypeRequest:
      startHandle = try cursor.u16()
      endHandle = try cursor.u16()
      // Two bytes are a 16-bit UUID; anything else should be a 128-bit one, or is cut short.
      let width = cursor.remaining + missing == 2 ? 2 : 16
      type = try BluetoothUUID(parsing: &cursor, width: width) ?? BluetoothUUID(0)
    // Length of one item (1 byte), then items of handle (2), for groups end handle (2), and value
    // (3.4.4.2, 3.4.4.10).
    case .readByTypeResponse, .readByGroupTypeResponse:
      let length = Int(try cursor.u8())
      let isGroup = opcode == .readByGroupTypeResponse
      items = ATTItems(
        length < (isGroup ? 4 : 2)
          ? .invalid(length: length) : isGroup ? .group(length: length) : .valued(length: length),
        wholeItems: length, &cursor)
    // Handle (2 bytes) (3.4.4.3).
    case .readRequest:
      handle = try cursor.u16()
    // The value, part of it, or several values, up to the end of the PDU (3.4.4.4, 3.4.4.6,
    // 3.4.4.8).
    case .readResponse, .readBlobResponse, .readMultipleResponse:
      value = cursor.rest()
    // Handle (2 bytes), offset in the value at which to begin (2) (3.4.4.5).
    case .readBlobRequest:
      handle = try cursor.u16()
      offset = try cursor.u16()
    // Handles (2 bytes each) (3.4.4.7, 3.4.4.11).
    case .readMultipleRequest, .readMultipleVariableRequest:
      handles = cursor.takeUpTo(cursor.remaining & ~1)
    // Values, each preceded by its length (2 bytes) (3.4.4.12).
    case .readMultipleVariableResponse:
      items = ATTItems(.lengthValue, header: 2, &cursor)
    // Handle (2 bytes), value (rest) (3.4.5.1, 3.4.5.3, 3.4.7.1, 3.4.7.2).
    case .writeRequest, .writeCommand, .handleValueNotification, .handleValueIndication:
      handle = try cursor.u16()
      value = cursor.rest()
    // Handle (2 bytes), value, sign counter (4), MAC (8) (3.4.5.4 and 3.3.1).
    case .signedWriteCommand:
      handle = try cursor.u16()
      value = cursor.takeUpTo(max(0, cursor.remaining + missing - Self.signatureSize))
      signCounter = try cursor.u32()
      signature = try cursor.take(8)
    // Handle (2 bytes), offset of the part in the value (2), part of the value (rest) (3.4.6.1,
    // 3.4.6.2).
    case .prepareWriteRequest, .prepareWriteResponse:
      handle = try cursor.u16()
      offset = try cursor.u16()
      value = cursor.rest()
    // Flags (1 byte) (3.4.6.3).
    case .executeWriteRequest:
      executeFlags = try cursor.u8()
    // For each, handle (2 bytes), length (2), value (3.4.7.4).
    case .multipleHandleValueNotification:
      items = ATTItems(.handleLengthValue, header: 4, &cursor)
    // Without parameters (3.4.5.2, 3.4.6.4, 3.4.7.3).
    case .writeResponse, .executeWriteResponse, .handleValueConfirmation: break
    default: data = cursor.rest()
    }
  }

  /// The bytes of sign counter and MAC, which follow a signed value.
  package static let signatureSize = 12

  /// Returns the name of the action that an Execute Write Request's flags request.
  package static func executeName(_ flags: UInt8) -> AssignedName? {
    switch flags {
    case 0: "Cancel"
    case 1: "Write"
    default: nil
    }
  }

  /// Whether the PDU has an attribute type, several handles or a list. All others concern at most
  /// one attribute.
  package var namesSeveral: Bool { type != nil || handles != nil || items != nil }

  /// The number of bytes of the opcode and the parameters of fixed size, which precede a value. The
  /// length or format byte of a list is not counted.
  package var headSize: Int {
    1 + (requestOpcode == nil ? 0 : 1) + (handle == nil ? 0 : 2) + (error == nil ? 0 : 1)
      + (mtu == nil ? 0 : 2) + (startHandle == nil ? 0 : 4) + (type.map { Int($0.width) } ?? 0)
      + (offset == nil ? 0 : 2) + (executeFlags == nil ? 0 : 1)
  }

  private static let leastMTU: UInt16 = 23

  /// Returns the problem with a PDU apart from missing bytes: an opcode that the specification does
  /// not define, an impossible element length, or an MTU below the minimum.
  func problem(_ opcode: ATTOpcode) -> Problem? {
    if let data {
      return Problem(.unknownOpcode, at: Int(data.start) - 1, Int(opcode.rawValue))
    }
    // The minimum on LE; that of BR/EDR is larger (Core, Vol 3, Part G, 5.2.1).
    if let mtu, mtu < Self.leastMTU {
      return Problem(.parameterTooSmall, Int(mtu), Int(Self.leastMTU))
    }
    guard let items, let length = items.invalidLength else { return nil }
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

  /// Creates a list of items of `length` bytes each. Bytes that do not form a whole item are left
  /// in the cursor, to be reported as left over.
  @_lifetime(cursor: copy cursor)
  init(_ layout: Layout, wholeItems length: Int, _ cursor: inout Cursor) {
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
  init(_ layout: Layout, header: Int, _ cursor: inout Cursor) {
    self.layout = layout
    var ahead = cursor
    var count = 0
    while (try? ahead.take(header - 2)) != nil, let length = try? ahead.u16() {
      count += header + Int(ahead.takeUpTo(Int(length)).count)
    }
    list = cursor.takeUpTo(count)
  }
}
