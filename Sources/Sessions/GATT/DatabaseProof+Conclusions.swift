import Bluetooth
import Bytes

/// Configurations that were never discovered but that a hash proves.
extension DatabaseProof {
  /// Returns the Client Characteristic Configurations with which attributes match a hash, or nil.
  ///
  /// A client that has cached a map, or needs no other descriptors, writes them without discovering
  /// them. Each characteristic that notifies or indicates must have one (Core, Vol 3, Part G,
  /// 3.3.3.3). It is the descriptor that was written like one, or else the handle after the value,
  /// if that is free. A hash that agrees proves all of them.
  ///
  /// - Parameters:
  ///   - attributes: in ascending order of their handles.
  ///   - uses: how handles were used.
  ///   - hash: the Database Hash, and the packet in which it was read.
  package static func conclusions(
    _ attributes: [Attribute], _ uses: [AttributeUse], hash: (value: [UInt8], packet: Int)
  ) -> [Attribute]? {
    let known = attributes.filter { $0.via != .inferred }
    var written: [UInt16: Int] = [:]
    for use in uses where use.isWrittenAsConfiguration {
      written[use.handle] = use.packets.lowerBound
    }
    var fromUse: [Attribute] = []
    var all: [Attribute] = []
    for declaration in known where declaration.isDeclaredToSend && declaration.target < .max {
      // After the value, and before the first attribute that is not a descriptor.
      let nearest = declaration.target + 1
      let after = known[position(of: nearest, in: known)...].prefix(mostDescriptors)
      let own = after.prefix { $0.kind == .descriptor }
      if own.contains(where: { $0.uuid == .clientConfiguration }) { continue }
      let border = after.dropFirst(own.count).first?.handle ?? .max
      let taken = own.map(\.handle)
      let end = min(border, nearest.addingReportingOverflow(UInt16(mostDescriptors)).partialValue)
      guard nearest < end else { continue }
      let free = (nearest..<end).filter { !taken.contains($0) }
      let used = free.first { written[$0] != nil }
      guard let handle = used ?? free.first, used != nil || handle == nearest || free.count == 1
      else { continue }
      var attribute = Attribute(
        handle: handle, kind: .descriptor, uuid: .clientConfiguration, connection: 0,
        packet: used.flatMap { written[$0] } ?? hash.packet)
      attribute.via = .inferred
      attribute.target = declaration.target
      all.append(attribute)
      if used != nil { fromUse.append(attribute) }
    }
    for concluded in [fromUse, all] where !concluded.isEmpty {
      if agrees(merge(known, concluded), hash: hash.value) { return concluded }
    }
    return nil
  }

  /// The maximum number of descriptors of a characteristic that are considered.
  private static let mostDescriptors = 16

  /// Returns the index of the first attribute with at least this handle.
  private static func position(of handle: UInt16, in attributes: [Attribute]) -> Int {
    var (low, high) = (0, attributes.count)
    while low < high {
      let middle = (low + high) / 2
      if attributes[middle].handle < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Merges attributes with others, in ascending order of their handles.
  package static func merge(_ attributes: [Attribute], _ others: [Attribute]) -> [Attribute] {
    let handles = Set(others.map(\.handle))
    return (attributes.filter { !handles.contains($0.handle) } + others)
      .sorted { $0.handle < $1.handle }
  }
}

extension Attribute {
  /// Whether it is the declaration of a characteristic that notifies or indicates.
  fileprivate var isDeclaredToSend: Bool {
    kind == .characteristic && (properties.has(bit: 4) || properties.has(bit: 5))
  }
}

extension AttributeUse {
  /// Whether everything written to it was valid for a Client Characteristic Configuration: two
  /// bytes, 0 to 3.
  fileprivate var isWrittenAsConfiguration: Bool {
    guard count(of: .write) > 0, lengths == 2...2, let value else { return false }
    return value.bytes.littleEndianU16(at: 0) <= 3
  }
}
