// Finds the rows that describe the bytes of a command or event.

package import Bluetooth
package import Bytes

/// The parameters of one HCI packet, management record or Link Layer PDU with their rows.
package struct PacketParameters: Equatable, Sendable {
  /// The row that names the packet; nil if no table has its code.
  package let row: RowID?
  /// The bytes that `row` describes: in an LE Meta event, those after the subevent code; in a Link
  /// Layer control PDU, those after the opcode; in an advertising PDU, also its header.
  package let outer: Slice
  /// In a Command Complete: the row of the completed command.
  package let completed: RowID?
  /// In a Command Complete: the return parameters.
  package let inner: Slice

  /// Finds the row of a command.
  package init(_ command: HCICommand, _ bytes: RawSpan, body: Slice) {
    let found = PDUTable.core.command(command.opcode)
    row = Self.isOfAnotherVendor(command.opcode, found?.parameters, bytes, body) ? nil : found
    outer = body
    completed = nil
    inner = .empty
  }

  /// Describes the part `parameters` of a Link Layer PDU by a row.
  init(linkLayer row: RowID?, _ parameters: Slice) {
    self.row = row
    outer = parameters
    completed = nil
    inner = .empty
  }

  /// Finds the row of Microsoft's extension command.
  init(microsoftCommand body: Slice) {
    row = PDUTable.core.microsoftCommand
    outer = body
    completed = nil
    inner = .empty
  }

  /// Finds the row of Microsoft's extension event, after its prefix.
  init(microsoftEvent body: Slice) {
    row = PDUTable.core.microsoftEvent
    outer = body
    completed = nil
    inner = .empty
  }

  /// Describes a vendor's command or event by a row.
  init(vendors row: RowID, _ parameters: Slice) {
    self.row = row
    outer = parameters
    completed = nil
    inner = .empty
  }

  /// Uses a vendor's command for the return parameters of a Command Complete.
  init(_ found: Self, returnsOf completed: RowID) {
    row = found.row
    outer = found.outer
    self.completed = completed
    inner = found.inner
  }

  /// Finds the rows of an event: LE Meta events by their subevent, Android's vendor-specific events
  /// by theirs if the bytes match the layout, Command Complete with the command's return
  /// parameters.
  package init(_ event: HCIEvent, _ bytes: RawSpan, body: Slice) {
    let start = Int(body.start)
    let count = Int(body.count)
    if let subevent = event.subevent(bytes, body) {
      row = PDUTable.core.subevent(subevent)
      outer = Slice(start: start + 1, count: count - 1)
      completed = nil
      inner = .empty
    } else if event.code == HCIEvent.commandCompleteCode, count >= 3 {
      // Num_HCI_Command_Packets (1 byte), Command_Opcode (2), return parameters.
      row = PDUTable.core.event(event.code)
      outer = Slice(start: start, count: 3)
      let opcode = bytes.littleEndianU16(at: start + 1)
      let found = PDUTable.core.command(opcode)
      inner = Slice(start: start + 3, count: count - 3)
      // A failed command may return only its Status.
      let hasFailed = count == 4 && bytes.byte(at: start + 3) != 0
      completed =
        !hasFailed && Self.isOfAnotherVendor(opcode, found?.returns, bytes, inner) ? nil : found
    } else {
      let android = event.code == HCIEvent.vendorCode ? Self.androidEvent(bytes, body) : nil
      row = android ?? PDUTable.core.event(event.code)
      outer = android == nil ? body : Slice(start: start + 1, count: count - 1)
      completed = nil
      inner = .empty
    }
  }

  /// Returns the row of a vendor-specific event that is Android's. Other vendors use other numbers,
  /// so all bytes must match Android's layout.
  private static func androidEvent(_ bytes: RawSpan, _ body: Slice) -> RowID? {
    guard !body.isEmpty,
      let row = PDUTable.core.androidEvent(bytes.byte(at: Int(body.start)))
    else { return nil }
    let parameters = Slice(start: Int(body.start) + 1, count: Int(body.count) - 1)
    return matches(row.parameters, bytes, parameters, isChoiceKnown: true) ? row : nil
  }

  /// Returns whether a command with the number of one of Android's is another vendor's, whose bytes
  /// do not match the layout.
  private static func isOfAnotherVendor(
    _ opcode: UInt16, _ layout: ParameterLayout?, _ bytes: RawSpan, _ slice: Slice
  ) -> Bool {
    guard opcode == HCICommand.androidDynamicAudioBuffer, let layout else { return false }
    return !matches(layout, bytes, slice, isChoiceKnown: false)
  }

  /// Returns whether a layout explains all bytes.
  ///
  /// - Parameter isChoiceKnown: whether it must know the choice that the bytes make.
  private static func matches(
    _ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice, isChoiceKnown: Bool
  ) -> Bool {
    if layout.fits(bytes, slice) { return true }
    var fields = FieldWalk(bytes, slice)
    var silent = SilentVisitor()
    guard (try? fields.walk(layout, &silent)) != nil else { return false }
    if fields.isUnknownChoice { return !isChoiceKnown }
    return fields.isOpen || fields.rest().isEmpty
  }

  /// Finds the rows of a management interface record; for Command Complete, also the return
  /// parameters.
  package init(_ control: ControlRecord, _ bytes: RawSpan, body: Slice) {
    guard control.isEvent else {
      row = PDUTable.core.controlCommand(control.code)
      outer = body
      completed = nil
      inner = .empty
      return
    }
    row = PDUTable.core.controlEvent(control.code)
    // Command_Opcode (2 bytes), Status (1), return parameters.
    if control.code == ManagementEvent.commandComplete, body.count >= 3 {
      outer = Slice(start: Int(body.start), count: 3)
      completed = PDUTable.core.controlCommand(bytes.littleEndianU16(at: Int(body.start)))
      inner = Slice(start: Int(body.start) + 3, count: Int(body.count) - 3)
    } else {
      outer = body
      completed = nil
      inner = .empty
    }
  }

  /// Returns the handle of the link that the packet concerns, if its row has one.
  package func connectionHandle(_ bytes: RawSpan) -> UInt16? {
    if let row, let handle = Self.handle(row.parameters, bytes, outer) { return handle }
    return completed.flatMap { Self.handle($0.returns, bytes, inner) }
  }

  private static func handle(_ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice) -> UInt16?
  {
    if let offset = layout.connectionHandleOffset, Int(slice.count) >= offset + 2 {
      return bytes.littleEndianU16(at: Int(slice.start) + offset) & 0x0fff
    }
    return layout.has(.chosenHandle) ? chosenHandle(layout, bytes, slice) : nil
  }

  /// Returns the handle in a layout chosen by a selector.
  private static func chosenHandle(
    _ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice
  ) -> UInt16? {
    var fields = FieldWalk(bytes, slice)
    var finder = HandleFinder()
    // What was visited before a premature end counts.
    try? fields.walk(layout, &finder)
    return finder.handle
  }

  /// Returns the address of the BR/EDR device that the packet concerns, if its row has that first
  /// or after Status instead of a handle.
  package func deviceAddress(_ bytes: RawSpan) -> DeviceAddress? {
    if let row, row.parameters.has(.beginsWithDevice) {
      return Self.device(row.parameters, bytes, outer)
    }
    guard let completed, completed.returns.has(.beginsWithDevice) else { return nil }
    return Self.device(completed.returns, bytes, inner)
  }

  private static func device(
    _ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice
  ) -> DeviceAddress? {
    var cursor = Cursor(bytes, slice)
    if layout.has(.beginsWithStatus), (try? cursor.u8()) == nil { return nil }
    return try? DeviceAddress(parsing: &cursor)
  }

  /// Returns the packet's Status: the first parameter of its row, or of the return parameters.
  package func status(_ bytes: RawSpan) -> UInt8? {
    if let row, row.parameters.has(.beginsWithStatus), !outer.isEmpty {
      return bytes.byte(at: Int(outer.start))
    }
    // All commands in the specification return Status first, and so do vendor-specific ones.
    return inner.isEmpty ? nil : bytes.byte(at: Int(inner.start))
  }

  /// Returns a problem with the length of the parameters, judged by their rows.
  ///
  /// A failed command may return only its Status.
  ///
  /// - Parameter status: The packet's Status.
  package func problem(_ bytes: RawSpan, status: UInt8?) -> Problem? {
    if let row, let problem = Self.check(row.parameters, bytes, outer) {
      return problem
    }
    guard let completed else { return nil }
    let failed = status.map { $0 != 0 } ?? false
    return failed ? nil : Self.check(completed.returns, bytes, inner)
  }

  private static func check(
    _ layout: ParameterLayout, _ bytes: RawSpan, _ slice: Slice
  ) -> Problem? {
    guard layout.has(.known), !layout.fits(bytes, slice) else { return nil }
    var fields = FieldWalk(bytes, slice)
    var silent = SilentVisitor()
    do throws(ParseError) {
      try fields.walk(layout, &silent)
    } catch {
      return Problem(error)
    }
    let left = fields.rest()
    return left.isEmpty || fields.isOpen
      ? nil : Problem(.leftOver, at: Int(left.start), Int(left.count))
  }
}

/// A visitor that keeps the first handle it finds.
private struct HandleFinder: FieldVisitor {
  var handle: UInt16?

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: FieldValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    guard handle == nil, case .number(let number, _, .handle) = value else { return }
    handle = UInt16(truncatingIfNeeded: number) & 0x0fff
  }
}
