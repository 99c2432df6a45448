// The tables of commands and events, made ready for look-ups by code.

/// A row of the tables with what can be said of it beforehand.
package struct HCIEntry: Sendable {
  /// Opcode, event code or subevent code.
  package let code: UInt16
  /// The specification's name.
  package let name: StaticString
  /// The layout of the parameters.
  package let parameters: HCILayout
  /// Of a command: the layout of the return parameters.
  package let returns: HCILayout

  init(_ row: HCIRow) {
    code = row.code
    name = row.name
    parameters = HCILayout(row.parameters)
    returns = HCILayout(row.returns)
  }
}

/// A list of parameters and what it says about the bytes that hold it.
package struct HCILayout: Sendable {
  /// The parameters; none where they are not described.
  package let parameters: [HCIParameter]
  /// Whether the parameters are described.
  package let isKnown: Bool
  /// The number of bytes, where it does not depend on their content.
  package let size: Int?
  /// Where Connection_Handle stands, where it is at a fixed place.
  package let connectionHandleOffset: Int?
  /// Whether the first parameter is Status.
  package let beginsWithStatus: Bool

  init(_ parameters: [HCIParameter]?) {
    self.parameters = parameters ?? []
    isKnown = parameters != nil
    var size: Int? = 0
    var handle: Int?
    for parameter in self.parameters {
      if handle == nil, let size, parameter.name.description == "Connection_Handle" {
        handle = size
      }
      size = size.flatMap { known in parameter.size.map { known + $0 } }
    }
    self.size = parameters == nil ? nil : size
    connectionHandleOffset = handle
    beginsWithStatus = self.parameters.first?.name.description == "Status"
  }
}

extension HCIParameter {
  /// The number of bytes, where it does not depend on their content.
  package var size: Int? {
    switch kind {
    case .unsigned(let width, _), .signed(let width, _), .count(let width),
      .countOfBits(let width, _):
      Int(width)
    case .address: 6
    case .bytes(let count), .text(let count), .secret(let count): count
    case .advertisingData(let field): field == 0 ? nil : field
    case .counted, .rest, .list: nil
    }
  }
}

/// Which row of the tables: small enough to stand in a `Dissection`.
package struct HCIRowID: Equatable, Sendable {
  fileprivate let position: Int16
}

/// All rows, found by their codes without searching.
package struct HCITable: Sendable {
  private let entries: [HCIEntry]
  /// Positions in `entries`, -1 for none: of commands by OGF × 256 + OCF, of events and subevents
  /// by their codes.
  private let commandIndex: [Int16]
  private let eventIndex: [Int16]
  private let subeventIndex: [Int16]

  /// The tables of the Core Specification.
  package static let core = HCITable(
    commands: hciCommandTables.flatMap { $0 }, events: hciEventTables.flatMap { $0 },
    subevents: hciLEMetaTables.flatMap { $0 })

  /// Tables of one's own.
  init(commands: [HCIRow], events: [HCIRow], subevents: [HCIRow]) {
    entries = (commands + events + subevents).map { HCIEntry($0) }
    commandIndex = Self.index(commands, from: 0, slots: 64 * 256) { Self.slot(ofCommand: $0) }
    eventIndex = Self.index(events, from: commands.count, slots: 256) { Int($0) }
    subeventIndex = Self.index(subevents, from: commands.count + events.count, slots: 256) {
      Int($0)
    }
  }

  private static func index(
    _ rows: [HCIRow], from base: Int, slots: Int, _ slot: (UInt16) -> Int?
  ) -> [Int16] {
    var index = [Int16](repeating: -1, count: slots)
    for (position, row) in rows.enumerated() {
      if let slot = slot(row.code) { index[slot] = Int16(base + position) }
    }
    return index
  }

  /// OGF × 256 + OCF; the specification gives out no OCF above 255.
  private static func slot(ofCommand opcode: UInt16) -> Int? {
    opcode & 0x3ff < 256 ? Int(opcode >> 10) * 256 + Int(opcode & 0x3ff) : nil
  }

  private static func id(_ position: Int16) -> HCIRowID? {
    position < 0 ? nil : HCIRowID(position: position)
  }

  /// The row of a command.
  package func command(_ opcode: UInt16) -> HCIRowID? {
    Self.slot(ofCommand: opcode).flatMap { Self.id(commandIndex[$0]) }
  }

  /// The row of an event.
  package func event(_ code: UInt8) -> HCIRowID? { Self.id(eventIndex[Int(code)]) }

  /// The row of an LE Meta event.
  package func subevent(_ code: UInt8) -> HCIRowID? { Self.id(subeventIndex[Int(code)]) }

  /// What stands in a row.
  package subscript(id: HCIRowID) -> HCIEntry {
    _read { yield entries[Int(id.position)] }
  }
}
