package import Bluetooth
import Bytes

/// What decodes a value.
package enum ProfileMatch: Sendable {
  case definition(Definition)
  /// A protocol's message in a frame.
  case message(VendorSighting)
}

/// All definitions: the built-in ones and those of the user's files.
///
/// Definitions are read on first use and kept.
package struct ProfileLibrary: Sendable {
  private struct Key: Hashable {
    var kind: Int
    var uuid: BluetoothUUID
  }

  private let own: [Definition]
  private var found: [Key: [ListedDefinition]] = [:]
  /// Vendors' protocols, those of the user's files first.
  package let vendors: [VendorProtocol]
  /// How many of `vendors` come from the user's files.
  package let ownVendors: Int
  /// The most subjects that are cached; a capture with more is read more slowly.
  private static let mostKept = 4096

  /// The characteristics whose values some definition uses.
  package let wanted: [BluetoothUUID]

  /// Creates a library of the built-in definitions, preceded by those of the user's files.
  package init(own: [Definition] = [], vendors: [VendorProtocol] = []) {
    self.own = own
    self.vendors = vendors + BuiltInProfiles.vendors
    ownVendors = vendors.count
    var wanted = BuiltInProfiles.wanted
    let messages = vendors.flatMap(\.messages).map(\.definition)
    var known = Set(wanted)
    for external in (own + messages).flatMap(\.tables.externals)
    where known.insert(external.uuid.shortest).inserted {
      wanted.append(external.uuid.shortest)
    }
    self.wanted = wanted
  }

  /// Returns the name of a subject in the user's files, which takes precedence over all other
  /// names.
  package func ownName(_ kind: Subject.Kind, _ uuid: BluetoothUUID) -> String? {
    if own.isEmpty { return nil }
    let wanted = uuid.shortest
    return own.first {
      $0.subject.kind == kind && $0.subject.uuid.shortest == wanted && !$0.name.isEmpty
    }?.name
  }

  /// Returns the definitions of a characteristic, a company, and so on, the most specific first; of
  /// equally specific ones, the user's before the built-in ones.
  package mutating func definitions(_ kind: Subject.Kind, _ uuid: BluetoothUUID) -> [Definition] {
    listed(kind, uuid).compactMap(\.definition)
  }

  /// Returns the entries of these definitions, in the same order.
  package mutating func listed(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID
  ) -> [ListedDefinition] {
    let key = Key(kind: kind.rawValue, uuid: uuid.shortest)
    if let known = found[key] { return known }
    let own = own.filter { $0.subject.kind == kind && $0.subject.uuid.shortest == key.uuid }
    let all = own.map { ListedDefinition($0) } + BuiltInProfiles.listed(kind, key.uuid)
    let sorted = all.enumerated().sorted { left, right in
      let (first, second) = (left.element.subject.specificity, right.element.subject.specificity)
      return first == second ? left.offset < right.offset : first > second
    }
    if found.count >= Self.mostKept { found.removeAll() }
    found[key] = sorted.map(\.element)
    return found[key] ?? []
  }

  /// Returns what decodes a value of a characteristic, judging by its bytes alone: the most
  /// specific definition, or the message of a protocol. A frame in several values does not count
  /// here.
  package mutating func match(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, service: BluetoothUUID?, _ bytes: RawSpan,
    isWritten: Bool, isOfDevice: (String) -> Bool
  ) -> ProfileMatch? {
    let definition = find(kind, uuid, service: service, bytes, isOfDevice: isOfDevice)
    if let definition, !definition.subject.isCarrier { return .definition(definition) }
    for vendor in vendors {
      guard
        let needsFrame = vendor.needsFrame(
          on: uuid.shortest, of: service?.shortest, isOfDevice: isOfDevice),
        let whole = vendor.wholeFrame(bytes, isRequest: isWritten)
      else { continue }
      let frame = whole.frame
      let layout = vendor.frames[frame.layout]
      if needsFrame, !layout.isVerifiable || !frame.isSound { continue }
      // A part of a message is not a message.
      if layout.chunk != nil, frame.chunks != 1 { continue }
      let sighting =
        if let unescaped = whole.unescaped {
          VendorSighting(
            vendor, frame, unescaped.bytes, onRequestChannel: isWritten, held: unescaped)
        } else {
          VendorSighting(vendor, frame, bytes, onRequestChannel: isWritten)
        }
      guard let message = sighting.message else { continue }
      // It may equally be a part of a response that has no length.
      if layout.isOpenEnded, !sighting.isRequest, message.commands == nil { continue }
      return .message(sighting)
    }
    return definition.map { .definition($0) }
  }

  /// Returns the definition that decodes a value.
  ///
  /// - Parameter isOfDevice: whether the device's name matches a pattern with `*` and `?`.
  package mutating func find(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, service: BluetoothUUID?, _ bytes: RawSpan,
    isOfDevice: (String) -> Bool
  ) -> Definition? {
    for entry in listed(kind, uuid) {
      let subject = entry.subject
      if let wanted = subject.service, wanted.shortest != service?.shortest { continue }
      if let device = subject.device, !isOfDevice(device) { continue }
      if !subject.fits(sender: nil, bytes) { continue }
      if entry.fits(bytes) { return entry.definition }
    }
    return nil
  }
}
