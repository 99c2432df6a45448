package import Bluetooth

/// All definitions that are there: the program's own and those of people's files.
///
/// Definitions are read when they are first asked for, and kept.
package struct ProfileLibrary: Sendable {
  private struct Key: Hashable {
    var kind: Int
    var uuid: BluetoothUUID
  }

  private let own: [Definition]
  private var found: [Key: [Definition]] = [:]
  /// Vendors' protocols, those of people's files first.
  package let vendors: [VendorProtocol]
  /// So many subjects are kept; a capture that has more is read with less speed.
  private static let mostKept = 4096

  /// A library of the program's definitions, and before them those of people's files.
  package init(own: [Definition] = [], vendors: [VendorProtocol] = []) {
    self.own = own
    self.vendors = vendors + BuiltInProfiles.vendors
  }

  /// The definitions of a characteristic, a company, and so on, the most specific first; of equally
  /// specific ones, people's before the program's.
  package mutating func definitions(_ kind: Subject.Kind, _ uuid: BluetoothUUID) -> [Definition] {
    let key = Key(kind: kind.rawValue, uuid: uuid.shortest)
    if let known = found[key] { return known }
    let own = own.filter { $0.subject.kind == kind && $0.subject.uuid.shortest == key.uuid }
    let all = own + BuiltInProfiles.definitions(kind, key.uuid)
    let sorted = all.enumerated().sorted { left, right in
      let (first, second) = (left.element.subject.specificity, right.element.subject.specificity)
      return first == second ? left.offset < right.offset : first > second
    }
    if found.count >= Self.mostKept { found.removeAll() }
    found[key] = sorted.map(\.element)
    return found[key] ?? []
  }

  /// The definition that decodes a value.
  ///
  /// - Parameter isOfDevice: whether the device's name fits a pattern with `*` and `?`.
  package mutating func find(
    _ kind: Subject.Kind, _ uuid: BluetoothUUID, service: BluetoothUUID?, _ bytes: RawSpan,
    isOfDevice: (String) -> Bool
  ) -> Definition? {
    for definition in definitions(kind, uuid) {
      let subject = definition.subject
      if let wanted = subject.service, wanted.shortest != service?.shortest { continue }
      if let device = subject.device, !isOfDevice(device) { continue }
      if subject.fits(bytes) { return definition }
    }
    return nil
  }
}
