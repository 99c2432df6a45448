// What can be said beforehand of the parameters of a command or event.

import Bytes

/// Where a list of parameters stands in its table's `fields`, and what it says about the bytes that
/// hold it.
package struct HCILayout: Sendable {
  // Small in memory, since every packet looks several of them up.
  private let start: Int16
  private let count: Int16
  private let bytes: Int16?
  private let handleOffset: Int16?
  private let counted: (countOffset: Int16, itemSize: Int16)?
  /// What stands in it, as far as it is asked for every packet.
  let asked: Asked
  /// What else stands in it.
  private let traits: Traits

  /// What can be said of a layout in a word and is asked for every packet: a row's number has it beside
  /// it (`HCIRowID`).
  package struct Asked: OptionSet, Sendable {
    /// A bit each.
    package let rawValue: UInt8

    /// Traits by their bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The parameters are described.
    package static let known = Asked(rawValue: 1 << 0)
    /// The first parameter is Status.
    package static let beginsWithStatus = Asked(rawValue: 1 << 1)
    /// The first parameter, or the one behind Status, is the BD_ADDR of a BR/EDR device.
    static let beginsWithDevice = Asked(rawValue: 1 << 2)
    /// A parameter is advertising data.
    package static let advertisingData = Asked(rawValue: 1 << 3)
    /// A parameter may say which UUIDs a device has or is to have: a UUID, advertising data, or a
    /// pattern that advertising data is filtered by.
    package static let uuids = Asked(rawValue: 1 << 4)
    /// A parameter is a device address.
    package static let address = Asked(rawValue: 1 << 5)
    /// A Connection_Handle stands at a fixed place.
    static let handle = Asked(rawValue: 1 << 6)
    /// Some layout of a choice has a Connection_Handle; then that is all that reads as one.
    static let chosenHandle = Asked(rawValue: 1 << 7)

    /// Whether all of these are among them. `contains` says the same, but other modules reach it only
    /// through the protocol, and this is asked for every packet.
    package func have(_ wanted: Asked) -> Bool { rawValue & wanted.rawValue == wanted.rawValue }
  }

  /// What else can be said of a layout in a word; only the layout itself can be asked for it.
  package struct Traits: OptionSet, Sendable {
    /// A bit each.
    package let rawValue: UInt8

    /// Traits by their bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// As many bytes as `size` says may still be wrong: a count in them says how much of a field is used.
    static let needsWalk = Traits(rawValue: 1 << 0)
    /// A parameter is a secret: then bytes that no parameter claims may be a piece of it.
    package static let secret = Traits(rawValue: 1 << 1)
    /// A parameter has a place in the one-line form.
    package static let line = Traits(rawValue: 1 << 2)
  }

  /// Whether all of these apply.
  package func has(_ wanted: Asked) -> Bool { asked.have(wanted) }

  /// Whether all of these apply.
  package func has(_ wanted: Traits) -> Bool {
    traits.rawValue & wanted.rawValue == wanted.rawValue
  }

  /// Where the fields stand; none where the parameters are not described.
  var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  /// The number of bytes, where it does not depend on their content.
  package var size: Int? { bytes.map { Int($0) } }
  /// Where Connection_Handle stands, where it is at a fixed place.
  package var connectionHandleOffset: Int? { handleOffset.map { Int($0) } }

  /// The layout of `parameters`, whose fields are added to `fields`.
  init(_ described: [HCIParameter]?, _ fields: inout [HCIField]) {
    let parameters = described ?? []
    let first = fields.count
    for parameter in parameters { parameter.append(to: &fields) }
    start = Int16(first)
    count = Int16(fields.count - first)
    var size: Int? = 0
    var handle: Int?
    for parameter in parameters {
      if handle == nil, let size, parameter.name.description == "Connection_Handle" {
        handle = size
      }
      size = size.flatMap { known in parameter.size.map { known + $0 } }
    }
    bytes = described == nil ? nil : size.map { Int16($0) }
    handleOffset = handle.map { Int16($0) }
    counted = Self.countedItems(parameters)
    let beginsWithStatus = parameters.first?.name.description == "Status"
    let behindStatus = parameters.dropFirst(beginsWithStatus ? 1 : 0).first
    let added = fields[first...]
    var asked: Asked = []
    for (trait, applies) in [
      (.known, described != nil),
      (.beginsWithStatus, beginsWithStatus),
      (.beginsWithDevice, behindStatus?.name.description == "BD_ADDR"),
      (.advertisingData, added.contains(where: \.isAdvertisingData)),
      (.uuids, added.contains(where: \.mayTellUUIDs)),
      (.address, added.contains { $0.kind == .address }),
      (.handle, handle != nil),
      (.chosenHandle, handle == nil && parameters.contains { $0.choosesHandle }),
    ] as [(Asked, Bool)] where applies {
      asked.insert(trait)
    }
    self.asked = asked
    var traits: Traits = []
    if parameters.contains(where: { $0.isPartlyUsed }) { traits.insert(.needsWalk) }
    if added.contains(where: \.isSecret) { traits.insert(.secret) }
    if added.contains(where: { $0.line != nil }) { traits.insert(.line) }
    self.traits = traits
  }
}

extension HCILayout {
  /// Whether the bytes are some fields of fixed size, the last of them a one-byte count of items
  /// that are all of one fixed size: then where the count is, and that size.
  private static func countedItems(
    _ parameters: [HCIParameter]
  ) -> (countOffset: Int16, itemSize: Int16)? {
    guard parameters.count >= 2, case .list = parameters[parameters.count - 1].kind,
      case .count(width: 1) = parameters[parameters.count - 2].kind
    else { return nil }
    let before = parameters.dropLast(2).map(\.size)
    let item = parameters[parameters.count - 1].items.map(\.size)
    guard !before.contains(nil), !item.contains(nil) else { return nil }
    return (
      Int16(before.compactMap { $0 }.reduce(0, +)), Int16(item.compactMap { $0 }.reduce(0, +))
    )
  }

  /// Whether `slice` is just as long as the parameters are, where that can be told without walking.
  func fits(_ bytes: RawSpan, _ slice: Slice) -> Bool {
    if let counted {
      let offset = Int(counted.countOffset)
      let items = Int(bytes.byte(at: Int(slice.start) + offset))
      return offset < slice.count
        && Int(slice.count) == offset + 1 + items * Int(counted.itemSize)
    }
    return size == Int(slice.count) && !has(.needsWalk)
  }
}
