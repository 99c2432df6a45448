// What can be said beforehand of the parameters of a command or event.

import Bytes

/// A list of parameters, and what it says about the bytes that hold it.
package struct HCILayout: Sendable {
  // Small in memory, since every packet looks several of them up.
  /// The parameters with the items of lists; none where they are not described.
  let fields: Immortal<HCIField>
  private let bytes: Int16?
  private let handleOffset: Int16?
  private let counted: (countOffset: Int16, itemSize: Int16)?
  /// What else stands in it.
  private let traits: Traits

  /// What can be said of a layout in a word.
  package struct Traits: OptionSet, Sendable {
    /// A bit each.
    package let rawValue: UInt16

    /// Traits by their bits.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The parameters are described.
    package static let known = Traits(rawValue: 1 << 0)
    /// The first parameter is Status.
    package static let beginsWithStatus = Traits(rawValue: 1 << 1)
    /// The first parameter, or the one behind Status, is the BD_ADDR of a BR/EDR device.
    static let beginsWithDevice = Traits(rawValue: 1 << 2)
    /// A parameter is advertising data.
    package static let advertisingData = Traits(rawValue: 1 << 3)
    /// A parameter may say which UUIDs a device has or is to have: a UUID, advertising data, or a
    /// pattern that advertising data is filtered by.
    package static let uuids = Traits(rawValue: 1 << 4)
    /// A parameter is a device address.
    package static let address = Traits(rawValue: 1 << 5)
    /// Some layout of a choice has a Connection_Handle; then that is all that reads as one.
    static let chosenHandle = Traits(rawValue: 1 << 6)

    /// As many bytes as `size` says may still be wrong: a count in them says how much of a field is used.
    static let needsWalk = Traits(rawValue: 1 << 7)
    /// A parameter is a secret: then bytes that no parameter claims may be a piece of it.
    package static let secret = Traits(rawValue: 1 << 8)
    /// A parameter has a place in the one-line form.
    package static let line = Traits(rawValue: 1 << 9)
  }

  /// Whether all of these apply. `contains` says the same, but other modules reach it only through the
  /// protocol, and this is asked for every packet.
  package func has(_ wanted: Traits) -> Bool {
    traits.rawValue & wanted.rawValue == wanted.rawValue
  }

  /// The number of bytes, where it does not depend on their content.
  package var size: Int? { bytes.map { Int($0) } }
  /// Where Connection_Handle stands, where it is at a fixed place.
  package var connectionHandleOffset: Int? { handleOffset.map { Int($0) } }

  /// Prepares the layout of the parameters of a row, nil where they are not described.
  init(_ described: [HCIParameter]?) {
    let parameters = described ?? []
    var fields: [HCIField] = []
    for parameter in parameters { parameter.append(to: &fields) }
    self.fields = Immortal(fields)
    var size: Int? = 0
    var handle: Int?
    for parameter in parameters {
      if handle == nil, let size, parameter.name.isEqual(to: "Connection_Handle") {
        handle = size
      }
      size = size.flatMap { known in parameter.size.map { known + $0 } }
    }
    bytes = described == nil ? nil : size.map { Int16($0) }
    handleOffset = handle.map { Int16($0) }
    counted = Self.countedItems(parameters)
    let beginsWithStatus = parameters.first?.name.isEqual(to: "Status") ?? false
    let behindStatus = parameters.dropFirst(beginsWithStatus ? 1 : 0).first
    var traits: Traits = []
    for (trait, applies) in [
      (.known, described != nil),
      (.beginsWithStatus, beginsWithStatus),
      (.beginsWithDevice, behindStatus?.name.isEqual(to: "BD_ADDR") ?? false),
      (.advertisingData, fields.contains(where: \.isAdvertisingData)),
      (.uuids, fields.contains(where: \.mayTellUUIDs)),
      (.address, fields.contains { $0.kind == .address }),
      (.chosenHandle, handle == nil && parameters.contains { $0.choosesHandle }),
      (.needsWalk, parameters.contains { $0.isPartlyUsed }),
      (.secret, fields.contains(where: \.isSecret)),
      (.line, fields.contains { $0.line != nil }),
    ] as [(Traits, Bool)] where applies {
      traits.insert(trait)
    }
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
