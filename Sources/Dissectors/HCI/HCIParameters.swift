// Which rows describe which bytes of a command or event.

package import Bluetooth
package import Bytes

/// The parameters of one HCI packet, found.
package struct HCIParameters: Sendable {
  /// The row that names the packet; nil for a code that no table has.
  package let row: HCIRowID?
  /// The bytes that `row` describes; of an LE Meta event, those after the subevent code.
  package let outer: Slice
  /// Of a Command Complete: the row of the command that it completes.
  package let completed: HCIRowID?
  /// Of a Command Complete: its return parameters.
  package let inner: Slice

  /// Finds the row of a command.
  package init(_ command: HCICommand, body: Slice) {
    row = HCITable.core.command(command.opcode)
    outer = body
    completed = nil
    inner = .empty
  }

  /// Finds the row of Microsoft's extension command.
  init(microsoftCommand body: Slice) {
    row = HCITable.core.microsoftCommand
    outer = body
    completed = nil
    inner = .empty
  }

  /// Finds the row of Microsoft's extension event, behind its prefix.
  init(microsoftEvent body: Slice) {
    row = HCITable.core.microsoftEvent
    outer = body
    completed = nil
    inner = .empty
  }

  /// Takes what a Command Complete returns for Microsoft's extension command.
  init(_ found: Self, returnsOf completed: HCIRowID) {
    row = found.row
    outer = found.outer
    self.completed = completed
    inner = found.inner
  }

  /// Finds the rows of an event: LE Meta events by their subevent, Android's vendor events by theirs
  /// where their bytes are laid out as it says, Command Complete with the command's return
  /// parameters.
  package init(_ event: HCIEvent, _ bytes: RawSpan, body: Slice) {
    let start = Int(body.start)
    let count = Int(body.count)
    if let subevent = event.subevent(bytes, body) {
      row = HCITable.core.subevent(subevent)
      outer = Slice(start: start + 1, count: count - 1)
      completed = nil
      inner = .empty
    } else if event.code == HCIEvent.commandCompleteCode, count >= 3 {
      // Num_HCI_Command_Packets (1 byte), Command_Opcode (2), return parameters.
      row = HCITable.core.event(event.code)
      outer = Slice(start: start, count: 3)
      completed = HCITable.core.command(bytes.littleEndianU16(at: start + 1))
      inner = Slice(start: start + 3, count: count - 3)
    } else {
      let android = event.code == HCIEvent.vendorCode ? Self.androidEvent(bytes, body) : nil
      row = android ?? HCITable.core.event(event.code)
      outer = android == nil ? body : Slice(start: start + 1, count: count - 1)
      completed = nil
      inner = .empty
    }
  }

  /// The row of a vendor's event that is Android's. Other vendors number their events otherwise: only
  /// where all bytes agree with what Android requires is it one.
  private static func androidEvent(_ bytes: RawSpan, _ body: Slice) -> HCIRowID? {
    guard !body.isEmpty,
      let row = HCITable.core.androidEvent(bytes.byte(at: Int(body.start)))
    else { return nil }
    let parameters = Slice(start: Int(body.start) + 1, count: Int(body.count) - 1)
    let layout = row.parameters
    if layout.fits(bytes, parameters) { return row }
    var fields = HCIFields(bytes, parameters)
    var silent = SilentVisitor()
    guard (try? fields.walk(layout, &silent)) != nil, !fields.isUnknownChoice else { return nil }
    return fields.isOpen || fields.rest().isEmpty ? row : nil
  }

  /// Finds the rows of a record of the management interface: Command Complete with the command's
  /// return parameters.
  package init(_ control: ControlRecord, _ bytes: RawSpan, body: Slice) {
    guard control.isEvent else {
      row = HCITable.core.controlCommand(control.code)
      outer = body
      completed = nil
      inner = .empty
      return
    }
    row = HCITable.core.controlEvent(control.code)
    // Command_Opcode (2 bytes), Status (1), return parameters.
    if control.code == ManagementEvent.commandComplete, body.count >= 3 {
      outer = Slice(start: Int(body.start), count: 3)
      completed = HCITable.core.controlCommand(bytes.littleEndianU16(at: Int(body.start)))
      inner = Slice(start: Int(body.start) + 3, count: Int(body.count) - 3)
    } else {
      outer = body
      completed = nil
      inner = .empty
    }
  }

  /// The handle of the link that the packet is about, where its row has one.
  package func connectionHandle(_ bytes: RawSpan) -> UInt16? {
    if let row, let handle = Self.handle(row.parameters, bytes, outer) { return handle }
    return completed.flatMap { Self.handle($0.returns, bytes, inner) }
  }

  private static func handle(_ layout: HCILayout, _ bytes: RawSpan, _ slice: Slice) -> UInt16? {
    if let offset = layout.connectionHandleOffset, Int(slice.count) >= offset + 2 {
      return bytes.littleEndianU16(at: Int(slice.start) + offset) & 0x0fff
    }
    return layout.has(.chosenHandle) ? chosenHandle(layout, bytes, slice) : nil
  }

  /// The handle in a layout that a selector chose.
  private static func chosenHandle(
    _ layout: HCILayout, _ bytes: RawSpan, _ slice: Slice
  ) -> UInt16? {
    var fields = HCIFields(bytes, slice)
    var finder = HandleFinder()
    // What was told before the bytes end too early counts.
    try? fields.walk(layout, &finder)
    return finder.handle
  }

  /// The address of the BR/EDR device that the packet is about, where its row has that instead of a
  /// handle: first, or behind Status.
  package func deviceAddress(_ bytes: RawSpan) -> DeviceAddress? {
    if let row, row.parameters.has(.beginsWithDevice) {
      return Self.device(row.parameters, bytes, outer)
    }
    guard let completed, completed.returns.has(.beginsWithDevice) else { return nil }
    return Self.device(completed.returns, bytes, inner)
  }

  private static func device(
    _ layout: HCILayout, _ bytes: RawSpan, _ slice: Slice
  ) -> DeviceAddress? {
    var cursor = Cursor(bytes, slice)
    if layout.has(.beginsWithStatus), (try? cursor.u8()) == nil { return nil }
    return try? DeviceAddress(parsing: &cursor)
  }

  /// The Status that the packet carries: the first parameter of its row, or of a Command Complete.
  package func status(_ bytes: RawSpan) -> UInt8? {
    if let row, row.parameters.has(.beginsWithStatus), !outer.isEmpty {
      return bytes.byte(at: Int(outer.start))
    }
    // Every command of the specification returns Status first, and so do vendors' commands.
    return inner.isEmpty ? nil : bytes.byte(at: Int(inner.start))
  }

  /// What is wrong with the parameters' length, by their rows.
  ///
  /// A command that failed may return no more than its Status.
  ///
  /// - Parameter status: the packet's Status.
  package func problem(_ bytes: RawSpan, status: UInt8?) -> Problem? {
    if let row, let problem = Self.check(row.parameters, bytes, outer) {
      return problem
    }
    guard let completed else { return nil }
    let failed = status.map { $0 != 0 } ?? false
    return failed ? nil : Self.check(completed.returns, bytes, inner)
  }

  private static func check(
    _ layout: HCILayout, _ bytes: RawSpan, _ slice: Slice
  ) -> Problem? {
    guard layout.has(.known), !layout.fits(bytes, slice) else { return nil }
    var fields = HCIFields(bytes, slice)
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

/// A visitor that keeps the first handle.
private struct HandleFinder: HCIFieldVisitor {
  var handle: UInt16?

  mutating func field(
    _ name: StaticString, line: StaticString?, _ value: HCIValue, _ bytes: RawSpan,
    at slice: Slice
  ) {
    guard handle == nil, case .number(let number, _, .handle) = value else { return }
    handle = UInt16(truncatingIfNeeded: number) & 0x0fff
  }
}
