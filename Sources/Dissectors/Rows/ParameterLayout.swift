// The properties of a command's or event's parameters that can be computed in advance.

import Bytes

/// A list of parameters, with what it implies about the bytes that contain it.
package struct ParameterLayout: Sendable {
  // Small in memory, since several are looked up for every packet.
  /// The parameters and the items of lists; empty if they are not described.
  let fields: Immortal<ParameterField>
  private let bytes: Int16?
  private let handleOffset: Int16?
  private let counted: (countOffset: Int16, itemSize: Int16)?
  /// Further properties.
  private let traits: Traits

  /// Properties of a layout.
  package struct Traits: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The parameters are described.
    package static let known = Traits(rawValue: 1 << 0)
    /// The first parameter is Status.
    package static let beginsWithStatus = Traits(rawValue: 1 << 1)
    /// The first parameter, or the one after Status, is the BD_ADDR of a BR/EDR device.
    static let beginsWithDevice = Traits(rawValue: 1 << 2)
    /// A parameter is advertising data.
    package static let advertisingData = Traits(rawValue: 1 << 3)
    /// A parameter may reveal the UUIDs that a device has or will have: a UUID, advertising data,
    /// or a filter pattern for advertising data.
    package static let uuids = Traits(rawValue: 1 << 4)
    /// A parameter is a device address.
    package static let address = Traits(rawValue: 1 << 5)
    /// Some layout of a choice has a Connection_Handle, which is then its only handle.
    static let chosenHandle = Traits(rawValue: 1 << 6)

    /// Bytes of the right number may still be wrong, since a count in them gives the used part of a
    /// field.
    static let needsWalk = Traits(rawValue: 1 << 7)
    /// A parameter is a secret, so that bytes that belong to no parameter may be part of it.
    package static let secret = Traits(rawValue: 1 << 8)
    /// A parameter appears in the one-line form.
    package static let line = Traits(rawValue: 1 << 9)
  }

  /// Returns whether all of these apply. `contains` does the same, but other modules can only call
  /// it through the witness table, and this is needed for every packet.
  package func has(_ wanted: Traits) -> Bool {
    traits.rawValue & wanted.rawValue == wanted.rawValue
  }

  /// The number of bytes; nil if it depends on their content.
  package var size: Int? { bytes.map { Int($0) } }
  /// The offset of Connection_Handle, if it is fixed.
  package var connectionHandleOffset: Int? { handleOffset.map { Int($0) } }

  /// Computes the layout of a row's parameters, which are nil if they are not described.
  init(_ described: [Parameter]?) {
    let parameters = described ?? []
    var fields: [ParameterField] = []
    for parameter in parameters { parameter.append(to: &fields) }
    self.fields = Immortal(fields)
    var size: Int? = 0
    var handle: Int?
    for parameter in parameters {
      if handle == nil, let size, parameter.role == .connectionHandle {
        handle = size
      }
      size = size.flatMap { known in parameter.size.map { known + $0 } }
    }
    bytes = described == nil ? nil : size.map { Int16($0) }
    handleOffset = handle.map { Int16($0) }
    counted = Self.countedItems(parameters)
    let beginsWithStatus = parameters.first?.role == .status
    let behindStatus = parameters.dropFirst(beginsWithStatus ? 1 : 0).first
    var traits: Traits = []
    for (trait, applies) in [
      (.known, described != nil),
      (.beginsWithStatus, beginsWithStatus),
      (.beginsWithDevice, behindStatus?.role == .device),
      (.advertisingData, fields.contains(where: \.isAdvertisingData)),
      (.uuids, fields.contains(where: \.mayTellUUIDs)),
      (.address, fields.contains(where: \.isAddress)),
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

extension ParameterLayout {
  /// Returns the offset of the count and the size of an item if the parameters are some fields of
  /// fixed size followed by a one-byte count and items of one fixed size.
  private static func countedItems(
    _ parameters: [Parameter]
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

  /// Returns whether `slice` has exactly the length of the parameters, if that is known without a
  /// walk; otherwise false.
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
