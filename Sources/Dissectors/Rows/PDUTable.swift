// The tables of commands and events, prepared for lookups by code.

package import Bluetooth
import Bytes

/// A table row with its precomputed properties.
package struct RowEntry: Sendable {
  /// Opcode, event code or subevent code.
  package let code: UInt16
  /// The specification's name.
  package let name: StaticString
  /// The layout of the parameters.
  package let parameters: ParameterLayout
  /// For a command: the layout of the return parameters.
  package let returns: ParameterLayout
  let subjects: ParameterRow.Subjects

  init(_ row: ParameterRow) {
    code = row.code
    subjects = row.subjects
    name = row.name
    parameters = ParameterLayout(row.parameters)
    returns = ParameterLayout(row.returns)
  }
}

/// A parameter in the form used by the walk, without references, so that no packet causes reference
/// counting. A list is followed by the fields of one item, a choice by its layouts and each layout
/// by its fields.
package struct ParameterField: Sendable {
  let name: StaticString
  let kind: Parameter.Kind
  let content: Parameter.Content
  let line: StaticString?
  /// The width of an unsigned number, which most fields are, in bytes; 0 for all others. The walk
  /// checks this and `form` before it switches over `kind`.
  let unsignedWidth: UInt8
  /// For an unsigned number: how it is displayed.
  let form: Parameter.Form
  /// For a list, a choice or a layout: the number of following fields that belong to it.
  let itemFields: Int16
  /// For a list: the minimum size of an item in bytes; at least one.
  let leastItemSize: Int16
  /// The number of bytes of a field that does not affect others; nil for counts and lists, and if
  /// it depends on the content.
  let plainSize: Int16?

  /// Whether the field is only shown on request.
  var isSecret: Bool {
    switch kind {
    case .secret, .optionalSecret, .countedSecret: true
    default: false
    }
  }
}

extension ParameterField {
  /// For a bit field: the number of bits, and how it is displayed.
  var bits: (count: UInt8, form: Parameter.Form) {
    switch kind {
    case .bits(let count, let form): (count, form)
    case .lengthBits(let count), .unusedBits(let count): (count, .plain)
    default: (0, .plain)
    }
  }

  var isAddress: Bool {
    switch kind {
    case .address, .addressByHeader: true
    default: false
    }
  }

  var isAdvertisingData: Bool {
    switch kind {
    case .advertisingData, .untilEnd, .restAdvertising: true
    default: false
    }
  }

  /// Whether this may reveal the UUIDs that a device has or will have.
  var mayTellUUIDs: Bool {
    switch kind {
    case .advertisingData, .untilEnd, .restAdvertising, .uuid, .halfUUID, .half: true
    default: content == .serviceData
    }
  }
}

extension Parameter {
  /// The number of bytes; nil if it depends on their content.
  package var size: Int? {
    switch kind {
    case .unsigned(let width, _), .signed(let width, _), .count(let width),
      .laterCount(let width), .countOfBits(let width, _), .selector(let width, _):
      Int(width)
    case .packed(let width, _): Int(width)
    case .dataOperation, .countBeyond: 1
    case .address, .addressByHeader: 6
    case .bytes(let count), .text(let count), .secret(let count), .uuid(let count): count
    case .advertisingData(let field): field == 0 ? nil : field
    case .counted, .optionalSecret, .countedSecret, .rest, .list, .halfUUID, .half, .restText: nil
    case .alternative, .otherwise: items.fixedSize
    case .choice: sizeOfChoice
    case .versionEnd, .openEnd, .ifSet, .untilEnd, .restAdvertising: nil
    case .bits, .lengthBits, .unusedBits: 0
    }
  }

  /// The size of a choice if its layouts cover all values and have the same size; otherwise nil.
  private var sizeOfChoice: Int? {
    guard let last = items.last, case .otherwise = last.kind, let size = last.size else {
      return nil
    }
    return items.allSatisfy { $0.size == size } ? size : nil
  }

  /// Appends this parameter's field, followed by the fields of its items.
  func append(to fields: inout [ParameterField]) {
    var item: [ParameterField] = []
    for parameter in items { parameter.append(to: &item) }
    var plainSize = size
    switch kind {
    case .count, .laterCount, .countOfBits, .countBeyond, .dataOperation, .advertisingData,
      .selector, .choice, .alternative, .otherwise, .packed, .bits, .lengthBits, .unusedBits:
      plainSize = nil
    default: break
    }
    var number: (width: UInt8, form: Parameter.Form) = (0, .plain)
    if case .unsigned(let width, let form) = kind {
      precondition(width > 0, "a number without bytes")
      number = (width, form)
    }
    fields.append(
      ParameterField(
        name: name, kind: kind, content: content, line: line, unsignedWidth: number.width,
        form: number.form,
        itemFields: Int16(item.count),
        leastItemSize: Int16(items.first.map { $0.size ?? 1 } ?? 0),
        plainSize: plainSize.map { Int16($0) }))
    fields.append(contentsOf: item)
  }

  /// Whether this is a choice with a layout that has a Connection_Handle.
  var choosesHandle: Bool {
    switch kind {
    case .choice: items.contains { $0.choosesHandle }
    case .alternative, .otherwise:
      items.contains { $0.choosesHandle || $0.role == .connectionHandle }
    default: false
    }
  }

  /// Whether a count gives the used part of this field.
  var isPartlyUsed: Bool {
    if case .advertisingData(let field) = kind { return field > 0 }
    return false
  }
}

extension [Parameter] {
  /// The total number of bytes; nil if it depends on their content.
  fileprivate var fixedSize: Int? {
    reduce(0) { sum, parameter in parameter.size.flatMap { size in sum.map { $0 + size } } }
  }
}

/// A reference to a table row. It needs no lookup, since rows live as long as the program.
package struct RowID: Equatable, Sendable {
  let entry: Immortal<RowEntry>.Reference

  /// The specification's name of the command or event.
  package var name: AssignedName { AssignedName(entry.element.name) }

  package var parameters: ParameterLayout { entry.element.parameters }

  /// For a command: the layout of the return parameters.
  package var returns: ParameterLayout { entry.element.returns }

  package var subjects: ParameterRow.Subjects { entry.element.subjects }
}

/// All rows, found by their codes without a search.
///
/// Rows without fixed codes (Microsoft's, whose opcode and event prefix differ between Controllers)
/// are separate. This is a class so that no module copies the table for a lookup.
package final class PDUTable: Sendable {
  private let rows: [ParameterRow]
  /// The rows as returned by lookups. A capture uses few of them, and preparing all would take
  /// longer than reading a small capture.
  private let entries: LazyImmortals<RowEntry>
  /// Positions in `rows`, -1 for none: of commands by `slot(ofCommand:)`, of events and subevents
  /// by code.
  private let commandIndex: [Int16]
  private let eventIndex: [Int16]
  private let subeventIndex: [Int16]
  private let androidIndex: [Int16]
  /// The row of Microsoft's extension command.
  package var microsoftCommand: RowID { id(atRow: microsoftCommandPosition) }
  /// The row of Microsoft's extension event, without the prefix.
  package var microsoftEvent: RowID { id(atRow: microsoftCommandPosition + 1) }
  private let microsoftCommandPosition: Int
  /// The positions for the kernel's management interface.
  private let controlCommandIndex: [Int16]
  private let controlEventIndex: [Int16]

  /// The tables of the Core Specification, of Android's and Microsoft's requirements, and of the
  /// kernel's management interface.
  package static let core = PDUTable(
    commands: hciCommandTables.flatMap { $0 }, events: hciEventTables.flatMap { $0 },
    subevents: hciLEMetaTables.flatMap { $0 }, android: androidEventRows,
    microsoft: (microsoftCommandRow, microsoftEventRow),
    controlCommands: managementCommandTables.flatMap { $0 },
    controlEvents: managementEventTables.flatMap { $0 })

  private init(
    commands: [ParameterRow], events: [ParameterRow], subevents: [ParameterRow],
    android: [ParameterRow],
    microsoft: (command: ParameterRow, event: ParameterRow), controlCommands: [ParameterRow],
    controlEvents: [ParameterRow]
  ) {
    rows =
      commands + events + subevents + android + [microsoft.command, microsoft.event]
      + controlCommands + controlEvents
    entries = LazyImmortals(count: rows.count)
    commandIndex = Self.index(commands, from: 0, slots: Self.commandSlots) {
      Self.slot(ofCommand: $0)
    }
    var base = commands.count
    eventIndex = Self.index(events, from: base, slots: 256) { Int($0) }
    base += events.count
    subeventIndex = Self.index(subevents, from: base, slots: 256) { Int($0) }
    base += subevents.count
    androidIndex = Self.index(android, from: base, slots: 256) { Int($0) }
    base += android.count
    microsoftCommandPosition = base
    base += 2
    controlCommandIndex = Self.index(controlCommands, from: base, slots: 256) { Int($0) }
    base += controlCommands.count
    controlEventIndex = Self.index(controlEvents, from: base, slots: 256) { Int($0) }
  }

  private static func index(
    _ rows: [ParameterRow], from base: Int, slots: Int, _ slot: (UInt16) -> Int?
  ) -> [Int16] {
    var index = [Int16](repeating: -1, count: slots)
    for (position, row) in rows.enumerated() {
      if let slot = slot(row.code) { index[slot] = Int16(base + position) }
    }
    return index
  }

  /// Returns OGF × 256 + OCF. The specification assigns no OCF above 255, but vendors do; theirs
  /// from 256 on use the last 768 slots.
  private static func slot(ofCommand opcode: UInt16) -> Int? {
    let ocf = Int(opcode & 0x3ff)
    if ocf < 256 { return Int(opcode >> 10) * 256 + ocf }
    return HCICommand.isVendors(opcode) ? 64 * 256 + ocf - 256 : nil
  }

  private static let commandSlots = 64 * 256 + 768

  private func id(_ position: Int16) -> RowID? {
    position < 0 ? nil : id(atRow: Int(position))
  }

  private func id(atRow position: Int) -> RowID {
    RowID(entry: entries.element(at: position) { RowEntry(rows[position]) })
  }

  /// Returns the row of a command.
  package func command(_ opcode: UInt16) -> RowID? {
    Self.slot(ofCommand: opcode).flatMap { id(commandIndex[$0]) }
  }

  /// Returns the row of an event.
  package func event(_ code: UInt8) -> RowID? { id(eventIndex[Int(code)]) }

  /// Returns the row of an LE Meta event.
  package func subevent(_ code: UInt8) -> RowID? { id(subeventIndex[Int(code)]) }

  /// Returns the row of an event that Android requires, by the subevent code in a vendor-specific
  /// event.
  package func androidEvent(_ code: UInt8) -> RowID? { id(androidIndex[Int(code)]) }

  /// Returns the row of a management interface command.
  package func controlCommand(_ opcode: UInt16) -> RowID? {
    opcode < 256 ? id(controlCommandIndex[Int(opcode)]) : nil
  }

  /// Returns the row of a management interface event.
  package func controlEvent(_ code: UInt16) -> RowID? {
    code < 256 ? id(controlEventIndex[Int(code)]) : nil
  }
}
